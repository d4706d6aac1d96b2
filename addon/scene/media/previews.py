# SPDX-License-Identifier: GPL-3.0-or-later
"""Previews of data-blocks, which the asset browser shows."""

from __future__ import annotations

import bpy
import numpy as np

from ....formats.arrays import Bytes
from ..blender_types import Value

SIZE = 128
"""Pixels of a preview's sides."""

Pixels = Bytes
"""uint8[SIZE, SIZE, 4], the top row first."""


def fitted(pixels: Bytes) -> Pixels:
    """An image as a preview, uint8[h, w, 4]: as large as it can be, in the middle, its proportions kept."""
    height, width = pixels.shape[:2]
    longer = max(width, height)
    wide, high = max(1, width * SIZE // longer), max(1, height * SIZE // longer)
    small = pixels[np.arange(high) * height // high][:, np.arange(wide) * width // wide]
    made = np.zeros((SIZE, SIZE, 4), np.uint8)
    top, left = (SIZE - high) // 2, (SIZE - wide) // 2
    made[top : top + high, left : left + wide] = small
    return made


def show(block: bpy.types.ID, pixels: Pixels) -> None:
    """Give a data-block its preview."""
    preview: Value = block.preview_ensure()
    preview.image_size = (SIZE, SIZE)
    preview.image_pixels_float.foreach_set((pixels[::-1].astype(np.float32) / 255).reshape(-1))
