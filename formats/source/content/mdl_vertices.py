# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertices in models of Bloodlines (`.mdl`, version 2531): whole with bones, or in one of two small forms.

The layouts are those of public descriptions (Crowbar's, and of Bloodlines' modders). The five models of a mod that the
tests read have the whole form alone; the small ones stand on the descriptions, and on files made by them.
"""

from functools import cache

import numpy as np

from ...arrays import Floats, Records
from ...binary import FormatError
from ..records import VECTOR, record
from .mdl_records import POINT

#: With up to four bones: the fourth weight is what three leave of 255.
SKINNED = record(
    ("weights", "u1", 3),
    ("bone_count", "u1"),
    ("bones", "<i2", 4),
    ("position", VECTOR),
    ("normal", VECTOR),
    ("uv", "<f4", 2),
    size=44,
)
#: `normal` is a byte's place in a table of directions; `uv` 0 to 65,535 for 0 to 1.
UNSKINNED = record(("position", "<u2", 3), ("normal", "<u2"), ("uv", "<u2", 2), size=12)
#: `position` 0 to 255 for 0 to 1 of the model's extent.
COMPRESSED = record(("position", "u1", 3), ("normal", "u1"), ("uv", "<u2", 2), size=8)
FORMS = {0: SKINNED, 1: UNSKINNED, 2: COMPRESSED}
"""By the model's `vertex_form`."""
_DIRECTION_BYTES = 12


def points(form: int, found: Records, model: np.void) -> Records:
    """Vertices of a form as POINT [n]; model: what `low` and `step` they have. FormatError for unknown directions."""
    made = np.zeros(len(found), POINT)
    if form == 0:
        for name in POINT.names or ():
            made[name] = found[name]
        return made
    unit = 255.0 if form == 2 else 1.0
    with np.errstate(over="ignore", invalid="ignore"):
        made["position"] = model["low"] + found["position"] / np.float64(unit) * model["step"]
    made["uv"] = found["uv"] / np.float64(65535)
    known = directions(64 if form == 1 else 12)
    number, broken = np.divmod(found["normal"].astype(np.int64), _DIRECTION_BYTES if form == 1 else 1)
    wrong = (number >= len(known)) | (broken != 0)
    if wrong.any():
        raise FormatError(f"direction {found['normal'][wrong.argmax()]} of {len(known)}", "MDL vertices")
    made["normal"] = known[number]
    return made


@cache
def directions(rings: int) -> Floats:
    """The directions that small vertices number, float64[n, 3]: rings from south to north, each from +x on.

    64 rings have 5,314 directions, 12 have 202. A ring's number is the multiple of four next above where its width asks
    for (a tenth is let go); a pole has one.
    """
    angles = np.arange(rings + 1) * np.pi / rings
    counts = np.maximum(4 * np.ceil(rings / 2 * np.sin(angles) - 0.1).astype(np.int64), 1)
    counts[[0, -1]] = 1
    ring = np.repeat(np.arange(rings + 1), counts)
    turn = 2 * np.pi * (np.arange(len(ring)) - np.repeat(np.cumsum(counts) - counts, counts)) / counts[ring]
    wide = np.sin(angles)[ring]
    return np.stack([wide * np.cos(turn), wide * np.sin(turn), -np.cos(angles)[ring]], axis=1)
