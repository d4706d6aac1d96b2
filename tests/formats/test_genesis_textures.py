# SPDX-License-Identifier: GPL-3.0-or-later
"""Texture vectors: the editor's rule and its inverse, texels, UVs, and vectors fitted to UVs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.genesis import FACE, new_faces
from formats.genesis.brushes import polygons
from formats.genesis.textures import fit, from_uv, lay, moved, parameters, texels, to_uv, upright, world_axes
from tests.formats import genesis_bytes as build


@pytest.fixture
def cube():
    """Six faces with their corners: (faces, points, owners)."""
    faces = np.frombuffer(bytearray(b"".join(build.box())), FACE)
    solid = polygons(faces, [6])
    return faces, solid.positions[solid.corners], solid.corner_face


def signs(vector: np.ndarray) -> str:
    return "".join("-" if np.signbit(value) else "+" for value in vector)


def test_world_axes_with_the_editors_zeros():
    u, v = world_axes(build.AXES)
    assert u[[0, 2, 4]].tolist() == [[0, 0, 0.5], [0.5, 0, 0], [0.5, 0, 0]]
    assert v[[0, 2, 4]].tolist() == [[0, -0.5, 0], [0, 0, 0.5], [0, -0.5, 0]]
    assert [signs(row) for row in u[::2]] == ["+-+", "++-", "+-+"]
    assert [signs(row) for row in v[::2]] == ["+--", "+++", "--+"]
    assert u[::2].tobytes() == u[1::2].tobytes()


def test_of_equal_axes_the_first_counts():
    u, _ = world_axes([(1, 1, 1), (0, -1, 1), (1, 0, -1)], light_scale=1)
    assert u.tolist() == [[0, 0, 1], [1, 0, 0], [0, 0, 1]]


def test_turned_axes():
    u, v = world_axes([(0, 0, 1)] * 2, [90, -45], [(1, 4), (2, 2)])
    assert u[0] == pytest.approx([0, -1, 0], abs=1e-7)
    assert v[0] == pytest.approx([-0.25, 0, 0], abs=1e-7)
    assert u[1] == pytest.approx([0.353553, 0.353553, 0], abs=1e-6)


def test_texels_and_uvs():
    faces = np.frombuffer(
        bytearray(build.face(u=(0.5, 0, 0), v=(0, 0, 0.25), scale=(0.25, -0.5), offset=(3, 4))), FACE
    )  # fmt: skip
    texel = texels(faces, np.array([[8.0, 0, 0], [0, 5, 16]]), np.array([0, 0]))
    assert texel.tolist() == [[19, 4], [3, -4]]
    assert to_uv(texel, (64, 16)).tolist() == [[19 / 64, 0.75], [3 / 64, 1.25]]
    assert from_uv(to_uv(texel, (64, 16)), (64, 16)).tolist() == texel.tolist()


angles = st.floats(-179, 179).map(lambda a: round(a, 3))
scales = st.floats(0.05, 20).map(lambda s: round(s, 3))


@given(angles, scales, scales, st.integers(-500, 500), st.sampled_from([0.5, 1, 2, 6, 25]))
def test_the_editors_parameters_come_back(rotate, scale_x, scale_y, shift, light_scale):
    faces = new_faces(8)
    faces["normal"] = [*build.AXES, (0.6, 0.48, 0.64), (-0.8, 0.6, 0)]
    lay(faces, rotate, (scale_x, scale_y), (shift, -shift), light_scale)
    found = parameters(faces)
    assert found["fits"].all()
    assert found["rotate"] == pytest.approx(rotate, abs=1e-3)
    assert found["scale"] == pytest.approx(np.tile([scale_x, scale_y], (8, 1)), rel=1e-5, abs=1e-4)
    assert (found["shift"] == (shift, -shift)).all()
    assert found["light_scale"] == pytest.approx(light_scale, rel=1e-5)


def test_vectors_of_no_rule_do_not_fit():
    faces = new_faces(3)
    faces["normal"] = (0, 1, 0)
    lay(faces)
    faces["v_vec"][1] *= -1  # mirrored
    faces["u_vec"][2] = (0.4, 0.3, 0)
    assert parameters(faces)["fits"].tolist() == [True, False, False]


def test_nothing_moves_where_uvs_say_the_same(cube):
    faces, points, owners = cube
    lay(faces, 30, (2, 3), (17, -4))
    uv = to_uv(texels(faces, points, owners), (64, 128)).astype(np.float32)
    found = fit(faces, points, owners, from_uv(uv, (64, 128)))
    assert found.faces.tobytes() == faces.tobytes()
    assert found.residual.max() < 2e-3


def changed(before: np.ndarray, after: np.ndarray) -> set[str]:
    return {name for name in FACE.names if before[name].tobytes() != after[name].tobytes()}


def test_only_what_the_uvs_changed_changes(cube):
    faces, points, owners = cube
    lay(faces, 0, (2, 3), (17, -4))
    texel = texels(faces, points, owners)
    slid = fit(faces, points, owners, texel + np.array([5, 0]))
    assert changed(faces, slid.faces) == {"offset_x"}
    assert slid.faces["offset_x"].tolist() == [22] * 6
    stretched = fit(faces, points, owners, texel * (1, 2))
    assert changed(faces, stretched.faces) == {"draw_scale_y", "offset_y"}
    assert stretched.faces["draw_scale_y"] == pytest.approx(faces["draw_scale_y"] / 2)
    mirrored = fit(faces, points, owners, texel * (-1, 1))
    assert changed(faces, mirrored.faces) == {"draw_scale_x", "offset_x"}
    assert (mirrored.faces["draw_scale_x"] < 0).all()
    turned = texel @ [[0.6, 0.8], [-0.8, 0.6]]
    found = fit(faces, points, owners, turned)
    assert found.residual.max() < 1e-3
    lengths = np.linalg.norm(found.faces["u_vec"], axis=1)
    assert lengths == pytest.approx(np.linalg.norm(faces["u_vec"], axis=1))  # as fine a lightmap as before


def test_new_faces_get_vectors_like_the_editors(cube):
    faces, points, owners = cube
    lay(faces, 20, (0.5, 2), (8, 9))
    found = fit(new_like(faces), points, owners, texels(faces, points, owners))
    assert found.possible.all()
    assert parameters(found.faces)["fits"].all()
    assert parameters(found.faces)["rotate"] == pytest.approx(20)
    assert parameters(found.faces)["scale"] == pytest.approx(np.tile([0.5, 2], (6, 1)))


def new_like(faces: np.ndarray) -> np.ndarray:
    made = new_faces(len(faces))
    made["normal"] = faces["normal"]
    return made


def test_uvs_that_fit_no_face(cube):
    faces, points, owners = cube
    lay(faces)
    texel = texels(faces, points, owners)
    bent = texel.copy()
    bent[0] += 10
    assert fit(faces, points, owners, bent).residual[0] > 1
    assert fit(faces, points, owners, bent).residual[1:].max() < 1e-3
    flat = fit(new_like(faces), points, owners, np.zeros_like(texel))
    assert not flat.possible.any()
    assert np.isfinite(np.column_stack([flat.faces[name] for name in ("u_vec", "v_vec", "draw_scale_x")])).all()


@given(angles, scales, scales, st.integers(-2000, 2000), st.tuples(*[st.integers(-20, 20)] * 3).filter(any))
def test_any_lie_is_found_again(rotate, scale_x, scale_y, shift, normal):
    normal = np.array(normal) / np.linalg.norm(normal)
    faces = new_faces(1)
    faces["normal"] = normal
    lay(faces, rotate, (scale_x, scale_y), (shift, 0))
    normals = faces["normal"].astype(float)
    helper = np.eye(3)[np.abs(normals[0]).argmin()]
    right = np.cross(helper, normals[0])
    down = np.cross(normals[0], right)
    points = np.array([right * 50 + down * 9, right * -30 - down * 40, down * 70, -right * 44 + down * 20])
    owners = np.zeros(4, int)
    texel = texels(faces, points, owners)
    found = fit(new_like(faces), points, owners, texel)
    assert found.possible.all()
    assert found.residual[0] <= 1e-3 + 1e-5 * np.abs(texel).max()
    assert found.faces["u_vec"] == pytest.approx(faces["u_vec"], abs=2e-4)


TURN = np.array([[0.0, -2, 0, 5], [2, 0, 0, -3], [0, 0, 2, 8], [0, 0, 0, 1]])
SHIFT = np.array([[1.0, 0, 0, 64], [0, 1, 0, -32], [0, 0, 1, 0.5], [0, 0, 0, 1]])


@pytest.mark.parametrize("move", [TURN, SHIFT])
def test_moved_textures_stay_on_what_moved(cube, move):
    faces, points, owners = cube
    before = texels(faces, points, owners)
    after = moved(faces, move)
    assert texels(after, points @ move[:3, :3].T + move[:3, 3], owners) == pytest.approx(before, abs=1e-4)
    for vector in ("u_vec", "v_vec"):  # the lightmap stays as fine as it was
        assert np.linalg.norm(after[vector], axis=1) == pytest.approx(np.linalg.norm(faces[vector], axis=1))
    assert moved(faces, np.eye(4)).tobytes() == faces.tobytes()


def test_a_texture_on_a_flattened_face_keeps_its_numbers():
    faces = np.frombuffer(bytearray(build.face(u=(0.5, 0, 0), v=(0, 0, 0.25))), FACE)
    after = moved(faces, np.diag([1.0, 1, np.inf, 1]))
    assert np.isfinite(after["offset_x"]).all() and np.isfinite(after["offset_y"]).all()


def test_upright_vectors_lie_as_before_on_their_plane():
    slope = (0.0, 0.6, 0.8)
    faces = np.frombuffer(bytearray(build.face(slope, 40.0, u=(0.5, 0, 0), v=(0, 0.4, -0.3), scale=(0.5, 0.25))), FACE)
    points = np.array([[0, 40 * 0.6, 40 * 0.8], [16, 40 * 0.6 + 8, 40 * 0.8 - 6], [-8, 40 * 0.6 - 4, 40 * 0.8 + 3]])
    assert points @ slope == pytest.approx([40, 40, 40])
    made = upright(faces)
    assert made["v_vec"][0, 2] == 0 and made["v_vec"][0, 1] != 0  # nothing along z, where the normal points to most
    assert texels(made, points, np.zeros(3, int)) == pytest.approx(texels(faces, points, np.zeros(3, int)), abs=1e-4)
    assert np.linalg.norm(made["v_vec"]) == pytest.approx(np.linalg.norm(faces["v_vec"]))
