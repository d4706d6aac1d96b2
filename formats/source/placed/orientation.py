# SPDX-License-Identifier: GPL-3.0-or-later
"""Angles of entities and props: pitch, yaw and roll, in degrees about y, z and x (source.md §2.12)."""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ...arrays import Floats

_SAME_TURN = 1e-5
"""What parts of two rotations may differ by and be the same."""


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


def angles_of(rotation: Floats) -> tuple[float, float, float]:
    """Pitch, yaw and roll in degrees of a rotation float64[3, 3]: turns about x, then y, then z."""
    flat = math.hypot(rotation[0, 0], rotation[1, 0])
    pitch = math.atan2(-rotation[2, 0], flat)
    if flat < 1e-6:  # it looks straight up or down: the roll is part of the yaw
        yaw, roll = math.atan2(-rotation[0, 1], rotation[1, 1]), 0.0
    else:
        yaw, roll = math.atan2(rotation[1, 0], rotation[0, 0]), math.atan2(rotation[2, 1], rotation[2, 2])
    return math.degrees(pitch), math.degrees(yaw), math.degrees(roll)


def same_rotation(rotation: Floats, euler: Sequence[float]) -> bool:
    """Whether a rotation float64[3, 3] is that of Euler angles (XYZ, radians), but for rounding."""
    made = np.eye(3)
    for axis, angle in enumerate(euler):
        one, other = (axis + 1) % 3, (axis + 2) % 3
        turn = np.eye(3)
        turn[one, one] = turn[other, other] = math.cos(angle)
        turn[one, other], turn[other, one] = -math.sin(angle), math.sin(angle)
        made = turn @ made
    return bool(np.abs(rotation - made).max() < _SAME_TURN)
