# SPDX-License-Identifier: GPL-3.0-or-later
"""Problems that an export would bring in are refused, those that a level came with are let through: for every kind.

A game lists its kinds in tests/formats/<key>_problems.py: `clean` gives the bytes of a level, CASES by name what brings
a problem into one at place 0, 1 or 2, SINGLE the names of those that a level can have only once.
"""

import importlib
import importlib.util
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from levelwright.addon import games
from levelwright.addon.game import Game
from levelwright.addon.scene import gate
from levelwright.addon.scene.reports import Report, SceneError

Bring = Callable[[Any, int], None]


def table(game: Game) -> ModuleType:
    return importlib.import_module(f"tests.formats.{game.key}_problems")


GAMES = [game for game in games.GAMES if importlib.util.find_spec(f"tests.formats.{game.key}_problems")]
KINDS = [pytest.param(game, name, id=f"{game.key}-{name}") for game in GAMES for name in table(game).CASES]
SEVERAL = [each for each in KINDS if each.values[1] not in table(each.values[0]).SINGLE]


def level_with(game: Game, name: str, *places: int) -> Any:
    """The game's clean level with a problem of a kind at some places."""
    level = game.format.verbs.read(table(game).clean())
    for place in places:
        table(game).CASES[name](level, place)
    return level


def told(game: Game, before: Any, after: Any) -> list[str]:
    """What an export would say of a level: why it is refused, or what it warns of."""
    report = Report()
    try:
        gate.refuse_new(game.format.verbs.check, after, lambda: before, report)
    except SceneError as error:
        return [str(error)]
    return report.warnings


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_the_clean_level_has_no_problem(game: Game) -> None:
    assert game.format.verbs.check(level_with(game, "")) == []


@pytest.mark.parametrize(("game", "name"), KINDS)
def test_a_fresh_one_is_refused_or_warned_of_by_name(game: Game, name: str) -> None:
    after = level_with(game, name, 0)
    found = game.format.verbs.check(after)
    assert found
    said = " ".join(told(game, level_with(game, ""), after))
    assert any(one.place in said and one.message in said for one in found)


@pytest.mark.parametrize(("game", "name"), KINDS)
def test_an_old_one_is_let_through(game: Game, name: str) -> None:
    assert told(game, level_with(game, name, 0), level_with(game, name, 0)) == []


@pytest.mark.parametrize(("game", "name"), SEVERAL)
def test_one_more_beside_an_old_one_is_told(game: Game, name: str) -> None:
    assert told(game, level_with(game, name, 0), level_with(game, name, 0, 2)) != []


@pytest.mark.parametrize(("game", "name"), SEVERAL)
def test_an_old_one_at_another_place_is_let_through(game: Game, name: str) -> None:
    assert told(game, level_with(game, name, 0, 2), level_with(game, name, 1, 2)) == []
