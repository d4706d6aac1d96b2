# SPDX-License-Identifier: GPL-3.0-or-later
"""Maps made on the spot for tests and benchmarks: as big as wanted, the same for the same arguments."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))
import art
import mapfile
from mapfile import MapFile, name_words

FLAGS = np.array([0, 1, 2, 3, 8, 9, 10, 11], np.uint8)


def tile_map(width: int, height: int, fills: tuple[float, ...], seed: int = 0, period: int = 0) -> bytes:
    """A map of a tile layer a fill (the share of its tiles that isn't air) under a game layer, each width x height.

    period: tiles after which a layer repeats itself both ways, much as huge real layers do; 0 = never.
    """
    random = np.random.default_rng(seed)
    file = MapFile()
    file.item(mapfile.VERSION, 1)
    sheet = art.tile_sheet()
    file.item(mapfile.IMAGE, 1, *sheet.shape[:2], 0, file.text("sheet"), file.blob(sheet.tobytes()))
    for number, fill in enumerate(fills):
        data = file.blob(_tiles(random, width, height, fill, period))
        _tile_layer(file, f"Tiles {number}", 0, width, height, 0, data)
    _tile_layer(file, "Game", 1, width, height, -1, file.blob(_tiles(random, width, height, 0.1, period, kinds=4)))
    file.item(mapfile.GROUP, 3, 0, 0, 100, 100, 0, len(fills) + 1, 0, 0, 0, 0, 0, *name_words("Game"))
    return bytes(file)


def _tiles(random: np.random.Generator, width: int, height: int, fill: float, period: int, kinds: int = 255) -> bytes:
    shape = (period or height, period or width)
    tiles = np.zeros((*shape, 4), np.uint8)
    tiles[..., 0] = random.integers(1, kinds + 1, shape)
    tiles[..., 1] = random.choice(FLAGS, shape)
    tiles[random.random(shape) >= fill] = 0
    repeats = (-(-height // shape[0]), -(-width // shape[1]), 1)
    return np.tile(tiles, repeats)[:height, :width].tobytes()


def _tile_layer(file: MapFile, name: str, flag: int, width: int, height: int, image: int, data: int) -> None:
    file.item(
        mapfile.LAYER,
        0,
        2,
        0,
        3,
        width,
        height,
        flag,
        255,
        255,
        255,
        255,
        -1,
        0,
        image,
        data,
        *name_words(name),
        *[-1] * 5,
    )
