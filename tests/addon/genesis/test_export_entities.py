# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of entities, world models and motions in a `.map`: only what was edited gets another text."""

import bpy
import numpy as np
import pytest
from levelwright.addon.genesis import layout
from levelwright.addon.genesis.light import kinds
from levelwright.addon.scene.kept import identity
from levelwright.addon.scene.media import animation
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats import genesis

from tests.addon.genesis.export_helpers import exported, imported, part
from tests.formats.genesis_bytes import (
    LIGHT,
    binary_motion,
    box,
    entity,
    keys,
    level,
    light,
    model,
    motion,
    typedef,
    whole_level,
)
from tests.formats.genesis_bytes import brush as brush_bytes

SPOT = (
    ("light", "int"),
    ("color", "color"),
    ("style", "int"),
    ("origin", "point"),
    ("angles", "point"),
    ("arc", "int"),
)
START = (
    ("origin", "point"),
    ("angles", "point"),
    ("wait", "float"),
    ("count", "int"),
    ("door", "model"),
    ("text", "string"),
)


def start(*more):
    pairs = [
        ("classname", "PlayerStart"), ("%name%", "start"), ("origin", "0 64 -32"), ("angles", "0 90.0 0"),
        ("wait", "1.50"), ("count", "007"), ("text", "caf\xe9"), *more,
    ]  # fmt: skip
    return entity(pairs=pairs)


def sample(*entities, more=()):
    """A box, a door with a motion, a light (2), a spotlight (3), a start (4), and their classes."""
    others = entities or (light("8 16 -24", color="255 128 0"), spotlight(), start())
    world = entity([brush_bytes(box())], pairs=[("TextureLib", "a.txl"), ("SkyAxis", "1.000000 0.000000 0.000000")])
    classes = [typedef("light", LIGHT), typedef("spotlight", SPOT), typedef("PlayerStart", START), *more]
    return level([world, model(motion()), *others, *classes])


def spotlight():
    pairs = [
        ("classname", "spotlight"), ("%name%", "spot"), ("light", "200"), ("color", "255 255 255"),
        ("origin", "0 0 0"), ("angles", "0 45 0"), ("arc", "30"),
    ]  # fmt: skip
    return entity(pairs=pairs)


def pairs_of(data, number):
    return genesis.read(data).entities[number].pairs


def edited(data, after):
    """Entities and keys whose pairs differ: {(entity, key): (before, after)}."""
    old, new = genesis.read(data), genesis.read(after)
    found = {}
    for number, (one, other) in enumerate(zip(old.entities, new.entities, strict=True)):
        was, now = dict(one.pairs), dict(other.pairs)
        for key in {**was, **now}:
            if was.get(key) != now.get(key):
                found[number, key] = (was.get(key), now.get(key))
    return found


def test_nothing_edited_is_no_edit():
    data = sample()
    assert exported(imported(data)) == data


# ---- pairs


@pytest.mark.parametrize(
    ("key", "value", "text"),
    [("count", 8, "8"), ("wait", 2.25, "2.25"), ("text", "word", "word"), ("%name%", "begin", "begin")],
)
def test_a_property_writes_its_text_and_no_other(key, value, text):
    data = sample()
    scene = imported(data)
    part(scene, layout.ENTITY, 4)[key] = value
    report = Report()
    found = edited(data, exported(scene, report))
    assert list(found) == [(4, key)] and found[4, key][1] == text
    assert report.notes == [f"entity start changed: {key}"]


def test_new_and_deleted_properties_are_pairs():
    data = sample()
    scene = imported(data)
    obj = part(scene, layout.ENTITY, 4)
    del obj["wait"]
    obj["door"] = "door"
    assert edited(data, exported(scene)) == {(4, "wait"): ("1.50", None), (4, "door"): (None, "door")}


def test_keys_that_the_engine_would_reject_are_refused_before_anything_is_written():
    scene = imported(sample())
    part(scene, layout.ENTITY, 4)["speed"] = 3
    with pytest.raises(SceneError, match="defines no speed: the engine refuses the whole level"):
        exported(scene)


def test_what_was_wrong_already_may_stay():
    data = sample(start(("unknown", "1")), light())
    scene = imported(data)
    obj = part(scene, layout.ENTITY, 2)
    obj["count"] = 9
    assert edited(data, exported(scene)) == {(2, "count"): ("007", "9")}
    obj["other"] = "1"
    with pytest.raises(SceneError, match="other"):
        exported(scene)


def test_a_class_without_a_definition_is_told_and_can_come_from_headers(tmp_path):
    scene = imported(sample())
    obj = bpy.data.objects.new("flag", None)
    obj["classname"] = "Flag"
    obj["team"] = 2
    scene.objects.link(obj)
    report = Report()
    exported(scene, report)
    assert any("class 'Flag'" in one and "not defined" in one for one in report.warnings)
    (tmp_path / "flag.h").write_text(
        '#pragma GE_Type("Item.bmp")\ntypedef struct Flag {\n#pragma GE_Published\nint team;\ngeVec3d origin;\n'
        "#pragma GE_Origin(origin)\n} Flag;\n"
    )
    report = Report()
    after = genesis.read(exported(scene, report, headers_directory=str(tmp_path)))
    assert "class Flag is defined from the headers" in report.notes
    assert [one.get("%typename%") for one in after.typedefs][-1] == "Flag"
    assert not any("not defined" in one for one in report.warnings)


def test_a_level_without_places_is_refused():
    scene = imported(sample(light()))
    bpy.data.objects.remove(part(scene, layout.ENTITY, 2))
    with pytest.raises(SceneError, match="no entity but the world and models has an origin"):
        exported(scene)


# ---- places, angles, lights


def test_a_place_that_stays_the_same_in_whole_units_is_told_and_no_edit():
    data = sample()
    scene = imported(data)
    moved = part(scene, layout.ENTITY, 4)
    moved.location.x += 0.4
    report = Report()
    assert exported(scene, report) == data
    assert [line for line in report.warnings if "less than half a unit" in line and moved.name in line]
    assert not [line for line in report.notes if "origin" in line]


def test_a_moved_entity_writes_whole_units():
    data = sample()
    scene = imported(data)
    part(scene, layout.ENTITY, 4).location.x = 10.4
    report = Report()
    assert edited(data, exported(scene, report)) == {(4, "origin"): ("0 64 -32", "10 64 -32")}
    assert any("whole units" in one for one in report.warnings)


def test_a_place_below_another_parent_is_what_blender_shows():
    data = sample()
    scene = imported(data)
    obj = part(scene, layout.ENTITY, 4)
    root = obj.parent
    above = bpy.data.objects.new("above", None)
    above.parent = root
    above.location = (100, 0, 0)
    scene.objects.link(above)
    obj.parent = above
    report = Report()
    assert edited(data, exported(scene, report)) == {(4, "origin"): ("0 64 -32", "100 64 -32")}
    assert "above" in report.summary(), "an empty without a class is left out by name"


def test_a_turned_entity_writes_its_angles():
    data = sample()
    scene = imported(data)
    obj = part(scene, layout.ENTITY, 4)
    obj.rotation_euler.z += np.pi / 4
    found = edited(data, exported(scene))
    assert found == {(4, "angles"): ("0 90.0 0", "0.000000 135.000000 0.000000")}
    again = part(imported(exported(scene)), layout.ENTITY, 4)
    np.testing.assert_allclose(again.rotation_euler[:], obj.rotation_euler[:], atol=1e-5)


def test_lights_write_what_was_edited_of_them():
    data = sample()
    scale = layout.SCALE
    scene = imported(data)
    lamp, spot = part(scene, layout.ENTITY, 2), part(scene, layout.ENTITY, 3)
    lamp.data.energy = kinds.appearance(kinds.LIGHT_CLASSES["light"], {"light": 300}, scale).energy
    assert edited(data, exported(scene)) == {(2, "light"): ("150", "300")}
    lamp.data.color = (0, 0, 1)
    spot.data.spot_size = np.radians(90)
    assert edited(data, exported(scene)) == {
        (2, "light"): ("150", "300"),
        (2, "color"): ("255 128 0", "0 0 255"),
        (3, "arc"): ("30", "45"),
    }


def test_an_edited_property_goes_before_the_light():
    data = sample()
    scene = imported(data)
    part(scene, layout.ENTITY, 2)["light"] = 80
    assert edited(data, exported(scene)) == {(2, "light"): ("150", "80")}


def test_a_new_blender_light_is_a_light():
    data = sample()
    scene = imported(data)
    lamp = bpy.data.lights.new("lamp", "POINT")
    lamp.energy, lamp.color = (
        kinds.appearance(kinds.LIGHT_CLASSES["light"], {"light": 120}, layout.SCALE).energy,
        (1, 0, 0),
    )
    obj = bpy.data.objects.new("lamp", lamp)
    obj.parent = part(scene, layout.ENTITY, 2).parent
    obj.location = (8, 16, 24)
    scene.objects.link(obj)
    report = Report()
    after = genesis.read(exported(scene, report))
    assert report.notes == ["entity lamp is new"]
    assert dict(after.points[-1].pairs) == {
        "classname": "light", "origin": "8 24 -16", "light": "120", "color": "255 0 0", "%name%": "lamp",
    }  # fmt: skip
    assert not after.entities[-1].brushes and after.entities[-1].is_typedef, "definitions come last"


def test_a_spotlight_that_became_a_point_light():
    data = sample()
    scene = imported(data)
    obj = part(scene, layout.ENTITY, 2)
    obj.data.type = "SPOT"
    found = edited(data, exported(scene))
    assert found[2, "classname"] == ("light", "spotlight")


# ---- copies, removals, the world


def test_a_copied_entity_gets_a_name_of_its_own_and_its_place():
    data = sample()
    scene = imported(data)
    obj = part(scene, layout.ENTITY, 4)
    twin = obj.copy()
    twin.location.x = 32
    scene.objects.link(twin)
    after = genesis.read(exported(scene))
    assert [one.pairs for one in after.points[:3]] == [one.pairs for one in genesis.read(data).points]
    made = dict(after.points[3].pairs)
    assert (made["%name%"], made["origin"], made["count"]) == ("start_2", "32 64 -32", "007")


def test_removed_entities_go():
    scene = imported(sample())
    bpy.data.objects.remove(part(scene, layout.ENTITY, 3))
    report = Report()
    after = genesis.read(exported(scene, report))
    assert [one.classname for one in after.points] == ["light", "PlayerStart"]
    assert report.notes == ["entity 3 (spotlight, spot) removed"]


def test_the_worlds_keys():
    data = sample()
    scene = imported(data)
    scene["TextureLib"] = "b.txl"
    scene["SkyRotation"] = 5.0
    assert edited(data, exported(scene)) == {(0, "TextureLib"): ("a.txl", "b.txl"), (0, "SkyRotation"): (None, "5")}


def test_repeated_keys_stay_where_the_first_is_edited():
    data = whole_level()
    scene = imported(data)
    scene["note"] = "other"
    after = genesis.read(exported(scene))
    assert [value for key, value in after.world.pairs if key == "note"] == ["other", "\0\xff\x80"]


# ---- models and motions


def test_a_models_name_and_origin():
    data = sample()
    scene = imported(data)
    obj = part(scene, layout.MODEL, 1)
    obj["model_name"] = "gate"
    report = Report()
    assert edited(data, exported(scene, report)) == {(1, "%name%"): ("door", "gate")}
    assert report.notes == ["model door changed: name"]


def test_a_removed_model_takes_its_brushes_if_they_go_too():
    scene = imported(sample())
    for obj in (part(scene, "brush", 1), part(scene, layout.MOTION, 1), part(scene, layout.MODEL, 1)):
        bpy.data.objects.remove(obj)
    report = Report()
    after = genesis.read(exported(scene, report))
    assert not after.models and len(after.world.brushes) == 1
    assert report.notes == ["model 1 (%Model%, door) removed", "brush 1 removed"]


def test_a_copied_model_is_one_more_with_its_motion():
    data = sample()
    scene = imported(data)
    empty, moved, solid = part(scene, layout.MODEL, 1), part(scene, layout.MOTION, 1), part(scene, "brush", 1)
    twins = []
    for obj in (empty, moved, solid):
        twin = obj.copy()
        obj.users_collection[0].objects.link(twin)
        twins.append(twin)
    twins[1].parent, twins[2].parent = twins[0], twins[1]
    twins[2].matrix_parent_inverse = solid.matrix_parent_inverse  # setting a parent clears it
    twins[0].location.x += 256
    after = genesis.read(exported(scene))
    assert [one.name for one in after.models] == ["door", "door_2"]
    one, other = after.models
    assert genesis.write(after).count(b"MOTN") == 2
    assert (other.origin[0] - one.origin[0], len(other.brushes)) == (256, 1)
    assert other.brushes[0].faces["dist"][0] - one.brushes[0].faces["dist"][0] == 256


def curve(scene, path, index, record=1):
    action = part(scene, layout.MOTION, record).animation_data.action
    return animation.find_fcurve(action, animation.slot(action), path, index)


def test_an_edited_key_is_one_number_of_the_motions_text():
    data = sample()
    scene = imported(data)
    curve(scene, "location", 2).keyframe_points[1].co.y = 128  # Blender's z, the level's y
    report = Report()
    after = exported(scene, report)
    assert report.notes == ["model door changed: motion"]
    assert after == data.replace(b"0.000000 96.500000 -0.000000", b"0.000000 128.000000 0.000000")


def test_a_new_key_is_in_both_tracks():
    data = sample()
    scene = imported(data)
    points = curve(scene, "location", 0).keyframe_points
    points.insert(animation.frame_of(2.0, bpy.context.scene), 10)
    after = genesis.read(exported(scene)).entities[1].motion.paths[0]
    assert after.translation.times.tolist() == after.rotation.times.tolist() == [0, 1.5, 2, 4]
    assert after.translation.values[2, 0] == 10
    before = genesis.read(data).entities[1].motion.paths[0]
    np.testing.assert_array_equal(after.rotation.values[[0, 1, 3]], before.rotation.values)


def test_a_turn_is_read_back():
    scene = imported(sample())
    for index, value in enumerate((np.cos(0.5), 0, 0, np.sin(0.5))):  # about Blender's z, the level's y
        curve(scene, "rotation_quaternion", index).keyframe_points[1].co.y = value
    path = genesis.read(exported(scene)).entities[1].motion.paths[0]
    np.testing.assert_allclose(path.rotation.values[1], (np.cos(0.5), 0, np.sin(0.5), 0), atol=1e-6)


def test_interpolation():
    data = sample()
    scene = imported(data)
    for index in range(3):
        for point in curve(scene, "location", index).keyframe_points:
            point.interpolation = "LINEAR"
    assert exported(scene) == data.replace(b"Translation 1 1\nKeys 3 1 0 0", b"Translation 1 0\nKeys 3 0 0 0")
    curve(scene, "location", 0).keyframe_points[0].interpolation = "CONSTANT"
    with pytest.raises(SceneError, match="not all linear, or all Bezier"):
        exported(scene)


def test_events_are_markers():
    pairs = [("1.000000", "open"), ("2.500000", "shut it")]
    world = entity([brush_bytes(box())], pairs=[("TextureLib", "a.txl")])
    data = level([world, model(motion(events=pairs)), light(), typedef("light", LIGHT)])
    scene = imported(data)
    assert exported(scene) == data
    action = part(scene, layout.MOTION, 1).animation_data.action
    action.pose_markers["shut it"].frame = round(animation.frame_of(3.0, bpy.context.scene))
    made = action.pose_markers.new("ring")
    made.frame = round(animation.frame_of(0.5, bpy.context.scene))
    events = genesis.read(exported(scene)).entities[1].motion.events
    assert [(one.time, one.text) for one in events] == [(0.5, "ring"), (1.0, "open"), (3.0, "shut it")]


def test_a_motion_that_is_taken_off_and_one_that_is_made():
    data = sample()
    scene = imported(data)
    moved = part(scene, layout.MOTION, 1)
    action = moved.animation_data.action
    moved.animation_data_clear()
    after = genesis.read(exported(scene))
    assert after.entities[1].motion is None and after.entities[1].flags == 0
    fresh = animation.action("swing")
    for index, values in enumerate(((0, 8), (0, 0), (0, 0))):
        animation.set_keys(animation.fcurve(fresh, animation.slot(fresh), "location", index), (0, 24), values)
    animation.assign(moved, fresh)
    made = genesis.read(exported(scene)).entities[1]
    assert made.flags == 1 and made.motion.names == ["FixedPath"]
    np.testing.assert_allclose(made.motion.paths[0].translation.values[1], (8, 0, 0))
    animation.assign(moved, action)
    assert exported(scene) == data


def test_another_frame_rate_is_no_edit_and_old_keys_keep_their_times():
    data = sample()
    scene = imported(data)
    bpy.context.scene.render.fps = 60
    assert exported(scene) == data
    curve(scene, "location", 2).keyframe_points[1].co.y = 128
    after = genesis.read(exported(scene)).entities[1].motion.paths[0]
    assert after.translation.times.tolist() == [0, 1.5, 4]


def test_binary_motions_stay_binary():
    blocks = [(keys(1, 2, 0, 3, 0, 0.5, *range(9)), keys(1, 1, 1, 4, 0, 1, 3, 4, 0, 1, 0, 0.5, 1, 2, 3))]
    world = entity([brush_bytes(box())], pairs=[("TextureLib", "a.txl")])
    data = level([world, model(binary_motion(blocks)), light(), typedef("light", LIGHT)])
    scene = imported(data)
    curve(scene, "location", 0).keyframe_points[1].co.y = 7
    after = genesis.read(exported(scene)).entities[1].motion
    assert after.binary and after.paths[0].translation.values[1, 0] == 7


# ---- levels without an original


def test_objects_whose_original_is_missing_are_refused_or_built_as_new():
    from levelwright.addon.scene.kept import originals

    data = sample()
    scene = imported(data)
    home = bpy.data.collections.new("elsewhere")
    bpy.context.scene.collection.children.link(home)
    token = identity.new_token()
    originals.attach(home, layout.FORMAT, None, token, {layout.KIND: "map"})
    obj = part(scene, "brush", 0)
    home.objects.link(obj)
    for key in [one for one in list(scene.keys()) if one.startswith("levelwright")]:
        del scene[key]
    with pytest.raises(SceneError, match="original file"):
        exported(home)
    lamp = bpy.data.objects.new("lamp", bpy.data.lights.new("lamp", "POINT"))
    home.objects.link(lamp)
    report = Report()
    after = genesis.read(exported(home, report, build_as_new=True))
    assert len(after.world.brushes) == 1 and [one.classname for one in after.points] == ["light"]
    np.testing.assert_array_equal(np.sort(after.world.brushes[0].faces["dist"]), 64)


def test_a_level_built_as_new_says_the_same():
    data = sample()
    scene = imported(data)
    made = genesis.read(exported(scene, build_as_new=True, new_textures="uv"))
    was = genesis.read(data)
    assert [set(one.keys()) for one in made.points] == [set(one.keys()) for one in was.points]
    assert sorted(made.points[1].pairs) == sorted(was.points[1].pairs)
    assert made.points[2].get("count") == "7", "without an original, no text is left as it was"
    assert [one.pairs for one in made.models] == [one.pairs for one in was.models]
    assert made.models[0].motion.paths[0].translation.values[1, 1] == pytest.approx(96.5)
    assert made.world.get("TextureLib") == "a.txl" and made.world.get("SkyDrawScale") == "1.000000"
    for one, other in zip((made.world, made.models[0]), (was.world, was.models[0]), strict=True):
        planes = [
            {(*face["normal"].tolist(), float(face["dist"])) for face in each.brushes[0].faces} for each in (one, other)
        ]
        assert planes[0] == planes[1]
