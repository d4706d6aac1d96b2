# SPDX-License-Identifier: GPL-3.0-or-later
"""Fable: The Lost Chapters: levels (`.lev`), the things in them (`.tng`) and the world's map (`.wld`).

A `Level` has `cells`, CELL [rows, columns] of heights and themes, a `game_map`, GAME_CELL [rows, columns] of
atmospheres and sounds, and `sections` of navigation. Units are the game's, one to a cell: x east, y north, z up.

    level = read(data)
    cells = level.cells.copy()
    cells["height"] = stored_heights(heights(cells) + 2)
    level.cells = cells
    data = write(level)

`tng` and `wld` have verbs of their own: they are text beside a level.
"""

from ..binary import Buffer
from . import lev_file, tng, wld
from .blank import fill_palette, new_brushes, new_cells, new_level
from .changes import NavigationChanges, changes
from .check import check
from .contents import contents, summary
from .leaves import BLOCKED
from .lev_file import section_at
from .level import Level, Section, heights, stored_heights, strengths
from .navigation import navigation_of_leaves, new_navigation, patch, raster, rebuild, weights, without_islands
from .nodes import Navigation
from .records import (
    CELL,
    GAME_CELL,
    HEIGHT_SCALE,
    NODE,
    PALETTE_ENTRY,
    POSITION,
    UID_BASE,
    palette_name,
    palette_names,
)

TITLE = "Fable: The Lost Chapters level"
ENDINGS = (".lev",)

__all__ = [
    "BLOCKED",
    "CELL",
    "ENDINGS",
    "GAME_CELL",
    "HEIGHT_SCALE",
    "NODE",
    "PALETTE_ENTRY",
    "POSITION",
    "TITLE",
    "UID_BASE",
    "Level",
    "Navigation",
    "NavigationChanges",
    "Section",
    "changes",
    "check",
    "contents",
    "fill_palette",
    "heights",
    "identify",
    "navigation_of_leaves",
    "new_brushes",
    "new_cells",
    "new_level",
    "new_navigation",
    "palette_name",
    "palette_names",
    "patch",
    "raster",
    "read",
    "rebuild",
    "section_at",
    "stored_heights",
    "strengths",
    "summary",
    "tng",
    "weights",
    "without_islands",
    "wld",
    "write",
]


def identify(data: Buffer) -> bool:
    """Whether these bytes are a `.lev`."""
    return lev_file.identify(data)


def read(data: Buffer) -> Level:
    """Read a level: cheap, navigation is decoded when it is first asked for. Raises FormatError."""
    return lev_file.read(data)


def write(level: Level) -> bytes:
    """Return the level's bytes: what nobody changed comes out as it came in. Raises FormatError."""
    return lev_file.write(level)
