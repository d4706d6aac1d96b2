# SPDX-License-Identifier: GPL-3.0-or-later
"""Sounds back to their records: the other way of `build`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import bpy

from ....formats import teeworlds
from ....formats.binary import FormatError
from ...scene.kept import identity, originals
from ...scene.reports import Report, SceneError
from .. import layout
from ..layout import UNNAMED, read_properties
from .build import SoundProperties


class SoundTable:
    """Which sound of the map each sound of the scene is. New ones join the map when they are first asked for.

    `apply` first, `remove_deleted` last.
    """

    def __init__(self, collection: bpy.types.Collection, level: teeworlds.Level, report: Report) -> None:
        self._level = level
        self._report = report
        held = originals.resources(collection, layout.SOUND)
        self._blocks = {record: block for record, block in held.items() if isinstance(block, bpy.types.Sound)}
        self._imported = collection.get(originals.RESOURCES + layout.SOUND) is not None
        self._count = len(level.sounds)
        self._numbers = {block: record for record, block in self._blocks.items() if record < self._count}

    def apply(self) -> None:
        """Write what was edited of the sounds into their records, and add those that have none."""
        for block, record in self._numbers.items():
            _merge(block, self._level.sounds[record])
        for record, block in self._blocks.items():
            if record >= self._count:  # added by hand, or of a level that is built whole
                self.number_of(block)

    def of_layer(self, obj: bpy.types.Object, parts: Iterable[bpy.types.Object], was: int, by_property: int) -> int:
        """The number in the map of a layer's sound: as its speakers or its property have it, where edited.

        parts: the objects of the layer. was: the record's number, -1 for a new layer. by_property: the number that the
        property holds. Raises SceneError where the speakers have different sounds.
        """
        speakers = [one for one in parts if one.type == "SPEAKER"]
        held = [one.data for one in speakers if isinstance(one.data, bpy.types.Speaker)]
        sounds = list(dict.fromkeys(one.sound for one in held if one.sound is not None))
        if len(sounds) > 1:
            names = ", ".join(sound.name for sound in sounds)
            raise SceneError(f"{obj.name}: a layer has one sound, its speakers have {len(sounds)}: {names}", speakers)
        if by_property != was or not sounds or sounds[0] == self._blocks.get(was):
            return self._numbers[self._blocks[by_property]] if by_property in self._blocks else by_property
        return self.number_of(sounds[0])

    def number_of(self, block: bpy.types.Sound) -> int:
        """The number in the map of a sound in the scene; one that the map doesn't have becomes a new one."""
        if block not in self._numbers:
            same = next((number for own, number in self._numbers.items() if _is_same_asset(block, own)), None)
            self._numbers[block] = self._added(block) if same is None else same
        return self._numbers[block]

    def _added(self, block: bpy.types.Sound) -> int:
        """Add a sound to the map; returns its number."""
        values, _ = read_properties(block, SoundProperties)
        data = None if values.external else _checked(block, _data(block))
        name = values.sound_name or _name(block)
        self._level.sounds.append(teeworlds.Sound.new(name, data, external=values.external))
        self._report.count("sounds added")
        return len(self._level.sounds) - 1

    def remove_deleted(self) -> None:
        """Remove the sounds that the scene no longer holds. Last of all: it renumbers what the layers refer to."""
        for record in reversed(range(self._count if self._imported else 0)):
            if record not in self._blocks:
                self._report.note(f"sound {self._level.sounds[record].name!r} removed")
                self._level.remove_sound(record)


def _merge(block: bpy.types.Sound, sound: teeworlds.Sound) -> None:
    """Write what was edited of a sound into its record."""
    values, changed = read_properties(block, SoundProperties)
    if "sound_name" in changed:
        sound.name = values.sound_name
    elif not identity.is_named(block.name, layout.readable(sound.name) or UNNAMED):
        sound.name = _name(block)
    if "external" in changed and values.external:
        sound.set_data(None)
    elif "external" in changed or (block.packed_file is not None and not sound.external):
        data = _data(block)
        if data != _stored(sound):
            sound.set_data(_checked(block, data))


def _is_same_asset(block: bpy.types.Sound, own: bpy.types.Sound) -> bool:
    """Whether a sound came from the asset browser, and is one that the map has: same name, same file in the .blend."""
    mark = identity.stamped(block)
    if mark is None or mark.token or block.packed_file is None or own.packed_file is None:
        return False
    names = [read_properties(one, SoundProperties)[0].sound_name for one in (block, own)]
    return names[0] == names[1] and bytes(block.packed_file.data) == bytes(own.packed_file.data)


def _name(block: bpy.types.Sound) -> str:
    return layout.plain_name(block.name).removesuffix(".opus")


def _data(block: bpy.types.Sound) -> bytes:
    """A sound's file, packed or where Blender plays it from. Raises SceneError if it is missing."""
    packed = block.packed_file
    if packed is not None:
        return bytes(packed.data)
    try:
        return Path(bpy.path.abspath(block.filepath)).read_bytes()
    except OSError as error:
        raise SceneError(f"sound {block.name!r}: {error}") from error


def _checked(block: bpy.types.Sound, data: bytes) -> bytes:
    if not data.startswith(b"OggS"):
        raise SceneError(f"sound {block.name!r} is not an Ogg file: the game plays Opus in Ogg only")
    return data


def _stored(sound: teeworlds.Sound) -> bytes | None:
    try:
        return sound.data()
    except FormatError:
        return None  # damaged: what the scene has replaces it
