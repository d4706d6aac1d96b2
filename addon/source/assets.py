# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a map becomes assets: models and skins of static props, classes of entities, materials."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import bpy

from ...formats.source.entities import CLASSNAME, MODEL, TARGETNAME
from ..scene.assets import AssetRules, text_property
from ..scene.identity import kind_of
from . import layout
from .collecting.scene_level import shows_faces
from .props.build import LIGHTING_ORIGIN

_OTHERS = frozenset((TARGETNAME, "parentname", "target", "hammerid", LIGHTING_ORIGIN))
"""Names of entities, and numbers of the editor's."""
_SHAPES = ("EMPTY", "LIGHT", "SPEAKER", "CAMERA")


def _object_key(obj: bpy.types.Object) -> str:
    model = text_property(obj, MODEL)
    if kind_of(obj) == layout.STATIC_PROP and model:
        return _of_skin(model, obj.get(layout.SKIN))
    classname = text_property(obj, CLASSNAME)
    if kind_of(obj) != layout.ENTITY or not classname:
        return ""
    if obj.type in _SHAPES:
        return classname
    has_model = obj.type == "MESH" and model.endswith(".mdl") and not shows_faces(obj)
    return f"{_of_skin(model, obj.get(layout.SKIN))} ({classname})" if has_model else ""


def _of_skin(model: str, skin: object) -> str:
    return f"{model} skin {skin}" if isinstance(skin, int) and skin else model


def _material_key(material: bpy.types.Material) -> str:
    return text_property(material, layout.MATERIAL) if kind_of(material) == layout.MATERIAL_KIND else ""


def _forgets(obj: bpy.types.Object) -> Iterator[str]:
    keys: Iterable[str] = obj.keys()
    for key in list(keys):
        value = obj[key]
        is_list_of_text = isinstance(value, list) and any(isinstance(one, str) for one in value)
        if key in _OTHERS or is_list_of_text:  # outputs, which name other entities
            yield key


ASSETS = AssetRules(
    object_key=_object_key,
    material_key=_material_key,
    forgets=_forgets,
    upright=frozenset((layout.STATIC_PROP,)),
    options={"lightmaps": "none"},
)
