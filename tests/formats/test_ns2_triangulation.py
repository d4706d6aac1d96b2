# SPDX-License-Identifier: GPL-3.0-or-later
"""Triangles and smoothed normals, made again as the Spark editor makes them; measured on real levels."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given

from formats.ns2 import read
from formats.ns2.ears import Rule, clip
from formats.ns2.normals import face_normals, smoothed_normals
from formats.ns2.rings import MOST_CORNERS, rings
from formats.ns2.triangulation import triangulate
from tests import examples
from tests.formats.ns2_shapes import area, faces_of, inside, planes, random_faces


def grid(width: int, height: int):
    """A plane of quads as arrays."""
    x, y = np.meshgrid(np.arange(width + 1), np.arange(height + 1))
    positions = np.stack([x.ravel(), 0.3 * np.sin(x + 2 * y).ravel(), y.ravel()], axis=1).astype(np.float32)
    first = (np.arange(height)[:, None] * (width + 1) + np.arange(width)).ravel()
    corners = first[:, None] + np.array([0, width + 1, width + 2, 1])
    count = len(first)
    return positions, corners.ravel(), np.arange(count + 1), 4 * np.arange(count + 1)


# ------------------------------------------------------------------------------------------------------------ by recipe


def test_a_square_is_cut_by_version():
    face = faces_of([[[(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]]])
    new, starts = triangulate(*face.arrays)
    assert new.tolist() == [[0, 1, 2], [0, 2, 3]]
    assert starts.tolist() == [0, 2]
    assert triangulate(*face.arrays, version=6)[0].tolist() == [[3, 0, 1], [1, 2, 3]]


def test_right_angles_go_first():
    # Corner 3 has the right angle (0); corner 1, which is asked first, has none.
    face = faces_of([[[(0, 0, 0), (3, -2, 0), (4, 2, 0), (0, 2, 0)]]])
    assert triangulate(*face.arrays)[0].tolist()[0] == [2, 3, 0]


@pytest.mark.parametrize(("axis", "up"), [(axis, up) for axis in range(3) for up in (False, True)])
def test_triangles_turn_as_their_face_does(axis, up):
    flat = np.array([(0, 0), (4, 0), (4, 1), (1, 1), (1, 3), (0, 3)], float)
    face = faces_of([[planes(axis, up)(flat)]])
    triangles, _ = triangulate(*face.arrays)
    points = face.positions[face.corners[triangles]].astype(float)
    normals = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
    assert len(triangles) == 4
    assert (normals[:, axis] > 0).all() if up else (normals[:, axis] < 0).all()
    assert np.abs(normals[:, axis]).sum() / 2 == pytest.approx(6)


def test_small_and_broken_faces_have_no_triangles():
    tiny = [(0, 0, 0), (0.01, 0, 0), (0.01, 0.01, 0), (0, 0.01, 0)]
    line = [(0, 0, 0), (1, 0, 0), (2, 0, 0)]
    two = [(0, 0, 0), (1, 0, 0)]
    bad = [(np.nan, 0, 0), (1, np.inf, 0), (2, 0, 0), (0, 1, 1)]
    many = np.stack([np.cos(np.arange(MOST_CORNERS + 1)), np.sin(np.arange(MOST_CORNERS + 1))], axis=1)
    faces = faces_of([[tiny], [line], [two], [bad], [planes(2, True)(many)], [[(0, 0, 0), (1, 0, 0), (0, 1, 0)]]])
    triangles, starts = triangulate(*faces.arrays)
    assert np.diff(starts)[[0, 1, 2, 4]].tolist() == [0, 0, 0, 0]
    assert np.diff(starts)[5] == 1
    assert len(triangles) == starts[-1]


def test_nothing_gives_nothing():
    triangles, starts = triangulate(np.zeros((0, 3)), np.zeros(0, int), np.zeros(1, int), np.zeros(1, int))
    assert triangles.shape == (0, 3)
    assert starts.tolist() == [0]


@examples.at_most(40)
@given(random_faces(holes=9))
def test_ears_that_are_cut_several_at_once_cover_the_same_area(made):
    positions, corners, face_loops, loop_members = made[0].arrays
    for batch in rings(positions.astype(np.float64), corners, face_loops, loop_members):
        covered = []
        for several in (False, True):
            triangles, owners = clip(batch.flat, batch.sizes, Rule(smallest=0, whole=True, several=several))
            assert len(triangles) == (batch.sizes - 2).sum()
            (ax, ay), (bx, by), (cx, cy) = (batch.flat[owners, triangles[:, k]].T for k in range(3))
            doubled = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
            assert (doubled > -1e-9).all(), "none is turned over"
            covered.append(np.bincount(owners, doubled))
        assert np.allclose(*covered)


@examples.at_most(60)
@given(random_faces())
def test_area_is_kept_nothing_overlaps_and_holes_stay_open(made):
    faces, flats = made
    triangles, starts = triangulate(*faces.arrays)
    for face, loops in enumerate(flats):
        first = faces.loop_members[faces.face_loops[face]]
        points = np.concatenate(loops)
        own = points[triangles[starts[face] : starts[face + 1]] - first]
        areas = np.array([area(triangle) for triangle in own])
        wanted = sum(area(loop) for loop in loops)
        # Each turns left, and together they have the face's area: two that overlapped would have more.
        assert (areas > 0).all() or (areas < 0).all()
        assert abs(areas.sum()) == pytest.approx(wanted, rel=1e-3)
        assert inside(own.mean(axis=1), loops).all()


def test_holes_in_rows_that_were_turned_leave_nothing_open_where_the_whole_face_is_wanted():
    """The editor's rounding lets triangles pass corners that are on their edges: half of the face would be open."""
    border = np.array([(3.2512, -58.5216), (-9.7536, -58.5216), (-9.7536, -71.5264), (3.2512, -71.5264)])
    hole = np.array([(0.0, 0.0), (0.0, -4.064), (-4.064, -4.064), (-4.064, 0.0)])
    corners = [(-4.8768, -59.3344), (-4.8768, -66.6496), (2.4384, -59.3344), (2.4384, -66.6496)]
    turn = np.array([[np.cos(0.5), -np.sin(0.5)], [np.sin(0.5), np.cos(0.5)]])
    place = planes(1, False)
    holed = [place(loop @ turn) for loop in (border, *(hole + np.array(corner) for corner in corners))]
    tiny = [place(border * 0.001)]
    tangled = [place(np.array([(0, 0), (2, 2), (2, 0), (0, 1)]))]
    faces = faces_of([holed, tiny, tangled])
    (some, starts), (every, all_starts) = (triangulate(*faces.arrays, whole=whole) for whole in (False, True))
    covered = [
        sum(abs(area(one)) for one in faces.positions[found][..., ::2].astype(float))
        for found in (some[: starts[1]], every[: all_starts[1]])
    ]
    wanted = abs(area(border)) - 4 * abs(area(hole))
    assert covered[0] < 0.6 * wanted
    assert covered[1] == pytest.approx(wanted, rel=1e-5)
    assert all_starts[1] == 26, "two less than the corners of the ring that runs to the holes and back"
    assert np.array_equal(some[starts[1] :], every[all_starts[1] :]), "what can't be covered is as the editor has it"


# --------------------------------------------------------------------------------------------------------- real levels


@pytest.fixture(scope="session")
def meshes(corpus):
    """Version and mesh of each real level."""
    found = []
    for path in sorted((corpus / "ns2").glob("*/*.level")):
        data = path.read_bytes()
        if len(data) > 5:
            level = read(data)
            found.append((data[3], path.name, level.mesh))
    assert len(found) == 55
    return found


def arrays(mesh):
    return mesh.positions, mesh.corners, mesh.faces.face_loops, mesh.faces.loop_members


def agreement(meshes):
    """Of distinct faces by version and kind: how many have the stored triangles, and how many there are."""
    counts, seen = Counter(), set()
    for version, _, mesh in meshes:
        positions, corners, face_loops, loop_members = arrays(mesh)
        ours, begins = triangulate(positions, corners, face_loops, loop_members, version)
        made = corners[ours]
        stored = mesh.triangles.triangles["vertices"].astype(np.intp)
        for face in range(len(face_loops) - 1):
            loops = loop_members[face_loops[face] : face_loops[face + 1] + 1]
            own = corners[loops[0] : loops[-1]]
            key = (version, positions[own].tobytes(), tuple(np.diff(loops)))
            wanted = stored[mesh.triangles.face_triangles[face] : mesh.triangles.face_triangles[face + 1]]
            if key in seen or not set(wanted.ravel().tolist()) <= set(own.tolist()):
                continue  # a face again, or one with welded or ghost vertices
            seen.add(key)
            kind = "holes" if len(loops) > 2 else "plain" if len(set(own.tolist())) == len(own) else "repeated"
            counts[version, kind, "all"] += 1
            counts[version, kind, "same"] += np.array_equal(wanted, made[begins[face] : begins[face + 1]])
    return counts


@pytest.mark.slow
def test_triangles_are_those_of_the_editor(meshes):
    """Same triangles, same order, same rotation. The rates of ns2.md §9, of 197 levels, are the floor, but for two.

    With holes in version 10 it says 96.4 % of 552 faces; of the 209 in these 30 levels 12 differ: seven in a tie's
    last bit, five are broken. In version 9 it says 98.43 %; here it is 98.39 %.
    """
    counts = agreement(meshes)

    def rate(version, kind):
        return counts[version, kind, "same"] / counts[version, kind, "all"]

    assert rate(10, "plain") >= 0.9989
    assert rate(10, "repeated") >= 0.994
    assert counts[10, "holes", "all"] > 200
    assert rate(10, "holes") >= 0.94
    assert rate(9, "plain") >= 0.983
    assert rate(7, "plain") >= 0.994
    assert rate(4, "plain") == rate(4, "holes") == 1


def test_smoothed_normals_are_those_of_the_editor(meshes):
    compared = good = files = 0
    for version, _, mesh in meshes:
        if version < 9:
            continue
        positions, corners, face_loops, loop_members = arrays(mesh)
        faces = mesh.faces.loop_faces[mesh.faces.member_loops]
        normals, which = smoothed_normals(
            face_normals(positions, corners, face_loops, loop_members),
            mesh.smooth,
            mesh.faces.members["edge"].astype(np.intp),
            corners,
            mesh.ends,
            faces,
        )
        stored = mesh.triangles.normals
        assert len(normals) == len(stored)
        if not len(stored):
            assert (which == 0).all()
            continue
        files += 1
        # What the stored triangles have at each vertex of each face.
        of = np.repeat(np.arange(len(mesh.faces)), np.diff(mesh.triangles.face_triangles))
        table = mesh.triangles.triangles
        keys = (of[:, None] * len(positions) + table["vertices"]).ravel()
        keys, first = np.unique(keys, return_index=True)
        wanted = faces * len(positions) + corners
        at = np.searchsorted(keys, wanted).clip(max=len(keys) - 1)
        hit = keys[at] == wanted
        theirs = table["normals"].ravel()[first][at[hit]]
        ours = which[hit]
        assert ((theirs == len(stored)) == (ours == len(normals))).all()
        some = theirs < len(stored)
        compared += np.count_nonzero(some)
        good += np.count_nonzero(np.abs(stored[theirs[some]] - normals[ours[some]]).max(axis=1) < 1e-3)
    assert files == 12
    assert good / compared > 0.98


def test_normals_point_to_the_visible_side(meshes):
    """ns2.md §7: smoothed normals lie on the side of the area normal."""
    for _, name, mesh in meshes:
        if name.startswith("ns2_dmd_bast.43d28afa"):
            normals = face_normals(*arrays(mesh))
            faces = np.repeat(np.arange(len(mesh.faces)), np.diff(mesh.triangles.face_triangles))
            table = mesh.triangles.triangles
            points = mesh.positions[table["vertices"].astype(np.intp)].astype(float)
            crosses = np.cross(points[:, 1] - points[:, 0], points[:, 2] - points[:, 0])
            assert ((crosses * normals[faces]).sum(axis=1) > 0).mean() > 0.999
