# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces: which polygons are faces of the map, what was edited of them, and the convex pieces that they enclose."""

import numpy as np

from formats import ranges
from formats.source import Level, LumpId, geometry
from formats.source.edits import texture_fits
from formats.source.faces import surface_edits
from formats.source.faces.surfaces import ModelFaces, Surfaces, model_faces, turns
from formats.source.placed import lit_faces, near_faces
from formats.source.shaping import convex_pieces
from tests.formats import source_room


def as_they_are(original: ModelFaces) -> Surfaces:
    """All faces of a map as polygons of one object, the world's."""
    faces = np.flatnonzero(original.drawable)
    places, starts = original.corners(faces)
    corners = original.polygons.corners[places]
    count = len(original.positions)
    return Surfaces(
        model_faces=original,
        homes=np.zeros(1, np.int64),
        twins=np.zeros(1, np.bool_),
        polygons=np.array([0, len(faces)]),
        points=np.array([0, count]),
        faces=faces,
        turns=turns(original, faces, starts, corners),
        starts=starts,
        corners=corners,
        vertices=np.arange(count),
        positions=original.positions.astype(np.float64),
    )


def the_room() -> ModelFaces:
    found = model_faces(source_room.room())
    assert found is not None
    return found


def test_faces_of_a_map_are_its_faces() -> None:
    shown = as_they_are(the_room())
    assert (shown.turns == 0).all()
    assert shown.kept.tolist() == list(range(len(shown.faces)))
    assert set(shown.owners.tolist()) == {0}
    found = surface_edits.find(shown)
    assert not len(found.faulty)
    assert not len(found.deleted)
    assert not len(found.models(shown))


def test_a_map_whose_lumps_do_not_fit_together_has_none() -> None:
    level = source_room.room()
    models = level.table(LumpId.MODELS).copy()
    models["numfaces"] += 10000
    level.set_table(LumpId.MODELS, models)
    assert model_faces(level) is None


def test_turned_polygons_are_the_same_faces_and_other_ones_are_not() -> None:
    original = the_room()
    shown = as_they_are(original)
    first, end = shown.starts[0], shown.starts[1]
    corners = shown.corners.copy()
    corners[first:end] = np.roll(corners[first:end], -1)
    assert turns(original, shown.faces, shown.starts, corners)[0] == end - first - 1
    corners[first:end] = corners[first:end][::-1]
    found = turns(original, shown.faces, shown.starts, corners)
    assert found[0] == -1
    assert (found[1:] == 0).all()


def changed(shown: Surfaces, **values: np.ndarray) -> Surfaces:
    names = [name for kind in type(shown).__mro__ for name in getattr(kind, "__slots__", ())]
    return Surfaces(**({name: getattr(shown, name) for name in names} | values))


def test_what_was_edited_is_found() -> None:
    shown = as_they_are(the_room())
    vertex = int(shown.corners[0])
    positions = shown.positions.copy()
    positions[vertex] += (1, 0, 0)
    found = surface_edits.find(changed(shown, positions=positions))
    assert np.flatnonzero(found.moved).tolist() == [vertex]
    touched = [n for n in range(len(shown.faces)) if vertex in shown.corners[shown.starts[n] : shown.starts[n + 1]]]
    assert np.flatnonzero(found.reshaped).tolist() == touched
    assert found.models(shown).tolist() == [0]
    faces = shown.faces.copy()
    faces[0] = -1
    turned = np.where(faces < 0, -1, shown.turns)
    found = surface_edits.find(changed(shown, faces=faces, turns=turned))
    assert np.flatnonzero(found.new).tolist() == [0]
    assert found.deleted.tolist() == [shown.faces[0]]
    corners = shown.corners.copy()
    first, end = shown.starts[0], shown.starts[1]
    corners[first:end] = corners[first:end][::-1]
    flipped = changed(shown, corners=corners, turns=turns(shown.model_faces, shown.faces, shown.starts, corners))
    assert np.flatnonzero(surface_edits.find(flipped).torn).tolist() == [0]
    assert surface_edits.turned_over(flipped, np.array([0])).tolist() == [0]


def test_a_box_is_one_convex_piece_and_a_lone_polygon_is_none() -> None:
    corners = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], np.float64) * 64
    quads = np.array([(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])
    shown = changed(
        as_they_are(the_room()),
        polygons=np.array([0, 6]),
        points=np.array([0, 8]),
        faces=np.full(6, -1),
        turns=np.full(6, -1),
        starts=np.arange(7) * 4,
        corners=quads.reshape(-1),
        vertices=np.full(8, -1),
        positions=corners,
    )
    none = np.full(6, -1)
    parted = convex_pieces.find(shown, np.arange(6), none, none, [])
    assert not len(parted.bent)
    assert len(parted.solids) == 1
    assert sorted(parted.solids[0].sides.tolist()) == list(range(6))
    alone = convex_pieces.find(shown, np.arange(1), none[:1], none[:1], [])
    assert alone.bent.tolist() == [0]


def test_the_nearest_face() -> None:
    level: Level = source_room.room()
    polygons = geometry.polygons(level)
    normals = geometry.area_normals(polygons)
    sizes = np.diff(polygons.first_corner)
    face = int(np.flatnonzero(sizes > 2)[0])
    ring = polygons.positions[polygons.corners[ranges.flat(polygons.first_corner[[face]], sizes[[face]])]]
    unit = normals[face] / np.linalg.norm(normals[face])
    places = np.array([ring.mean(axis=0) + unit, (1e6, 1e6, 1e6)], np.float64)
    found, way, points = near_faces.nearest(polygons, normals, places)
    assert found.tolist() == [face, -1]
    assert np.allclose(way[0], unit)
    assert abs((points[0] - ring[0]) @ unit) < 1e-3


def test_uvs_are_solved_and_what_one_map_moved_shares_its_vectors() -> None:
    old = np.zeros((3, 2, 4))
    old[:, 0, 0], old[:, 1, 1] = 1.0, -1.0
    square = np.array([[0, 0, 0], [0, 64, 0], [64, 64, 0], [64, 0, 0]], np.float64)
    points = np.concatenate([square, square + np.array([64, 0, 0]), square])
    uv = np.column_stack([(points[:, 0] + 8) / 64, 1 + points[:, 1] / 64])
    uv[8:] = [[0, 0], [0, 1], [1, 3], [1, 0]]  # no flat texture
    owners = np.repeat(np.arange(3), 4)
    made = texture_fits.solve(old, points, uv, owners, np.full((3, 2), 64.0), np.array([0, 0, 1]))
    assert made.bent.tolist() == [False, False, True]
    np.testing.assert_array_equal(made.vectors[0], made.vectors[1])
    np.testing.assert_allclose(made.vectors[0], [[1, 0, 0, 8], [0, -1, 0, 0]], atol=1e-9)
    assert made.residuals[2] > 10 > texture_fits.TOLERANCE > made.residuals[:2].max()


def test_the_lit_face_beneath() -> None:
    level = source_room.room()
    lit = np.ones(len(level.table(LumpId.FACES)), np.bool_)
    faces = lit_faces.LitFaces(level, lit)
    painted = np.array([source_room.NORTH_LEFT, source_room.WEST, source_room.FLOOR_LEFT, 99])
    owner, centre = np.zeros(4, np.int64), np.array([[-100.0, 128, 64]])
    assert faces.nearest(owner, painted, centre).tolist() == [source_room.NORTH_LEFT]
    assert faces.nearest(owner[:2], np.array([source_room.FLOOR_LEFT, -1]), centre).tolist() == [-1]  # a displacement
    assert lit_faces.LitFaces(level, None).nearest(owner, painted, centre).tolist() == [-1]
    luxels, of = faces.luxels_of(np.zeros((2, 4, 3)), np.array([source_room.WEST, -1]))
    assert of.tolist() == [source_room.WEST] * 4 + [0] * 4
    assert np.isfinite(luxels[:4]).all() and np.isnan(luxels[4:]).all()
    assert ((luxels[:4] >= 0.5) & (luxels[:4] <= 1.5)).all()
