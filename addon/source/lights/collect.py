# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled lights back from their objects: moved, turned, of another colour or power, new and gone.

Maps have them twice, for LDR and for HDR; one of the lists is shown. Lights of the other one that are at the same place
and of the same type are the same lights: they go along.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....formats import source
from ....formats.arrays import Array
from ....formats.source import LumpId, edits, numbers
from ....formats.source.numbers import doubles
from ....formats.source.records import Records
from ...scene import baselines
from ...scene.blender_types import Value
from ...scene.instances import Instance
from ...scene.reports import Report
from .. import layout
from ..collecting import placement
from ..collecting.scene_level import SceneLevel, at_fault, one_at_fault
from . import build
from .build import INTENSITY, NUMBERS

Floats = NDArray[np.float64]
Fields = dict[str, Value]

_OWN = ("cluster",)  # found anew where a light goes
_SAME_WAY = 1e-5


def apply(scene: SceneLevel, level: source.Level, report: Report) -> None:
    """Make the compiled lights of a level what the scene's are: new ones stand behind the others."""
    if not scene.instances(layout.WORLDLIGHT) and not scene.is_shown(layout.WORLDLIGHT):
        return
    lump = build.shown_lump(scene.before)
    table = scene.before.table(lump)
    shades = baselines.load(scene.collection, layout.SHADES)
    records, added = scene.records(layout.WORLDLIGHT), scene.added(layout.WORLDLIGHT)
    changes = {number: found for number, one in records.items() if (found := _changes(scene, one, table, shades))}
    new = [_new(scene, one, table, shades) for one in added]
    gone = scene.deleted(layout.WORLDLIGHT, len(table))
    if not changes and not new and not gone:
        return  # the other list may be one that can't be read
    other = LumpId.WORLDLIGHTS_HDR if lump == LumpId.WORLDLIGHTS else LumpId.WORLDLIGHTS
    twins = _twins(table, scene.before.table(other))
    objects = {number: one.object for number, one in records.items()}
    objects |= {len(table) + place: one.object for place, one in enumerate(added)}
    with one_at_fault(objects):
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
    _edit(level, other, both, new, [twin for number in gone if (twin := int(twins[number])) >= 0])
    lost = sum(int(twins[number]) < 0 for number in (*changes, *gone))
    if lost:
        report.warn(f"{lost} compiled lights that were edited are not in {other.name}, which has no such ones")


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


def _changes(scene: SceneLevel, one: Instance, table: Records, shades: Array | None) -> Fields:
    """The fields of a record (or of what a copy was copied from) that its object says otherwise. Raises SceneError."""
    obj = one.object
    with at_fault(obj):
        if one.record >= len(table):
            raise ValueError(f"compiled light {one.record} isn't there, there are {len(table)}")
        record = table[one.record]
        found: Fields = {}
        for key in NUMBERS:
            value: Value = obj.get(key, int(record[key]))
            if value != int(record[key]):
                found[key] = value
        raw: Value = obj.get(INTENSITY)
        intensity = record[INTENSITY].tolist() if raw is None else [float(value) for value in raw]
        if repr(intensity) != repr(record[INTENSITY].tolist()):
            found[INTENSITY] = intensity
        elif shades is not None and one.record < len(shades):
            was, now = shades[one.record].astype(np.float64), np.array(build.shade_of(obj))
            if not numbers.same(was.tolist(), now.tolist()):
                found[INTENSITY] = _shaded(record[INTENSITY].astype(np.float64), was, now)
        place = placement.place_of(scene, obj)
        if place is not None:
            origin = doubles(record["origin"]).tolist()
            now_at = place.origin(origin)
            if not numbers.same(origin, now_at):
                found["origin"] = now_at
            way = -place.rotation[:, 2]
            normal = record["normal"].astype(np.float64)
            length = float(np.sqrt(normal @ normal))
            if length > 0 and np.abs(way - normal / length).max() > _SAME_WAY:
                found["normal"] = np.round(way, 6).tolist()
        return found


def _shaded(intensity: Floats, was: Floats, now: Floats) -> list[float]:
    """The light of a lamp that was given another colour or power. Raises ValueError for one that had none."""
    if was[3] == 0:
        raise ValueError(f"its power was 0, so nothing says how bright it is now: edit its property {INTENSITY}")
    brightest = float(np.abs(intensity).max())
    return [float(value) for value in now[:3] * brightest * (now[3] / was[3])]


def _scaled(was: ArrayLike, shown_was: ArrayLike, shown_now: Sequence[float]) -> list[float]:
    """The light of a lamp in the other list, changed as much as in the one that is shown."""
    old, new = np.asarray(shown_was, np.float64), np.asarray(shown_now, np.float64)
    level = float(np.abs(was).max()) / (float(np.abs(old).max()) or 1.0)
    factors = np.divide(new, old, out=np.full(3, np.nan), where=old != 0)
    made = np.where(np.isfinite(factors), np.asarray(was, np.float64) * factors, new * level)
    return [float(value) for value in made]


def _new(scene: SceneLevel, one: Instance, table: Records, shades: Array | None) -> Fields:
    """The fields of a new light. Raises SceneError for one that is no copy."""
    with at_fault(one.object):
        if one.record < 0:
            raise ValueError("a compiled light of another map: copy one of this map's instead")
    found = _changes(scene, one, table, shades)
    record = table[one.record]
    kept = {name: record[name] for name in table.dtype.names or () if name not in _OWN}
    fields = {name: value.tobytes() if value.dtype.kind == "V" else value.tolist() for name, value in kept.items()}
    return fields | found
