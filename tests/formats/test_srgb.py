# SPDX-License-Identifier: GPL-3.0-or-later
"""Light, and the numbers by which screens show it."""

import numpy as np
import pytest

from formats import srgb


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_and_light_are_each_others_inverse(dtype: type[np.floating]) -> None:
    """Middle grey, both ends, both sides of the knee; the dtype stays, and so does NaN."""
    numbers = np.array([0, 0.02, srgb.SCREEN_KNEE, 0.5, 1, np.nan], dtype)
    light = srgb.to_light(numbers)
    assert light.dtype == dtype
    assert light[[0, 3, 4]].tolist() == pytest.approx([0, 0.21404, 1], abs=1e-5)
    np.testing.assert_allclose(srgb.to_screen(light), numbers, atol=1e-5)
