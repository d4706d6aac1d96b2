# SPDX-License-Identifier: GPL-3.0-or-later
"""The plane that vbsp makes of three points, to the bit: all of it is float32, and lengths are estimated.

To make a vector one long, vbsp multiplies it by the processor's estimate of 1 / sqrt(x), `rsqrtss`, after one step of
Newton's that doubles its twelve bits. So the last bits of a plane depend on the processor. The estimates here are the
common ones: with them, all of 553 sloped planes that vbsp made of editors' points come out the same (source.md §2.4).
Builds of vbsp without these instructions divide instead; `plane` can do that, too.
"""

from functools import cache

import numpy as np

from ...arrays import Floats, Singles

_TINY = np.float32(1e-10)  # added to the square of a length, so that nothing is divided by 0
_EPSILON = np.float32(np.finfo(np.float32).eps)
_AXIAL, _WHOLE = 1e-5, 0.01  # nearer to an axis, or to a whole distance, a plane is put there
_THIRD = np.float32(1) / np.float32(3)

_STEPS, _UNITS = 1 << 10, 1 << 13  # of the estimate: it is one in each step of a power of two, in 13 bits


@np.errstate(all="ignore")  # hostile floats, and points in one line
def plane(points: Floats, *, exact: bool = False) -> tuple[Singles, Singles]:
    """The normals float32[..., 3] and dists float32[...] of planes through three points each, float64[..., 3, 3].

    exact: without estimates, as builds of vbsp for other processors have it.
    """
    one, two, three = np.moveaxis(points.astype(np.float32), -2, 0)
    a, b = one - two, three - two
    across = np.stack([a[..., i] * b[..., j] - a[..., j] * b[..., i] for i, j in ((1, 2), (2, 0), (0, 1))], axis=-1)
    square = _dot(across, across)
    shorter = 1 / (np.sqrt(square) + _EPSILON) if exact else _inverse_root(square + _TINY)
    normals = across * shorter[..., None]
    dists = _dot(one, normals)
    axial = np.abs(np.abs(normals) - 1) < _AXIAL
    flat = axial.any(axis=-1)
    normals = np.where(flat[..., None], np.where(axial, np.sign(normals), np.float32(0)), normals)
    middles = (one + two + three) * _THIRD
    return normals, whole(np.where(flat, _dot(normals, middles), dists))


@np.errstate(all="ignore")
def moved(normals: Singles, dists: Singles, origins: Singles) -> Singles:
    """The dists float32[...] of planes as those of an entity at origins float32[..., 3] have them."""
    return whole(dists - _dot(normals, origins))


def whole(dists: Singles) -> Singles:
    """Dists with those that are nearly whole numbers rounded to them."""
    rounded = np.round(dists)
    return np.where(np.abs(dists - rounded) < _WHOLE, rounded, dists)


def _dot(one: Singles, other: Singles) -> Singles:
    products = one * other
    return np.asarray((products[..., 0] + products[..., 1]) + products[..., 2])


def _inverse_root(values: Singles) -> Singles:
    estimate = _estimate(values)
    return estimate * ((np.float32(3) - estimate * estimate * values) * np.float32(0.5))


def _estimate(values: Singles) -> Singles:
    bits = np.ascontiguousarray(values).view(np.uint32)
    exponent = (bits >> 23).astype(np.int32) - 127
    found = _table()[exponent & 1, (bits >> 13) & (_STEPS - 1)]
    return np.asarray(np.ldexp(found, -(exponent >> 1)), np.float32)


@cache
def _table() -> Singles:
    """float32[2, 1024]: the estimates from 1 to 2, and from 2 to 4: the root of the middle of each step."""
    middles = np.array([[1.0], [2.0]]) * (1 + (np.arange(_STEPS) + 0.5) / _STEPS)
    return np.asarray(np.round(_UNITS / np.sqrt(middles)) / _UNITS, np.float32)
