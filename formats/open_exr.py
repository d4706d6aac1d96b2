# SPDX-License-Identifier: GPL-3.0-or-later
"""Light that exceeds 1 as OpenEXR pictures, half a float a channel, stored as they are: nothing is quicker to make.

Technical documentation of OpenEXR, "File Layout": attributes, where each row begins, and the rows, whose channels
stand one after another in the order of their names.
"""

from __future__ import annotations

import struct

import numpy as np
from numpy.typing import NDArray

_MAGIC, _VERSION = 20000630, 2
_HALF = 1
_CHANNELS = "BGR"
_ROW_HEAD = 8
"""Bytes before a row: its number and how many bytes it has."""


def encode(light: NDArray[np.float16]) -> bytes:
    """A picture of float16[h, w, 3]: red, green, blue, top row first."""
    height, width = light.shape[:2]
    channels = b"".join(
        name.encode("ascii") + struct.pack("<xiB3xii", _HALF, 0, 1, 1) for name in _CHANNELS
    )  # their kind; linear: no; every pixel has one
    window = struct.pack("<4i", 0, 0, width - 1, height - 1)
    attributes = (
        ("channels", "chlist", channels + b"\0"),
        ("compression", "compression", b"\0"),
        ("dataWindow", "box2i", window),
        ("displayWindow", "box2i", window),
        ("lineOrder", "lineOrder", b"\0"),
        ("pixelAspectRatio", "float", struct.pack("<f", 1)),
        ("screenWindowCenter", "v2f", bytes(8)),
        ("screenWindowWidth", "float", struct.pack("<f", 1)),
    )
    head = struct.pack("<ii", _MAGIC, _VERSION) + b"".join(
        f"{name}\0{kind}\0".encode("ascii") + struct.pack("<i", len(value)) + value for name, kind, value in attributes
    )
    head += b"\0"
    row = np.dtype([("number", "<i4"), ("size", "<i4"), ("channels", "<f2", (len(_CHANNELS), width))])
    rows = np.empty(height, row)
    rows["number"], rows["size"] = np.arange(height), row.itemsize - _ROW_HEAD
    rows["channels"] = light[..., ::-1].swapaxes(1, 2)
    starts = len(head) + 8 * height + row.itemsize * np.arange(height)
    return head + starts.astype("<u8").tobytes() + rows.tobytes()
