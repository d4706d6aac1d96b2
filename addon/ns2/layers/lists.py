# SPDX-License-Identifier: GPL-3.0-or-later
"""The level's ordered lists of layers and groups, kept on its collection, and the collections of what is in them.

They are Blender's own properties (not plain custom ones) so that lists can show and rename them; they are saved,
appended, linked and copied with the collection all the same. Entries are known by their ids.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import bpy

from ....formats.ns2 import names
from ....formats.ns2.records import layers_of
from ...scene.kept import identity
from ...scene.names import showable, storable
from .. import layout

if TYPE_CHECKING:
    from ...scene.fields.declared import Groups
    from .properties import Ns2Entry, Ns2Lists

KEY = "levelwright_ns2"
"""The property of collections that holds the lists."""

Kind = Literal["layers", "groups"]
STAMPS: dict[Kind, str] = {"layers": layout.LAYER, "groups": layout.GROUP}
"""List -> stamp of its entries' collections; their record is the id."""
HOMES: dict[Kind, tuple[str, str]] = {
    "layers": ("Layers", layout.LAYER_HOMES),
    "groups": ("Groups", layout.GROUP_HOMES),
}
"""List -> name and stamp of the collection that those are in."""

NAMED = "levelwright_name"
"""On those collections: the name that they got, so that one that was renamed is known."""
NO_COLOR = (255, 255, 255, 0)
"""Of layers and groups, at first."""
UNDRAWN = frozenset({"CollisionGeometry", "MovementCollisionGeometry", "InvisibleGeometry", "OcclusionGeometry"})
"""Names of groups whose faces the game doesn't draw (ns2.md §10)."""

FROM_COMMANDERS = frozenset(name for name in names.GROUPS if "CommanderInvisible" in name)
"""Names of groups that commanders don't see (ns2.md §10)."""

FROM_OVERVIEW = frozenset({"OverviewInvisible"})
"""Names of groups that aren't on the minimap (ns2.md §10)."""

Memberships = dict[bpy.types.Object, tuple[int, list[int]]]
"""Of objects in layers and groups: the mask of the layers, and the ids of the groups."""


def lists_of(collection: bpy.types.Collection) -> Ns2Lists:
    """The lists as Blender has them."""
    held: Ns2Lists = getattr(collection, KEY)
    return held


def entries(collection: bpy.types.Collection, kind: Kind) -> Groups[Ns2Entry]:
    """A list as Blender has it."""
    held = lists_of(collection)
    return held.layers if kind == "layers" else held.groups


def name_home(home: bpy.types.Collection, name: str) -> None:
    """Call the collection of a layer or group as that."""
    home.name = showable(name)
    home[NAMED] = storable(home.name)


def signed(number: int) -> int:
    """An id as an int32 bit pattern, as Blender's properties hold it."""
    return number - (number >> 31 << 32)


def unsigned(number: int) -> int:
    """The inverse of `signed`."""
    return number & 0xFFFFFFFF


def homes(collection: bpy.types.Collection, kind: Kind) -> dict[int, bpy.types.Collection]:
    """The collections of a level's layers or groups, by their ids."""
    found: dict[int, bpy.types.Collection] = {}
    for child in collection.children_recursive:
        mark = identity.stamped(child)
        if mark is not None and mark.kind == STAMPS[kind]:
            found.setdefault(unsigned(mark.record), child)
    return found


class Homes:
    """The collections of a level that its objects are in."""

    def __init__(self, collection: bpy.types.Collection) -> None:
        self._level = collection
        self._layers, self._groups = homes(collection, "layers"), homes(collection, "groups")
        self._known: dict[tuple[int | None, int], list[bpy.types.Collection]] = {}

    def of(self, layers: int | None, group: int) -> list[bpy.types.Collection]:
        """Those of an object that is in these layers (a mask) and in this group: one at least."""
        key = (layers, group)
        if key not in self._known:
            found = [self._layers[layer] for layer in layers_of(layers) if layer in self._layers]
            found += [self._groups[group]] if group in self._groups else []
            self._known[key] = found or [entities_home(self._level)]
        return self._known[key]


def entities_home(level: bpy.types.Collection) -> bpy.types.Collection:
    """The collection of a level's objects that are in no layer and no group; made where it is gone."""
    for child in level.children:
        if identity.kind_of(child) == layout.ENTITIES:
            return child
    made = bpy.data.collections.new("Entities")
    mark = identity.stamped(level)
    identity.stamp(made, mark.token if mark is not None else 0, layout.ENTITIES, 0)
    level.children.link(made)
    return made


def memberships(collection: bpy.types.Collection) -> Memberships:
    """Of each object in collections of layers and groups: in which (more than one group are too many for a level)."""
    found: Memberships = {}
    for number, home in homes(collection, "layers").items():
        for obj in home.all_objects if number < 256 else ():
            mask, groups = found.get(obj, (0, []))
            found[obj] = (mask | 1 << number, groups)
    for number, home in homes(collection, "groups").items():
        for obj in home.all_objects:
            mask, groups = found.get(obj, (0, []))
            found[obj] = (mask, [*groups, number])
    return found
