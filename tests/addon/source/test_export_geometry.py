# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertices and faces that were moved, added and deleted: found whatever was done, refused, or moved for show."""

import bmesh
import bpy
import numpy as np
import pytest
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.scene.kept import identity
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.addon.source import layout
from levelwright.addon.source.faces import collect as faces
from levelwright.addon.source.faces import geometry_edits, scene_surfaces
from levelwright.formats import source
from levelwright.formats.source import LumpId
from levelwright.formats.source.entities.text import Entity
from levelwright.formats.source.faces import surfaces

from tests.addon.source.exports import copied
from tests.addon.source.rooms import imported, of_kind, room
from tests.addon.source.surface_edits import edited, move, set_uv, small_room, the
from tests.formats import source_bytes as build
from tests.formats import source_room

APPLY = faces.apply
DOOR = (
    b'{\n"classname" "worldspawn"\n}\n'
    b'{\n"classname" "func_door"\n"model" "*1"\n"origin" "1 2 3.5"\n"angles" "0 90 0"\n}\n\0'
)


def with_a_door(**options) -> tuple[bpy.types.Collection, bpy.types.Object]:
    """The room of source_bytes, and the object of its door, face 5 of the map."""
    level = imported(room(lumps={build.ENTITIES: DOOR}), **{"entities": True, **options})
    (door,) = (obj for obj in level.all_objects if tuple(obj.location) == (1.0, 2.0, 3.5))
    return level, door


def refused(level: bpy.types.Collection, match: str, **settings) -> SceneError:
    with pytest.raises(SceneError, match=match) as caught:
        edited(level, APPLY, **settings)
    return caught.value


def change(obj: bpy.types.Object, how) -> None:
    mesh = bmesh.new()
    mesh.from_mesh(obj.data)
    mesh.faces.ensure_lookup_table()
    how(mesh)
    mesh.to_mesh(obj.data)


def test_moved_vertices_are_refused_with_their_faces() -> None:
    level = small_room()
    world = the(level, layout.MODEL)
    move(world, np.array([0]), (0, 0, 1))
    error = refused(level, "3 moved|2 moved")
    touching = np.flatnonzero(
        np.bincount(
            np.repeat(np.arange(8), meshes.read(world).face_sizes), meshes.read(world).corner_verts == 0, minlength=8
        )
    )
    assert error.faces[world].tolist() == touching.tolist()


def test_a_moved_world_is_refused() -> None:
    level = small_room()
    the(level, layout.MODEL).location.x = 1
    refused(level, "8 moved")


@pytest.mark.parametrize(
    ("how", "match"),
    [
        (lambda mesh: bmesh.ops.delete(mesh, geom=[mesh.faces[2]], context="FACES_ONLY"), "1 deleted"),
        (lambda mesh: bmesh.ops.duplicate(mesh, geom=[mesh.faces[2]]), "1 new"),
        (lambda mesh: bmesh.ops.poke(mesh, faces=[mesh.faces[0]]), "new"),
        (lambda mesh: bmesh.ops.subdivide_edges(mesh, edges=mesh.faces[1].edges[:1], cuts=1), "cut or joined"),
        (lambda mesh: bmesh.ops.inset_individual(mesh, faces=[mesh.faces[3]], thickness=2), "new|cut"),
        (lambda mesh: bmesh.ops.reverse_faces(mesh, faces=[mesh.faces[3]]), r": 1 turned over \(Flip"),
        (lambda mesh: bmesh.ops.triangulate(mesh, faces=[mesh.faces[3]]), "1 cut or joined, 1 new"),
    ],
)
def test_other_faces_are_refused(how, match: str) -> None:
    level = small_room()
    change(the(level, layout.MODEL), how)
    for geometry in ("refuse", "visual", "rebuild"):
        refused(level, match, geometry=geometry)


def test_a_deleted_object_of_the_world_is_refused() -> None:
    level = small_room()
    bpy.data.objects.remove(the(level, layout.MODEL))
    refused(level, "faces of the world, whose object was deleted, are other than the map's: 8 deleted")


def test_vertices_moved_for_show() -> None:
    level, report = small_room(), Report()
    world = the(level, layout.MODEL)
    top = meshes.read(world).positions[:, 2] == 128
    move(world, top, (0, 0, 32))
    made, changed = edited(level, APPLY, report, geometry="visual")
    assert changed == {"VERTEXES"}
    before, after = (each.table(LumpId.VERTEXES)["point"] for each in (source_room.room(), made))
    assert (after[:, 2] == np.where(before[:, 2] == 128, 160, before[:, 2])).all()
    assert (after[:, :2] == before[:, :2]).all()
    assert any("for show only" in each for each in report.warnings)
    assert report.counts["vertices moved for show only"] == 6


def test_uvs_of_faces_moved_for_show_are_solved_where_they_are() -> None:
    level = small_room()
    world = the(level, layout.MODEL)
    data = meshes.read(world)
    move(world, data.positions[:, 2] == 128, (0, 0, 32))
    uv = data.uv(layout.UV)
    owner = np.repeat(np.arange(8), data.face_sizes)
    face = int(np.flatnonzero(data.ids("FACE", identity.stamped(world).token) - 1 == source_room.WEST)[0])
    uv[owner == face] = [(0, 0), (1, 0), (1, 1), (0, 1)]
    set_uv(world, uv)
    _, changed = edited(level, APPLY, geometry="visual")
    assert changed >= {"VERTEXES", "TEXINFO", "FACES"}


def test_corners_of_displacements_cannot_be_moved_for_show() -> None:
    level = small_room()
    world = the(level, layout.MODEL)
    bottom = meshes.read(world).positions[:, 2] == 0
    move(world, bottom, (0, 0, -4))
    error = refused(level, "corners of displacements", geometry="visual")
    assert sorted(error.points[world].tolist()) == np.flatnonzero(bottom).tolist()


@pytest.mark.parametrize("entities", [True, False])
def test_brush_models_are_found_by_their_entities(entities: bool) -> None:
    level, door = with_a_door(entities=entities)
    assert edited(level, APPLY)[1] == set()
    door.location.x += 100
    door.rotation_euler.z += 1
    assert edited(level, APPLY)[1] == set(), "the entity moves, its model doesn't"
    door.scale.x = 2
    refused(level, "1 moved")
    door.scale.x = 1
    move(door, np.array([1]), (0, 3, 0))
    assert list(refused(level, "1 moved").faces) == [door]
    shared = "those of another model"
    refused(level, shared, geometry="visual")


def with_a_room_of_its_own() -> tuple[bpy.types.Collection, bpy.types.Object]:
    """The room of source_room with all faces but those of displacements in the model of a door."""
    level = source_room.room()
    models = np.concatenate([level.table(LumpId.MODELS)] * 2)
    models["firstface"], models["numfaces"] = [0, 2], [2, 8]
    level.set_table(LumpId.MODELS, models)
    level.entities.append(Entity([("classname", "func_door"), ("model", "*1"), ("origin", "10 0 0")]))
    made = imported(source.write(level), entities=True)
    (door,) = (obj for obj in made.all_objects if tuple(obj.location) == (10.0, 0.0, 0.0))
    return made, door


def test_models_of_entities_that_are_moved_for_show() -> None:
    level, door = with_a_room_of_its_own()
    report = Report()
    top = meshes.read(door).positions[:, 2] == 128
    move(door, top, (0, 0, 32))
    assert "on Rebuild" in refused(level, "are other than").message
    assert edited(level, APPLY, report, geometry="visual")[1] == {"VERTEXES"}
    assert any("around their entity's origin" in each for each in report.warnings)
    assert not any("is where it was" in each for each in report.warnings)
    linked = copied(door, linked=True)
    assert edited(level, APPLY, geometry="visual")[1] == {"VERTEXES"}, "all show the same"
    linked.data = door.data.copy()
    assert edited(level, APPLY, geometry="visual")[1] == {"VERTEXES"}
    move(door, top, (0, 0, -32))
    assert list(refused(level, "in common", geometry="visual").points) == [linked]
    move(linked, top, (0, 0, -32))
    move(door, top, (0, 0, 8))
    assert list(refused(level, "in common", geometry="visual").points) == [door]


def test_brush_models_that_are_built_anew_are_told() -> None:
    level, door = with_a_door()
    move(door, np.array([1]), (0, 3, 0))
    found: list[set[int]] = []

    def step(scene, made, report) -> None:
        shown = scene_surfaces.read(scene)
        found.append(geometry_edits.apply(scene, shown, made, report))

    assert edited(level, step, geometry="rebuild")[1] == set()
    assert found == [{1}]
    (world,) = (obj for obj in of_kind(level, layout.MODEL) if identity.stamped(obj).record == 0)
    move(world, np.array([1]), (0, 3, 0))
    refused(level, "its option World on Edit", geometry="rebuild")


def test_a_deleted_entity_takes_its_faces_along() -> None:
    level, door = with_a_door()
    bpy.data.objects.remove(door)
    assert edited(level, APPLY)[1] == set()


def test_entities_may_share_a_brush_model_but_not_edit_it_each_for_itself() -> None:
    level, door = with_a_door()
    linked, own = door.copy(), door.copy()
    own.data = door.data.copy()
    for obj in (linked, own):
        door.users_collection[0].objects.link(obj)
    assert edited(level, APPLY)[1] == set()
    uv = meshes.read(own).uv(layout.UV)
    set_uv(own, uv + 0.5)
    assert refused(level, "have its textures in common").objects == [own]
    set_uv(own, uv)
    move(own, np.array([0]), (1, 0, 0))
    assert refused(level, "1 moved").objects == [own]


def test_faces_of_a_door_in_the_world_are_new_there() -> None:
    level, door = with_a_door()
    mark = identity.stamped(next(obj for obj in of_kind(level, layout.MODEL)))
    identity.stamp(door, mark.token, layout.MODEL, 0)
    refused(level, "1 new")


def test_faces_of_another_map_are_none_of_this_one() -> None:
    """An entity of it gets a model of its own; what has another class is refused."""
    level, _ = with_a_door()
    other, strange = with_a_door()
    level.objects.link(strange)
    assert edited(level, APPLY)[1] == edited(other, APPLY)[1] == set()
    strange["classname"] = "info_target"
    assert refused(level, "no model that it has in this map").objects == [strange]


def test_a_map_whose_faces_cannot_be_read_has_no_surfaces() -> None:
    level = imported(room(lumps={build.SURFEDGES: b"\xff\xff\xff\x7f" * 24}))
    assert edited(level, APPLY)[1] == set()
    assert surfaces.model_faces(source_room.room()) is not None
