# SPDX-License-Identifier: GPL-3.0-or-later
"""A material for the terrain that glTF can hold: its own has nodes that are Blender's alone."""

from __future__ import annotations

import bpy

from ...scene.level import first_of
from ...scene.media.materials import unlit
from ...scene.reports import Report
from .. import layout
from .overlays import ground_color


def make_gltf_materials(collection: bpy.types.Collection, _report: Report) -> None:
    """Give a level's terrain a material that glTF can hold, for good: the colours of its themes."""
    terrain = first_of(collection, layout.TERRAIN)
    mesh = terrain.data if terrain is not None else None
    if not isinstance(mesh, bpy.types.Mesh):
        return
    mesh.materials.clear()
    mesh.materials.append(unlit(f"{collection.name} glTF", vertex_color=ground_color(mesh)))
