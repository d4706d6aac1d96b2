# SPDX-License-Identifier: GPL-3.0-or-later
"""Fable levels made on the spot for tests and benchmarks: as big as wanted, the same for the same arguments."""

from __future__ import annotations

import numpy as np

from formats import fable
from formats.fable.level import Section
from tests.formats import fable_bytes

CELL = np.dtype(
    [
        ("size", "<u4"), ("version", "u1"), ("height", "<f4"), ("zero_9", "u1"), ("themes", "u1", (3,)),
        ("strengths", "u1", (2,)), ("walkable", "u1"), ("camera", "u1"), ("old_sound", "u1"), ("zero_18", "u1"),
        ("shore", "u1"), ("path", "u1"),
    ]
)  # fmt: skip
"""A height cell (fable.md §2.3), written down again: `formats` is measured and tested with it."""
GAME_CELL = np.dtype(
    [("size", "<u4"), ("version", "u1"), ("themes", "u1", (3,)), ("strengths", "u1", (2,)), ("sound", "u1")]
)
THEMES, SOUNDS = 40, 20
PATCH = 24
"""Cells to the side of a patch of ground of one theme."""


def hills(width: int, height: int, seed: int = 0) -> bytes:
    """A level of this size (multiples of 32) as real ones are: hills, patches of 40 themes that blend at their borders,
    paths, and blocked ground. It has no navigation.
    """
    random = np.random.default_rng(seed)
    lev = fable_bytes.Lev(
        width=width,
        height=height,
        ground=[(b"", 0), (b"INVALID_THEME_STANDIN", 9), *((b"GROUND_%02d" % n, 100 + n) for n in range(THEMES))],
        atmospheres=[(b"", 0), (b"ENVIRONMENT_DAY", 1), (b"ENVIRONMENT_FOG", 2)],
        sounds=[b"SOUND_%02d" % n for n in range(SOUNDS)],
    )
    header = lev.map_header() + b"".join(len(name).to_bytes(4, "little") + name for name in lev.sounds)
    ground = _cells(random, width, height).tobytes() + _game_map(random, width, height).tobytes()
    brush_offset = 25 + len(header) + len(ground)
    nav_offset = brush_offset + len(lev.brushes)
    offsets = (25, lev.unused, brush_offset, lev.legacy, nav_offset)
    start = b"\x19\0\0\0\x04" + b"".join(offset.to_bytes(4, "little") for offset in offsets)
    return start + header + ground + lev.brushes + lev.navigation(nav_offset, ())


def walked(width: int, height: int, nodes: int) -> bytes:
    """Such a level with one section of navigation of at least this many nodes (and hardly more): blocked ground is
    scattered on it until there are.
    """
    level = fable.read(hills(width, height))
    level.cells = level.cells.copy()
    places = np.random.default_rng(1).permutation(level.cells.size)
    few, many = 0, len(places) // 8
    while few < many:
        middle = (few + many) // 2
        level.cells["walkable"] = 1
        level.cells["walkable"].reshape(-1)[places[:middle]] = 0
        navigation = fable.new_navigation(fable.weights(level.cells))
        few, many = (few, middle) if len(navigation.nodes) >= nodes else (middle + 1, many)
    level.cells["walkable"] = 1
    level.cells["walkable"].reshape(-1)[places[:few]] = 0
    navigation = fable.new_navigation(fable.weights(level.cells))
    level.sections = [Section.new("NULL", navigation)]
    return fable.write(level)


def _cells(random: np.random.Generator, width: int, height: int) -> np.ndarray:
    y, x = np.mgrid[0 : height + 1, 0 : width + 1]
    cells = np.zeros(x.shape, CELL)
    cells["size"], cells["version"] = CELL.itemsize, 7
    cells["height"] = (30 + 8 * np.sin(x / 23) * np.cos(y / 17) + random.random(x.shape) / 4) / 2048
    patches = random.integers(2, 2 + THEMES, (height // PATCH + 2, width // PATCH + 2), np.uint8)
    column, row = x // PATCH, y // PATCH
    share = np.clip((x % PATCH - (PATCH - 6)) * 40, 0, 255)  # blends into the next patch over six cells
    cells["themes"][..., 0], cells["themes"][..., 1] = patches[row, column], patches[row, column + 1]
    cells["themes"][..., 2] = patches[row + 1, column]
    cells["strengths"][..., 0] = 255 - share
    cells["strengths"][..., 1] = share - np.minimum(share, (y % PATCH) * 3)
    cells["walkable"], cells["camera"] = random.random(x.shape) > 0.1, 1
    cells["path"] = abs(x - y) < 4
    return cells


def _game_map(random: np.random.Generator, width: int, height: int) -> np.ndarray:
    cells = np.zeros((height // 4, width // 4), GAME_CELL)
    cells["size"], cells["version"] = GAME_CELL.itemsize, 1
    cells["themes"], cells["strengths"] = (1, 2, 0), (155, 100)
    cells["sound"] = random.integers(0, SOUNDS + 1, cells.shape)
    return cells
