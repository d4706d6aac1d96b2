# SPDX-License-Identifier: GPL-3.0-or-later
"""Area portals: AREAPORTALS, CLIPPORTALVERTS and the planes that they need (source.md §2.5, §3).

Which areas a portal joins, and which volume closes it, are the compiler's: only the polygon that the game looks through
and the number that its entity knows it by can be others.
"""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from ...arrays import Floats, Ints, Records
from ...binary import FormatError
from ..level import Level
from ..lumps import LumpId, lump_name
from .brush_tables import plane_numbers
from .changes import Changes, joined, put
from .flat_polygons import ON_PLANE, checked, normal_of

_LEAST_CORNERS = 3


def change(level: Level, polygons: Mapping[int, npt.ArrayLike], keys: Mapping[int, int] | None = None) -> None:
    """Give area portals other polygons, float[k, 3], and other keys, by their key as it is.

    A portal is in the lump once for each of the areas that it joins, looked at from there: a polygon is meant the same
    way round as that of the first one. Raises FormatError for portals that aren't there, for keys that others have,
    and for polygons that are not convex or not flat.
    """
    changes = Changes(level)
    portals = changes.table(LumpId.AREAPORTALS)
    new_keys = dict(keys or {})
    there = set(portals["portal_key"].tolist())
    for number in (*polygons, *new_keys):
        if number not in there:
            raise FormatError(f"the map has no area portal {number}", lump_name(LumpId.AREAPORTALS))
    rows = {number: _rows(portals, number) for number in (*polygons, *new_keys)}
    for number, corners in polygons.items():
        _reshape(changes, rows[number], number, corners)
    for number, other in new_keys.items():
        if other in there - new_keys.keys() or other <= 0 or list(new_keys.values()).count(other) > 1:
            raise FormatError(f"its key would be {other}, which another has or none can have", f"area portal {number}")
        for row in rows[number].tolist():
            put(portals, row, {"portal_key": other}, f"area portal {number}")
    changes.apply()


def _rows(portals: Records, number: int) -> Ints:
    """The records of a portal, the one that tells its polygon first."""
    rows = np.flatnonzero(portals["portal_key"] == number)
    return rows[np.argsort(portals["clip_portal_verts"][rows] < _LEAST_CORNERS, kind="stable")]


def _reshape(changes: Changes, rows: Ints, number: int, corners: npt.ArrayLike) -> None:
    """Give all records of a portal another polygon."""
    what = f"area portal {number}"
    loop, _, _ = checked(corners, what)
    portals = changes.table(LumpId.AREAPORTALS)
    loops = [_points(changes, portals[row]) for row in rows.tolist()]
    for row, before in zip(rows.tolist(), loops, strict=True):
        _put_plane(changes, row, before, after := _seen_alike(loops[0], before, loop), what)
        _put_points(changes, row, after, what)


def _points(changes: Changes, portal: np.void) -> Floats:
    first, count = int(portal["first_clip_portal_vert"]), int(portal["clip_portal_verts"])
    points = changes.table(LumpId.CLIPPORTALVERTS)["point"]
    if first + count > len(points):
        raise FormatError(f"corners {first} to {first + count} of {len(points)}", "area portals")
    return points[first : first + count].astype(np.float64)


def _seen_alike(shown: Floats, before: Floats, loop: Floats) -> Floats:
    """The new polygon as a record has it: `before` it had what `shown` is, in an order of its own."""
    if len(before) == len(shown) == len(loop):
        same = (before[:, None] == shown[None]).all(axis=2)
        if (same.sum(axis=0) == 1).all() and (same.sum(axis=1) == 1).all():
            return np.asarray(loop[same.argmax(axis=1)])
    return loop[::-1] if normal_of(before) @ normal_of(shown) < 0 else loop


def _put_plane(changes: Changes, row: int, before: Floats, after: Floats, what: str) -> None:
    """Have a record's plane be that of its new polygon, on the same side as it was; one that still fits stays."""
    portals, planes = changes.table(LumpId.AREAPORTALS), changes.table(LumpId.PLANES)
    number = int(portals["planenum"][row])
    side = 1.0
    if 0 <= number < len(planes):
        facing, dist = planes["normal"][number].astype(np.float64), float(planes["dist"][number])
        side = -1.0 if normal_of(before) @ facing < 0 else 1.0
        if side * (normal_of(after) @ facing) > 0 and np.abs(after @ facing - dist).max() < ON_PLANE:
            return
    _, normal, dist = checked(after, what)
    fitting = int(plane_numbers(changes, side * normal[None], np.array([side * dist]))[0])
    put(portals, row, {"planenum": fitting}, what)


def _put_points(changes: Changes, row: int, loop: Floats, what: str) -> None:
    """Write a record's polygon in its place, if it has as many corners and no other has them; else behind all."""
    portals, table = changes.table(LumpId.AREAPORTALS), changes.table(LumpId.CLIPPORTALVERTS)
    first, count = int(portals["first_clip_portal_vert"][row]), int(portals["clip_portal_verts"][row])
    starts = portals["first_clip_portal_vert"].astype(np.int64)
    others = (starts < first + count) & (starts + portals["clip_portal_verts"] > first)
    others &= portals["portal_key"] != portals["portal_key"][row]
    made = np.zeros(len(loop), table.dtype)
    made["point"] = loop
    if len(loop) == count and not others.any():
        table[first : first + count] = made
        return
    put(portals, row, {"first_clip_portal_vert": len(table), "clip_portal_verts": len(loop)}, what)
    changes.set_table(LumpId.CLIPPORTALVERTS, joined(table, made))
