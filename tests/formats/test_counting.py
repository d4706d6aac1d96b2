# SPDX-License-Identifier: GPL-3.0-or-later
"""How many of something, in words."""

import numpy as np
import pytest

from formats.binary import Problem
from formats.counting import alike, number_of

ONE = {
    "faces": "face",
    "entities": "entity",
    "brushes": "brush",
    "vertices are new": "vertex is new",
    "leaves": "leaf",
    "physics layers": "physics layer",
    "static props with baked light": "static prop with baked light",
    "brushes that enclose nothing": "brush that encloses nothing",
    "faces in layers that are switched off": "face in layers that are switched off",
    "sections of navigation": "section of navigation",
    "missing models": "missing model",
    "things to look at": "thing to look at",
    "left out": "left out",
}


@pytest.mark.parametrize(("several", "one"), ONE.items())
def test_one_of_several_is_singular(several: str, one: str) -> None:
    assert number_of(1, several) == f"1 {one}"
    assert number_of(2, several) == f"2 {several}"
    assert alike(several) == alike(one)


def test_numbers_of_numpy_and_thousands() -> None:
    assert number_of(np.count_nonzero(np.ones(1729)), "faces") == "1,729 faces"
    assert number_of(0, "sounds") == "0 sounds"
    assert number_of(1, "faces go", "face goes") == "1 face goes"


def test_one_problem_and_several_are_of_one_kind() -> None:
    one, several, others = (
        Problem("chunk 3", text) for text in ("1 face is NaN", "1,200 faces are NaN", "1 face is open")
    )
    assert one.kind == several.kind != others.kind
