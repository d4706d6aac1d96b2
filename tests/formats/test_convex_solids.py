# SPDX-License-Identifier: GPL-3.0-or-later
"""What a brush can be made of: shells, flatness, convexity, and cutting apart; arrays only, no Blender data."""

import itertools

import numpy as np
import pytest

from formats import convex, convex_solids, surfaces
from formats.surfaces import SurfaceError


def box(low, high):
    """Vertices and faces of an axis-aligned box, counter-clockwise seen from outside."""
    ends = (low, high)
    positions = [[ends[n >> k & 1][k] for k in range(3)] for n in range(8)]
    faces = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]]
    return positions, faces


def prism(outline, height=10.0):
    """An upright prism over an outline that is counter-clockwise seen from above (+z)."""
    count = len(outline)
    positions = [[x, y, z] for z in (0.0, height) for x, y in outline]
    walls = [[n, (n + 1) % count, count + (n + 1) % count, count + n] for n in range(count)]
    return positions, [list(range(count))[::-1], list(range(count, 2 * count)), *walls]


def surface(*shapes):
    """Several shapes as one surface, each with vertices of its own."""
    positions, corners, starts = [], [], [0]
    for points, faces in shapes:
        for face in faces:
            corners += [len(positions) + one for one in face]
            starts.append(len(corners))
        positions += points
    return surfaces.surface(positions, corners, starts)


def volume(solid):
    """The volume inside the planes of a solid, by its polygons."""
    found = convex.from_planes(
        np.array([side.normal for side in solid]), np.array([side.dist for side in solid]), [len(solid)]
    )
    assert found.closed.all()
    total = 0.0
    for face in range(len(solid)):
        ring = found.positions[found.corners[found.first_corner[face] : found.first_corner[face + 1]]]
        assert len(ring) > 2, "every side bounds the solid"
        for one, other in itertools.pairwise(ring[1:]):
            total += np.dot(ring[0], np.cross(one, other)) / 6
    return total


def apart(solid, other):
    """Whether a plane of one of two solids lies between them (enough for the solids of these tests)."""
    corners = [
        convex.from_planes(np.array([s.normal for s in one]), np.array([s.dist for s in one]), [len(one)]).positions
        for one in (solid, other)
    ]
    return any(
        (points @ side.normal >= side.dist - 0.02).all()
        for sides, points in ((solid, corners[1]), (other, corners[0]))
        for side in sides
    )


def test_a_box_has_six_sides_in_the_order_of_its_faces():
    (solid,) = convex_solids.solids(surface(box((0, 0, 0), (64, 32, 16))))
    assert [side.faces for side in solid] == [[0], [1], [2], [3], [4], [5]]
    assert [side.dist for side in solid] == [0, 64, 0, 32, 0, 16]
    assert not any(side.inside for side in solid)
    np.testing.assert_array_equal(solid[1].normal, (1, 0, 0))


def test_faces_in_one_plane_are_one_side():
    positions, faces = box((0, 0, 0), (64, 32, 16))
    positions += [[32, 0, 0], [32, 0, 16]]  # cut down the middle of the side at y = 0
    faces[2] = [0, 8, 9, 4]
    faces[4:] = [[0, 2, 3, 1, 8], [4, 9, 5, 7, 6], [8, 1, 5, 9]]
    (solid,) = convex_solids.solids(surface((positions, faces)))
    assert sorted(len(side.faces) for side in solid) == [1, 1, 1, 1, 1, 2]


def test_a_known_plane_goes_before_that_of_a_larger_face():
    of = surface(box((0, 0, 0), (64, 32, 16)))
    of.known[3] = True
    of.dists[3] = np.float32(32.001)
    (solid,) = convex_solids.solids(of)
    assert solid[3].dist == np.float32(32.001)


def test_each_shell_is_a_solid_also_where_they_touch():
    found = convex_solids.solids(surface(box((0, 0, 0), (1, 1, 1)), box((1, 0, 0), (2, 1, 1))))
    assert [sorted(face for side in solid for face in side.faces) for solid in found] == [[*range(6)], [*range(6, 12)]]


def test_faces_that_share_places_but_no_vertices_are_one_shell():
    positions, faces = box((0, 0, 0), (8, 8, 8))
    loose = [positions[one] for face in faces for one in face]
    (solid,) = convex_solids.solids(surface((loose, np.arange(24).reshape(6, 4).tolist())))
    assert volume(solid) == pytest.approx(512)


@pytest.mark.parametrize("split", [False, True])
def test_a_hole_is_refused_with_the_faces_round_it(split):
    positions, faces = box((0, 0, 0), (8, 8, 8))
    with pytest.raises(SurfaceError, match="open") as caught:
        convex_solids.solids(surface((positions, faces[1:])), split)
    assert caught.value.faces.tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("split", [False, True])
def test_faces_that_point_inwards_are_refused(split):
    positions, faces = box((0, 0, 0), (8, 8, 8))
    with pytest.raises(SurfaceError, match="inwards"):
        convex_solids.solids(surface((positions, [face[::-1] for face in faces])), split)


@pytest.mark.parametrize("split", [False, True])
def test_nothing_and_no_volume_are_refused(split):
    with pytest.raises(SurfaceError, match="no faces"):
        convex_solids.solids(surface(), split)
    with pytest.raises(SurfaceError, match="encloses nothing"):
        convex_solids.solids(surface(([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2], [2, 1, 0]])), split)


L_SHAPE = [(0, 0), (30, 0), (30, 10), (10, 10), (10, 40), (0, 40)]
STAR = [(np.cos(a) * r, np.sin(a) * r) for n, a in enumerate(np.arange(10) * np.pi / 5) for r in [100 if n % 2 else 40]]
COMB = [
    (0, 0),
    (90, 0),
    (90, 50),
    (70, 50),
    (70, 20),
    (50, 20),
    (50, 50),
    (40, 50),
    (40, 20),
    (20, 20),
    (20, 50),
    (0, 50),
]


def area(outline):
    return sum(x * v - u * y for (x, y), (u, v) in zip(outline, [*outline[1:], outline[0]], strict=True)) / 2


@pytest.mark.parametrize("outline", [L_SHAPE, STAR, COMB], ids=["L", "star", "comb"])
def test_concave_prisms_are_refused_or_cut_into_convex_parts(outline):
    of = surface(prism(outline))
    with pytest.raises(SurfaceError, match="concave"):
        convex_solids.solids(of)
    found = convex_solids.solids(of, split=True)
    assert 2 <= len(found) <= len(outline)
    assert sum(map(volume, found)) == pytest.approx(10 * area(outline), rel=1e-6)
    assert all(apart(*pair) for pair in itertools.combinations(found, 2))
    outer = {face for solid in found for side in solid if not side.inside for face in side.faces}
    assert outer == set(range(len(outline) + 2)), "every face shows on some part"
    assert any(side.inside for solid in found for side in solid)
    for solid in found:
        assert [side.inside for side in solid] == sorted(side.inside for side in solid), "cuts come last"


def test_an_l_is_two_boxes():
    assert len(convex_solids.solids(surface(prism(L_SHAPE)), split=True)) == 2


def test_a_cavity_is_cut_open_or_refused():
    outer, faces = box((0, 0, 0), (30, 30, 30))
    inner, _ = box((10, 10, 10), (20, 20, 20))
    of = surface((outer, faces), (inner, [face[::-1] for face in faces]))
    with pytest.raises(SurfaceError, match="inwards") as caught:
        convex_solids.solids(of)
    assert caught.value.faces.tolist() == [6, 7, 8, 9, 10, 11]
    found = convex_solids.solids(of, split=True)
    assert sum(map(volume, found)) == pytest.approx(27000 - 1000)
    assert all(apart(*pair) for pair in itertools.combinations(found, 2))


def test_a_corner_pulled_out_bends_three_faces_which_become_triangles():
    positions, faces = box((0, 0, 0), (10, 10, 10))
    positions[7] = [14, 13, 12]
    of = surface((positions, faces))
    with pytest.raises(SurfaceError, match="3 faces are not flat") as caught:
        convex_solids.solids(of)
    assert caught.value.faces.tolist() == [1, 3, 5]
    found = convex_solids.solids(of, split=True)
    (whole,) = found
    assert all(np.all(np.array(positions) @ side.normal <= side.dist + 1e-6) for side in whole)
    assert len(whole) == 9


def test_a_dent_is_cut_into_convex_parts():
    positions, faces = box((0, 0, 0), (10, 10, 10))
    positions[7] = [6, 6, 6]
    found = convex_solids.solids(surface((positions, faces)), split=True)
    assert len(found) > 1
    assert all(apart(*pair) for pair in itertools.combinations(found, 2))


def test_corners_that_each_face_has_rounded_by_itself_close_the_surface():
    """As the Genesis editor writes them: rock13.002 of genvs2.3dt has its corners up to 0.003 units apart."""
    positions, faces = box((-3000, -1500, 20), (800, 300, 900))
    apart_by = np.random.default_rng(7).uniform(-0.0015, 0.0015, (24, 3))
    corners = np.array(positions, np.float64)[np.concatenate(faces)] + apart_by
    own = [list(range(4 * face, 4 * face + 4)) for face in range(6)]
    (whole,) = convex_solids.solids(surface((corners.tolist(), own)))
    assert len(whole) == 6
    moved = np.where(np.arange(24)[:, None] == 0, corners + 0.1, corners).tolist()
    with pytest.raises(SurfaceError, match="it is open: 3 faces"):
        convex_solids.solids(surface((moved, own)))


def test_places_are_near_across_the_borders_of_cells():
    random = np.random.default_rng(3)
    places = random.integers(-500, 500, (200, 3)).astype(np.float64)
    points = np.concatenate([places + random.uniform(-1, 1, (200, 3)) * surfaces.NEAR / 4 for _ in range(4)])
    labels = surfaces.near_places(points)
    distinct = np.unique(places, axis=0, return_inverse=True)[1].reshape(-1)
    assert [len(set(labels[np.tile(distinct, 4) == place].tolist())) for place in range(distinct.max() + 1)] == [1] * (
        distinct.max() + 1
    )
    assert len(np.unique(labels)) == distinct.max() + 1


def test_a_torus_is_cut_into_convex_parts():
    ring, tube = 12, 6
    positions = [
        [(50 + 15 * np.cos(b)) * np.cos(a), (50 + 15 * np.cos(b)) * np.sin(a), 15 * np.sin(b)]
        for a in np.arange(ring) * 2 * np.pi / ring
        for b in np.arange(tube) * 2 * np.pi / tube
    ]
    faces = [
        [n * tube + k, (n + 1) % ring * tube + k, (n + 1) % ring * tube + (k + 1) % tube, n * tube + (k + 1) % tube]
        for n in range(ring)
        for k in range(tube)
    ]
    of = surface((positions, faces))
    rings = [of.ring(face) for face in range(len(faces))]
    whole = sum(np.dot(ring[0], np.cross(ring[k], ring[k + 1])) for ring in rings for k in (1, 2)) / 6
    found = convex_solids.solids(of, split=True)
    assert sum(map(volume, found)) == pytest.approx(whole, rel=1e-3)


def test_a_surface_that_crosses_itself_has_no_parts():
    with pytest.raises(SurfaceError, match="crosses itself"):
        convex_solids.solids(surface(prism([(0, 0), (20, 0), (20, 20), (10, -10), (0, 20)])), split=True)
