# SPDX-License-Identifier: GPL-3.0-or-later
"""Point entities as empties or lights, and keys and values as typed custom properties."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import bpy

from ....formats.binary import FormatError
from ....formats.genesis import typedefs
from ....formats.genesis.editor_level import EditorEntity
from ....formats.genesis.entities import ORIGIN, KeyValues
from ....formats.genesis.headers import Declared
from ....formats.genesis.map_file import MapLevel
from ....formats.genesis.typedefs import TypeDef
from ...scene import identity, properties, transforms
from ...scene.reports import Report
from .. import layout, values
from ..context import Site
from ..light import glow
from ..light import kinds as lights

ANGLES = "angles"
SIZE = 8.0
"""Units: how large empties are drawn."""
RESERVED = "levelwright"
"""Keys that begin so would be taken for ours: they stay in the original only."""

Types = dict[str, TypeDef]
"""Classes by their name in lower case."""


def own_types(level: MapLevel, report: Report) -> Types:
    """The classes that a `.map` defines."""
    try:
        return typedefs.read(level.typedefs)
    except FormatError as error:
        report.warn(f"the level's definitions of types can't be read: the values of its entities are text: {error}")
        return {}


def known_types(declared: Declared) -> Types:
    """The editor's own classes, and those that headers declare."""
    return {each.name.lower(): each for each in (*typedefs.BUILTIN, *declared.types)}


def header_of(types: Types) -> str:
    """Classes as the game's header might declare them, for reading."""
    lines = []
    for each in types.values():
        lines += [f"struct {each.name} {{", *(f"    {one.type} {one.name};" for one in each.fields), "};", ""]
    return "\n".join(lines)


def type_of(key: str, classname: str, types: Types) -> str:
    """The type of a key's values: a field's type, or "string" for what the class doesn't know."""
    made = types.get(classname.lower())
    found = made.field(key) if made is not None else None
    return found.type if found is not None else "string"


def tooltip_of(key: str, classname: str, types: Types) -> str:
    """What a key is: its type and what the game's header says about it."""
    made = types.get(classname.lower())
    found = made.field(key) if made is not None else None
    if found is None:
        return ""
    kind = found.type if found.type in typedefs.BASIC else f"name of an entity of the class {found.type}"
    kind = "name of a model" if found.type == "model" else kind
    return ": ".join(part for part in (f"{classname} {found.name}, {kind}", found.documentation) if part)


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


def write(id_block: bpy.types.ID, typed: Mapping[str, values.Property], classname: str, types: Types) -> None:
    """Write values as custom properties, in their order."""
    for key, value in typed.items():
        properties.put(id_block, key, value)
        tooltip = tooltip_of(key, classname, types)
        if tooltip and not isinstance(value, bytes):
            manager: Any = id_block.id_properties_ui(key)
            manager.update(description=tooltip)


def build(
    site: Site, entity: KeyValues, record: int, types: Types, collection: bpy.types.Collection
) -> bpy.types.Object:
    """Make the object of a point entity."""
    classname = entity.classname
    name = layout.readable(entity.name) or layout.readable(classname) or f"Entity {record}"
    typed = typed_pairs(entity, types)
    kind = lights.kind_of(classname)
    shown = lights.look(kind, lights.told(entity.pairs), site.settings.scale) if kind is not None else None
    light = lights.build(name, kind, shown) if kind is not None and shown is not None else None
    obj: Any = bpy.data.objects.new(name, light)
    obj.parent = site.root
    identity.stamp(obj, site.token, layout.ENTITY, record)
    place: Any = layout.to_blender(_place(entity))
    obj.location = place.tolist()
    turned = next((value for key, value in typed.items() if key.lower() == ANGLES), None)
    if light is None:
        obj.empty_display_size = SIZE
        obj.empty_display_type = "ARROWS" if isinstance(turned, list) else "CUBE"
    if isinstance(turned, list):
        obj.rotation_mode = values.ROTATION_MODE
        obj.rotation_euler = values.rotation(turned, light is not None)
    write(obj, typed, classname, types)
    transforms.remember(obj)
    collection.objects.link(obj)
    if kind is not None and shown is not None and kind.glows:
        glow.add(site, obj, shown, collection)
    site.report.count("lights" if light is not None else "entities")
    made: bpy.types.Object = obj
    return made


def _place(entity: KeyValues) -> tuple[float, float, float]:
    if entity.origin is not None:
        return entity.origin
    return entity.place if isinstance(entity, EditorEntity) else (0.0, 0.0, 0.0)
