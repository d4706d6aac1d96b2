# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the game looks: how much of a map it shows, and where a player first appears (teeworlds.md §5)."""

import numpy as np

from ..arrays import Bytes
from ..binary import FormatError
from .level import Level

PIXELS_PER_TILE = 32

_AREA, _MOST = 1150 * 1000, (1500, 1050)
"""World px that the game shows: their number, and the most along each axis."""


def view_size(aspect: float) -> tuple[float, float]:
    """Tiles that the game shows at zoom 1 (width, height), for a picture's width / height."""
    height = (_AREA / aspect) ** 0.5
    width = min(height * aspect, _MOST[0])
    height = min(width / aspect, _MOST[1])
    return height * aspect / PIXELS_PER_TILE, height / PIXELS_PER_TILE


def spawn(level: Level) -> tuple[float, float]:
    """The tile position (x, y down) where a player first appears; the middle of the map without one."""
    found = level.game_layer
    if found is None:
        return 0.0, 0.0
    layer = found[1]
    try:
        tiles = layer.tiles()["index"]
    except FormatError:
        return 0.0, 0.0
    return spawn_among(tiles)


def spawn_among(indices: Bytes) -> tuple[float, float]:
    """The tile position (x, y down) where a player first appears, by the indices [h, w] of a game layer's tiles; the
    middle of the layer without one.
    """
    found = spawns_among(indices)
    return found[0] if found else (indices.shape[1] / 2, indices.shape[0] / 2)


def spawns_among(indices: Bytes) -> list[tuple[float, float]]:
    """The tile positions (x, y down) where players appear, by the indices [h, w] of a game layer's tiles: those of all
    players first, then those of each team, each from the top left on.
    """
    found: list[tuple[float, float]] = []
    for index in (192, 193, 194):
        rows, columns = np.nonzero(indices == index)
        found += zip((columns + 0.5).tolist(), (rows + 0.5).tolist(), strict=True)
    return found
