# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the iris is on a model's eyes: the engine lays it on as if a projector stood before them.

Valve Developer Community: "$eyeball", "Eyes (shader)"; the sizes are those of `studio.h` (mstudioeyeball_t): in the
space of the eye's bone, and `iris_scale` for one over the width of the iris' picture.
"""

import numpy as np

from ...arrays import Records, Singles
from ...binary import FormatError

EYE = 1
"""What meshes of eyes have as `kind`."""
_AHEAD = np.array([0.0, -1.0, 0.0])
"""Where models look, in the space of their vertices."""


def pick(records: Records, number: int, what: str) -> np.void:
    """One of these records. FormatError where it isn't there."""
    if not 0 <= number < len(records):
        raise FormatError(f"{number} of {len(records)}", f"MDL {what}")
    found: np.void = records[number]
    return found


def iris(positions: Singles, ball: np.void, bone: np.void) -> Singles:
    """Texture coordinates on the iris' picture, float32[v, 2] with v down, of an eye that looks ahead.

    bone: `pose_to_bone` turns and moves, so its inverse is its transposed.
    """
    matrix = bone["pose_to_bone"].astype(np.float64)
    turn, move = matrix[:, :3], matrix[:, 3]
    with np.errstate(all="ignore"):
        center = (ball["origin"] - move) @ turn
        forward, up = (ball[name].astype(np.float64) @ turn for name in ("forward", "up"))
        across = positions - center
        ahead = forward if forward @ _AHEAD > 0 else -forward  # some models have it the other way round
        right = np.cross(ahead, up)
        places = 0.5 - float(ball["iris_scale"]) * np.stack([across @ right, across @ up], axis=1)
        made: Singles = places.astype(np.float32)
        return made
