# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a level becomes assets: models of props, classes of entities, materials."""

from __future__ import annotations

import bpy

from ..scene.assets import AssetRules, text_property
from ..scene.identity import kind_of
from . import layout
from .entities.props import MODEL


def _object_key(obj: bpy.types.Object) -> str:
    class_name = text_property(obj, layout.CLASS)
    if kind_of(obj) != layout.ENTITY or not class_name:
        return ""
    model = text_property(obj, MODEL)
    return f"{model} ({class_name})" if model else class_name


def _material_key(material: bpy.types.Material) -> str:
    return text_property(material, layout.MATERIAL) if kind_of(material) == layout.MATERIAL_KIND else ""


ASSETS = AssetRules(object_key=_object_key, material_key=_material_key)
