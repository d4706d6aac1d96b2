# SPDX-License-Identifier: GPL-3.0-or-later
"""How textures lie on faces: the formula, and parameters from texture coordinates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.ns2 import read
from formats.ns2.normals import face_normals
from formats.ns2.texture_mapping import HORIZONTAL, Mapping, axes, coordinates, solve


def mapping(angle=0.0, scale=(1.0, 1.0), offset=(0.0, 0.0)) -> Mapping:
    return Mapping(np.array([angle], float), np.array([scale], float), np.array([offset], float))


def on_plane(normal, count=5, seed=0, size=4.0, center=(10.0, -3.0, 25.0)):
    """Points of a plane, about a middle."""
    rng = np.random.default_rng(seed)
    n = np.asarray(normal, float) / np.linalg.norm(normal)
    points = rng.uniform(-size, size, (count, 3))
    return points - (points @ n)[:, None] * n + center


def one_chart(points):
    return np.zeros(len(points), int)


# ------------------------------------------------------------------------------------------------------------- formula


@pytest.mark.parametrize(
    ("normal", "right", "up"),
    [
        ((0, 1, 0), (0, 0, 1), (1, 0, 0)),
        ((0, -1, 0), (0, 0, -1), (1, 0, 0)),
        ((0, 0, 1), (1, 0, 0), (0, 1, 0)),
        ((0, 0, -5), (-1, 0, 0), (0, 1, 0)),
        ((1, 0, 0), (0, 0, -1), (0, 1, 0)),
        ((HORIZONTAL / 2, -1, -HORIZONTAL / 2), (0, 0, -1), (1, 0, 0)),
    ],
)
def test_axes(normal, right, up):
    s, t = axes(np.array([normal], float))
    assert s[0] == pytest.approx(right)
    assert t[0] == pytest.approx(up)


@given(st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda n: np.linalg.norm(n) > 0.1))
def test_axes_turn_right_about_the_normal(normal):
    """s right, t up: together with the normal they are right-handed, but for what counts as horizontal."""
    s, t = axes(np.array([normal]))
    assert np.cross(s[0], t[0]) @ normal / np.linalg.norm(normal) == pytest.approx(1, abs=1e-5)
    assert t[0][1] >= 0


def test_a_wall_by_hand():
    """ns2.md §8: u = S' scale.x + offset.x, v = T' scale.y - offset.y; S right, T up, metres."""
    points = np.array([(0, 0, 0), (2, 0, 0), (2, 1, 0)], float)
    normal = np.array([(0, 0, 1)], float)
    uv = coordinates(points, normal, mapping(0, (0.5, 2), (0.25, 0.75)), one_chart(points))
    assert uv.tolist() == [[0.25, -0.75], [1.25, -0.75], [1.25, 1.25]]
    turned = coordinates(points, normal, mapping(np.pi / 2), one_chart(points))
    assert turned == pytest.approx(np.array([(0, 0), (0, 2), (-1, 2)]))


def test_a_texture_runs_on_over_an_edge_between_walls():
    """Along the edge that two walls with the same parameters share, v is the same on both."""
    edge = np.array([(1, 0, 1), (1, 5, 1)], float)
    normals = np.array([(1, 0, 0), (0, 0, 1)], float)
    both = Mapping(np.zeros(2), np.full((2, 2), 0.3), np.zeros((2, 2)))
    uv = coordinates(np.concatenate([edge, edge]), normals, both, np.array([0, 0, 1, 1]))
    assert uv[:2, 1] == pytest.approx(uv[2:, 1])


def test_broken_parameters_give_broken_coordinates_and_no_error():
    points = on_plane((0, 0, 1))
    bad = mapping(np.nan, (np.inf, 1), (0, 0))
    uv = coordinates(points, np.array([(0.0, 0, 1)]), bad, one_chart(points))
    assert not np.isfinite(uv).any(axis=1).all()
    solution = solve(points, np.array([(0.0, 0, 1)]), uv, one_chart(points))
    assert not solution.found[0]


# ------------------------------------------------------------------------------------------------------------- solving

NORMALS = [(0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1), (1, 0, 0), (0.6, 0.7, -0.4), (0.02, -1, 0.01), (-3, 0.5, 2)]
SCALES = st.floats(0.01, 8).flatmap(lambda scale: st.sampled_from([scale, -scale]))


@given(
    st.sampled_from(NORMALS),
    st.floats(-3.1, 3.1),
    st.tuples(SCALES, SCALES),
    st.tuples(st.floats(-50, 50), st.floats(-50, 50)),
    st.integers(0, 1000),
)
def test_solving_finds_what_was_laid(normal, angle, scale, offset, seed):
    points = on_plane(normal, seed=seed)
    normals = np.array([normal], float)
    laid = mapping(angle, scale, offset)
    uv = coordinates(points, normals, laid, one_chart(points)).astype(np.float32)
    solution = solve(points, normals, uv, one_chart(points))
    assert solution.found[0]
    again = coordinates(points, normals, solution.mapping, one_chart(points))
    assert again == pytest.approx(uv, abs=1e-3)
    found = solution.mapping
    # The same, or turned by half with both scales negated.
    half = found.scale[0, 0] * scale[0] < 0
    assert found.scale[0, 0] > 0
    assert found.scale[0] == pytest.approx(np.array(scale) * (-1 if half else 1), rel=1e-2, abs=1e-4)
    apart = found.angle[0] - angle - (np.pi if half else 0)
    assert np.cos(apart) == pytest.approx(1, abs=1e-3)


@given(st.sampled_from(NORMALS), st.floats(-3.1, 3.1), st.tuples(SCALES, SCALES))
def test_parameters_that_still_hold_are_kept_to_the_bit(normal, angle, scale):
    points = on_plane(normal)
    normals = np.array([normal], float)
    laid = mapping(angle, scale, (0.3, -7))
    uv = coordinates(points, normals, laid, one_chart(points)).astype(np.float32)
    found = solve(points, normals, uv, one_chart(points), before=laid).mapping
    assert found.angle.tobytes() == laid.angle.tobytes()
    assert found.scale.tobytes() == laid.scale.tobytes()
    assert found.offset.tobytes() == laid.offset.tobytes()


@pytest.mark.parametrize("scale", [(0.3, 0.3), (-0.3, 0.3), (0.3, -0.6), (-0.3, -0.3)])
def test_a_texture_that_was_moved_keeps_its_signs(scale):
    points = on_plane((0, 0, 1))
    normals = np.array([(0.0, 0, 1)])
    before = mapping(0.4, scale, (0.1, 0.2))
    moved = coordinates(points, normals, mapping(0.6, scale, (0.5, 0.2)), one_chart(points))
    found = solve(points, normals, moved, one_chart(points), before=before).mapping
    assert found.angle[0] == pytest.approx(0.6)
    assert found.scale[0] == pytest.approx(scale)
    assert found.offset[0] == pytest.approx((0.5, 0.2))


@pytest.mark.parametrize("skew", [0.05, -0.5, 3.0])
@pytest.mark.parametrize("normal", NORMALS[:3])
def test_skewed_coordinates_are_refused_and_the_residual_told(skew, normal):
    points = on_plane(normal, 8)
    normals = np.array([normal], float)
    uv = coordinates(points, normals, mapping(0.3, (0.5, 0.7)), one_chart(points))
    uv[:, 0] += skew * (uv[:, 1] - uv[:, 1].mean())
    solution = solve(points, normals, uv, one_chart(points))
    assert not solution.found[0]
    assert solution.residual[0] > 0.01 * abs(skew)


def test_one_corner_that_was_moved_is_refused():
    points = on_plane((0, 0, 1), 4)
    normals = np.array([(0.0, 0, 1)])
    uv = coordinates(points, normals, mapping(), one_chart(points))
    uv[2] += (0.2, 0)
    assert not solve(points, normals, uv, one_chart(points)).found[0]


def test_charts_without_an_area_are_not_found():
    points = np.array([(0, 0, 0), (1, 0, 0), (2, 0, 0)], float)
    solution = solve(points, np.array([(0.0, 0, 1)] * 2), np.zeros((3, 2)), one_chart(points))
    assert solution.found.tolist() == [False, False]
    assert np.isnan(solution.residual[1])


def test_a_mapping_group_is_one_chart_over_faces_of_many_planes():
    """The group's normal lays the texture on all its faces; together they tell its parameters."""
    normal = np.array([(0.2, 0.9, 0.3)])
    walls = [on_plane(n, 4, seed, 3.0, (seed, 0, 0)) for seed, n in enumerate([(0.2, 0.9, 0.3), (0, 1, 0), (1, 1, 0)])]
    points = np.concatenate(walls)
    laid = mapping(1.1, (0.3, -0.6), (4, 5))
    uv = coordinates(points, normal, laid, one_chart(points))
    solution = solve(points, normal, uv, one_chart(points), before=mapping(1.0, (1, -1)))
    assert solution.found[0]
    assert solution.mapping.angle[0] == pytest.approx(1.1)
    assert solution.mapping.scale[0] == pytest.approx((0.3, -0.6))
    uv[5] += 0.1
    assert not solve(points, normal, uv, one_chart(points)).found[0]


# --------------------------------------------------------------------------------------------------------- real levels


def arrays(mesh):
    return mesh.positions, mesh.corners, mesh.faces.face_loops, mesh.faces.loop_members


def test_parameters_of_real_faces_come_back(corpus):
    faces = found = same = 0
    for path in sorted((corpus / "ns2").glob("*/*.level")):
        data = path.read_bytes()
        if len(data) <= 5:
            continue
        mesh = read(data).mesh
        with np.errstate(invalid="ignore"):
            normals = face_normals(*arrays(mesh))
        records = mesh.faces.records
        laid = Mapping(records["angle"], records["scale"], records["offset"])
        of = mesh.faces.loop_faces[mesh.faces.member_loops]
        points = mesh.positions[mesh.corners]
        uv = coordinates(points, normals, laid, of).astype(np.float32)
        solution = solve(points, normals, uv, of)
        whole = np.isfinite(normals).all(axis=1)
        for values in (laid.angle[:, None], laid.scale, laid.offset):
            whole &= np.isfinite(values).all(axis=1)
        faces += np.count_nonzero(whole)
        found += np.count_nonzero(whole & solution.found)
        apart = np.abs(np.abs(solution.mapping.scale) - np.abs(laid.scale)).max(axis=1)
        same += np.count_nonzero(whole & solution.found & (apart <= 1e-3 * np.abs(laid.scale).max(axis=1) + 1e-4))
    assert faces > 101_000
    assert found / faces > 0.998
    assert same / found > 0.999


def test_textures_run_on_over_edges(corpus):
    """As ns2.md §8 says: over edges between different planes coordinates fit better than with other signs."""
    fits = np.zeros(2, int)
    for path in sorted((corpus / "ns2").glob("*/*.level")):
        data = path.read_bytes()
        if len(data) <= 5 or data[3] < 9:
            continue
        mesh = read(data).mesh
        with np.errstate(invalid="ignore"):
            normals = face_normals(*arrays(mesh))
        records, members = mesh.faces.records, mesh.faces.members
        of = mesh.faces.loop_faces[mesh.faces.member_loops]
        ordinary = (records["angle"] != 0) & (records["mapping_group"] == 0xFFFFFFFF)
        edges = members["edge"].astype(np.intp)
        order = np.argsort(edges, kind="stable")
        pair = np.flatnonzero((np.bincount(edges)[edges[order[:-1]]] == 2) & (edges[order[:-1]] == edges[order[1:]]))
        one, two = order[pair], order[pair + 1]
        good = ordinary[of[one]] & ordinary[of[two]] & (members["flipped"][one] != members["flipped"][two])
        good &= (records["material"][of[one]] == records["material"][of[two]]) & (
            (normals[of[one]] * normals[of[two]]).sum(axis=1) < 0.9
        )
        good &= (records["angle"][of[one]] != records["angle"][of[two]]) & np.isfinite(records["angle"][of[one]])
        one, two = one[good], two[good]
        starts, ends = mesh.positions[mesh.corners], mesh.positions[mesh.ends]
        for way, sign in enumerate((1, -1)):
            laid = Mapping(sign * records["angle"], records["scale"], records["offset"])
            sides = [
                np.concatenate([coordinates(points, normals, laid, of[which]) for points in ends_of], axis=1)
                for which, ends_of in ((one, (starts[one], ends[one])), (two, (ends[two], starts[two])))
            ]
            gap = sides[0] - sides[1]
            gap -= np.round(gap)
            fits[way] += np.count_nonzero(np.abs(gap).max(axis=1) < 0.01)
    assert fits[0] > 400
    assert fits[0] > 2 * fits[1]


@pytest.mark.slow
def test_a_million_corners_at_once():
    rng = np.random.default_rng(1)
    count = 250_000
    normals = rng.normal(size=(count, 3))
    of = np.repeat(np.arange(count), 4)
    points = rng.uniform(-50, 50, (4 * count, 3))
    points -= (points * normals[of]).sum(axis=1)[:, None] * normals[of] / (normals[of] ** 2).sum(axis=1)[:, None]
    laid = Mapping(rng.uniform(-3, 3, count), rng.uniform(0.1, 2, (count, 2)), rng.uniform(-1, 1, (count, 2)))
    uv = coordinates(points, normals, laid, of)
    solution = solve(points, normals, uv, of)
    assert solution.found.mean() > 0.999
