# SPDX-License-Identifier: GPL-3.0-or-later
"""Texture vectors that fit given coordinates: solved as the old ones plus the least change (source.md §3)."""

from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats, Ints

TOLERANCE = 0.1
"""Texels that corners may be away from where an affine map puts them."""
ROUNDING = 4 * 2.0**-23
"""Of its size, what a UV may be away from another and be the same: steps of 32-bit floats."""

_FLAT = 1e-7
"""Of the largest extent squared: across what is narrower than this, nothing is fitted."""
_SHIFTED = 1e-3
"""Texels: coordinates that are no further from a plain shift are one, so that axes keep their bits."""
_TOGETHER = 0.01
"""Texels: sets whose coordinates were moved by one map, to this, get one."""


def fit(old: Floats, points: Floats, texels: Floats, owners: Ints) -> tuple[Floats, Floats]:
    """Texture vectors float64[n, 2, 4] for the coordinates of n sets of points, and how far the worst point of each is
    from where they put it, in texels float64[n].

    old: float64[n, 2, 4], as `texture_vecs`. points: float64[c, 3]. texels: float64[c, 2], s and t that are wanted.
    owners: int64[c], the set of each. What the points' coordinates moved by is put onto the old vectors as the least
    change: within the plane of points that lie in one, so that the part across it stays.
    """
    count = len(old)
    sizes = np.maximum(np.bincount(owners, minlength=count), 1)[:, None]
    here = old[owners]
    moved = texels - (np.einsum("cki,ci->ck", here[:, :, :3], points) + here[:, :, 3])

    def summed(values: Floats) -> Floats:
        flat = values.reshape(len(values), -1)
        sums = [np.bincount(owners, flat[:, column], count) for column in range(flat.shape[1])]
        return np.asarray(np.column_stack(sums).reshape(count, *values.shape[1:]), np.float64)

    def worst(values: Floats) -> Floats:
        most: Floats = np.zeros(count)
        np.maximum.at(most, owners, np.abs(values).max(axis=1, initial=0))
        return most

    middles, mean = summed(points) / sizes, summed(moved) / sizes
    arms, turned = points - middles[owners], moved - mean[owners]
    # A pseudo-inverse has no part along directions in which there are no points.
    spread = np.linalg.pinv(summed(arms[:, :, None] * arms[:, None, :]), rcond=_FLAT, hermitian=True)
    slopes = np.einsum("nij,njk->nki", spread, summed(arms[:, :, None] * turned[:, None, :]))
    slopes[worst(turned) <= _SHIFTED] = 0
    made = old.copy()
    made[:, :, :3] += slopes
    made[:, :, 3] += mean - np.einsum("nki,ni->nk", slopes, middles)
    return made, worst(turned - np.einsum("cki,ci->ck", slopes[owners], arms))


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """Texture vectors of n sets of points."""

    vectors: Floats
    """float64[n, 2, 4]."""
    residuals: Floats
    """float64[n]: how far the worst point of each is from where they put it, texels."""
    bent: Bools
    """bool[n]: which have UVs that no flat texture gives."""


def solve(old: Floats, points: Floats, uv: Floats, owners: Ints, sizes: Floats, groups: Ints) -> Solved:
    """The vectors that n sets of points have these UVs with; sets of one group that one map moved share theirs.

    old: float64[n, 2, 4], alike within a group. points: float64[c, 3]. uv: float64[c, 2], v upwards, as 32-bit floats
    held them. owners: int64[c], the set of each. sizes: float64[n, 2], pixels of the textures. groups: int64[n].
    """
    texels = np.column_stack([uv[:, 0], 1 - uv[:, 1]]) * sizes[owners]
    rounding: Floats = np.zeros(len(old))
    np.maximum.at(rounding, owners, (np.abs(uv) * sizes[owners]).max(axis=1) * ROUNDING)
    sound = np.nan_to_num(old, nan=0, posinf=0, neginf=0)
    made, residuals = fit(sound, points, texels, owners)
    _, first, group = np.unique(groups, return_index=True, return_inverse=True)
    group = group.reshape(-1)
    shared, apart = fit(sound[first], points, texels, group[owners])
    least = np.full(len(first), np.inf)
    np.minimum.at(least, group, rounding)
    together = (apart <= _TOGETHER + least)[group]
    made[together], residuals[together] = shared[group[together]], apart[group[together]]
    return Solved(made, residuals, residuals > TOLERANCE + rounding)
