# SPDX-License-Identifier: GPL-3.0-or-later
"""Lightmaps in images of one layout: which pixel is which luxel, and light for luxels that have none of their own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import ranges
from .arrays import Bools, Ints, Singles

Light = Singles


@dataclass(frozen=True, slots=True, eq=False)
class LuxelPixels:
    """Where luxels are in the images."""

    width: int
    """Pixels of the images across."""
    height: int
    """Pixels of the images down."""
    sizes: Ints
    """int64[faces + 1, 2]: luxels of each face's lightmap, across and down; 0: none. The last one is no face's."""
    pixels: Ints
    """int64[luxels]: numbers in the image row by row from the top; face f has pixels[first[f] : first[f + 1]]."""
    first: Ints
    """int64[faces + 1]: where each face's begin; none where the image has no room for it."""


def spread(baked: Light, covered: Bools, where: LuxelPixels, faces: Ints) -> tuple[Light, int]:
    """The light of all luxels of faces int64[n] in an image: float32[pixels, 3], NaN elsewhere; and how many luxels.

    baked: float32[pixels, 3], with which of them a surface covers. A luxel that none covers gets the mean of those next
    to it in its face, ring by ring; faces of which none is covered get none.
    """
    wide = where.width + 2  # an empty frame, so that each pixel has its neighbours
    owner = np.full((where.height + 2) * wide, -1, np.int64)
    counts = where.first[faces + 1] - where.first[faces]
    pixels = where.pixels[ranges.flat(where.first[faces], counts)]
    framed = (pixels // where.width + 1) * wide + pixels % where.width + 1
    owner[framed] = np.repeat(faces, counts)
    light = np.full((len(owner), 3), np.nan, np.float32)
    known = np.zeros(len(owner), np.bool_)
    known[framed] = covered[pixels]
    light[framed[covered[pixels]]] = baked[pixels[covered[pixels]]]
    around = np.array([-wide - 1, -wide, -wide + 1, -1, 1, wide - 1, wide, wide + 1])
    left = framed[~known[framed]]
    while len(left):
        beside = left[:, None] + around
        usable = known[beside] & (owner[beside] == owner[left, None])
        ready = usable.any(axis=1)
        if not ready.any():
            break
        sums = np.where(usable[ready, :, None], light[beside[ready]], 0).sum(axis=1)
        light[left[ready]] = sums / usable[ready].sum(axis=1, keepdims=True)
        known[left[ready]] = True
        left = left[~ready]
    made = np.full((where.height * where.width, 3), np.nan, np.float32)
    made[pixels] = light[framed]
    return made, int(known[framed].sum())
