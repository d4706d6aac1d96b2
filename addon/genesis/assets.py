# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a level becomes assets: classes of entities, shapes of brushes, materials."""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ...formats.genesis.entities import CLASSNAME, NAME
from ..scene.assets import AssetRules, text_property
from ..scene.geometry import mesh_parts, meshes
from ..scene.kept.identity import kind_of
from . import layout
from .materials.names import NAMED

_LARGEST = 1024.0
"""Units that a brush is long, wide and high that becomes an asset: larger ones are walls and skies."""


def _object_key(obj: bpy.types.Object) -> str:
    if kind_of(obj) == layout.ENTITY:
        return text_property(obj, CLASSNAME)
    return _brush_key(obj) if kind_of(obj) == layout.BRUSH and obj.type == "MESH" else ""


def _brush_key(obj: bpy.types.Object) -> str:
    """What a brush looks like, and its size; "" for one that is too large, or takes away from others."""
    if meshes.needs_evaluation(obj) or any(obj.get(name) for name in ("cut", "hollow", "hollow_cut")):
        return ""
    part = mesh_parts.whole(meshes.read(obj))
    if not len(part.faces):
        return ""
    low, high = part.box
    if (high - low).max() > _LARGEST:
        return ""
    texture = text_property(part.materials[0], layout.TEXTURE) if part.materials else ""
    return f"{part.shape_key()}/{f'{mesh_parts.size_of(low, high)} {texture}'.rstrip()}"


def _material_key(material: bpy.types.Material) -> str:
    return text_property(material, NAMED) if text_property(material, layout.TEXTURE) else ""


_OF_ENTITIES = (NAME, "Model", "Target")
"""Names, and what refers to them."""
_OF_BRUSHES = (layout.ORDER, layout.SEEN, "brush_name", "hidden", "locked")
"""Its place among others, and what the editor shows of it."""


def _forgets(obj: bpy.types.Object) -> Iterable[str]:
    return _OF_BRUSHES if kind_of(obj) == layout.BRUSH else _OF_ENTITIES


def _stand_alone(obj: bpy.types.Object) -> None:
    obj.hide_select = False


ASSETS = AssetRules(object_key=_object_key, material_key=_material_key, forgets=_forgets, stand_alone=_stand_alone)
