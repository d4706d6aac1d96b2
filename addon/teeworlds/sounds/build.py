# SPDX-License-Identifier: GPL-3.0-or-later
"""The sounds of a map: embedded ones packed, byte for byte, external ones looked up as `<name>.opus` (teeworlds.md §3).

A sound is a Blender sound, held by the level (resource SOUND).
"""

from __future__ import annotations

from dataclasses import dataclass

import bpy

from ....formats import teeworlds
from ....formats.binary import FormatError
from ...scene.fields import properties
from ...scene.kept import identity, originals
from ...scene.media import sounds
from ...scene.names import showable
from ...scene.reports import Report
from ...scene.work.progress import Steps, progress
from .. import layout
from ..context import ImportContext
from ..layout import UNNAMED


@dataclass
class SoundProperties:
    """On sounds."""

    sound_name: str = properties.setting("", "Name of the sound, without folder and ending")
    external: bool = properties.setting(False, "The game's own file mapres/<name>.opus instead of data in the map")


@dataclass(frozen=True)
class LevelSounds:
    """The sounds of a map in Blender."""

    blocks: dict[int, bpy.types.Sound]
    """By record."""

    @classmethod
    def of_level(cls, level: bpy.types.Collection) -> LevelSounds:
        """Those that a level in the scene holds now."""
        held = originals.resources(level, layout.SOUND)
        return cls({record: block for record, block in held.items() if isinstance(block, bpy.types.Sound)})

    def block(self, record: int) -> bpy.types.Sound | None:
        """The sound of this record; None for none (-1, or beyond the last)."""
        return self.blocks.get(record)


def build(importing: ImportContext) -> Steps[LevelSounds]:
    """Make all sounds of a map, used or not, as resources of its collection."""
    made: dict[int, bpy.types.Sound] = {}
    with progress(len(importing.level.sounds), "sounds") as step:
        for record, sound in enumerate(importing.level.sounds):
            name = layout.readable(sound.name) or UNNAMED
            block = _embedded(sound, name, importing.report) or _external(name, importing)
            block.name = showable(name)
            properties.write(block, SoundProperties(sound.name, sound.external))
            identity.stamp(block, importing.token, layout.SOUND, record)
            originals.set_resource(importing.collection, layout.SOUND, record, block)
            made[record] = block
            yield step()
    importing.report.count("sounds", len(made))
    return LevelSounds(made)


def _embedded(sound: teeworlds.Sound, name: str, report: Report) -> bpy.types.Sound | None:
    try:
        data = sound.data()
    except FormatError as error:
        report.warn(f"sound {name!r}: {error}")
        return None
    return pack(name, data) if data else None


def pack(name: str, data: bytes) -> bpy.types.Sound:
    """Return a new sound with these bytes packed."""
    return sounds.pack(name, data, ".opus")


def _external(name: str, importing: ImportContext) -> bpy.types.Sound:
    path = importing.reach.find(name, [".opus"], importing.folders)
    try:
        if path is not None:
            return sounds.load(path, importing.reach)
        importing.report.missing("sounds", name)
    except (FormatError, OSError) as error:
        importing.report.warn(f"sound {name!r}: {error}")
    return sounds.absent(name, "mapres", ".opus")
