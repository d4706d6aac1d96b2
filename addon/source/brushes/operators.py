# SPDX-License-Identifier: GPL-3.0-or-later
"""New brushes of a map that is open in Blender, for its world and for an export as VMF."""

from __future__ import annotations

from collections.abc import Sequence

import bpy
import numpy as np

from ....formats.source import vmf
from ....formats.source.vmf.uv import size_of, uv_of
from ...scene import declared, meshes
from ...scene.names import showable
from ...scene.reports import Report
from .. import layout
from ..adding.open_map import importing_into
from ..adding.operators import AddAtCursor, known_materials
from ..context import ImportContext

SIZE, GRID = 64.0, 8.0
"""Units: of a new brush each way, and what its corners lie on."""

_QUADS = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))
_NORMALS = ((0, 0, -1), (0, 0, 1), (0, -1, 0), (0, 1, 0), (-1, 0, 0), (1, 0, 0))


def add_brush(
    context: bpy.types.Context, level: bpy.types.Collection, material: str, place: Sequence[float], report: Report
) -> bpy.types.Object:
    """Add a box of a material to the brushes, its corners on the grid, and show their collection.

    place: its middle, units below the root. Raises SceneError.
    """
    importing = importing_into(context, level, report)
    made = box(importing, "Brush", material, place)
    home = importing.group(layout.BRUSH_HOME)
    home.hide_viewport = False
    home.objects.link(made)
    return made


def box(importing: ImportContext, name: str, material: str, place: Sequence[float]) -> bpy.types.Object:
    """A box of a material, its corners on the grid, in no collection yet. place: its middle, units below the root."""
    low = np.round((np.array(place[:3]) - SIZE / 2) / GRID) * GRID
    corners = np.array([(n & 1, n >> 1 & 1, n >> 2 & 1) for n in range(8)]) * SIZE
    quads = np.array(_QUADS).reshape(-1)
    vectors = vmf.standard(np.array(_NORMALS, np.float64)).repeat(4, axis=0)
    texels = np.einsum("nki,ni->nk", vectors[:, :, :3], (corners + low)[quads])
    size = size_of(material, vmf.sizes(importing.level))
    uvs = {layout.UV: uv_of(texels, np.array([size]))}
    mesh = meshes.build(name, corners, quads, np.arange(6) * 4, uvs, report=importing.report)
    mesh.materials.append(importing.materials.of(material, size=size))
    made: bpy.types.Object = bpy.data.objects.new(showable(name), mesh)
    made.parent = importing.root
    made.location = low.tolist()
    return made


class AddBrush(AddAtCursor):
    """Add a box to the Source map's brushes at the 3D cursor, for edits of the world and an export as VMF"""

    bl_idname = "levelwright.source_add_brush"
    bl_label = "Add Brush"
    add = staticmethod(add_brush)

    what: str = declared.string(
        name="Material",
        description="Path of the material, such as dev/dev_measuregeneric01, tools/toolsplayerclip",
        default="dev/dev_measuregeneric01",
        search=known_materials,
    )
