# SPDX-License-Identifier: GPL-3.0-or-later
"""Other map versions of a level: where its sounds are, and whether it has a game map (fable.md §2.2)."""

import numpy as np

from ..arrays import Bytes
from .blank import blank_game_map
from .level import Level
from .records import GAME_CELL_EDGE

NEWEST = 3
GAME_MAP_SINCE, SOUNDS_SINCE = 2, 3  # versions: from which there is a game map, and from which that has the sounds


def change_map_version(level: Level, version: int) -> None:
    """Give a level another map version, 0 to 3, in place: sounds go to where the version has them.

    A game map that is new is of no atmosphere; each of its cells sounds as most of the 4 x 4 height cells below it do.
    One that the version doesn't have is dropped. Raises ValueError for other versions.
    """
    if not 0 <= version <= NEWEST:
        raise ValueError(f"map version {version}: there are versions 0 to {NEWEST}")
    before = level.map_version
    level.map_header["map_version"] = version
    game_map = level.game_map
    if before >= SOUNDS_SINCE > version and game_map is not None:
        level.cells = level.cells.copy()
        level.cells["old_sound"] = _below(game_map["sound"], level.cells.shape)
    if version < GAME_MAP_SINCE:
        level.game_map = None
    elif version >= SOUNDS_SINCE > before or game_map is None:
        level.game_map = blank_game_map(level.width, level.height) if game_map is None else game_map.copy()
        if version >= SOUNDS_SINCE:
            level.game_map["sound"] = _commonest(level.cells["old_sound"], level.game_map.shape)


def _below(values: Bytes, shape: tuple[int, ...]) -> Bytes:
    """The value of the game map's cell that lies over each height cell, of this shape; the last ones reach further."""
    made = np.zeros(shape, np.uint8)
    if values.size:
        y, x = (
            np.minimum(np.arange(length) // GAME_CELL_EDGE, cells - 1)
            for length, cells in zip(shape, values.shape, strict=True)
        )
        made[...] = values[np.ix_(y, x)]
    return made


def _commonest(values: Bytes, shape: tuple[int, ...]) -> Bytes:
    """The commonest value of the height cells under each cell of a game map of this shape; of several the lowest."""
    rows, columns = shape
    under = values[: rows * GAME_CELL_EDGE, : columns * GAME_CELL_EDGE]
    blocks = under.reshape(rows, GAME_CELL_EDGE, columns, GAME_CELL_EDGE).transpose(0, 2, 1, 3)
    blocks = np.sort(blocks.reshape(rows, columns, GAME_CELL_EDGE**2), axis=-1)
    times = (blocks[..., :, None] == blocks[..., None, :]).sum(axis=-1)
    best: Bytes = np.take_along_axis(blocks, times.argmax(axis=-1)[..., None], axis=-1)[..., 0]
    return best
