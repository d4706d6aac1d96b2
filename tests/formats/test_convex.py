# SPDX-License-Identifier: GPL-3.0-or-later
"""Brushes as polygons: their edges, and planes that move."""

import numpy as np
import pytest

from formats import convex

NORMALS = np.array([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)], np.float64)


def boxes(*sizes):
    """The polygons of boxes about the origin."""
    dists = np.concatenate([np.full(6, size, np.float64) for size in sizes])
    return convex.from_planes(np.tile(NORMALS, (len(sizes), 1)), dists, [6] * len(sizes))


def test_each_edge_of_a_box_is_there_once():
    shapes = boxes(8, 16)
    found = convex.edges(shapes, [6, 6])
    assert found.starts.tolist() == [0, 12, 24] and found.sound.all()
    assert len({tuple(sorted(edge)) for edge in found.vertices.tolist()}) == 24
    lengths = np.linalg.norm(np.diff(shapes.positions[found.vertices], axis=1)[:, 0], axis=1)
    assert lengths.tolist() == [16] * 12 + [32] * 12
    # The edge of a corner goes from it to the next of its face; each belongs to two faces.
    assert np.bincount(found.of_corner).tolist() == [2] * 24
    following = shapes.corners.reshape(-1, 4)[:, [1, 2, 3, 0]].reshape(-1)
    expected = np.sort(np.column_stack([shapes.corners, following]), axis=1)
    assert np.array_equal(np.sort(found.vertices[found.of_corner], axis=1), expected)


def polygons(faces, vertices):
    """Polygons of one brush, by their corners."""
    starts = np.concatenate([[0], np.cumsum([len(face) for face in faces])])
    corners = np.array([one for face in faces for one in face], np.int64)
    return convex.Polygons(np.zeros((vertices, 3)), np.array([0, vertices]), corners, starts, np.array([False]))


@pytest.mark.parametrize(
    "faces",
    [
        [[0, 1, 2], [0, 1, 3]],  # both go along an edge in the same direction
        [[0, 1, 2, 1]],  # meets a vertex twice
        [[0, 1]],  # too few corners
    ],
)
def test_edges_of_what_is_no_surface_are_not_sound(faces):
    assert convex.edges(polygons(faces, 4), [len(faces)]).sound.tolist() == [False]


def test_an_open_surface_and_none_are_sound():
    assert convex.edges(polygons([[0, 1, 2], [1, 0, 3]], 4), [2]).sound.tolist() == [True]
    none = convex.edges(convex.from_planes(np.empty((0, 3)), np.empty(0), []), [])
    assert len(none.vertices) == 0 and none.starts.tolist() == [0]


def test_moved_planes_hold_the_moved_points():
    dists = np.full(6, 8.0)
    points = NORMALS * 8
    move = np.array([[0.0, -2, 0, 5], [1, 0, 0.5, -3], [0, 0, 3, 8], [0, 0, 0, 1]])
    normals, moved = convex.moved_planes(NORMALS, dists, move)
    after = points @ move[:3, :3].T + move[:3, 3]
    assert (normals * after).sum(axis=1) == pytest.approx(moved)
    assert np.linalg.norm(normals, axis=1) == pytest.approx(np.ones(6))
    shifted, moved = convex.moved_planes(
        NORMALS, dists, np.array([[1.0, 0, 0, 4], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    )
    assert shifted is NORMALS and moved.tolist() == [12, 4, 8, 8, 8, 8]


def test_normals_of_single_precision_far_from_the_middle():
    """A brush as in a real map: lengths off by 3e-8 tell at 4,000 units, where planes are nearly parallel."""
    normals = np.array(
        [[0, 0, -1], [0, 0, 1], [-0.5042351, 0.8635664, 0], [-0.6318284, 0.7751083, 0], [0.091041, 0.9958472, 0],
         [0.0930943, -0.9956573, 0]]
    )  # fmt: skip
    dists = np.array([2201.0, -2193.0, -3086.4746094, -2610.9702148, -4156.1713867, 3996.4707031])
    found = convex.from_planes(normals, dists, [6])
    assert found.closed.all() and len(found.positions) == 8
    sides = found.corner_face
    heights = (found.positions[found.corners] * normals[sides]).sum(axis=1) - dists[sides]
    assert np.abs(heights).max() < 1e-6
