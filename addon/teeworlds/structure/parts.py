# SPDX-License-Identifier: GPL-3.0-or-later
"""Which part of a map each collection and object of a level stands for: told by its stamp, never by its name."""

from __future__ import annotations

from typing import TypeVar

import bpy

from ....formats import teeworlds
from ...scene.fields import properties
from ...scene.kept import originals
from ...scene.kept.identity import ancestor, kind_of
from ...scene.reports import SceneError
from .. import layout

Part = TypeVar("Part")
CHANGES = "levelwright_changes"
"""On a level's collection: a number that differs after each change, see `let_undo_see`."""


def token_of(level: bpy.types.Collection) -> int:
    """The token of a level. Raises SceneError for a collection that isn't a level."""
    info = originals.describe(level)
    if info is None:
        raise SceneError(f"{level.name} is not a level")
    return info.token


def next_record(level: bpy.types.Collection, kind: str) -> int:
    """The number that a new image, envelope or sound (`kind`: as `layout` has it) gets among the level's.

    Never one of the original's, also of one that was deleted: an export would take the new one for that.
    """
    original = originals.find(level)
    lists = {layout.IMAGE: "images", layout.ENVELOPE: "envelopes", layout.SOUND: "sounds"}
    there = len(getattr(teeworlds.read(original.data), lists[kind])) if original is not None else 0
    return max(there, *(record + 1 for record in originals.resources(level, kind)), 0)


# ---- groups


def groups_of(level: bpy.types.Collection) -> list[bpy.types.Collection]:
    """The groups of a level, in draw order."""
    return [child for child in level.children if kind_of(child) == layout.GROUP]


def group_roots(level: bpy.types.Collection) -> list[bpy.types.Object]:
    """The root empties of a level's groups, in no order."""
    return [obj for obj in level.all_objects if obj.type == "EMPTY" and kind_of(obj) == layout.GROUP]


def group_root(group: bpy.types.Collection) -> bpy.types.Object:
    """The root empty of a group. Raises SceneError for a collection without one."""
    root = next((obj for obj in group.objects if kind_of(obj) == layout.GROUP), None)
    if root is None:
        raise SceneError(f"{group.name} has no root empty")
    return root


def group_of(level: bpy.types.Collection, obj: bpy.types.Object | None) -> bpy.types.Collection | None:
    """The group that an object is in; None for none of this level's."""
    if obj is None:
        return None
    return next((group for group in groups_of(level) if obj.name in group.all_objects), None)


def physics_collections(level: bpy.types.Collection) -> list[bpy.types.Collection]:
    """The collections of a level's physics layers."""
    return [child for child in level.children_recursive if kind_of(child) == layout.PHYSICS]


# ---- layers


def all_layers(level: bpy.types.Collection) -> list[bpy.types.Object]:
    """The layer objects of a level, in no order."""
    return [obj for obj in level.all_objects if kind_of(obj) == layout.LAYER]


def layers_of(group: bpy.types.Collection) -> list[bpy.types.Object]:
    """The layer objects of a group, in draw order."""
    return sorted(all_layers(group), key=lambda obj: (int(obj.get(layout.ORDER, 0)), obj.name))


def layer_above(obj: bpy.types.Object) -> bpy.types.Object | None:
    """The layer's object that an object hangs below; None where it hangs below none."""
    return ancestor(obj, layout.LAYER)


def tile_kind(layer: bpy.types.Object) -> str | None:
    """The name of the TileKind of a layer's object; None for what is no tile layer."""
    if layer.get("tile_kind") is None:
        return None
    return properties.read(layer, layout.TileLayerProperties)[0].tile_kind


def properties_of(layer: bpy.types.Object) -> type[layout.LayerProperties]:
    """The class of the properties that a layer's object has."""
    if layer.get("tile_kind") is not None:
        return layout.TileLayerProperties
    return layout.SoundLayerProperties if layer.get("sound") is not None else layout.QuadLayerProperties


def game_size(level: bpy.types.Collection) -> tuple[int, int]:
    """Width and height of the game layer, in tiles; those of the game's smallest layer without one."""
    for layer in all_layers(level):
        if tile_kind(layer) == "GAME":
            values, _ = properties.read(layer, layout.TileLayerProperties)
            return values.width, values.height
    return 2, 2


def game_group(groups: list[bpy.types.Collection]) -> int:
    """Which of a level's groups has the game layer; the last one where none has."""
    games = [group for group in groups if any(tile_kind(one) == "GAME" for one in all_layers(group))]
    return groups.index(games[0]) if games else max(0, len(groups) - 1)


def restack(level: bpy.types.Collection) -> None:
    """Number the layers of each group and lay them above one another in the order they are drawn in."""
    number = 0
    for group in groups_of(level):
        for order, layer in enumerate(layers_of(group)):
            layer[layout.ORDER] = int(order)
            layer.location.z = layout.depth(number, physics=tile_kind(layer) not in (None, "TILES"))
            number += 1


def let_undo_see(level: bpy.types.Collection) -> None:
    """Change a level's collection, where objects were added to collections in it.

    Blender keeps what `all_objects` lists with the collection. Undo leaves that list as it is where the collection
    itself didn't change, with the objects that it frees: whoever reads it next crashes (4.5).
    """
    level[CHANGES] = int(level.get(CHANGES, 0)) % 2**30 + 1


def move(order: list[Part], one: Part, steps: int) -> None:
    """Move one of a list by so many places, no further than its ends."""
    place = order.index(one)
    order.insert(min(max(place + steps, 0), len(order) - 1), order.pop(place))
