# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups and layers of the scene merged into those of a level: kept, copied, made, put in order and removed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TypeVar

import bpy

from ....formats import teeworlds
from ....formats.teeworlds import Group, Layer, Level, TileKind, TileLayer
from ...scene.reports import Report, SceneError
from .. import layout
from ..layout import read_properties
from .collect import GroupInstance, LayerInstance

Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class MergedLayer:
    """A layer of the scene with its record in the level."""

    instance: LayerInstance
    layer: Layer
    new: bool
    """Whether the record was made for the object, so that everything is written, not only what was edited."""


@dataclass(frozen=True, slots=True)
class MergedGroup:
    """A group of the scene with its record in the level."""

    instance: GroupInstance
    group: Group
    layers: list[MergedLayer]
    """In draw order."""


def merge(level: Level, groups: list[GroupInstance], report: Report) -> list[MergedGroup]:
    """Give `level` the groups and layers of the scene, in the scene's order, and return which is which.

    A record that an object is an instance of stays as it is, a copy gets a copy of it, what has none a new one.
    Layers that an import makes no object of stay behind the layer that they followed, as long as their group stays.
    """
    before = list(level.groups)
    layers = {number: layer for number, _, _, layer in layout.numbered_layers(level)}
    merged = []
    for instance in groups:
        if 0 <= instance.record < len(before):
            group = before[instance.record]
            group = _group_copy(group) if instance.copied else group
        else:
            group = Group.new()
        found = (_merged_layer(one, layers.get(one.record), report) for one in instance.layers)
        merged.append(MergedGroup(instance, group, [one for one in found if one is not None]))
    for one in merged:
        after = _with_unseen(one.group.layers, [layer.layer for layer in one.layers])
        if after == one.group.layers:
            _note_same_order(one, report)
        _set_list(one.group.layers, after)
    _set_list(level.groups, [one.group for one in merged])
    return merged


def _note_same_order(merged: MergedGroup, report: Report) -> None:
    """Name the layers whose order was edited, but leaves them where they were."""
    for one in merged.layers:
        order = one.instance.object.get(layout.ORDER, 0)
        if not one.instance.elsewhere and order != merged.group.layers.index(one.layer):
            report.note(f"{one.instance.object.name}: its order ({order}) leaves it where it was in its group")


def _merged_layer(instance: LayerInstance, template: Layer | None, report: Report) -> MergedLayer | None:
    """The record for a layer's object; None where it only stood for one that isn't there.

    template: the original's layer that it is or was copied from.
    """
    obj = instance.object
    layer = template.copy() if template is not None and instance.copied else template
    new: Layer | None = None
    if obj.get("tile_kind") is not None and (layer is None or isinstance(layer, TileLayer)):
        values, _ = read_properties(obj, layout.TileLayerProperties)
        if layer is None or layer.tile_kind.name != values.tile_kind:
            new = TileLayer.new(TileKind[values.tile_kind], 0, 0)
    elif layer is None and obj.get("sound") is not None:
        new = teeworlds.SoundLayer.new()
    elif layer is None and obj.get("image") is not None:
        new = teeworlds.QuadLayer.new()
    if new is None:
        return None if layer is None else MergedLayer(instance, layer, new=False)
    if obj.get(layout.STORAGE) == layout.KEPT:
        report.left_out(f"layer {obj.name!r} (its records are only in the original)")
        return None
    return MergedLayer(instance, new, new=True)


def _group_copy(group: Group) -> Group:
    """A group with the same fields and no layers."""
    twin = group.copy()
    if group.parallax_zoom is not None:
        twin.parallax_zoom = group.parallax_zoom
    return twin


def _with_unseen(before: list[Layer], after: list[Layer]) -> list[Layer]:
    """`after` with the layers of `before` that an import makes no object of, each behind the one that it followed."""
    result = list(after)
    place = 0
    for layer in before:
        at = next((number for number, other in enumerate(result) if other is layer), None)
        if at is not None:
            place = at + 1
        elif isinstance(layer, teeworlds.UnknownLayer):
            result.insert(place, layer)
            place += 1
    return result


def _set_list(target: list[Part], values: list[Part]) -> None:
    if len(target) != len(values) or any(old is not new for old, new in zip(target, values, strict=True)):
        target[:] = values


def _lost_game_layer(level: Level, groups: list[MergedGroup]) -> str:
    """What was deleted of a map that had a game layer: that layer alone, or the group that it was in."""
    there = {id(group.group) for group in groups}
    for number, (group, layers) in enumerate(zip(level.before.groups, level.before.layers, strict=True)):
        if any(_physics(layer) == TileKind.GAME for layer in layers) and id(group) not in there:
            return f"group {number} {group.name!r}, with it,"
    return "its object"


def check_physics(level: Level, groups: list[MergedGroup], whole: bool) -> None:
    """Refuse what the game can't play on: no game layer, a physics layer twice or outside the game layer's group.

    What the original had like that may stay; `whole`: there is none. Raises SceneError with the objects.
    """
    before = zip(level.before.groups, level.before.layers, strict=True)
    at_home = {(id(layer), id(group)) for group, layers in before for layer in layers}
    counts = Counter(_physics(layer) for layers in level.before.layers for layer in layers)
    game = level.game_layer
    if game is None and (counts[TileKind.GAME] or whole):
        cause = "" if whole else f" ({_lost_game_layer(level, groups)} was deleted)"
        raise SceneError(f"the map has no game layer{cause}: the game needs one")
    found: dict[TileKind, list[bpy.types.Object]] = {}
    for group in groups:
        for one in group.layers:
            kind, obj = _physics(one.layer), one.instance.object
            if kind == TileKind.TILES:
                continue
            found.setdefault(kind, []).append(obj)
            if game is not None and group.group is not game[0] and (id(one.layer), id(group.group)) not in at_home:
                raise SceneError(f"{obj.name}: a {kind.name} layer must be in the group of the game layer", [obj])
    for kind, objects in found.items():
        if len(objects) > max(1, counts[kind]):
            names = ", ".join(obj.name for obj in objects)
            raise SceneError(f"a map has one {kind.name} layer, here are {len(objects)}: {names}", objects)


def _physics(layer: Layer) -> TileKind:
    """What a layer is for, TILES for all that is only drawn."""
    return layer.tile_kind if isinstance(layer, TileLayer) else TileKind.TILES
