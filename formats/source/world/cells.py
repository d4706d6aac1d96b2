# SPDX-License-Identifier: GPL-3.0-or-later
"""Convex cells of space, cut by planes one after another: what leafs and brushes are while the tree is changed.

A cut that takes away less than `ON` units is none: then the tree gets no node for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ...arrays import Floats
from ..edits.changes import FARTHEST

ON = 0.01
"""Units that points may lie off a plane and count as on it."""


@dataclass(frozen=True, slots=True, eq=False)
class Cell:
    """What lies behind all of its planes."""

    planes: Floats
    """float64[k, 4]: normals that look out, dists."""
    rings: list[Floats]
    """For each plane, the corners float64[n, 3] of its polygon, counter-clockwise seen from outside."""

    @property
    def corners(self) -> Floats:
        """The corners of all polygons: float64[n, 3], each as often as polygons meet in it."""
        return np.concatenate(self.rings)

    @property
    def box(self) -> Floats:
        """The box around it: float64[2, 3]."""
        corners = self.corners
        return np.array([corners.min(axis=0), corners.max(axis=0)])

    @property
    def volume(self) -> float:
        """In cubic units."""
        middle = self.rings[0][0]
        spans = [ring - middle for ring in self.rings]
        return sum(float(np.cross(span[1:-1], span[2:]).sum(axis=0) @ span[0]) for span in spans) / 6

    def contains(self, points: Floats, margin: float = 0.0) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Which of float64[n, 3] points lie behind all planes, these moved out by `margin` units: bool[n]."""
        return np.asarray((points @ self.planes[:, :3].T - self.planes[:, 3] <= margin).all(axis=1))

    def span(self, plane: Floats) -> tuple[float, float]:
        """How far its deepest and its highest corner lie before a plane float64[4]."""
        heights = self.corners @ plane[:3] - plane[3]
        return float(heights.min()), float(heights.max())

    def behind(self, plane: Floats) -> Cell | None:
        """What of it lies behind a plane float64[4]; None where that is nothing, itself where it is all."""
        heights = [ring @ plane[:3] - plane[3] for ring in self.rings]
        if max(float(each.max()) for each in heights) <= ON:
            return self
        if min(float(each.min()) for each in heights) >= -ON:
            return None
        planes, rings, cuts = [], [], []
        for own, ring, each in zip(self.planes, self.rings, heights, strict=True):
            kept, cut = _clipped(ring, each)
            cuts.append(cut)
            if len(kept) > 2:
                planes.append(own)
                rings.append(kept)
        lid = _ring(np.concatenate(cuts), plane[:3])
        if len(lid) > 2:
            planes.append(plane)
            rings.append(lid)
        return Cell(np.array(planes), rings) if len(rings) > 3 else None

    def within(self, planes: Iterable[Floats]) -> Cell | None:
        """What of it lies behind all of some planes float64[4]."""
        left: Cell | None = self
        for plane in planes:
            if left is None:
                return None
            left = left.behind(plane)
        return left

    def without(self, planes: Iterable[Floats]) -> list[Cell]:
        """What of it lies before any of some planes float64[4]: cells that don't overlap."""
        found: list[Cell] = []
        left: Cell | None = self
        for plane in planes:
            if left is None:
                break
            outside = left.behind(-plane)
            found += [] if outside is None else [outside]
            left = left.behind(plane)
        return found


def of_box(low: Floats, high: Floats) -> Cell:
    """The cell of a box. low, high: float64[3]."""
    planes = np.concatenate([np.column_stack([-np.eye(3), -low]), np.column_stack([np.eye(3), high])])
    rings = []
    for axis, end in ((axis, end) for end in (low, high) for axis in range(3)):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        ring = np.empty((4, 3))
        ring[:, axis] = end[axis]
        ring[:, u] = low[u], high[u], high[u], low[u]
        ring[:, v] = low[v], low[v], high[v], high[v]
        rings.append(ring if end is high else ring[::-1])
    return Cell(planes, rings)


def everything() -> Cell:
    """The cell of the whole world."""
    return of_box(np.full(3, -FARTHEST), np.full(3, FARTHEST))


def clipped(ring: Floats, plane: Floats) -> Floats:
    """What of a convex polygon float64[n, 3] lies behind a plane float64[4], of at least `ON` units; else nothing."""
    heights = ring @ plane[:3] - plane[3]
    if not len(ring) or float(heights.min()) >= -ON:
        return ring[:0]
    return ring if float(heights.max()) <= ON else _clipped(ring, heights)[0]


def area(ring: Floats) -> float:
    """The area of a flat polygon float64[n, 3], in square units."""
    if len(ring) < 3:
        return 0.0
    arms = ring[1:] - ring[0]
    total = np.cross(arms[:-1], arms[1:]).sum(axis=0)
    return float(np.sqrt(total @ total)) / 2


def _clipped(ring: Floats, heights: Floats) -> tuple[Floats, Floats]:
    """What of a ring isn't above a plane, and where it crosses it."""
    inside = heights <= 0
    if inside.all():
        return ring, ring[heights == 0]
    if not inside.any():
        return ring[:0], ring[:0]
    following, after = (np.concatenate((each[1:], each[:1])) for each in (ring, heights))
    crosses = inside != (after <= 0)
    steps = heights[crosses] / (heights[crosses] - after[crosses])
    crossings = ring[crosses] + steps[:, None] * (following[crosses] - ring[crosses])
    both = np.empty((2 * len(ring), 3))
    both[::2] = ring
    both[1::2][crosses] = crossings
    kept = np.empty(2 * len(ring), np.bool_)
    kept[::2], kept[1::2] = inside, crosses
    return _distinct(both[kept]), crossings


def _distinct(ring: Floats) -> Floats:
    """A ring without corners that are where the next one is."""
    apart = np.abs(ring - np.roll(ring, -1, axis=0)).max(axis=1) > _SAME
    return ring if apart.all() else ring[apart]


def _ring(points: Floats, normal: Floats) -> Floats:
    """Points of a convex polygon in their order, counter-clockwise seen from where the normal looks."""
    if len(points) < 3:
        return points[:0]
    arms = points - points.mean(axis=0)
    u = arms[int(np.abs(arms).max(axis=1).argmax())]
    v = np.cross(normal, u)
    order = np.argsort(np.arctan2(arms @ v, arms @ u))
    return _distinct(points[order])


_SAME = 1e-6  # units between corners of one vertex
