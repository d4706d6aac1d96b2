# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a map becomes assets: the tiles of layers, with their images. Dragged in they are a layer of their own."""

from __future__ import annotations

import bpy
import numpy as np

from ..scene import attributes
from ..scene.assets import AssetRules, text_property
from ..scene.identity import kind_of
from . import layout
from .materials.collect import shown_images
from .structure.parts import tile_kind

_NUMBERS = ("image", "color_envelope", "color_envelope_offset")
"""Numbers of the map's own records; the image is the one that the material shows."""


def _object_key(obj: bpy.types.Object) -> str:
    if kind_of(obj) != layout.LAYER or tile_kind(obj) != "TILES" or text_property(obj, layout.STORAGE) != layout.MESH:
        return ""
    if any(kind_of(other) == layout.CLIP for home in obj.users_collection for other in home.objects):
        return ""  # its material draws what the group's clip rectangle lets through
    is_filled = isinstance(obj.data, bpy.types.Mesh) and obj.data.polygons and obj.data.materials
    found = shown_images(obj, obj.active_material) if is_filled else []
    return f"{found[0].name}/{text_property(obj, 'layer_name') or 'Tiles'}" if found else ""


def _stand_alone(obj: bpy.types.Object) -> None:
    """Let the uppermost and leftmost tile be where the object is: so it is dropped where the mouse points."""
    mesh = obj.data
    if not isinstance(mesh, bpy.types.Mesh):
        return
    obj.data = mesh = mesh.copy()
    points = attributes.read(mesh, "position", "POINT")
    if points is not None:
        corner = np.array([np.round(points[:, 0].min()), np.round(points[:, 1].max()), 0.0], np.float32)
        attributes.write(mesh, "position", "POINT", "FLOAT_VECTOR", points - corner)
        mesh.update()


ASSETS = AssetRules(object_key=_object_key, forgets=lambda _: _NUMBERS, stand_alone=_stand_alone)
