# SPDX-License-Identifier: GPL-3.0-or-later
"""Who made a map, and its server settings: the level's properties and a text block. In both directions."""

from __future__ import annotations

import bpy

from ...formats import teeworlds
from ...formats.teeworlds.items import INFO_LIMITS, cut
from ..scene.fields import properties
from ..scene.kept import identity, originals
from ..scene.reports import Report
from . import layout
from .layout import LevelProperties, read_properties


def build(level: teeworlds.Level, collection: bpy.types.Collection, token: int) -> None:
    """Put a map's info on its level's collection. token: the level's."""
    identity.stamp(collection, token, identity.LEVEL, 0)
    info = level.info
    texts = (info.author, info.map_version, info.credits, info.license) if info is not None else ()
    properties.write(collection, LevelProperties(*(text or "" for text in texts)))
    settings = info.settings if info is not None else []
    if settings:
        text = settings_text(collection, token)
        text.write(layout.readable("".join(f"{line}\n" for line in settings)))


def settings_text(collection: bpy.types.Collection, token: int) -> bpy.types.Text:
    """Make the text block that holds a level's server settings, a line a command, still empty."""
    text = bpy.data.texts.new(f"{collection.name} settings")
    identity.stamp(text, token, layout.SETTINGS, 0)
    originals.set_resource(collection, layout.SETTINGS, 0, text)
    return text


def write(collection: bpy.types.Collection, level: teeworlds.Level, whole: bool, report: Report) -> None:
    """Write into a map's info what was edited of it. whole: there is no original, so everything is written.

    Warns of texts that the games' editors will cut. Raises SceneError for values that don't fit, and FormatError for
    texts that no map can hold.
    """
    values, changed = read_properties(collection, LevelProperties)
    text = originals.resources(collection, layout.SETTINGS).get(0)
    lines = text.as_string().split("\n") if isinstance(text, bpy.types.Text) else []
    while lines and not lines[-1]:
        lines.pop()
    info = level.info or teeworlds.Info.new()
    for name in vars(values) if whole else changed:
        setattr(info, name, getattr(values, name))
        _warn_long(f"the map's {name}", getattr(values, name), INFO_LIMITS[name], report)
    # A line that isn't UTF-8 can't be shown as it is: its record stays where it was not edited.
    records = {layout.readable(line): line for line in info.settings}
    before = [layout.readable(line) for line in info.settings]
    while before and not before[-1]:
        before.pop()
    if lines != before:
        info.settings = [records.get(line, line) for line in lines]
        for number, line in enumerate(lines, 1):
            if line not in records:
                _warn_long(f"line {number} of the server settings", line, INFO_LIMITS["settings"], report)
    if level.info is None and (whole or changed or lines):
        level.info = info


def _warn_long(what: str, text: str, limit: int, report: Report) -> None:
    """Tell of a text that the file holds whole, but the games' editors don't."""
    if cut(text, limit) != text:
        report.warn(
            f"{what} has {len(text.encode('utf-8', 'surrogateescape'))} bytes, of which the games' editors read "
            f"{limit}: {cut(text, limit)!r}"
        )
