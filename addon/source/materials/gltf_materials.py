# SPDX-License-Identifier: GPL-3.0-or-later
"""Materials that glTF can hold, in the place of those that show maps in Blender."""

from __future__ import annotations

import bpy

from ...scene.kept import originals
from ...scene.media import materials
from ...scene.reports import Report
from .. import layout


def make_gltf_materials(collection: bpy.types.Collection, report: Report) -> None:
    """Give the meshes of a level unlit materials of their base textures; baked light is left out."""
    made: dict[str, bpy.types.Material] = {}
    seen: set[str] = set()
    lit = bool(originals.resources(collection, layout.LIGHTMAP))
    for obj in list(collection.all_objects):
        mesh = obj.data
        if not isinstance(mesh, bpy.types.Mesh) or mesh.name in seen:
            continue
        seen.add(mesh.name)
        for slot, material in enumerate(mesh.materials):
            if material is None or material.get(layout.MATERIAL) is None:
                continue
            if material.name not in made:
                made[material.name] = _unlit(material)
            mesh.materials[slot] = made[material.name]
    if lit:
        report.note("glTF has no lightmaps: the map is bright everywhere")


def _unlit(material: bpy.types.Material) -> bpy.types.Material:
    """An unlit material of a material's base texture, or its colour where that has none."""
    if materials.shows_color(material):
        red, green, blue, alpha = material.diffuse_color
        return materials.unlit(material.name, color=(red, green, blue, alpha))
    return materials.unlit(material.name, _base(material))


def _base(material: bpy.types.Material) -> bpy.types.Image | None:
    """The image that a material's colour comes from: the first that its nodes have."""
    images = (node.image for node in materials.picture_nodes(material.node_tree))
    return next((image for image in images if image is not None), None)
