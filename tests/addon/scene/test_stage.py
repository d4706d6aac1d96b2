# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene and the windows that a level is shown in."""

import bpy
import numpy as np
import pytest
from levelwright.addon.scene import identity, stage
from levelwright.addon.scene.reports import Report
from mathutils import Matrix, Vector


@pytest.fixture
def scene() -> bpy.types.Scene:
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    return bpy.context.scene


def test_a_new_file_counts_as_empty_until_something_is_in_it(scene) -> None:
    assert sorted(obj.name for obj in scene.objects) == sorted(stage.STARTUP)
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
    stage.look_at(bpy.context, np.array([low, high, (np.nan, 0, 0), (1e30, 0, 0)], np.float32))
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
    stage.look_at(bpy.context, np.zeros((0, 3)))
    assert all(space.region_3d.view_distance > 1 for space in stage.viewports(bpy.context))
