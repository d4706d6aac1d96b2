# SPDX-License-Identifier: GPL-3.0-or-later
"""Area portals and occluders: brushes that belong to entities, but that the compiler put into lumps of their own."""

import numpy as np

from ... import ranges
from ...binary import FormatError
from ..entities import Entity
from ..geometry import Floats, Ints
from ..level import Level
from ..lumps import LumpId
from ..records import Contents
from . import texture_axes, tools
from .connections import OCCLUDER_NUMBER, PORTAL_NUMBER
from .solids import WORLD, VmfSolids

AREAPORTAL, OCCLUDER = "tools/toolsareaportal", "tools/toolsoccluder"
THICK = 2.0
"""Units that the brush of a portal or an occluder is given."""

_NEAR = 1.0  # units that the middle of a portal may lie beside its brush


def owners(level: Level, solids: VmfSolids) -> tuple[Ints, list[VmfSolids]]:
    """The entities of solids, those of portals among them; and new solids for portals and occluders without any.

    A portal's brush is around the middle of the polygon that the map has of it. Raises FormatError.
    """
    numbers = solids.owners.copy()
    entities = level.entities
    made: list[VmfSolids] = []
    keys = _numbers(entities, PORTAL_NUMBER)
    if keys:
        free = _portal_brushes(level, solids)
        for key, loop in _portal_polygons(level).items():
            if key not in keys:
                continue
            middle = loop.mean(axis=0)
            found = next((brush for brush in free if _around(solids, brush, middle)), None)
            if found is None:
                made.append(prism(loop, keys[key], AREAPORTAL, AREAPORTAL))
            else:
                numbers[found] = keys[key]
                free.remove(found)
    keys = _numbers(entities, OCCLUDER_NUMBER)
    if keys:
        for number, loops in _occluder_polygons(level).items():
            if number in keys:
                made += [prism(loop, keys[number], OCCLUDER, tools.NODRAW) for loop in loops]
    return numbers, made


def _numbers(entities: list[Entity], key: str) -> dict[int, int]:
    """The entity that has each number under a key."""
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


def _portal_polygons(level: Level) -> dict[int, Floats]:
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


def _occluder_polygons(level: Level) -> dict[int, list[Floats]]:
    """The polygons of each occluder. Raises FormatError for what isn't there."""
    lump = level.occlusion
    if lump is None:
        return {}
    points = level.table(LumpId.VERTEXES)["point"].astype(np.float64)
    numbers = lump.vertices["vertex"].astype(np.int64)
    starts, sizes = (lump.polys[name].astype(np.int64) for name in ("firstvertexindex", "vertexcount"))
    first, counts = (lump.occluders[name].astype(np.int64) for name in ("firstpoly", "polycount"))
    inside = bool(((numbers >= 0) & (numbers < len(points))).all())
    for begin, count, size in ((starts, sizes, len(numbers)), (first, counts, len(lump.polys))):
        inside = inside and not bool(((begin < 0) | (count < 0) | (begin + count > size)).any())
        ranges.check_total(count, size, "occluders")
    if not inside:
        raise FormatError("polygons or corners that aren't there", "occluders")
    return {
        number: [
            points[numbers[starts[poly] : starts[poly] + sizes[poly]]]
            for poly in range(first[number], first[number] + counts[number])
            if sizes[poly] > 2
        ]
        for number in range(len(counts))
    }


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
