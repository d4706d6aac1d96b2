# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever Blender shows can be changed and reaches the file, or is refused or told by name: never silently dropped."""

from pathlib import Path

import pytest
from levelwright.addon.game import Game

from tests.addon.contract import edits
from tests.addon.contract.registered import ALL

DECLARED = [(game, sample) for game, sample in ALL if game.fates]
SAMPLES = pytest.mark.parametrize(("game", "sample"), DECLARED, ids=[sample.name for _, sample in DECLARED])
SLICE = 12
"""Of so many edits the quick run tries one."""


@SAMPLES
def test_a_slice(game: Game, sample: Path) -> None:
    bad = []
    for each in edits.edits(game, sample)[::SLICE]:
        found = edits.outcome(game, sample, each)
        if found is not None and found.result not in edits.GOOD:
            bad.append(found)
    assert bad == []


@SAMPLES
@pytest.mark.slow
def test_all_of_them(game: Game, sample: Path) -> None:
    assert [each for each in edits.all_outcomes(game, sample) if each.result not in edits.GOOD] == []
