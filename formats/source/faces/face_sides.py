# SPDX-License-Identifier: GPL-3.0-or-later
"""Which side of a brush a face was made of: only planes, textures and places say it (source.md §2.4)."""

from collections.abc import Iterator

import numpy as np

from ... import ranges
from ...arrays import Bools, Floats, Integers, Ints, Records
from ...binary import FormatError
from ..geometry import Polygons
from ..level import Level
from ..lumps import LumpId, lump_name
from ..tree import brushes
from ..tree.brushes import Solids

SAME_PLACE = 0.1
"""Units that a face's middle may lie beside a brush side."""

_PAIRS = 1 << 13  # of faces and sides, to look at in one go: their arrays stay in the cache


def listed(first: Integers, counts: Integers, size: int, lump: LumpId) -> tuple[Ints, Ints]:
    """The entries of lists and whose each is. Raises FormatError for lists outside of `size` entries."""
    begin, lengths = first.astype(np.int64), counts.astype(np.int64)
    if ((lengths < 0) | ((lengths > 0) & ((begin < 0) | (begin + lengths > size)))).any():
        raise FormatError(f"a list isn't among the {size} there are", lump_name(lump))
    ranges.check_total(lengths, size, lump_name(lump))
    return ranges.flat(begin, lengths), ranges.owners(lengths)


def models_of_faces(level: Level, count: int) -> Ints:
    """The model of each of `count` drawn faces: int64[count], -1: none. FormatError for faces that aren't there."""
    models = level.table(LumpId.MODELS)
    found = np.full(count, -1, np.int64)
    inside, owners = listed(models["firstface"], models["numfaces"], count, LumpId.MODELS)
    found[inside] = owners
    return found


def joined(left: Ints, right: Ints) -> Iterator[tuple[Ints, Ints]]:
    """All pairs of equal keys, places in `left` and in `right`, some at a time: there may be very many."""
    order = np.argsort(right, kind="stable")
    begin, end = (np.searchsorted(right[order], left, side) for side in ("left", "right"))
    counts = end - begin
    pieces = np.cumsum(counts) // _PAIRS
    for piece in np.unique(pieces[counts > 0]).tolist():
        rows = np.flatnonzero((pieces == piece) & (counts > 0))
        yield rows[ranges.owners(counts[rows])], order[ranges.flat(begin[rows], counts[rows])]


def middles(polygons: Polygons) -> Floats:
    """float64[faces, 3]: the mean of the corners of each."""
    points = polygons.positions.astype(np.float64)[polygons.corners]
    counts = np.diff(polygons.first_corner)
    sums = [np.bincount(polygons.corner_face, points[:, axis], len(counts)) for axis in range(3)]
    return np.asarray(np.column_stack(sums) / np.maximum(counts, 1)[:, None])


def around(points: Floats, solids: Solids, sides: Ints) -> Bools:
    """Which float64[n, 3] points on the planes of sides, int64[n] places in `solids`, lie in their polygons."""
    first = solids.polygons.first_corner
    counts = first[sides + 1] - first[sides]
    corners = np.asarray(solids.polygons.corners[ranges.flat(first[sides], counts)], np.int64)
    return _within(points, solids.polygons.positions, corners, counts)


@np.errstate(over="ignore", invalid="ignore")  # what is no number has nothing outside, and nothing to follow
def _within(points: Floats, positions: Floats, corners: Ints, counts: Ints) -> Bools:
    """Which float64[n, 3] points on its plane lie inside a convex polygon, or just beside it."""
    owners, firsts = ranges.owners(counts), ranges.starts(counts)
    here = positions[corners]
    following = np.arange(1, len(corners) + 1)
    following[firsts[1:][counts > 0] - 1] = firsts[:-1][counts > 0]
    edges = here[following] - here
    lengths = np.sqrt((edges * edges).sum(axis=1))
    turns = np.cross(edges, points[owners] - here)
    normals = np.column_stack([np.bincount(owners, turns[:, axis], len(counts)) for axis in range(3)])
    sizes = np.sqrt((normals * normals).sum(axis=1))
    sizes[sizes == 0] = 1
    away = np.einsum("ni,ni->n", turns, normals[owners] / sizes[owners][:, None])
    outside = away < -SAME_PLACE * lengths
    return np.asarray((np.bincount(owners, outside, len(counts)) == 0) & (counts >= 3))


def of_faces(level: Level, solids: Solids, polygons: Polygons, faces: Records) -> Ints:
    """The side that each drawn face lies on: int64[faces], places in `solids`, -1: none.

    solids: of all brushes. polygons, faces: of the drawn faces. A side fits that belongs to the same model, is on the
    same plane and around the face's middle; of several one with the same texinfo, then the first. Faces of
    displacements have none: vbsp leaves their brushes out. Raises FormatError for what isn't there.
    """
    side_records = level.table(LumpId.BRUSHSIDES)[solids.sides]
    planes = len(level.table(LumpId.PLANES))
    owners = ranges.owners(solids.brushes["numsides"])
    models = brushes.of_models(level).clip(min=0)[owners]  # a brush that no leaf has is the world's
    right = models * planes + side_records["planenum"].astype(np.int64)
    left = models_of_faces(level, len(faces)) * planes + faces["planenum"].astype(np.int64)
    wanted = np.flatnonzero(faces["dispinfo"] < 0)
    points = middles(polygons)[wanted]
    best = np.full(len(faces), -1, np.int64)
    rank = np.full(len(faces), np.iinfo(np.int64).max)  # least is best: other texinfo, then the side's place
    for face, side in joined(left[wanted], right):
        inside = around(points[face], solids, side)
        number, side = wanted[face[inside]], side[inside]
        other = faces["texinfo"][number] != side_records["texinfo"][side]
        np.minimum.at(rank, number, other * np.int64(len(right)) + side)
    found = rank < np.iinfo(np.int64).max
    best[found] = rank[found] % max(len(right), 1)
    return best
