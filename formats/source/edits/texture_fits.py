# SPDX-License-Identifier: GPL-3.0-or-later
"""Texture vectors that fit given coordinates: solved as the old ones plus the least change (source.md §3)."""

import numpy as np

from ..geometry import Floats, Ints

_FLAT = 1e-7
"""Of the largest extent squared: across what is narrower than this, nothing is fitted."""
_SHIFTED = 1e-3
"""Texels: coordinates that are no further from a plain shift are one, so that axes keep their bits."""


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
