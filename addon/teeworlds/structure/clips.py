# SPDX-License-Identifier: GPL-3.0-or-later
"""The clip rectangles of groups: an empty each. In both directions."""

from __future__ import annotations

import bpy

from ....formats import teeworlds
from ...scene.fields import properties
from ...scene.kept.identity import kind_of
from ...scene.names import showable
from .. import layout
from ..layout import TILE
from ..materials.build import Clip
from .parts import group_roots

Numbers = tuple[float, float, float]

FLAT = 2.0**-20
"""Half the width, in tiles, of a clip rectangle of width 0: an empty of scale 0 has no coordinates of its own."""


def clip_empty(name: str, group: teeworlds.Group, root: bpy.types.Object) -> bpy.types.Object:
    """A cube empty: its x and y from -1 to 1 are the rectangle. In the world's coordinates, so not below its group."""
    empty = bpy.data.objects.new(showable(name), None)
    empty.empty_display_type = "CUBE"
    empty.location, empty.scale = clip_transform(group)
    empty.parent = root
    empty.hide_render = True
    return empty


def clips_of(level: bpy.types.Collection) -> dict[bpy.types.Object | None, Clip]:
    """What clips the layers of a level's groups, by the group's root."""
    empties = {obj.users_collection[0]: obj for obj in level.all_objects if kind_of(obj) == layout.CLIP}
    found: dict[bpy.types.Object | None, Clip] = {}
    for root in group_roots(level):
        empty = empties.get(root.users_collection[0])
        group = properties.read(root, layout.GroupProperties)[0]
        if empty is not None and group.use_clip:
            found[root] = Clip(empty, always=group.parallax_x == group.parallax_y == 100)
    return found


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
