# SPDX-License-Identifier: GPL-3.0-or-later
"""Where objects are: channels against Blender's own matrices, what counts as moved, and what edits nothing."""

import math

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.geometry import evaluated, transforms
from levelwright.addon.scene.kept import identity
from levelwright.addon.scene.reports import SceneError
from mathutils import Matrix

from tests.addon.scene.scene_helpers import active, grid, link

MODES = ["QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"]
TOKEN = 77


def empty(name: str, parent: bpy.types.Object | None = None, kind: str = "thing", record: int = 0) -> bpy.types.Object:
    obj = link(bpy.data.objects.new(name, None))
    obj.parent = parent
    identity.stamp(obj, TOKEN, kind, record)
    return obj


def level() -> tuple[bpy.types.Object, bpy.types.Object, bpy.types.Object]:
    """A root, a group and a thing, each somewhere, as an import leaves them."""
    root = empty("root", kind=identity.ROOT)
    group = empty("group", root, "group", 1)
    thing = empty("thing", group, "thing", 2)
    group.location = (4, -2, 0)
    thing.location, thing.rotation_euler, thing.scale = (1.5, 2.25, 0.125), (0.3, -0.2, 1.1), (1, -2, 3)
    for obj in (root, group, thing):
        transforms.remember(obj)
    return root, group, thing


def turn(obj: bpy.types.Object, mode: str, seed: int = 3) -> None:
    """Give an object odd channels in a rotation mode."""
    rng = np.random.default_rng(seed)
    obj.rotation_mode = mode
    obj.location, obj.scale = rng.normal(size=3), rng.normal(size=3)
    obj.delta_location, obj.delta_scale = rng.normal(size=3), rng.normal(size=3)
    if mode == "QUATERNION":
        obj.rotation_quaternion, obj.delta_rotation_quaternion = rng.normal(size=4), rng.normal(size=4)
    elif mode == "AXIS_ANGLE":
        obj.rotation_axis_angle = rng.normal(size=4)
    else:
        obj.rotation_euler, obj.delta_rotation_euler = rng.normal(size=3), rng.normal(size=3)


@pytest.mark.parametrize("mode", MODES)
def test_local_is_what_blender_shows(mode: str) -> None:
    obj = link(bpy.data.objects.new("o", None))
    turn(obj, mode)
    bpy.context.view_layer.update()
    assert np.allclose(transforms.local(obj), np.array(obj.matrix_world), atol=2e-6)


@pytest.mark.parametrize("mode", MODES)
def test_compose_is_what_blender_shows(mode: str) -> None:
    root, group, thing = level()
    for seed, obj in enumerate((root, group, thing)):
        turn(obj, mode, seed)
    thing.matrix_parent_inverse = Matrix.Rotation(0.7, 4, "Y") @ Matrix.Translation((1, 2, 3))
    bpy.context.view_layer.update()
    world, top = np.array(thing.matrix_world, np.float64), np.array(root.matrix_world, np.float64)
    assert np.allclose(transforms.compose(thing), np.linalg.solve(top, world), atol=1e-4)
    assert np.allclose(
        transforms.compose(thing, group), np.linalg.solve(np.array(group.matrix_world), world), atol=1e-4
    )


def test_compose_is_exact_where_numbers_are() -> None:
    root, group, thing = level()
    root.location = (1e6, 1, 1)
    root.rotation_euler = (1, 2, 3)
    thing.rotation_euler, thing.scale = (0, 0, 0), (1, 1, 1)
    thing.location = (0.1, 0.2, 0.3)
    group.location = (1000.5, 0, 0)
    expected = np.array(thing.location, np.float64) + np.array([1000.5, 0, 0])
    assert np.array_equal(transforms.compose(thing)[:3, 3], expected), "in float64, and without the root"


def test_nothing_changed() -> None:
    _, group, thing = level()
    assert transforms.unchanged(group)
    assert transforms.unchanged(thing)


def test_new_objects_have_the_same_baseline_whoever_keeps_it() -> None:
    root = level()[0]
    new = empty("new", root)
    new.location, new.rotation_euler, new.scale = (1.1, -0.0, 3e38), (0.3, -7, 0), (2, -1, 0.1)
    transforms.remember(new)
    kept = new[transforms.BASELINE]
    del new[transforms.BASELINE]
    transforms.remember_new(new)
    assert new[transforms.BASELINE] == kept
    transforms.remember_new(new)
    assert new[transforms.BASELINE] == kept, "once more"


def test_an_object_without_baseline_is_all_changed() -> None:
    obj = link(bpy.data.objects.new("new", None))
    assert transforms.changed_channels(obj) == {"location", "rotation", "scale", "delta", "parent"}


@pytest.mark.parametrize(
    ("channel", "value", "told"),
    [
        ("location", (1.5, 2.25, 0.25), "location"),
        ("rotation_euler", (0.3, -0.2, 1.0), "rotation"),
        ("scale", (1, 2, 3), "scale"),
        ("delta_location", (0, 0, 1), "delta"),
        ("delta_rotation_euler", (0, 0, 1), "delta"),
        ("delta_scale", (1, 1, 2), "delta"),
        ("matrix_parent_inverse", Matrix.Translation((1, 0, 0)), "parent"),
    ],
)
def test_each_channel(channel: str, value: object, told: str) -> None:
    _, _, thing = level()
    setattr(thing, channel, value)
    assert transforms.changed_channels(thing) == {told}


def test_smallest_change_and_negative_zero_count() -> None:
    _, group, _ = level()
    group.location.x = np.nextafter(np.float32(4), np.float32(5))
    assert transforms.changed_channels(group) == {"location"}
    group.location.x = 4
    assert transforms.unchanged(group)
    group.location.z = -0.0
    assert transforms.changed_channels(group) == {"location"}


def test_moving_the_root_edits_nothing() -> None:
    root, group, thing = level()
    before = transforms.compose(thing)
    root.location, root.rotation_euler, root.scale = (100, 5, 3), (1, 2, 3), (2, 2, 2)
    above = empty("above", kind="other")
    root.parent = above
    above.location = (9, 9, 9)
    assert transforms.unchanged(group)
    assert transforms.unchanged(thing)
    assert np.array_equal(transforms.compose(thing), before)


def test_moving_a_parent_moves_its_children() -> None:
    _, group, thing = level()
    group.location.x += 1
    assert transforms.changed_channels(group) == {"location"}
    assert transforms.changed_channels(thing) == {"parent"}


def test_root_can_be_given() -> None:
    _, group, thing = level()
    group.location.x += 1
    assert transforms.unchanged(thing, group)


def test_what_is_not_below_the_root_is_where_it_is_seen() -> None:
    root, _, thing = level()
    root.location, root.scale = (100, 5, 3), (0.5, 0.5, 0.5)
    assert np.array_equal(transforms.seen(thing, root), transforms.compose(thing, root))
    new = empty("new")
    new.location = (101, 5, 3)
    assert np.allclose(transforms.seen(new, root)[:, 3], (2, 0, 0, 1))
    assert np.array_equal(transforms.seen(new, None), transforms.compose(new))


def test_renaming_a_parent_is_no_change() -> None:
    _, group, thing = level()
    group.name = "renamed"
    assert transforms.unchanged(thing)


def test_reparenting_with_kept_transform() -> None:
    root, _, thing = level()
    before = transforms.compose(thing)
    active(root, thing)
    bpy.ops.object.parent_set(type="OBJECT", keep_transform=True)
    assert thing.parent == root
    assert "parent" in transforms.changed_channels(thing)
    assert transforms.agree(transforms.compose(thing), before), "it went nowhere, up to float32"
    active(thing)
    bpy.ops.object.parent_clear(type="CLEAR_KEEP_TRANSFORM")
    assert transforms.agree(transforms.compose(thing, root), before)
    thing.location.x += 0.001
    assert not transforms.agree(transforms.compose(thing, root), before)


def test_reparenting_without_keeping_it() -> None:
    root, _, thing = level()
    before = transforms.compose(thing)
    thing.parent = root
    assert transforms.changed_channels(thing) == {"parent"}
    assert np.allclose(transforms.compose(thing)[:3, 3] + [4, -2, 0], before[:3, 3])


def test_apply_transforms_moves_no_vertex() -> None:
    root, group, _ = level()
    obj = link(bpy.data.objects.new("tiles", grid("tiles", 3, shared=True)))
    obj.parent = group
    obj.location, obj.rotation_euler, obj.scale = (3, 4, 5), (0.1, 0.2, 0.3), (2, -1, 0.5)
    transforms.remember(obj)

    def corners() -> np.ndarray:
        points = np.array([[*vertex.co, 1.0] for vertex in obj.data.vertices])
        return (points @ transforms.compose(obj).T)[:, :3]

    before = corners()
    bpy.context.view_layer.update()
    active(obj)
    bpy.ops.object.transform_apply(location=True, rotation=True, scale=True)
    assert transforms.changed_channels(obj) == {"location", "rotation", "scale"}
    assert np.allclose(corners(), before, atol=1e-5)
    assert root.name == "root"


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE", "XYZ"])
def test_switching_the_rotation_mode_is_no_edit(mode: str) -> None:
    _, _, thing = level()
    thing.rotation_mode = mode
    assert transforms.unchanged(thing), "Blender converts the numbers; the rotation stays"


def test_switching_it_and_turning_is_one() -> None:
    _, _, thing = level()
    thing.rotation_mode = "QUATERNION"
    thing.rotation_quaternion = (1, 0, 0, 0)
    assert transforms.changed_channels(thing) == {"rotation"}


def test_another_order_of_angles_is_another_rotation() -> None:
    _, group, thing = level()
    for obj in (group, thing):
        obj.rotation_mode = "ZYX"
    assert transforms.unchanged(group), "it isn't turned"
    assert transforms.changed_channels(thing) == {"rotation"}, "Blender keeps the angles here, not the rotation"


def test_full_turns_are_an_edit_in_the_same_mode() -> None:
    _, _, thing = level()
    thing.rotation_euler.z += 2 * math.pi
    assert transforms.changed_channels(thing) == {"rotation"}


def test_deltas_for_show_count_for_nothing() -> None:
    _, group, thing = level()
    for obj in (group, thing):
        transforms.remember(obj, deltas=False)
    before = transforms.compose(thing, deltas=False)
    group.delta_location, group.delta_scale = (5, 5, 5), (2, 2, 2)
    thing.delta_rotation_euler = (0, 0, 1)
    assert transforms.unchanged(thing)
    assert np.array_equal(transforms.compose(thing, deltas=False), before)
    assert not np.allclose(transforms.compose(thing), before)


def test_negative_scales_survive() -> None:
    _, group, thing = level()
    group.scale = (-1, 1, 1)
    assert np.sign(np.linalg.det(transforms.compose(thing)[:3, :3])) == 1
    assert tuple(thing.scale) == (1, -2, 3)
    assert transforms.changed_channels(thing) == {"parent"}


def test_excluded_and_hidden_collections() -> None:
    _, group, thing = level()
    before = transforms.compose(thing)
    hidden = bpy.data.collections.new("hidden")
    bpy.context.scene.collection.children.link(hidden)
    for obj in (group, thing):
        bpy.context.scene.collection.objects.unlink(obj)
        hidden.objects.link(obj)
    bpy.context.view_layer.layer_collection.children["hidden"].exclude = True
    bpy.context.view_layer.update()
    assert np.array_equal(transforms.compose(thing), before)
    assert transforms.unchanged(thing)
    group.location.x += 2
    bpy.context.view_layer.update()
    assert np.allclose(transforms.compose(thing)[:3, 3], before[:3, 3] + [2, 0, 0])


def test_a_constraint_exports_where_blender_shows_it() -> None:
    root, group, thing = level()
    root.location = (10, 0, 0)
    target = empty("target")
    target.location = (12, 7, 5)
    constraint = thing.constraints.new("COPY_LOCATION")
    constraint.target = target
    assert transforms.needs_evaluation(thing)
    with pytest.raises(SceneError, match="constraint"):
        transforms.compose(thing)
    with evaluated.shown(bpy.context, [root, group, thing]) as depsgraph:
        found = transforms.compose(thing, depsgraph=depsgraph)
    assert np.allclose(found[:3, 3], [2, 7, 5], atol=1e-5)
    constraint.influence = 0
    assert not transforms.needs_evaluation(thing)
    constraint.influence, constraint.mute = 1, True
    assert not transforms.needs_evaluation(thing)


def test_a_constraint_on_a_parent_carries_on() -> None:
    root, group, thing = level()
    group.constraints.new("LIMIT_LOCATION").use_max_x = True
    assert transforms.needs_evaluation(thing)
    with evaluated.shown(bpy.context, [root, group, thing]) as depsgraph:
        found = transforms.compose(thing, depsgraph=depsgraph)
    assert np.allclose(found[:3, 3], [1.5, 0.25, 0.125], atol=1e-5), "x of the group is held at 0"


def test_a_constraint_leaves_the_parents_exact_and_their_show_out() -> None:
    root, group, thing = level()
    thing.constraints.new("LIMIT_LOCATION").owner_space = "LOCAL"
    group.location = (0.1, 0.2, 0.3)
    expected = np.array(group.location, np.float64) + np.array(thing.location, np.float64)
    group.delta_location = (50, 60, 70)
    with evaluated.shown(bpy.context, [root, group, thing]) as depsgraph:
        found = transforms.compose(thing, depsgraph=depsgraph, deltas=False)
    assert np.allclose(found[:3, 3], expected, atol=1e-5), "the group's parallax for show doesn't count"


def test_a_constrained_object_that_is_hidden() -> None:
    root, group, thing = level()
    target = empty("target")
    target.location = (3, 3, 3)
    thing.constraints.new("COPY_LOCATION").target = target
    hidden = bpy.data.collections.new("hidden")
    bpy.context.scene.collection.children.link(hidden)
    bpy.context.scene.collection.objects.unlink(thing)
    hidden.objects.link(thing)
    thing.hide_viewport = True
    bpy.context.view_layer.layer_collection.children["hidden"].exclude = True
    with evaluated.shown(bpy.context, [root, group, thing]) as depsgraph:
        assert np.allclose(transforms.compose(thing, depsgraph=depsgraph)[:3, 3], [3, 3, 3], atol=1e-5)
    assert thing.hide_viewport


def test_bone_and_vertex_parents_are_evaluated() -> None:
    root, _, thing = level()
    armature = link(bpy.data.objects.new("armature", bpy.data.armatures.new("armature")))
    armature.parent = root
    active(armature)
    bpy.ops.object.mode_set(mode="EDIT")
    bone = armature.data.edit_bones.new("bone")
    bone.head, bone.tail = (0, 0, 0), (0, 0, 2)
    bpy.ops.object.mode_set(mode="OBJECT")
    thing.parent, thing.parent_type, thing.parent_bone = armature, "BONE", "bone"
    thing.location, thing.rotation_euler, thing.scale = (0, 0, 0), (0, 0, 0), (1, 1, 1)
    assert transforms.needs_evaluation(thing)
    with evaluated.shown(bpy.context, [root, armature, thing]) as depsgraph:
        assert np.allclose(transforms.compose(thing, depsgraph=depsgraph)[:3, 3], [0, 0, 2], atol=1e-5)


def test_driven_or_animated_channels_are_taken_as_they_stand() -> None:
    _, _, thing = level()
    thing.keyframe_insert("location", frame=1)
    thing.location.x = 9
    thing.keyframe_insert("location", frame=11)
    bpy.context.scene.frame_set(11)
    assert transforms.changed_channels(thing) == {"location"}
    bpy.context.scene.frame_set(1)
    assert transforms.unchanged(thing)


def test_the_baseline_survives_copies_and_undo() -> None:
    _, _, thing = level()
    copy = link(thing.copy())
    assert transforms.unchanged(copy)
    bpy.ops.ed.undo_push(message="a")
    thing.location.x += 1
    bpy.ops.ed.undo_push(message="b")
    bpy.ops.ed.undo()
    assert transforms.unchanged(bpy.data.objects["thing"])
    bpy.ops.ed.redo()
    assert transforms.changed_channels(bpy.data.objects["thing"]) == {"location"}


def test_agree_is_about_rounding_only() -> None:
    one = np.eye(4)
    one[:3, 3] = (1000, 2000, 3000)
    near, far = one.copy(), one.copy()
    near[0, 3] += 1e-4
    far[0, 3] += 0.01
    assert transforms.agree(one, near)
    assert not transforms.agree(one, far)
    far = one.copy()
    far[0, 0] += 1e-4
    assert not transforms.agree(one, far)
