# SPDX-License-Identifier: GPL-3.0-or-later
"""Static props that are edited in Blender, back in the map: the lump of props, and files with their baked light."""

import math

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.reports import SceneError
from levelwright.addon.source import layout
from levelwright.formats import source
from numpy.typing import ArrayLike

from tests.addon.source.exports import ROOM, Scene, copied, removed
from tests.formats import source_room
from tests.formats.source_room import FILES, LEFT_LEAF, RIGHT_LEAF, props

PROPS = "GAME_LUMP, sprp"


def records(level: source.Level) -> np.ndarray:
    return level.static_props.props


def scaled(version: int, prop: np.dtype, scale: str, value: ArrayLike = 1) -> bytes:
    """The room as a map of version 21, with props of a version that have a scale."""
    level = source_room.room(version, prop)
    data = bytearray(source_room.write(level))
    data[4] = 21
    made = source.read(bytes(data))
    records = made.static_props.props.copy()
    records[scale] = value
    made.static_props.props = records
    return bytes(source.write(made))


UNIFORM = (11, props.PROP_V11, "uniform_scale")


def same_but(here: Scene, made: source.Level, number: int, *fields: str) -> None:
    """Assert that nothing but these fields of a prop differs."""
    was, now = records(source.read(here.data)), records(made)
    assert here.changed(made) == [PROPS]
    assert len(was) == len(now)
    for name in was.dtype.names:
        for other in range(len(was)):
            same = was[name][other].tobytes() == now[name][other].tobytes()
            assert same != (other == number and name in fields), (name, other)


def test_moved_into_another_leaf() -> None:
    here = Scene()
    here.objects(layout.STATIC_PROP)[1].location.x = 200
    made = here.export()
    same_but(here, made, 1, "origin", "lighting_origin")
    assert records(made)["origin"][1].tolist() == [200, 0, 8]
    assert records(made)["lighting_origin"][1].tolist() == [200, 0, 20]
    leafs = [made.static_props.leafs_of(number).tolist() for number in range(3)]
    assert leafs == [[LEFT_LEAF], [RIGHT_LEAF], [LEFT_LEAF]]
    assert "from 3 to 3 static props, 1 edited" in "\n".join(here.report.notes)


def test_turned_and_reskinned() -> None:
    here = Scene()
    obj = here.objects(layout.STATIC_PROP)[2]
    obj.rotation_euler.z = math.radians(45)
    obj["skin"], obj["solid"] = 3, 0
    made = here.export()
    same_but(here, made, 2, "angles", "skin", "solid")
    assert records(made)["angles"][2].tolist() == [0, 45, 0]
    assert records(made)["skin"][2] == 3


def test_another_model() -> None:
    here = Scene()
    objects = here.objects(layout.STATIC_PROP)
    objects[0]["model"] = "models/b.mdl"
    made = here.export()
    assert here.changed(made) == [PROPS, "PAKFILE"]
    assert "sp_0.vhv" not in made.pak, "baked light is one of vertices"
    assert records(made)["prop_type"].tolist() == [1, 0, 0]
    del objects[0]["model"]
    other = bpy.data.meshes.new("other")  # as the import makes meshes of models that it finds
    other.from_pydata([(-4, -4, 0), (4, 4, 9), (4, -4, 0)], [], [(0, 1, 2)])
    other[layout.MODEL_PATH], other[layout.SKIN] = "models/new/c.mdl", 2
    objects[0]["model"] = "models/a.mdl"
    objects[0].data = other
    made = here.export()
    assert made.static_props.models == ["models/a.mdl", "models/b.mdl", "models/new/c.mdl"]
    assert (records(made)["prop_type"][0], records(made)["skin"][0]) == (2, 2)


def test_scaled_where_the_version_can() -> None:
    here = Scene(scaled(*UNIFORM))
    here.objects(layout.STATIC_PROP)[0].scale = (2, 2, 2)
    same_but(here, here.export(), 0, "uniform_scale")
    here.objects(layout.STATIC_PROP)[0].scale = (2, 2, 3)
    with pytest.raises(SceneError, match="scaled alike"):
        here.export()
    here = Scene(scaled(13, props.PROP_V13, "scale"))
    here.objects(layout.STATIC_PROP)[0].scale = (2, 2, 3)
    made = here.export()
    same_but(here, made, 0, "scale")
    assert records(made)["scale"][0].tolist() == [2, 2, 3]
    here = Scene()
    obj = here.objects(layout.STATIC_PROP)[0]
    obj.scale = (2, 2, 2)
    with pytest.raises(SceneError, match="have no scale") as caught:
        here.export()
    assert caught.value.objects == [obj]


def test_scaled_by_other_channels_than_its_own() -> None:
    here = Scene(scaled(*UNIFORM))
    here.objects(layout.STATIC_PROP)[0].delta_scale = (2, 2, 2)
    made = here.export()
    same_but(here, made, 0, "uniform_scale")
    assert records(made)["uniform_scale"][0] == 2


def test_copies_are_as_large_as_what_they_were_copied_from() -> None:
    here = Scene(scaled(*UNIFORM, value=[2, 1, 1]))
    for number in (0, 1):
        copied(here.objects(layout.STATIC_PROP)[number]).location.x += 16
    assert records(here.export())["uniform_scale"].tolist() == [2, 1, 1, 2, 1]


def test_only_scaled_copies_come_into_a_list_of_scales() -> None:
    here = Scene(source.write(source_room.room_with_scales(6, {2: (2, 2, 2)})))
    for number in (0, 2):
        copied(here.objects(layout.STATIC_PROP)[number]).location.x += 16
    scales = here.export().static_props.scales
    assert (scales["prop"].tolist(), scales["scale"].tolist()) == ([2, 4], [[2, 2, 2]] * 2)


def test_tinted_where_the_version_can() -> None:
    here = Scene(scaled(*UNIFORM))
    obj = here.objects(layout.STATIC_PROP)[0]
    assert list(obj["diffuse_modulation"]) == [0, 0, 0, 0]
    obj.color = (1, 0.5, 0, 1)
    made = here.export()
    same_but(here, made, 0, "diffuse_modulation")
    assert records(made)["diffuse_modulation"][0].tolist() == [255, 128, 0, 255]
    obj["diffuse_modulation"] = [1, 2, 3, 4]
    assert records(here.export())["diffuse_modulation"][0].tolist() == [1, 2, 3, 4]


def test_tinted_where_the_version_has_no_color_is_told() -> None:
    here = Scene()
    obj = here.objects(layout.STATIC_PROP)[0]
    obj.color = (1, 0.5, 0, 1)
    assert here.export().file.write() == ROOM
    assert f"{obj.name}: static props of this version have no color" in here.report.warnings


def test_deleted() -> None:
    here = Scene()
    removed(here.objects(layout.STATIC_PROP)[1])
    made = here.export()
    assert here.changed(made) == [PROPS, "PAKFILE"]
    assert records(made).tobytes() != records(source.read(ROOM)).tobytes()
    assert len(records(made)) == 2
    lit = {name: bytes(made.pak.read(name)) for name in made.pak.names if name.startswith(("sp_", "texels"))}
    assert lit == {
        "sp_0.vhv": FILES["sp_0.vhv"],
        "sp_1.vhv": FILES["sp_2.vhv"],
        "sp_hdr_1.vhv": FILES["sp_hdr_2.vhv"],
        "texelslighting_1.ppl": FILES["texelslighting_2.ppl"],
    }


@pytest.mark.parametrize("linked", [False, True], ids=["shift-d", "alt-d"])
def test_copied(linked: bool) -> None:
    here = Scene()
    obj = here.objects(layout.STATIC_PROP)[2]
    copied(obj, linked).location.x += 16
    second = copied(obj, linked)
    second.location.x = 100
    second["skin"] = 1
    made = here.export()
    assert here.changed(made) == [PROPS, "PAKFILE"]
    was, now = records(source.read(ROOM)), records(made)
    assert now[:3].tobytes() == was.tobytes()
    assert now["origin"][3:].tolist() == [[-184, 0, 8], [100, 0, 8]]
    assert now["lighting_origin"][3:].tolist() == [[-184, 0, 20], [100, 0, 20]]
    assert now["skin"][3:].tolist() == [0, 1]
    assert now["solid"][3:].tolist() == [6, 6]
    assert made.static_props.leafs_of(4).tolist() == [RIGHT_LEAF]
    assert bytes(made.pak.read("sp_hdr_3.vhv")) == FILES["sp_hdr_2.vhv"], "copies bring along the baked light"
    assert bytes(made.pak.read("sp_4.vhv")) == FILES["sp_2.vhv"]


def test_the_one_that_stayed_is_the_record() -> None:
    here = Scene()
    obj = here.objects(layout.STATIC_PROP)[0]
    copied(obj)
    obj.location.x = 50  # the copy stands where the record does
    made = here.export()
    assert records(made)["origin"].tolist() == [[-200, 0, 8], [-200, 0, 8], [-200, 0, 8], [50, 0, 8]]


def applied(obj: bpy.types.Object) -> None:
    """As Object > Apply > All Transforms does it."""
    obj.data = obj.data.copy()
    bpy.ops.object.select_all(action="DESELECT")
    obj.select_set(True)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.transform_apply()


def test_what_is_done_to_the_mesh_is_told() -> None:
    here = Scene()
    first, second, third = here.objects(layout.STATIC_PROP).values()
    first.data = first.data.copy()
    first.data.vertices[0].co.x -= 1
    assert here.export().file.write() == ROOM
    assert [warning.partition(":")[0] for warning in here.report.warnings] == [first.name]
    bpy.ops.object.select_all(action="DESELECT")
    for obj in (second, third):
        obj.select_set(True)
    bpy.context.view_layer.objects.active = second
    second.data = second.data.copy()
    bpy.ops.object.join()
    assert len(records(here.export())) == 2
    assert here.report.warnings[0].startswith(f"{first.name}, {second.name}: what was done to the mesh")
    first.data = second.data
    first.modifiers.new("", "ARRAY")
    here.export()
    assert here.report.warnings[0].startswith(f"{first.name}, {second.name}: what was done to the mesh")


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (lambda obj: setattr(obj, "location", (0, 0, 9000)), "outside of the map"),
        (lambda obj: setattr(obj, "scale", (-1, 1, 1)), "mirrored"),
        (lambda obj: obj.__setitem__("solid", 900), "^Prop 1 a: property solid: 900 is outside 0 to 255"),
        (lambda obj: obj.__setitem__("solid", 77), "solid is 77"),
        (lambda obj: obj.__setitem__("skin", -1), "skin is -1"),
        (lambda obj: obj.__setitem__("flags", 999), "^Prop 1 a: flags: 999 is no whole number from 0 to 255"),
        (lambda obj: obj.__setitem__("model", ""), "needs a property 'model'"),
        (lambda obj: obj.__delitem__("model"), "needs a property 'model'"),
        (applied, "applied to its mesh"),
        (lambda obj: obj.__setitem__("model", "models/" + "x" * 200 + ".mdl"), "127 are allowed"),
        (lambda obj: obj.__setitem__("model", "models/crate"), "isn't a model's path"),
        (lambda obj: obj.__setitem__("lighting_origin", 3.0), "lighting_origin is 3.0"),
    ],
)
def test_what_cannot_be_is_refused(edit: object, says: str) -> None:
    here = Scene()
    obj = here.objects(layout.STATIC_PROP)[1]
    edit(obj)
    with pytest.raises(SceneError, match=says) as caught:
        here.export()
    assert caught.value.objects == [obj]


def test_what_the_import_left_out_stays() -> None:
    here = Scene(static_props="none")
    assert here.export().file.write() == ROOM
    here = Scene(static_props="boxes", entities=False)
    for obj in list(here.objects(layout.STATIC_PROP).values()):
        removed(obj)
    assert len(records(here.export())) == 0


def brought(obj: bpy.types.Object, here: Scene) -> bpy.types.Object:
    """A copy of another level's object, in this one."""
    made = copied(obj, linked=True)
    for collection in made.users_collection:
        collection.objects.unlink(made)
    here.level.objects.link(made)
    made.parent = here.objects("root")[0]
    return made


def test_things_of_another_level_are_new_here() -> None:
    here, there = Scene(), Scene(scaled(*UNIFORM))
    for kind in (layout.STATIC_PROP, layout.ENTITY, layout.OVERLAY, layout.CUBEMAP):
        brought(there.objects(kind)[1 if kind != layout.OVERLAY else 0], here).location.x += 10
    made = here.export()
    assert len(records(made)) == 4
    assert records(made)["origin"][3].tolist() == [-190, 0, 8]
    assert made.static_props.models == ["models/a.mdl", "models/b.mdl"]
    before = source.read(ROOM)
    assert [entity.pairs for entity in made.entities[:3]] == [entity.pairs for entity in before.entities]
    assert made.entities[3].classname == "light"
    assert made.table(source.LumpId.OVERLAYS)["origin"][:, 0].tolist() == [-100, -90]
    assert made.table(source.LumpId.CUBEMAPS)["origin"][:, 0].tolist() == [10, 50, 60]
    assert here.export(geometry="visual").file.write() == made.file.write()


def test_a_new_one_that_cannot_be_is_refused() -> None:
    here, there = Scene(), Scene()
    obj = brought(there.objects(layout.STATIC_PROP)[0], here)
    obj["skin"] = -1
    with pytest.raises(SceneError, match="skin is -1") as caught:
        here.export()
    assert caught.value.objects == [obj]


def test_where_the_map_has_no_lump_for_them_they_are_refused() -> None:
    bare = source.read(ROOM)
    bare.game_lumps.set_bytes("sprp", b"", 6)
    here, there = Scene(source.write(bare)), Scene()
    obj = brought(there.objects(layout.STATIC_PROP)[0], here)
    with pytest.raises(SceneError, match="the map has no lump for static props") as caught:
        here.export()
    assert caught.value.objects == [obj]


@pytest.mark.parametrize("linked", [False, True], ids=["shift-d", "alt-d"])
def test_what_blender_duplicates_is_a_copy(linked: bool) -> None:
    here = Scene()
    for kind in (layout.STATIC_PROP, layout.ENTITY):
        bpy.ops.object.select_all(action="DESELECT")
        here.objects(kind)[2].select_set(True)
        bpy.ops.object.duplicate(linked=linked)
        bpy.context.selected_objects[0].location.x += 40
    made = here.export()
    assert set(here.changed(made)) == {"ENTITIES", PROPS, "PAKFILE"}
    assert records(made)["origin"][:, 0].tolist() == [-200, -200, -200, -160]
    assert made.entities[3].pairs == [("classname", "info_target"), ("targetname", "a"), ("origin", "40 0 0")]
