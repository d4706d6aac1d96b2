# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists within lists, and what else of numbers many formats ask for."""

import numpy as np
import pytest

from formats import ranges


@pytest.mark.parametrize(
    ("ordered", "wanted"),
    [([], []), ([3], [True]), ([1, 1, 2, 2, 2, 5], [True, False, True, False, False, True])],
)
def test_the_first_of_equal_values(ordered: list[int], wanted: list[bool]) -> None:
    assert ranges.firsts(ordered).tolist() == wanted


def test_the_first_of_equal_texts() -> None:
    assert ranges.firsts(np.array(["a", "a", "b"])).tolist() == [True, False, True]


def test_which_are_among_numbers() -> None:
    assert ranges.among(np.array([2, -1, 2, 4, 0]), 4).tolist() == [True, False, True, False]
    assert ranges.among(np.zeros(0, np.int32), 2).tolist() == [False, False]
    assert ranges.among(np.array([0]), 0).tolist() == []


def test_where_lists_start() -> None:
    assert ranges.starts([2, 0, 3]).tolist() == [0, 2, 2, 5]
    assert ranges.starts([]).tolist() == [0]
    assert ranges.owners([2, 0, 3]).tolist() == [0, 0, 2, 2, 2]
    assert ranges.flat([5, 0, 1], [2, 0, 3]).tolist() == [5, 6, 1, 2, 3]


@pytest.mark.parametrize("count", [0, 1, 32768, 32769, 100_000])
def test_numbers_in_order(count: int) -> None:
    numbers = np.arange(count, dtype=np.int32)
    assert ranges.are_in_order(numbers)
    for place in {0, count // 2, count - 1} if count else ():
        other = numbers.copy()
        other[place] += 1
        assert not ranges.are_in_order(other)
