# SPDX-License-Identifier: GPL-3.0-or-later
"""The picture that file managers and Blender's file browser show of a .blend: put into a file that was saved without a
window, for which Blender makes none.

It is a block `TEST` behind the blocks `REND` that a file begins with: width and height, int32, then RGBA, the lowest
row of pixels first. Blocks say nothing of where others are, so one can be put in between.
"""

from __future__ import annotations

import struct

import numpy as np

from ..formats.arrays import Bytes
from ..formats.binary import FormatError

LONGER_SIDE = 256
"""Pixels: what Blender makes itself."""
_OLD, _NEW = struct.Struct("<4siQii"), struct.Struct("<4siQqq")
"""Heads of blocks before 5.0: code, length, address, type, count; since then: code, type, address, length, count."""


def with_preview(blend: bytes, pixels: Bytes) -> bytes:
    """Return a .blend with a picture, uint8[h, w, 4], the top row first; one that it has is replaced.

    Raises FormatError for what is no uncompressed .blend of a 64-bit, little-endian Blender.
    """
    is_new = blend[:12] == b"BLENDER17-01"
    if not is_new and blend[:9] != b"BLENDER-v":
        raise FormatError("compressed, or no .blend", "the head", 0)
    head, at = (_NEW, 17) if is_new else (_OLD, 12)
    start = at
    while at + head.size <= len(blend):
        fields = head.unpack_from(blend, at)
        length = fields[3] if is_new else fields[1]
        if fields[0] != b"REND" or length < 0:
            break
        at += head.size + length
    if at == start or at + head.size > len(blend):
        raise FormatError("no block REND at its begin", "the blocks", at)
    rest = at
    fields = head.unpack_from(blend, at)
    if fields[0] == b"TEST":
        rest += head.size + (fields[3] if is_new else fields[1])
    height, width = pixels.shape[:2]
    data = struct.pack("<ii", width, height) + np.ascontiguousarray(pixels[::-1]).tobytes()
    made = head.pack(b"TEST", 0, 1, len(data), 1) if is_new else head.pack(b"TEST", len(data), 1, 0, 1)
    return b"".join((blend[:at], made, data, blend[rest:]))
