# SPDX-License-Identifier: GPL-3.0-or-later
"""Problems that an export would bring in are refused, those that a level came with are let through: for every kind.

A game lists its kinds in tests/formats/<key>_problems.py: `clean` gives the bytes of a level, CASES by name what brings
a problem into one at place 0, 1 or 2, SINGLE the names of those that a level can have only once. A game with several
kinds of levels has a module for each other one, too: <key>_<kind>_problems.py.
"""

import importlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from levelwright.addon import games
from levelwright.addon.game import Game
from levelwright.addon.scene.fates import gate
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats.binary import Problem

Bring = Callable[[Any, int], None]
FOLDER = Path(__file__).resolve().parents[2] / "formats"


LARGE = "too many"
"""How the names of problems begin that take a level of many thousand records."""


def tables(game: Game) -> list[ModuleType]:
    found = sorted(FOLDER.glob(f"{game.key}_problems.py")) + sorted(FOLDER.glob(f"{game.key}_*_problems.py"))
    return [importlib.import_module(f"tests.formats.{path.stem}") for path in found]


def label(table: ModuleType) -> str:
    return table.__name__.rpartition(".")[2].removesuffix("_problems")


TABLES = [pytest.param(game, table, id=label(table)) for game in games.GAMES for table in tables(game)]
KINDS = [
    pytest.param(
        game, table, name, id=f"{label(table)}-{name}", marks=[pytest.mark.slow] if name.startswith(LARGE) else []
    )
    for game in games.GAMES
    for table in tables(game)
    for name in table.CASES
]
SEVERAL = [each for each in KINDS if each.values[2] not in each.values[1].SINGLE]


@cache
def clean(table: ModuleType) -> bytes:
    """The bytes of a table's level without problems."""
    made: bytes = table.clean()
    return made


@cache
def _problems(key: str, table: ModuleType, name: str, places: tuple[int, ...]) -> tuple[Problem, ...]:
    verbs = games.by_key(key).format.verbs
    level = verbs.read(clean(table))
    for place in places:
        table.CASES[name](level, place)
    return tuple(verbs.check(level))


def problems(game: Game, table: ModuleType, name: str, *places: int) -> list[Problem]:
    """What is wrong with a table's clean level that has a problem of a kind at some places."""
    return list(_problems(game.key, table, name, places))


def told(before: list[Problem], after: list[Problem]) -> list[str]:
    """What an export would say of a level with these problems, which came with those: its refusal, or its warnings."""
    report = Report()
    try:
        gate.refuse_new(list, after, lambda: before, report)
    except SceneError as error:
        return [str(error)]
    return report.warnings


@pytest.fixture(autouse=True)
def empty_scene() -> None:
    """In place of the one that opens an empty file: nothing here has to do with scenes."""


@pytest.mark.parametrize(("game", "table"), TABLES)
def test_the_clean_level_has_no_problem(game: Game, table: ModuleType) -> None:
    assert problems(game, table, "") == []


@pytest.mark.parametrize(("game", "table", "name"), KINDS)
def test_a_fresh_one_is_refused_or_warned_of_by_name(game: Game, table: ModuleType, name: str) -> None:
    found = problems(game, table, name, 0)
    assert found
    said = " ".join(told([], found))
    assert any(one.place in said and one.message in said for one in found)


@pytest.mark.parametrize(("game", "table", "name"), KINDS)
def test_an_old_one_is_let_through(game: Game, table: ModuleType, name: str) -> None:
    assert told(problems(game, table, name, 0), problems(game, table, name, 0)) == []


@pytest.mark.parametrize(("game", "table", "name"), SEVERAL)
def test_one_more_beside_an_old_one_is_told(game: Game, table: ModuleType, name: str) -> None:
    assert told(problems(game, table, name, 0), problems(game, table, name, 0, 2)) != []


@pytest.mark.parametrize(("game", "table", "name"), SEVERAL)
def test_an_old_one_at_another_place_is_let_through(game: Game, table: ModuleType, name: str) -> None:
    """At another record of its kind: one in another lump, say, is fresh."""
    before, after = problems(game, table, name, 0, 2), problems(game, table, name, 1, 2)
    kinds = [{one.kind for one in found} for found in (before, after)]
    assert (told(before, after) == []) == (kinds[0] == kinds[1])
