# SPDX-License-Identifier: GPL-3.0-or-later
"""What isn't drawn to the level's collection: who made the map, and the server settings as a text block."""

from __future__ import annotations

import bpy

from ....formats import teeworlds
from ...scene import identity, originals, properties
from .. import layout
from ..layout import LevelProperties


def build(level: teeworlds.Level, collection: bpy.types.Collection, token: int) -> None:
    """Put a map's info on its level's collection. token: the level's."""
    identity.stamp(collection, token, layout.LEVEL, 0)
    info = level.info
    if info is not None:
        texts = (info.author, info.map_version, info.credits, info.license)
        properties.write(collection, LevelProperties(*(text or "" for text in texts)))
    else:
        properties.write(collection, LevelProperties())
    settings = info.settings if info is not None else []
    if settings:
        text = settings_text(collection, token)
        text.write("".join(f"{layout.readable(line)}\n" for line in settings))


def settings_text(collection: bpy.types.Collection, token: int) -> bpy.types.Text:
    """Make the text block that holds a level's server settings, a line a command, still empty."""
    text = bpy.data.texts.new(f"{collection.name} settings")
    identity.stamp(text, token, layout.SETTINGS, 0)
    originals.set_resource(collection, layout.SETTINGS, 0, text)
    return text
