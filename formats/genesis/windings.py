# SPDX-License-Identifier: GPL-3.0-or-later
"""Polygons and planes as the editor computes them, rounded where it rounds.

What the compiler gets depends on every rounding: a corner a ten-thousandth off may or may not be "on" a plane, and a
brush is cut or not. The editor's processor computes in higher precision and rounds what it stores to 32-bit floats; so
do these functions: float64 inside, float32 out, step by step in the editor's order. Polygons are padded arrays,
float32[n, v, 3] with `counts` int[n] of their corners, which go clockwise as seen from the front of their plane.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Bools, Floats, Indices, Singles

ON_EPSILON = np.float32(0.1)  # a corner nearer to a plane is on it
NO_NORMAL = np.float32(0.001)  # a cross product no larger is none: the corners are in a line
HUGE = np.float32(32000)  # half the side of a polygon that stands for a whole plane

FRONT, BACK, ON = 0, 1, 2


@dataclass(frozen=True, slots=True, eq=False)
class WindingPlanes:
    """Normals float32[n, 3], out of the solid, and distances float32[n]."""

    normals: Singles
    dists: Singles

    def take(self, which: Array) -> "WindingPlanes":
        """Some of the planes."""
        return WindingPlanes(self.normals[which], self.dists[which])


def dot(one: Singles, two: Singles) -> Floats:
    """Scalar products of float32[..., 3] over the last axis, not rounded: float64[...]."""
    wide = one.astype(np.float64)
    return np.asarray(wide[..., 0] * two[..., 0] + wide[..., 1] * two[..., 1] + wide[..., 2] * two[..., 2])


def cross(one: Singles, two: Singles) -> Singles:
    """Vector products of float32[..., 3] over the last axis: float32[..., 3]."""
    x1, y1, z1 = np.moveaxis(one.astype(np.float64), -1, 0)
    x2, y2, z2 = np.moveaxis(two.astype(np.float64), -1, 0)
    product: Singles = np.stack([y1 * z2 - z1 * y2, z1 * x2 - x1 * z2, x1 * y2 - y1 * x2], axis=-1).astype(np.float32)
    return product


def normalized(vectors: Singles) -> Singles:
    """Vectors float32[..., 3] of length 1; a vector of length 0 stays.

    The editor's Windows builds store the sum of the squares as a 32-bit float before they take its root, and the root
    before they divide by it (genesis.md §2.4).
    """
    squares = dot(vectors, vectors).astype(np.float32)
    lengths = np.sqrt(squares.astype(np.float64)).astype(np.float32).astype(np.float64)
    result: Singles = (vectors * (1 / np.where(lengths == 0, 1, lengths))[..., None]).astype(np.float32)
    return result


def scaled_sum(one: Singles, two: Singles, scales: Floats) -> Singles:
    """`one` + `scales` * `two`, the scales rounded first."""
    return (one + two.astype(np.float64) * scales.astype(np.float32)[..., None]).astype(np.float32)


def planes_of(points: Singles, counts: Indices) -> tuple[WindingPlanes, Bools]:
    """The planes of polygons float32[n, corners, 3], each by the first three corners in a row that are not in a line;
    and which have one, bool[n]. counts: int[n], the corners of each.
    """
    total = len(points)
    normals = np.zeros((total, 3), np.float32)
    found = np.zeros(total, bool)
    rows = np.arange(total)
    for first in range(points.shape[1]):
        left = rows[~found & (first < counts)]
        if not len(left):
            break
        count = counts[left]
        one, two, three = (points[left, (first + step) % count] for step in range(3))
        product = cross(one - two, three - two)
        good = (np.abs(product) > NO_NORMAL).any(axis=1)
        normals[left] = product
        found[left[good]] = True
    normals = normalized(normals)
    second = points[:, min(1, points.shape[1] - 1)]
    return WindingPlanes(normals, dot(second, normals).astype(np.float32)), found


def sides_of(points: Singles, counts: Indices, planes: WindingPlanes) -> tuple[Singles, Indices]:
    """Distances [n, v] of corners from one plane a polygon, and on which side they are; -1 where there is no corner."""
    dists = (dot(points, planes.normals[:, None]) - planes.dists[:, None]).astype(np.float32)
    sides = np.where(dists > ON_EPSILON, FRONT, np.where(dists < -ON_EPSILON, BACK, ON))
    sides[np.arange(points.shape[1]) >= counts[:, None]] = -1
    return dists, sides


def clipped(
    points: Singles, counts: Indices, planes: WindingPlanes, dists: Singles, sides: Indices, keep: int = BACK
) -> tuple[Singles, Indices]:
    """The parts of polygons on one side of their planes; `dists` and `sides` are those that `sides_of` gave."""
    following = np.empty_like(sides)
    following[:, :-1] = sides[:, 1:]
    following[np.arange(len(sides)), counts - 1] = sides[:, 0]
    crossing = (sides >= 0) & (sides + following == FRONT + BACK)
    kept = (sides == keep) | (sides == ON)
    ends = np.cumsum(kept.astype(np.intp) + crossing, axis=1)  # each corner, then where its edge crosses the plane
    places = ends - crossing
    new_counts = ends[:, -1]
    result = np.zeros((len(sides), int(new_counts.max(initial=1)), 3), np.float32)
    row, corner = np.nonzero(kept)
    result[row, places[row, corner] - 1] = points[row, corner]

    row, corner = np.nonzero(crossing)
    after = np.where(corner + 1 < counts[row], corner + 1, 0)
    start, stop = points[row, corner].astype(np.float64), points[row, after]
    near, far = dists[row, corner].astype(np.float64), dists[row, after]
    middles = (start + (near / (near - far))[:, None] * (stop - start)).astype(np.float32)
    normals = planes.normals[row]
    at = planes.dists[row][:, None]
    middles = np.where(normals == 1, at, np.where(normals == -1, -at, middles))
    result[row, places[row, corner]] = middles
    return result, new_counts


def sheets(planes: WindingPlanes) -> Singles:
    """One huge square on each plane, float32[n, 4, 3]."""
    normals, dists = planes.normals, planes.dists
    x, y, z = np.abs(normals).T
    up = np.zeros_like(normals)
    steep = (z > x) & (z > y)
    up[steep, 0] = 1
    up[~steep, 2] = 1
    up = normalized(scaled_sum(up, normals, -dot(up, normals)))
    middle = normals * dists[:, None]
    right = cross(up, normals) * HUGE
    up = up * HUGE
    left_side, right_side = middle - right, middle + right
    return np.stack([left_side + up, right_side + up, right_side - up, left_side - up], axis=1)


def padded(points: Singles, size: int) -> Singles:
    """The same polygons with room for `size` corners."""
    missing = size - points.shape[-2]
    if missing <= 0:
        return points
    return np.concatenate([points, np.zeros((*points.shape[:-2], missing, 3), np.float32)], axis=-2)
