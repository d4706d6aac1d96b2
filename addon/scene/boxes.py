# SPDX-License-Identifier: GPL-3.0-or-later
"""Boxes that levels made from nothing begin with: floors, walls, rooms."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np

from .geometry import meshes
from .level import needed_root
from .names import showable
from .view import stage

_SIDES = np.array(
    [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]],
    np.int32,
)
"""Corners of the sides towards -x, +x, -y, +y, -z, +z, against the clock as seen from outside; bits of a corner: it is
at the far end along x, y, z.
"""
_CORNERS = np.array([[each >> 0 & 1, each >> 1 & 1, each >> 2 & 1] for each in range(8)])


def add(
    level: bpy.types.Collection,
    name: str,
    low: Sequence[float],
    high: Sequence[float],
    materials: Sequence[bpy.types.Material],
    of_sides: Sequence[int] = (0, 0, 0, 0, 0, 0),
    is_room: bool = False,
) -> bpy.types.Object:
    """Add a box to a level, as if somebody had made it there: nothing stamps it.

    low, high: its corners below the level's root, in Blender's axes. of_sides: of each side (-x, +x, -y, +y, -z, +z)
    which of the materials it has. is_room: its sides are seen from inside. Raises SceneError where the root is gone.
    """
    corners = np.where(_CORNERS, np.asarray(high, np.float32), np.asarray(low, np.float32))
    sides = _SIDES[:, ::-1] if is_room else _SIDES
    starts = np.arange(0, sides.size, 4, dtype=np.int32)
    mesh = meshes.build(showable(name), corners, sides.reshape(-1), starts, material_index=np.array(of_sides, np.int32))
    for material in materials:
        mesh.materials.append(material)
    obj = bpy.data.objects.new(showable(name), mesh)
    obj.parent = needed_root(level)
    level.objects.link(obj)
    return obj


def look_at(
    context: bpy.types.Context, level: bpy.types.Collection, low: Sequence[float], high: Sequence[float]
) -> None:
    """Let the views show what was added. low, high: as of `add`."""
    matrix = np.array(needed_root(level).matrix_basis)
    stage.look_at(context, level, np.array([low, high]) @ matrix[:3, :3].T + matrix[:3, 3], is_one_sided=True)
