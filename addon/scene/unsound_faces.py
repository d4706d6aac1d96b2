# SPDX-License-Identifier: GPL-3.0-or-later
"""Which faces Blender can't hold, known before a mesh is made of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_USUAL_CORNERS = 8
"""Of faces: so few that comparing each with each takes less time than sorting them."""


def unsound(corner_verts: NDArray[np.int64], counts: NDArray[np.int64], vertices: int) -> NDArray[np.bool_]:
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


def _passing_twice(corners: NDArray[np.int64], counts: NDArray[np.int64], vertices: int) -> NDArray[np.bool_]:
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
