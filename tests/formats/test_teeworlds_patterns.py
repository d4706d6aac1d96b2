# SPDX-License-Identifier: GPL-3.0-or-later
"""Patterns of tiles in layers: what hangs together, how often it is used, and what is too small or too large."""

import numpy as np

from formats.teeworlds import patterns
from formats.teeworlds.stamps import TileStamp


def found(*rows: str, flags: int = 0) -> list[TileStamp]:
    """The patterns of a layer whose tiles are digits."""
    index = np.array([[int(sign) for sign in row] for row in rows], np.int32)
    return patterns.patterns("TILES", {"index": index, "flags": np.full(index.shape, flags, np.int32)})


def told(stamps: list[TileStamp]) -> list[list[list[int]]]:
    return [stamp.values["index"].tolist() for stamp in stamps]


def test_what_touches_is_one_pattern_also_over_corners() -> None:
    assert told(found("1100", "0020", "0000", "3000")) == [[[1, 1, 0], [0, 0, 2]]]
    assert told(found("0" * 70000 + "12")) == [[[1, 2]]], "wherever it is"


def test_what_is_used_most_comes_first_and_once() -> None:
    assert told(found("12034012", "00034000")) == [[[1, 2]], [[3, 4], [3, 4]]]


def test_others_within_the_rectangle_are_left_out() -> None:
    assert told(found("11111", "10001", "10201", "10001", "11111")) == [
        [[1, 1, 1, 1, 1], [1, 0, 0, 0, 1], [1, 0, 0, 0, 1], [1, 0, 0, 0, 1], [1, 1, 1, 1, 1]]
    ], "and one tile alone is no pattern"


def test_tiles_keep_their_flags_and_air_has_none() -> None:
    (stamp,) = found("110", "010", flags=5)
    assert stamp.values["flags"].tolist() == [[5, 5], [0, 5]]


def test_ground_is_no_pattern_and_neither_is_nothing() -> None:
    assert found("1" * (patterns.LARGEST + 1)) == []
    assert found("000") == []


def test_there_are_no_more_than_the_limit() -> None:
    row = "".join(f"{one}{other}0" for one in range(1, 10) for other in range(1, 10))
    assert len(found(row)) == patterns.MOST < 81
