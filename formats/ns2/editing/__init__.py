# SPDX-License-Identifier: GPL-3.0-or-later
"""Editing a level's mesh as polygons: `show_mesh` says which it has, `overlay` lays them over it after edits.

What nobody edited stays as it is, bit for bit, with all that polygons can't show.

    shown = show_mesh(level.mesh)
    edited = EditedMesh.of(level.mesh, shown)
    edited.positions[7] += (0, 0.5, 0)
    level.mesh = overlay(edited, level.mesh, shown.polygons, MaterialEdits.of(level.mesh)).mesh
"""

from .edited import TEXTURE, EditedMesh, Finding, MaterialEdits, RefusedFacesError, TextureRules
from .overlay import OverlaidMesh, overlay
from .shown import ShownMesh, ShownPolygons, groups_shown, show_mesh

__all__ = [
    "TEXTURE",
    "EditedMesh",
    "Finding",
    "MaterialEdits",
    "OverlaidMesh",
    "RefusedFacesError",
    "ShownMesh",
    "ShownPolygons",
    "TextureRules",
    "groups_shown",
    "overlay",
    "show_mesh",
]
