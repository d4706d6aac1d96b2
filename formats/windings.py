# SPDX-License-Identifier: GPL-3.0-or-later
"""Convex polygons in space, many at a time: what of each lies before and behind a plane of its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import ranges
from .arrays import Bools, Floats, Ints


@dataclass(frozen=True, slots=True)
class Windings:
    """k convex polygons."""

    points: Floats
    """float64[n, 3]."""
    first: Ints
    """int64[k + 1]: number w has the corners `first[w]` to `first[w + 1]`."""

    def __len__(self) -> int:
        return len(self.first) - 1

    @property
    def sizes(self) -> Ints:
        """int64[k]: how many corners each has."""
        return np.diff(self.first)

    @property
    def middles(self) -> Floats:
        """float64[k, 3]: the means of their corners; windings have corners."""
        return np.asarray(np.add.reduceat(self.points, self.first[:-1], axis=0) / self.sizes[:, None])

    def bounds(self) -> tuple[Floats, Floats]:
        """The boxes around them, float64[k, 3] each; windings have corners."""
        return (
            np.minimum.reduceat(self.points, self.first[:-1], axis=0),
            np.maximum.reduceat(self.points, self.first[:-1], axis=0),
        )

    def taken(self, which: Ints) -> Windings:
        """Those with the numbers int64[m], in that order."""
        sizes = self.sizes[which]
        return Windings(self.points[ranges.flat(self.first[which], sizes)], ranges.starts(sizes))

    def edges(self) -> Floats:
        """float64[n]: how far it is from each corner to the next one."""
        arms = self.points[self._following()] - self.points
        return np.asarray(np.sqrt((arms * arms).sum(axis=1)))

    def areas(self) -> Floats:
        """float64[k]."""
        arms = self.points - np.repeat(self.points[self.first[:-1]], self.sizes, axis=0)
        one, two = arms.T, arms[self._following()].T
        crosses = np.stack([one[i] * two[j] - one[j] * two[i] for i, j in ((1, 2), (2, 0), (0, 1))], axis=1)
        sums = np.add.reduceat(crosses, self.first[:-1], axis=0) if len(self) else np.empty((0, 3))
        return np.asarray(np.sqrt((sums * sums).sum(axis=1)) / 2)

    def split(self, normals: Floats, dists: Floats, near: float) -> Halves:
        """Each winding's parts before and behind its plane: normals float64[k, 3], dists float64[k].

        Corners within `near` of the plane lie on it; a winding whose corners all do is on no side.
        """
        if not len(self):
            return Halves(self, self.first[:0], self, self.first[:0], self.first[:0])
        sizes = self.sizes
        heights = np.einsum("ij,ij->i", self.points, np.repeat(normals, sizes, axis=0))
        heights -= np.repeat(dists, sizes)
        before = np.maximum.reduceat(heights, self.first[:-1]) > near
        behind = np.minimum.reduceat(heights, self.first[:-1]) < -near
        cut = np.flatnonzero(before & behind)
        front, back = np.flatnonzero(before & ~behind), np.flatnonzero(behind & ~before)
        on = np.flatnonzero(~before & ~behind)
        if not len(cut):
            return Halves(self.taken(front), front, self.taken(back), back, on)
        one, two = self.taken(cut)._cut(heights[ranges.flat(self.first[cut], sizes[cut])], near)
        return Halves(
            joined([self.taken(front), one]),
            np.concatenate([front, cut]),
            joined([self.taken(back), two]),
            np.concatenate([back, cut]),
            on,
        )

    def _following(self) -> Ints:
        """int64[n]: the corner after each."""
        following = np.arange(1, len(self.points) + 1)
        sizes = self.sizes
        following[self.first[1:][sizes > 0] - 1] = self.first[:-1][sizes > 0]
        return following

    def _cut(self, heights: Floats, near: float) -> tuple[Windings, Windings]:
        """Both parts of windings that their planes cut: heights float64[n] of the corners above these."""
        following = self._following()
        after = heights[following]
        crosses = ((heights > near) & (after < -near)) | ((heights < -near) & (after > near))
        with np.errstate(all="ignore"):  # edges along a plane divide by zero; what comes of it is left out
            share = heights / (heights - after)
            cuts = self.points + share[:, None] * (self.points[following] - self.points)
        both = np.stack([self.points, cuts], axis=1).reshape(-1, 3)
        return self._kept(both, heights >= -near, crosses), self._kept(both, heights <= near, crosses)

    def _kept(self, both: Floats, corners: Bools, crosses: Bools) -> Windings:
        kept = np.stack([corners, crosses], axis=1).reshape(-1)
        counts = np.add.reduceat(kept.astype(np.int64), 2 * self.first[:-1])
        return Windings(both[kept], ranges.starts(counts))


@dataclass(frozen=True, slots=True)
class Halves:
    """What planes leave of windings: the parts before and behind, which one each is of, and those that lie on them."""

    front: Windings
    of_front: Ints
    back: Windings
    of_back: Ints
    on: Ints


def joined(parts: list[Windings]) -> Windings:
    """Several as one, one's windings after another's; at least one."""
    return Windings(
        np.concatenate([part.points for part in parts]), ranges.starts(np.concatenate([part.sizes for part in parts]))
    )


def squares(normals: Floats, dists: Floats, half: float) -> Windings:
    """A square on each plane, its sides 2 x `half` long, around the point that is nearest to the origin.

    Anticlockwise seen from where the normals (float64[k, 3], of length 1) point.
    """
    count = len(normals)
    away = np.zeros((count, 3))
    away[np.arange(count), np.abs(normals).argmin(axis=1)] = 1
    u = np.cross(away, normals)
    u /= np.sqrt((u * u).sum(axis=1))[:, None]
    v = np.cross(normals, u)
    middles = normals * dists[:, None]
    corners = [middles + half * (a * u + b * v) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    return Windings(np.stack(corners, axis=1).reshape(-1, 3), 4 * np.arange(count + 1))
