# SPDX-License-Identifier: GPL-3.0-or-later
"""Which parts of faces are of brushes that are changed: faces are shared where the compiler joined them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from ... import ranges
from ...arrays import Bools, Floats, Ints
from ...binary import FormatError
from .. import geometry
from ..edits.changes import Changes
from ..faces import face_sides
from ..geometry import Polygons
from ..level import Level
from ..lumps import LumpId
from ..sections import face_brushes
from ..tree import brushes
from ..tree.brushes import Solids
from ..tree.leaf_tree import Tabled
from .rings import ON, FlatRings, is_thin, parted


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A part of a face."""

    face: int
    brush: int
    """Whose it is."""
    side: int
    """The side's row in BRUSHSIDES; -1: of a brush that stays."""
    points: Floats
    """float64[n, 3], clockwise seen from the front."""
    whole: bool
    """The face's own corners, all of it."""


@dataclass(frozen=True, slots=True, eq=False)
class _Sides:
    """Sides s of brushes."""

    brush: Ints
    row: Ints
    plane: Ints
    texinfo: Ints
    rings: FlatRings
    """Clockwise seen from the front, as faces."""


def parts(level: Level, polygons: Polygons, chosen: Collection[int]) -> list[Part]:
    """The faces that some brushes have a part in, in parts. Faces of others and displaced ones are left out.

    chosen: numbers of brushes of the world. A part is of the side on whose plane it is and within whose polygon; of
    several that of a brush that the map names for the face (CS:GO), then one with its texinfo, then the first.
    Raises FormatError.
    """
    faces = level.table(geometry.drawn_faces(level))
    sides = _sides(level, np.fromiter(chosen, np.int64, len(chosen)))
    own = np.isin(sides.brush, list(chosen))
    ours = of_world(level)
    planes = faces["planenum"].astype(np.int64)
    near = np.flatnonzero(ours & (faces["dispinfo"] < 0) & np.isin(planes, sides.plane[own]))
    rings = rings_of(polygons, near)
    named = _named(level, near)
    found: list[Part] = []
    low, high = sides.rings.boxes()
    for place, ring in enumerate(rings.listed()):
        face = int(near[place])
        there = np.flatnonzero(sides.plane == planes[face])
        apart = (low[there] > ring.max(axis=0) + ON) | (high[there] < ring.min(axis=0) - ON)
        there = there[~apart.any(axis=1)]
        if not own[there].any():
            continue
        facing, dists = sides.rings.take(there).walls  # of a few at once: of all it would take much memory
        heights = np.einsum("smi,ki->smk", facing, ring) - dists[:, :, None]
        meets = ((heights.min(axis=2) < -ON) | ~facing.any(axis=2)).all(axis=1)
        holds = (heights.max(axis=2) <= ON).all(axis=1)[meets]
        there = there[meets]
        other = sides.texinfo[there] != int(faces["texinfo"][face])
        rank = np.lexsort((there, other, ~np.isin(sides.brush[there], named.get(face, ()))))
        if own[there].any():
            found += _shared(face, ring, sides, own, there[rank], holds[rank])
    return found


def of_world(level: Level) -> Bools:
    """bool[faces]: which drawn faces are the world's."""
    ours, model = np.zeros(len(level.table(geometry.drawn_faces(level))), np.bool_), level.table(LumpId.MODELS)[0]
    ours[int(model["firstface"]) : int(model["firstface"]) + int(model["numfaces"])] = True
    return ours


def _shared(face: int, ring: Floats, sides: _Sides, own: Bools, order: Ints, holds: Bools) -> list[Part]:
    """A face shared out to sides in their order, which hold all of it or not; none where all is of sides that stay."""
    left, found, taken = [ring], [], False
    for side, all_of_it in zip(order.tolist(), holds.tolist(), strict=True):
        mine = bool(own[side])
        who = (int(sides.brush[side]), int(sides.row[side])) if mine else (-1, -1)
        if all_of_it and len(left) == 1 and left[0] is ring:
            return [Part(face, *who, ring, True)] if mine else []
        inside, outside = parted(left, sides.rings.corners[side, : sides.rings.sizes[side]])
        if inside:
            taken |= mine
            found += [Part(face, *who, points, False) for points in inside]
            left = outside
        if not left:
            break
    found += [Part(face, -1, -1, points, False) for points in left if not is_thin(points)]
    return found if taken else []


def rings_of(polygons: Polygons, faces: Ints) -> FlatRings:
    """Faces, int64[n], as polygons."""
    counts = np.diff(polygons.first_corner)[faces]
    corners = polygons.corners[ranges.flat(polygons.first_corner[faces], counts)]
    return FlatRings.of_runs(polygons.positions[corners].astype(np.float64), counts)


def side_rings(level: Tabled, numbers: Ints) -> tuple[Solids, FlatRings]:
    """The solids of brushes, int64[n], and the polygons of their sides, clockwise seen from the front."""
    solids = brushes.solids(level, numbers)
    counts = np.diff(solids.polygons.first_corner)
    owners, first = ranges.owners(counts), solids.polygons.first_corner
    local = np.arange(len(owners)) - ranges.starts(counts)[owners]
    turned = solids.polygons.corners[first[owners] + counts[owners] - 1 - local]
    return solids, FlatRings.of_runs(solids.polygons.positions[turned], counts)


def _sides(level: Level, chosen: Ints) -> _Sides:
    """The sides of brushes of the world on whose planes the chosen ones have sides, without what bounds nothing."""
    table, sides = level.table(LumpId.BRUSHES), level.table(LumpId.BRUSHSIDES)
    owners = ranges.owners(table["numsides"])
    rows = ranges.flat(table["firstside"], table["numsides"])
    planes = sides["planenum"].astype(np.int64)[rows]
    mine = np.isin(owners, chosen) & (sides["bevel"][rows] == 0)
    world = brushes.of_models(level) == 0
    near = np.unique(owners[np.isin(planes, np.unique(planes[mine]))])
    near = near[world[near]]
    solids, rings = side_rings(level, near)
    used = np.flatnonzero(rings.sizes > 0)
    row = solids.sides[used]
    return _Sides(
        near[ranges.owners(solids.brushes["numsides"])[used]],
        row,
        sides["planenum"].astype(np.int64)[row],
        sides["texinfo"].astype(np.int64)[row],
        rings.take(used),
    )


def _named(level: Level, faces: Ints) -> dict[int, Ints]:
    """The brushes of faces, where the map says them."""
    try:
        owners, named = face_brushes.pairs(level.table(LumpId.CLUSTERS), level.table(LumpId.PORTALS))
    except FormatError:
        return {}
    kept = np.isin(owners, faces)
    owners, named = owners[kept], named[kept]
    found, first = np.unique(owners, return_index=True)
    return dict(zip(found.tolist(), np.split(named, first)[1:], strict=True))


def side_rows(changes: Changes, brush: int) -> Ints:
    """The sides of a brush as it was, without bevels: rows of BRUSHSIDES, int64[n]."""
    row = changes.level.table(LumpId.BRUSHES)[brush]
    rows = np.arange(int(row["firstside"]), int(row["firstside"]) + int(row["numsides"]))
    return np.asarray(rows[changes.level.table(LumpId.BRUSHSIDES)["bevel"][rows] == 0])


def displaced(level: Level) -> dict[int, Ints]:
    """The displacements that lie on sides of brushes of the world, by brush: int64[n, 2], their numbers and the sides'
    rows in BRUSHSIDES. Those brushes can't go without them.

    Their own brushes the compiler left out; but another one's side may be beneath. Raises FormatError.
    """
    faces = level.table(geometry.drawn_faces(level))
    there = np.flatnonzero(faces["dispinfo"] >= 0)
    if not len(there):
        return {}
    solids = brushes.solids(level)
    flat = faces.copy()
    flat["dispinfo"] = np.where(faces["dispinfo"] >= 0, -1, 0)  # just those are looked for
    sides = face_sides.of_faces(level, solids, geometry.polygons(level), flat)[there]
    owners = ranges.owners(solids.brushes["numsides"])
    world = brushes.of_models(level) == 0
    found: dict[int, list[tuple[int, int]]] = {}
    for face, side in zip(there.tolist(), sides.tolist(), strict=True):
        if side >= 0 and world[owners[side]]:
            pair = int(faces["dispinfo"][face]), int(solids.sides[side])
            found.setdefault(int(owners[side]), []).append(pair)
    return {brush: np.array(pairs, np.int64) for brush, pairs in found.items()}
