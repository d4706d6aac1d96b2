# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a level becomes assets: classes of entities, materials."""

from __future__ import annotations

import bpy

from ...formats.genesis.entities import CLASSNAME, NAME
from ..scene.assets import AssetRules, text_property
from ..scene.identity import kind_of
from . import layout
from .materials.names import NAMED


def _object_key(obj: bpy.types.Object) -> str:
    return text_property(obj, CLASSNAME) if kind_of(obj) == layout.ENTITY else ""


def _material_key(material: bpy.types.Material) -> str:
    return text_property(material, NAMED) if text_property(material, layout.TEXTURE) else ""


_FORGOTTEN = (NAME, "Model", "Target")
"""Names, and what refers to them."""
ASSETS = AssetRules(object_key=_object_key, material_key=_material_key, forgets=lambda _: _FORGOTTEN)
