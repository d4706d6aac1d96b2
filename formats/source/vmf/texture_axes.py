# SPDX-License-Identifier: GPL-3.0-or-later
"""How a texture lies on a side, between a texinfo's vectors and the axes of a VMF (source.md "Texinfo").

A texinfo has s = dot(vector, point) + offset in texels; a VMF has the direction of that vector, units a texel, and the
offset as shift.
"""

import numpy as np

from ...arrays import Bools, Floats

SCALE = 0.25
"""Units a texel of a side whose own is lost: Hammer's."""
LUXEL = 16.0
"""Units a luxel, likewise."""

_FLAT = 1e-3  # sine of the angle between a side and its texture's plane, below which it would be one long smear
_ROUND = 3e-6  # of a number, relatively: what float32 blurs


@np.errstate(all="ignore")  # hostile floats
def usable(vectors: Floats, normals: Floats) -> Bools:
    """Which texture vectors float64[n, 2, 4] tell how a texture lies on a side with the normal float64[n, 3].

    Sides that nobody sees have got those of some other side: these may stand upright on them.
    """
    u, v = vectors[:, 0, :3], vectors[:, 1, :3]
    across = np.cross(u, v)
    sizes = np.sqrt((across * across).sum(axis=1))
    facing = np.abs((across * normals).sum(axis=1))
    return np.asarray(np.isfinite(vectors).all(axis=(1, 2)) & (sizes > 1e-12) & (facing > _FLAT * sizes))


def standard(normals: Floats) -> Floats:
    """float64[n, 2, 4]: the texture vectors that Hammer gives a new side, along the axes of the world."""
    facing = np.abs(normals).argmax(axis=1)
    made = np.zeros((len(normals), 2, 4))
    made[:, 0, 0] = facing != 0
    made[:, 0, 1] = facing == 0
    made[:, 1, 1] = -(facing == 2).astype(np.float64)
    made[:, 1, 2] = -(facing != 2).astype(np.float64)
    return made / SCALE


def axes(vectors: Floats) -> tuple[Floats, Floats, Floats]:
    """Directions float64[n, 2, 3], shifts and scales float64[n, 2], of texture vectors float64[n, 2, 4]."""
    lengths = np.sqrt((vectors[:, :, :3] ** 2).sum(axis=2))
    scales = _rounded(1 / lengths, 1e-4)
    directions = vectors[:, :, :3] * scales[:, :, None]
    straight = np.round(directions)
    directions = np.where(np.abs(directions - straight) <= _ROUND, straight, directions)
    return directions, _rounded(vectors[:, :, 3], 1e-3), scales


@np.errstate(all="ignore")  # hostile floats
def luxel_sizes(lightmap_vectors: Floats) -> Floats:
    """float64[n]: units a luxel, of vectors [n, 2, 4]; the standard where there are none."""
    lengths = np.sqrt((lightmap_vectors[:, 0, :3].astype(np.float64) ** 2).sum(axis=1))
    sizes = 1 / lengths
    whole = np.round(sizes)
    sizes = np.where(np.abs(sizes - whole) <= 1e-3, whole, sizes)
    return np.asarray(np.where(np.isfinite(sizes) & (sizes > 0), sizes, LUXEL))


def _rounded(values: Floats, step: float) -> Floats:
    """Values without what float32 blurred: whole numbers of steps, where they are that."""
    near = np.round(values / step) * step
    return np.where(np.abs(values - near) <= np.maximum(np.abs(values), step) * _ROUND, near, values)
