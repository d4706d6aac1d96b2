# SPDX-License-Identifier: GPL-3.0-or-later
"""Levels of brushes can be looked into: their rooms alone are shown, and what opens begins with a player's view."""

import bpy
import numpy as np
import pytest
from levelwright.addon.genesis import operators, view
from levelwright.addon.genesis.preview import compiled
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.addon.scene.view import stage
from mathutils import Vector

from tests.addon.genesis.export_helpers import exported, imported
from tests.samples import genesis_room

AHEAD = Vector((0.0, 0.0, 1.0))


@pytest.mark.parametrize("file", [genesis_room.MAP, genesis_room.EDITOR], ids=lambda path: path.suffix)
def test_rooms_are_shown_without_what_faces_the_void(file) -> None:
    data = file.read_bytes()
    level = imported(data, file.name)
    brushes = [obj for obj in level.all_objects if obj.type == "MESH"]
    assert len(_outward(brushes, brushes)) > 4
    assert bpy.ops.levelwright.genesis_show_rooms() == {"FINISHED"}
    shown = list(compiled.collection_of(level).objects)
    assert sum(len(obj.data.polygons) for obj in shown) > 10
    assert not _outward([obj for obj in shown if obj.name.startswith("Preview 0")], brushes)
    assert exported(level) == data
    assert bpy.ops.levelwright.genesis_hide_preview() == {"FINISHED"}
    assert compiled.collection_of(level) is None


def test_a_level_that_leaks_has_no_rooms() -> None:
    bpy.ops.levelwright.genesis_new_level()
    level = next(one for one in bpy.data.collections if one.get("levelwright_level") is not None)
    assert bpy.ops.levelwright.genesis_show_rooms() == {"FINISHED"}
    shown = list(compiled.collection_of(level).objects)
    bpy.data.objects.remove(bpy.data.objects["Ceiling"])
    with pytest.raises(SceneError, match="the level leaks") as caught:
        operators.show_rooms(bpy.context, level, Report())
    assert caught.value.mend == "levelwright.genesis_find_leaks"
    assert list(compiled.collection_of(level).objects) == shown, "what was refused changes nothing"


def test_a_level_alone_is_looked_at_from_its_first_start() -> None:
    bpy.ops.levelwright.genesis_new_level()
    (start,) = view.SPAWNS.places(bpy.context, bpy.context.collection)
    for space in stage.viewports(bpy.context):
        eye = space.region_3d.view_location + space.region_3d.view_rotation @ AHEAD * space.region_3d.view_distance
        assert np.allclose(eye, start.camera.translation, atol=1e-3)


def _outward(objects: list[bpy.types.Object], brushes: list[bpy.types.Object]) -> list[tuple[str, int]]:
    """The faces of objects that lie on the box of all brushes and look out of it."""
    bpy.context.view_layer.update()
    corners = np.array([obj.matrix_world @ Vector(corner) for obj in brushes for corner in obj.bound_box])
    low, high = corners.min(axis=0), corners.max(axis=0)
    found = []
    for obj in objects:
        for face in obj.data.polygons:
            place, normal = np.array(obj.matrix_world @ face.center), np.array(face.normal)
            out = ((np.abs(place - low) < 1e-3) & (normal < -0.9)) | ((np.abs(place - high) < 1e-3) & (normal > 0.9))
            found += [(obj.name, face.index)] if out.any() else []
    return found
