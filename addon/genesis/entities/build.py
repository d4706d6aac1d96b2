# SPDX-License-Identifier: GPL-3.0-or-later
"""Point entities as empties or lights, and keys and values as typed custom properties."""

from __future__ import annotations

from collections.abc import Mapping

import bpy

from ....formats.genesis.editor_level import EditorEntity
from ....formats.genesis.entities import ORIGIN, KeyValues
from ...scene.fields import properties
from ...scene.geometry import transforms
from ...scene.names import showable
from .. import layout
from ..classes import values
from ..classes.types import Types, tooltip_of, type_of
from ..context import ImportContext
from ..light import kinds
from ..light.build import add_glow, build_light

ANGLES = "angles"
SIZE = 8.0
"""Units: how large empties are drawn."""
RESERVED = "levelwright"
"""Keys that begin so would be taken for ours: they stay in the original only."""


def shown_pairs(entity: KeyValues) -> list[tuple[str, str]]:
    """The pairs that are properties: of keys that repeat the first; not the origin, if it is a place."""
    seen: set[str] = {ORIGIN} if entity.origin is not None else set()
    result = []
    for key, text in entity.pairs:
        folded = key.lower()
        too_long = len(key.encode()) > properties.MAX_KEY
        if folded in seen or not key or too_long or "\0" in key or folded.startswith(RESERVED):
            continue
        seen.add(folded)
        result.append((key, text))
    return result


def typed_pairs(entity: KeyValues, types: Types) -> dict[str, values.Property]:
    """The pairs that are properties, typed as the class says."""
    return {key: values.as_property(type_of(key, entity.classname, types), text) for key, text in shown_pairs(entity)}


def write_values(id_block: bpy.types.ID, typed: Mapping[str, values.Property], classname: str, types: Types) -> None:
    """Write values as custom properties, in their order, with tooltips. types: the classes that are known."""
    for key, value in typed.items():
        properties.put(id_block, key, value)
        tooltip = tooltip_of(key, classname, types)
        if tooltip and not isinstance(value, bytes):
            properties.describe(id_block, key, description=tooltip)


def build_entity(
    importing: ImportContext, entity: KeyValues, record: int, types: Types, collection: bpy.types.Collection
) -> bpy.types.Object:
    """Make the object of a point entity. record: its stamp's. types: the classes that are known."""
    classname = entity.classname
    name = showable(entity.name) or showable(classname) or f"Entity {record}"
    typed = typed_pairs(entity, types)
    kind = kinds.class_of(classname)
    scale = importing.settings.scale
    shown = kinds.appearance(kind, kinds.light_values(entity.pairs), scale) if kind is not None else None
    light = build_light(name, kind, shown) if kind is not None and shown is not None else None
    obj = importing.object_of(name, layout.ENTITY, record, light, (collection,))
    place = layout.to_blender(_place(entity))
    obj.location = place.tolist()
    turned = next((value for key, value in typed.items() if key.lower() == ANGLES), None)
    if light is None:
        obj.empty_display_size = SIZE
        obj.empty_display_type = "ARROWS" if isinstance(turned, list) else "CUBE"
    if isinstance(turned, list):
        obj.rotation_mode = values.ROTATION_MODE
        obj.rotation_euler = values.rotation(turned, light is not None)
    write_values(obj, typed, classname, types)
    transforms.remember(obj)
    if kind is not None and shown is not None and kind.glows:
        add_glow(importing, obj, shown, collection)
    importing.report.count("lights" if light is not None else "entities")
    return obj


def _place(entity: KeyValues) -> tuple[float, float, float]:
    if entity.origin is not None:
        return entity.origin
    return entity.place if isinstance(entity, EditorEntity) else (0.0, 0.0, 0.0)
