# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a level becomes assets: models of props, classes of entities, loose parts of the geometry, materials."""

from __future__ import annotations

from collections.abc import Iterator

import bpy

from ..scene import assets
from ..scene.assets import AssetRules, Candidate, text_property
from ..scene.geometry import mesh_parts, meshes
from ..scene.geometry.mesh_parts import MeshPart
from ..scene.kept.identity import kind_of
from . import layout
from .entities.props import MODEL
from .faces.objects import geometry
from .layers import visibility

_CATALOG = "Geometry"
_LEAST_FACES, _MOST_FACES = 4, 512
_LARGEST = 12.0
"""Metres that a part is long, wide and high; larger ones are rooms."""


def _object_key(obj: bpy.types.Object) -> str:
    class_name = text_property(obj, layout.CLASS)
    if kind_of(obj) != layout.ENTITY or not class_name:
        return ""
    model = text_property(obj, MODEL)
    return f"{model} ({class_name})" if model else class_name


def _material_key(material: bpy.types.Material) -> str:
    return text_property(material, layout.MATERIAL) if kind_of(material) == layout.MATERIAL_KIND else ""


def _pieces(level: bpy.types.Collection) -> Iterator[Candidate]:
    """Give the loose parts of the geometry that are neither rooms nor single faces."""
    with visibility.nothing_hidden(level):
        found = [meshes.read(obj) for obj in geometry(level) if not meshes.needs_evaluation(obj)]
    for data in found:
        for part in mesh_parts.loose(data):
            if _LEAST_FACES <= len(part.faces) <= _MOST_FACES:
                low, high = part.box
                if (high - low).max() <= _LARGEST:
                    yield _part(level, part)


def _part(level: bpy.types.Collection, part: MeshPart) -> Candidate:
    names = [text_property(material, layout.MATERIAL).rpartition("/")[2] for material in part.materials]
    texture = names[0].removesuffix(".material") if names else ""
    title = f"{mesh_parts.size_of(*part.box)} m {texture}".rstrip()
    obj = assets.piece(title, mesh_parts.build(title, [part], layout.TEXTURES), level, layout.GEOMETRY)
    return Candidate(obj, f"{part.shape_key()}/{title}", _CATALOG, is_piece=True)


ASSETS = AssetRules(object_key=_object_key, material_key=_material_key, pieces=_pieces)
