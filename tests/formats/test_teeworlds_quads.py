# SPDX-License-Identifier: GPL-3.0-or-later
"""Quads: corner order, the game's two triangles, new quads."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from formats.teeworlds import quads
from formats.teeworlds.records import QUAD

FILE = ["TL", "TR", "BL", "BR", "pivot"]
RING = ["TL", "BL", "BR", "TR"]


def test_ring_and_file_order() -> None:
    names = np.array([FILE])
    assert quads.to_ring(names).tolist() == [RING]
    assert quads.to_file(quads.to_ring(names)).tolist() == [FILE[:4]]


@given(st.lists(st.integers(-(2**31), 2**31 - 1), min_size=8, max_size=8))
def test_ring_order_round_trips(numbers: list[int]) -> None:
    corners = np.array(numbers, np.int32).reshape(1, 4, 2)
    assert np.array_equal(quads.to_file(quads.to_ring(corners)), corners)
    assert np.array_equal(quads.to_ring(quads.to_file(corners)), corners)


def test_triangles_are_the_games() -> None:
    drawn = [{RING[corner] for corner in triangle} for triangle in quads.TRIANGLES]
    assert drawn == [{"TL", "BL", "BR"}, {"TL", "BR", "TR"}]  # they share the side from top left to bottom right


def test_folded_quads_are_those_that_one_face_would_draw_otherwise() -> None:
    square = [(0, 0), (0, -1), (1, -1), (1, 0)]
    dented_on_the_split = [
        (0, 0),
        (0, -1),
        (0.4, -0.6),
        (1, 0),
    ]  # at an end of it: both wind alike
    dented_beside_it = [(0, 0), (0.6, -0.6), (1, -1), (1.2, 0)]
    beyond_the_split = [(0, 0), (0.9, -0.1), (1, -1), (1, 0)]
    crossed = [(0, 0), (1, 0), (1, -1), (0, -1)]
    line = [(0, 0), (0, -1), (0, -2), (0, -3)]
    shapes = np.array([square, dented_on_the_split, dented_beside_it, beyond_the_split, crossed, crossed[::-1], line])
    assert quads.folded(shapes).tolist() == [False, False, False, True, False, False, False]
    assert quads.folded(shapes * (-1, 1)).tolist() == quads.folded(shapes).tolist()  # mirroring folds nothing
    assert quads.folded(np.zeros((0, 4, 2))).tolist() == []


def test_bow_ties_fold_where_their_sides_cross() -> None:
    tie = np.array([[(0, 0), (0, -1), (1, 0), (1, -1)], [(0, 0), (1, -1), (0, -1), (1, 0)]])
    assert quads.folded(tie).tolist() == [True, True]


def test_default_quad_is_the_editors() -> None:
    (quad,) = quads.default_quads([(10 * 32768, -32768)])
    x, y, half = 10 * 32768, -32768, 32 * 1024
    assert quad.dtype == QUAD
    assert quad["points"].tolist() == [
        [x - half, y - half],
        [x + half, y - half],
        [x - half, y + half],
        [x + half, y + half],
        [x, y],
    ]
    assert (quad["colors"] == 255).all()
    assert quad["texcoords"].tolist() == [[0, 0], [1024, 0], [0, 1024], [1024, 1024]]
    assert [quad[name] for name in QUAD.names[3:]] == [-1, 0, -1, 0]
