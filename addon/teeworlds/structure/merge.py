# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups and layers of the scene laid over those of a level: kept, copied, made, put in order and removed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import bpy

from ....formats.teeworlds import Group, Layer, Level, TileKind, TileLayer
from ...scene.reports import SceneError
from .. import layout
from .collect import SceneGroup, SceneLayer

Placed = tuple[SceneLayer, Layer]


def lay_structure(
    level: Level,
    groups: list[SceneGroup],
    make: Callable[[bpy.types.Object, Layer | None], Layer | None],
    shown: Callable[[Layer], bool],
) -> list[tuple[SceneGroup, Group, list[Placed]]]:
    """Give `level` the groups and layers of the scene, in the scene's order, and return which is which.

    `make`: returns the layer for an object: the given one of the original (or a copy of it), or another where that
    doesn't fit or there is none; None for an object that is no layer after all. `shown`: whether an import makes an
    object of a layer; those without stay behind the layer that they followed, as long as their group stays.
    """
    before = list(level.groups)
    layers = {number: layer for number, _, _, layer in layout.numbered_layers(level)}
    placed = []
    for scene_group in groups:
        if 0 <= scene_group.record < len(before):
            group = before[scene_group.record]
            group = _group_copy(group) if scene_group.copy else group
        else:
            group = Group.new()
        found = []
        for scene_layer in scene_group.layers:
            template = layers.get(scene_layer.record)
            if template is not None and scene_layer.copy:
                template = template.copy()
            layer = make(scene_layer.object, template)
            if layer is not None:
                found.append((scene_layer, layer))
        placed.append((scene_group, group, found))
    for _, group, found in placed:
        _set_list(group.layers, _with_unshown(group.layers, [layer for _, layer in found], shown))
    _set_list(level.groups, [group for _, group, _ in placed])
    return placed


def _group_copy(group: Group) -> Group:
    """A group with the same fields and no layers."""
    twin = group.copy()
    if group.parallax_zoom is not None:
        twin.parallax_zoom = group.parallax_zoom
    return twin


def _with_unshown(before: list[Layer], after: list[Layer], shown: Callable[[Layer], bool]) -> list[Layer]:
    """`after` with the layers of `before` that have no object, each behind the one that it followed."""
    result = list(after)
    place = 0
    for layer in before:
        at = next((number for number, other in enumerate(result) if other is layer), None)
        if at is not None:
            place = at + 1
        elif not shown(layer):
            result.insert(place, layer)
            place += 1
    return result


def _set_list(target: list[Any], values: list[Any]) -> None:
    if len(target) != len(values) or any(old is not new for old, new in zip(target, values, strict=True)):
        target[:] = values


def check_physics(level: Level, placed: list[tuple[SceneGroup, Group, list[Placed]]], whole: bool) -> None:
    """Refuse what the game can't play on: no game layer, a physics layer twice or outside the game layer's group.

    What the original had like that may stay; `whole`: there is none. Raises SceneError with the objects.
    """
    were = Counter(_physics(layer) for group in level.before.layers for layer in group)
    game = level.game_layer
    if game is None and (were[TileKind.GAME] or whole):
        raise SceneError("the map has no game layer: the game needs one")
    found: dict[TileKind, list[bpy.types.Object]] = {}
    at_home = {(id(layer), id(group)) for group, layers in _before(level) for layer in layers}
    for _, group, layers in placed:
        for scene_layer, layer in layers:
            kind = _physics(layer)
            if kind == TileKind.TILES:
                continue
            found.setdefault(kind, []).append(scene_layer.object)
            if game is not None and group is not game[0] and (id(layer), id(group)) not in at_home:
                raise SceneError(
                    f"{scene_layer.object.name}: a {kind.name} layer must be in the group of the game layer",
                    [scene_layer.object],
                )
    for kind, objects in found.items():
        if len(objects) > max(1, were[kind]):
            names = ", ".join(obj.name for obj in objects)
            raise SceneError(f"a map has one {kind.name} layer, here are {len(objects)}: {names}", objects)


def _before(level: Level) -> Iterator[tuple[Group, list[Layer]]]:
    return zip(level.before.groups, level.before.layers, strict=True)


def _physics(layer: Layer) -> TileKind:
    """What a layer is for, TILES for all that is only drawn."""
    return layer.tile_kind if isinstance(layer, TileLayer) else TileKind.TILES
