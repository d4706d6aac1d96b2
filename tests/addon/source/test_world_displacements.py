# SPDX-License-Identifier: GPL-3.0-or-later
"""Displacements on brushes that are moved or deleted in Blender: they go along, whether their objects do or not."""

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.reports import SceneError
from levelwright.addon.source import layout
from levelwright.formats import source
from levelwright.formats.source import LumpId, geometry
from levelwright.formats.source.faces import displacements

from tests.addon.source.worlds import World, translate
from tests.formats import source_displaced_rooms as rooms
from tests.formats.source_displaced_rooms import OTHER, SIDE, TOP, VERTS
from tests.formats.source_rooms import BEAM, CRATE

ROOMS = source.write(source.read(bytes(rooms.write(rooms.displaced_rooms()))))
BY = (8, -16, 24)
OWN = (TOP, SIDE)


def places(level: source.Level) -> np.ndarray:
    """float64[displacements, VERTS, 3]."""
    laid = displacements.displacements(level, geometry.polygons(level))
    return laid.positions(level.table(LumpId.DISP_VERTS)).reshape(-1, VERTS, 3)


@pytest.fixture
def scene() -> World:
    return World(ROOMS, displacements="each")


def shown(scene: World, number: int) -> bpy.types.Object:
    return scene.objects(layout.DISPLACEMENT)[number]


def pushed(obj: bpy.types.Object, *by: float) -> None:
    """Moved as an object, by units."""
    obj.location = np.add(obj.location, by)
    bpy.context.view_layer.update()


def move_crate(scene: World) -> None:
    with scene.selected(CRATE):
        translate(*BY)


def warned(scene: World, text: str) -> bool:
    return any(text in each for each in scene.report.warnings)


@pytest.mark.parametrize("alike", [False, True])
def test_a_moved_brush_takes_them_along(scene, alike) -> None:
    before = places(source.read(ROOMS))
    move_crate(scene)
    for number in OWN if alike else ():
        pushed(shown(scene, number), *BY)
    made = scene.edit()
    after = places(made)
    assert np.abs(after[[*OWN]] - before[[*OWN]] - BY).max() < 1e-3
    assert np.array_equal(after[OTHER], before[OTHER])
    assert made.bytes_of(LumpId.DISP_VERTS) == source.read(ROOMS).bytes_of(LumpId.DISP_VERTS)
    assert warned(scene, "2 displacements moved along with the brushes beneath: 0, 1")


def test_what_was_sculpted_goes_along(scene) -> None:
    before = places(source.read(ROOMS))
    move_crate(scene)
    shown(scene, TOP).data.vertices[12].co.z += 5
    pushed(shown(scene, SIDE), *BY)
    shown(scene, SIDE).data.vertices[12].co.x += 5
    after = places(scene.edit())
    wanted = before + np.array(BY)
    wanted[OTHER] = before[OTHER]
    wanted[TOP, 12, 2] += 5
    wanted[SIDE, 12, 0] += 5
    assert np.abs(after - wanted).max() < 1e-2


@pytest.mark.parametrize("alike", [False, True])
def test_a_deleted_brush_takes_them_away(scene, alike) -> None:
    before = places(source.read(ROOMS))
    with scene.selected(CRATE):
        bpy.ops.mesh.delete(type="FACE")
    for number in OWN if alike else ():
        bpy.data.objects.remove(shown(scene, number))
    made = scene.edit()
    assert np.array_equal(places(made), before[[OTHER]])
    assert warned(scene, "2 displacements are taken away with the brushes beneath: 0, 1")


def test_one_that_moves_alone_moves_alone(scene) -> None:
    before = places(source.read(ROOMS))
    pushed(shown(scene, OTHER), *BY)
    with scene.selected(CRATE):
        translate(0, 0, 8)
    after = places(scene.edit())
    assert np.abs(after[OTHER] - before[OTHER] - BY).max() < 1e-2
    assert np.abs(after[[*OWN]] - before[[*OWN]] - (0, 0, 8)).max() < 1e-3


def test_two_ways_are_refused(scene) -> None:
    move_crate(scene)
    pushed(shown(scene, TOP), 8, 0, 0)
    with pytest.raises(SceneError, match="moved otherwise than the brush that they lie on") as refused:
        scene.edit()
    assert shown(scene, TOP) in refused.value.objects


def test_one_deleted_without_its_brush_is_refused(scene) -> None:
    bpy.data.objects.remove(shown(scene, OTHER))
    move_crate(scene)
    with pytest.raises(SceneError, match="vertices of displacements 2 were deleted") as refused:
        scene.edit()
    assert f"but with the brush that it lies on, which Brushes shows (2 on brush {BEAM})" in str(refused.value)


def test_reshaped_brushes_are_refused(scene) -> None:
    with scene.selected(BEAM, side=(1, 0, 0)):
        translate(8, 0, 0)
    with pytest.raises(SceneError, match=r"displacements lie on it \(2\), which can't be reshaped"):
        scene.edit()
