# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverses of small matrices."""

import numpy as np
import pytest

from formats import matrices


@pytest.mark.parametrize("shape", [(3, 3), (4, 4), (0, 3, 3), (5, 3, 3), (2, 7, 4, 4)])
def test_they_undo(shape: tuple[int, ...]) -> None:
    given = np.random.default_rng(0).normal(size=shape)
    found = matrices.inverse(given)
    assert found.shape == shape
    assert found.dtype == np.float64
    assert np.abs(found @ given - np.eye(shape[-1])).max(initial=0) < 1e-9


def test_single_numbers_are_worked_out_as_doubles() -> None:
    assert matrices.inverse(np.array([[3, 0], [0, 1]], np.float32))[0, 0] == 1 / 3


def test_what_has_none_is_refused() -> None:
    with pytest.raises(np.linalg.LinAlgError):
        matrices.inverse(np.stack([np.eye(3), np.zeros((3, 3))]))
