# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled lights back from their objects: moved, turned, with other properties or as other lamps, new and gone.

Maps have them twice, for LDR and for HDR; one of the lists is shown. Lights of the other one that are at the same place
and of the same type are the same lights: they go along.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import bpy
import numpy as np
from numpy.typing import ArrayLike

from ....formats import source
from ....formats.arrays import Floats, Records
from ....formats.counting import number_of
from ....formats.source import LumpId, edits, numbers
from ....formats.source.numbers import doubles
from ....formats.source.records import EmitType
from ...scene.blender_types import Value
from ...scene.fields import properties
from ...scene.kept import baselines
from ...scene.kept.instances import Instance
from ...scene.reports import Report
from .. import layout
from ..collecting import placement
from ..collecting.scene_level import SceneLevel, at_fault, one_at_fault
from . import build
from .build import INTENSITY

Fields = dict[str, Value]

_OWN = ("cluster",)  # found anew where a light goes
_SAME_WAY = 1e-5
_TYPES = {"POINT": EmitType.POINT, "SPOT": EmitType.SPOTLIGHT, "SUN": EmitType.SKYLIGHT}
"""What a light becomes that was given another type in Blender."""
_AIMED = (EmitType.SURFACE, EmitType.SPOTLIGHT, EmitType.SKYLIGHT)
_UNTURNED = np.array([1.0, 0.0, 0.0])
"""Where the import turns lights that have no direction."""


def apply(scene: SceneLevel, level: source.Level, report: Report) -> None:
    """Make the compiled lights of a level what the scene's are: new ones stand behind the others."""
    if not scene.instances(layout.WORLDLIGHT) and not scene.is_shown(layout.WORLDLIGHT):
        return
    lump = build.shown_lump(scene.before)
    collector = _LightCollector(scene, scene.before.table(lump), report)
    table = collector.table
    records, added = scene.records(layout.WORLDLIGHT), scene.added(layout.WORLDLIGHT)
    changes = {number: found for number, one in records.items() if (found := collector.changes(one))}
    new = [collector.new(one) for one in added]
    gone = scene.deleted(layout.WORLDLIGHT, len(table))
    if not changes and not new and not gone:
        return  # the other list may be one that can't be read
    other = LumpId.WORLDLIGHTS_HDR if lump == LumpId.WORLDLIGHTS else LumpId.WORLDLIGHTS
    twins = _twins(table, scene.before.table(other))
    edited = {number: records[number].object for number in changes}
    with one_at_fault(edited | {len(table) + place: one.object for place, one in enumerate(added)}):
        _edit(level, lump, changes, new, gone)
    others = scene.before.table(other)
    if not len(others):
        return
    both: dict[int, Fields] = {}
    for number, found in changes.items():
        twin = int(twins[number])
        if twin >= 0:
            both[twin] = dict(found)
        if twin >= 0 and INTENSITY in found:
            both[twin][INTENSITY] = _scaled(others[INTENSITY][twin], table[INTENSITY][number], found[INTENSITY])
    edited = {int(twins[number]): obj for number, obj in edited.items()}
    with one_at_fault(edited | {len(others) + place: one.object for place, one in enumerate(added)}):
        _edit(level, other, both, new, [twin for number in gone if (twin := int(twins[number])) >= 0])
    lost = sum(int(twins[number]) < 0 for number in (*changes, *gone))
    if lost:
        report.warn(f"{number_of(lost, 'edited compiled lights are')} not in {other.name}, which has no such ones")


def _edit(
    level: source.Level, lump: LumpId, changes: Mapping[int, Fields], new: Sequence[Fields], gone: Sequence[int]
) -> None:
    if changes:
        edits.worldlights.change(level, lump, changes)
    if new:
        edits.worldlights.add(level, lump, new)
    if gone:
        edits.worldlights.remove(level, lump, gone)


def _twins(table: Records, other: Records) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """int64[n]: the light of the other list that each light is, -1: none; of equal ones in their order."""
    places_of: dict[bytes, list[int]] = {}
    for number in reversed(range(len(other))):
        places_of.setdefault(_key(other[number]), []).append(number)
    found = [places_of[key].pop() if places_of.get(key := _key(record)) else -1 for record in table]
    return np.array(found, np.int64)


def _key(record: np.void) -> bytes:
    return b"".join(record[name].tobytes() for name in ("origin", "type", "style"))


class _LightCollector:
    """One export of compiled lights. table: those of the original that are shown."""

    def __init__(self, scene: SceneLevel, table: Records, report: Report) -> None:
        self.scene, self.table, self.report = scene, table, report
        self.fields = table.dtype.names or ()
        self.kind = build.properties_of(self.fields)
        self.scale = float(scene.original.options.get("scale", layout.SCALE))
        self.shades = baselines.load(scene.collection, layout.SHADES)
        self.shapes = baselines.load(scene.collection, layout.SHAPES)

    def changes(self, one: Instance) -> Fields:
        """The fields of a record (or of what a copy was copied from) that its object says otherwise.

        Edited properties win over what the lamp says. Raises SceneError.
        """
        obj = one.object
        with at_fault(obj):
            if one.record >= len(self.table):
                raise ValueError(f"compiled light {one.record} isn't there, there are {len(self.table)}")
            record = self.table[one.record]
            values: object
            values, edited = properties.read(obj, self.kind)
            given = {key: getattr(values, key) for key in edited if obj.get(key) is not None}
            found: Fields = {key: value for key, value in given.items() if value != record[key].tolist()}
            self._read_intensity(one, found, record)
            self._read_lamp(one, found, record)
            self._read_place(obj, found, record)
            return found

    def new(self, one: Instance) -> Fields:
        """The fields of a new light. Raises SceneError for one that is no copy."""
        with at_fault(one.object):
            if one.record < 0:
                raise ValueError("a compiled light of another map: copy one of this map's instead")
        found = self.changes(one)
        record = self.table[one.record]
        kept = {name: record[name] for name in self.fields if name not in _OWN}
        fields = {name: value.tobytes() if value.dtype.kind == "V" else value.tolist() for name, value in kept.items()}
        return fields | found

    def _read_intensity(self, one: Instance, found: Fields, record: np.void) -> None:
        raw: Value = one.object.get(INTENSITY)
        intensity = record[INTENSITY].tolist() if raw is None else [float(value) for value in raw]
        if repr(intensity) != repr(record[INTENSITY].tolist()):
            found[INTENSITY] = intensity
        elif self.shades is not None and one.record < len(self.shades):
            was, now = self.shades[one.record].astype(np.float64), np.array(build.shade_of(one.object.data))
            if not numbers.same(was.tolist(), now.tolist()):
                found[INTENSITY] = _shaded(record[INTENSITY].astype(np.float64), was, now)

    def _read_lamp(self, one: Instance, found: Fields, record: np.void) -> None:
        """The type, the cone and the reach of a lamp that was set in Blender. Raises ValueError for what has none."""
        was, now = self._shape(one.record), build.shape_of(one.object.data)
        kind, size, edge, cutoff = (not numbers.same([a], [b]) for a, b in zip(was, now, strict=True))
        if kind:
            lamp = build.LAMPS[int(now[0])] if now[0] >= 0 else ""
            if lamp not in _TYPES:
                raise ValueError("a compiled light is a point, a spot or a sun: no area light, and nothing else")
            found.setdefault("type", int(_TYPES[lamp]))
        if (kind and now[1]) or (not kind and (size or edge)):
            if found.get("type", int(record["type"])) != EmitType.SPOTLIGHT:
                raise ValueError("only a spotlight has a cone: make it one by its property type = 2")
            outer = math.cos(now[1] / 2)
            found.setdefault("stopdot2", round(outer, 6))
            found.setdefault("stopdot", round(outer + now[2] * (1 - outer), 6))
        if cutoff:
            found.setdefault("radius", round(now[3] / self.scale, 3))

    def _shape(self, number: int) -> Sequence[float]:
        """What the import gave a light of `build.shape_of`. Levels saved by 0.3.0 don't have it: it is made again."""
        if self.shapes is not None and number < len(self.shapes):
            kept: list[float] = self.shapes[number].tolist()
            return kept
        light = build.light_of("", self.table[number], self.scale)
        shape = build.shape_of(light)
        if light is not None:
            bpy.data.lights.remove(light)
        return shape

    def _read_place(self, obj: bpy.types.Object, found: Fields, record: np.void) -> None:
        place = placement.place_of(self.scene, obj)
        aims = found.get("type", int(record["type"])) in _AIMED
        length = float(np.linalg.norm(record["normal"].astype(np.float64)))
        if place is not None:
            origin = doubles(record["origin"]).tolist()
            now_at = place.origin(origin)
            if not numbers.same(origin, now_at):
                found["origin"] = now_at
            if np.abs(place.scale - 1).max() > _SAME_WAY:
                self.report.warn(f"{obj.name}: its scale says nothing of a compiled light and is not written")
        was = record["normal"].astype(np.float64) / length if length > 0 else _UNTURNED
        way = -(place or placement.here(self.scene, obj)).rotation[:, 2]
        turned = place is not None and np.abs(way - was).max() > _SAME_WAY
        if (turned and length > 0) or (aims and length == 0 and (turned or "type" in found)):
            found["normal"] = np.round(way, 6).tolist()
        elif turned:
            self.report.warn(f"{obj.name}: it shines everywhere: that it was turned is not written")


def _shaded(intensity: Floats, was: Floats, now: Floats) -> list[float]:
    """The light of a lamp that was given another colour or power. Raises ValueError for one that had none."""
    if was[3] == 0:
        raise ValueError(f"its power was 0, so nothing says how bright it is now: edit its property {INTENSITY}")
    brightest = float(np.abs(intensity).max())
    return [float(value) for value in now[:3] * brightest * (now[3] / was[3])]


def _scaled(was: ArrayLike, shown_was: ArrayLike, shown_now: Sequence[float]) -> list[float]:
    """The light of a lamp in the other list: changed as much as in the one that is shown; the same if that was dark."""
    old, new = np.asarray(shown_was, np.float64), np.asarray(shown_now, np.float64)
    brightest = float(np.abs(old).max())
    level = float(np.abs(was).max()) / brightest if brightest else 1.0
    factors = np.divide(new, old, out=np.full(3, np.nan), where=old != 0)
    made = np.where(np.isfinite(factors), np.asarray(was, np.float64) * factors, new * level)
    return [float(value) for value in made]
