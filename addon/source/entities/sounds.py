# SPDX-License-Identifier: GPL-3.0-or-later
"""Sounds as speakers: how far and how loud they are, and what is heard where the file is found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

import bpy

from ....formats.source.entities.entity_values import number
from ...scene.media import sounds
from ...scene.names import showable
from ..context import ImportContext

_FOLDER = "sound/"
_ENDINGS = (".wav", ".mp3")
_MARKS = "*#@<>^)(}$!?&~`+%"
"""Before a sound's name, for the engine: how it is streamed and placed."""
_REACH = 1250.0
"""Units: how far sounds without a radius are heard (that of new entities in the editor)."""
_LOUDEST = 10.0
_NEAR = 8
"""The part of the reach where a sound is as loud as it gets, as a divisor."""


@dataclass
class Sounds:
    """The sounds of one import, each once."""

    importing: ImportContext
    _made: dict[str, bpy.types.Sound | None] = field(default_factory=dict, repr=False)

    def speaker(self, name: str, values: Mapping[str, str]) -> bpy.types.Speaker:
        """The speaker of an entity. values: by key in small letters; "message" names the sound, or a script of some."""
        speaker = bpy.data.speakers.new(showable(name))
        reach = number(values, "radius")
        speaker.distance_max = (reach if reach > 0 else _REACH) * self.importing.scale  # Blender doesn't scale it
        speaker.distance_reference = speaker.distance_max / _NEAR
        speaker.volume = min(max(number(values, "health", _LOUDEST) / _LOUDEST, 0.0), 1.0)
        path = values.get("message", "").lstrip(_MARKS).replace("\\", "/").lower()
        if path.endswith(_ENDINGS):
            speaker.sound = self._sound(path)
        return speaker

    def _sound(self, path: str) -> bpy.types.Sound | None:
        if path not in self._made:
            data = self.importing.content.read(_FOLDER + path)
            if data is None:
                self.importing.report.missing("sounds", path)
            file = PurePosixPath(path)
            self._made[path] = sounds.pack(showable(file.stem), data, file.suffix) if data else None
        return self._made[path]
