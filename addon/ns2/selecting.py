# SPDX-License-Identifier: GPL-3.0-or-later
"""Selecting what has the same material or class as what is active, and what names files that aren't found."""

from __future__ import annotations

import bmesh
import bpy
import numpy as np

from ...formats import ns2
from ...formats.ns2.records import PropertyType
from ..scene.blender_types import mesh_of
from ..scene.fields import declared
from ..scene.geometry.edit_mode import edited_meshes
from ..scene.geometry.meshes import select_faces
from ..scene.interface.sidebar import LevelOperator
from ..scene.kept import originals
from ..scene.reports import Report, SceneError
from .content import ENDINGS
from .context import ImportContext
from .entities import custom_properties
from .layers import visibility
from .layout import CLASS
from .materials.collect import material_path


class LEVELWRIGHT_OT_ns2_select_like(LevelOperator):
    """Select all of the level that has the material, or the class, of what is active; or that names missing files"""

    bl_idname = "levelwright.ns2_select_like"
    bl_label = "Select Like"

    by: str = declared.menu(
        name="By",
        items=[
            ("MATERIAL", "Material", "Faces with the material of the active face or slot"),
            ("CLASS", "Class", "Entities of the class of the active one"),
            ("BROKEN", "Broken Reference", "Entities and faces that name files which aren't found"),
        ],
    )

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> bool:
        """Select also those, and say how many there are. Raises SceneError."""
        if self.by == "CLASS":
            count = _by_class(context, level)
        elif self.by == "MATERIAL":
            count = _faces(context, level, {_active_material(context)})
        else:
            count = _broken(context, level)
        self.report({"INFO"}, f"{count} selected")
        return True


def _by_class(context: bpy.types.Context, level: bpy.types.Collection) -> int:
    wanted = context.active_object.get(CLASS) if context.active_object is not None else None
    if not isinstance(wanted, str):
        raise SceneError("the active object is no entity")
    return _select(context, [obj for obj in level.all_objects if obj.get(CLASS) == wanted])


def _select(context: bpy.types.Context, objects: list[bpy.types.Object]) -> int:
    """Select also objects that are in the view layer and can be seen; returns how many."""
    shown = set() if context.view_layer is None else set(context.view_layer.objects)
    found = [obj for obj in objects if obj in shown and obj.visible_get()]
    for obj in found:
        obj.select_set(True)
    return len(found)


def _active_material(context: bpy.types.Context) -> bpy.types.Material:
    obj = context.active_object
    material = obj.active_material if obj is not None else None
    if obj is not None and obj.mode == "EDIT" and isinstance(obj.data, bpy.types.Mesh):
        face = bmesh.from_edit_mesh(obj.data).faces.active
        if face is not None and face.material_index < len(obj.material_slots):
            material = obj.material_slots[face.material_index].material
    if material is None:
        raise SceneError("no material is active: make a face of it the active one")
    return material


def _faces(context: bpy.types.Context, level: bpy.types.Collection, materials: set[bpy.types.Material]) -> int:
    """Select the faces with some materials: in edit mode of the meshes that are edited, else of all, with these."""
    count = 0
    for obj in edited_meshes(context):
        mesh = mesh_of(obj)
        working = bmesh.from_edit_mesh(mesh)
        slots = {number for number, slot in enumerate(obj.material_slots) if slot.material in materials}
        for face in working.faces:
            if face.material_index in slots and not face.hide:
                face.select_set(True)
                count += 1
        bmesh.update_edit_mesh(mesh, loop_triangles=False, destructive=False)
    if context.mode == "EDIT_MESH":
        return count
    for obj in visibility.geometry(level):
        mesh = mesh_of(obj)
        index = np.zeros(len(mesh.polygons), np.int32)
        mesh.polygons.foreach_get("material_index", index)
        slots = {number for number, slot in enumerate(obj.material_slots) if slot.material in materials}
        chosen = np.flatnonzero(np.isin(index, sorted(slots)))
        if len(chosen):
            select_faces(obj, chosen)
            _select(context, [obj])
            count += len(chosen)
    return count


def _broken(context: bpy.types.Context, level: bpy.types.Collection) -> int:
    """Select the entities, and the faces, that name files which aren't found in the game's content."""
    report = Report()
    content = ImportContext.of_scene(context, level, report)
    original = originals.find(level)
    listed = ns2.read(original.data).mesh.materials if original is not None else []
    token = original.token if original is not None else None
    known: dict[str, bool] = {}

    def is_missing(path: str) -> bool:
        if path not in known:
            known[path] = path.lower().endswith(ENDINGS) and content.find(path) is None
        return known[path]

    materials = {
        slot.material
        for obj in visibility.geometry(level)
        for slot in obj.material_slots
        if slot.material is not None and is_missing(material_path(slot.material, listed, token))
    }
    objects = [obj for obj in level.all_objects if any(is_missing(path) for path in _paths(obj))]
    found = _faces(context, level, materials) if materials else 0
    if known and all(missing for path, missing in known.items() if path.lower().endswith(ENDINGS)):
        raise SceneError("none of the level's files is found: name the game's folder in the preferences")
    return found + (0 if context.mode == "EDIT_MESH" else _select(context, objects))


def _paths(obj: bpy.types.Object) -> list[str]:
    """The files that an entity names."""
    slots = custom_properties.from_text(obj.get(custom_properties.TYPES))
    values = [obj.get(slot.key) for slot in slots if slot.type == PropertyType.FILE_NAME and slot.key]
    return [value for value in values if isinstance(value, str) and value]


CLASSES = (LEVELWRIGHT_OT_ns2_select_like,)
