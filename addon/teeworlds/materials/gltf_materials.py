# SPDX-License-Identifier: GPL-3.0-or-later
"""A map's look for formats without node groups (glTF): unlit materials of image x layer colour x corner colour."""

from __future__ import annotations

import bpy
import numpy as np
import numpy.typing as npt

from ....formats.arrays import Reals
from ...scene import materials
from ...scene.blender_types import Attribute
from ...scene.identity import kind_of
from ...scene.reports import Report
from .. import layout
from .collect import shown_images


def make_gltf_materials(collection: bpy.types.Collection, report: Report) -> None:
    """Give all meshes of a level materials that glTF can hold, for good: the scene is no longer to be exported.

    What such materials can't show is hidden in renders and named in the report: layers drawn from index images.
    """
    made: dict[tuple[object, ...], bpy.types.Material] = {}
    decoded: set[bpy.types.Mesh] = set()
    for obj in list(collection.all_objects):  # hiding one ends Blender's own iteration, or Blender
        hidden = obj.hide_render or any(one.hide_render for one in obj.users_collection)
        if not isinstance(obj.data, bpy.types.Mesh) or hidden or not obj.material_slots:
            continue
        if obj.get(layout.STORAGE) == layout.PLANE or kind_of(obj) == layout.PREVIEW:
            obj.hide_render = True
            report.left_out(f"{obj.name!r} (drawn from an image of its tiles)")
            continue
        material = obj.material_slots[0].material
        image = next(iter(shown_images(obj, material)), None)
        tint = (1.0, 1.0, 1.0, 1.0) if obj.get("tile_kind") is None else tuple(obj.color)
        colors: Attribute = obj.data.color_attributes.get(layout.COLOR)
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


def decode(values: Reals) -> npt.NDArray[np.float64]:
    """Numbers as a screen shows them (sRGB, 0..1) as amounts of light, which glTF's factors and vertex colours are."""
    values = values.astype(np.float64)
    return np.where(values <= 0.04045, values / 12.92, ((np.maximum(values, 0) + 0.055) / 1.055) ** 2.4)


def _decode(colors: Attribute) -> None:
    values = np.empty(4 * len(colors.data), np.float32)
    colors.data.foreach_get("color", values)
    values = values.reshape(-1, 4)
    values[:, :3] = decode(values[:, :3])
    colors.data.foreach_set("color", values.reshape(-1))
