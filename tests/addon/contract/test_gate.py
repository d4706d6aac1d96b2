# SPDX-License-Identifier: GPL-3.0-or-later
"""Problems that an export would bring in are refused, those that a level came with are let through: for every kind.

A game lists its kinds in tests/formats/<key>_problems.py: `clean` gives the bytes of a level, CASES by name what brings
a problem into one at place 0, 1 or 2, SINGLE the names of those that a level can have only once. A game with several
kinds of levels has a module for each other one, too: <key>_<kind>_problems.py.
"""

import importlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from levelwright.addon import games
from levelwright.addon.game import Game
from levelwright.addon.scene import gate
from levelwright.addon.scene.reports import Report, SceneError

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


def level_with(game: Game, table: ModuleType, name: str, *places: int) -> Any:
    """A table's clean level with a problem of a kind at some places."""
    level = game.format.verbs.read(table.clean())
    for place in places:
        table.CASES[name](level, place)
    return level


def told(game: Game, before: Any, after: Any) -> list[str]:
    """What an export would say of a level: why it is refused, or what it warns of."""
    report = Report()
    try:
        gate.refuse_new(game.format.verbs.check, after, lambda: before, report)
    except SceneError as error:
        return [str(error)]
    return report.warnings


@pytest.mark.parametrize(("game", "table"), TABLES)
def test_the_clean_level_has_no_problem(game: Game, table: ModuleType) -> None:
    assert game.format.verbs.check(level_with(game, table, "")) == []


@pytest.mark.parametrize(("game", "table", "name"), KINDS)
def test_a_fresh_one_is_refused_or_warned_of_by_name(game: Game, table: ModuleType, name: str) -> None:
    after = level_with(game, table, name, 0)
    found = game.format.verbs.check(after)
    assert found
    said = " ".join(told(game, level_with(game, table, ""), after))
    assert any(one.place in said and one.message in said for one in found)


@pytest.mark.parametrize(("game", "table", "name"), KINDS)
def test_an_old_one_is_let_through(game: Game, table: ModuleType, name: str) -> None:
    assert told(game, level_with(game, table, name, 0), level_with(game, table, name, 0)) == []


@pytest.mark.parametrize(("game", "table", "name"), SEVERAL)
def test_one_more_beside_an_old_one_is_told(game: Game, table: ModuleType, name: str) -> None:
    assert told(game, level_with(game, table, name, 0), level_with(game, table, name, 0, 2)) != []


@pytest.mark.parametrize(("game", "table", "name"), SEVERAL)
def test_an_old_one_at_another_place_is_let_through(game: Game, table: ModuleType, name: str) -> None:
    """At another record of its kind: one in another lump, say, is fresh."""
    before, after = level_with(game, table, name, 0, 2), level_with(game, table, name, 1, 2)
    kinds = [{one.kind for one in game.format.verbs.check(level)} for level in (before, after)]
    assert (told(game, before, after) == []) == (kinds[0] == kinds[1])
