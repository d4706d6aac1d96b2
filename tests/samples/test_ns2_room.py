# SPDX-License-Identifier: GPL-3.0-or-later
"""The committed sample is what its maker makes, holds what it is for, and suits the library."""

from pathlib import Path

import numpy as np

import formats
from formats import ns2
from formats.ns2 import dds, material, model, polygons
from formats.ns2.normals import face_normals
from tests.samples import ns2_art, ns2_room


def level() -> ns2.Level:
    return ns2.read(ns2_room.LEVEL.read_bytes())


def test_the_committed_file_is_what_the_script_makes() -> None:
    assert ns2_room.LEVEL.read_bytes() == ns2_room.data()


def test_it_is_read_and_written_back() -> None:
    made = formats.read(ns2_room.LEVEL)
    assert formats.write(made) == ns2_room.LEVEL.read_bytes()
    assert formats.check(made) == []


def normals(mesh: ns2.Mesh) -> np.ndarray:
    faces = mesh.faces
    return face_normals(mesh.positions, mesh.corners, faces.face_loops, faces.loop_members)


def test_faces_have_holes_that_run_the_other_way_round() -> None:
    mesh = level().mesh
    faces = mesh.faces
    holes = np.diff(faces.face_loops) - 1
    assert sorted(holes[holes > 0].tolist()) == [1, 2, 2]
    one_by_one = face_normals(mesh.positions, mesh.corners, np.arange(len(faces.loop_members)), faces.loop_members)
    along = (one_by_one * normals(mesh)[faces.loop_faces]).sum(axis=1)
    border = np.zeros(len(along), bool)
    border[faces.face_loops[:-1]] = True
    assert (along[border] > 0.999).all()
    assert (along[~border] < -0.999).all()
    opened = polygons.polygons(mesh.positions, mesh.corners, faces.face_loops, faces.loop_members, mesh.ends)
    assert not opened.faults.any()


def test_edges_are_shared_and_those_of_the_column_smooth() -> None:
    mesh = level().mesh
    passes = np.bincount(mesh.faces.members["edge"], minlength=len(mesh.edges))
    assert set(passes.tolist()) == {1, 2}, "one: the slab's foot and the gable window"
    assert (passes == 1).sum() == 4 + 3
    smooth = mesh.edge_vertices[mesh.smooth]
    points = mesh.positions[smooth]
    assert len(smooth) == 8
    assert (points[:, 0, [0, 2]] == points[:, 1, [0, 2]]).all(), "they stand upright"
    assert mesh.triangles is not None
    assert len(mesh.triangles.normals) == 8


def test_the_column_is_seen_from_outside_and_the_room_from_inside() -> None:
    mesh = level().mesh
    material_of = mesh.faces.records["material"]
    points = mesh.positions[mesh.corners[mesh.faces.loop_members[mesh.faces.face_loops[:-1]]]]
    x, z = ns2_room.COLUMN_AT
    outward = ((points - (x, 0, z)) * normals(mesh))[:, [0, 2]].sum(axis=1)
    assert (outward[material_of == ns2_room.COLUMN] > 0).all()
    room = np.array([ns2_room.WIDTH / 2, 1.5, ns2_room.DEPTH / 2])
    assert (((room - points) * normals(mesh)).sum(axis=1)[material_of == ns2_room.WALL] > 0).all()


def test_a_mapping_group_layers_and_groups() -> None:
    made = level()
    mesh = made.mesh
    grouped = np.flatnonzero(mesh.faces.records["mapping_group"] == ns2_room.CORNER)
    assert len(grouped) == 2
    assert not np.allclose(*normals(mesh)[grouped]), "they lie in different planes"
    assert {layer.id for layer in made.layers} == {ns2_room.PATHING, ns2_room.VENTS, ns2_room.LIGHTS}
    assert all(mesh.face_layers.members(layer.id).any() for layer in made.layers)
    assert (sum(mesh.face_layers.members(layer.id).astype(int) for layer in made.layers) == 2).any()
    assert set(mesh.geometry_groups.faces.ids.tolist()) == {group.id for group in made.groups}
    assert ns2_room.LIGHTS > 31, "in the second word of the masks"


def test_entities_and_what_the_game_has_for_them(tmp_path: Path) -> None:
    made = level()
    kinds = [entity.class_name for entity in made.entities]
    assert {"light_point", "light_spot", "light_ambient", "prop_static", "location", "ready_room_start"} <= set(kinds)
    folder = ns2_art.write(tmp_path)
    for path in made.mesh.materials:
        about = material.read((folder / path).read_bytes())
        assert about.notes == []
        texture = (folder / about.texture("albedoMap")).read_bytes()
        assert dds.describe(texture, len(texture)).width == ns2_art.SIZE
    crate = model.read((folder / str(made.entities[3].get("model"))).read_bytes())
    assert crate.materials == [ns2_room.MATERIALS[ns2_room.COLUMN]]
    a, b, c = (crate.vertices["position"][crate.triangles[:, k]] for k in range(3))
    assert ((np.cross(b - a, c - a) * a).sum(axis=1) > 0).all(), "it is seen from outside"


def test_pictures_are_not_the_same_mirrored() -> None:
    for draw in list(ns2_art.IMAGES.values())[:-1]:
        picture = draw().picture()
        assert not np.array_equal(picture, picture[:, ::-1])
