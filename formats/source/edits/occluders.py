# SPDX-License-Identifier: GPL-3.0-or-later
"""Occluders: OCCLUSION, with the vertices and planes that its polygons need (source.md §2.7, §3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ...arrays import Floats, Ints, Records
from ...binary import FormatError
from ..level import Level
from ..lumps import LumpId, lump_name
from ..sections import occlusion
from .brush_tables import plane_numbers
from .changes import Changes, Fields, numbered, put, room_for
from .flat_polygons import ON_PLANE, checked, key, normal_of

_SHAPE = frozenset(("firstpoly", "polycount", "mins", "maxs"))


def change(
    level: Level,
    polygons: Mapping[int, Sequence[npt.ArrayLike]],
    fields: Mapping[int, Fields] | None = None,
) -> None:
    """Give occluders other polygons, and other flags (and areas), by number.

    polygons: all that an occluder has from then on, float[k, 3] each, the same way round as those that it had; without
    any it hides nothing. Those that it had already keep their vertices and planes. fields: of the records, but for
    what follows from the polygons.

    Raises FormatError for occluders and fields that aren't there, and for polygons that are not convex or not flat.
    """
    lump = level.occlusion
    if lump is None:
        raise FormatError("the map has none", lump_name(LumpId.OCCLUSION))
    numbered([*polygons, *(fields or {})], len(lump.occluders), LumpId.OCCLUSION)
    edit = _OcclusionEdit(Changes(level), lump)
    records = lump.occluders.copy()
    for number, changed in (fields or {}).items():
        for name in sorted(_SHAPE & changed.keys()):
            raise FormatError(f"{name} follows from the polygons and cannot be set", f"occluder {number}")
        put(records, number, changed, f"occluder {number}")
    if polygons:
        for number in range(len(records)):
            edit.take(records, number, polygons.get(number))
    edit.changes.set_bytes(LumpId.OCCLUSION, edit.to_bytes(records, rebuilt=bool(polygons)))
    edit.changes.apply()


@dataclass
class _OcclusionEdit:
    """The tables while polygons are changed."""

    changes: Changes
    lump: occlusion.Occlusion
    polys: list[Records] = field(default_factory=list)
    """The new ones so far."""
    vertices: list[Ints] = field(default_factory=list)
    """The new ones so far."""

    def to_bytes(self, records: Records, rebuilt: bool) -> bytes:
        """The lump's bytes."""
        old = self.lump
        polys, numbers = old.polys, old.vertices
        if rebuilt:
            polys = np.concatenate([*self.polys, old.polys[:0]]).astype(old.polys.dtype)
            numbers = np.zeros(sum(map(len, self.vertices)), old.vertices.dtype)
            numbers["vertex"] = np.concatenate([*self.vertices, np.zeros(0, np.int64)])
        return occlusion.Occlusion(records, polys, numbers, old.byte_order, old.trailing).to_bytes()

    def take(self, records: Records, number: int, polygons: Sequence[npt.ArrayLike] | None) -> None:
        """Have an occluder's polygons next: others, or (None) those that it had."""
        first, count = int(records["firstpoly"][number]), int(records["polycount"][number])
        old = self.lump.polys[first : first + count] if first >= 0 <= count else self.lump.polys[:0]
        loops = [self._vertices_of(poly) for poly in old]
        records["firstpoly"][number] = len(self.polys)
        if polygons is None:
            for poly, loop in zip(old, loops, strict=True):
                self._append(int(poly["planenum"]), loop)
            return
        what = f"occluder {number}"
        known = {key(self._points(loop)): place for place, loop in enumerate(loops)}
        for corners in polygons:
            place = known.get(key(corners))
            if place is not None:
                self._append(int(old["planenum"][place]), loops[place])
                continue
            wanted, normal, dist = checked(corners, f"a polygon of {what}")
            self._append(self._plane(old, loops, wanted, normal, dist), self._numbers(wanted))
        records["polycount"][number] = len(polygons)
        if polygons:
            points = np.concatenate([self._points(loop) for loop in self.vertices[-len(polygons) :]])
            records["mins"][number], records["maxs"][number] = points.min(axis=0), points.max(axis=0)

    def _append(self, plane: int, loop: Ints) -> None:
        poly = np.zeros(1, self.lump.polys.dtype)
        put(poly, 0, {"planenum": plane, "vertexcount": len(loop)}, "occluders")
        poly["firstvertexindex"] = sum(map(len, self.vertices))
        self.polys.append(poly)
        self.vertices.append(loop)

    def _vertices_of(self, poly: np.void) -> Ints:
        first, count = max(int(poly["firstvertexindex"]), 0), max(int(poly["vertexcount"]), 0)
        return np.asarray(self.lump.vertices["vertex"][first : first + count], np.int64)

    def _points(self, numbers: Ints) -> Floats:
        points = self.changes.table(LumpId.VERTEXES)["point"]
        if len(numbers) and not 0 <= int(numbers.min()) <= int(numbers.max()) < len(points):
            raise FormatError(f"vertex {numbers.max()} of {len(points)}", "occluders")
        return np.asarray(points[numbers], np.float64).reshape(-1, 3)

    def _plane(self, old: Records, loops: Sequence[Ints], loop: Floats, normal: Floats, dist: float) -> int:
        """The plane of a new polygon: one that the occluder has, or another, on the same side as those are."""
        planes = self.changes.table(LumpId.PLANES)
        side = 1.0
        for poly, before in zip(old, loops, strict=True):
            if not 0 <= int(poly["planenum"]) < len(planes):
                continue
            plane = planes[int(poly["planenum"])]
            facing = plane["normal"].astype(np.float64)
            side = -1.0 if normal_of(self._points(before)) @ facing < 0 else 1.0
            if side * (facing @ normal) > 0 and np.abs(loop @ facing - float(plane["dist"])).max() < ON_PLANE:
                return int(poly["planenum"])
        return int(plane_numbers(self.changes, side * normal[None], np.array([side * dist]))[0])

    def _numbers(self, loop: Floats) -> Ints:
        """The vertices of a new polygon: ones that are there, or new ones behind them."""
        table = self.changes.table(LumpId.VERTEXES)
        wanted = np.zeros(len(loop), table.dtype)
        wanted["point"] = loop
        near = np.flatnonzero(np.isin(table["point"][:, 0], wanted["point"][:, 0]))
        known = {table[number].tobytes(): number for number in near[::-1].tolist()}  # of several the first
        fresh = [row for row in dict.fromkeys(row.tobytes() for row in wanted) if row not in known]
        if fresh:
            room_for(self.changes.level, LumpId.VERTEXES, len(table), len(fresh))
            first = self.changes.append(LumpId.VERTEXES, np.frombuffer(b"".join(fresh), table.dtype))
            known |= {row: first + place for place, row in enumerate(fresh)}
        return np.array([known[row.tobytes()] for row in wanted], np.int64)
