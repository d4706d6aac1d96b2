# SPDX-License-Identifier: GPL-3.0-or-later
"""Lightmaps packed into one image: where the rectangle of each face lies."""

from dataclasses import dataclass

import numpy as np

from . import ranges
from .arrays import Ints

SMALLEST, LARGEST = 16, 1 << 14


@dataclass(frozen=True, slots=True)
class Atlas:
    """An image with rectangles in it, of which no two overlap."""

    width: int
    """Pixels; so is height."""
    height: int
    x: Ints
    """int64[n], the left edge of each rectangle."""
    y: Ints
    """int64[n], its upper edge."""


def pack(sizes: Ints, largest: int = LARGEST) -> Atlas:
    """Pack rectangles int64[n, 2] (width, height; 0 takes no room) in rows of falling height.

    The width is a power of two, about the side of a square that would hold all; the height is a multiple of 4.
    Raises ValueError where they don't fit into `largest` x `largest`.
    """
    widths, heights = sizes[:, 0].astype(np.int64), sizes[:, 1].astype(np.int64)
    x, y = np.zeros(len(sizes), np.int64), np.zeros(len(sizes), np.int64)
    order = np.lexsort([-widths, -heights])
    order = order[(widths[order] > 0) & (heights[order] > 0)]
    if not len(order):
        return Atlas(SMALLEST, SMALLEST, x, y)
    area = int((widths * heights).sum())
    width = max(SMALLEST, 1 << int(np.ceil(np.log2(max(int(widths.max()), area**0.5)))))
    ends = np.cumsum(widths[order])
    start, top = 0, 0
    while start < len(order):  # a row at a time
        before = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + width, side="right")))
        row = order[start:stop]
        x[row] = ends[start:stop] - widths[row] - before
        y[row] = top
        top += int(heights[row[0]])
        start = stop
    height = max(SMALLEST, -(-top // 4) * 4)
    if width > largest or height > largest:
        raise ValueError(f"lightmaps of {area} luxels don't fit into {largest} x {largest}")
    return Atlas(width, height, x, y)


def pixels_of(atlas: Atlas, sizes: Ints) -> tuple[Ints, Ints]:
    """The pixel of each luxel, numbers in the image row by row, rectangle after rectangle, each row-major as in the
    lump; and where each rectangle's start, int64[n + 1].
    """
    widths, heights = sizes[:, 0].astype(np.int64), sizes[:, 1].astype(np.int64)
    owner = ranges.owners(heights)  # of each row of pixels
    row = np.arange(len(owner)) - ranges.starts(heights)[owner]
    begin = (atlas.y[owner] + row) * atlas.width + atlas.x[owner]
    return ranges.flat(begin, widths[owner]), ranges.starts(widths * heights)
