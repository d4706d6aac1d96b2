# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever Blender shows can be changed and reaches the file, or is refused or told by name: never silently dropped."""

import re
from pathlib import Path

import bpy
import pytest
from levelwright.addon.game import Game

from tests.addon.contract import edits
from tests.addon.contract.page import PAGE
from tests.addon.contract.registered import DECLARED

SLICE = 72
"""Of so many edits the quick run tries one."""


@DECLARED
def test_a_slice(game: Game, sample: Path) -> None:
    bad = []
    for each in edits.edits(game, sample)[::SLICE]:
        found = edits.outcome(game, sample, each)
        if found is not None and found.result not in edits.GOOD:
            bad.append(found)
    assert bad == []


@DECLARED
@pytest.mark.slow
def test_all_of_them(game: Game, sample: Path) -> None:
    assert [each for each in edits.all_outcomes(game, sample) if each.result not in edits.GOOD] == []


@DECLARED
def test_the_page_is_of_what_there_is(game: Game, sample: Path) -> None:
    """docs/contract.md names the kinds and aspects of today, and none of them is dropped without a word."""
    if not PAGE.is_file() or game.format.title not in PAGE.read_text(encoding="utf-8"):
        pytest.skip("a game without a section in docs/contract.md: scripts/contract writes it")
    _, _, section = PAGE.read_text(encoding="utf-8").partition(f"`{sample.name}`\n")
    rows = re.findall(r"\| `(.+)` \| (.+) \| (.+) \|", section.partition("\n## ")[0])
    there = {(each.kind, each.aspect) for each in edits.edits(game, sample)}
    told = {(kind, aspect) for kind, _, names in rows for aspect in names.split(", ")}
    assert {kind for kind, _ in told} == {kind for kind, _ in there}
    assert {result for _, result, _ in rows} <= set(edits.GOOD)
    if bpy.app.version[:2] == (4, 5):  # lights and cameras have other settings in other versions
        assert told <= there
