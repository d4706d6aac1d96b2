# SPDX-License-Identifier: GPL-3.0-or-later
"""Entities that are edited in Blender, back in the map: nothing but what was edited changes, and only in ENTITIES."""

import math

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.reports import SceneError
from levelwright.addon.source import layout
from levelwright.addon.source.entities import custom_properties
from levelwright.addon.source.props import models
from levelwright.formats import source
from mathutils import Matrix

from tests.addon.source.exports import Scene, copied, removed
from tests.addon.source.placed import a_map

ODD = [
    ("classname", "prop_dynamic"),
    ("origin", "1.500 -0  3e1"),
    ("angles", "0 90.000 0"),
    ("model", "models/none.mdl"),
    ("OnBreak", "door\x1bOpen\x1b\x1b0.50\x1b-1"),
    ("OnBreak", "door\x1bClose\x1b\x1b2\x1b-1"),
    ("Speed", "100"),
]
LIGHT = [
    ("classname", "light_spot"),
    ("origin", "0 0 64"),
    ("angles", "-45 10 5"),
    ("pitch", "-45.00"),
    ("_light", "255 0 0 10"),
]


def scene(*entities: list[tuple[str, str]], **options: object) -> Scene:
    return Scene(bytes(source.write(a_map(entities))), **options)


def pairs(level: source.Level, number: int = 1) -> dict[str, str]:
    return dict(level.entities[number].pairs)


def edited(here: Scene, number: int = 1) -> dict[str, str]:
    """The pairs of an entity that are others than the original's; asserts that nothing else is."""
    made = here.export()
    before = source.read(here.data)
    assert here.changed(made) == ["ENTITIES"]
    assert len(made.entities) == len(before.entities)
    for other, entity in enumerate(made.entities):
        assert other == number or entity.pairs == before.entities[other].pairs
    assert [key for key, _ in before.entities[number].pairs] == [
        key for key, _ in made.entities[number].pairs[: len(before.entities[number].pairs)]
    ]
    was = before.entities[number].pairs
    return dict(pair for pair in made.entities[number].pairs if pair not in was)


def test_moved_along_one_axis() -> None:
    here = scene(ODD, LIGHT)
    here.objects()[1].location.z = 31.25
    assert edited(here) == {"origin": "1.500 -0 31.25"}
    here.objects()[1].location.z = 30
    assert here.export().entities[1].pairs == ODD
    assert here.export().file.write() == here.data


def test_turned() -> None:
    here = scene(ODD, LIGHT)
    here.objects()[1].rotation_euler.z += math.radians(45)
    assert edited(here) == {"angles": "0 135 0"}
    here.objects()[1].rotation_mode = "QUATERNION"
    here.objects()[1].rotation_quaternion = Matrix.Rotation(math.radians(90), 4, "Z").to_quaternion()
    assert here.export().entities[1].pairs == ODD
    here.objects()[1].rotation_quaternion = Matrix.Rotation(math.radians(-30), 4, "Y").to_quaternion()
    assert edited(here) == {"angles": "-30 0 0"}


@pytest.mark.parametrize(
    ("angle", "shown", "turns", "written"),
    [
        ("90", (0, 0, 90), (0, 0, 45), {"angle": "135"}),
        ("30.0", (0, 0, 30), (0, 0, -50), {"angle": "340"}),
        ("-1", (0, -90, 0), (0, 180, 0), {"angle": "-2"}),
        ("-2", (0, 90, 0), (0, -90, 20), {"angle": "20"}),
        ("270", (0, 0, 270), (0, -90, -270), {"angle": "-1"}),
        ("45", (0, 0, 45), (0, 10, 0), {"angles": "10 45 0"}),
        ("-2", (0, 90, 0), (30, 0, 0), {"angles": "90 0 30"}),
    ],
)
def test_the_older_key_of_one_angle(
    angle: str, shown: tuple[float, ...], turns: tuple[float, ...], written: dict[str, str]
) -> None:
    """`angle` is a yaw, -1 up and -2 down; it stays what it is as long as it can say it."""
    here = scene([("classname", "info_null"), ("origin", "1 2 3"), ("angle", angle)])
    obj = here.objects()[1]
    np.testing.assert_allclose(np.degrees(obj.rotation_euler), shown, atol=1e-4)
    assert here.export().file.write() == here.data
    obj.location.x = 5
    assert edited(here) == {"origin": "5 2 3"}
    obj.location.x = 1
    obj.rotation_euler = [math.radians(was + by) for was, by in zip(shown, turns, strict=True)]
    assert edited(here) == written
    again = Scene(bytes(here.export().file.write())).objects()[1]
    np.testing.assert_allclose(again.rotation_euler.to_matrix(), obj.rotation_euler.to_matrix(), atol=1e-5)


def test_angles_win_over_the_older_key() -> None:
    here = scene([*ODD, ("angle", "45")])
    assert here.objects()[1].rotation_euler.z == pytest.approx(math.radians(90))
    here.objects()[1].rotation_euler.z = 0
    assert edited(here) == {"angles": "0 0 0"}


def test_moved_with_a_parent() -> None:
    here = scene(ODD, LIGHT)
    handle = bpy.data.objects.new("handle", None)
    here.level.objects.link(handle)
    obj = here.objects()[1]
    obj.parent = handle  # the root's scale is lost, the handle has it: so it stays where it was
    handle.parent = here.objects("root")[0]
    assert here.export().entities[1].pairs == ODD
    handle.location.x = 4
    handle.rotation_euler.z = math.radians(90)
    assert edited(here) == {"origin": "4 1.5 3e1", "angles": "0 180 0"}


def test_what_lights_and_cameras_look_at() -> None:
    camera = [("classname", "point_camera"), ("origin", "0 0 0"), ("angles", "10 20 30"), ("fov", "90")]
    here = scene(LIGHT, camera)
    here.objects()[1].rotation_euler.z += math.radians(30)
    here.objects()[2].rotation_euler.x -= math.radians(5)
    made = here.export()
    assert pairs(made)["angles"] == "-45 40 5"
    assert pairs(made)["pitch"] == "-45.00"
    assert pairs(made, 2)["angles"] == "15 20 30"
    here.objects()[1].rotation_euler.x += math.radians(15)
    assert pairs(here.export())["pitch"] == "-30"
    again = Scene(bytes(here.export().file.write()))
    for number in (1, 2):
        assert again.objects()[number].rotation_euler[:] == pytest.approx(here.objects()[number].rotation_euler[:])


def test_lights_speakers_and_cameras_that_are_set() -> None:
    sound = [("classname", "ambient_generic"), ("origin", "0 0 0"), ("radius", "500"), ("health", "8")]
    camera = [("classname", "point_camera"), ("origin", "0 0 0"), ("fov", "90")]
    here = scene([*LIGHT, ("_cone", "45")], sound, camera)
    light, speaker, view = (here.objects()[number].data for number in (1, 2, 3))
    light.energy *= 2
    light.color = (1, 0, 0)
    assert edited(here) == {"_light": "255 0 0 20"}
    light.color = (0.2176376, 1, 0)
    assert pairs(here.export())["_light"] == "127 255 0 20"
    light.spot_size = math.radians(60)
    light.use_custom_distance, light.cutoff_distance = True, 100 * 0.01905
    made = pairs(here.export())
    assert (made["_cone"], made["_distance"]) == ("30", "100")
    speaker.distance_max, speaker.volume = 200 * 0.01905, 0.5
    view.angle = math.radians(60)
    level = here.export()
    assert (pairs(level, 2)["radius"], pairs(level, 2)["health"], pairs(level, 3)["fov"]) == ("200", "5", "60")
    again = Scene(bytes(level.file.write()))
    assert again.objects()[1].data.energy == pytest.approx(light.energy, rel=1e-3)
    assert again.objects()[1].data.color[:] == pytest.approx(light.color[:], abs=5e-3)
    assert again.objects()[1].data.spot_blend == pytest.approx(light.spot_blend, abs=1e-3)


def test_properties() -> None:
    here = scene(ODD, LIGHT)
    obj = here.objects()[1]
    obj["Speed"] = 250
    obj["health"] = 12.5
    obj["angles"] = "0 45 0"
    obj.rotation_euler.z = 1  # the property wins
    assert edited(here) == {"Speed": "250", "health": "12.5", "angles": "0 45 0"}
    del obj["Speed"]
    made = here.export()
    assert "Speed" not in pairs(made)
    here.level["skyname"] = "sky_day01_01"
    assert made.entities[0].get("skyname") is None
    assert here.export().entities[0].get("skyname") == "sky_day01_01"


def test_outputs() -> None:
    here = scene(ODD, LIGHT)
    obj = here.objects()[1]
    first, second = obj["OnBreak"]
    obj["OnBreak"] = [first.replace("Open", "Unlock"), second, first]
    made = here.export().entities[1]
    assert [(key, value.split("\x1b")[1]) for key, value in made.pairs if key == "OnBreak"] == [
        ("OnBreak", "Unlock"),
        ("OnBreak", "Close"),
        ("OnBreak", "Open"),
    ]
    assert [key for key, _ in made.pairs] == [key for key, _ in ODD[:6]] + ["OnBreak", "Speed"]
    obj["OnBreak"] = [second]
    assert [pair for pair in here.export().entities[1].pairs if pair[0] == "OnBreak"] == [ODD[5]]


def test_deleted_copied_and_new() -> None:
    here = scene(ODD, LIGHT, ODD)
    removed(here.objects()[2])
    copied(here.objects()[1]).location.x = 9
    made = bpy.data.objects.new("a", None)
    here.level.objects.link(made)
    made.parent = here.objects("root")[0]
    made["classname"], made["targetname"] = "info_target", "goal"
    made.location, made.rotation_euler.z = (1, 2, 3), math.radians(90)
    level = here.export()
    assert here.changed(level) == ["ENTITIES"]
    before = [entity.pairs for entity in source.read(here.data).entities]
    assert [entity.pairs for entity in level.entities[:3]] == [before[0], before[1], before[3]]
    assert pairs(level, 3) == {**dict(ODD), "origin": "9 -0 3e1"}
    new = [("classname", "info_target"), ("targetname", "goal"), ("origin", "1 2 3"), ("angles", "0 90 0")]
    assert level.entities[4].pairs == new
    assert len(level.entities) == 5


def test_new_objects_without_a_parent_are_where_they_are_seen() -> None:
    here = scene(ODD)
    root = here.objects("root")[0]
    root.location.x = 1
    made = bpy.data.objects.new("a", None)
    here.level.objects.link(made)
    made["classname"] = "info_target"
    made.location = (2, 3, 1)
    made.rotation_euler.z = math.radians(90)
    level = here.export()
    place = np.array([float(one) for one in pairs(level, 2)["origin"].split()])
    assert np.allclose(place, np.array([1, 3, 1]) / root.scale[0], atol=1e-3)
    assert pairs(level, 2)["angles"] == "0 90 0"
    assert here.report.warnings == [], "nobody scaled it"
    solid = bpy.data.objects.new("b", bpy.data.meshes.new("b"))  # in metres, as Add > Mesh makes it
    here.level.objects.link(solid)
    solid["classname"], solid["model"] = "prop_dynamic", "models/a.mdl"
    assert "modelscale" not in pairs(here.export(), 3)
    made.scale.x = 2
    here.export()
    assert any("has no scale" in each for each in here.report.warnings)


def test_properties_of_other_extensions_are_no_keys() -> None:
    here = scene(ODD)
    bpy.types.Object.of_another = bpy.props.IntProperty()
    try:
        made = bpy.data.objects.new("a", None)
        here.level.objects.link(made)
        made["classname"], made["scale"], made["name"], made["type"] = "env_sprite", "0.5", "b", 3
        made["group"], made["pointer"], made.of_another = {"a": 1}, made, 7
        level = here.export()
    finally:
        del bpy.types.Object.of_another
    assert level.entities[2].pairs == [
        ("classname", "env_sprite"),
        ("scale", "0.5"),
        ("name", "b"),
        ("type", "3"),
        ("origin", "0 0 0"),
    ]


def test_brush_entities_move_by_their_origin() -> None:
    data = a_map([[("classname", "func_brush"), ("model", "*0"), ("origin", "0 0 8")]])
    here = Scene(bytes(source.write(data)))
    obj = here.objects()[1]
    obj.location.y, obj.rotation_euler.z = 5, math.radians(90)
    assert edited(here) == {"origin": "0 5 8", "angles": "0 90 0"}
    obj.scale.x = 2
    with pytest.raises(SceneError, match="apply it to the mesh") as caught:
        here.export()
    assert caught.value.objects == [obj]
    obj.scale.x = 1
    obj["classname"] = "func_door"
    with pytest.raises(SceneError, match="where it moves"):
        here.export()


def test_what_is_no_part_of_the_map_is_left_out_with_what_makes_it_one() -> None:
    here = scene(LIGHT)
    for name, data in (("crate", bpy.data.meshes.new("crate")), ("spot", None)):
        here.level.objects.link(bpy.data.objects.new(name, data))
    here.export()
    told = "\n".join(here.report.lines())
    assert "mesh 'crate' (not a part of the map: Make Brush Entity makes it one)" in told
    assert "object 'spot' (not a part of the map: an entity needs a property classname)" in told


def test_what_the_import_left_out_stays() -> None:
    here = scene(ODD, LIGHT, entities=False)
    assert here.export().file.write() == here.data
    made = bpy.data.objects.new("a", None)
    here.level.objects.link(made)
    made["classname"] = "info_target"
    level = here.export()
    assert [entity.classname for entity in level.entities] == [
        "worldspawn",
        "prop_dynamic",
        "light_spot",
        "info_target",
    ]


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("Speed", 'quo"te', "quotation mark"),
        ("Speed", "x" * 2000, "longer than 1024"),
        ("classname", "", "has no classname"),
        ("model", "*7", r"its model is \*7"),
    ],
)
def test_what_the_lump_cannot_hold_is_refused(key: str, value: str, says: str) -> None:
    here = scene(ODD, LIGHT)
    obj = here.objects()[1]
    if value:
        obj[key] = value
    else:
        del obj[key]
    with pytest.raises(SceneError, match=says) as caught:
        here.export()
    assert caught.value.objects == [obj]


def test_an_entity_without_pairs_stays_until_it_is_edited() -> None:
    here = scene(ODD, [])
    assert here.export().file.write() == here.data
    here.objects()[2]["targetname"] = "a"
    with pytest.raises(SceneError, match="no classname"):
        here.export()


def test_brush_models_of_another_map_are_no_models_here() -> None:
    here, there = scene(ODD), scene([("classname", "func_button"), ("model", "*0")])
    here.level.objects.link(there.objects()[1])
    with pytest.raises(SceneError, match="that of another map") as caught:
        here.export()
    assert caught.value.objects == [there.objects()[1]]


def test_things_that_are_no_entities_are_told() -> None:
    here = scene(ODD)
    lamp, probe = bpy.data.lights.new("lamp", "POINT"), bpy.data.lightprobes.new("probe", "SPHERE")
    for name, data in (("lost", None), ("lamp", lamp), ("probe", probe)):
        here.level.objects.link(bpy.data.objects.new(name, data))
    here.export()
    assert "object 'lost'" in here.report.summary()
    assert "light 'lamp'" in here.report.summary()
    assert "light probe 'probe' (not a cubemap" in here.report.summary()
    here.objects()[1]["group"] = {"a": 1}
    assert here.export().file.write() == here.data
    assert "prop_dynamic 1: property group isn't written: it holds neither text nor numbers" in here.report.warnings


def test_a_light_of_another_type_stays_what_its_class_says() -> None:
    here = scene(LIGHT)
    here.objects()[1].data.type = "AREA"
    assert here.export().file.write() == here.data
    assert "AREA is ignored" in here.report.warnings[0]


def test_a_light_that_is_brighter_keeps_its_colour() -> None:
    here = scene([*LIGHT[:-1], ("_light", "254 210 152 35")])
    here.objects()[1].data.energy *= 2
    assert edited(here) == {"_light": "254 210 152 70"}


def test_lights_that_are_new_or_were_dark_are_as_bright_as_blenders() -> None:
    here = scene([("classname", "light"), ("origin", "0 0 0")], LIGHT)
    dark, lamp = here.objects()[1], bpy.data.lights.new("lamp", "SPOT")
    dark.data.energy = here.objects()[2].data.energy  # red, and 10 bright
    lamp.energy, lamp.color, lamp.spot_size, lamp.spot_blend = 50, (1, 0, 0), math.radians(40), 0
    new = bpy.data.objects.new("lamp", lamp)
    new["classname"] = "light_spot"
    here.level.objects.link(new)
    made = here.export()
    assert pairs(made)["_light"] == "255 255 255 10"
    assert (pairs(made, 3)["_cone"], pairs(made, 3)["_inner_cone"]) == ("20", "20")
    again = Scene(bytes(made.file.write())).objects()[3]
    assert again.data.energy == pytest.approx(50, rel=1e-3)
    assert tuple(again.data.color) == (1, 0, 0)
    new["_light"] = "1 2 3 4"
    assert pairs(here.export(), 3)["_light"] == "1 2 3 4"


def test_a_place_that_is_typed_wins() -> None:
    here = scene(ODD)
    obj = here.objects()[1]
    obj.location.x, obj["origin"] = 7, "1 2 3"
    assert edited(here) == {"origin": "1 2 3"}
    new = bpy.data.objects.new("a", None)
    here.level.objects.link(new)
    new["classname"], new["origin"], new["angles"] = "info_target", [4, 5, 6], "0 90 0"
    new.location.x, new.rotation_euler.z = 8, 1
    made = here.export()
    assert made.entities[2].pairs == [("classname", "info_target"), ("origin", "4 5 6"), ("angles", "0 90 0")]


def test_meshes_of_new_entities() -> None:
    here = scene(ODD)
    obj = bpy.data.objects.new("a", bpy.data.meshes.new("a"))
    here.level.objects.link(obj)
    obj["classname"] = "info_target"
    assert len(here.export().entities) == 3
    assert here.report.warnings == ["a: its mesh isn't part of the map: its class has no brush model"]
    obj["model"] = "models/a.mdl"
    models.remember(obj.data)
    here.export()
    assert here.report.warnings == []
    obj.data.vertices.add(1)
    here.export()
    assert here.report.warnings == [f"a: {models.EDITED}"]
    obj["classname"], obj["model"] = "func_door", ""
    with pytest.raises(SceneError, match=r"^a: the map has no world") as caught:
        here.export()
    assert caught.value.objects == [obj]
    bare = bpy.data.objects.new("b", None)
    here.level.objects.link(bare)
    obj["classname"], bare["classname"] = "info_target", "func_door"
    here.export()
    assert any(each.startswith("b: a func_door needs a brush model") for each in here.report.warnings)


def test_an_unreadable_lump_of_light_changes_no_entity() -> None:
    level = a_map([LIGHT])
    level.set_bytes(source.LumpId.LIGHTING_HDR, bytes(400))
    data = bytearray(source.write(level))
    at = 8 + 16 * source.LumpId.LIGHTING_HDR
    data[at : at + 4] = (len(data) - 8).to_bytes(4, "little")
    assert Scene(bytes(data), lightmaps="hdr").export().file.write() == data


def test_brushes_and_occluders_that_stay_are_told() -> None:
    here = Scene(brushes=True, leafs=True, detail_props=True)
    here.export()
    assert here.report.warnings == []
    here.objects("brushes")[0].location.x = 5
    with pytest.raises(SceneError, match="SOLID: brushes were edited"):
        here.export()
    assert here.export(world="ignore").file.write() == here.data
    assert here.report.warnings == ["SOLID: brushes were edited, which is left out: in the map they stay"]
    here.level[layout.SHOWN] += f" {layout.OCCLUDERS}"
    here.export(world="ignore")
    assert "Occluders can't be taken out of a map: they were deleted, in the map they stay" in here.report.warnings


def test_values_typed_by_a_game_definition(tmp_path) -> None:
    fgd = tmp_path / "game.fgd"
    fgd.write_text(
        '@PointClass = thing : "A" [ count(integer) : "n" : 5 share(float) : "s" : 1 '
        'tint(color255) : "t" : "1 2 3" way(vector) : "w" : "0 0 1" ]'
    )
    kept = [("classname", "thing"), ("count", "5"), ("share", "0.50"), ("tint", "1 2  3"), ("way", "0 0.10 1")]
    here = scene([*kept, ("origin", "1 2 3")], fgd=str(fgd))
    obj = here.objects()[1]
    assert (obj["count"], obj["share"], list(obj["tint"]), list(obj["way"])) == (5, 0.5, [1, 2, 3], [0, 0.1, 1])
    assert here.export().file.write() == here.data
    obj["count"], obj["tint"] = 6, [1, 2, 4]
    assert edited(here) == {"count": "6", "tint": "1 2 4"}


def test_every_separator_that_is_shown_is_the_games() -> None:
    assert custom_properties.as_values("a\u241bOpen\u241b\u241b0\u241b-1") == ["a\x1bOpen\x1b\x1b0\x1b-1"]


def test_a_map_without_a_world_keeps_its_entities() -> None:
    level = a_map([ODD, LIGHT, ODD])
    level.entities.pop(0)
    here = Scene(bytes(source.write(level)))
    here.level["skyname"] = "sky_day01_01"  # of the world, which isn't there
    assert here.export().file.write() == here.data
    removed(here.objects()[1])
    assert [entity.pairs for entity in here.export().entities] == [ODD, ODD]
