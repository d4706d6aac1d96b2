# SPDX-License-Identifier: GPL-3.0-or-later
"""Work in steps: what is done at once, what may be stopped, and what numpy says meanwhile."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from formats.steps import Steps, Stepwise, drain, quietly, steps_of

ENDED: list[str] = []


@contextmanager
def noticed() -> Iterator[None]:
    try:
        yield
    finally:
        ENDED.append("work")


@Stepwise
def halved(numbers: int) -> Steps[int]:
    with noticed():
        for _ in range(3):
            numbers //= 2
            yield
    return numbers


def test_a_function_in_steps_is_called_as_any_other() -> None:
    assert halved(80) == 10
    assert drain(steps_of(halved, 80)) == 10
    assert drain(steps_of(abs, -3)) == 3


def test_numpy_is_silent_in_steps_and_as_before_between_them() -> None:
    def overflowing() -> Steps[float]:
        with noticed():
            big = np.float64(1e300)
            big *= big
            yield
            return float(big)

    before = np.geterr()
    steps = quietly(overflowing())
    next(steps)
    assert np.geterr() == before
    with pytest.raises(StopIteration) as end:
        next(steps)
    assert end.value.value == np.inf


def test_steps_that_are_stopped_clean_up() -> None:
    ENDED.clear()
    steps = quietly(halved.steps(80))
    next(steps)
    assert ENDED == []
    steps.close()
    assert ENDED == ["work"]


def test_an_error_of_a_step_is_the_error_of_all() -> None:
    def failing() -> Steps[None]:
        yield
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        drain(quietly(failing()))
