# SPDX-License-Identifier: GPL-3.0-or-later
"""Polygons of area portals and occluders: what they have to be, and which two are the same."""

import numpy as np
import numpy.typing as npt

from ...arrays import Floats
from ...binary import FormatError
from .changes import FARTHEST

ON_PLANE = 0.1
"""Units that a corner may lie beside its plane."""
_LEAST_AREA = 1e-4
_STRAIGHT = 1e-3  # of the sine of a corner that counts as convex


@np.errstate(all="ignore")  # what is no number has none
def normal_of(loop: Floats) -> Floats:
    """float64[3]: out of the front of a polygon float64[k, 3], which is clockwise from there; as long as its area."""
    arms = loop - loop[:1]
    return np.asarray(np.cross(np.roll(arms, -1, axis=0), arms).sum(axis=0) / 2)


def checked(corners: npt.ArrayLike, what: str) -> tuple[Floats, Floats, float]:
    """The corners of a polygon as float64[k, 3], its normal of length 1, and how far its plane is from the origin.

    Raises FormatError for what is no convex, flat polygon within the world.
    """
    loop = np.asarray(corners, np.float64)
    if loop.ndim != 2 or loop.shape[1] != 3 or len(loop) < 3:
        raise FormatError("has fewer than three corners", what)
    if not np.isfinite(loop).all() or np.abs(loop).max() > FARTHEST:
        raise FormatError(f"reaches out of the world, which ends {FARTHEST:g} units from its middle", what)
    normal = normal_of(loop)
    area = float(np.sqrt(normal @ normal))
    if area < _LEAST_AREA:
        raise FormatError("spans no area", what)
    normal = normal / area
    heights = loop @ normal
    if np.ptp(heights) > 2 * ON_PLANE:
        raise FormatError(f"isn't flat: its corners are up to {np.ptp(heights):.3g} units from one plane", what)
    edges = np.roll(loop, -1, axis=0) - loop
    lengths = np.sqrt((edges * edges).sum(axis=1))
    turns = np.cross(np.roll(edges, -1, axis=0), edges) @ normal
    if (turns < -_STRAIGHT * lengths * np.roll(lengths, -1)).any():
        raise FormatError("isn't convex", what)
    return loop, normal, float(heights.mean())


def key(corners: npt.ArrayLike) -> bytes:
    """What polygons have in common that have the same corners, as float32, the same way round."""
    loop = np.asarray(corners, np.float32).reshape(-1, 3) + np.float32(0)
    rows = [row.tobytes() for row in loop]
    turned = (rows[start:] + rows[:start] for start in range(len(rows)) if rows[start] == min(rows))
    return b"".join(min(turned, default=[]))
