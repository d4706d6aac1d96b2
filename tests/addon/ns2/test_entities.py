# SPDX-License-Identifier: GPL-3.0-or-later
"""Entities as objects: what each is, where it stands, what its properties say."""

import math
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from levelwright.addon.ns2.entities import custom_properties, object_data, placements, probes
from levelwright.addon.ns2.layers import lists
from levelwright.addon.ns2.layout import CLASS
from levelwright.addon.scene.media import images
from levelwright.addon.scene.reports import Report
from levelwright.formats import ns2
from levelwright.formats.ns2 import model

from tests.addon.ns2.entity_helpers import CUBEMAP, PLACES, level_bytes, object_of, opened
from tests.formats import ns2_bytes as nb
from tests.formats import ns2_content_bytes as cb

SETUP = b"""<editor><classes>
 <class name="mod_light">
  <point_light><color>tint</color><radius>reach</radius><intensity>power</intensity></point_light>
  <parameter name="tint" type="color" label="Tint" default="1, 1, 1"/>
  <parameter name="reach" type="distance" label="Reach" default="3"/>
  <parameter name="power" type="real" label="Power (0 to 4)" default="2" help="How bright"/>
  <parameter name="side" type="choice" label="Side" default="1">
   <choice label="Left" value="1" help="that way"/><choice label="Right" value="2"/></parameter></class>
 <class name="tech_point"><model><file>models/rock.model</file></model></class>
</classes></editor>"""


@pytest.fixture
def level() -> bpy.types.Collection:
    return opened(level_bytes())


def vector(values: Any) -> list[float]:
    return [round(float(value), 5) for value in values]


def world(obj: Any) -> np.ndarray:
    return np.array(obj.matrix_basis, np.float64)


def spark(point: tuple[float, float, float]) -> np.ndarray:
    """Blender's place of a point of Spark (ns2.md §7), written out once more."""
    x, y, z = point
    return np.array([z, x, y])


def turned(angles: tuple[float, float, float]) -> np.ndarray:
    """Ry(yaw) Rx(pitch) Rz(roll) in Spark's axes (ns2.md §7), as a matrix in Blender's."""
    roll, pitch, yaw = angles

    def about(axis: int, angle: float) -> np.ndarray:
        matrix = np.eye(3)
        one, other = (axis + 1) % 3, (axis + 2) % 3
        matrix[one, one] = matrix[other, other] = math.cos(angle)
        matrix[one, other], matrix[other, one] = -math.sin(angle), math.sin(angle)
        return matrix

    axes = np.stack([spark((1, 0, 0)), spark((0, 1, 0)), spark((0, 0, 1))], axis=1)
    return axes @ about(1, yaw) @ about(0, pitch) @ about(2, roll) @ axes.T


def test_every_entity_is_an_object_of_its_kind(level: bpy.types.Collection) -> None:
    kinds = {obj.get(CLASS): obj.type for obj in level.all_objects if obj.get(CLASS)}
    assert kinds == {
        "prop_static": "MESH",
        "light_point": "LIGHT",
        "light_spot": "LIGHT",
        "light_ambient": "EMPTY",
        "location": "MESH",
        "decal": "MESH",
        "tech_point": "EMPTY",
        "ambient_sound": "SPEAKER",
        "camera_origin": "CAMERA",
        "func_moveable": "EMPTY",
        "lost": "EMPTY",
        "reflection_probe": "EMPTY",
    }
    assert object_of(level, "prop_static").name == "rock"
    assert object_of(level, "location").name == "Hub"


def axes(obj: bpy.types.Object) -> np.ndarray:
    """Where an object's axes point to: how large a light is drawn means nothing."""
    linear = world(obj)[:3, :3]
    return linear / np.linalg.norm(linear, axis=0)


def test_props_stand_where_the_game_has_them(level: bpy.types.Collection) -> None:
    matrix = world(object_of(level, "prop_static"))
    expected = turned((0.0, 0.5, -3.0)) @ np.diag(spark((1.0, -1.0, 2.0)))
    assert np.abs(matrix[:3, :3] - expected).max() < 1e-6
    assert np.linalg.det(matrix[:3, :3]) < 0  # the mirrored axis is kept
    assert vector(matrix[:3, 3]) == vector(spark((1.5, -2, 0.1)))


@pytest.mark.parametrize(("name", "angles"), [("light_spot", (0.1, 1.2, 0.3)), ("camera_origin", (0.0, 0.25, 1.0))])
def test_what_looks_along_its_minus_z_looks_along_the_entitys_front(
    level: bpy.types.Collection, name: str, angles: tuple[float, float, float]
) -> None:
    matrix, rotation = axes(object_of(level, name)), turned(angles)
    assert np.abs(-matrix[:, 2] - rotation @ spark((0, 0, 1))).max() < 1e-6
    assert np.abs(matrix[:, 1] - rotation @ spark((0, 1, 0))).max() < 1e-6  # up


def test_a_positive_pitch_looks_down(level: bpy.types.Collection) -> None:
    assert -axes(object_of(level, "light_spot"))[2, 2] < -0.9


def test_triggers_are_boxes_of_half_their_scale_above_their_origin(level: bpy.types.Collection) -> None:
    obj = object_of(level, "location")
    points = np.array([vertex.co for vertex in obj.data.vertices]) @ world(obj)[:3, :3].T + world(obj)[:3, 3]
    middle, half = spark((10, 1.5, 2)), spark((4.0, 2.0, 8.0)) / 4
    assert vector(points.min(axis=0)) == vector(middle - half)
    assert vector(points.max(axis=0)) == vector(middle + half)
    assert not len(obj.data.polygons)
    assert len(obj.data.edges) == 12


def test_a_decal_is_as_large_as_its_extents(level: bpy.types.Collection) -> None:
    obj = object_of(level, "decal")
    assert vector(obj.scale) == [2.0, 3.0, 1.0]
    assert obj.get("extents") is None
    assert max(abs(vertex.co.x) for vertex in obj.data.vertices) == 1.0


def test_lights(level: bpy.types.Collection) -> None:
    point, spot = object_of(level, "light_point").data, object_of(level, "light_spot").data
    assert (point.type, spot.type) == ("POINT", "SPOT")
    assert vector(point.color) == [1.0, 0.5, 0.25]
    assert point.energy == pytest.approx(3.0 * (math.pi * 4.0) ** 2 / 2)
    assert (point.cutoff_distance, point.use_shadow, point.specular_factor) == (4.0, False, 1.0)
    assert spot.spot_size == pytest.approx(1.5)
    assert spot.spot_blend == pytest.approx((math.cos(0.5) - math.cos(0.75)) / (1 - math.cos(0.75)))


@pytest.mark.parametrize(("inner", "outer"), [(0.0, 0.5), (0.3, 0.5), (0.5, 0.5), (0.2, 1.5)])
def test_cones_both_ways(inner: float, outer: float) -> None:
    assert object_data.inner_of(object_data.blend_of(inner, outer), outer) == pytest.approx(inner, abs=1e-6)


def test_sounds_ranges_and_cameras(level: bpy.types.Collection) -> None:
    speaker = object_of(level, "ambient_sound").data
    assert (speaker.distance_reference, speaker.distance_max, speaker.volume, speaker.pitch) == (3.0, 9.0, 0.25, 2.0)
    assert object_of(level, "reflection_probe").empty_display_size == 6.0
    assert object_of(level, "light_ambient").empty_display_size == 4.0
    assert object_of(level, "camera_origin").data.angle == pytest.approx(math.radians(60))


def test_properties_are_typed_named_and_in_order(level: bpy.types.Collection) -> None:
    obj = object_of(level, "func_moveable")
    assert custom_properties.written_keys(obj) == ["direction", "name", "direction#2"]
    assert (obj["direction"], obj["name"], obj["direction#2"]) == (-1, "door \u00e9\u2603", 3)
    light = object_of(level, "light_point")
    assert list(light["color"]) == [1.0, 0.5, 0.25]
    assert light["casts_shadows"] is False
    ui = light.id_properties_ui("color").as_dict()
    assert (ui["subtype"], ui["min"]) == ("COLOR_GAMMA", 0.0)
    assert object_of(level, "light_spot").id_properties_ui("outerAngle").as_dict()["subtype"] == "ANGLE"
    ui = object_of(level, "tech_point").id_properties_ui("teamNumber").as_dict()
    assert [item[1] for item in ui["items"]] == ["Either", "Marine", "Alien", "None"]


def test_places_that_are_no_numbers_are_shown_at_zero(level: bpy.types.Collection) -> None:
    obj = object_of(level, "lost")
    assert vector(obj.location) == [0.0, 0.0, 1.0]
    assert vector(obj.rotation_euler) == [0.0, 0.0, 0.0]


def test_layers_and_groups_are_collections(level: bpy.types.Collection) -> None:
    def homes(name: str) -> set[str]:
        return {each.name for each in object_of(level, name).users_collection}

    assert homes("light_point") == {"Rooms"}
    assert homes("light_spot") == {"Rooms", "Lights", "Low Lights"}
    assert homes("tech_point") == {"Entities"}
    assert lists.memberships(level)[object_of(level, "light_spot")] == (3, [5])


def test_a_probes_picture_is_what_it_saw(level: bpy.types.Collection) -> None:
    image = object_of(level, "reflection_probe")[probes.KEY]
    assert tuple(image.size) == (384, 64)
    assert images.unchanged(image)
    pixels = np.empty(384 * 64 * 4, np.float32)
    image.pixels.foreach_get(pixels)
    rows = pixels.reshape(64, 384, 4)[::-1, :, :3]
    expected = ns2.cubemap.decode(CUBEMAP)
    for face in range(6):
        shown = rows[:, face * 64 : face * 64 + 64]
        # Blender takes the middle of the 256 steps of a colour: half a step more.
        step = expected[face].max(axis=-1, keepdims=True) / 128
        assert (np.abs(shown - expected[face]) <= step + 1e-30).all()


def test_a_model_is_one_mesh_for_all_its_props(tmp_path: Path) -> None:
    (tmp_path / "models/props").mkdir(parents=True)
    (tmp_path / "models/props/rock.model").write_bytes(cb.model(7))
    two = [nb.entity(10, "prop_static", PLACES["prop_static"])] * 2
    report = Report()
    level = opened(nb.level(10, objects=two), tmp_path, report)
    meshes = {obj.data for obj in level.all_objects if obj.get(CLASS)}
    (mesh,) = meshes
    read = model.read(cb.model(7))
    assert len(mesh.vertices) == len(read.vertices) > 0
    assert vector(mesh.vertices[0].co) == vector(spark(tuple(read.vertices["position"][0])))
    assert len(mesh.polygons) > 0
    assert "models" not in report.missing_names


def test_missing_and_broken_models_are_boxes_named_once(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models/bad.model").write_bytes(b"MDL\x07junk")
    parts = list(PLACES["prop_static"])
    bad = [*parts[:3], nb.prop("model", 4, nb.str16("models/bad.model"))]
    report = Report()
    objects = [nb.entity(10, "prop_static", each) for each in (parts, parts, bad)]
    level = opened(nb.level(10, objects=objects), tmp_path, report)
    assert report.missing_names["models"] == ["models/props/rock.model"]
    assert sum("bad.model" in message for message in report.warnings) == 1
    assert {len(obj.data.edges) for obj in level.all_objects if obj.get(CLASS)} == {12}


def test_editor_setup_tells_what_classes_are(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "editor_setup.xml").write_bytes(SETUP)
    parts = [nb.origin(0, 0, 0), nb.floats("tint", 5, 0, 1, 0), nb.floats("reach", 9, 2.0), nb.floats("power", 2, 1.5)]
    parts.append(nb.prop("side", 10, nb.u32(2)))
    level = opened(nb.level(10, objects=[nb.entity(10, "mod_light", parts)]), tmp_path)
    obj = object_of(level, "mod_light")
    assert obj.type == "LIGHT"
    assert obj.data.energy == pytest.approx(1.5 * object_data.power_of(2.0))
    ui = obj.id_properties_ui("power").as_dict()
    assert (ui["description"], ui["soft_min"], ui["soft_max"]) == ("Power (0 to 4): How bright", 0.0, 4.0)
    items = obj.id_properties_ui("side").as_dict()["items"]
    assert [(item[1], item[2], item[4]) for item in items] == [("Left", "that way", 1), ("Right", "", 2)]


def test_angles_both_ways() -> None:
    for angles in ((0.1, 0.2, 0.3), (3.0, -1.2, -2.5), (0.0, math.pi / 2, 0.0), (1.0, -math.pi / 2, 0.5)):
        rotation = placements.rotation_of(angles)
        assert np.abs(rotation - turned(angles)).max() < 1e-12
        assert np.abs(placements.rotation_of(placements.euler_of(rotation)) - rotation).max() < 1e-9
