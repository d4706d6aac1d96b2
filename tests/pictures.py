# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares pictures by the means of their blocks: robust to a pixel's rounding, not to a tile in the wrong place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Picture = NDArray[np.float64]


def load(path: Path) -> Picture:
    """float64 [height, width, 3] in 0..255, top row first; transparency is ignored."""
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB"), np.float64)


def block_means(picture: Picture, rows: int, columns: int) -> Picture:
    """float64 [rows, columns, 3]: the mean of each block; `picture` is cut into rows x columns equal ones."""
    height, width = picture.shape[:2]
    if height % rows or width % columns:
        raise ValueError(f"{width} x {height} px cannot be cut into {columns} x {rows} blocks")
    return picture.reshape(rows, height // rows, columns, width // columns, 3).mean(axis=(1, 3))


def difference(ours: Picture, theirs: Picture) -> float:
    """Mean absolute difference (0..255) of two pictures' block means."""
    return float(np.abs(ours - theirs).mean())
