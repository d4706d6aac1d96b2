# SPDX-License-Identifier: GPL-3.0-or-later
"""Three points for each plane, as a VMF has them, from which vbsp gets the very plane back.

vbsp reads the points as float32 and takes the normal from their cross product. Corners of a brush that lie on the
grid give exactly the plane that was drawn in the editor; other planes are told by points far apart, whose rounding
turns them least.
"""

import numpy as np
from numpy.typing import NDArray

from ... import ranges
from ..geometry import Floats, Ints

GRID = 1e-3
"""Units: a plane that passes a whole point no further away than this, passes through it."""

_NEAR = 0.05  # units that a corner may be away from its whole point: corners of nearly parallel planes are blurred
_SAME_NORMAL = 1e-6  # less than float32 rounds twice
_SPAN = 512.0  # units: points of planes that aren't on the grid are at least that far apart

Mask = NDArray[np.bool_]


def points(normals: Floats, dists: Floats, corners: Floats, first_corner: Ints) -> Floats:
    """float64[n, 3, 3]: three points of each plane, clockwise seen from the side that its normal points to.

    normals: float64[n, 3] of length 1; dists: float64[n]. corners: float64[c, 3], the polygons of the sides;
    plane k has those from first_corner[k] to first_corner[k + 1], maybe none.
    """
    made = _spread(normals, dists, corners, first_corner)
    chosen, found = _on_grid(normals, dists, corners, first_corner)
    made[found] = chosen[found]
    turned = np.einsum("ni,ni->n", np.cross(made[:, 0] - made[:, 1], made[:, 2] - made[:, 1]), normals) < 0
    made[turned] = made[turned][:, ::-1]
    return made


def plane(three: Floats) -> tuple[Floats, Floats]:
    """Normals float64[n, 3] and dists float64[n] of planes through float64[n, 3, 3], three points each, as in vbsp."""
    normals = np.cross(three[:, 0] - three[:, 1], three[:, 2] - three[:, 1])
    lengths = np.sqrt((normals * normals).sum(axis=1, keepdims=True))
    normals = np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0)
    return normals, np.asarray((normals * three[:, 0]).sum(axis=1))


@np.errstate(all="ignore")  # hostile floats
def _on_grid(normals: Floats, dists: Floats, corners: Floats, first_corner: Ints) -> tuple[Floats, Mask]:
    """The three whole corners of each polygon that are furthest apart; and where they give the plane."""
    counts = np.diff(first_corner)
    owners = ranges.owners(counts)
    whole = np.round(corners)
    heights = np.einsum("ni,ni->n", whole, normals[owners]) - dists[owners]
    good = (np.abs(whole - corners) <= _NEAR).all(axis=1) & (np.abs(heights) <= GRID)
    chosen = np.zeros((len(counts), 3, 3))
    enough = np.bincount(owners[good], minlength=len(counts)) >= 3
    points, owners = whole[good], owners[good]
    one = points[_most(np.zeros(len(points)), owners, len(counts))] if len(points) else chosen[:, 0]
    chosen[:, 0] = one
    if len(points):
        arms = points - one[owners]
        two = _most((arms * arms).sum(axis=1), owners, len(counts))
        chosen[:, 1] = points[two]
        areas = np.cross(arms, (points[two] - one)[owners])
        chosen[:, 2] = points[_most((areas * areas).sum(axis=1), owners, len(counts))]
    got, at = plane(chosen)
    same = np.minimum(np.abs(got - normals).max(axis=1), np.abs(got + normals).max(axis=1)) <= _SAME_NORMAL
    off = np.abs(np.abs(at) - np.abs(dists)) <= GRID
    return chosen, enough & same & off


def _most(values: Floats, owners: Ints, count: int) -> Ints:
    """The place of the highest value of each owner; 0 for those that have none. owners ascend."""
    order = np.lexsort((-np.arange(len(values)), values, owners))  # of equal ones, the first
    last = np.searchsorted(owners, np.arange(count), "right") - 1
    there = (last >= 0) & (owners[np.maximum(last, 0)] == np.arange(count))
    return np.asarray(np.where(there, order[np.maximum(last, 0)], 0))


@np.errstate(all="ignore")  # hostile floats
def _spread(normals: Floats, dists: Floats, corners: Floats, first_corner: Ints) -> Floats:
    """Three points round the polygon, whole in two directions; in that which the plane faces most, where it is."""
    counts = np.diff(first_corner)
    owners = ranges.owners(counts)
    low, high = np.full((len(counts), 3), np.inf), np.full((len(counts), 3), -np.inf)
    np.minimum.at(low, owners, corners)
    np.maximum.at(high, owners, corners)
    without = ~(np.isfinite(low) & np.isfinite(high)).all(axis=1)
    middle = normals * dists[:, None]
    low[without], high[without] = middle[without], middle[without]
    axis = np.abs(normals).argmax(axis=1)
    axial = (np.abs(normals) > 1e-9).sum(axis=1) == 1
    wide = np.where(axial, 1.0, _SPAN)[:, None]
    short = high - low < wide
    center = (low + high) / 2
    low, high = np.where(short, center - wide / 2, low), np.where(short, center + wide / 2, high)
    low, high = np.floor(low), np.ceil(high)
    rows = np.arange(len(counts))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    made = np.repeat(low[:, None], 3, axis=1)
    made[rows, 1, i] = high[rows, i]
    made[rows, 2, j] = high[rows, j]
    slopes = made.copy()
    slopes[rows, :, axis] = 0
    made[rows, :, axis] = (dists[:, None] - np.einsum("nki,ni->nk", slopes, normals)) / normals[rows, axis][:, None]
    return np.nan_to_num(made, posinf=0.0, neginf=0.0)
