# SPDX-License-Identifier: GPL-3.0-or-later
"""What the materials of a layer's object show: the way back from materials to images."""

from __future__ import annotations

import bpy

from ...scene.identity import kind_of
from .. import layout


def shown_images(obj: bpy.types.Object, material: bpy.types.Material | None) -> list[bpy.types.Image]:
    """The images that a material of a layer's object shows, each once; those that hold tiles aside."""
    if material is None or material.node_tree is None:
        return []
    fields = [obj.get(key) for key in layout.FIELD_IMAGES]
    nodes = [node for node in material.node_tree.nodes if isinstance(node, bpy.types.ShaderNodeTexImage)]
    return list(dict.fromkeys(node.image for node in nodes if node.image is not None and node.image not in fields))


def materials_of(obj: bpy.types.Object) -> dict[bpy.types.Material, bpy.types.Object]:
    """The materials of a layer's object, then those of the quads below it, each with the first object that has it."""
    found: dict[bpy.types.Material, bpy.types.Object] = {}
    for part in (obj, *(child for child in obj.children_recursive if kind_of(child) != layout.PREVIEW)):
        for slot in part.material_slots:
            if slot.material is not None:
                found.setdefault(slot.material, part)
    return found
