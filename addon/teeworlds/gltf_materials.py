# SPDX-License-Identifier: GPL-3.0-or-later
"""A map's look for formats without node groups (glTF): unlit materials of image x layer colour x corner colour."""

from __future__ import annotations

import bmesh
import bpy
import numpy as np

from ...formats.arrays import Floats, Reals
from ...formats.srgb import to_light
from ..scene.blender_types import elements_of
from ..scene.geometry import meshes
from ..scene.kept.identity import kind_of
from ..scene.media import materials
from ..scene.reports import Report, SceneError
from . import layout
from .materials.collect import shown_images
from .structure.parts import tile_kind
from .tiles import faces


def make_gltf_materials(collection: bpy.types.Collection, report: Report) -> None:
    """Give all meshes of a level materials that glTF can hold, for good: the scene is no longer to be exported.

    What such materials can't show is hidden in renders and named in the report: layers drawn from index images.
    """
    made: dict[tuple[object, ...], bpy.types.Material] = {}
    decoded: set[bpy.types.Mesh] = set()
    settled: set[bpy.types.ID | None] = set()
    for obj in list(collection.all_objects):  # hiding one ends Blender's own iteration, or Blender
        hidden = obj.hide_render or any(one.hide_render for one in obj.users_collection)
        if not isinstance(obj.data, bpy.types.Mesh) or hidden or not obj.material_slots:
            continue
        if obj.get(layout.STORAGE) == layout.PLANE or kind_of(obj) == layout.PREVIEW:
            obj.hide_render = True
            report.left_out(f"{obj.name!r} (drawn from an image of its tiles)")
            continue
        if obj.get(layout.STORAGE) == layout.MESH and tile_kind(obj) is not None and obj.data not in settled:
            settled.add(_settle(obj, report))
        material = obj.material_slots[0].material
        image = next(iter(shown_images(obj, material)), None)
        tint = (1.0, 1.0, 1.0, 1.0) if obj.get("tile_kind") is None else tuple(obj.color)
        colors: bpy.types.Attribute | None = obj.data.color_attributes.get(layout.COLOR)
        if colors is not None and obj.data not in decoded:
            decoded.add(obj.data)
            _decode(colors)
        key = (image, tint, colors is None)
        if key not in made:
            red, green, blue = decode(np.array(tint[:3])).tolist()
            name = material.name if material is not None else obj.name
            vertex_color = "" if colors is None else layout.COLOR
            made[key] = materials.unlit(f"{name} plain", image, (red, green, blue, tint[3]), vertex_color)
        obj.data.materials.clear()
        obj.data.materials.append(made[key])


def _settle(layer: bpy.types.Object, report: Report) -> bpy.types.ID | None:
    """Let the UVs of a tile layer's mesh show what its attributes say, without air; returns the mesh.

    Modifiers are applied first: they may be what writes the attributes.
    """
    if meshes.needs_evaluation(layer):
        depsgraph = bpy.context.evaluated_depsgraph_get()
        shape = layer.evaluated_get(depsgraph)
        layer.data = bpy.data.meshes.new_from_object(shape, preserve_all_data_layers=True, depsgraph=depsgraph)
        layer.modifiers.clear()
    try:
        faces.settle(layer)
        air = np.flatnonzero(faces.shown(layer).values["index"] == 0)
    except SceneError as error:
        report.warn(str(error))
        return layer.data
    if len(air) and isinstance(layer.data, bpy.types.Mesh):
        edited = bmesh.new()
        edited.from_mesh(layer.data)
        edited.faces.ensure_lookup_table()
        bmesh.ops.delete(edited, geom=[edited.faces[face] for face in air.tolist()], context="FACES")
        edited.to_mesh(layer.data)
        edited.free()
    return layer.data


def decode(values: Reals) -> Floats:
    """Numbers as a screen shows them (sRGB, 0..1) as amounts of light, which glTF's factors and vertex colours are."""
    return to_light(values.astype(np.float64))


def _decode(attribute: bpy.types.Attribute) -> None:
    colors = elements_of(attribute)
    values = np.empty(4 * len(colors), np.float32)
    colors.foreach_get("color", values)
    values = values.reshape(-1, 4)
    values[:, :3] = decode(values[:, :3])
    colors.foreach_set("color", values.reshape(-1))
