# SPDX-License-Identifier: GPL-3.0-or-later
"""Edges of faces that share no vertices, and faces that no mesh can hold. Against Blender: tests/addon/scene."""

import numpy as np
import pytest

from formats import face_rings


@pytest.mark.parametrize("count", [0, 1, 3, 9000])
def test_edges_of_quads_are_those_of_rings(count: int) -> None:
    corners = np.arange(4 * count, dtype=np.int32)
    quads = face_rings.ring_edges(count)
    assert quads.shape == (4 * count, 2)
    if count:
        edges, of_corners = face_rings.edges_of_rings(corners, corners[::4])
        assert np.array_equal(quads, edges)
        assert np.array_equal(of_corners, corners)
    room = np.full(8 * count + 3, np.nan, np.float32)
    assert np.array_equal(face_rings.ring_edges(count, room), quads)
    assert not count or np.shares_memory(face_rings.ring_edges(count, room), room)


def test_rings_of_any_size_close() -> None:
    edges, _ = face_rings.edges_of_rings(np.arange(7, dtype=np.int32), np.array([0, 3], np.int32))
    assert edges.tolist() == [[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 6], [6, 3]]


@pytest.mark.parametrize(
    ("corners", "starts", "count", "apart"),
    [
        ([0, 1, 2, 3], [0], 4, True),
        ([0, 1, 2, 3, 4, 5], [0, 3], 6, True),
        ([0, 1, 2, 2, 3, 4], [0, 3], 5, False),  # a vertex of two faces
        ([0, 1, 2, 3, 4], [0, 3], 5, False),  # a face of two corners
        ([0, 2, 1, 3], [0], 4, False),  # in another order
        ([], [], 3, False),
    ],
)
def test_faces_that_share_nothing(corners: list[int], starts: list[int], count: int, apart: bool) -> None:
    given = np.array(corners, np.int32), np.array(starts, np.int32)
    assert face_rings.share_nothing(*given, count) is apart


def test_faces_of_a_grid_are_sound_and_one_that_is_there_twice_is_not() -> None:
    row = np.arange(5)[:, None] * 6 + np.arange(5)
    grid = np.stack([row, row + 1, row + 7, row + 6], axis=-1).reshape(-1, 4)
    counts = np.full(len(grid), 4)
    assert not face_rings.unsound(grid.reshape(-1), counts, 36).any()
    twice = np.concatenate([grid, grid[2:3, ::-1]]).reshape(-1)
    assert np.flatnonzero(face_rings.unsound(twice, np.append(counts, 4), 36)).tolist() == [len(counts)]
