# SPDX-License-Identifier: GPL-3.0-or-later
"""Corners of other faces on edges of new ones, which become corners of these, as in compilers' faces (source.md §4.5).

Where faces meet with other corners along one line, rounding leaves gaps of a pixel between them. Faces that stay aren't
touched: a new corner on one of their edges stays open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...arrays import Floats
from ..edits.changes import Changes
from ..lumps import LumpId
from . import lightmap_size
from .drafts import Draft
from .rings import ON, FlatRings

_APART = 0.1
"""Units that corners of an edge are apart at least."""
_MOST = 32
"""Corners that a face gets by it at most."""


def closed(changes: Changes, made: Sequence[Draft], corners: Floats) -> list[Draft]:
    """Faces to be, with all corners float64[n, 3] of others that lie on their edges, as far as that leaves them their
    lightmaps; of those that moved whole, with the normals of their corners, as they are. Their own corners count, too.
    """
    if not made:
        return []
    points = np.unique(np.concatenate([corners, *(draft.points for draft in made)]), axis=0)
    rings = [draft.points if draft.whole else _with(draft.points, points) for draft in made]
    vectors = changes.table(LumpId.TEXINFO)["lightmap_vecs"].astype(np.float64)[[draft.texinfo for draft in made]]
    was, now = (
        np.concatenate(lightmap_size.extents(FlatRings.of(each), vectors), axis=1)
        for each in ([draft.points for draft in made], rings)
    )
    same = (was == now).all(axis=1)
    return [
        replace(draft, points=ring) if fits and len(draft.points) < len(ring) <= _MOST else draft
        for draft, ring, fits in zip(made, rings, same.tolist(), strict=True)
    ]


def _with(ring: Floats, points: Floats) -> Floats:
    """A polygon with those of points float64[n, 3] that lie on its edges, between their ends."""
    low, high = ring.min(axis=0) - ON, ring.max(axis=0) + ON
    near = points[((points >= low) & (points <= high)).all(axis=1)]
    ends = np.roll(ring, -1, axis=0)
    along = ends - ring
    lengths = np.sqrt((along * along).sum(axis=1))
    made = []
    for start, way, length in zip(ring, along, lengths.tolist(), strict=True):
        made.append(start[None])
        if length > 2 * _APART:
            there = (near - start) @ way / length
            off = np.abs(near - start - there[:, None] * way / length).max(axis=1)
            found = np.flatnonzero((off <= ON) & (there > _APART) & (there < length - _APART))
            found = found[np.argsort(there[found], kind="stable")]
            apart = np.diff(there[found], prepend=-np.inf) > _APART
            made.append(near[found[apart]])
    return np.concatenate(made)
