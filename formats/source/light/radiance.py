# SPDX-License-Identifier: GPL-3.0-or-later
"""Lightmaps as Radiance pictures (.hdr): a common exponent a pixel as in the map, so that each luxel keeps its bits.

The format: a header, then each row's four channels one after another, in runs of equal bytes and runs of others
(Greg Ward, "Real Pixels", Graphics Gems II; the Radiance manual, "picture file format").
"""

from __future__ import annotations

import struct

import numpy as np
from numpy.typing import NDArray

from ...arrays import Bytes

EXPONENT_BIAS = 136
"""What a pixel's exponent is more than ColorRGBExp32's: its light is then rgb * 2**exponent, without the 1 / 255."""
_RUN, _EQUAL = 64, 128
"""Bytes a run; what is added to the length of one of equal bytes."""
_BEGIN = struct.Struct(">BBH")
"""Of a row in runs: 2, 2, its width."""
_AT_ONCE = 1 << 15
"""Pixels whose bytes stay in the cache."""
NARROWEST, WIDEST = 8, 0x7FFF
"""Widths that rows may have to be stored in runs."""


def encode(pixels: Bytes) -> bytes:
    """A picture of uint8[h, w, 4] pixels, top row first: red, green, blue and the exponent plus EXPONENT_BIAS.

    w: a multiple of 64, or below that a power of two from 8 on. Raises ValueError for others.
    """
    height, width = pixels.shape[:2]
    run = min(_RUN, width)
    if width % run or not NARROWEST <= width <= WIDEST:
        raise ValueError(f"rows of {width} pixels")
    words = np.ascontiguousarray(pixels).view("<u4").reshape(height, width)
    dark = _BEGIN.pack(2, 2, width) + bytes((_EQUAL + run, 0)) * (4 * width // run)
    parts = [words[start : start + max(1, _AT_ONCE // width)] for start in range(0, height, max(1, _AT_ONCE // width))]
    # most pictures of further styles are dark
    rows = [_rows(part, run) if part.any() else dark * len(part) for part in parts]
    header = f"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y {height} +X {width}\n"
    return b"".join([header.encode("ascii"), *rows])


def _rows(words: NDArray[np.uint32], run: int) -> bytes:
    """Rows of a picture, uint32[h, w], in runs of so many pixels."""
    height, width = words.shape
    runs = words.reshape(height, width // run, run)
    changing = np.bitwise_or.reduce(runs ^ runs[..., :1], axis=2)  # the bits that aren't the same in all of a run
    equal = changing.view(np.uint8).reshape(height, -1, 4).transpose(0, 2, 1) == 0
    rows = np.empty((height, _BEGIN.size + 4 * width // run * (run + 1)), np.uint8)
    rows[:, : _BEGIN.size] = np.frombuffer(_BEGIN.pack(2, 2, width), np.uint8)
    kept = np.ones(rows.shape, np.bool_)
    stored, wanted = (
        each[:, _BEGIN.size :].reshape(height, 4, width // run, run + 1) for each in (rows, kept)
    )  # views
    stored[..., 0] = np.where(equal, _EQUAL + run, run)
    for channel in range(4):
        stored[:, channel, :, 1:] = (runs >> np.uint32(8 * channel)).astype(np.uint8)
    wanted[..., 2:] = ~equal[..., None]
    return rows[kept].tobytes()
