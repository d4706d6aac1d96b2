# SPDX-License-Identifier: GPL-3.0-or-later
"""Levels, and parts of levels, that no file holds yet."""

from collections.abc import Sequence

import numpy as np

from ..arrays import Records
from . import navigation
from .lev_file import size_and_version
from .level import Level, Section, stored_heights
from .records import (
    BRUSH_HEADER,
    CELL,
    CELL_VERSION,
    FILE_HEADER,
    GAME_CELL,
    GAME_CELL_EDGE,
    GAME_CELL_VERSION,
    HEADER_SIZE,
    HEADER_VERSION,
    MAP_HEADERS,
    PALETTE_ENTRY,
    PALETTE_SLOTS,
    ROOT_EDGE,
    palette_name,
)

STAND_IN = "INVALID_THEME_STANDIN"  # slot 1 of every ground palette
DEFAULT_SECTION = "NULL"


def new_level(
    width: int,
    height: int,
    *,
    themes: Sequence[str] = (),
    atmospheres: Sequence[str] = (),
    sounds: Sequence[str] = (),
    z: float = 0.0,
    with_navigation: bool = True,
) -> Level:
    """A flat level, all walkable, of `width` x `height` world units (multiples of 32), its ground at world z.

    The ground is of the first of `themes`, if there is one; `atmospheres` and `sounds` are there to be used. Raises
    ValueError for sizes, names and heights that a level cannot have.
    """
    if width <= 0 or height <= 0 or width % ROOT_EDGE or height % ROOT_EDGE:
        raise ValueError(f"{width} x {height} units: sides are multiples of {ROOT_EDGE}")
    if not 0 <= z < 2048:
        raise ValueError(f"height {z:g}: at least 0 and less than 2048 is allowed")
    map_header = np.zeros((), MAP_HEADERS[9])
    map_header["size"], map_header["version"] = MAP_HEADERS[9].itemsize, 9
    map_header["width"], map_header["height"], map_header["plus_one"] = width, height, 1
    map_header["map_version"], map_header["sound_count"] = 3, len(sounds) + 1
    fill_palette(map_header["ground_palette"], ["", STAND_IN, *themes])
    fill_palette(map_header["atmosphere_palette"], ["", *atmospheres])

    cells = new_cells(CELL, CELL_VERSION, (height + 1, width + 1))
    cells["height"] = stored_heights(z)
    cells["themes"][..., 0] = 2 if themes else 1
    cells["strengths"][..., 0] = 255
    cells["walkable"] = cells["camera"] = 1
    game_map = blank_game_map(width, height)
    game_map["themes"][..., 0] = 1 if atmospheres else 0

    header = np.zeros((), FILE_HEADER)
    header["size"], header["version"] = HEADER_SIZE, HEADER_VERSION
    level = Level(header, b"", map_header, list(sounds), cells, game_map, b"", new_brushes(), b"", [], b"")
    if with_navigation and level.sections is not None:
        made = navigation.new_navigation(navigation.weights(cells))
        level.sections.append(Section.new(DEFAULT_SECTION, made))
    return level


def fill_palette(palette: Records, names: Sequence[str]) -> None:
    """Name the slots of a palette, PALETTE_ENTRY [256], from 0 on, in place.

    The values say no more than which ones are used (names count in game). Raises ValueError for more than 256 names, or
    one that a palette can't hold.
    """
    if len(names) > PALETTE_SLOTS:
        raise ValueError(f"{len(names)} themes: a palette has {PALETTE_SLOTS} slots")
    palette["name"][: len(names)] = [palette_name(name) for name in names]
    palette["value"][: len(names)] = [slot if name else 0 for slot, name in enumerate(names)]


def new_cells(dtype: "np.dtype[np.void]", version: int, shape: tuple[int, int]) -> Records:
    """Cells of a record, CELL or GAME_CELL, and of this shape (rows, columns), zero but for their size and version."""
    cells = np.zeros(shape, dtype)
    cells["size"], cells["version"] = dtype.itemsize, version
    return cells


def blank_game_map(width: int, height: int) -> Records:
    """A game map of no atmosphere and no sound for a map of this size in world units, GAME_CELL [rows, columns]."""
    made = new_cells(GAME_CELL, GAME_CELL_VERSION, (height // GAME_CELL_EDGE, width // GAME_CELL_EDGE))
    made["strengths"][..., 0] = 255
    return made


def new_brushes() -> bytes:
    """The bytes of a script-brush block without brushes, as in every known level."""
    return size_and_version(BRUSH_HEADER.itemsize, 1) + bytes(4 + PALETTE_SLOTS * PALETTE_ENTRY.itemsize)
