# SPDX-License-Identifier: GPL-3.0-or-later
"""Textures of faces: UVs that were moved, turned and scaled, materials swapped and renamed; and what is refused."""

import bmesh
import bpy
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.scene.kept import identity, originals
from levelwright.addon.scene.media import images
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.addon.source import layout
from levelwright.addon.source.displacements import mapping
from levelwright.addon.source.faces import collect as faces
from levelwright.addon.source.materials import collect as materials
from levelwright.formats.source import LumpId, geometry

from tests.addon.source.rooms import linear, of_kind, token_of
from tests.addon.source.surface_edits import edited, set_uv, small_room, the
from tests.formats import source_room as room

SIZE = 64
WALLS = ["FACES", "FACES_HDR", "ORIGINALFACES", "TEXINFO"]


def APPLY(*arguments) -> None:
    faces.apply(*arguments)
    mapping.apply(*arguments)


@pytest.fixture
def level() -> bpy.types.Collection:
    return small_room()


def corners_of(level: bpy.types.Collection, *faces: int) -> tuple[bpy.types.Object, np.ndarray, np.ndarray]:
    """The world, its UVs, and which corners are those of faces."""
    world = the(level, layout.MODEL)
    data = meshes.read(world)
    owner = np.repeat(data.ids("FACE", token_of(level)) - 1, data.face_sizes)
    return world, data.uv(layout.UV).copy(), np.isin(owner, faces)


def shown(made, face: int) -> np.ndarray:
    """Texels of a face's corners in a map, in the file's order."""
    polygons = geometry.polygons(made)
    here = polygons.corners[polygons.first_corner[face] : polygons.first_corner[face + 1]]
    texinfo = made.table(LumpId.FACES)["texinfo"][face]
    return geometry.texels(polygons.positions[here], made.table(LumpId.TEXINFO), np.full(len(here), texinfo))


def wanted(uv: np.ndarray, size: int = SIZE) -> np.ndarray:
    """UVs of a face in Blender as texels in the file's order."""
    return (np.array([0, size]) + uv * (size, -size))[[0, *range(len(uv) - 1, 0, -1)]]


def test_nothing_edited_changes_nothing(level) -> None:
    assert edited(level, APPLY)[1] == set()


def test_moved_uvs(level) -> None:
    world, uv, here = corners_of(level, room.WEST, room.NORTH_LEFT)
    uv[here] += (0.25, -0.5)
    set_uv(world, uv)
    report = Report()
    made, changed = edited(level, APPLY, report)
    assert changed == {*WALLS, "BRUSHSIDES"}
    texinfos, faces = made.table(LumpId.TEXINFO), made.table(LumpId.FACES)
    assert len(texinfos) == 5
    assert faces["texinfo"].tolist() == [0, 0, 0, 0, 4, 2, 1, 1, 4, 1], "both share the new one"
    assert texinfos["texture_vecs"][4].tolist() == [[0.5, 0.5, 0, 1 + 16], [0, 0, -1, 2 + 32]]
    assert (texinfos["lightmap_vecs"][4] == texinfos["lightmap_vecs"][1]).all()
    assert report.counts["faces with other UVs"] == 2


@pytest.mark.parametrize("face", [room.WEST, room.NORTH_LEFT, room.CEILING_LEFT])
def test_turned_and_scaled_uvs(level, face: int) -> None:
    world, uv, here = corners_of(level, face)
    uv[here] = uv[here] @ np.array([[0.6, -0.8], [0.8, 0.6]]) * (2, 0.5) + 3
    set_uv(world, uv)
    made, changed = edited(level, APPLY)
    assert changed >= set(WALLS)
    assert np.abs(shown(made, face) - wanted(uv[here])).max() < 1e-3


TURNS = st.floats(-4, 4, width=32)
WHOLE: list[bpy.types.Collection] = []


@settings(max_examples=30)
@given(st.tuples(*[TURNS] * 4), st.tuples(st.floats(-50, 50, width=32), st.floats(-50, 50, width=32)),
       st.sampled_from([room.WEST, room.EAST, room.CEILING_RIGHT, room.SOUTH_LEFT]))  # fmt: skip
def test_any_affine_map_of_uvs_is_solved(turn: tuple, way: tuple, face: int) -> None:
    level = WHOLE[0] if WHOLE else small_room()
    WHOLE[:] = [level]
    world, uv, here = corners_of(level, face)
    start = uv.copy()
    uv[here] = uv[here].astype(np.float64) @ np.array(turn).reshape(2, 2) + way
    set_uv(world, uv)
    try:
        made, changed = edited(level, APPLY)
        assert np.abs(shown(made, face) - wanted(uv[here])).max() < 0.02
        assert changed <= {*WALLS, "BRUSHSIDES"}
        for other in set(range(2, 10)) - {face}:
            assert made.table(LumpId.FACES)["texinfo"][other] == room.room().table(LumpId.FACES)["texinfo"][other]
    finally:
        set_uv(world, start)


def test_bent_uvs_are_refused_with_the_face(level) -> None:
    world, uv, here = corners_of(level, room.EAST)
    uv[np.flatnonzero(here)[0]] += 0.1
    set_uv(world, uv)
    with pytest.raises(SceneError, match="bent or torn") as caught:
        edited(level, APPLY)
    ids = meshes.read(world).ids("FACE", token_of(level))
    assert (ids[caught.value.faces[world]] - 1).tolist() == [room.EAST]


def test_uvs_of_displacements(level) -> None:
    obj = the(level, layout.DISPLACEMENT)
    uv = meshes.read(obj).uv(layout.UV)
    set_uv(obj, uv * 2 + 1)
    made, changed = edited(level, APPLY)
    assert changed == {*WALLS, "BRUSHSIDES"} or changed == set(WALLS)
    (first, second, *_) = made.table(LumpId.FACES)["texinfo"].tolist()
    assert (first, second) == (4, 0)
    vectors = made.table(LumpId.TEXINFO)["texture_vecs"][4]
    assert np.allclose(vectors, [[2, 0, 0, 10 + 64], [0, -2, 0, 14 - 128]], atol=1e-3)
    uv[3] += 0.2
    set_uv(obj, uv)
    with pytest.raises(SceneError, match="bent or torn") as caught:
        edited(level, APPLY)
    assert len(caught.value.faces[obj]) == 32


def new_material(name: str, size: tuple[int, int] | None = None) -> bpy.types.Material:
    material = bpy.data.materials.new(name)
    if bpy.app.version < (5, 0):  # from then on all have nodes, and asking for them warns
        material.use_nodes = True
    if size:
        node = material.node_tree.nodes.new("ShaderNodeTexImage")
        node.image = images.from_rgba(name, np.full((size[1], size[0], 4), 255, np.uint8))
    return material


def give(world: bpy.types.Object, level: bpy.types.Collection, face: int, material: bpy.types.Material) -> None:
    ids = meshes.read(world).ids("FACE", token_of(level)) - 1
    world.data.materials.append(material)
    world.data.polygons[int(np.flatnonzero(ids == face)[0])].material_index = len(world.data.materials) - 1


def test_edited_places_in_the_lightmap_stay_and_are_told(level) -> None:
    world, report = the(level, layout.MODEL), Report()
    light = meshes.read(world).uv(layout.LIGHTMAP_UV)
    edited(level, APPLY, report)
    assert not report.warnings
    light[np.flatnonzero(corners_of(level, room.NORTH_LEFT)[2])] += 0.25
    set_uv(world, light, layout.LIGHTMAP_UV)
    assert edited(level, APPLY, report)[1] == set()
    assert [warning.startswith("1 face in World: the UV map") for warning in report.warnings] == [True]


def test_a_material_of_the_map_on_another_face(level) -> None:
    world = the(level, layout.MODEL)
    other = next(m for m in world.data.materials if m[layout.MATERIAL].endswith("wall_10_20_30"))
    give(world, level, room.CEILING_LEFT, other)
    made, changed = edited(level, APPLY)
    assert changed == {*WALLS} - {"BRUSHSIDES"}
    row = made.table(LumpId.TEXINFO)[made.table(LumpId.FACES)["texinfo"][room.CEILING_LEFT]]
    assert row["texdata"] == 1
    before = room.room().table(LumpId.TEXINFO)[0]
    assert (row["texture_vecs"] == before["texture_vecs"]).all()
    assert row["flags"] == before["flags"]


def test_a_new_material_is_a_new_texture_of_its_image_size(level) -> None:
    world, report = the(level, layout.MODEL), Report()
    give(world, level, room.NORTH_LEFT, new_material("brick/new", (128, 32)))
    made, changed = edited(level, APPLY, report)
    names = {"TEXDATA", "TEXDATA_STRING_TABLE", "TEXDATA_STRING_DATA"}
    assert changed == {*WALLS, *names}
    assert made.texture_names.names[-1] == "brick/new"
    assert made.table(LumpId.TEXDATA)[["width", "height"]][-1].tolist() == (128, 32)
    assert made.table(LumpId.TEXDATA)["reflectivity"][-1].tolist() == [1, 1, 1]
    uv = corners_of(level, room.NORTH_LEFT)
    texels = shown(made, room.NORTH_LEFT)
    u, v = uv[1][uv[2]].T
    there = np.column_stack([u * 128, 32 - v * 32])[[0, 3, 2, 1]]
    assert np.abs(texels - there).max() < 1e-2, "it lies as Blender shows it"
    assert report.counts["textures added"] == 1


def test_a_material_without_an_image_has_the_old_size(level) -> None:
    report = Report()
    give(the(level, layout.MODEL), level, room.NORTH_LEFT, new_material("brick/plain"))
    made, _ = edited(level, APPLY, report)
    assert made.table(LumpId.TEXDATA)["width"][-1] == 64
    assert any("brick/plain: its size isn't known" in each for each in report.warnings)


def test_other_flags_are_told(level) -> None:
    report = Report()
    world = the(level, layout.MODEL)
    give(world, level, room.EAST, world.data.materials[0])
    edited(level, APPLY, report)
    assert any("bumplight" in each for each in report.warnings)


def test_a_face_without_a_material_is_refused(level) -> None:
    world = the(level, layout.MODEL)
    world.data.materials.clear()
    with pytest.raises(SceneError, match="have no material") as caught:
        edited(level, APPLY)
    assert len(caught.value.faces[world]) > 0


def test_a_renamed_material(level) -> None:
    material = originals.resources(level, layout.MATERIAL_KIND)[0]
    material[layout.MATERIAL] = " Materials\\dev\\another.vmt"
    made, changed = edited(level, materials.apply)
    assert changed == {"TEXDATA_STRING_TABLE", "TEXDATA_STRING_DATA"}
    assert made.texture_names.names == ["dev/another", "maps/room/dev/wall_10_20_30"]

    def both(*arguments) -> None:
        materials.apply(*arguments)
        APPLY(*arguments)

    assert edited(level, both)[1] == changed, "its faces have it still"
    for name in ("x" * 200, 'dev/"floor"', "dev/fl\u00f6or", "", 7):
        material[layout.MATERIAL] = name
        with pytest.raises(SceneError, match="can't be the name") as caught:
            edited(level, materials.apply)
        assert caught.value.objects, "those that have it"


def test_another_name_in_blender_alone_is_told(level) -> None:
    report = Report()
    material = originals.resources(level, layout.MATERIAL_KIND)[0]
    material.name = material.name + ".001"
    assert edited(level, materials.apply, report)[1] == set()
    assert not report.warnings
    material.name = "dev/other"
    assert edited(level, materials.apply, report)[1] == set()
    assert any("'dev/other'" in each and "keeps its own" in each for each in report.warnings)


def test_a_material_of_the_object_is_what_is_seen(level) -> None:
    world = the(level, layout.MODEL)
    slot = world.material_slots[0]
    slot.link = "OBJECT"
    slot.material = bpy.data.materials.new("dev/own")
    made, _ = edited(level, APPLY)
    assert made.texture_names.names[-1] == "dev/own"
    assert meshes.read(world).materials[0] == slot.material


def test_a_copied_material_is_the_same_until_its_name_is_another(level) -> None:
    world = the(level, layout.MODEL)
    copy = world.data.materials[0].copy()
    world.data.materials[0] = copy
    assert edited(level, APPLY)[1] == set()
    copy[layout.MATERIAL] = "dev/copied"
    made, _ = edited(level, APPLY)
    assert made.texture_names.names[-1] == "dev/copied"


def test_cut_joined_and_turned_meshes_are_the_same(level) -> None:
    world = the(level, layout.MODEL)
    part = world.copy()
    part.data = world.data.copy()
    world.users_collection[0].objects.link(part)
    for obj, keep in ((world, 0), (part, 1)):
        mesh = bmesh.new()
        mesh.from_mesh(obj.data)
        bmesh.ops.delete(mesh, geom=[face for face in mesh.faces if face.index % 2 != keep], context="FACES")
        mesh.to_mesh(obj.data)
    assert identity.stamped(part).kind == layout.MODEL
    assert edited(level, APPLY)[1] == set()
    assert len(of_kind(level, layout.MODEL)) == 2


def test_a_new_texture_has_the_mean_colour_of_its_image(level) -> None:
    material = new_material("mean", (2, 4))
    pixels = np.array([(10, 100, 200, 255), (0, 255, 9, 255), (80, 5, 0, 0)] * 3, np.uint8)[:8].reshape(4, 2, 4)
    node = next(node for node in material.node_tree.nodes if node.type == "TEX_IMAGE")
    node.image = images.from_rgba("mean", pixels)
    give(the(level, layout.MODEL), level, room.WEST, material)
    made, _ = edited(level, APPLY)
    row = made.table(LumpId.TEXDATA)[-1]
    wanted = [np.mean([linear(float(value)) for value in pixels[..., channel].ravel()]) for channel in range(3)]
    assert row["reflectivity"].tolist() == pytest.approx(wanted, abs=1e-6)
    assert (int(row["width"]), int(row["height"])) == (2, 4)


@pytest.mark.parametrize("first", ["the world", "the prop"])
def test_a_material_that_faces_have_is_read_whatever_else_has_it(level, first: str) -> None:
    """Its property is written; one that only things have which say theirs in files isn't, and that is told."""
    own = new_material("own")
    own[layout.MATERIAL], own[layout.OWN_NAME] = "dev/new", "dev/old"
    things = [bpy.data.objects.new("prop", bpy.data.meshes.new("prop")) for _ in range(2)]
    things[0].data.materials.append(own)
    things[1].data.materials.append(own)
    for thing in things:
        level.objects.link(thing)
    report = Report()
    edited(level, materials.apply, report)
    assert [warning.partition(":")[0] for warning in report.warnings] == ["own"]
    world = the(level, layout.MODEL)
    home = world.users_collection[0]
    for thing in things:
        level.objects.unlink(thing)
        home.objects.link(thing)
    world.data.materials.append(own)
    if first == "the prop":
        home.objects.unlink(world)
        home.objects.link(world)
    report = Report()
    edited(level, materials.apply, report)
    assert not report.warnings
