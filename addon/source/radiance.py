"""Lightmaps as Radiance pictures (.hdr): a common exponent a pixel as in the map, so that each luxel keeps its bits.

The format: a header, then each row's four channels one after another, in runs of equal bytes and runs of others
(Greg Ward, "Real Pixels", Graphics Gems II; the Radiance manual, "picture file format").
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

EXPONENT_BIAS = 136
"""What a pixel's exponent is more than ColorRGBExp32's: its light is then rgb * 2**exponent, without the 1 / 255."""
_RUN, _EQUAL = 64, 128
"""Bytes a run; what is added to the length of one of equal bytes."""
_BEGIN = struct.Struct(">BBH")
"""Of a row in runs: 2, 2, its width."""
_AT_ONCE = 1 << 16
"""Pixels whose bytes stay in the cache."""
NARROWEST, WIDEST = 8, 0x7FFF
"""Widths that rows may have to be stored in runs."""


def encode(pixels: NDArray[np.uint8]) -> bytes:
    """A picture of uint8[h, w, 4] pixels, top row first: red, green, blue and the exponent plus EXPONENT_BIAS.

    w: a multiple of 64, or below that a power of two from 8 on. Raises ValueError for others.
    """
    height, width = pixels.shape[:2]
    run = min(_RUN, width)
    if width % run or not NARROWEST <= width <= WIDEST:
        raise ValueError(f"rows of {width} pixels")
    words = np.ascontiguousarray(pixels).view("<u4").reshape(height, width)
    busy = np.flatnonzero(words.any(axis=1))  # most pictures of further styles are dark
    lines = [_BEGIN.pack(2, 2, width) + bytes((_EQUAL + run, 0)) * (4 * width // run)] * height
    for start in range(0, len(busy), max(1, _AT_ONCE // width)):
        part = busy[start : start + max(1, _AT_ONCE // width)]
        for row, line in zip(part.tolist(), _lines(words[part], run), strict=True):
            lines[row] = line
    header = f"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y {height} +X {width}\n"
    return header.encode("ascii") + b"".join(lines)


def _lines(words: NDArray[np.uint32], run: int) -> Iterator[bytes]:
    """The rows of a picture, uint32[h, w], in runs of so many pixels."""
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
    found, start = rows[kept].tobytes(), 0
    lengths = rows.shape[1] - equal.sum(axis=(1, 2)) * (run - 1)
    for end in np.cumsum(lengths).tolist():
        yield found[start:end]
        start = end
