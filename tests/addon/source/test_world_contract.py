# SPDX-License-Identifier: GPL-3.0-or-later
"""Each edit of a brush, and of the faces of the world, is written, refused or told: with edits of the world or not."""

from pathlib import Path

import pytest
from levelwright.addon.source import layout
from levelwright.addon.source.game import GAME
from levelwright.addon.source.settings import EDIT, REFUSE, ExportSettings

from tests.addon.contract import edits
from tests.addon.source.worlds import HALL

KINDS = (layout.BRUSHES, layout.MODEL)


@pytest.mark.slow
@pytest.mark.parametrize("world", [REFUSE, EDIT])
def test_no_edit_is_dropped_without_a_word(world: str, tmp_path: Path) -> None:
    sample = tmp_path / "hall.bsp"
    sample.write_bytes(HALL)
    chosen = [each for each in edits.edits(GAME, sample) if each.kind in KINDS]
    assert {each.kind for each in chosen} == set(KINDS)
    made = [edits.outcome(GAME, sample, each, ExportSettings(world=world)) for each in chosen]
    found = [one for one in made if one is not None]
    assert [
        (one.edit.kind, one.edit.aspect, one.result, one.said) for one in found if one.result not in edits.GOOD
    ] == []
    shapes = {one.edit.aspect: one.result for one in found if one.edit.kind == layout.BRUSHES}
    assert shapes["vertices"] in ({edits.REFUSED} if world == REFUSE else {edits.WRITTEN, edits.REFUSED})
