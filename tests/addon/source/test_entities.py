# SPDX-License-Identifier: GPL-3.0-or-later
"""Entities as objects: places, turns, properties in order, lights, ropes, sounds, cameras; game definitions."""

import math
import struct

import bpy
import numpy as np
import pytest
from levelwright.addon.source import layout
from levelwright.addon.source.entities import classes, custom_properties, ropes
from levelwright.addon.source.lights import lamps
from levelwright.formats.source.content import fgd
from levelwright.formats.source.entities.text import Entity
from mathutils import Euler, Vector

from tests.addon.source.placed import a_map, objects, shown
from tests.formats import source_model_bytes as model_bytes

OUTPUT = "relay\x1bTrigger\x1b\x1b0.5\x1b-1"


def only(*pairs: tuple[str, str], **settings: object) -> bpy.types.Object:
    collection, _ = shown(a_map([pairs]), **settings)
    return objects(collection)[1]


def test_pairs_are_properties_in_their_order():
    pairs = [
        ("origin", "1 2.5 -3"),
        ("targetname", "a b"),
        ("OnTrigger", OUTPUT),
        ("zeta", ""),
        ("OnTrigger", OUTPUT.replace("relay", "other")),
        ("alpha", "0012"),
        ("OnUser1", "x,y,z,1,2"),
        ("classname", "logic_relay"),
        ("k" * 64, "too long for Blender"),
        ("levelwright_x", "a name of ours"),
    ]
    obj = only(*pairs)
    keys = [key for key in dict(obj.items()) if not key.startswith("levelwright")]
    assert keys == ["targetname", "OnTrigger", "zeta", "alpha", "OnUser1", "classname"]
    assert obj["alpha"] == "0012"
    assert list(obj["OnTrigger"]) == [
        "relay\u241bTrigger\u241b\u241b0.5\u241b-1",
        "other\u241bTrigger\u241b\u241b0.5\u241b-1",
    ]
    assert list(obj["OnUser1"]) == ["x,y,z,1,2"]
    assert tuple(obj.location) == (1, 2.5, -3)
    for key, values in custom_properties.shown(Entity(list(pairs))).items():
        assert custom_properties.as_values(obj[key]) == values


def test_the_world_is_on_the_collection():
    collection, _ = shown(a_map(world=[("skyname", "sky_day01_01"), ("comment", "\u00fc")]))
    assert collection["skyname"] == "sky_day01_01"
    assert collection["comment"] == "\u00fc"
    assert collection["classname"] == "worldspawn"
    assert objects(collection) == {}


def test_without_entities():
    collection, report = shown(a_map([[("classname", "light")]]), entities=False)
    assert objects(collection) == {}
    assert not report.warnings


def test_angles_turn_about_y_z_and_x():
    obj = only(("classname", "info_player_start"), ("angles", "30 40 50"), ("origin", "0 0 0"))
    forward = Euler(obj.rotation_euler, obj.rotation_mode).to_matrix() @ Vector((1, 0, 0))
    left = Euler(obj.rotation_euler, obj.rotation_mode).to_matrix() @ Vector((0, 1, 0))
    pitch, yaw, roll = map(math.radians, (30, 40, 50))
    assert forward[:] == pytest.approx(  # mathlib's AngleVectors
        (math.cos(pitch) * math.cos(yaw), math.cos(pitch) * math.sin(yaw), -math.sin(pitch)), abs=1e-6
    )
    right = (
        -math.sin(roll) * math.sin(pitch) * math.cos(yaw) + math.cos(roll) * math.sin(yaw),
        -math.sin(roll) * math.sin(pitch) * math.sin(yaw) - math.cos(roll) * math.cos(yaw),
        -math.sin(roll) * math.cos(pitch),
    )
    assert (-left)[:] == pytest.approx(right, abs=1e-6)
    assert obj["angles"] == "30 40 50"


def test_values_that_are_no_numbers_leave_objects_where_they_are():
    obj = only(("classname", "info_target"), ("origin", "nan 0 inf"), ("angles", "a b c"))
    assert tuple(obj.location) == (0, 0, 0)
    obj = only(("classname", "info_target"), ("origin", "somewhere"))
    assert obj["origin"] == "somewhere"


def test_classes_are_sorted_into_collections():
    names = ("info_player_start", "npc_citizen", "logic_auto", "env_steam", "item_key", "phys_hinge", "zzz", "")
    collection, _ = shown(a_map([[("classname", name)] for name in names]))
    homes = [obj.users_collection[0].name for _, obj in sorted(objects(collection).items())]
    assert homes == ["Spawns", "NPCs", "Logic", "Effects", "Items", "Physics", "Other", "Other"]
    assert objects(collection)[1].empty_display_type == "ARROWS"
    assert classes.group_of("LIGHT_SPOT").name == "Lights"


def shine(obj: bpy.types.Object) -> tuple[float, ...]:
    return (Euler(obj.rotation_euler).to_matrix() @ Vector((0, 0, -1)))[:]


def test_a_light_is_as_bright_as_the_compilers_at_a_hundred_units():
    obj = only(("classname", "light"), ("_light", "255 128 0 510"), ("_quadratic_attn", "1"), ("_distance", "600"))
    light = obj.data
    assert light.type == "POINT"
    assert tuple(light.color) == pytest.approx((1, (128 / 255) ** 2.2, 0))
    metres = 100 * layout.SCALE
    assert light.energy / (4 * math.pi**2 * metres**2) == pytest.approx(2)
    assert light.use_custom_distance
    assert light.cutoff_distance == pytest.approx(600 * layout.SCALE)


def test_a_light_with_two_distances_has_half_at_the_first():
    values = {"_light": "255 255 255 255", "_fifty_percent_distance": "200", "_zero_percent_distance": "400"}
    shown_light = lamps.appearance("light", values, 0.5)
    assert shown_light.energy / (4 * math.pi**2 * 100**2) == pytest.approx(0.5)
    assert shown_light.cutoff == 200


def test_a_spotlight_shines_where_vrad_lets_it():
    pairs = [("classname", "light_spot"), ("angles", "-30 90 0"), ("_cone", "60"), ("_inner_cone", "40"),
             ("_light", "255 255 255 200")]  # fmt: skip
    down = only(*pairs)
    assert shine(down) == pytest.approx((0, math.cos(math.radians(30)), -0.5), abs=1e-6)
    assert down.data.spot_size == pytest.approx(math.radians(120))
    inner, outer = math.cos(math.radians(40)), math.cos(math.radians(60))
    assert outer + (1 - outer) * down.data.spot_blend == pytest.approx(inner)
    assert shine(only(*pairs, ("pitch", "-90"))) == pytest.approx((0, 0, -1), abs=1e-6)
    assert shine(only(*pairs, ("angle", "-1"))) == pytest.approx((0, 0, 1), abs=1e-6)


def test_the_sun():
    obj = only(("classname", "light_environment"), ("_light", "255 255 255 255"), ("SunSpreadAngle", "5"),
               ("pitch", "-60"), ("angles", "0 0 0"))  # fmt: skip
    assert obj.data.type == "SUN"
    assert obj.data.energy == pytest.approx(math.pi)
    assert obj.data.angle == pytest.approx(math.radians(5))
    assert shine(obj) == pytest.approx((0.5, 0, -math.sqrt(0.75)), abs=1e-6)


@pytest.mark.parametrize("text", ["", "a b c", "inf 0 0 1", "0 0 0 200", "-5 -5 -5 3"])
def test_a_light_that_is_none_is_dark(text):
    assert lamps.light_color(text)[1] == 0


@pytest.mark.parametrize(
    ("high", "scale", "brightness"), [("-1 -1 -1 1", "2", 1), ("255 255 255 510", "0.5", 1), ("0 255 0 1020", "1", 4)]
)
def test_a_light_has_its_own_brightness_for_hdr(high, scale, brightness):
    values = {"_light": "255 255 255 255", "_lighthdr": high, "_lightscalehdr": scale}
    looks = [lamps.appearance("light_environment", values, 1.0, hdr) for hdr in (False, True)]
    assert [look.energy / math.pi for look in looks] == pytest.approx([1, brightness])


def test_ladders():
    ends = ["maxs.z", "maxs.y", "maxs.x", "mins.z", "mins.y", "mins.x"]
    box = [("classname", "info_ladder"), *((key, f"{number}.00") for number, key in enumerate(ends))]
    way = [("classname", "func_useableladder"), ("point0", "1 2 30"), ("point1", "1 2 90"), ("origin", "0 0 60")]
    collection, _ = shown(a_map([box, way, [("classname", "info_ladder")], [("classname", "func_useableladder")]]))
    made = objects(collection)
    corners = np.array([vertex.co[:] for vertex in made[1].data.vertices])
    assert (corners.min(axis=0).tolist(), corners.max(axis=0).tolist()) == ([2, 1, 0], [5, 4, 3])
    assert [tuple(point.co[:3]) for point in made[2].data.splines[0].points] == [(1, 2, -30), (1, 2, 30)]
    assert tuple(made[2].location) == (0, 0, 60)
    assert [made[3].type, made[4].type] == ["EMPTY", "EMPTY"]
    assert {obj.users_collection[0].name for obj in made.values()} == {"Ladders"}


def test_ropes_hang_between_their_ends():
    first = [("classname", "move_rope"), ("origin", "0 0 100"), ("targetname", "a"), ("NextKey", "B"), ("Slack", "125"),
             ("Width", "4"), ("angles", "0 45 0")]  # fmt: skip
    last = [("classname", "keyframe_rope"), ("origin", "300 0 100"), ("targetname", "b")]
    collection, _ = shown(a_map([first, last]))
    made = objects(collection)
    rope = made[1]
    assert made[2].type == "EMPTY"
    assert rope.type == "CURVE"
    assert rope.data.bevel_depth == 2
    assert rope.data.materials[0][layout.MATERIAL] == "cable/cable"
    assert ropes.material_of({"ropematerial": "Cable\\Chain.vmt"}) == "cable/chain"
    assert tuple(rope.rotation_euler) == (0, 0, 0)
    points = np.array([point.co[:3] for point in rope.data.splines[0].points])
    assert points[[0, -1]].tolist() == [[0, 0, 0], [300, 0, 0]]
    length = np.linalg.norm(np.diff(points, axis=0), axis=1).sum()
    assert length == pytest.approx(325, rel=0.02)


def test_sounds_and_cameras():
    collection, _ = shown(
        a_map(
            [
                [("classname", "ambient_generic"), ("radius", "800"), ("health", "5"), ("message", "wind.wav")],
                [("classname", "sky_camera"), ("angles", "0 90 0"), ("scale", "16")],
            ]
        )
    )
    sound, camera = objects(collection)[1], objects(collection)[2]
    assert sound.data.distance_max == pytest.approx(800 * layout.SCALE)
    assert sound.data.volume == 0.5
    assert shine(camera) == pytest.approx((0, 1, 0), abs=1e-6)


def test_sounds_that_are_found_are_heard():
    head = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 44, b"WAVE", b"fmt ", 16, 1, 1, 8000, 8000, 1, 8, b"data", 8)
    pairs = [("classname", "ambient_generic"), ("message", "*ambient\\Wind.WAV")]
    script = [("classname", "ambient_generic"), ("message", "Jukebox.Start")]
    missing = [("classname", "ambient_generic"), ("message", "gone.mp3")]
    level = a_map([pairs, pairs, script, missing], {"sound/ambient/wind.wav": head + bytes(8)})
    collection, report = shown(level)
    heard = [obj.data.sound for _, obj in sorted(objects(collection).items())]
    assert heard[0] == heard[1]
    assert bytes(heard[0].packed_file.data) == head + bytes(8)
    assert heard[2:] == [None, None]
    assert report.missing_names["sounds"] == ["gone.mp3"]


def test_models_of_entities():
    files = {f"models/a{ending}": data for ending, data in model_bytes.quad().items()}
    pairs = [("classname", "prop_dynamic"), ("model", "models/A.mdl"), ("modelscale", "2"), ("origin", "1 2 3")]
    missing = [("classname", "prop_physics"), ("model", "models/b.mdl")]
    collection, report = shown(a_map([pairs, pairs, missing], files))
    made = objects(collection)
    assert made[1].data == made[2].data
    assert made[1].data[layout.MODEL_PATH] == "models/a.mdl"
    assert tuple(made[1].scale) == (2, 2, 2)
    assert made[3].type == "EMPTY"
    assert report.missing_names["models"] == ["models/b.mdl"]


DEFINITION = """@BaseClass = Base [ targetname(target_source) : "Name" : : "What others call it" ]
@include "gone.fgd"
@PointClass base(Base) = thing
[
    count(integer) : "Count"
    speed(float) : "Speed"
    kind(choices) : "Kind" = [ 0 : "Small" 1 : "Large" ]
    spawnflags(flags) = [ 1 : "Loud" : 0 ]
    rendercolor(color255) : "Colour"
    way(vector) : "Way"
    output OnUse(void) : "Is used"
]"""


def test_a_game_definition_gives_types_and_tooltips(tmp_path):
    path = tmp_path / "game.fgd"
    path.write_text(DEFINITION)
    pairs = [("classname", "thing"), ("targetname", "x"), ("count", "12"), ("speed", "0.10"), ("kind", "1"),
             ("spawnflags", "1"), ("rendercolor", "255 0 10"), ("way", "1 0.5 0"), ("OnUse", OUTPUT)]  # fmt: skip
    collection, report = shown(a_map([pairs, [("classname", "thing"), ("count", "012"), ("kind", "7")]]), fgd=str(path))
    obj, odd = objects(collection)[1], objects(collection)[2]
    assert (obj["count"], obj["speed"], obj["kind"], obj["spawnflags"]) == (12, 0.1, 1, 1)
    assert obj["rendercolor"].to_list() == [255, 0, 10]
    assert obj["way"].to_list() == [1, 0.5, 0]
    assert obj.id_properties_ui("targetname").as_dict()["description"] == "Name: What others call it"
    menu = obj.id_properties_ui("kind").as_dict()["items"]
    assert [(item[1], item[-1]) for item in menu] == [("Small", 0), ("Large", 1)]
    assert odd["count"] == "012"  # as a number it would be another text
    assert odd["kind"] == 7
    assert report.missing_names["game definitions"] == ["gone.fgd"]
    definitions = custom_properties.Types(fgd.read(DEFINITION.encode()))
    for key, values in custom_properties.shown(Entity(list(pairs))).items():
        now = obj[key].to_list() if hasattr(obj[key], "to_list") else obj[key]
        assert now == custom_properties.as_property(key, values, definitions.key("thing", key))
    assert custom_properties.as_values(obj["rendercolor"]) == ["255 0 10"]
    assert custom_properties.as_values(obj["way"]) == ["1 0.5 0"]


def test_the_preferences_may_name_a_game_definition(tmp_path):
    path, other = tmp_path / "game.fgd", tmp_path / "other.fgd"
    path.write_text("@PointClass = thing [ count(integer) : 'Count' ]".replace("'", '"'))
    other.write_text("@PointClass = other []")
    chosen = bpy.context.preferences.addons["levelwright"].preferences
    chosen.source_definition = str(path)
    try:
        assert only(("classname", "thing"), ("count", "1"))["count"] == 1
        assert only(("classname", "thing"), ("count", "1"), fgd=str(other))["count"] == "1"
    finally:
        chosen.property_unset("source_definition")


def test_a_bad_game_definition_is_told(tmp_path):
    path = tmp_path / "bad.fgd"
    path.write_text("nothing")
    collection, report = shown(a_map([[("classname", "thing"), ("count", "1")]]), fgd=str(path))
    assert objects(collection)[1]["count"] == "1"
    assert "line 1" in report.warnings[0]


@pytest.mark.parametrize(
    "pairs",
    [
        [("classname", "info_target"), ("origin", "1 2 3"), ("Angles", "0 90 0")],
        [("origin", "nowhere"), ("a", ""), ("Origin", "1 2 3")],
        [("a", "1"), ("A", "2"), ("a", "3"), ("b", "4")],
        [("a", "1"), ("OnTrigger", OUTPUT), ("b", "x,y,z,1,2")],
        [("a", "\0cut"), ("k" * 64, "too long"), ("levelwright_x", "ours"), ("b", "\udc80")],
        [],
    ],
)
def test_texts_that_are_set_at_once_are_those_that_are_made_one_by_one(pairs: list[tuple[str, str]]) -> None:
    obj, entity = bpy.data.objects.new("entity", None), Entity(pairs)
    custom_properties.write(obj, entity, custom_properties.Types())
    one_by_one = bpy.data.objects.new("other", None)
    for key, values in custom_properties.shown(entity).items():
        custom_properties.put(one_by_one, key, custom_properties.as_property(key, values))
    assert [*obj.items()] == [*one_by_one.items()]
