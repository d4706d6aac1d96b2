# SPDX-License-Identifier: GPL-3.0-or-later
"""What faces say of themselves: flags, smoothing groups, original faces, and how they are shaded."""

import bmesh
import bpy
import numpy as np
import pytest
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.addon.source import layout
from levelwright.addon.source.displacements import shading
from levelwright.addon.source.faces import collect as faces
from levelwright.formats import source
from levelwright.formats.source import LumpId

from tests.addon.source.exports import Scene, copied
from tests.addon.source.rooms import imported, token_of
from tests.addon.source.surface_edits import edited, move, paint, set_uv, small_room, the
from tests.formats import source_door
from tests.formats import source_room as room

APPLY = faces.apply
LIT = ["FACES", "FACES_HDR"]
NOSHADOWS, BUMP = 0x1000, 0x800


@pytest.fixture
def level() -> bpy.types.Collection:
    return small_room()


@pytest.fixture
def rounded() -> bpy.types.Collection:
    return imported(source.write(room.with_normals()))


def polygons(level: bpy.types.Collection, *faces: int) -> np.ndarray:
    """Which polygons of the world faces are."""
    return np.isin(meshes.read(the(level, layout.MODEL)).ids("FACE", token_of(level)) - 1, faces)


def say(level: bpy.types.Collection, name: str, value: int, *faces: int) -> None:
    """Give faces of the world another number."""
    world = the(level, layout.MODEL)
    values = meshes.read(world).attribute(name, "FACE").copy()
    values[polygons(level, *faces)] = value
    paint(world, name, values, "value")


def refused(level: bpy.types.Collection, match: str) -> list[int]:
    """The faces that an export refuses, which are selected."""
    with pytest.raises(SceneError, match=match) as caught:
        edited(level, APPLY)
    (world,) = caught.value.faces
    ids = meshes.read(world).ids("FACE", token_of(level)) - 1
    return ids[caught.value.faces[world]].tolist()


# --------------------------------------------------------------------------------------------------------------- flags


def test_flags(level) -> None:
    report = Report()
    say(level, layout.FLAGS, NOSHADOWS, room.NORTH_LEFT, room.WEST)
    made, changed = edited(level, APPLY, report)
    assert changed == {*LIT, "ORIGINALFACES", "TEXINFO", "BRUSHSIDES"}
    texinfos, before = made.table(LumpId.TEXINFO), room.room().table(LumpId.TEXINFO)
    assert made.table(LumpId.FACES)["texinfo"].tolist() == [0, 0, 0, 0, 4, 2, 1, 1, 4, 1]
    assert texinfos["flags"].tolist() == [0, 0, BUMP, 0, NOSHADOWS]
    assert (texinfos["texture_vecs"][4] == before["texture_vecs"][1]).all()
    assert report.counts["faces with other flags"] == 2
    again = imported(source.write(made))
    shown = meshes.read(the(again, layout.MODEL)).attribute(layout.FLAGS, "FACE")
    assert shown[polygons(again, room.NORTH_LEFT, room.WEST)].tolist() == [NOSHADOWS] * 2
    assert edited(again, APPLY)[1] == set()


def test_flags_with_another_texture_and_other_uvs_are_one_texinfo(level) -> None:
    world = the(level, layout.MODEL)
    say(level, layout.FLAGS, -0x80000000 | NOSHADOWS, room.NORTH_LEFT, room.CEILING_LEFT)
    uv = meshes.read(world).uv(layout.UV).copy()
    uv[np.repeat(polygons(level, room.NORTH_LEFT), 4)] += 0.25
    set_uv(world, uv)
    wall = next(m for m in world.data.materials if m[layout.MATERIAL].endswith("wall_10_20_30"))
    number = int(np.flatnonzero(polygons(level, room.CEILING_LEFT))[0])
    world.data.polygons[number].material_index = world.data.materials.find(wall.name)
    made, _ = edited(level, APPLY)
    rows = made.table(LumpId.TEXINFO)[made.table(LumpId.FACES)["texinfo"][[room.NORTH_LEFT, room.CEILING_LEFT]]]
    assert rows["flags"].tolist() == [0x80001000] * 2
    assert rows["texdata"].tolist() == [1, 1]
    assert rows["texture_vecs"][0, :, 3].tolist() == [1 + 16, 2 - 16]
    assert len(made.table(LumpId.TEXINFO)) == 6


def test_how_many_lightmaps_a_lit_face_has_cannot_change(level) -> None:
    say(level, layout.FLAGS, BUMP, room.NORTH_LEFT)
    say(level, layout.FLAGS, 0, room.EAST)
    assert sorted(refused(level, "compiled with light for other 'flags'")) == [room.EAST, room.NORTH_LEFT]


def test_an_edited_texinfo_is_refused(level) -> None:
    say(level, layout.TEXINFO, 2, room.NORTH_LEFT)
    assert refused(level, "another 'texinfo'. It follows from") == [room.NORTH_LEFT]


def test_faces_without_a_texinfo_have_no_flags() -> None:
    made = room.room()
    for lump in (LumpId.FACES, LumpId.FACES_HDR):
        table = made.table(lump).copy()
        table["texinfo"][room.WEST] = -1
        made.set_table(lump, table)
    level = imported(source.write(made))
    assert edited(level, APPLY)[1] == set()
    say(level, layout.FLAGS, 1, room.WEST)
    assert refused(level, "no texinfo") == [room.WEST]


# ------------------------------------------------------------------------------------- smoothing groups, original faces


def test_smoothing_groups(level) -> None:
    report = Report()
    say(level, layout.SMOOTHING_GROUPS, -0x80000000 + 5, room.NORTH_LEFT, room.WEST)
    made, changed = edited(level, APPLY, report)
    assert changed == set(LIT)
    for lump in (LumpId.FACES, LumpId.FACES_HDR):
        groups = made.table(lump)["smoothing_groups"]
        assert groups[[room.NORTH_LEFT, room.WEST]].tolist() == [0x80000005] * 2
        assert groups.sum() == 2 * 0x80000005
    assert report.counts["faces with other smoothing groups"] == 2


def test_original_faces(level) -> None:
    say(level, layout.ORIGINAL_FACE, -1, room.NORTH_LEFT)
    say(level, layout.ORIGINAL_FACE, 9, room.WEST)
    made, changed = edited(level, APPLY)
    assert changed == set(LIT)
    assert made.table(LumpId.FACES)["orig_face"][[room.NORTH_LEFT, room.WEST]].tolist() == [-1, 9]
    say(level, layout.ORIGINAL_FACE, 10, room.WEST)
    say(level, layout.ORIGINAL_FACE, -2, room.EAST)
    assert sorted(refused(level, "there are 10")) == [room.WEST, room.EAST]


def test_attributes_that_are_gone_are_told(level) -> None:
    report, world = Report(), the(level, layout.MODEL)
    world.data.attributes.remove(world.data.attributes[layout.FLAGS])
    world.data.attributes.remove(world.data.attributes[layout.SMOOTHING_GROUPS])
    world.data.attributes.new(layout.SMOOTHING_GROUPS, "FLOAT", "FACE")
    assert edited(level, APPLY, report)[1] == set()
    assert [warning.split(" of faces is gone")[0] for warning in report.warnings] == [
        f"World: the attribute {name!r}" for name in (layout.SMOOTHING_GROUPS, layout.FLAGS)
    ]


# ------------------------------------------------------------------------------------------------------------- normals


def test_flat_faces_that_nobody_shaded_are_as_they_were(rounded) -> None:
    assert edited(rounded, APPLY)[1] == set()


def test_faces_that_were_shaded_smooth_and_flat_again(rounded) -> None:
    report, world = Report(), the(rounded, layout.MODEL)
    world.data.shade_smooth()
    made, changed = edited(rounded, APPLY, report)
    assert changed == {"VERTNORMALS", "VERTNORMALINDICES"}
    assert report.counts["faces with other normals"] > 2
    again = imported(source.write(made))
    assert edited(again, APPLY)[1] == set(), "what was written is what is shown"
    here, there = (meshes.read(the(one, layout.MODEL), normals=True).corner_normals for one in (rounded, again))
    assert np.abs(here - there).max() < 1e-3
    world = the(again, layout.MODEL)
    flat = np.repeat([polygon.normal[:] for polygon in world.data.polygons], 4, axis=0)
    world.data.normals_split_custom_set(flat.tolist())
    back, changed = edited(again, APPLY)
    assert changed == {"VERTNORMALINDICES"}
    before = room.with_normals()
    normals = [one.table(LumpId.VERTNORMALS)["normal"][one.table(LumpId.VERTNORMALINDICES)["normal"]]
               for one in (before, back)]  # fmt: skip
    assert (normals[0] == normals[1]).all(), "the planes' own, to the bit"


def test_custom_normals(rounded) -> None:
    world = the(rounded, layout.MODEL)
    chosen = np.repeat(polygons(rounded, room.NORTH_LEFT), 4)
    wanted = meshes.read(world, normals=True).corner_normals
    wanted[chosen] = np.array((0.6, -0.8, 0), np.float32)
    world.data.normals_split_custom_set(wanted.tolist())
    made, changed = edited(rounded, APPLY)
    assert changed == {"VERTNORMALS", "VERTNORMALINDICES"}
    numbers = made.table(LumpId.VERTNORMALINDICES)["normal"]
    others = np.arange(40) // 4 != room.NORTH_LEFT
    assert (numbers[others] == (np.arange(40) // 4)[others]).all()
    assert np.abs(made.table(LumpId.VERTNORMALS)["normal"][numbers[~others]] - (0.6, -0.8, 0)).max() < 1e-3


def test_in_a_map_without_normals_smooth_faces_are_refused(level) -> None:
    the(level, layout.MODEL).data.shade_smooth()
    assert len(refused(level, "no normals of faces' corners")) > 2


def test_displacements_that_were_shaded_otherwise_are_told() -> None:
    for option in ("each", "joined"):
        level = small_room(displacements=option)
        kind = layout.DISPLACEMENT if option == "each" else layout.DISPLACEMENTS
        obj, report = the(level, kind), Report()
        edited(level, shading.warn_if_shaded, report)
        move(obj, np.array([12]), (0, 0, 20))
        edited(level, shading.warn_if_shaded, report)
        assert not report.warnings, "what is sculpted is shaded by its shape"
        move(obj, np.array([12]), (0, 0, -20))
        obj.data.normals_split_custom_set([(0.6, 0, 0.8)] * len(obj.data.loops))
        edited(level, shading.warn_if_shaded, report)
        assert len(report.warnings) == 1 and obj.name in report.warnings[0]
        report = Report()
        obj.data.shade_flat()
        edited(level, shading.warn_if_shaded, report)
        assert len(report.warnings) == 1


# -------------------------------------------------------------------------------------------------------- brush models


def test_entities_with_one_model_say_the_same(level) -> None:
    scene = Scene(source.write(source_door.with_door()), static_props="none")
    door = next(obj for obj in scene.objects().values() if obj.get("classname") == "func_door")
    other = copied(door)
    other.data.attributes[layout.SMOOTHING_GROUPS].data[0].value = 3
    with pytest.raises(SceneError, match="in common") as caught:
        scene.export()
    assert list(caught.value.faces) == [other]
    door.data.attributes[layout.SMOOTHING_GROUPS].data[0].value = 3
    with pytest.raises(SceneError, match="in common"):
        scene.export()
    other.data = door.data
    assert scene.export().table(LumpId.FACES)["smoothing_groups"].max() == 3


def test_a_model_that_is_built_anew_has_them_too() -> None:
    scene = Scene(source.write(source_door.with_door()), static_props="none")
    door = next(obj for obj in scene.objects().values() if obj.get("classname") == "func_door")
    door.data.normals_split_custom_set([polygon.normal[:] for polygon in door.data.polygons for _ in range(4)])
    move(door, meshes.read(door).positions[:, 1] > 0, (0, 16, 0))
    paint(door, layout.FLAGS, np.full(6, NOSHADOWS, np.int32), "value")
    paint(door, layout.SMOOTHING_GROUPS, np.arange(6, dtype=np.int32), "value")
    made = scene.export(geometry="rebuild")
    row = made.table(LumpId.MODELS)[1]
    own = slice(int(row["firstface"]), int(row["firstface"] + row["numfaces"]))
    drawn = made.table(LumpId.FACES)[own]
    assert (made.table(LumpId.TEXINFO)["flags"][drawn["texinfo"]] == NOSHADOWS).all()
    assert sorted(drawn["smoothing_groups"].tolist()) == list(range(6))
    numbers = made.table(LumpId.VERTNORMALINDICES)["normal"][-24:]
    planes = made.table(LumpId.PLANES)["normal"][drawn["planenum"]]
    normals = made.table(LumpId.VERTNORMALS)["normal"][numbers]
    assert np.abs(normals - np.repeat(planes, 4, axis=0)).max() < 1e-6, "as Blender shades it: flat"


def test_new_faces_have_their_smoothing_groups_and_other_flags_are_told() -> None:
    scene = Scene(source.write(source_door.with_door()), static_props="none")
    door = next(obj for obj in scene.objects().values() if obj.get("classname") == "func_door")
    mesh = bmesh.new()
    mesh.from_mesh(door.data)
    bmesh.ops.duplicate(mesh, geom=[*mesh.verts, *mesh.edges, *mesh.faces])
    mesh.verts.ensure_lookup_table()
    for vertex in mesh.verts[len(mesh.verts) // 2 :]:
        vertex.co.z += 200
    for face in list(mesh.faces)[len(mesh.faces) // 2 :]:
        face[mesh.faces.layers.int[layout.SMOOTHING_GROUPS]] = 7
        face[mesh.faces.layers.int[layout.FLAGS]] = NOSHADOWS
    mesh.to_mesh(door.data)
    mesh.free()
    made = scene.export(geometry="rebuild")
    row = made.table(LumpId.MODELS)[1]
    drawn = made.table(LumpId.FACES)[int(row["firstface"]) : int(row["firstface"] + row["numfaces"])]
    assert sorted(drawn["smoothing_groups"].tolist()) == [0] * 6 + [7] * 6
    assert any("6 new faces have the flags of like faces" in warning for warning in scene.report.warnings)


def one_number(obj: bpy.types.Object, polygon: int, name: str) -> None:
    obj.data.attributes[name].data[polygon].value ^= 0x1000


def one_uv(obj: bpy.types.Object, polygon: int, _: str) -> None:
    for loop in obj.data.polygons[polygon].loop_indices:
        obj.data.uv_layers[layout.UV].uv[loop].vector.x += 0.25


def one_material(obj: bpy.types.Object, polygon: int, _: str) -> None:
    obj.data.materials.append(bpy.data.materials.new("other"))
    obj.data.polygons[polygon].material_index = len(obj.data.materials) - 1


@pytest.mark.parametrize("polygon", range(6))
@pytest.mark.parametrize(
    ("how", "name"),
    [(one_number, layout.FLAGS), (one_number, layout.SMOOTHING_GROUPS), (one_uv, ""), (one_material, "")],
)
def test_each_polygon_of_another_entity_with_the_model_has_to_say_the_same(polygon: int, how, name: str) -> None:
    scene = Scene(source.write(source_door.with_door()), static_props="none", worldlights=False)
    door = next(obj for obj in scene.objects().values() if obj.get("classname") == "func_door")
    other = copied(door)
    how(other, polygon, name)
    with pytest.raises(SceneError, match="in common") as caught:
        scene.export()
    assert {obj: faces.tolist() for obj, faces in caught.value.faces.items()} == {other: [polygon]}
