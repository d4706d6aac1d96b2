# SPDX-License-Identifier: GPL-3.0-or-later
"""Ambient lights: the world of a new scene, and empties of their colour; colours of layers and groups on objects."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.ns2 import kinds, layout
from levelwright.addon.ns2.entities import ambience
from levelwright.addon.scene.reports import Report
from levelwright.formats import ns2
from levelwright.formats.ns2 import PropertyType
from mathutils import Vector

from tests.addon.golden import trace
from tests.addon.ns2.export_helpers import exported, imported
from tests.formats import ns2_bytes as nb
from tests.samples import ns2_room

BLUE, RED, GREEN = (0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)


def ambient(distance: float = 2.0, intensity: float = 1.0, **sides: tuple[float, ...]) -> ns2.Entity:
    given = [ns2.Property.of("distance", PropertyType.DISTANCE, distance)]
    given.append(ns2.Property.of("intensity", PropertyType.REAL, intensity))
    black = dict.fromkeys(("right", "left", "up", "down", "forward", "backward"), (0.0, 0.0, 0.0))
    for side, color in (black | sides).items():
        given.append(ns2.Property.of(f"color_dir_{side}", PropertyType.COLOR, color))
    return ns2.Entity("light_ambient", given)


def lit(*entities: ns2.Entity) -> bytes:
    level = ns2.new_level()
    level.entities = list(entities)
    return ns2.write(level)


def seen_from(data: bytes, folder: Path) -> np.ndarray:
    """The colours of the sides of a white cube in the light of a level alone: +x, -x, +y, -y, +z, -z of Blender."""
    imported(data, "lit.level")
    bpy.context.scene.view_settings.view_transform = "Raw"
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    bpy.context.scene.collection.objects.link(camera)
    bpy.context.scene.camera = camera
    camera.data.type, camera.data.ortho_scale = "ORTHO", 0.5
    mesh = bpy.data.meshes.new("plane")
    mesh.from_pydata([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], [], [(0, 1, 2, 3)])
    plane = bpy.data.objects.new("plane", mesh)
    bpy.context.scene.collection.objects.link(plane)
    found = []
    for turn in ((0, 90, 0), (0, -90, 0), (-90, 0, 0), (90, 0, 0), (0, 0, 0), (180, 0, 0)):
        plane.rotation_euler = camera.rotation_euler = np.radians(turn)
        bpy.context.view_layer.update()
        camera.location = plane.matrix_world.to_3x3() @ Vector((0, 0, 2))
        found.append(trace(4, 4, 16, folder / "side.png").reshape(-1, 3).mean(axis=0))
    return np.array(found) / 255


@pytest.mark.slow
def test_the_world_shines_from_the_sides_that_the_light_says(tmp_path: Path) -> None:
    found = seen_from(lit(ambient(forward=RED, up=BLUE, right=GREEN)), tmp_path)
    assert found.argmax(axis=0).tolist() == [0, 3, 4], "ahead is x, to the right -y, up z"
    away = found[[1, 2, 5], [0, 1, 2]]
    assert (away < 0.1 * found.max(axis=0)).all()
    assert found.max() < ambience.STRENGTH


def test_lights_count_by_their_intensity_and_the_volume_that_they_reach() -> None:
    mean = ambience.mean_of([ambient(2.0, 1.0, up=RED), ambient(1.0, 4.0, up=BLUE)])
    assert mean is not None
    assert mean[2, 0] == pytest.approx([8 / 12, 0, 4 / 12])
    assert not mean[2, 1].any()
    assert ambience.mean_of([]) is None
    assert ambience.mean_of([ambient(0.0)]) is None
    assert ambience.mean_of([ambient()]) is None


def test_a_scene_that_has_a_world_or_other_things_keeps_what_it_has() -> None:
    data = lit(ambient(up=RED))
    imported(data)
    own = bpy.context.scene.world
    assert own.name == "test ambience"
    imported(data, "second.level")
    assert bpy.context.scene.world == own
    bpy.context.scene.world = None
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("mine", None))
    imported(data, "third.level")
    assert bpy.context.scene.world is None


@pytest.mark.parametrize("raw", [b"\0\0", bytes.fromhex("0000c07f") * 3])
def test_broken_colours_are_white_and_stay(raw: bytes) -> None:
    body = [nb.origin(0, 0, 0), nb.prop("color", 5, raw)]
    data = nb.level(10, objects=[nb.entity(10, "light_ambient", body)])
    level = imported(data)
    assert bpy.context.scene.world is not None
    assert exported(level, Report()) == data


def test_empties_have_the_colour_of_their_light_and_other_objects_that_of_their_layer_or_group() -> None:
    level = imported(ns2_room.LEVEL.read_bytes())
    found = {obj["class_name"]: tuple(round(part * 255) for part in obj.color) for obj in level.all_objects
             if obj.get("class_name")}  # fmt: skip
    assert found["ready_room_start"] == found["resource_point"] == (64, 200, 64, 255), "Pathing comes before Vents"
    assert found["prop_static"] == (80, 120, 255, 255)
    assert found["location"] == found["light_point"] == (255, 255, 255, 255), "in no layer that has a colour"
    assert found["light_ambient"] == (32, 28, 40, 255)
    level.levelwright_ns2.layers[0].color = (1, 0, 0, 1)
    start = next(obj for obj in level.all_objects if obj.get("class_name") == "ready_room_start")
    assert tuple(start.color) == (1, 0, 0, 1)


@pytest.mark.parametrize("count", [kinds.MANY, kinds.MANY + 1])
def test_many_spheres_of_ambient_lights_are_hidden_in_views_and_only_there(count: int) -> None:
    data = lit(*(ambient() for _ in range(count)))
    level = imported(data)
    lights = [obj for obj in level.all_objects if obj.get(layout.CLASS) == layout.AMBIENT_LIGHT]
    assert len(lights) == count
    assert {obj.hide_get() for obj in lights} == {count > kinds.MANY}
    assert not any(obj.hide_viewport for obj in lights)
    assert exported(level) == data
