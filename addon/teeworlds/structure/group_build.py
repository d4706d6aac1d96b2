# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups to scenes: a collection and a root empty each, and the rectangle that clips them."""

from __future__ import annotations

from dataclasses import dataclass, field

import bpy

from ....formats import teeworlds
from ...scene.fields import properties
from ...scene.kept import identity
from ...scene.names import showable
from .. import layout
from ..layout import TILE, GroupProperties
from ..materials.build import Clip
from .clips import clip_empty

Numbers = tuple[float, float, float]


@dataclass
class BuiltGroup:
    """What a group became."""

    number: int
    """Of the group in the map."""
    collection: bpy.types.Collection
    root: bpy.types.Object
    """The empty that holds the group's offset and properties: parent of its layers."""
    token: int
    """The level's."""
    clip: Clip | None = None
    """What clips the layers."""
    _physics: bpy.types.Collection | None = field(default=None, repr=False)

    @property
    def physics(self) -> bpy.types.Collection:
        """The collection of the group's physics layers, made when it is first asked for."""
        if self._physics is None:
            self._physics = bpy.data.collections.new(f"{self.collection.name}: physics")
            identity.stamp(self._physics, self.token, layout.PHYSICS, self.number)
            self.collection.children.link(self._physics)
        return self._physics


def build(
    group: teeworlds.Group,
    number: int,
    game: bool,
    level: bpy.types.Collection,
    level_root: bpy.types.Object,
    token: int,
) -> BuiltGroup:
    """Make the collection of a group, its root empty and its clip rectangle.

    number: of the group in the map. game: it is the game's own group, which the engine draws at offset 0 unclipped.
    level, level_root: the level's collection and its root empty. token: the level's.
    """
    name = layout.readable(group.name)
    title = f"Group {number}: {name}" if name else f"Group {number}"
    collection = bpy.data.collections.new(showable(title))
    level.children.link(collection)
    empty = bpy.data.objects.new(showable(title), None)
    empty.empty_display_size = 0.5
    empty.location = location_of(group)
    if game:  # the engine sets it to 0, whatever the file says (teeworlds.md §3)
        empty.delta_location = tuple(-value for value in location_of(group))
    empty.parent = level_root
    collection.objects.link(empty)
    properties.write(empty, GroupProperties(group.name, group.parallax_x, group.parallax_y, group.use_clip))
    for block in (collection, empty):
        identity.stamp(block, token, layout.GROUP, number)
    made = BuiltGroup(number, collection, empty, token)
    if group.use_clip or any((group.clip_x, group.clip_y, group.clip_w, group.clip_h)):
        rectangle = clip_empty(f"Clip {number}", group, level_root)
        collection.objects.link(rectangle)
        identity.stamp(rectangle, token, layout.CLIP, number)
        if group.use_clip and not game:
            at_rest = group.parallax_x == group.parallax_y == 100
            made.clip = Clip(rectangle, always=at_rest)
    return made


def location_of(group: teeworlds.Group) -> Numbers:
    """The location of a group's root empty: what lies at the offset is at the camera's place."""
    return -group.offset_x / TILE, group.offset_y / TILE, 0.0


def offset_of(location: tuple[float, float]) -> tuple[int, int]:
    """Offset (x, y) in px for a root empty's location: the inverse of `location_of`, rounded."""
    return -round(location[0] * TILE), round(location[1] * TILE)
