# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports that are killed, hindered or cut off: a small form of scripts/faults, and with --slow a larger one."""

import dataclasses
import errno
import os

import pytest
from levelwright.addon import games
from levelwright.addon.game import Game

if not hasattr(os, "fork"):
    pytest.skip("processes can't be copied here", allow_module_level=True)

from tests.faults import exports, trials
from tests.faults.kinds import kinds

GAMES = pytest.mark.parametrize("game", games.GAMES, ids=lambda game: game.key)


@GAMES
def test_whatever_happens_the_files_are_whole(game: Game) -> None:
    for export in exports.of_game(game):
        for before in export.befores():
            assert trials.power_failures(export, before) > 3
            assert trials.failures(export, before, errno.ENOSPC) > 8
        old = export.befores()[0]
        assert trials.failures(dataclasses.replace(export, backup=True), old, errno.ENOSPC, for_ever=True) > 12
        assert trials.kills(export, old, 8) >= 8
        assert trials.limits(export, old, 2) == 2
        assert trials.refusals(export, old) == 3
        assert trials.two_at_once(export, old, 5) == 5


@pytest.mark.slow
@GAMES
def test_in_every_other_way_too(game: Game) -> None:
    for export in exports.of_game(game):
        for name, run in kinds(points=100, times=20, seed=1).items():
            assert run(export, export.befores()[0]), name
