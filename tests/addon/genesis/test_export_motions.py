# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions back from actions: each axis of each channel, what turns with the model, and what no motion can hold.

Keys differ in all axes, so that nothing of one passes for another. A level's (x, y, z) is Blender's (x, -z, y).
"""

from collections.abc import Sequence

import bpy
import numpy as np
import pytest
from levelwright.addon.genesis import layout
from levelwright.addon.scene.media import animation
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats import genesis

from tests.addon.genesis.export_helpers import exported, imported, part
from tests.formats.genesis_bytes import HINGE, LIGHT, STEADY, box, entity, level, light, model, motion, typedef
from tests.formats.genesis_bytes import brush as brush_bytes

TURNS = """Rotation 1 4
Keys 3 1 0 0
0.500000 0.500000 0.500000 -0.500000 0.500000
1.500000 0.600000 0.000000 0.800000 0.000000
4.000000 0.800000 0.000000 0.000000 0.600000
"""
PLACES = """Translation 1 1
Keys 3 1 0 0
0.500000 1.000000 2.000000 4.000000
1.500000 8.000000 -16.000000 32.000000
4.000000 0.000000 -128.000000 -256.000000
"""
QUATERNIONS = np.array([(0.5, 0.5, -0.5, 0.5), (0.6, 0, 0.8, 0), (0.8, 0, 0, 0.6)])
POINTS = np.array([(1, 2, 4), (8, -16, 32), (0, -128, -256)], float)
QUARTER = np.pi / 2


def sample(rotation: str = TURNS, translation: str = PLACES, events: Sequence[tuple[str, str]] = ()) -> bytes:
    world = entity([brush_bytes(box())], pairs=[("TextureLib", "a.txl")])
    door = model(motion(rotation, translation, events=events, name="swing"))
    return level([world, door, light("8 16 -24"), typedef("light", LIGHT)])


def action_of(scene: bpy.types.Collection) -> bpy.types.Action:
    return part(scene, layout.MOTION, 1).animation_data.action


def curve(scene: bpy.types.Collection, path: str, index: int) -> bpy.types.FCurve:
    action = action_of(scene)
    return animation.find_fcurve(action, animation.slot(action), path, index)


def motion_of(scene: bpy.types.Collection, report: Report | None = None, **settings: object) -> genesis.Motion:
    return genesis.read(exported(scene, report, **settings)).entities[1].motion


def path_of(scene: bpy.types.Collection, **settings: object) -> genesis.Path:
    return motion_of(scene, **settings).paths[0]


def close(one: np.ndarray, other: object) -> None:
    np.testing.assert_allclose(one, other, atol=2e-5)


# ---- each channel


@pytest.mark.parametrize("index", range(3))
def test_a_key_of_a_place_is_one_number(index):
    """Blender's x, y, z are the level's x, -z, y."""
    scene = imported(sample())
    curve(scene, "location", index).keyframe_points[1].co.y += 3
    wanted = POINTS.copy()
    wanted[1, (0, 2, 1)[index]] += (3, -3, 3)[index]
    path = path_of(scene)
    np.testing.assert_array_equal(path.translation.values, wanted)
    close(path.rotation.values, QUATERNIONS)
    assert path.translation.times.tolist() == path.rotation.times.tolist() == [0.5, 1.5, 4]


@pytest.mark.parametrize("index", range(4))
def test_a_key_of_a_turn_is_made_of_length_1(index):
    scene = imported(sample())
    keys = [curve(scene, "rotation_quaternion", one).keyframe_points[2] for one in range(4)]
    for one in range(4):
        keys[one].co.y = 3.0 * (one == index)
    wanted = [(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 0, -1), (0, 0, 1, 0)][index]
    path = path_of(scene)
    close(path.rotation.values, [*QUATERNIONS[:2], wanted])
    np.testing.assert_array_equal(path.translation.values, POINTS)


def test_a_turn_of_no_length_is_none():
    scene = imported(sample())
    for index in range(4):
        curve(scene, "rotation_quaternion", index).keyframe_points[2].co.y = 0
    close(path_of(scene).rotation.values, [*QUATERNIONS[:2], (1, 0, 0, 0)])


def test_a_key_that_is_moved_in_time_has_another_time():
    scene = imported(sample())
    for index in range(3):
        curve(scene, "location", index).keyframe_points[2].co.x = animation.frame_of(6.0, bpy.context.scene)
    path = path_of(scene)
    assert path.translation.times.tolist() == path.rotation.times.tolist() == [0.5, 1.5, 4, 6]
    close(path.translation.values[[0, 1, 3]], POINTS)
    close(path.rotation.values[[0, 1, 2]], QUATERNIONS)


def test_channels_without_keys_are_at_rest():
    scene = imported(sample())
    for index in (0, 2):
        while points := curve(scene, "location", index).keyframe_points:
            points.remove(points[0])
    close(path_of(scene).translation.values, [(0, 0, 4), (0, 0, 32), (0, 0, -256)])
    while points := curve(scene, "location", 1).keyframe_points:
        points.remove(points[0])
    made = path_of(scene)
    close(made.rotation.values, QUATERNIONS)


@pytest.mark.parametrize("path", ["location", "rotation_quaternion"])
def test_a_motion_of_one_channel(path):
    scene = imported(sample())
    fresh = animation.action("fresh")
    slot = animation.slot(fresh)
    values = {"location": ((0, 8), (0, 16), (0, 32)), "rotation_quaternion": ((1, 0), (0, 1), (0, 0), (0, 0))}[path]
    for index, pair in enumerate(values):
        animation.set_keys(animation.fcurve(fresh, slot, path, index), (0, 24), pair)
    moved = part(scene, layout.MOTION, 1)
    moved.animation_data_clear()
    before = exported(scene)
    assert genesis.read(before).entities[1].motion is None
    animation.assign(moved, fresh)
    made = path_of(scene)
    assert made.rotation.times.tolist() == made.translation.times.tolist() == [0, 1]
    close(made.translation.values[1], (8, 32, -16) if path == "location" else (0, 0, 0))
    close(made.rotation.values[1], (0, 1, 0, 0) if path != "location" else (1, 0, 0, 0))


def test_a_hinge_is_one_while_it_turns_about_its_axis():
    data = sample(HINGE, STEADY)
    scene = imported(data)
    assert exported(scene) == data
    for index, value in enumerate((0.6, 0, 0, 0.8)):  # about Blender's z, the level's y
        curve(scene, "rotation_quaternion", index).keyframe_points[1].co.y = value
    made = path_of(scene).rotation
    close(made.values[1], (0.6, 0, 0.8, 0))
    assert np.allclose(made.axis, (0, 1, 0))
    for index, value in enumerate((0.6, 0.8, 0, 0)):
        curve(scene, "rotation_quaternion", index).keyframe_points[1].co.y = value
    made = path_of(scene).rotation
    close(made.values[1], (0.6, 0.8, 0, 0))
    assert made.axis is None


# ---- what is done to the model


@pytest.mark.parametrize(
    ("axis", "turn"),
    [
        (0, [(1, 0, 0), (0, 0, -1), (0, 1, 0)]),  # about x: y to z, z to -y
        (1, [(0, 1, 0), (-1, 0, 0), (0, 0, 1)]),  # about Blender's y, the level's -z: x to -y, y to x
        (2, [(0, 0, 1), (0, 1, 0), (-1, 0, 0)]),  # about Blender's z, the level's y: z to x, x to -z
    ],
)
def test_a_turned_model_turns_its_way(axis, turn):
    scene = imported(sample())
    part(scene, layout.MODEL, 1).rotation_euler[axis] = QUARTER
    path = path_of(scene)
    turn = np.array(turn, float)
    close(path.translation.values, POINTS @ turn.T)
    close(path.rotation.values, np.column_stack([QUATERNIONS[:, 0], QUATERNIONS[:, 1:] @ turn.T]))


def test_a_scaled_model_goes_further_and_turns_as_before():
    scene = imported(sample())
    part(scene, layout.MODEL, 1).scale = (2, 2, 2)
    path = path_of(scene)
    close(path.translation.values, POINTS * 2)
    close(path.rotation.values, QUATERNIONS)


def test_a_mirrored_model_turns_the_other_way_round():
    scene = imported(sample())
    part(scene, layout.MODEL, 1).scale = (-1, 1, 1)
    path = path_of(scene)
    close(path.translation.values, POINTS * (-1, 1, 1))
    assert not np.signbit(path.translation.values[2, 0]), "a 0 has no sign in the file"
    close(path.rotation.values, QUATERNIONS * (1, 1, -1, -1))


def test_a_model_that_turns_has_one_scale_and_one_that_does_not_may_have_three():
    scene = imported(sample())
    part(scene, layout.MODEL, 1).scale = (1, 2, 3)
    with pytest.raises(SceneError, match="door: its scale differs between the axes, but it turns in its mo") as error:
        exported(scene)
    assert error.value.objects == [part(scene, layout.MODEL, 1)]
    still = imported(sample(rotation="Rotation 0 4\n"))
    part(still, layout.MODEL, 1).scale = (1, 2, 3)
    close(path_of(still).translation.values, POINTS * (1, 3, 2))


# ---- properties, events, strips


@pytest.mark.parametrize(
    ("name", "value", "changed"),
    [
        ("rotation_interpolation", 2, "rotation 2 False"),
        ("rotation_looped", True, "rotation 1 True"),
        ("translation_interpolation", 2, "translation 2 False"),
        ("translation_looped", True, "translation 1 True"),
    ],
)
def test_properties_are_of_one_track(name, value, changed):
    scene = imported(sample())
    action_of(scene)[name] = value
    path = path_of(scene)
    tracks = {"rotation": path.rotation, "translation": path.translation}
    said = [f"{key} {int(one.interpolation)} {one.looped}" for key, one in tracks.items()]
    assert set(said) == {changed} | {"rotation 1 False", "translation 1 False"} - {f"{changed.split()[0]} 1 False"}
    np.testing.assert_array_equal(path.translation.values, POINTS)


def test_the_name_of_a_motion():
    data = sample()
    scene = imported(data)
    action_of(scene)["motion_name"] = "creak"
    assert exported(scene) == data.replace(b"NameID swing", b"NameID creak")


@pytest.mark.parametrize(("name", "value"), [("rotation_interpolation", 3), ("translation_interpolation", "two")])
def test_properties_that_no_motion_has_are_refused_with_the_model(name, value):
    scene = imported(sample())
    action_of(scene)[name] = value
    with pytest.raises(SceneError, match=name) as error:
        exported(scene)
    assert error.value.objects == [part(scene, layout.MODEL, 1)]


def test_modifiers_of_curves_are_refused_where_they_do_something():
    scene = imported(sample())
    modifier = curve(scene, "location", 1).modifiers.new("NOISE")
    curve(scene, "location", 2).keyframe_points[1].co.y += 1
    with pytest.raises(SceneError, match=f"action {action_of(scene).name}: its F-curves have modifiers"):
        exported(scene)
    modifier.mute = True
    wanted = POINTS.copy()
    wanted[1, 1] += 1  # Blender's z
    close(path_of(scene).translation.values, wanted)


def test_strips_are_told():
    data = sample()
    scene = imported(data)
    moved, report = part(scene, layout.MOTION, 1), Report()
    moved.animation_data.nla_tracks.new().strips.new("more", 1, animation.action("other"))
    assert exported(scene, report) == data
    assert report.warnings == [f"{moved.name}: NLA strips are not exported, a motion is the keys of its own action"]


def test_events_keep_their_texts_and_times_where_only_others_were_edited():
    """Times that lie between frames stay; texts longer than a marker's name too, also where the marker is moved."""
    long = "x" * 70
    events = [("0.260000", "open"), ("0.770000", long), ("1.010000", "open"), ("2.500000", "shut")]
    data = sample(events=events)
    scene = imported(data)
    assert exported(scene) == data
    markers = action_of(scene).pose_markers
    frame = animation.frame_of(3.0, bpy.context.scene)
    next(one for one in markers if one.name.startswith("xx")).frame = round(float(frame))
    markers.remove(next(one for one in markers if one.name == "shut"))
    found = [(one.time, one.text) for one in motion_of(scene).events]
    assert found == [(0.26, "open"), (1.01, "open"), (3.0, long)]
    for marker in list(markers):
        markers.remove(marker)
    assert motion_of(scene).events == []


# ---- times


def test_keys_that_were_not_edited_keep_their_numbers():
    """Times and places that frames and single precision can't say."""
    odd = PLACES.replace("0.500000", "0.260000").replace(" 8.000000 -16.000000", " 8.100001 -16.300001")
    data = sample(TURNS.replace("0.500000 0.5", "0.260000 0.5"), odd)
    scene = imported(data)
    assert exported(scene) == data
    curve(scene, "location", 2).keyframe_points[2].co.y += 3  # Blender's z, the level's y
    assert exported(scene) == data.replace(b"0.000000 -128.000000", b"0.000000 -125.000000")


@pytest.mark.parametrize("rate", [24, 25, 60])
def test_times_are_of_the_rate_that_the_import_had(rate):
    bpy.context.scene.render.fps = rate
    scene = imported(sample())
    bpy.context.scene.render.fps = 30
    for index in range(3):
        curve(scene, "location", index).keyframe_points.insert(2.0 * rate, 7)
    path = path_of(scene)
    close(path.translation.times, [0.5, 1.5, 2, 4])
    close(path.rotation.times, [0.5, 1.5, 2, 4])
    close(path.translation.values[2], (7, 7, -7))
