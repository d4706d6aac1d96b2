# SPDX-License-Identifier: GPL-3.0-or-later
"""The brushes of a level as arrays: textures by number."""

import numpy as np
import pytest

from formats import genesis
from formats.genesis import geometry


def test_any_number_of_textures_are_told_apart_by_their_names_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(geometry, "_HASH_BITS", 4)
    count = 300  # more names than the table has places, each of two faces that have other bytes behind the NUL
    faces = genesis.new_faces(2 * count)
    number = np.arange(2 * count)
    faces["tex_name"] = np.array([f"{one // 2}\0{one % 3}" for one in number], "S32").view("V32")
    names, textures = geometry.texture_numbers(faces)
    assert sorted(names, key=int) == [str(one) for one in range(count)]
    assert np.array_equal(np.array(names, int)[textures], number // 2)
