# SPDX-License-Identifier: GPL-3.0-or-later
"""Area portals: brushes that belong to entities, but that the compiler put into the world."""

import numpy as np

from ... import ranges
from ...arrays import Floats, Ints
from ...binary import FormatError
from ..entities.text import Entity
from ..level import Level
from ..lumps import LumpId
from ..records import Contents
from . import texture_axes
from .connections import PORTAL_NUMBER
from .solids import WORLD, VmfSolids
from .tools import AREAPORTAL

THICK = 2.0
"""Units that the brush of a portal or an occluder is given."""

_NEAR = 1.0  # units that the middle of a portal may lie beside its brush


def owners(level: Level, solids: VmfSolids) -> tuple[Ints, list[VmfSolids]]:
    """The entities of solids, those of area portals among them; and new solids for portals without any.

    Raises FormatError.
    """
    numbers = solids.owners.copy()
    keys = numbered(level.entities, PORTAL_NUMBER)
    if not keys:
        return numbers, []
    loops = {key: loop for key, loop in _polygons(level).items() if key in keys}
    found = _matched(solids, sorted(keys), loops, _portal_brushes(level, solids))
    for key, solid in found.items():
        numbers[solid] = keys[key]
    return numbers, [prism(loop, keys[key], AREAPORTAL, AREAPORTAL) for key, loop in loops.items() if key not in found]


def _matched(solids: VmfSolids, keys: list[int], loops: dict[int, Floats], free: list[int]) -> dict[int, int]:
    """The solid of each portal that has one. keys: in order; loops: polygons, of some; free: solids in order.

    vbsp puts the brushes into the map in the order of their keys. Where there are as many, and most polygons lie in
    the brush that is theirs then, they are matched by that: two portals may have one polygon. Else by polygons alone.
    """
    fits = {
        key: [place for place, solid in enumerate(free) if _around(solids, solid, loop.mean(axis=0))]
        for key, loop in loops.items()
    }
    inside = sum(place in fits.get(key, ()) for place, key in enumerate(keys))
    if len(keys) == len(free) and 2 * inside >= len(loops):
        return dict(zip(keys, free, strict=True))
    found: dict[int, int] = {}
    used: set[int] = set()
    for key in keys:
        place = next((place for place in fits.get(key, ()) if place not in used), None)
        if place is not None:
            used.add(place)
            found[key] = free[place]
    return found


def numbered(entities: list[Entity], key: str) -> dict[int, int]:
    """The point entity that has each number under a key."""
    found: dict[int, int] = {}
    for place, entity in enumerate(entities):
        text = (entity.get(key) or "").strip()
        if place != WORLD and entity.model is None and text.isascii() and text.isdigit() and len(text) < 10:
            found.setdefault(int(text), place)
    return found


def _portal_brushes(level: Level, solids: VmfSolids) -> list[int]:
    contents = level.table(LumpId.BRUSHES)["contents"].astype(np.int64)
    compiled = solids.brushes >= 0
    is_portal = np.zeros(len(solids), np.bool_)
    is_portal[compiled] = contents[solids.brushes[compiled]] & int(Contents.AREAPORTAL) > 0
    return [int(brush) for brush in np.flatnonzero(is_portal & (solids.owners == WORLD))]


def _around(solids: VmfSolids, solid: int, point: Floats) -> bool:
    sides = slice(int(solids.first_side[solid]), int(solids.first_side[solid + 1]))
    return bool((solids.normals[sides] @ point <= solids.dists[sides] + _NEAR).all())


def _polygons(level: Level) -> dict[int, Floats]:
    """The polygon of each portal, by its key. Raises FormatError for corners that aren't there."""
    portals = level.table(LumpId.AREAPORTALS)
    points = level.table(LumpId.CLIPPORTALVERTS)["point"].astype(np.float64)
    first, counts = (portals[name].astype(np.int64) for name in ("first_clip_portal_vert", "clip_portal_verts"))
    if (first + counts > len(points)).any():
        raise FormatError(f"corners behind the {len(points)} that there are", "area portals")
    keys = portals["portal_key"].tolist()
    found: dict[int, Floats] = {}
    for key, start, count in zip(keys, first.tolist(), counts.tolist(), strict=True):
        if count > 2:
            found.setdefault(key, points[start : start + count])
    return found


@np.errstate(all="ignore")  # hostile floats
def prism(loop: Floats, owner: int, front: str, rest: str) -> VmfSolids:
    """A solid as thick as THICK with a polygon float64[k, 3], clockwise from the front, in its middle."""
    count = len(loop)
    arms = np.nan_to_num(loop - loop[0], posinf=0.0, neginf=0.0)
    area = np.cross(np.roll(arms, -1, axis=0), arms).sum(axis=0)
    length = float(np.sqrt((area * area).sum()))
    normal = area / length if length else np.array([0.0, 0.0, 1.0])
    top, bottom = loop + normal * THICK / 2, loop - normal * THICK / 2
    after = np.roll(np.arange(count), -1)
    corners = [top, bottom[::-1], *(np.stack([top[j], top[i], bottom[i], bottom[j]]) for i, j in enumerate(after))]
    sideways = np.cross(loop - loop[after], normal)
    sideways /= np.maximum(np.sqrt((sideways * sideways).sum(axis=1)), 1e-9)[:, None]
    normals = np.concatenate([[normal], [-normal], sideways])
    dists = np.array([(normals[side] * polygon[0]).sum() for side, polygon in enumerate(corners)])
    sides = count + 2
    return VmfSolids(
        np.array([owner], np.int64),
        np.zeros(1, np.bool_),
        np.full(1, -1, np.int64),
        np.array([0, sides], np.int64),
        normals,
        dists,
        np.concatenate(corners),
        ranges.starts([len(polygon) for polygon in corners]),
        texture_axes.standard(normals),
        np.full(sides, texture_axes.LUXEL),
        np.zeros(sides, np.uint32),
        [front, *[rest] * (sides - 1)],
        np.zeros(sides, np.int64),
        np.full(sides, -1, np.int64),
        np.full(sides, -1, np.int64),
    )
