# SPDX-License-Identifier: GPL-3.0-or-later
"""Three points for each plane, as a VMF has them, from which vbsp gets the very plane back.

vbsp reads the points as float32 and takes the normal from their cross product. Corners of a brush that lie on the
grid give nearly the plane that was drawn in the editor, other planes points far apart, whose rounding turns them least.
Where the last bits come out otherwise (see `plane_arithmetic`), other points are tried until none does.
"""

import numpy as np

from ... import ranges
from ...arrays import Bools, Floats, Ints
from . import plane_arithmetic

GRID = 1e-3
"""Units: a plane that passes a whole point no further away than this, passes through it."""

_NEAR = 0.05  # units that a corner may be away from its whole point: corners of nearly parallel planes are blurred
_SAME_NORMAL = 1e-6  # less than float32 rounds twice
_SPAN = 512.0  # units: points of planes that aren't on the grid are at least that far apart

_TRIALS = (6, 24, 96, 256)  # points that are tried for a plane, a few at first: most are found soon
_MOST = 1 << 18  # tried at a time; planes beyond that have the points they had
_AWAY, _NEAREST, _FARTHEST = 64.0, 64.0, 12000.0  # units: where tried points are from the plane's middle, and apart
_TURNS = ((1, 2, 0), (2, 0, 1))
_RATIOS = (0.8191725134, 0.6710436067, 0.5497004779, 0.4503102959)  # their multiples fill the unit cube evenly
_PLANES = 1 << 14  # to look at in one go
_MOVED = 1e-3  # units: a distance that vbsp moves with an entity is about as coarse
_UNIT = 1e-6
_ELSEWHERE = 1e-9  # units: what points cost less that serve on other processors, too


def points(
    normals: Floats, dists: Floats, corners: Floats, first_corner: Ints, origins: Floats | None = None
) -> Floats:
    """float64[n, 3, 3]: three points of each plane, clockwise seen from the side that its normal points to.

    normals: float64[n, 3] of length 1; dists: float64[n]. corners: float64[c, 3], the polygons of the sides;
    plane k has those from first_corner[k] to first_corner[k + 1], maybe none. origins: float64[n, 3], of the entities
    that the planes are moved with. They come back bit for bit where points were found for that.
    """
    made = _spread(normals, dists, corners, first_corner)
    chosen, found = _on_grid(normals, dists, corners, first_corner)
    made[found] = chosen[found]
    turned = np.einsum("ni,ni->n", np.cross(made[:, 0] - made[:, 1], made[:, 2] - made[:, 1]), normals) < 0
    made[turned] = made[turned][:, ::-1]
    _sharpen(made, normals, dists, np.zeros_like(normals) if origins is None else origins)
    return made


@np.errstate(all="ignore")  # hostile floats
def misses(
    three: Floats, normals: Floats, dists: Floats, origins: Floats, *, exact: bool = False
) -> tuple[Bools, Floats]:
    """How vbsp gets planes back of points float64[..., 3, 3]: whether the normal is the same to the bit, bool[...], and
    by how much the distance is another, float64[...].

    normals float64[..., 3] and dists float64[...] in the world, origins float64[..., 3] of the entities that have them.
    exact: as of `plane_arithmetic.plane`.
    """
    got, at = plane_arithmetic.plane(three, exact=exact)
    moved = origins.any(axis=-1)
    if moved.any():
        at = np.where(moved, plane_arithmetic.moved(got, at, origins.astype(np.float32)), at)
    own = (dists - (normals * origins).sum(axis=-1)).astype(np.float32)
    return (got == normals.astype(np.float32)).all(axis=-1), np.abs(at.astype(np.float64) - own)


@np.errstate(all="ignore")  # hostile floats
def _sharpen(made: Floats, normals: Floats, dists: Floats, origins: Floats) -> None:
    """Put other points in the place of those that give another plane by the last bits, where some are nearer."""
    costs = _costs(made, normals, dists, origins)
    for turn in _TURNS:
        left = np.flatnonzero(costs > 0)
        turned = made[left][:, turn]
        better = _costs(turned, normals[left], dists[left], origins[left])
        less = better < costs[left]
        made[left[less]], costs[left[less]] = turned[less], better[less]
    sound = np.abs((normals * normals).sum(axis=1) - 1) < _UNIT  # no others can come back
    left = np.flatnonzero((costs > 0) & sound)
    rows, same = np.unique(np.column_stack([normals, dists, origins])[left], axis=0, return_inverse=True)
    same = same.reshape(-1)
    for start in range(0, len(rows), _PLANES):
        part = rows[start : start + _PLANES]
        found, least = _search(part[:, :3], part[:, 3], part[:, 4:])
        own = np.flatnonzero((same >= start) & (same < start + _PLANES))
        own = own[least[same[own] - start] < costs[left[own]]]
        made[left[own]] = found[same[own] - start]


def _search(normals: Floats, dists: Floats, origins: Floats) -> tuple[Floats, Floats]:
    """The best points for each plane of those that are tried, float64[n, 3, 3], and their costs."""
    found, least = np.zeros((len(dists), 3, 3)), np.full(len(dists), np.inf)
    enough = np.where(origins.any(axis=1), _MOVED, 0)
    first = 0
    for count in _TRIALS:
        left = np.flatnonzero(least > enough)[: _MOST // count]
        rows = np.arange(len(left))
        tried = _tried(normals[left], dists[left], np.arange(first, first + count))
        first += count
        own = [np.broadcast_to(a[left][:, None], (len(left), count, *a.shape[1:])) for a in (normals, dists, origins)]
        costs = _costs(tried, own[0], own[1], own[2])
        good = costs == 0
        other = _costs(tried[good], own[0][good], own[1][good], own[2][good], exact=True)
        costs[good] = np.where(other == 0, -_ELSEWHERE, 0)
        best = costs.argmin(axis=1)
        less = costs[rows, best] < least[left]
        found[left[less]], least[left[less]] = tried[rows, best][less], costs[rows, best][less]
    return found, least


def _costs(three: Floats, normals: Floats, dists: Floats, origins: Floats, *, exact: bool = False) -> Floats:
    """How bad points are, 0 where the plane comes back bit for bit, infinite for another normal. As of `misses`."""
    same, off = misses(three, normals, dists, origins, exact=exact)
    return np.asarray(np.where(same & (off < 1), off, np.inf))


def _tried(normals: Floats, dists: Floats, numbers: Ints) -> Floats:
    """float64[n, k, 3, 3]: points of n planes to try, k for each; those with the same numbers are the same.

    The first lies near the plane's middle, where a distance is rounded least, or near the plane through two axes, where
    a height is; the others lie along these from there, so that nothing cancels out in the cross product.
    """
    axis = np.abs(normals).argmax(axis=1)
    order = (axis[:, None] + np.arange(1, 4)) % 3  # the axis that it faces most, last
    along = np.take_along_axis(normals, order, axis=1)
    u, v, up = along.T[:, :, None, None]
    parts = (numbers[:, None] + 1) * np.array(_RATIOS) % 1
    near = np.round((parts[:, :2] * 2 - 1) * _AWAY)
    far = np.round(_NEAREST + parts[:, 2:] * (_FARTHEST - _NEAREST))
    flat = (along[:, :2] ** 2).sum(axis=1)
    down = np.where(flat * _FARTHEST > np.abs(dists), along[:, 2] ** 2 / np.maximum(flat, 1e-12), 0) * dists
    middles, shifts = (np.round(along[:, None, :2] * away[:, None, None]) for away in (dists, down))
    starts = middles + shifts * (numbers % 2)[:, None] + near
    made = np.empty((len(dists), len(numbers), 3, 3))
    made[..., :2] = starts[:, :, None]
    made[:, :, 1:, 0] -= far[:, 0, None]
    made[:, :, 2, 1] += np.copysign(far[:, 1], up[:, 0])
    height = ((dists[:, None, None] - u * made[..., 0] - v * made[..., 1]) / up).astype(np.float32)
    # Along an axis all heights are one, and only their last bits can differ.
    height += np.where(flat[:, None] == 0, np.spacing(height[:, :, 0]) * (numbers % 7 - 3), 0)[:, :, None]
    made[..., 2] = height
    back = (np.arange(3) - order[:, :1]) % 3
    return np.take_along_axis(made, back[:, None, None], axis=3)


def plane(three: Floats) -> tuple[Floats, Floats]:
    """Normals float64[n, 3] and dists float64[n] of planes through float64[n, 3, 3], three points each, as in vbsp."""
    normals = np.cross(three[:, 0] - three[:, 1], three[:, 2] - three[:, 1])
    lengths = np.sqrt((normals * normals).sum(axis=1, keepdims=True))
    normals = np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0)
    return normals, np.asarray((normals * three[:, 0]).sum(axis=1))


@np.errstate(all="ignore")  # hostile floats
def _on_grid(normals: Floats, dists: Floats, corners: Floats, first_corner: Ints) -> tuple[Floats, Bools]:
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
