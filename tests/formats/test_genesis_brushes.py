# SPDX-License-Identifier: GPL-3.0-or-later
"""Brushes as polygons: cubes, pyramids, prisms, slivers that do not close; polygons as planes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.genesis import FACE, read, write
from formats.genesis.brushes import Polygons, from_planes, planes, polygons
from tests import examples
from tests.formats import genesis_bytes as build

BOX = np.array(build.AXES, float)


def polygons_of(*rows: tuple[tuple[float, float, float], float]) -> Polygons:
    """One brush of planes, whose normals are given length 1."""
    normals = np.array([row[0] for row in rows], float)
    lengths = np.linalg.norm(normals, axis=1)
    return from_planes(normals / lengths[:, None], np.array([row[1] for row in rows]) / lengths, [len(rows)])


def directed_edges(solid: Polygons) -> list[tuple[int, int]]:
    edges = []
    for face in range(len(solid.first_corner) - 1):
        ring = solid.corners[solid.first_corner[face] : solid.first_corner[face + 1]].tolist()
        edges += list(zip(ring, ring[1:] + ring[:1], strict=True))
    return edges


def assert_solid(solid: Polygons, normals: np.ndarray, dists: np.ndarray) -> None:
    """Every edge lies between two faces, corners on their planes, rings counter-clockwise from outside."""
    edges = directed_edges(solid)
    assert len(edges) == len(set(edges))
    assert {(b, a) for a, b in edges} == set(edges)
    owners = solid.corner_face
    points = solid.positions[solid.corners]
    assert np.abs((points * normals[owners]).sum(axis=1) - dists[owners]).max() < 1e-2
    made, _, _ = planes(solid.positions, solid.corners, solid.first_corner)
    shown = np.diff(solid.first_corner) > 0
    assert (made * normals).sum(axis=1)[shown].min() > 0.99


def test_a_box():
    level = read(build.level([build.entity([build.brush(build.box((-8, 0, 16), (24, 4, 20)))])]))
    table, faces = level.table()
    solid = polygons(faces, table["num_faces"])
    assert solid.closed.tolist() == [True]
    assert np.diff(solid.first_corner).tolist() == [4] * 6
    assert solid.first_vertex.tolist() == [0, 8]
    assert {tuple(p) for p in solid.positions.tolist()} == {
        (x, y, z) for x in (-8, 24) for y in (0, 4) for z in (16, 20)
    }
    assert_solid(solid, faces["normal"], faces["dist"])
    top = solid.positions[solid.corners[8:12]]
    assert top[:, 1].tolist() == [4] * 4  # face 2: +y


def test_corners_where_more_than_three_planes_meet():
    pyramid = polygons_of(
        ((0, -1, 0), 0), ((1, 1, 0), 10), ((-1, 1, 0), 10), ((0, 1, 1), 10), ((0, 1, -1), 10)
    )  # fmt: skip
    assert pyramid.closed.all()
    assert len(pyramid.positions) == 5
    assert sorted(np.diff(pyramid.first_corner).tolist()) == [3, 3, 3, 3, 4]
    angles = np.arange(16) * np.pi / 8
    sides = [((np.cos(a), 0.25, np.sin(a)), 40) for a in angles]  # a cone of 16 sides, all through one point
    cone = polygons_of(*sides, ((0, -1, 0), 0))
    assert cone.closed.all()
    assert len(cone.positions) == 17
    assert np.diff(cone.first_corner).tolist() == [3] * 16 + [16]


def test_faces_that_bound_nothing_have_no_corners():
    solid = polygons_of(*zip(BOX.tolist(), [8] * 6, strict=True), ((1, 1, 0), 100), ((0, 0, 1), 9))
    assert solid.closed.all()
    assert np.diff(solid.first_corner).tolist() == [4] * 6 + [0, 0]


def test_of_a_plane_that_is_there_twice_the_first_one_counts():
    solid = polygons_of(*zip([*BOX.tolist(), *BOX[:2].tolist()], [8] * 8, strict=True))
    assert solid.closed.all()
    assert np.diff(solid.first_corner).tolist() == [4] * 6 + [0, 0]
    assert np.abs(solid.positions).tolist() == [[8, 8, 8]] * 8


def test_slightly_bent_faces_stay_two():
    tilt = 0.004
    solid = polygons_of(
        ((1, tilt, 0), 64), ((1, -tilt, 0), 64), *zip(BOX[1:].tolist(), [64, 64, 64, 64, 64], strict=True)
    )
    assert solid.closed.all()
    assert np.diff(solid.first_corner).tolist() == [4, 4, 4, 4, 4, 5, 5]
    assert len(solid.positions) == 10


def test_a_sliver_that_does_not_close_survives():
    data = build.room(build.model(brushes=[build.brush(build.sliver())]))
    level = read(data)
    table, faces = level.table()
    solid = polygons(faces, table["num_faces"])
    assert solid.closed.tolist() == [True] * 6 + [False]
    assert np.diff(solid.first_corner)[-6:-4].tolist() == [4, 4]
    flat = solid.positions[solid.first_vertex[6] :]
    assert np.abs(flat[:, [0, 2]]).max() == pytest.approx(32, abs=0.02)
    assert flat[:, 1] == pytest.approx(64, abs=0.02)
    assert write(level) == data


def test_an_unclosed_brush_among_others():
    boxes = [(normal, 8.0) for normal in BOX.tolist()]
    thin = [((0.0, 1.0, 0.0), 8.0), ((0.0, -1.0, 0.0), -8.004), *(boxes[number] for number in (0, 1, 4, 5))]
    rows = [*boxes, *thin, *boxes[:5], *boxes]
    normals, dists = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    solid = from_planes(normals, dists, [6, 6, 5, 6])
    assert solid.closed.tolist() == [True, False, False, True]
    assert np.diff(solid.first_vertex)[[0, 3]].tolist() == [8, 8]
    open_corners = np.diff(solid.first_corner)[12:17]
    assert (open_corners == 4).all()  # without its last side, it goes on to the end of the world
    assert np.abs(solid.positions[solid.first_vertex[2] : solid.first_vertex[3]]).max() > 15192
    assert np.isfinite(solid.positions).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf, 0.0])
def test_planes_that_are_none(bad):
    faces = np.frombuffer(bytearray(b"".join(build.box())), FACE)
    faces["normal"][0] = bad
    solid = polygons(faces, [6])
    assert solid.closed.tolist() == [False]
    faces["normal"][0] = (1, 0, 0)
    faces["dist"][0] = bad or np.nan
    solid = polygons(faces, [6])
    assert solid.closed.tolist() == [False]
    assert np.isfinite(solid.positions).all()


def test_lengths_of_normals_do_not_matter_but_dist_does():
    faces = np.frombuffer(bytearray(b"".join(build.box())), FACE)
    faces["normal"] *= 3
    assert {tuple(p) for p in np.abs(polygons(faces, [6]).positions)} == {(64, 64, 64)}


def test_nothing_and_little():
    for counts in ([], [0], [0, 3, 0]):
        total = sum(counts)
        solid = from_planes(BOX[:total], np.ones(total), counts)
        assert len(solid.first_vertex) == len(counts) + 1
        assert len(solid.first_corner) == total + 1
        assert not solid.closed.any()
    inside_out = from_planes(-BOX, -np.full(6, 8.0), [6])
    assert not inside_out.closed.any()
    assert len(inside_out.corners) == 0


vectors = st.tuples(*[st.integers(-9, 9)] * 3).filter(any)


@given(st.lists(st.tuples(vectors, st.integers(8, 60)), max_size=10), st.integers(0, 100))
@examples.at_most(200)
def test_any_box_with_its_corners_cut_off_is_solid(cuts, offset):
    normals = np.concatenate([BOX, np.array([cut[0] for cut in cuts], float).reshape(-1, 3)])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    dists = np.array([64.0] * 6 + [cut[1] for cut in cuts]) + normals @ np.full(3, float(offset))
    solid = from_planes(normals, dists, [len(dists)])
    if solid.closed.all():
        assert_solid(solid, normals, dists)
        faces = (np.diff(solid.first_corner) > 0).sum()
        assert len(solid.positions) - len(solid.corners) / 2 + faces == 2
    else:  # only where two planes are one, or a third passes through an edge
        assert len(cuts) > 0
        assert np.isfinite(solid.positions).all()


def test_planes_of_polygons():
    solid = polygons_of(*zip(BOX.tolist(), [8, 8, 8, 8, 8, 8.25], strict=True))
    normals, dists, off = planes(solid.positions, solid.corners, solid.first_corner)
    assert normals.tolist() == BOX.tolist()
    assert dists.tolist() == [8, 8, 8, 8, 8, 8.25]
    assert off.max() == 0
    bent = np.array([[0, 0, 0], [8, 0, 0], [8, 1, -8], [0, 0, -8]], float)
    normals, dists, off = planes(bent, np.arange(4), np.array([0, 0, 4]))
    assert normals[0].tolist() == [0, 0, 0]
    assert normals[1, 1] > 0.9
    assert off[1] > 0.1
    assert planes(np.empty((0, 3)), np.empty(0, int), np.array([0]))[0].shape == (0, 3)


def test_many_brushes_at_once():
    rng = np.random.default_rng(3)
    count = 20_000
    centres, halves = rng.integers(-10_000, 10_000, (count, 3)), rng.integers(4, 64, (count, 3))
    dists = np.stack([halves + centres, halves - centres], axis=2).reshape(-1).astype(float)
    solid = from_planes(np.tile(BOX, (count, 1)), dists, np.full(count, 6))
    assert solid.closed.all()
    assert (np.diff(solid.first_vertex) == 8).all()
    assert (solid.positions == np.round(solid.positions)).all()
