# SPDX-License-Identifier: GPL-3.0-or-later
"""What the contract suite runs over: every game that is registered, with the samples that are of its format."""

from collections.abc import Callable
from pathlib import Path

import pytest
from levelwright.addon import games
from levelwright.addon.game import Game

SAMPLES = Path(__file__).resolve().parents[2] / "samples"


def samples(game: Game) -> list[Path]:
    """The files in tests/samples that are levels of a game: a game's suite begins with a file put there."""
    files = (path for path in sorted(SAMPLES.iterdir()) if path.suffix in game.format.endings)
    return [path for path in files if game.format.identify(path.read_bytes())]


ALL = [(game, sample) for game in games.GAMES for sample in samples(game)]
IDS = [f"{game.key}-{sample.name}" for game, sample in ALL]


def _comes_again(number: int) -> bool:
    """Whether a later sample is the same level in another form, as genesis_room.map is genesis_room.3dt."""
    game, sample = ALL[number]
    return any(other is game and file.stem == sample.stem for other, file in ALL[number + 1 :])


def _levels(chosen: Callable[[Game], bool]) -> pytest.MarkDecorator:
    """For what games share: each level in each run, in one of its forms, and in the others in slow runs."""
    numbers = [number for number, (game, _) in enumerate(ALL) if chosen(game)]
    parameters = [pytest.param(*ALL[n], id=IDS[n], marks=[pytest.mark.slow] * _comes_again(n)) for n in numbers]
    return pytest.mark.parametrize(("game", "sample"), parameters)


LEVELS = _levels(lambda _: True)
DECLARED = _levels(lambda game: bool(game.fates))
"""Of games that declare what becomes of edits."""
