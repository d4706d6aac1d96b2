# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules of an automapper run on tiles, with the same result as in DDNet's editor, tile by tile (teeworlds.md §7).

A run that looks at a copy is worked on in blocks of rows, each condition for all cells at once. One that sees what it
drew itself goes from cell to cell, row by row: there, cells that can't see one another are done together, one slanted
line after another (see `_lines`).
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ..arrays import Bools, Bytes, Indices
from .automap_rules import OUTSIDE, Condition, IndexRule, RuleRun, RuleSet
from .stamps import Rectangle
from .tiles import ORIENTATION

_BLOCK = 1 << 15  # cells that are worked on at a time
_REMEMBERED = 512  # conditions that are remembered for a block
_MARGIN = 3  # the editor computes a changed rectangle with so many times the reach around it
_HASHES = 1 << 16


def automap(index: Bytes, flags: Bytes, rules: RuleSet, seed: int, origin: tuple[int, int] = (0, 0)) -> None:
    """Run rules on tiles, in place.

    index, flags: uint8 [h, w], of the whole layer or a part of it, of which `origin` is the column and row. seed: what
    decides by chance; the game's editor takes another one each time where it is 0. Cells that are drawn get the rule's
    flags and lose all others. What lies beyond the arrays counts as beyond the layer.
    """
    for number, run in enumerate(rules.runs):
        chance = _Chance(seed, number, origin)
        (_run_on_copy if run.copies else _run_in_place)(index, flags, run, chance)


def automap_region(index: Bytes, flags: Bytes, rules: RuleSet, seed: int, region: Rectangle) -> Rectangle:
    """Run rules round a rectangle of a layer that was edited, as the editor does after each change; in place.

    index, flags: uint8 [h, w], of the whole layer. Returns the rectangle in which tiles may have changed. It is as much
    larger than `region` as the rules look far, and computed from three times that: the rest counts as beyond the layer.
    """
    x, y, width, height = region
    left, up, right, down = rules.reach

    def around(times: int) -> tuple[slice, slice]:
        rows = np.clip((y - times * up, y + height + times * down), 0, index.shape[0])
        columns = np.clip((x - times * left, x + width + times * right), 0, index.shape[1])
        return slice(*map(int, rows)), slice(*map(int, columns))

    rows, columns = wide = around(_MARGIN)
    new_index, new_flags = index[wide].copy(), flags[wide].copy()
    automap(new_index, new_flags, rules, seed, (columns.start, rows.start))
    kept = around(1)
    inside = tuple(slice(one.start - big.start, one.stop - big.start) for one, big in zip(kept, wide, strict=True))
    index[kept], flags[kept] = new_index[inside], new_flags[inside]
    return kept[1].start, kept[0].start, kept[1].stop - kept[1].start, kept[0].stop - kept[0].start


# ---- one run


def _run_on_copy(index: Bytes, flags: Bytes, run: RuleRun, chance: "_Chance") -> None:
    """A run whose rules see the layer as it was before it."""
    seen, ways = index.copy(), flags & np.uint8(ORIENTATION)
    height, width = index.shape
    rows = max(1, _BLOCK // max(width, 1))
    for top in range(0, height, rows):
        bottom = min(top + rows, height)
        known: dict[Condition, Bools] = {}
        for number, rule in enumerate(run.rules):
            fits = _fitting(seen, ways, rule, (top, bottom), known)
            if fits is None:
                continue
            cell_rows, columns = np.nonzero(fits)
            kept = chance.keeps(number, rule, columns, cell_rows + top)
            index[cell_rows[kept] + top, columns[kept]] = rule.index
            flags[cell_rows[kept] + top, columns[kept]] = rule.orientation


def _fitting(
    index: Bytes, ways: Bytes, rule: IndexRule, rows: tuple[int, int], known: dict[Condition, Bools]
) -> Bools | None:
    """Which cells of some rows have all that a rule asks for, bool [rows, w]; None where none has."""
    fits: Bools | None = None
    for condition in rule.conditions:
        if condition not in known:
            if len(known) >= _REMEMBERED:
                known.clear()
            known[condition] = _holds_in(index, ways, condition, rows)
        fits = known[condition] if fits is None else fits & known[condition]
        if not fits.any():
            return None
    return np.ones((rows[1] - rows[0], index.shape[1]), np.bool_) if fits is None else fits


def _holds_in(index: Bytes, ways: Bytes, condition: Condition, rows: tuple[int, int]) -> Bools:
    """In which cells of some rows a condition holds, bool [rows, w]."""
    height, width = index.shape
    result = np.full((rows[1] - rows[0], width), _holds_outside(condition))
    top, bottom = max(rows[0], -condition.y), min(rows[1], height - condition.y)
    left, right = max(0, -condition.x), min(width, width - condition.x)
    if top < bottom and left < right:
        near = slice(top + condition.y, bottom + condition.y), slice(left + condition.x, right + condition.x)
        result[top - rows[0] : bottom - rows[0], left:right] = _holds(index[near], ways[near], condition)
    return result


def _holds(index: Bytes, ways: Bytes, condition: Condition) -> Bools:
    """Whether a condition holds where these tiles are; they may have any shape."""
    result = np.zeros(index.shape, np.bool_)
    for test in condition.tests:
        if 0 <= test.index <= 0xFF:
            found = index == test.index
            result |= found if test.orientation is None else found & (ways == test.orientation)
    return ~result if condition.negated else result


def _holds_outside(condition: Condition) -> bool:
    return condition.negated != any(test.index == OUTSIDE and not test.orientation for test in condition.tests)


def _run_in_place(index: Bytes, flags: Bytes, run: RuleRun, chance: "_Chance") -> None:
    """A run whose rules see what those before them drew, in the same cell and in the cells before it."""
    height, width = index.shape
    for rows, columns in _lines(run, height, width):
        for number, rule in enumerate(run.rules):
            fits = np.ones(len(rows), np.bool_)
            for condition in rule.conditions:
                near_rows, near_columns = rows + condition.y, columns + condition.x
                inside = (near_rows >= 0) & (near_rows < height) & (near_columns >= 0) & (near_columns < width)
                near = near_rows * inside, near_columns * inside
                holds = _holds(index[near], flags[near] & np.uint8(ORIENTATION), condition)
                fits &= np.where(inside, holds, _holds_outside(condition))
                if not fits.any():
                    break
            kept = np.flatnonzero(fits)
            kept = kept[chance.keeps(number, rule, columns[kept], rows[kept])]
            index[rows[kept], columns[kept]] = rule.index
            flags[rows[kept], columns[kept]] = rule.orientation


def _lines(run: RuleRun, height: int, width: int) -> Iterator[tuple[Indices, Indices]]:
    """Rows and columns of cells that may be done at once, in the order in which they have to be.

    Line t has the cells of which column + slant * row is t. The slant is the least with which every cell that a
    condition sees is in an earlier line if its turn comes first, and in a later one otherwise.
    """
    places = {(one.x, one.y) for rule in run.rules for one in rule.conditions}
    seen = {(x, y) for x, y in places if abs(x) < width and abs(y) < height}
    rows, columns = (axis.reshape(-1) for axis in np.indices((height, width)))
    if seen <= {(0, 0)}:
        yield rows, columns
        return
    slant = max((((x if y < 0 else -x) // abs(y)) + 1 for x, y in seen if y), default=0)
    lines = columns + max(slant, 0) * rows
    order = np.argsort(lines, kind="stable")
    for cells in np.split(order, np.flatnonzero(np.diff(lines[order])) + 1):
        yield rows[cells], columns[cells]


# ---- chance


class _Chance:
    """What decides in which cells a rule of a run is followed: patterns, and a hash of seed, run, rule and cell."""

    def __init__(self, seed: int, run: int, origin: tuple[int, int]) -> None:
        self.seed, self.run, self.origin = seed, run, origin

    def keeps(self, number: int, rule: IndexRule, columns: Indices, rows: Indices) -> Bools:
        """Which of these cells, bool [n]. number: the rule's in its run."""
        columns, rows = columns + self.origin[0], rows + self.origin[1]
        kept = np.full(len(rows), not rule.patterns)
        for pattern in rule.patterns:
            kept |= ((columns + pattern.offset_x) % pattern.x == 0) & ((rows + pattern.offset_y) % pattern.y == 0)
        if rule.share < 1:
            cells = np.flatnonzero(kept)
            kept[cells] = self._hashes(number, columns[cells], rows[cells]) < rule.share * _HASHES
        return kept

    def _hashes(self, number: int, columns: Indices, rows: Indices) -> npt.NDArray[np.uint32]:
        """A hash of each cell, below _HASHES: a polynomial of the parts' own hashes."""
        value = 1
        for part in _mixed(np.array([self.seed, self.run, number]).astype(np.uint32)).tolist():
            value = (value * 31 + part) & 0xFFFFFFFF
        values = np.full(len(rows), value, np.uint32)
        for parts in (columns, rows):
            values = values * np.uint32(31) + _mixed(parts.astype(np.uint32))
        return _mixed(values * np.uint32(31)) % np.uint32(_HASHES)


def _mixed(values: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Each number hashed: a bijection of 32 bits (`triple32inc`, of the survey "hash-prospector")."""
    values = values + np.uint32(1)
    for shift, factor in ((17, 0xED5AD4BB), (11, 0xAC4C1B51), (15, 0x31848BAB)):
        values = (values ^ (values >> np.uint32(shift))) * np.uint32(factor)
    return values ^ (values >> np.uint32(14))
