# SPDX-License-Identifier: GPL-3.0-or-later
"""What a level says of itself, as custom properties of its collection, and back.

Editor settings are properties named "<block>.<property>" ("Pathing.Agent Radius"), typed as in the file; which layers
"Pathing" counts is in the list of layers. The editor's views are a text.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import bpy

from ...formats import ns2
from ...formats.binary import FormatError
from ...formats.ns2.records import INT_TYPES, TEXT_TYPES, VERSION
from ..scene.blender_types import Value
from ..scene.fields import properties
from ..scene.kept import identity, originals
from ..scene.names import showable_lines
from ..scene.reports import SceneError
from . import layout
from .context import ImportContext

TOOLTIPS = {
    "Agent Radius": "Half the width of what walks, metres",
    "Agent Height": "Height of what walks, metres",
    "Agent Max Climb": "Highest step that is walked up, metres",
    "Agent Max Slope": "Steepest ground that is walked on, radians",
}


def build_settings(importing: ImportContext) -> None:
    """Write a level's settings."""
    level, collection = importing.level, importing.collection
    colors = " ".join(f"{color:08x}" for color in level.custom_colors)
    properties.write(collection, layout.LevelProperties(level.version, colors))
    for key, value, name in _shown(level):
        properties.put(collection, key, value)
        if name in TOOLTIPS:
            properties.describe(collection, key, description=TOOLTIPS[name])
    text = bpy.data.texts.new(f"{collection.name} viewports")
    text.write(showable_lines(level.viewports))
    identity.stamp(text, importing.token, layout.VIEWPORTS, 0)
    originals.set_resource(collection, layout.VIEWPORTS, 0, text)


def _shown(level: ns2.Level) -> Iterator[tuple[str, ns2.Value, str]]:
    """Key, value and name of each editor setting that a property can hold; the first one of a name."""
    seen = set()
    for block in level.editor_settings:
        for each in block.properties:
            key = f"{block.name}.{each.name}"
            if key in seen or not layout.holds(key):
                continue
            try:
                value = each.value
            except FormatError:
                continue
            if isinstance(value, str) and showable_lines(value) != value:
                continue
            seen.add(key)
            yield key, value, each.name


def collect_settings(collection: bpy.types.Collection, level: ns2.Level) -> bool:
    """Write what was edited of the settings into a level; says whether anything was. Of `format_version`, see
    `wanted_version`.

    Raises SceneError for values that aren't of their type.
    """
    changed = False
    for key, before, name in list(_shown(level)):
        value = collection.get(key)
        if value is None:
            continue
        value = value.to_list() if hasattr(value, "to_list") else value
        now = tuple(value) if isinstance(value, list) else value
        if now == before or (now != now and before != before):  # NaN stays NaN
            continue
        block = next(block for block in level.editor_settings if block.name == key[: -len(name) - 1])
        kind = next(each.type for each in block.properties if each.name == name)
        try:
            block.set(name, _as(kind, now))
        except (FormatError, TypeError, ValueError) as error:
            raise SceneError(f"{collection.name}: property {key}: {error}") from None
        changed = True
    if changed:
        level.editor_settings = level.editor_settings  # it was changed in place
    return _collect_colors(collection, level) | _collect_viewports(collection, level) | changed


def unknown_settings(collection: bpy.types.Collection, level: ns2.Level) -> list[str]:
    """The custom properties of a level's collection that are none of its settings: somebody added them."""
    known = {field.name for field in dataclasses.fields(layout.LevelProperties)} | {key for key, _, _ in _shown(level)}
    return [key for key in properties.own_keys(collection) if key not in known]


def wanted_version(collection: bpy.types.Collection, version: int) -> int:
    """The version that a level is to be written as. version: the one that it has.

    Raises SceneError for one that it can't be written as: it can stay what it is, or become version 10.
    """
    wanted = collection.get("format_version")
    if wanted is None or wanted in (version, VERSION):
        return VERSION if wanted == VERSION else version
    other = f", or as version {version}, which it has" if version != VERSION else ""
    raise SceneError(f"{collection.name}: format_version {wanted}: levels are written as version {VERSION}{other}")


def _as(kind: int, value: Value) -> ns2.Value:
    if kind in TEXT_TYPES:
        return str(value)
    if kind in INT_TYPES:
        return int(value)
    return tuple(float(part) for part in value) if isinstance(value, tuple) else float(value)


def _collect_colors(collection: bpy.types.Collection, level: ns2.Level) -> bool:
    text = collection.get("custom_colors")
    if not isinstance(text, str):
        return False
    try:
        colors = [int(word, 16) for word in text.split()]
    except ValueError as error:
        raise SceneError(f"{collection.name}: property custom_colors: {error}") from None
    if colors == level.custom_colors:
        return False
    level.custom_colors = colors
    return True


def _collect_viewports(collection: bpy.types.Collection, level: ns2.Level) -> bool:
    text = originals.resources(collection, layout.VIEWPORTS).get(0)
    if not isinstance(text, bpy.types.Text):
        return False
    now = text.as_string()
    if now.rstrip("\n") == showable_lines(level.viewports).rstrip("\n"):
        return False
    level.viewports = now if now.endswith("\n") else f"{now}\n"
    return True
