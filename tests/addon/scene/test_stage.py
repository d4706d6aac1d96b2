# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene and the windows that a level is shown in."""

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.kept import identity
from levelwright.addon.scene.reports import Report
from levelwright.addon.scene.view import stage, startup
from mathutils import Matrix, Vector


@pytest.fixture
def scene() -> bpy.types.Scene:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    return bpy.context.scene


def test_a_new_file_counts_as_empty_until_something_is_in_it(scene) -> None:
    assert sorted(obj.name for obj in scene.objects) == ["Camera", "Cube", "Light"]
    assert sorted(obj.name for obj in startup.untouched(scene)) == ["Camera", "Cube", "Light"]
    assert stage.is_empty(scene)
    ours = bpy.data.objects.new("level", None)
    identity.stamp(ours, identity.new_token(b"level"), "root", 0)
    scene.collection.objects.link(ours)
    assert stage.is_empty(scene)
    scene.collection.objects.link(bpy.data.objects.new("a house", None))
    assert not stage.is_empty(scene)


def test_a_cube_in_a_saved_file_is_somebodys_work(scene, tmp_path) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "work.blend"))
    assert not stage.is_empty(scene)


def _move(obj: bpy.types.Object) -> None:
    obj.location.x += 0.01


def _name(obj: bpy.types.Object) -> None:
    obj.name = "mine"


def _property(obj: bpy.types.Object) -> None:
    obj["mine"] = 1


def _modify(obj: bpy.types.Object) -> None:
    obj.modifiers.new("mine", "BEVEL")


def _model(obj: bpy.types.Object) -> None:
    obj.data.vertices[0].co.z = 3.0


def _shine(obj: bpy.types.Object) -> None:
    obj.data.energy = 10.0


def _zoom(obj: bpy.types.Object) -> None:
    obj.data.lens = 35.0


def _paint(obj: bpy.types.Object) -> None:
    obj.data.materials[0].node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (1, 0, 0, 1)


TOUCHES = [
    *((name, touch) for name in ("Cube", "Light", "Camera") for touch in (_move, _name, _property)),
    ("Cube", _modify),
    ("Cube", _model),
    ("Cube", _paint),
    ("Light", _shine),
    ("Camera", _zoom),
]


@pytest.mark.parametrize(("name", "touch"), TOUCHES, ids=lambda one: getattr(one, "__name__", one))
def test_what_somebody_touched_is_somebodys_work(scene, name, touch) -> None:
    touch(bpy.data.objects[name])
    with stage.cleared(bpy.context) as spare:
        assert not spare
    assert len(scene.objects) == 3
    assert not stage.is_empty(scene)


def test_what_nobody_touched_is_put_away_once_a_level_is_made(scene) -> None:
    with pytest.raises(ValueError, match="broken"), stage.cleared(bpy.context):
        raise ValueError("broken")
    assert len(scene.objects) == 3
    with stage.cleared(bpy.context) as spare:
        assert len(spare) == 3
    assert len(scene.objects) == 0
    assert scene.camera is None
    assert not bpy.data.meshes
    assert not bpy.data.lights


def test_a_world_that_somebody_made_stays(scene) -> None:
    assert stage.lacks_world(scene)
    scene.world.node_tree.nodes["Background"].inputs[0].default_value = (0.2, 0.3, 0.4, 1.0)
    assert not stage.lacks_world(scene)
    assert not stage.may_replace_world(scene)


def test_colours_are_left_where_other_things_are(scene) -> None:
    before, report = scene.view_settings.view_transform, Report()
    stage.show_true_colors(scene, False, report)
    assert scene.view_settings.view_transform == before == "AgX"
    assert "AgX was left" in report.warnings[0]
    stage.show_true_colors(scene, True, report)
    assert scene.view_settings.view_transform == "Standard"


@pytest.mark.usefixtures("scene")
def test_viewports_see_all_of_a_level() -> None:
    low, high = np.array((100.0, 200.0, -30.0)), np.array((400.0, 250.0, 90.0))
    level = bpy.data.collections.new("level")
    stage.look_at(bpy.context, level, np.array([low, high, (np.nan, 0, 0), (1e30, 0, 0)], np.float32))
    spaces = list(stage.viewports(bpy.context))
    assert spaces
    for space in spaces:
        region = space.region_3d
        back = Matrix.Translation(region.view_location) @ region.view_rotation.to_matrix().to_4x4()
        back @= Matrix.Translation((0.0, 0.0, region.view_distance))
        corners = [Vector((x, y, z)) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])]
        seen = [back.inverted() @ corner for corner in corners]
        assert all(space.clip_start < -place.z < space.clip_end for place in seen)
        # A lens of 50 mm sees 36 mm to each side of a window.
        assert all(max(abs(place.x), abs(place.y)) < -place.z * 36 / 50 for place in seen)
        assert space.shading.type == "MATERIAL"
        assert not space.overlay.show_relationship_lines


@pytest.mark.usefixtures("scene")
def test_a_level_without_anything_is_looked_at_too() -> None:
    stage.look_at(bpy.context, bpy.data.collections.new("level"), np.zeros((0, 3)))
    assert all(space.region_3d.view_distance > 1 for space in stage.viewports(bpy.context))
