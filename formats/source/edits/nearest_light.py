# SPDX-License-Identifier: GPL-3.0-or-later
"""Which luxel of the faces that were there is nearest to each one of a new face.

A luxel's place is where it lies on its face's plane. Of a few faces near a new one, the luxel next to a point is the
one that the point falls on when it is put onto their plane and clipped to their lightmap: nothing has to be searched.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ... import matrices
from ...arrays import Bools, Floats, Ints

_NEAR = 12
"""Faces that are looked at for each new one."""
_TURNED = 48.0
"""Units that a face counts as farther away when it looks across; twice as many when it looks the other way."""
_STEP, _LUXELS = 12, 1 << 13
"""Faces and luxels at once: memory stays small."""


@dataclass(frozen=True, slots=True, eq=False)
class LuxelPlanes:
    """n lightmaps on planes."""

    vectors: Floats
    """float64[n, 2, 4]."""
    normals: Floats
    """float64[n, 3]."""
    dists: Floats
    """float64[n]."""
    mins: Ints
    """int64[n, 2], the first luxel along s and t."""
    sizes: Ints
    """int64[n, 2], how many there are."""
    low: Floats
    """float64[n, 3], of the boxes of their faces."""
    high: Floats
    """float64[n, 3]."""

    def take(self, which: Bools) -> LuxelPlanes:
        """Some of them, bool[n]."""
        vectors, normals, dists = (part[which] for part in (self.vectors, self.normals, self.dists))
        return LuxelPlanes(
            vectors, normals, dists, self.mins[which], self.sizes[which], self.low[which], self.high[which]
        )

    def moved(self, place: Floats, which: Bools) -> LuxelPlanes:
        """The same, but some, bool[n], where a place float64[4, 4] takes them, which turns and doesn't scale."""
        turn, shift = place[:3, :3], place[:3, 3]
        vectors, normals, dists, low, high = (
            each.copy() for each in (self.vectors, self.normals, self.dists, self.low, self.high)
        )
        vectors[which, :, :3] = vectors[which, :, :3] @ turn.T
        vectors[which, :, 3] -= vectors[which, :, :3] @ shift
        normals[which] = normals[which] @ turn.T
        dists[which] += normals[which] @ shift
        middle, half = (low[which] + high[which]) / 2 @ turn.T + shift, (high[which] - low[which]) / 2 @ np.abs(turn).T
        low[which], high[which] = middle - half, middle + half
        return LuxelPlanes(vectors, normals, dists, self.mins, self.sizes, low, high)

    @property
    def back(self) -> Floats:
        """float64[n, 3, 3]: what takes s and t, without what is added to them, and the plane's dist to a point."""
        made = np.concatenate([self.vectors[:, :, :3], self.normals[:, None]], axis=1)
        flat = np.abs(np.linalg.det(made)) < 1e-12
        made[flat] = np.eye(3)
        return matrices.inverse(made)

    def points(self, back: Floats, which: Ints, luxels: Ints) -> Floats:
        """float64[k, 3]: where luxels int64[k, 2] of lightmaps int64[k] are. back: see there."""
        placed = self.mins[which] + luxels - self.vectors[which, :, 3]
        return np.asarray(np.einsum("kij,kj->ki", back[which], np.column_stack([placed, self.dists[which]])))


def near(made: LuxelPlanes, there: LuxelPlanes) -> Ints:
    """The faces nearest to new ones, the first one first: int64[n, k]; k is 0 where there are none."""
    most = min(_NEAR, len(there.dists))
    found = np.zeros((len(made.dists), most), np.int64)
    for start in range(0, len(made.dists) if most else 0, _STEP):
        part = slice(start, start + _STEP)
        gaps = np.maximum(made.low[part, None] - there.high, there.low - made.high[part, None]).clip(0)
        away = np.sqrt((gaps * gaps).sum(axis=2)) + _TURNED * (1 - made.normals[part] @ there.normals.T)
        best = np.argpartition(away, most - 1, axis=1)[:, :most]
        order = np.argsort(np.take_along_axis(away, best, axis=1), axis=1, kind="stable")
        found[part] = np.take_along_axis(best, order, axis=1)
    return found


def nearest(made: LuxelPlanes, there: LuxelPlanes, candidates: Ints, owners: Ints, luxels: Ints) -> tuple[Ints, Ints]:
    """For luxels int64[k, 2] of new lightmaps int64[k] the nearest that was there: its lightmap int64[k], and where in
    it, int64[k, 2]. candidates: of each new lightmap, as `near` gives them.
    """
    ways = made.back, there.back
    found = [
        _nearest(made, there, candidates, owners[at : at + _LUXELS], luxels[at : at + _LUXELS], ways)
        for at in range(0, len(owners), _LUXELS)
    ]
    none = np.zeros(0, np.int64), np.zeros((0, 2), np.int64)
    face, place = (np.concatenate(part) for part in zip(none, *found, strict=True))
    return face, place


def _nearest(
    made: LuxelPlanes, there: LuxelPlanes, candidates: Ints, owners: Ints, luxels: Ints, ways: tuple[Floats, Floats]
) -> tuple[Ints, Ints]:
    """As `nearest`. ways: `LuxelPlanes.back` of both."""
    points, back = made.points(ways[0], owners, luxels), ways[1]
    best = np.full(len(owners), np.inf)
    face, place = np.zeros(len(owners), np.int64), np.zeros((len(owners), 2), np.int64)
    for column in candidates.T:
        which = column[owners]
        normals = there.normals[which]
        heights = np.einsum("ki,ki->k", normals, points) - there.dists[which]
        flat = points - heights[:, None] * normals
        vectors = there.vectors[which]
        placed = np.einsum("ksi,ki->ks", vectors[:, :, :3], flat) + vectors[:, :, 3] - there.mins[which]
        with np.errstate(invalid="ignore"):
            own = np.clip(np.rint(np.nan_to_num(placed)), 0, there.sizes[which] - 1).astype(np.int64)
        off = points - there.points(back, which, own)
        turned = _TURNED * (1 - np.einsum("ki,ki->k", normals, made.normals[owners]))
        away = np.sqrt((off * off).sum(axis=1)) + turned
        nearer = away < best
        best[nearer], face[nearer], place[nearer] = away[nearer], which[nearer], own[nearer]
    return face, place
