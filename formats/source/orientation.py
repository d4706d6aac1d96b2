# SPDX-License-Identifier: GPL-3.0-or-later
"""Angles of entities and props: pitch, yaw and roll, in degrees about y, z and x (source.md §2.12)."""

import numpy as np
import numpy.typing as npt

from .geometry import Floats


def rotations(angles: npt.ArrayLike) -> Floats:
    """float64[n, 3, 3] that turn columns, of float[n, 3] angles: first by the roll, then the pitch, then the yaw."""
    pitch, yaw, roll = np.radians(np.asarray(angles, np.float64)).T
    (cos_p, cos_y, cos_r), (sin_p, sin_y, sin_r) = np.cos([pitch, yaw, roll]), np.sin([pitch, yaw, roll])
    rows = (
        (cos_p * cos_y, sin_r * sin_p * cos_y - cos_r * sin_y, cos_r * sin_p * cos_y + sin_r * sin_y),
        (cos_p * sin_y, sin_r * sin_p * sin_y + cos_r * cos_y, cos_r * sin_p * sin_y - sin_r * cos_y),
        (-sin_p, sin_r * cos_p, cos_r * cos_p),
    )
    return np.moveaxis(np.array(rows), 2, 0)
