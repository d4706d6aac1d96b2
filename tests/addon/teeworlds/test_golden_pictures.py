# SPDX-License-Identifier: GPL-3.0-or-later
"""The sample, rendered, looks as it did when somebody looked at it and found it right (see tests/addon/golden.py)."""

from pathlib import Path

import pytest

from tests.addon import golden
from tests.addon.teeworlds import renders
from tests.addon.teeworlds.renders import View
from tests.samples import first_light

WIDTH, HEIGHT = 320, 176
VIEWS = {
    "whole": View(32, 16, 1.4, 0.25),
    "signs": View(31, 11, 0.5, 1.25),
    "pond": View(39, 22, 0.45, 2.75),
}
TILE = {name: WIDTH / (44.683 * view.zoom) for name, view in VIEWS.items()}
"""Pixels that a tile is wide in each picture (a 16:9 client shows 44.683 tiles at zoom 1)."""


@pytest.mark.slow
@pytest.mark.parametrize("name", VIEWS)
def test_the_sample_looks_right(name: str, tmp_path: Path) -> None:
    renders.import_map(first_light.TARGET)
    golden.check(name, lambda target: renders.render(VIEWS[name], WIDTH, HEIGHT, target), round(TILE[name]), tmp_path)
