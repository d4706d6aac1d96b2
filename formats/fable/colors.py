# SPDX-License-Identifier: GPL-3.0-or-later
"""A colour for each name, the same in every level and on every machine: what stands for textures that aren't there."""

from __future__ import annotations

import colorsys
import zlib
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

import numpy as np

from ..arrays import Singles
from ..srgb import to_light
from .theme_weights import FULL, Weights

NONE = (0.05, 0.05, 0.05)
"""Linear colour of slots without a name, and of no sound."""

_WORDS: tuple[tuple[tuple[str, ...], tuple[float, float, float]], ...] = (
    (("INVALID", "EDITOR"), (0.40, 0.38, 0.42)),
    (("WATER", "LAKE", "SEA", "RIVER", "OCEAN"), (0.20, 0.42, 0.55)),
    (("SNOW", "ICE"), (0.86, 0.90, 0.95)),
    (("LAVA", "FIRE"), (0.80, 0.30, 0.10)),
    (("COBBLE", "PAVING", "FLAGSTONE", "TILE", "FLOOR"), (0.55, 0.53, 0.49)),
    (("SAND", "BEACH", "CHALK", "DESERT"), (0.78, 0.69, 0.48)),
    (("CLIFF", "ROCK", "STONE", "PEBBLE"), (0.46, 0.43, 0.39)),
    (("PATH", "MUD", "EARTH", "DIRT", "PLOUGHED", "MULCH", "BURNED", "WOOD"), (0.47, 0.35, 0.22)),
    (("WHEAT", "CROP", "MUSTARD", "RAPESEED", "DANDELION"), (0.74, 0.65, 0.25)),
    (("HEATHER", "HIGHLAND", "PURPLE"), (0.48, 0.42, 0.42)),
    (("POPP", "BERRY"), (0.60, 0.38, 0.25)),
    (("SPOOKY", "DEAD", "HAUNTED", "DARK"), (0.27, 0.31, 0.24)),
    (("LEAVES", "FOREST", "TREE", "BUSH", "FERN", "BRACKEN", "BRAMBLE"), (0.25, 0.38, 0.16)),
    (("GRASS", "GREEN", "MEADOW", "FLOWER", "DAISIES", "NETTLE"), (0.36, 0.52, 0.20)),
)
"""What themes look like whose names have such a word, sRGB; the first that fits counts."""
_SOME = 1 - 0.5 / FULL
"""Of a cell's themes together, where a part of the cell is of none."""
PACKED = 4
"""Weights in one colour attribute."""


def theme(name: str) -> tuple[float, float, float]:
    """Return the colour of a ground theme, linear RGB: like what it is called, told apart by the rest of the name."""
    if not name:
        return NONE
    upper = name.upper()
    meant = next((color for words, color in _WORDS if any(word in upper for word in words)), None)
    if meant is None:
        return distinct(name)
    code = zlib.crc32(name.encode("latin-1", "replace"))
    hue, lightness, saturation = colorsys.rgb_to_hls(*meant)
    hue += ((code & 0xFF) / 255 - 0.5) * 0.08
    lightness = _within(lightness + ((code >> 8 & 0xFF) / 255 - 0.5) * 0.14)
    saturation = _within(saturation + ((code >> 16 & 0xFF) / 255 - 0.5) * 0.2)
    return _linear(colorsys.hls_to_rgb(hue % 1.0, lightness, saturation))


def distinct(name: str) -> tuple[float, float, float]:
    """Return a colour for a name that says nothing of how it looks (sounds, atmospheres), linear RGB."""
    if not name:
        return NONE
    code = zlib.crc32(name.encode("latin-1", "replace"))
    lightness, saturation = 0.4 + (code >> 16 & 0xFF) / 255 * 0.25, 0.45 + (code >> 24) / 255 * 0.4
    return _linear(colorsys.hls_to_rgb((code & 0xFFFF) / 65536, lightness, saturation))


def themes(names: Sequence[str]) -> Singles:
    """Return the colours of themes, float32[n, 4], linear RGBA."""
    return np.array([(*_cached(name), 1.0) for name in names], np.float32).reshape(-1, 4)


def blend(weights: Weights, names: Sequence[str], count: int, imaged: Sequence[int] = ()) -> tuple[Singles, Singles]:
    """The colours of cells' themes by their weights, float32[count, 4], linear RGBA with alpha 1; and what of the cells
    is of themes that have an image, float32[m, count, PACKED].

    names: of the themes, by slot. count: of the cells. imaged: slots; their themes have no part in the colour, the n-th
    has the numbers [n // PACKED, :, n % PACKED]. What of a cell no theme has is of the colour NONE.
    """
    table = themes(names)
    amounts = weights.weights.astype(np.float32) / np.float32(FULL)
    blended = np.zeros((count, 4), np.float32)  # the last one is how much of the whole is there
    # Two of the four numbers at a time, as one complex number: numpy adds those in half the time of rows.
    halves, colored = blended.view(np.complex64), table.view(np.complex64)
    packed = np.zeros((-(-len(imaged) // PACKED), count, PACKED), np.float32)
    # A cell has one row a slot at most, and the rows of a slot follow each other: they are added at once.
    bounds = np.searchsorted(weights.slots, np.arange(len(table) + 1)).tolist()
    for slot, (start, end) in enumerate(pairwise(bounds)):
        if start == end:
            continue
        cells, amount = weights.cells[start:end], amounts[start:end]
        if slot in imaged:
            place = imaged.index(slot)
            packed[place // PACKED, cells, place % PACKED] = amount
            blended[cells, 3] += amount
        else:
            for half in (0, 1):
                halves[cells, half] += amount * colored[slot, half]
    rest = np.flatnonzero(blended[:, 3] < _SOME)
    blended[rest, :3] += (1 - blended[rest, 3:]) * np.array(NONE, np.float32)
    blended[:, 3] = 1
    return blended, packed


@cache
def _cached(name: str) -> tuple[float, float, float]:
    return theme(name)


def _within(value: float) -> float:
    return min(max(value, 0.05), 0.95)


def _linear(color: tuple[float, float, float]) -> tuple[float, float, float]:
    """Turn sRGB into linear RGB."""
    red, green, blue = to_light(np.array(color)).tolist()
    return red, green, blue
