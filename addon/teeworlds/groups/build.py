# SPDX-License-Identifier: GPL-3.0-or-later
"""Groups: a collection and a root empty each, and the rectangle that clips them. In both directions."""

from __future__ import annotations

from dataclasses import dataclass, field

import bpy

from ....formats import teeworlds
from ...scene import identity, properties
from .. import layout
from ..layout import TILE, GroupProperties
from ..materials.build import Clip

Numbers = tuple[float, float, float]


@dataclass
class GroupScene:
    """What a group became. `game`: it is the game's own group, which the engine draws at offset 0 without clipping."""

    number: int
    group: teeworlds.Group
    collection: bpy.types.Collection
    root: bpy.types.Object
    token: int
    game: bool = False
    clip: Clip | None = None
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
    group: teeworlds.Group, number: int, game: bool, parent: bpy.types.Collection, root: bpy.types.Object, token: int
) -> GroupScene:
    """Make the collection of a group under `parent`, its root empty under `root`, and its clip rectangle."""
    name = layout.readable(group.name)
    title = f"Group {number}: {name}" if name else f"Group {number}"
    collection = bpy.data.collections.new(title)
    parent.children.link(collection)
    empty = bpy.data.objects.new(title, None)
    empty.empty_display_size = 0.5
    empty.location = location_of(group)
    if game:  # the engine sets it to 0, whatever the file says (teeworlds.md §3)
        empty.delta_location = tuple(-value for value in location_of(group))
    empty.parent = root
    collection.objects.link(empty)
    properties.write(empty, GroupProperties(group.name, group.parallax_x, group.parallax_y, group.use_clip))
    for block in (collection, empty):
        identity.stamp(block, token, layout.GROUP, number)
    made = GroupScene(number, group, collection, empty, token, game)
    if group.use_clip or any((group.clip_x, group.clip_y, group.clip_w, group.clip_h)):
        rectangle = clip_empty(f"Clip {number}", group, root)
        collection.objects.link(rectangle)
        identity.stamp(rectangle, token, layout.CLIP, number)
        if group.use_clip and not game:
            at_rest = group.parallax_x == group.parallax_y == 100
            made.clip = Clip(rectangle, always=at_rest)
    return made


def clip_empty(name: str, group: teeworlds.Group, root: bpy.types.Object) -> bpy.types.Object:
    """A cube empty: its x and y from -1 to 1 are the rectangle. In the world's coordinates, so not below its group."""
    empty = bpy.data.objects.new(name, None)
    empty.empty_display_type = "CUBE"
    empty.location, empty.scale = clip_transform(group)
    empty.parent = root
    empty.hide_render = True
    return empty


def location_of(group: teeworlds.Group) -> Numbers:
    """The location of a group's root empty: what lies at the offset is at the camera's place."""
    return -group.offset_x / TILE, group.offset_y / TILE, 0.0


def offset_of(location: tuple[float, float]) -> tuple[int, int]:
    """Offset (x, y) in px for a root empty's location: the inverse of `location_of`, rounded."""
    return -round(location[0] * TILE), round(location[1] * TILE)


FLAT = 2.0**-20
"""Half the width, in tiles, of a clip rectangle of width 0: an empty of scale 0 has no coordinates of its own."""


def clip_transform(group: teeworlds.Group) -> tuple[Numbers, Numbers]:
    """Location and scale of the clip empty: the rectangle's middle, and half its width and height."""
    half_x, half_y = group.clip_w / (2 * TILE), group.clip_h / (2 * TILE)
    location = group.clip_x / TILE + half_x, -(group.clip_y / TILE + half_y), 0.0
    return location, (half_x or FLAT, half_y or FLAT, 1.0)


def clip_of(location: tuple[float, float], scale: tuple[float, float]) -> tuple[int, int, int, int]:
    """Clip rectangle (x, y, w, h) in px for a clip empty's location and scale: the inverse of `clip_transform`."""
    half_x, half_y = (0.0 if abs(half) <= FLAT else half for half in scale)
    x, y = (location[0] - half_x) * TILE, (-location[1] - half_y) * TILE
    return round(x), round(y), round(half_x * 2 * TILE), round(half_y * 2 * TILE)
