# SPDX-License-Identifier: GPL-3.0-or-later
"""The plane that vbsp makes of three points, to the bit: all of it is float32, and lengths are estimated.

To make a vector one long, vbsp multiplies it by the processor's estimate of 1 / sqrt(x), `rsqrtss`, after one step of
Newton's that doubles its twelve bits. So the last bits of a plane depend on the processor. The estimates here are those
of AMD's, as measured: planes that vbsp made on one come out the same (source.md "PLANES"). Builds of vbsp without these
instructions divide instead; `plane` can do that, too.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from ..geometry import Floats

Singles = NDArray[np.float32]

_TINY = np.float32(1e-10)  # added to the square of a length, so that nothing is divided by 0
_EPSILON = np.float32(np.finfo(np.float32).eps)
_AXIAL, _WHOLE = 1e-5, 0.01  # nearer to an axis, or to a whole distance, a plane is put there
_THIRD = np.float32(1) / np.float32(3)

#: An estimate is a sum from two tables, one by the upper eight bits of the mantissa, one by its first and third four.
#: What these differ by from the rounded root and its rounded slope, -1, 0 or 1, are the digits of this number, base 3.
_OFF = int(
    "4012305c951f11aea38ea8b939863a2af747061f9f5be7b18435849485591a1897a8a05a618f10dd151b6ad49709facc8e6b23d8a6"
    "af4c854a7e7e0fdeacf5964da073395e9227fd3fbb64330793816ab5d7752c4caab94ab2afee0f6167128fc68c580f84cacde64d51"
    "217e9ef74b69a2f2f43b2700f4b8b1d12b25383ee734c56be57c5950ea89285641312f39a01611a596c4a073ebb64d84328c98bc55"
    "b4da0e4637bcc2abe3815f4f3c40816262115a3ff5b8a43db747a94e6d45a3c9e913187a7e6c9e7e73b47f25",
    16,
)
_UNIT = 2.0**13


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
    found = _table()[exponent & 1, (bits >> 11) & 0xFFF]
    return np.asarray(np.ldexp(found, -(exponent >> 1)), np.float32)


@cache
def _table() -> Singles:
    """float32[2, 4096]: the estimates from 1 to 2, and from 2 to 4."""
    digits, rest = [], _OFF
    for _ in range(1024):
        rest, digit = divmod(rest, 3)
        digits.append(digit - 1)
    roots, slopes = np.array(digits, np.float64).reshape(2, 2, 16, 16)
    power = np.array([1.0, 2.0])[:, None, None]
    first, low = np.arange(16)[None, :, None] / 16, np.arange(16)[None, None, :]
    roots = roots + np.round(_UNIT / np.sqrt(power * (1 + first + low / 256 + 2.0**-13)))
    middle = power * (1 + first + 216 / 4096)
    slopes = slopes + np.round(-_UNIT / 2 * middle**-1.5 * power / 4096 * low)
    return np.asarray((roots[:, :, :, None] + slopes[:, :, None, :]).reshape(2, 4096) / _UNIT, np.float32)
