"""Lightmaps as Radiance pictures (.hdr): a common exponent a pixel as in the map, so that each luxel keeps its bits.

The format: a header, then each row's four channels one after another, in runs of equal bytes and runs of others
(Greg Ward, "Real Pixels", Graphics Gems II; the Radiance manual, "picture file format").
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

EXPONENT_BIAS = 136
"""What a pixel's exponent is more than ColorRGBExp32's: its light is then rgb * 2**exponent, without the 1 / 255."""
_RUN, _EQUAL = 64, 128
"""Bytes a run; what is added to the length of one of equal bytes."""
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
    busy = np.flatnonzero(pixels.any(axis=(1, 2)))  # most pictures of further styles are dark
    runs = np.ascontiguousarray(pixels[busy].transpose(0, 2, 1)).reshape(len(busy), -1, run)
    equal = (runs == runs[..., :1]).all(axis=2)
    stored = np.empty((*runs.shape[:2], run + 1), np.uint8)
    stored[..., 0] = np.where(equal, _EQUAL + run, run)
    stored[..., 1:] = runs
    kept = np.ones(stored.shape, np.bool_)
    kept[..., 2:] = ~equal[..., None]
    begin = np.array((2, 2, width >> 8, width & 0xFF), np.uint8)
    rows = np.empty((len(busy), 4 + 4 * width // run * (run + 1)), np.uint8)
    rows[:, :4] = begin
    rows[:, 4:] = stored.reshape(len(busy), -1)
    mask = np.ones(rows.shape, np.bool_)
    mask[:, 4:] = kept.reshape(len(busy), -1)
    bright, ends = rows[mask].tobytes(), np.cumsum(mask.sum(axis=1)).tolist()
    lines = [begin.tobytes() + bytes((_EQUAL + run, 0)) * (4 * width // run)] * height
    for row, start, end in zip(busy.tolist(), [0, *ends], ends, strict=False):
        lines[row] = bright[start:end]
    header = f"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y {height} +X {width}\n"
    return header.encode("ascii") + b"".join(lines)
