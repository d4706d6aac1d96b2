"""The sample, rendered, looks as it did when somebody looked at it and found it right.

To renew the pictures after a change that is meant to be seen, delete tests/samples/golden/*.png, run this test, and
look at what it made.
"""

from pathlib import Path

import numpy as np
import pytest

from tests import pictures
from tests.addon.teeworlds import renders
from tests.addon.teeworlds.renders import View
from tests.samples import first_light

GOLDEN = first_light.TARGET.parent / "golden"
WIDTH, HEIGHT, BLOCK = 320, 176, 16
ALIKE = 1.0
"""Mean difference of block means, of 255, up to which two pictures are the same."""
VIEWS = {
    "whole": View(32, 16, 1.4, 0.25),
    "signs": View(31, 11, 0.5, 1.25),
    "pond": View(39, 22, 0.45, 2.75),
}
TILE = {name: WIDTH / (44.683 * view.zoom) for name, view in VIEWS.items()}
"""Pixels that a tile is wide in each picture (a 16:9 client shows 44.683 tiles at zoom 1)."""


def blocks(picture: pictures.Picture) -> pictures.Picture:
    return pictures.block_means(picture, HEIGHT // BLOCK, WIDTH // BLOCK)


@pytest.mark.slow
@pytest.mark.parametrize("name", VIEWS)
def test_the_sample_looks_right(name: str, tmp_path: Path) -> None:
    golden = GOLDEN / f"{name}.png"
    renders.import_map(first_light.TARGET)
    if not golden.exists():
        golden.parent.mkdir(exist_ok=True)
        renders.render(VIEWS[name], WIDTH, HEIGHT, golden)
        pytest.fail(f"{golden} did not exist: it was made now. Look at it, and commit it if it is right")
    expected = blocks(pictures.load(golden))
    picture = renders.render(VIEWS[name], WIDTH, HEIGHT, tmp_path / "now.png")
    assert pictures.difference(blocks(picture), expected) < ALIKE

    # The controls: a picture that is wrong must be told from the right one.
    assert pictures.difference(blocks(picture[:, ::-1]), expected) > 2 * ALIKE
    assert pictures.difference(blocks(np.roll(picture, round(TILE[name]), axis=1)), expected) > 2 * ALIKE
    renders.without_textures()
    bare = renders.render(VIEWS[name], WIDTH, HEIGHT, tmp_path / "bare.png")
    assert pictures.difference(blocks(bare), expected) > 2 * ALIKE
