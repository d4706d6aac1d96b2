# SPDX-License-Identifier: GPL-3.0-or-later
"""Sounds and the speakers of sound layers back to their records: the other way of `sounds`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from ....formats import teeworlds
from ....formats.binary import FormatError
from ....formats.teeworlds.records import EnvelopeKind, SourceShape
from ...scene import baselines, identity, originals, properties, transforms
from ...scene.reports import Report, SceneError
from .. import layout
from ..envelopes.collect import EnvelopeReader
from ..images.collect import plain_name
from ..layers.collect import LayerScene
from ..layout import FIXED, TILE
from .build import ELEMENT, UNIT, UNNAMED, SoundProperties, SourceProperties, distances, shown_source

Sources = npt.NDArray[np.void]

_ROUNDING = 4 * float(np.finfo(np.float32).eps)


class SoundTable:
    """Which sound of the map each sound of the scene is. New ones join the map when they are first asked for."""

    def __init__(self, collection: bpy.types.Collection, level: teeworlds.Level, report: Report) -> None:
        self._level = level
        self._report = report
        held = originals.resources(collection, layout.SOUND)
        self._blocks = {record: block for record, block in held.items() if isinstance(block, bpy.types.Sound)}
        self._imported = collection.get(originals.RESOURCES + layout.SOUND) is not None
        self._count = len(level.sounds)
        self._numbers = {block: record for record, block in self._blocks.items() if record < self._count}
        for block, record in self._numbers.items():
            _overlay(block, level.sounds[record])
        for record, block in self._blocks.items():
            if record >= self._count:  # added by hand, or of a level that is built whole
                self.number_of(block)

    def of_layer(self, obj: bpy.types.Object, was: int, said: int) -> int:
        """The number in the map of a layer's sound: as its speakers or its property `said` have it, where edited.

        was: the record's number, -1 for a new layer. Raises SceneError where the speakers have different sounds.
        """
        speakers = [one for one in obj.children_recursive if one.type == "SPEAKER"]
        sounds = list(dict.fromkeys(one.data.sound for one in speakers if one.data.sound is not None))
        if len(sounds) > 1:
            names = ", ".join(sound.name for sound in sounds)
            raise SceneError(f"{obj.name}: a layer has one sound, its speakers have {len(sounds)}: {names}", speakers)
        if said != was or not sounds or sounds[0] == self._blocks.get(was):
            return self._numbers[self._blocks[said]] if said in self._blocks else said
        return self.number_of(sounds[0])

    def number_of(self, block: bpy.types.Sound) -> int:
        """The number in the map of a sound in the scene; one that the map doesn't have becomes a new one."""
        if block not in self._numbers:
            values, _ = properties.read(block, SoundProperties)
            name = values.sound_name or _plain_name(block)
            self._numbers[block] = len(self._level.sounds)
            data = None if values.external else _checked(block, _data(block))
            self._level.sounds.append(teeworlds.Sound.new(name, data, external=values.external))
            self._report.count("sounds added")
        return self._numbers[block]

    def remove_deleted(self) -> None:
        """Remove the sounds that the scene no longer holds. Last of all: it renumbers what the layers refer to."""
        for record in reversed(range(self._count if self._imported else 0)):
            if record not in self._blocks:
                self._report.note(f"sound {self._level.sounds[record].name!r} removed")
                self._level.remove_sound(record)


def _overlay(block: bpy.types.Sound, sound: teeworlds.Sound) -> None:
    """Write what was edited of a sound into its record."""
    values, changed = properties.read(block, SoundProperties)
    if "sound_name" in changed:
        sound.name = values.sound_name
    elif _plain_name(block) != plain_name(layout.readable(sound.name) or UNNAMED):
        sound.name = _plain_name(block)
    if "external" in changed and values.external:
        sound.set_data(None)
    elif "external" in changed or (block.packed_file is not None and not sound.external):
        data = _data(block)
        if data != _stored(sound):
            sound.set_data(_checked(block, data))


def _plain_name(block: bpy.types.Sound) -> str:
    return plain_name(block.name).removesuffix(".opus")


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
        raise SceneError(f"sound {block.name!r} is no Ogg file: the game plays Opus in Ogg only")
    return data


def _stored(sound: teeworlds.Sound) -> bytes | None:
    try:
        return sound.data()
    except FormatError:
        return None  # damaged: what the scene has replaces it


def read(scene: LayerScene, layer: teeworlds.SoundLayer | None, envelopes: EnvelopeReader) -> Sources | None:
    """The sources of a layer, SOURCE [n], envelopes numbered as `envelopes` exports them: a speaker each.

    `scene`: the layer's object. `layer`: the record that it was made of, as it was read; None for a new one. None where
    the record's sources can't be read, so that they stay as they are. Those with a record keep its order, new ones and
    copies follow in the order of their names. Raises SceneError for what a source can't be.
    """
    if scene.object.get(layout.STORAGE) == layout.KEPT:
        return None
    original: Sources = np.zeros(0, teeworlds.SOURCE) if layer is None else layer.sources()
    found: list[tuple[int, bool, str, Sources]] = []
    for obj in sorted(scene.object.children_recursive, key=lambda one: one.name):
        if obj.type == "SPEAKER":
            record = _record(obj, scene, len(original))
            was = original[record : record + 1] if record >= 0 else np.zeros(0, teeworlds.SOURCE)
            source = _source(obj, was, scene, envelopes)
            same_place = bool(len(was)) and bool((source[["x", "y"]] == was[["x", "y"]]).all())
            found.append((record if record >= 0 else len(original), not same_place, obj.name, source))
    found.sort(key=lambda one: one[:3])
    first = {record: number for number, (record, *_) in reversed(list(enumerate(found)))}
    kept = [one[3] for number, one in enumerate(found) if one[0] < len(original) and first[one[0]] == number]
    rest = [one[3] for number, one in enumerate(found) if one[0] >= len(original) or first[one[0]] != number]
    return np.asarray(np.concatenate([original[:0], *kept, *rest]))


def _record(obj: bpy.types.Object, scene: LayerScene, count: int) -> int:
    """The record that a speaker is or was copied from, -1 for none of this layer's."""
    stamp = identity.stamped(obj)
    if stamp is None or stamp.kind != layout.SOURCE or scene.ids_token is None or not 0 <= stamp.record < count:
        return -1
    return stamp.record if baselines.same(obj, ELEMENT, np.int32(scene.ids_token)) else -1


def _source(obj: bpy.types.Object, was: Sources, scene: LayerScene, envelopes: EnvelopeReader) -> Sources:
    """The record of a speaker, SOURCE [1]; `was`: the one that it came from, [0] for a new one."""
    source = was.copy() if len(was) else np.zeros(1, teeworlds.SOURCE)
    data: Any = obj.data
    position, sound = envelopes.played(obj, EnvelopeKind.POSITION), envelopes.played(data, EnvelopeKind.SOUND)
    references = ((EnvelopeKind.POSITION, position, "position_envelope"), (EnvelopeKind.SOUND, sound, "sound_envelope"))
    for kind, played, key in references:
        before = (
            (source[key], source[f"{key}_offset"]) if len(was) else (np.full(1, -1, np.int32), np.zeros(1, np.int32))
        )
        source[key], source[f"{key}_offset"] = envelopes.assign(kind, played, before)
    # Without its strip an object keeps the delta of the frame that was shown last.
    moves = position is not None or bool(envelopes.shown(EnvelopeKind.POSITION, was["position_envelope"]).any())
    matrix = scene.matrix @ transforms.compose(obj, scene.object, scene.depsgraph, deltas=not moves)
    for axis, key, scale in ((0, "x", UNIT), (1, "y", -UNIT)):
        place = matrix[axis, 3] * scale
        if len(was) and abs(place - int(was[key][0])) <= max(0.5, _ROUNDING * abs(place)):
            continue
        if not abs(place) < 2**31:
            raise SceneError(f"{obj.name}: too far away: a map ends 65,536 tiles from its origin", [obj])
        source[key] = round(place)
    _write_properties(obj, source, was, np.linalg.norm(matrix[:2, :2], axis=0).tolist())
    return source


def _write_properties(obj: bpy.types.Object, source: Sources, was: Sources, scale: list[float]) -> None:
    """Everything that SourceProperties tell, where it isn't what the record shows. scale: of the object, x and y."""
    try:
        values, _ = properties.read(obj, SourceProperties)
    except ValueError as error:
        raise SceneError(str(error), [obj]) from error
    shown = shown_source(was[0]) if len(was) else None
    _take_distances(obj, values, shown)
    if max(abs(factor - 1) for factor in scale) > 1e-5:
        values.width, values.height = values.width * scale[0], values.height * scale[1]
        values.radius = round(values.radius * max(scale))
    for key in ("looping", "panning", "delay", "falloff"):
        if shown is None or getattr(values, key) != getattr(shown, key):
            source[key] = int(getattr(values, key))
    shape = SourceShape[values.shape]
    sizes = ("radius",) if shape is SourceShape.CIRCLE else ("width", "height")
    if (
        shown is not None
        and shown.shape == values.shape
        and all(getattr(values, k) == getattr(shown, k) for k in sizes)
    ):
        return
    if shown is None or shown.shape != values.shape:
        source["shape"], source["height"] = shape, 0
    if shape is SourceShape.CIRCLE:
        source["width"] = min(values.radius, 2**31 - 1)
    else:
        source["width"], source["height"] = (
            min(round(side * FIXED), 2**31 - 1) for side in (values.width, values.height)
        )


def _take_distances(obj: bpy.types.Object, values: SourceProperties, shown: SourceProperties | None) -> None:
    """Let the speaker's own distances decide about a circle whose properties weren't edited."""
    if values.shape != SourceShape.CIRCLE.name or shown is None or values.shape != shown.shape:
        return
    reach, full = distances(shown)
    data: Any = obj.data
    if values.radius == shown.radius and data.distance_max != reach:
        values.radius = round(data.distance_max * TILE)
    if values.falloff == shown.falloff and (data.distance_max, data.distance_reference) != (reach, full):
        values.falloff = min(max(round(255 * data.distance_reference / (data.distance_max or 1.0)), 0), 255)
