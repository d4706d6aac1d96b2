# SPDX-License-Identifier: GPL-3.0-or-later
"""Overlays that were moved are lifted off the faces that they lie on then, and the map gets what it got without."""

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.reports import Report
from levelwright.addon.source.overlays import build, lifting
from levelwright.addon.source.overlays.operators import add_overlay
from levelwright.formats import source

from tests.addon.source.worlds import HALL, World
from tests.formats.source_hall import BOXES, CRATE

PLACE = (-100.0, 200.0, 0.0)


@pytest.fixture
def scene() -> World:
    """A map with an overlay on its floor, imported."""
    made = World()
    obj = add_overlay(bpy.context, made.level, "decals/decalstain01a", PLACE, Report())
    assert np.allclose(obj.location, PLACE, atol=1e-3)
    return World(source.write(made.export()))


def overlay(scene: World) -> bpy.types.Object:
    (obj,) = (each for each in scene.level.all_objects if each.name.startswith("Overlay"))
    return obj


def settled(scene: World) -> bytes:
    """What an export gives after a move, which is the same before and after it settled."""
    bpy.context.view_layer.update()
    before = source.write(scene.export())
    settle()
    assert source.write(scene.export()) == before
    return before


def settle() -> None:
    """Lift what was moved."""
    bpy.context.view_layer.update()
    lifting.settle(bpy.context)
    bpy.context.view_layer.update()


def test_one_that_stays_keeps_its_lift(scene: World) -> None:
    obj = overlay(scene)
    lift = obj.delta_location[:]
    obj.location = obj.location
    assert settled(scene)
    assert obj.delta_location[:] == lift
    assert np.allclose(lift, (0, 0, build.LIFT), atol=1e-4)


def test_one_that_was_snapped_to_a_face_is_before_it(scene: World) -> None:
    """What Blender snaps is what it shows: the place that the map gets is behind the face."""
    obj = overlay(scene)
    obj.location = (40.0, -120.0, -build.LIFT)
    assert settled(scene) != HALL
    assert np.allclose(obj.location.z + obj.delta_location.z, build.LIFT, atol=1e-3)
    assert obj.delta_location[:2] == (0, 0)
    obj.location = (40.0, -120.0, 5.0)
    settle()
    assert np.allclose(obj.location.z + obj.delta_location.z, build.LIFT, atol=1e-3)


def test_one_that_was_turned_onto_a_side_of_a_crate_is_lifted_off_that(scene: World) -> None:
    obj = overlay(scene)
    obj[build.ORDER] = 2
    obj.rotation_euler = (0, -np.pi / 2, 0)
    obj.location = (BOXES[CRATE][0][0], 160.0, 32.0)
    settled(scene)
    assert np.allclose(obj.delta_location, (-3 * build.LIFT, 0, 0), atol=2e-3)


def test_one_that_is_near_no_face_is_lifted_as_before(scene: World) -> None:
    obj = overlay(scene)
    obj.location = (0.0, 0.0, 200.0)
    settle()
    assert np.allclose(obj.delta_location, (0, 0, build.LIFT), atol=1e-4)


def test_a_lift_that_somebody_edited_is_still_refused(scene: World) -> None:
    obj = overlay(scene)
    obj.location.x += 8
    obj.delta_location.z += 4
    settle()
    assert np.isclose(obj.delta_location.z, 4 + build.LIFT)


def test_undo_gives_back_the_lift_of_before(scene: World) -> None:
    name = overlay(scene).name
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.ed.undo_push(message="before")
    obj = bpy.data.objects[name]
    obj.location = (40.0, -120.0, -build.LIFT)
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="moved")
    lifting.settle(bpy.context)
    bpy.ops.ed.undo()
    obj = bpy.data.objects[name]
    assert np.allclose(obj.location, PLACE, atol=1e-3)
    assert np.allclose(obj.delta_location, (0, 0, build.LIFT), atol=1e-4)
