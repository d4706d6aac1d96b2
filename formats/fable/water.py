# SPDX-License-Identifier: GPL-3.0-or-later
"""Where water stands over the ground (fable.md §5.1): themes of water say how deep it is where they are painted."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from ..arrays import Bools, Floats, Indices, Int32s, Singles
from .geometry import grid
from .theme_weights import FULL, Weights

_STEPS = ("0", "1", "2", "4", "8", "16")
_OF_SEAS = ("0", "1", "2", "3", "4", "8", "16")
_OF_ICE = ("0", "0_25", "1_00", "16_00")
FAMILIES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("WATER_LAKE", "WATER_BWLAKE", "WATER_DWLAKE", "WATER_WWLAKE", "WATER_KRAKEN_LAKE"), _STEPS),
    **dict.fromkeys(("WATER_RIVER", "WATER_SEA", "WATER_TEST"), _STEPS),
    **dict.fromkeys(("SEA_OAKVALE", "SEA_HOOKCOAST"), _OF_SEAS),
    "WATER_HCICE": _OF_ICE,
}
"""What the game's own themes of water are called, before their depth, and how deep each kind has them."""
SHALLOWEST = 0.001
"""Units of water from which on there is any, as in the game."""
_DEPTH = re.compile(r"(?P<family>[A-Z_]+)_(?P<whole>\d{1,3})(?:_(?P<part>\d\d))?")


def depth_of(name: str) -> float:
    """Units of water over ground that is all of a theme, by its name (`WATER_HCICE_0_25`); 0 for other themes."""
    found = _DEPTH.fullmatch(name)
    if found is None or found["family"] not in FAMILIES:
        return 0.0
    return int(found["whole"]) + int(found["part"] or 0) / 100


def depths(names: Sequence[str], known: Mapping[str, float] | None = None) -> Singles:
    """`depth_of` each theme, float32[n]. known: what the game's definitions say, by name, which comes first."""
    of_game = known or {}
    return np.array([of_game.get(name, depth_of(name)) for name in names], np.float32)


def ladder(family: str) -> dict[str, float]:
    """The themes of a kind of water, one of FAMILIES, and how deep they are, the shallowest first."""
    names = [f"{family}_{step}" for step in FAMILIES[family]]
    return {name: depth_of(name) for name in names}


def blend(depth: Singles | Floats, steps: Sequence[float]) -> tuple[Indices, Floats]:
    """What makes water so deep, float[n]: which step, int[n], and how much of the one behind it, 0 to 1; the rest is of
    the step itself. steps: depths that there are, ascending, two at least.
    """
    known = np.array(steps, np.float64)
    lower = np.clip(np.searchsorted(known, depth, side="right") - 1, 0, len(known) - 2)
    share = (depth - known[lower]) / (known[lower + 1] - known[lower])
    return lower, np.clip(share, 0, 1)


def basin(ground: Singles, row: int, column: int, level: float) -> Bools:
    """The cells that water would cover which stands at this level over one of them, bool[rows, columns]: all lower ones
    that it reaches. ground: of the cells, float32[rows, columns].
    """
    low = ground < level
    found = np.zeros_like(low)
    found[row, column] = low[row, column]
    count = 0
    while count != (now := int(np.count_nonzero(found))):
        count = now
        found = _along_rows(_along_rows(found, low).T, low.T).T
    return found


def _along_rows(found: Bools, low: Bools) -> Bools:
    """All low cells that no higher one of their row parts from one that was found."""
    begins = ~low
    begins[:, 0] = True
    runs = np.cumsum(begins.reshape(-1)).reshape(low.shape)
    reached = np.bincount(runs.reshape(-1), found.reshape(-1)) > 0
    grown: Bools = reached[runs] & low
    return grown


def surface(ground: Singles, weights: Weights, depth: Singles) -> tuple[Singles, Bools]:
    """How high water stands, float32[rows, columns] in units, and which of the squares have any, bool[rows - 1,
    columns - 1].

    ground: of the cells, likewise. weights: of their themes; depth: of these, by slot. A square has water where one of
    its corners has. Corners without, at the shore, are as high as the mean of those beside them that have some.
    """
    rows, columns = ground.shape
    amounts = weights.weights.astype(np.float64) / FULL * depth[weights.slots]
    water = np.bincount(weights.cells, amounts, minlength=ground.size).reshape(rows, columns)
    wet = water > SHALLOWEST
    level = np.where(wet, ground + water, 0.0)
    total, count = _around(level), _around(wet.astype(np.float64))
    shore = np.divide(total, count, out=ground.astype(np.float64), where=count > 0)
    squares = wet[:-1, :-1] | wet[:-1, 1:] | wet[1:, :-1] | wet[1:, 1:]
    return np.where(wet, level, shore).astype(np.float32), squares


def _around(values: Floats) -> Floats:
    """The sums of each number and the eight round it."""
    padded = np.pad(values, 1)
    rows = padded[:-2] + padded[1:-1] + padded[2:]
    total: Floats = rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]
    return total


def faces(level: Singles, squares: Bools) -> tuple[Singles, Int32s]:
    """A mesh of a water's surface: vertices, float32[n, 3], and the corners of quads, int32[4 * m]; see `surface`."""
    points, corners = grid(*level.shape)
    points[:, 2] = level.reshape(-1)
    chosen = corners.reshape(-1, 4)[squares.reshape(-1)]
    used, renumbered = np.unique(chosen, return_inverse=True)
    return points[used], renumbered.reshape(-1).astype(np.int32)
