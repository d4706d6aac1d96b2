# SPDX-License-Identifier: GPL-3.0-or-later
"""Normals of faces, and the smoothed ones of smooth edges (ns2.md §7, §9)."""

import numpy as np

from ..arrays import Bools, Floats, Indices, Reals, Singles
from .walk import gather

_BLOCK = 1 << 14  # faces at a time: what is worked out for them then stays in the processor's cache


def face_normals(positions: Reals, corners: Indices, face_loops: Indices, loop_members: Indices) -> Floats:
    """Unit normals float64[n, 3] of faces on their visible side, by their borders; NaN for faces without an area.

    `positions` [v, 3], `corners` int[k]: the vertex of each member, `face_loops` int[n + 1], `loop_members` int[l + 1].
    """
    starts, members = gather(loop_members, face_loops[:-1])
    columns = [np.asarray(column, np.float64) for column in np.asarray(positions).T]
    areas = np.empty((3, len(starts) - 1))
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        for begin in range(0, len(starts) - 1, _BLOCK):
            some = starts[begin : begin + _BLOCK + 1]
            areas[:, begin : begin + _BLOCK] = _areas(columns, corners[members[some[0] : some[-1]]], some - some[0])
        return _unit(areas.T)


def _areas(columns: list[Floats], vertices: Indices, starts: Indices) -> Floats:
    """Twice the areas of polygons along each axis [3, n], by x, y and z of all vertices.

    Column by column, which is faster than rows of three.
    """
    sizes = np.diff(starts)
    filled = sizes > 0
    first, last = starts[:-1][filled], starts[1:][filled] - 1
    areas = np.zeros((3, len(sizes)))
    # About the first corner of each: far from the origin areas would lose their last bits. The last corner, from which
    # an edge leads back there, then adds nothing.
    own = [column.take(vertices) for column in columns]
    for column in own:
        column -= np.repeat(column[first], sizes[filled])
    turns = np.zeros(len(vertices))
    for axis in range(3 if len(first) else 0):
        one, two = own[(axis + 1) % 3], own[(axis + 2) % 3]
        np.multiply(one[:-1], two[1:], out=turns[:-1])
        turns[:-1] -= two[:-1] * one[1:]
        turns[last] = 0
        areas[axis, filled] = np.add.reduceat(turns, first)
    return areas


def _unit(vectors: Floats) -> Floats:
    """Vectors [n, 3] of length 1, in memory column by column."""
    x, y, z = vectors.T
    return np.asarray((vectors.T / np.sqrt(x * x + y * y + z * z)).T)


def smoothed_normals(
    normals: Floats, smooth: Bools, member_edges: Indices, corners: Indices, ends: Indices, member_faces: Indices
) -> tuple[Singles, Indices]:
    """The normals of smooth edges, and which of them each corner of a face has.

    `normals` float64[n, 3]: of the faces; `smooth` bool[e]; `member_edges`, `corners`, `ends`, `member_faces` int[k]:
    of each member of a loop its edge, the vertices where it starts and ends, and its face. A smooth edge that exactly
    two faces pass has a normal: the unit sum of theirs (not finite where a face has none). Both ends of the edge have
    it in both faces; where two such edges of a face meet in a corner, the one that ends there counts (220 of 223
    measured). Returns float32[s, 3], in the order of the first members that pass their edges, and int[k], where s means
    none.
    """
    members = np.flatnonzero(smooth[member_edges])
    members = members[np.lexsort((members, member_edges[members]))]
    edges, first, counts = np.unique(member_edges[members], return_index=True, return_counts=True)
    del edges
    first = first[counts == 2]
    one, two = members[first], members[first + 1]
    apart = member_faces[one] != member_faces[two]
    one, two = one[apart], two[apart]
    order = np.argsort(one)
    one, two = one[order], two[order]
    with np.errstate(invalid="ignore", divide="ignore"):
        values = _unit(normals[member_faces[one]] + normals[member_faces[two]]).astype(np.float32)
    # A face's corners at one vertex have one normal.
    own, numbers = np.concatenate([one, two]), np.tile(np.arange(len(one)), 2)
    size = int(max(corners.max(initial=0), ends.max(initial=0))) + 1
    keys = np.concatenate([member_faces[own] * size + ends[own], member_faces[own] * size + corners[own]])
    places, chosen = np.unique(keys, return_index=True)  # the first of equals: edges that end there
    wanted = member_faces * size + corners
    at = np.searchsorted(places, wanted).clip(max=max(len(places) - 1, 0))
    result = np.full(len(corners), len(one), np.intp)
    if len(places):
        found = places[at] == wanted
        result[found] = np.tile(numbers, 2)[chosen[at[found]]]
    return values, result
