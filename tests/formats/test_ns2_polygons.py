# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces with holes as polygons that Blender can hold, and back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.ns2 import read
from formats.ns2.joining import joined
from formats.ns2.normals import face_normals
from formats.ns2.polygons import Fault, polygons
from formats.ns2.triangulation import triangulate
from tests import examples
from tests.formats.ns2_shapes import area, faces_of, inside, random_faces


def square(size, center=(0.0, 0.0), turn=1):
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], float)[::turn] * size + center
    return np.concatenate([corners, np.zeros((4, 1))], axis=1)


def rings_of(result, corners):
    """The vertices of each polygon."""
    return [corners[result.members[a:b]].tolist() for a, b in zip(result.starts[:-1], result.starts[1:], strict=True)]


def edges_of(result, corners):
    """Edges as Blender would number them: the number of each corner's, and which are bridges."""
    vertices = corners[result.members]
    after = np.arange(1, len(vertices) + 1)
    after[result.starts[1:] - 1] = result.starts[:-1]
    keys = np.sort(np.stack([vertices, vertices[after]], axis=1), axis=1)
    names, edges = np.unique(keys, axis=0, return_inverse=True)
    marked = np.zeros(len(names), bool)
    marked[edges.reshape(-1)[result.bridges]] = True
    return vertices, edges.reshape(-1), marked


def rejoined(faces, result):
    vertices, edges, marked = edges_of(result, faces.corners)
    return joined(faces.positions, vertices, edges, result.starts, result.faces, marked), vertices


def turned(loop):
    """A loop from its smallest number on."""
    loop = list(loop)
    at = loop.index(min(loop))
    return loop[at:] + loop[:at]


# ------------------------------------------------------------------------------------------------------------- cutting


def test_a_simple_face_is_its_own_polygon():
    faces = faces_of([[square(2)], [square(1, (9, 9))[:3]]])
    result = polygons(*faces.arrays)
    assert rings_of(result, faces.corners) == [[0, 1, 2, 3], [4, 5, 6]]
    assert not result.bridges.any()
    assert result.faces.tolist() == [0, 1]
    assert result.faults.tolist() == [Fault.NONE, Fault.NONE]


def test_one_hole_takes_two_bridges():
    faces = faces_of([[square(4), square(1, turn=-1)]])
    result = polygons(*faces.arrays)
    rings = rings_of(result, faces.corners)
    assert len(rings) == 2
    assert sorted(rings[0] + rings[1]) == sorted([*range(8), *(set(rings[0]) & set(rings[1]))])
    assert result.bridges.sum() == 4  # two, seen from both sides
    flat = [faces.positions[ring][:, :2].astype(float) for ring in rings]
    assert sum(map(area, flat)) == pytest.approx(64 - 4)
    assert all(area(ring) > 0 for ring in flat)


def test_members_that_are_no_bridge_name_their_own_edge():
    faces = faces_of([[square(4), square(1, turn=-1)]])
    result = polygons(*faces.arrays)
    real = result.members[~result.bridges]
    assert sorted(real.tolist()) == list(range(8))


def test_degenerate_members_are_left_out():
    """A member whose edge has no length: the corner is there once."""
    faces = faces_of([[square(2)]])
    corners = np.array([0, 1, 1, 2, 3])
    result = polygons(faces.positions, corners, np.array([0, 1]), np.array([0, 5]))
    assert rings_of(result, corners) == [[0, 1, 2, 3]]
    assert result.members.tolist() == [0, 2, 3, 4]


def test_a_face_that_touches_itself_is_cut_where_it_does():
    points = np.array([(0, 0, 0), (2, -1, 0), (2, 1, 0), (-2, 1, 0), (-2, -1, 0)], float)
    corners = np.array([0, 1, 2, 0, 3, 4])
    result = polygons(points, corners, np.array([0, 1]), np.array([0, 6]))
    assert sorted(turned(ring) for ring in rings_of(result, corners)) == [[0, 1, 2], [0, 3, 4]]
    assert result.faults.tolist() == [Fault.NONE]


def test_spikes_are_left_out():
    points = np.concatenate([square(2), [(5, 5, 0)]])
    corners = np.array([0, 1, 2, 4, 2, 3])
    result = polygons(points, corners, np.array([0, 1]), np.array([0, 6]))
    assert rings_of(result, corners) == [[0, 1, 2, 3]]
    assert result.members.tolist() == [0, 1, 4, 5]
    assert result.faults.tolist() == [Fault.PARTLY]


def test_a_loop_that_turns_in_at_a_corner_has_a_hole_there():
    points = np.concatenate([square(4), [(0, -1, 0), (1, 1, 0)]])
    corners = np.array([0, 5, 4, 0, 1, 2, 3])  # at the first corner round a small triangle, to the right
    result = polygons(points, corners, np.array([0, 1]), np.array([0, 7]))
    rings = rings_of(result, corners)
    assert result.faults.tolist() == [Fault.NONE]
    assert {vertex for ring in rings for vertex in ring} == set(range(6))
    wanted = area(points[corners][:, :2])
    assert sum(area(points[ring][:, :2]) for ring in rings) == pytest.approx(wanted)


def test_a_hole_may_touch_its_border():
    border, hole = square(4), square(1, (3, 0), -1)
    points = np.concatenate([border, hole])
    points[[5, 6]] = [(4, 4, 0), (2, -1, 0)]  # the hole's second corner is the border's third
    corners = np.array([0, 1, 2, 3, 4, 2, 6, 7])
    result = polygons(points, corners, np.array([0, 2]), np.array([0, 4, 8]))
    assert result.faults.tolist() == [Fault.NONE]
    for ring in rings_of(result, corners):
        assert len(set(ring)) == len(ring) >= 3


@pytest.mark.parametrize(
    ("corners", "loops", "ends", "fault"),
    [
        ([0, 1, 2, 3], [0, 4], [1, 2, 3, 1], Fault.UNCHAINED),
        ([0, 1], [0, 2], None, Fault.TOO_FEW),
        ([0, 0, 1, 1], [0, 4], None, Fault.TOO_FEW),
        ([], [0, 0], None, Fault.TOO_FEW),
        ([0, 1, 2, 1], [0, 4], None, Fault.TANGLED),
    ],
)
def test_faces_that_cannot_be_shown_are_told(corners, loops, ends, fault):
    points = square(2)
    result = polygons(
        points, np.array(corners, int), np.array([0, 1]), np.array(loops), None if ends is None else np.array(ends)
    )
    assert result.faults.tolist() == [fault]
    assert len(result.faces) == 0
    assert result.starts.tolist() == [0]


def test_of_twins_the_first_is_shown():
    corners = np.array([0, 1, 2, 3, 2, 1, 0, 3, 0, 1, 2])
    result = polygons(square(2), corners, np.arange(4), np.array([0, 4, 8, 11]))
    assert result.faults.tolist() == [Fault.NONE, Fault.TWIN, Fault.NONE]
    assert result.faces.tolist() == [0, 2]


def test_holes_without_an_area_are_left_out():
    faces = faces_of([[square(4), square(1, turn=-1)[:2]]])
    result = polygons(*faces.arrays)
    assert result.faults.tolist() == [Fault.PARTLY]
    assert rings_of(result, faces.corners) == [[0, 1, 2, 3]]


def test_a_face_too_large_to_cut_is_told():
    angles = np.arange(2100) * 2 * np.pi / 2100
    border = np.stack([np.cos(angles) * 50, np.sin(angles) * 50, angles * 0], axis=1)
    faces = faces_of([[border], [border + np.array((0, 0, 1)), square(1, turn=-1)]])
    result = polygons(*faces.arrays)
    assert result.faults.tolist() == [Fault.NONE, Fault.TOO_LARGE]
    assert np.diff(result.starts).tolist() == [2100]


@examples.at_most(60)
@given(random_faces())
def test_polygons_are_simple_and_cover_their_face(made):
    faces, flats = made
    result = polygons(*faces.arrays)
    assert (result.faults == Fault.NONE).all()
    rings = rings_of(result, faces.corners)
    for face, loops in enumerate(flats):
        first = faces.loop_members[faces.face_loops[face]]
        points = np.concatenate(loops)
        own = [np.array(ring) - first for ring, of in zip(rings, result.faces, strict=True) if of == face]
        assert len(own) == 1 if len(loops) == 1 else len(own) >= 2
        areas = np.array([area(points[ring]) for ring in own])
        assert (areas > 0).all() or (areas < 0).all()
        assert abs(areas.sum()) == pytest.approx(sum(map(area, loops)), rel=1e-6)
        assert set(np.concatenate(own).tolist()) == set(range(len(points)))
        for ring in own:
            assert len(set(ring.tolist())) == len(ring)
            # No edge of a polygon leaves the face.
            following = np.roll(points[ring], -1, axis=0)
            middles = (points[ring] + following) / 2
            across = (following - points[ring])[:, ::-1] * (-1, 1) * 1e-6 * np.sign(areas[0])
            assert inside(middles + across, loops).all()


# ------------------------------------------------------------------------------------------------------------- joining


@examples.at_most(60)
@given(random_faces())
def test_marked_edges_open_again(made):
    faces, flats = made
    result = polygons(*faces.arrays)
    back, vertices = rejoined(faces, result)
    assert len(back.face_loops) - 1 == len(flats)
    for face in range(len(flats)):
        ours = [
            turned(vertices[back.corners[back.loop_corners[loop] : back.loop_corners[loop + 1]]].tolist())
            for loop in range(back.face_loops[face], back.face_loops[face + 1])
        ]
        theirs = [
            list(range(faces.loop_members[loop], faces.loop_members[loop + 1]))
            for loop in range(faces.face_loops[face], faces.face_loops[face + 1])
        ]
        assert ours[0] == theirs[0]
        assert sorted(ours) == sorted(theirs)


def two_quads(owners, marks):
    """Two quads that share the edge 1-2."""
    positions = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, 0), (2, 1, 0)], float)
    vertices = np.array([0, 1, 2, 3, 1, 4, 5, 2])
    edges = np.array([0, 1, 2, 3, 4, 5, 6, 1])
    marked = np.zeros(7, bool)
    marked[marks] = True
    return joined(positions, vertices, edges, np.array([0, 4, 8]), np.array(owners), marked)


def test_only_marked_edges_of_one_face_are_opened():
    one = two_quads([5, 5], [1])
    assert one.face_loops.tolist() == [0, 1]
    assert one.corners.tolist() == [0, 4, 5, 6, 2, 3]
    assert one.polygon_faces.tolist() == [0, 0]
    for owners, marks in (([5, 5], []), ([5, 6], [1]), ([-1, -1], [1]), ([5, 5], [0, 2])):
        two = two_quads(owners, marks)
        assert two.face_loops.tolist() == [0, 1, 2]
        assert two.corners.tolist() == list(range(8))
        assert two.polygon_faces.tolist() == [0, 1]


def test_a_cut_through_a_holed_face_stays():
    """One of two bridges was unmarked: the polygons still hang together by the other and the cut is a slit."""
    faces = faces_of([[square(4), square(1, turn=-1)]])
    result = polygons(*faces.arrays)
    vertices, edges, marked = edges_of(result, faces.corners)
    marked[np.flatnonzero(marked)[0]] = False
    back = joined(faces.positions, vertices, edges, result.starts, result.faces, marked)
    assert back.face_loops.tolist() == [0, 1]
    assert len(back.corners) == 10  # border, hole, and the bridge's two ends again
    marked[:] = False
    assert len(joined(faces.positions, vertices, edges, result.starts, result.faces, marked).face_loops) == 3


def test_what_would_be_no_face_stays_apart():
    """A box of which all edges are marked has no border; a tube's two borders are not a border and a hole."""
    corners = np.array([(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (1, 5, 7, 3), (3, 7, 6, 2), (2, 6, 4, 0)])
    points = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    for faces in (corners, corners[2:]):
        vertices = faces.ravel()
        following = np.roll(faces, -1, axis=1).ravel()
        keys = np.sort(np.stack([vertices, following], axis=1), axis=1)
        edges = np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1)
        count = len(faces)
        marked = np.ones(edges.max() + 1, bool)
        back = joined(points, vertices, edges, 4 * np.arange(count + 1), np.zeros(count, int), marked)
        assert back.polygon_faces.tolist() == list(range(count))
        assert np.array_equal(back.corners, np.arange(4 * count))


@examples.at_most(150)
@given(st.integers(0, 2**32 - 1))
def test_damaged_arrays_end_in_an_answer(seed):
    """Random corners, random marks: whatever comes out, each corner of what stays is there once."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 9, 12)
    corners = rng.integers(0, 14, sizes.sum())
    loops = np.concatenate([[0], np.cumsum(sizes)])
    face_loops = np.array([0, 1, 3, 4, 7, 8, 9, 12])
    points = rng.choice([0, 1, 2, np.nan, np.inf, 3e38], (14, 3), p=[0.3, 0.3, 0.3, 0.03, 0.04, 0.03])
    triangles, starts = triangulate(points, corners, face_loops, loops)
    assert len(triangles) == starts[-1]
    assert face_normals(points, corners, face_loops, loops).shape == (7, 3)
    result = polygons(points, corners, face_loops, loops)
    for ring in rings_of(result, corners):
        assert len(set(ring)) == len(ring) >= 3
    shown = np.isin(result.faults, (Fault.NONE, Fault.PARTLY))
    assert set(result.faces.tolist()) == set(np.flatnonzero(shown).tolist())
    vertices = corners[result.members]
    edges = rng.integers(0, 9, len(vertices))
    back = joined(points, vertices, edges, result.starts, result.faces % 2, np.ones(9, bool))
    assert len(set(back.corners.tolist())) == len(back.corners) <= len(vertices)


# --------------------------------------------------------------------------------------------------------- real levels


def test_all_faces_of_real_levels_are_shown_or_told(corpus):
    faults = np.zeros(len(Fault), int)
    holed = pieces = 0
    for path in sorted((corpus / "ns2").glob("*/*.level")):
        data = path.read_bytes()
        if len(data) <= 5:
            continue
        mesh = read(data).mesh
        corners, faces = mesh.corners, mesh.faces
        result = polygons(mesh.positions, corners, faces.face_loops, faces.loop_members, mesh.ends)
        faults += np.bincount(result.faults, minlength=len(Fault))
        vertices = corners[result.members]
        owners = np.repeat(np.arange(len(result.faces)), np.diff(result.starts))
        keys = owners * len(mesh.positions) + vertices
        assert len(np.unique(keys)) == len(keys)
        assert (np.diff(result.starts) >= 3).all()
        # Every vertex of a face that is shown is a corner of its polygons.
        whole = result.faults == Fault.NONE
        members = faces.loop_faces[faces.member_loops]
        wanted = np.unique((members * len(mesh.positions) + corners)[whole[members]])
        of = result.faces[owners]
        assert np.array_equal(wanted, np.unique((of * len(mesh.positions) + vertices)[whole[of]]))
        holes = np.diff(faces.face_loops) > 1
        assert result.faults[holes].max(initial=0) == Fault.NONE
        holed += np.count_nonzero(holes)
        pieces += np.count_nonzero(holes[result.faces])
    assert faults.sum() == 101_626
    assert faults[Fault.NONE] == 101_162
    assert (faults[Fault.TANGLED], faults[Fault.PARTLY], faults[Fault.TOO_LARGE]) == (9, 6, 0)
    assert holed == 425
    assert pieces < 2.5 * holed


def test_where_holes_touch_the_border_each_corner_has_the_member_that_ends_right():
    """Two members start at a vertex that border and hole share; where a corner has neither's end, it is on a bridge."""
    loops = [[0, 1, 2, 3, 4, 5, 6, 7], [3, 6, 8, 9], [2, 1, 0, 7]]
    corners = np.concatenate(loops)
    ends = np.concatenate([np.roll(loop, -1) for loop in loops])
    rng = np.random.default_rng(0)
    shown = 0
    for _ in range(100):  # of half of them, some corners would be wrong without a second look
        positions = np.zeros((10, 3))
        positions[:, [0, 2]] = rng.integers(0, 7, (10, 2))
        result = polygons(positions, corners, np.array([0, 3]), np.array([0, 8, 12, 16]), ends)
        after = np.arange(1, len(result.members) + 1)
        after[result.starts[1:] - 1] = result.starts[:-1]
        following = corners[result.members][after]
        assert ((ends[result.members] == following) | result.bridges).all()
        shown += len(result.faces) > 0
    assert shown > 16


# ---------------------------------------------------------------------------------------------------------------- many


@pytest.mark.slow
def test_a_million_corners_at_once():
    """225,000 quads and 8,000 faces with a hole."""
    quads = np.arange(900_000).reshape(-1, 4)
    holed = 900_000 + np.arange(8 * 8000).reshape(-1, 8)
    place = np.arange(len(quads) + len(holed))
    center = np.stack([place % 500 * 10.0, place // 500 * 10.0, np.zeros(len(place))], axis=1)
    border, hole = square(4), square(1, turn=-1)
    positions = np.concatenate(
        [
            (center[: len(quads), None] + border).reshape(-1, 3),
            (center[len(quads) :, None] + np.concatenate([border, hole])).reshape(-1, 3),
        ]
    ).astype(np.float32)
    corners = np.concatenate([quads.ravel(), holed.ravel()])
    face_loops = np.concatenate([np.arange(len(quads)), len(quads) + 2 * np.arange(len(holed) + 1)])
    loops = 4 * np.arange(face_loops[-1] + 1)
    result = polygons(positions, corners, face_loops, loops)
    assert len(result.faces) == len(quads) + 2 * len(holed)
    vertices, edges, marked = edges_of(result, corners)
    back = joined(positions, vertices, edges, result.starts, result.faces, marked)
    assert np.array_equal(np.diff(back.face_loops), np.diff(face_loops))
