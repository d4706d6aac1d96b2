# SPDX-License-Identifier: GPL-3.0-or-later
"""Quads as faces and back, without Blender: what a face still shows of its record stays, bit for bit."""

import numpy as np
import pytest

from formats.teeworlds.quad_faces import (
    QuadError,
    QuadFaces,
    corner_colors,
    corner_offsets,
    corner_positions,
    corner_uvs,
    draw_order,
    read_quads,
)
from formats.teeworlds.quads import PIVOT, default_quads
from formats.teeworlds.records import QUAD

SPREAD = 1 << 30


def random_quads(count: int) -> np.ndarray:
    rng = np.random.default_rng(count)
    quads = np.zeros(count, QUAD)
    quads["points"] = rng.integers(-SPREAD, SPREAD, quads["points"].shape)  # more than float32 can tell apart
    quads["colors"] = rng.integers(0, 256, quads["colors"].shape)
    quads["texcoords"] = rng.integers(-(1 << 20), 1 << 20, quads["texcoords"].shape)
    quads["color_envelope"] = rng.integers(-1, 9, count)
    return quads


def faces_of(quads: np.ndarray) -> QuadFaces:
    """The faces that an import makes of quads, in an object that lies at the group's origin."""
    points, count = corner_positions(quads), len(quads)
    return QuadFaces(
        ids=np.arange(1, count + 1, dtype=np.int32),
        matrices=np.repeat(np.eye(4)[None, :2], count, axis=0),
        corners=points[:, :4].astype(np.float64),
        depth=np.arange(count, dtype=np.float64),
        uvs=corner_uvs(quads),
        colors=corner_colors(quads),
        pivots=points[:, 4].astype(np.float64),
        pivot_known=np.ones(count, np.bool_),
        pivot_follows=np.ones(count, np.bool_),
    )


def test_untouched_faces_are_their_records() -> None:
    quads = random_quads(40)
    assert read_quads(faces_of(quads), quads).tobytes() == quads.tobytes()


def test_faces_that_were_turned_over_are_still_their_records() -> None:
    quads = random_quads(8)
    faces = faces_of(quads)
    for name in ("corners", "uvs", "colors"):
        setattr(faces, name, np.roll(getattr(faces, name)[:, ::-1], 1, axis=1))
    assert read_quads(faces, quads).tobytes() == quads.tobytes()


def test_a_face_that_moved_takes_its_pivot_along() -> None:
    quads = default_quads([(0, 0), (32768, 0)])
    faces = faces_of(quads)
    faces.corners[1] += (2.0, 1.0)
    want = quads.copy()
    want["points"][1] += (2 * 32768, -32768)
    assert read_quads(faces, quads).tobytes() == want.tobytes()
    faces.pivot_follows[:] = False
    want["points"][1, PIVOT] = quads["points"][1, PIVOT]
    assert read_quads(faces, quads).tobytes() == want.tobytes()


def test_a_face_without_a_record_is_a_new_quad_around_its_middle() -> None:
    quads = default_quads([(32768, 64)])
    faces = faces_of(quads)
    faces.ids[:] = 0
    faces.pivot_known[:] = False
    got = read_quads(faces, quads[:0])
    for name in ("points", "colors", "texcoords"):
        assert np.array_equal(got[name], quads[name])


def test_what_the_file_cannot_hold_is_refused_with_its_rows() -> None:
    quads = default_quads([(0, 0), (0, 0), (0, 0)])
    faces = faces_of(quads)
    faces.corners[1] += 70000.0
    with pytest.raises(QuadError, match="too far away") as caught:
        read_quads(faces, quads)
    assert caught.value.rows.tolist() == [False, True, False]
    faces = faces_of(quads)
    faces.uvs[2, 0, 0] = np.nan
    with pytest.raises(QuadError, match="texture coordinates") as caught:
        read_quads(faces, quads)
    assert caught.value.rows.tolist() == [False, False, True]


def test_order_is_depth_and_new_faces_come_last() -> None:
    faces = faces_of(default_quads(np.zeros((4, 2), np.int32)))
    faces.ids[0], faces.depth[:] = 0, (0, 3, 2, 1)
    assert draw_order(faces).tolist() == [3, 2, 1, 0]


def test_offsets_are_positions_about_the_pivot() -> None:
    quads = default_quads([(32768 * 3, -32768)])
    points = corner_positions(quads)
    assert np.array_equal(corner_offsets(quads), points[:, :4] - points[:, 4:])


def test_joined_faces_follow_one_another() -> None:
    quads = random_quads(5)
    joined = QuadFaces.joined([faces_of(quads[:2]), faces_of(quads[2:])])
    assert joined.ids.tolist() == [1, 2, 1, 2, 3]
    assert np.array_equal(joined.corners, faces_of(quads).corners)
