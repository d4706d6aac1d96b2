# SPDX-License-Identifier: GPL-3.0-or-later
"""Textures that lie flat on faces: what is done to them, on planes of all directions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.texture_planes import FlatTextures

SQUARE = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], float)


def frame(seed: int) -> np.ndarray:
    """Three unit vectors at right angles, right-handed: right, up, and what the face looks at."""
    turned = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    return turned * np.sign(np.linalg.det(turned))


def laid(seed: int, scale: tuple[float, float] = (0.5, 2.0)) -> tuple[FlatTextures, np.ndarray]:
    """A square somewhere, with u to its right and v up."""
    axes = frame(seed)
    points = SQUARE @ axes[:2] + np.array([3.0, -2.0, 5.0])
    uv = SQUARE * scale + (0.25, 0.75)
    return FlatTextures.of(points, uv, np.zeros(4, np.intp), axes[2:]), uv


@given(seed=st.integers(0, 99))
def test_what_is_read_is_what_was_laid(seed):
    textures, uv = laid(seed)
    assert textures.uv == pytest.approx(uv, abs=1e-9)
    assert textures.straightened().uv == pytest.approx(uv, abs=1e-9)
    assert textures.gradients[0] == pytest.approx(frame(seed)[:2] * [[0.5], [2.0]], abs=1e-9)


@given(seed=st.integers(0, 99), angle=st.floats(-7, 7))
def test_a_turn_is_against_the_clock_about_the_middle(seed, angle):
    textures, _ = laid(seed)
    turned = textures.turned(angle)
    cos, sin = np.cos(angle), np.sin(angle)
    back = SQUARE @ np.array([[cos, -sin], [sin, cos]])  # where on the texture each corner is now
    assert turned.uv == pytest.approx(back * (0.5, 2.0) + (0.25, 0.75), abs=1e-9)


def test_fitted_on_each_and_on_all():
    textures, _ = laid(1)
    assert textures.fitted((3, 2), False).uv == pytest.approx((SQUARE + 1) / 2 * (3, 2), abs=1e-9)
    axes = frame(1)
    two = FlatTextures.of(
        np.vstack([SQUARE, SQUARE + np.array([2, 0])]) @ axes[:2], np.vstack([SQUARE, SQUARE + np.array([2, 0])]),
        np.repeat([0, 1], 4), np.repeat(axes[2:], 2, axis=0),
    )  # fmt: skip
    together = two.fitted((1, 1), True).uv
    assert together[:4, 0].tolist() == pytest.approx([0, 0.5, 0.5, 0])
    assert together[4:, 0].tolist() == pytest.approx([0.5, 1, 1, 0.5])


def test_along_a_direction_keeps_sizes_and_mirrors_nothing():
    textures, _ = laid(2)
    axes = frame(2)
    aligned = textures.along(np.array([axes[1] + 5 * axes[2]]))
    assert aligned.gradients[0] == pytest.approx(np.stack([0.5 * axes[1], -2 * axes[0]]), abs=1e-9)
    assert textures.along(axes[2:]).gradients.tolist() == textures.gradients.tolist(), "it looks along the normal"


def test_a_texture_runs_on_round_an_edge():
    """Over a roof: what is so far from the ridge on one side is continued so far on the other."""
    ridge = np.array([(0, 0, 1), (4, 0, 1)], float)
    near = np.array([(0, 0, 1), (4, 0, 1), (4, -3, 0), (0, -3, 0)], float)[::-1]
    far = np.array([(0, 0, 1), (4, 0, 1), (4, 2, -1), (0, 2, -1)], float)
    normals = np.array([np.cross(face[1] - face[0], face[2] - face[0]) for face in (near, far)])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    uv = np.concatenate([np.column_stack([near[:, 0], np.linalg.norm(near[:, 1:] - (0, 1), axis=1)]), np.zeros((4, 2))])
    textures = FlatTextures.of(np.concatenate([near, far]), uv, np.repeat([0, 1], 4), normals)
    made = textures.run_on(1, 0, *ridge).uv[4:]
    assert made[:2] == pytest.approx(np.array([(0, 0), (4, 0)]), abs=1e-9)
    assert np.abs(made[2:, 1]) == pytest.approx([np.hypot(2, 2)] * 2)


def test_what_was_slanted_is_straightened():
    textures, uv = laid(3)
    slanted = FlatTextures.of(textures.points, uv + uv[:, ::-1] * (0, 0.4), textures.charts, textures.normals)
    u, v = slanted.straightened().gradients[0]
    assert u @ v == pytest.approx(0, abs=1e-9)
    assert u == pytest.approx(slanted.gradients[0, 0])


def test_lines_have_no_texture():
    line = np.array([(0, 0, 0), (1, 0, 0), (2, 0, 0)], float)
    textures = FlatTextures.of(line, line[:, :2], np.zeros(3, np.intp), np.array([[0, 0, 1.0]]))
    assert np.isnan(textures.uv).all()


# ---- faces that are moved


def carried(seed: int, corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What a square's coordinates become when its corners are at others of its frame, [4, 3]; and what they were."""
    textures, uv = laid(seed)
    points = corners @ frame(seed) + np.array([3.0, -2.0, 5.0])
    sizes, charts = np.array([4]), np.zeros(4, np.intp)
    return textures.carried(uv, points, FlatTextures.normals_of(points, sizes, charts)), uv


def flat(square: np.ndarray = SQUARE) -> np.ndarray:
    return np.hstack([square, np.zeros((4, 1))])


@given(seed=st.integers(0, 99), angle=st.floats(-3, 3), axis=st.integers(0, 2))
def test_what_is_moved_and_turned_as_a_whole_keeps_its_coordinates(seed, angle, axis):
    cos, sin = np.cos(angle), np.sin(angle)
    turn = np.roll(np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1]]), (axis, axis), (0, 1))
    now, before = carried(seed, flat() @ turn + (4, -1, 2))
    assert (now == before).all(), "to the bit"


@given(seed=st.integers(0, 99))
def test_a_face_that_is_drawn_out_shows_more_of_its_texture(seed):
    now, before = carried(seed, flat() + np.array([(0, 0, 0), (2, 0, 0), (2, 0, 0), (0, 0, 0)]))
    assert now - before == pytest.approx(np.array([(0, 0), (1, 0), (1, 0), (0, 0)]), abs=1e-9)


@given(seed=st.integers(0, 99))
def test_a_face_that_is_tilted_at_an_edge_keeps_its_texture_there(seed):
    now, before = carried(seed, flat() + np.array([(0, 0, 0), (0, 0, 0), (0, 0, 2), (0, 0, 2)]))
    longer = 2.0 * (np.hypot(2, 2) - 2)  # v grows by 2 a unit
    assert now - before == pytest.approx(np.array([(0, 0), (0, 0), (0, longer), (0, longer)]), abs=1e-9)


def test_a_face_that_grows_shows_more_on_all_sides():
    now, before = carried(3, flat() * 2)
    assert now - before == pytest.approx(SQUARE * (0.5, 2.0), abs=1e-9)


def test_a_slanted_texture_keeps_its_slant_where_nothing_was_moved():
    textures, uv = laid(4)
    uneven = uv + np.array([(0.3, 0), (0, 0), (0, 0), (0, 0)])
    textures = FlatTextures.of(textures.points, uneven, textures.charts, textures.normals)
    points = textures.points + np.array([(0, 0, 0), (0, 0, 0), (0, 0, 0), (1, 0, 0)]) @ frame(4)
    now = textures.carried(uneven, points, textures.normals)
    assert now[:3] == pytest.approx(uneven[:3], abs=1e-9) and not np.allclose(now[3], uneven[3])


@given(seed=st.integers(0, 99))
def test_textures_in_place_stay_where_they_are_in_space(seed):
    textures, uv = laid(seed)
    moved = textures.points + np.array([1.0, -2.0, 4.0]) @ frame(seed)
    assert textures.in_place(uv, moved) - uv == pytest.approx(np.tile((0.5, -4.0), (4, 1)), abs=1e-9)


def test_lines_and_points_keep_the_coordinates_that_they_have():
    line = np.array([(0, 0, 0), (1, 0, 0), (2, 0, 0), (1, 0, 0)], float)
    uv, charts = np.random.default_rng(1).normal(size=(4, 2)), np.zeros(4, np.intp)
    with np.errstate(invalid="ignore"):
        textures = FlatTextures.of(line, uv, charts, FlatTextures.normals_of(line, np.array([4]), charts))
    now = textures.points + np.array([(0, 0, 0), (0, 0, 0), (0, 3, 0), (0, 0, 0)])
    assert (textures.carried(uv, now, FlatTextures.normals_of(now, np.array([4]), charts)) == uv).all()
    assert (textures.in_place(uv, now) == uv).all()
