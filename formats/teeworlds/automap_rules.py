# SPDX-License-Identifier: GPL-3.0-or-later
"""The text files by which DDNet's editor draws edges, corners and variants of tiles by itself (teeworlds.md §7).

A file belongs to the image of its name (`grass_main.rules`) and has sets of rules, which layers name by number.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from .tiles import TileFlag

OUTSIDE = -1
"""The index that cells beyond the layer have in tests."""
_FLAGS = {"XFLIP": int(TileFlag.XFLIP), "YFLIP": int(TileFlag.YFLIP), "ROTATE": int(TileFlag.ROTATE)}
_TURNS = 3  # words of an orientation that are read
_INTEGER = re.compile(r"[+-]?\d{1,9}")
_SHARE = re.compile(r"Random\s*([+-]?\d+(?:\.\d*)?|[+-]?\.\d+)(.?)")


@dataclass(frozen=True, slots=True)
class TileTest:
    """One of the tiles that a condition asks for."""

    index: int
    """0 to 255, or OUTSIDE."""
    orientation: int | None = None
    """The turning bits of its flags; None: any."""


@dataclass(frozen=True, slots=True)
class Condition:
    """What a cell near the one to be drawn has to be."""

    x: int
    y: int
    """Where it is: columns to the right and rows down."""
    tests: tuple[TileTest, ...]
    negated: bool = False
    """None of the tests may hold; otherwise one has to."""


@dataclass(frozen=True, slots=True)
class Modulo:
    """Cells of a regular pattern: (column + offset) divisible, in both directions."""

    x: int
    y: int
    offset_x: int = 0
    offset_y: int = 0


@dataclass(slots=True)
class IndexRule:
    """A tile, and where it is drawn: in cells of which all conditions hold, and one of the patterns if it has any."""

    index: int
    orientation: int
    """The flags that the tile gets."""
    conditions: list[Condition] = field(default_factory=list)
    patterns: list[Modulo] = field(default_factory=list)
    share: float = 1.0
    """Of these cells; a float32. 1 and more: all."""
    by_default: bool = True
    """Only tiles that are there already are replaced, unless a condition asks for air."""


@dataclass(slots=True)
class RuleRun:
    """Rules that all look at the layer as it was before them, and of which the last one that fits counts."""

    rules: list[IndexRule] = field(default_factory=list)
    copies: bool = True
    """False: they see at once what was drawn before, cell by cell, row by row."""


@dataclass(slots=True)
class RuleSet:
    """What a layer's automapper draws: runs, one after another."""

    name: str
    runs: list[RuleRun] = field(default_factory=list)

    @property
    def reach(self) -> tuple[int, int, int, int]:
        """How far conditions look to the left, up, right and down, in cells, none of them negative."""
        places = [(one.x, one.y) for run in self.runs for rule in run.rules for one in rule.conditions]
        columns, rows = zip((0, 0), *places, strict=True)
        return -min(columns), -min(rows), max(columns), max(rows)


def read_rules(data: bytes) -> list[RuleSet]:
    """The sets of a .rules file, in the order in which layers number them.

    Nothing is refused: as in the game's editor, lines that make no sense are ignored, and words that are missing are 0.
    """
    sets: list[RuleSet] = []
    rule: IndexRule | None = None
    for line in data.decode("utf-8-sig", "replace").split("\n"):
        if line.startswith("["):
            sets.append(RuleSet(line[1:].partition("]")[0], [RuleRun()]))
        elif sets and line.startswith("NewRun"):
            sets[-1].runs.append(RuleRun())
        elif sets and line.startswith("NoLayerCopy"):
            sets[-1].runs[-1].copies = False
        elif sets and line.startswith("Index"):
            words = line[5:].split()
            rule = IndexRule(_integer(words[:1]) & 0xFF, _orientation(words[1 : 1 + _TURNS]))
            sets[-1].runs[-1].rules.append(rule)
        elif rule is not None:
            _read_line_of(rule, line)
    for each in (rule for one in sets for run in one.runs for rule in run.rules):
        _add_default(each)
    return sets


def _read_line_of(rule: IndexRule, line: str) -> None:
    """A line that belongs to a rule."""
    if line.startswith("Pos"):
        rule.conditions += _conditions(line.split())
    elif line.startswith("Modulo"):
        words = line[6:].split()
        x, y, *offsets = (_integer(words[place : place + 1]) for place in range(4))
        rule.patterns.append(Modulo(x or 1, y or 1, *offsets))
    elif line.startswith("NoDefaultRule"):
        rule.by_default = False
    elif found := _SHARE.match(line):
        value = np.float32(found[1])
        with np.errstate(divide="ignore"):
            rule.share = float(value / np.float32(100) if found[2] == "%" else np.float32(1) / value)


def _conditions(words: Sequence[str]) -> Iterable[Condition]:
    """The condition of a line `Pos x y EMPTY | FULL | INDEX ... | NOTINDEX ...`; none where it is none of these."""
    x, y, what = _integer(words[1:2]), _integer(words[2:3]), "".join(words[3:4])
    if what in ("EMPTY", "FULL"):
        yield Condition(x, y, (TileTest(0),), what == "FULL")
    elif what in ("INDEX", "NOTINDEX"):
        tests = _tests(words[4:])
        if what == "NOTINDEX" and x == y == 0:  # then the editor skips air, however it is turned
            tests = [test if test.index else TileTest(0) for test in tests]
        yield Condition(x, y, tuple(tests), what == "NOTINDEX")


def _tests(words: Sequence[str]) -> list[TileTest]:
    """The tests of a list `3 OR 5 XFLIP ROTATE OR -1 NONE ...`; it ends where a word isn't what could come there."""
    tests = []
    place = 0
    while True:
        index, turns = _integer(words[place : place + 1]), list(words[place + 1 : place + 2 + _TURNS])
        read = 0
        orientation = None
        while read < min(len(turns), _TURNS) and turns[read] != "OR" and (not read or orientation):
            if not read and turns[0] in (*_FLAGS, "NONE"):
                orientation = 0
            orientation = None if orientation is None else orientation | _FLAGS.get(turns[read], 0)
            read += 1
        tests.append(TileTest(index, orientation))
        if turns[read : read + 1] != ["OR"]:
            return tests
        place += read + 2


def _add_default(rule: IndexRule) -> None:
    """Let a rule replace tiles only, unless its first condition on the cell itself that names tiles names air."""
    own = next((one for one in rule.conditions if one.x == one.y == 0 and not one.negated), None)
    if rule.by_default and not (own and any(test.index == 0 for test in own.tests)):
        rule.conditions.insert(0, Condition(0, 0, (TileTest(0),), negated=True))


def _orientation(words: Iterable[str]) -> int:
    flags = 0
    for word in words:
        flags |= _FLAGS.get(word, 0)
    return flags


def _integer(words: Sequence[str]) -> int:
    """The number that a word begins with; 0 for other words, and where there is none."""
    found = _INTEGER.match(words[0]) if words else None
    return int(found[0]) if found else 0
