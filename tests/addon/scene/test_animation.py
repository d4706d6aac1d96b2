# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions, keys, strips and drivers: the same calls, and the same motion, in every Blender."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.media import animation
from levelwright.addon.scene.media.animation import EASING, HANDLE, INTERPOLATION

from tests.addon import blenders
from tests.addon.scene.scene_helpers import link


def thing(name: str = "thing") -> bpy.types.Object:
    return link(bpy.data.objects.new(name, None))


def ramp(name: str = "ramp", path: str = "location", frames: int = 10) -> bpy.types.Action:
    """An action whose value is the frame, linear, over and over."""
    action = animation.action(name)
    curve = animation.fcurve(action, animation.slot(action), path, 0)
    animation.set_keys(curve, [0, frames], [0, frames], INTERPOLATION["LINEAR"])
    animation.loop(curve)
    return action


def x_at(obj: bpy.types.Object, frame: float, path: str = "location") -> float:
    bpy.context.scene.frame_set(int(frame // 1), subframe=frame % 1)
    return getattr(obj, path)[0]


def test_numbers_are_the_same_everywhere() -> None:
    assert (INTERPOLATION["CONSTANT"], INTERPOLATION["LINEAR"], INTERPOLATION["BEZIER"]) == (0, 1, 2)
    assert INTERPOLATION["CUBIC"] == 6
    assert (EASING["AUTO"], EASING["EASE_IN"], EASING["EASE_OUT"], EASING["EASE_IN_OUT"]) == (0, 1, 2, 3)
    assert (HANDLE["FREE"], HANDLE["VECTOR"], HANDLE["ALIGNED"]) == (0, 2, 3)


def test_keys_come_back_with_handles() -> None:
    rng = np.random.default_rng(2)
    count = 200
    frames = np.cumsum(rng.random(count) + 0.5).astype(np.float32)
    values = rng.normal(size=count).astype(np.float32)
    interpolation = rng.choice([0, 1, 2, 6], count).astype(np.int32)
    easing = rng.integers(0, 4, count).astype(np.int32)
    left = np.column_stack([frames - 0.2, values - 0.5]).astype(np.float32)
    right = np.column_stack([frames + 0.2, values + 0.25]).astype(np.float32)
    action = animation.action("keys")
    curve = animation.fcurve(action, animation.slot(action), "location", 2)
    animation.set_keys(curve, frames, values, interpolation, easing, left, right)
    keys = animation.read_keys(animation.fcurves(action)[0])
    assert len(keys) == count
    for found, expected in (
        (keys.frames, frames),
        (keys.values, values),
        (keys.interpolation, interpolation),
        (keys.easing, easing),
        (keys.left, left),
        (keys.right, right),
        (keys.left_type, np.zeros(count)),
        (keys.right_type, np.zeros(count)),
    ):
        assert np.array_equal(found, expected)


@pytest.mark.parametrize("python", blenders.pythons(), ids=blenders.name)
def test_keys_survive_other_versions(tmp_path: Path, python: str) -> None:
    obj = thing()
    action = animation.action("keys")
    curve = animation.fcurve(action, animation.slot(action), "location", 1)
    animation.set_keys(curve, [0, 3.5, 7], [1, -2, 0.1], [2, 6, 0], [0, 2, 3], [[-1, 1], [3, -3], [6, 0]], None)
    animation.loop(curve)
    animation.strip(obj, action, offset=2.5)
    path = tmp_path / "a.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    code = """
from levelwright.addon.scene.media import animation
bpy.ops.wm.open_mainfile(filepath=sys.argv[1])
strip = animation.strips(bpy.data.objects["thing"])[0]
keys = animation.read_keys(animation.find_fcurve(strip.action, animation.slot(strip.action), "location", 1))
bpy.context.scene.frame_set(1)
result = [animation.strip_offset(strip), keys.frames.tolist(), keys.interpolation.tolist(), keys.easing.tolist(),
          keys.left.tolist(), bpy.data.objects["thing"].location[1]]
"""
    offset, frames, interpolation, easing, left, value = blenders.run(code, path, python=python)
    assert (offset, frames, interpolation, easing) == (2.5, [0, 3.5, 7], [2, 6, 0], [0, 2, 3])
    assert left == [[-1, 1], [3, -3], [6, 0]]
    bpy.context.scene.frame_set(1)
    assert value == pytest.approx(bpy.data.objects["thing"].location[1], abs=1e-6)


def test_set_keys_replaces() -> None:
    action = ramp()
    curve = animation.fcurve(action, animation.slot(action), "location", 0)
    animation.set_keys(curve, [1], [5])
    assert animation.read_keys(curve).values.tolist() == [5]
    animation.set_keys(curve, [], [])
    assert len(animation.read_keys(curve)) == 0


def test_frames_must_ascend() -> None:
    action = ramp()
    with pytest.raises(ValueError, match="ascend"):
        animation.set_keys(animation.fcurves(action)[0], [2, 1], [0, 0])


def test_keys_on_one_frame_all_stay() -> None:
    action = ramp()
    curve = animation.fcurves(action)[0]
    animation.set_keys(curve, [0, 5, 5, 9], [0, 1, 7, 8], INTERPOLATION["LINEAR"])
    assert animation.read_keys(curve).values.tolist() == [0, 1, 7, 8]


def test_fcurve_is_found_again() -> None:
    action = animation.action("a")
    slot = animation.slot(action)
    assert animation.find_fcurve(action, slot, "location", 1) is None
    curve = animation.fcurve(action, slot, "location", 1)
    assert animation.fcurve(action, slot, "location", 1) == curve
    assert animation.find_fcurve(action, slot, "location", 1) == curve
    animation.fcurve(action, slot, '["envelope_color"]', 3)
    assert [(one.data_path, one.array_index) for one in animation.fcurves(action)] == [
        ("location", 1),
        ('["envelope_color"]', 3),
    ]


def test_an_action_that_blender_made_itself() -> None:
    obj = thing()
    obj.location = (1, 2, 3)
    obj.keyframe_insert("location", frame=4)
    action = obj.animation_data.action
    assert sorted(one.array_index for one in animation.fcurves(action)) == [0, 1, 2]
    curve = animation.find_fcurve(action, animation.slot(action), "location", 1)
    assert animation.read_keys(curve).values.tolist() == [2]


def test_an_empty_action_gets_what_it_needs() -> None:
    action = bpy.data.actions.new("bare")
    assert animation.fcurves(action) == []
    if animation.SLOTS:
        assert animation.slot(action) is None
        action.slots.new("OBJECT", "s")
    assert animation.fcurve(action, animation.slot(action), "location", 0).array_index == 0


def test_assign_plays() -> None:
    obj = thing()
    animation.assign(obj, ramp())
    assert x_at(obj, 3) == pytest.approx(3)
    assert x_at(obj, 14.5) == pytest.approx(4.5)


@pytest.mark.parametrize("offset", [0.0, 2.5, -3.25, 10.0, 37.0, -1234.5])
def test_strip_offset_and_loop(offset: float) -> None:
    obj = thing()
    strip = animation.strip(obj, ramp(), offset=offset)
    assert animation.strip_offset(strip) == offset
    for frame in (0, 1, 4.5, 9.75, 100, 12345.25):
        expected = (frame + offset) % 10
        found = x_at(obj, frame)
        assert min(abs(found - expected), 10 - abs(found - expected)) < 0.02, (frame, found, expected)


def test_one_action_at_several_offsets() -> None:
    action = ramp()
    objects = [thing(str(number)) for number in range(3)]
    for number, obj in enumerate(objects):
        animation.strip(obj, action, offset=float(number))
    assert action.users >= 3
    assert [x_at(obj, 4) for obj in objects] == pytest.approx([4, 5, 6])


def test_without_loop_it_holds() -> None:
    obj = thing()
    action = animation.action("once")
    curve = animation.fcurve(action, animation.slot(action), "location", 0)
    animation.set_keys(curve, [0, 10], [1, 2], INTERPOLATION["LINEAR"])
    strip = animation.strip(obj, action, offset=4.0, looping=False)
    assert (x_at(obj, 0), x_at(obj, 6), x_at(obj, 500)) == pytest.approx((1.4, 2, 2))
    assert strip.frame_end == 6


def test_moving_a_strip_changes_its_offset() -> None:
    obj = thing()
    strip = animation.strip(obj, ramp(), offset=5.0)
    strip.frame_start = 2.0
    assert animation.strip_offset(strip) == pytest.approx(3)
    assert x_at(obj, 4) == pytest.approx(7)


def test_strips_of_several_tracks_and_muted_ones() -> None:
    obj = thing()
    assert animation.strips(obj) == []
    position = animation.strip(obj, ramp())
    color = animation.strip(obj, ramp("other", "scale"), offset=1.0)
    assert [one.name for one in animation.strips(obj)] == [position.name, color.name]
    assert x_at(obj, 3) == pytest.approx(3)
    assert x_at(obj, 3, "scale") == pytest.approx(4)
    obj.animation_data.nla_tracks[0].mute = True
    assert [one.name for one in animation.strips(obj)] == ["other"]


def test_custom_property_is_animated() -> None:
    obj = thing()
    obj["envelope_color"] = [1.0, 1.0, 1.0, 1.0]
    action = animation.action("color")
    for channel in range(4):
        curve = animation.fcurve(action, animation.slot(action), '["envelope_color"]', channel)
        animation.set_keys(curve, [0, 10], [0, channel], INTERPOLATION["LINEAR"])
    animation.strip(obj, action)
    bpy.context.scene.frame_set(5)
    assert list(obj["envelope_color"]) == pytest.approx([0, 0.5, 1.0, 1.5])


def test_actions_for_other_data_blocks() -> None:
    material = bpy.data.materials.new("m")
    action = animation.action("m", "MATERIAL")
    curve = animation.fcurve(action, animation.slot(action, "MATERIAL"), "diffuse_color", 0)
    animation.set_keys(curve, [0], [0.25])
    animation.assign(material, action)
    assert material.animation_data.action == action
    assert animation.slot(action, "OBJECT") is None


def test_cubic_easing_is_a_cube() -> None:
    """The Teeworlds curves slow and fast are a^3 and 1 - (1 - a)^3."""
    action = animation.action("cubic")
    curve = animation.fcurve(action, animation.slot(action), "location", 0)
    animation.set_keys(
        curve, [0, 10, 20], [0, 1, 2], INTERPOLATION["CUBIC"], [EASING["EASE_IN"], EASING["EASE_OUT"], 0]
    )
    assert [curve.evaluate(frame) for frame in (2, 5, 12, 15)] == pytest.approx(
        [0.2**3, 0.5**3, 1 + 1 - 0.8**3, 1 + 1 - 0.5**3], abs=1e-6
    )


def test_frames_and_times() -> None:
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = 30000, 1001.0
    frames = animation.frame_of(np.array([0.0, 1.001, 2.002]), scene)
    assert frames == pytest.approx([0, 30, 60])
    assert animation.time_of(frames, scene) == pytest.approx([0, 1.001, 2.002])


def test_driver_on_the_camera() -> None:
    scene, obj = bpy.context.scene, thing()
    scene.camera = link(bpy.data.objects.new("camera", bpy.data.cameras.new("camera")))
    variables = {"x": (scene, "camera.location[0]")}
    animation.drive(obj, "delta_location", 0, "x * 0.5 + 1", variables)
    scene.camera.location.x = 8
    bpy.context.view_layer.update()
    assert obj.delta_location.x == pytest.approx(5)
    curve = animation.drive(obj, "delta_location", 0, "min(x, 3)", variables)
    assert curve.driver.is_simple_expression
    bpy.context.view_layer.update()
    assert obj.delta_location.x == pytest.approx(3)
    assert len(obj.animation_data.drivers) == 1


@pytest.mark.parametrize("expression", ["__import__('os')", "x.real", "[x][0]", "frame.bit_length()"])
def test_expressions_that_need_python_are_refused(expression: str) -> None:
    obj = thing()
    with pytest.raises(ValueError, match="simple"):
        animation.drive(obj, "location", 0, expression, {"x": (obj, "location[1]")})
    assert not (obj.animation_data and len(obj.animation_data.drivers))
