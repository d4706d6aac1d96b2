# SPDX-License-Identifier: GPL-3.0-or-later
"""The small bitmap font: each sign is another one, in whatever size."""

import numpy as np

from formats import bitmap_font


def test_font() -> None:
    signs = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_-./#?"
    shapes = {bitmap_font.text(sign).tobytes() for sign in signs}
    assert len(shapes) == len(signs), "no two signs look alike"
    assert bitmap_font.text("ab").shape == (7, 11)
    assert bitmap_font.text("ab", 3).shape == (21, 33)
    assert np.array_equal(bitmap_font.text("a"), bitmap_font.text("A"))
    assert np.array_equal(bitmap_font.text("☃"), bitmap_font.text("?"))
    assert not bitmap_font.text(" ").any()
    assert bitmap_font.text("").shape == (7, 5)
