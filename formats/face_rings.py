# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces as rings of vertices: the edges of those that share none, and which no mesh of Blender's can hold."""

from __future__ import annotations

import numpy as np

from . import ranges
from .arrays import Bools, Int32s, Ints, Singles

_BLOCK = 1 << 13
"""Faces that are worked on at a time, so that what is made on the way stays in the processor's cache."""
_RING = np.array((0, 1, 1, 2, 2, 3, 3, 0), np.int32)
_USUAL_CORNERS = 8
"""Of faces: so few that comparing each with each takes less time than sorting them."""


def unsound(corner_verts: Ints, counts: Ints, vertices: int) -> Bools:
    """Say which faces Blender can't hold: they pass a vertex twice, or have the very ones of a face before them.

    corner_verts: int64[c], below `vertices`. counts: int64[f], the corners of each face, 0 too. Returns bool[f].
    """
    result = _passing_twice(corner_verts, counts, vertices)
    filled = np.flatnonzero(counts > 0)
    if not len(filled):
        return result
    starts = (np.cumsum(counts) - counts)[filled]
    lowest = np.minimum.reduceat(corner_verts, starts)
    alike = np.flatnonzero(np.bincount(lowest, minlength=vertices)[lowest] > 1)
    if not len(alike):  # of many a mesh no two faces have the same lowest vertex: nothing has to be sorted
        return result
    mixed = np.arange(vertices, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    sums = (np.add.reduceat(mixed[corner_verts], starts) + counts[filled].astype(np.uint64))[alike]
    ordered = np.sort(sums)
    if (ordered[1:] == ordered[:-1]).any():
        repeated = np.ones(len(alike), np.bool_)
        repeated[np.unique(sums, return_index=True)[1]] = False
        result[filled[alike[repeated]]] = True
    return result


def _passing_twice(corners: Ints, counts: Ints, vertices: int) -> Bools:
    """Say which faces pass a vertex twice, bool[f]."""
    twice = np.zeros(len(counts), np.bool_)
    most = int(counts.max(initial=0))
    steps = range(1, min(most, _USUAL_CORNERS))
    found = [(step, np.flatnonzero(corners[step:] == corners[:-step])) for step in steps]
    if most <= _USUAL_CORNERS and not any(len(first) for _, first in found):
        return twice
    owners = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
    for step, first in found:
        owner = owners[first]
        twice[owner[owner == owners[first + step]]] = True
    larger = (counts > _USUAL_CORNERS)[owners]
    keys = np.sort(owners[larger] * vertices + corners[larger])
    twice[keys[1:][keys[1:] == keys[:-1]] // vertices] = True
    return twice


def ring_edges(count: int, room: Singles | None = None) -> Int32s:
    """Return the edges of faces with four corners that have a vertex each, in order: int32[4 * count, 2], one from each
    corner to the next of its face.

    Those of a block of faces are those of the first block, with larger numbers. room: memory to put them into,
    float32[8 * count] or more.
    """
    edges = np.empty((count, 8), np.int32) if room is None else room[: 8 * count].view(np.int32).reshape(count, 8)
    first = 4 * np.arange(min(count, _BLOCK), dtype=np.int32)[:, None] + _RING
    for start in range(0, count, _BLOCK):
        block = edges[start : start + _BLOCK]
        np.add(first[: len(block)], np.int32(4 * start), out=block)
    return edges.reshape(-1, 2)


def share_nothing(corners: Int32s | None, starts: Int32s, count: int) -> bool:
    """Say whether each of `count` vertices belongs to one corner, in order (corners None: yes), and faces have three
    corners or more. corners: int32[c]. starts: int32[f], the first corner of each face.
    """
    if not len(starts) or (corners is not None and len(corners) != count):
        return False
    if count - int(starts[-1]) < 3 or int(np.diff(starts).min(initial=3)) < 3:
        return False
    return corners is None or ranges.are_in_order(corners)


def edges_of_rings(corners: Int32s, starts: Int32s) -> tuple[Int32s, ...]:
    """Return the edges of faces that share no vertices, int32[c, 2]: one from each corner to the next of its face; and
    int32[c], the edge of each corner.

    Such faces can't be wrong (no vertex twice, no face twice), so that validate(), which takes ten times as long to
    find the same edges, isn't needed. corners: int32[c], the vertex of each corner, which is the corner's own number.
    starts: int32[f], the first corner of each face.
    """
    edges = np.empty((len(corners), 2), np.int32)
    edges[:, 0] = corners
    edges[:-1, 1] = corners[1:]
    edges[starts[1:] - 1, 1] = starts[:-1]
    edges[-1, 1] = starts[-1]
    return edges, corners
