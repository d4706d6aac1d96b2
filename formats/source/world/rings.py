# SPDX-License-Identifier: GPL-3.0-or-later
"""Convex flat polygons, many in one go: cut by planes, put together of others and taken out of them.

All keep the order that their corners go around in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ... import convex, ranges
from ...arrays import Bools, Floats, Ints

ON = 0.02
"""Units that corners may lie off a plane and count as on it: vbsp's vertices are off by as much."""
_LEAST_CORNERS = 3
SLIVER = 0.05
"""Square units: what has no more area than that is no polygon."""
_BENT = 1e-4
"""Share that the hull of two polygons may be larger than these and count as the two."""
_THIN = 0.1
"""Units: what is left between polygons and is no wider comes of corners that lie beside their place."""


@dataclass(frozen=True, slots=True, eq=False)
class FlatRings:
    """n polygons."""

    corners: Floats
    """float64[n, m, 3], of which the first sizes[k] count."""
    sizes: Ints
    """int64[n]."""

    @classmethod
    def of(cls, rings: Sequence[Floats]) -> FlatRings:
        """Polygons float64[k, 3] each."""
        sizes = np.array([len(ring) for ring in rings], np.int64)
        corners = np.zeros((len(rings), max(int(sizes.max(initial=0)), 1), 3))
        owners = ranges.owners(sizes)
        corners[owners, np.arange(len(owners)) - ranges.starts(sizes)[owners]] = np.concatenate(
            [np.zeros((0, 3)), *rings]
        )
        return cls(corners, sizes)

    @classmethod
    def of_runs(cls, points: Floats, sizes: Ints) -> FlatRings:
        """Polygons whose corners float64[sum of sizes, 3] follow one another."""
        corners = np.zeros((len(sizes), max(int(sizes.max(initial=0)), 1), 3))
        owners = ranges.owners(sizes)
        corners[owners, np.arange(len(owners)) - ranges.starts(sizes)[owners]] = points
        return cls(corners, np.asarray(sizes, np.int64))

    def __len__(self) -> int:
        return len(self.sizes)

    def take(self, rows: Ints | Bools) -> FlatRings:
        """Some of them: int64[k], or bool[n]."""
        return FlatRings(self.corners[rows], self.sizes[rows])

    def listed(self) -> list[Floats]:
        """Each as float64[k, 3]."""
        return [ring[:size] for ring, size in zip(self.corners, self.sizes.tolist(), strict=True)]

    @property
    def there(self) -> Bools:
        """bool[n, m]: which of the corners count."""
        return np.asarray(np.arange(self.corners.shape[1]) < self.sizes[:, None])

    @property
    def points(self) -> Floats:
        """float64[sum of sizes, 3]: the corners, one polygon after another."""
        return np.asarray(self.corners[self.there])

    @property
    def area_normals(self) -> Floats:
        """float64[n, 3]: as long as the area, along the normal that looks to where they turn clockwise."""
        arms = np.where(self.there[:, :, None], self.corners - self.corners[:, :1], 0)
        return np.asarray(convex.cross(arms[:, 1:], arms[:, :-1]).sum(axis=1) / 2)  # the first arm is 0

    @property
    def areas(self) -> Floats:
        """float64[n], square units."""
        normals = self.area_normals
        return np.asarray(np.sqrt((normals * normals).sum(axis=1)))

    @property
    def walls(self) -> tuple[Floats, Floats]:
        """The planes through the edges across each polygon, out of it: float64[n, m, 3] and [n, m]; 0 where none is."""
        following = np.where(np.arange(self.corners.shape[1]) + 1 < self.sizes[:, None], 1, 1 - self.sizes[:, None])
        following = following + np.arange(self.corners.shape[1])
        after = np.take_along_axis(self.corners, (following * self.there)[:, :, None], axis=1)
        out = convex.cross(self.area_normals[:, None], (after - self.corners) * self.there[:, :, None])  # clockwise
        lengths = np.sqrt((out * out).sum(axis=2, keepdims=True))
        out = np.divide(out, lengths, out=np.zeros_like(out), where=lengths > 0)
        return out, (out * self.corners).sum(axis=2)

    def meeting(self, ring: Floats) -> Bools:
        """bool[n]: which have more in common with another polygon float64[k, 3] in their plane than an edge."""
        facing, dists = self.walls
        own, own_dists = (part[0] for part in FlatRings.of([ring]).walls)
        theirs = np.einsum("nmi,ki->nmk", facing, ring) - dists[:, :, None]
        apart = ((theirs.min(axis=2, initial=np.inf) >= -ON) & facing.any(axis=2)).any(axis=1)
        heights = np.where(self.there[:, :, None], self.corners @ own.T - own_dists, np.inf)
        return np.asarray(~(apart | ((heights.min(axis=1, initial=np.inf) >= -ON) & own.any(axis=1)).any(axis=1)))

    def boxes(self) -> tuple[Floats, Floats]:
        """Lowest and highest corner of each, float64[n, 3] both."""
        there = self.there[:, :, None]
        low = np.where(there, self.corners, np.inf).min(axis=1, initial=np.inf)
        return low, np.where(there, self.corners, -np.inf).max(axis=1, initial=-np.inf)

    def heights(self, normals: Floats, dists: Floats) -> Floats:
        """float64[n, m]: of corners over a plane of each polygon, float64[n, 3] and [n]; 0 within `ON`, and where no
        corner is.
        """
        heights = np.einsum("nmi,ni->nm", self.corners, normals) - dists[:, None]
        return np.where(self.there & (np.abs(heights) > ON), heights, 0.0)

    def behind(self, normals: Floats, dists: Floats) -> FlatRings:
        """What of each lies behind a plane of its own, float64[n, 3] and [n]; nothing (0 corners) where less than a
        sliver does.
        """
        return self.below(self.heights(normals, dists))

    def below(self, heights: Floats) -> FlatRings:
        """What of each lies where heights float64[n, m] aren't positive."""
        corners, sizes = convex.cut(self.corners, heights, self.sizes)
        found = FlatRings(corners, sizes)
        return FlatRings(corners, np.where((sizes >= _LEAST_CORNERS) & (found.areas > SLIVER), sizes, 0))


def joined(parts: Iterable[FlatRings]) -> FlatRings:
    """All polygons of several."""
    known = list(parts)
    width = max((part.corners.shape[1] for part in known), default=1)
    padded = [np.pad(part.corners, ((0, 0), (0, width - part.corners.shape[1]), (0, 0))) for part in known]
    sizes = np.concatenate([np.zeros(0, np.int64), *(part.sizes for part in known)])
    return FlatRings(np.concatenate([np.zeros((0, width, 3)), *padded]), sizes)


def parted(rings: Sequence[Floats], by: Floats) -> tuple[list[Floats], list[Floats]]:
    """Of polygons float64[n, 3] what lies within another one in their plane, and the rest of them, in convex pieces."""
    inside, outside = FlatRings.of(rings), []
    facing, dists_of = FlatRings.of([by]).walls
    for normal, dist in zip(facing[0], dists_of[0], strict=True):
        normals, dists = np.tile(normal, (len(inside), 1)), np.full(len(inside), dist)
        heights = inside.heights(normals, dists)
        if not (heights > 0).any():
            continue
        beyond = inside.below(-heights)
        outside += [ring for ring in beyond.listed() if len(ring)]
        inside = inside.below(heights)
        inside = inside.take(inside.sizes > 0)
        if not len(inside):
            break
    return inside.listed(), outside


def without(rings: Sequence[Floats], taken: Sequence[Floats]) -> list[Floats]:
    """What is left of polygons float64[n, 3] without others in their plane; those that keep all stay what they are."""
    left = list(rings)
    for each in taken:
        if not left:
            break
        whole, left = left, []
        for ring, meets in zip(whole, FlatRings.of(whole).meeting(each).tolist(), strict=True):
            inside, outside = parted([ring], each) if meets else ([], [])
            left += outside if inside else [ring]
    return left


def merged(rings: Sequence[Floats]) -> list[Floats]:
    """Polygons float64[n, 3] of one plane that don't overlap, joined where two make a convex one."""
    left = list(rings)
    place = 0
    while place < len(left):
        for other in range(place + 1, len(left)):
            whole = _hull(np.concatenate([left[place], left[other]]), FlatRings.of(left[:1]).area_normals[0])
            area, parts = FlatRings.of([whole]).areas[0], FlatRings.of([left[place], left[other]]).areas.sum()
            if area <= parts * (1 + _BENT) + SLIVER:
                left = [*left[:place], *left[place + 1 : other], *left[other + 1 :], whole]
                place = -1
                break
        place += 1
    return left


def _hull(points: Floats, normal: Floats) -> Floats:
    """The convex polygon around points float64[n, 3] of a plane, clockwise seen from where the normal points to."""
    axis = int(np.abs(normal).argmax())
    flat = np.delete(points, axis, axis=1)
    if (normal[axis] > 0) == (axis != 1):
        flat = flat[:, ::-1]  # so that anticlockwise here is clockwise there
    order = np.lexsort(flat.T)
    halves = []
    for run in (order.tolist(), order[::-1].tolist()):
        found: list[int] = []
        for point in run:
            while len(found) > 1 and _turn(flat[found[-2]], flat[found[-1]], flat[point]) <= 0:
                found.pop()
            found.append(point)
        halves += found[:-1]
    return np.asarray(points[halves])


def _turn(a: Floats, b: Floats, c: Floats) -> float:
    """How far c lies to one side of the line from a to b, with `ON` taken off: units times that line's length."""
    x, y = (b - a).tolist()
    u, v = (c - a).tolist()
    return float(u * y - v * x) - ON * float(np.hypot(x, y))


def is_thin(ring: Floats) -> bool:
    """Whether a polygon float64[n, 3] is a strip that rounding has left."""
    return 2 * float(FlatRings.of([ring]).areas[0]) <= _THIN * float(np.sqrt((np.ptp(ring, axis=0) ** 2).sum()))
