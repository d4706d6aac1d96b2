# SPDX-License-Identifier: GPL-3.0-or-later
"""Between texels of a map's textures and UV coordinates, which are 0 to 1 across a texture, v upwards."""

from __future__ import annotations

import numpy as np

from ...arrays import Floats, Ints, Singles

UNKNOWN_SIZE = (64, 64)
"""Texels of textures that the map doesn't know the size of: tool textures have as many."""


def size_of(name: str, sizes: dict[str, tuple[int, int]]) -> tuple[int, int]:
    """The size of a texture in texels; sizes: as `vmf.sizes` gives them."""
    return sizes.get(name.lower(), UNKNOWN_SIZE)


def uv_of(texels: Floats, sizes: Ints) -> Singles:
    """UV coordinates float32[n, 2] of texels float64[n, 2] on textures of sizes int64[n, 2]; 0 if not finite."""
    placed = np.nan_to_num(texels / sizes, posinf=0.0, neginf=0.0)
    placed[:, 1] = 1 - placed[:, 1]
    return placed.astype(np.float32)


def texels_of(uv: Singles, sizes: Ints) -> Floats:
    """Texels float64[n, 2] of UV coordinates float32[n, 2] on textures of sizes int64[n, 2]: the inverse of `uv_of`."""
    placed = uv.astype(np.float64)
    placed[:, 1] = 1 - placed[:, 1]
    return placed * sizes
