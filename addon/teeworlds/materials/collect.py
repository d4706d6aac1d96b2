# SPDX-License-Identifier: GPL-3.0-or-later
"""What the materials of a layer's object show: the way back from materials to images."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
import numpy as np

from ....formats.arrays import Indices
from ...scene.geometry import meshes
from ...scene.kept.identity import kind_of
from .. import layout
from .shading import SURFACE


def shown_images(obj: bpy.types.Object, material: bpy.types.Material | None) -> list[bpy.types.Image]:
    """The images that a material of a layer's object shows, each once; those that hold tiles aside."""
    if material is None or material.node_tree is None:
        return []
    fields = [obj.get(key) for key in layout.FIELD_IMAGES]
    nodes = [node for node in material.node_tree.nodes if isinstance(node, bpy.types.ShaderNodeTexImage)]
    return list(dict.fromkeys(node.image for node in nodes if node.image is not None and node.image not in fields))


def is_ours(material: bpy.types.Material) -> bool:
    """Whether a material shows layers as the game does: an import made it, or one of our operators, or it is a copy."""
    tree = material.node_tree
    groups = (node for node in (tree.nodes if tree is not None else ()) if isinstance(node, bpy.types.ShaderNodeGroup))
    return any(group.node_tree is not None and group.node_tree.name.startswith(SURFACE) for group in groups)


def materials_of(parts: Iterable[bpy.types.Object]) -> dict[bpy.types.Material, bpy.types.Object]:
    """The materials of the objects of a layer, each with the first object that has it."""
    found: dict[bpy.types.Material, bpy.types.Object] = {}
    for part in parts:
        for slot in part.material_slots if kind_of(part) != layout.PREVIEW else ():
            if slot.material is not None:
                found.setdefault(slot.material, part)
    return found


def faces_of_materials(part: bpy.types.Object) -> dict[bpy.types.Material | None, Indices]:
    """The faces of an object by the material that they show; nothing for one with a single material or modifiers."""
    slots = part.material_slots
    if len(slots) < 2 or not isinstance(part.data, bpy.types.Mesh) or meshes.needs_evaluation(part):
        return {}
    numbers = np.clip(meshes.read(part, names=()).material_index, 0, len(slots) - 1)
    found: dict[bpy.types.Material | None, Indices] = {}
    for number in np.unique(numbers).tolist():
        faces, material = np.flatnonzero(numbers == number), slots[number].material
        found[material] = np.concatenate((found[material], faces)) if material in found else faces
    return found
