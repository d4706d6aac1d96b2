# SPDX-License-Identifier: GPL-3.0-or-later
"""Entities back from their objects: byte-identical where nothing was edited, and one property for each edit."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from levelwright.addon.ns2.entities import editing, probes
from levelwright.addon.ns2.exporter import export_level
from levelwright.addon.ns2.importer import import_level
from levelwright.addon.ns2.layers import lists
from levelwright.addon.ns2.layout import CLASS
from levelwright.addon.ns2.settings import ExportSettings, ImportSettings
from levelwright.addon.scene.geometry import transforms
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.addon.scene.view import stage
from levelwright.formats import ns2
from mathutils import Matrix

from tests.addon.ns2.entity_helpers import (
    CUBEMAP,
    PLACES,
    differences,
    exported,
    level_bytes,
    object_of,
    opened,
    placed,
    read,
)
from tests.addon.ns2.export_helpers import reopened
from tests.formats import ns2_bytes as nb
from tests.formats import ns2_content_bytes as cb

DATA = level_bytes()
Edit = Callable[[Any], object]


@pytest.mark.parametrize("version", [4, 6, 7, 9, 10])
def test_what_was_not_edited_comes_out_as_it_came(version: int, tmp_path: Path) -> None:
    data = level_bytes(version)
    level = opened(data)
    assert exported(level) == data
    assert exported(reopened(level, tmp_path)) == data


def edited(class_name: str, edit: Edit) -> tuple[set[tuple[str, str]], ns2.Entity]:
    """What differs after an edit of an entity's object, and the entity."""
    level = opened(DATA)
    edit(object_of(level, class_name))
    after = exported(level)
    return {(name, what) for name, what in differences(DATA, after)}, read(after)[class_name]


def put(key: str, value: object) -> Edit:
    return lambda obj: obj.__setitem__(key, value)


@pytest.mark.parametrize(
    ("name", "key", "value", "expected"),
    [
        ("light_point", "intensity", 7.5, 7.5),
        ("light_point", "color", [0.25, 0.5, 1.0], (0.25, 0.5, 1.0)),
        ("light_point", "casts_shadows", True, True),
        ("light_spot", "outerAngle", 1.0, 1.0),
        ("tech_point", "teamNumber", 1, 1),
        ("location", "name", "Caf\u00e9 \u2603", "Caf\u00e9 \u2603"),
        ("prop_static", "model", "models/other.model", "models/other.model"),
        ("func_moveable", "direction", 4, 4),
        ("light_point", "intensity", 3, 3.0),
    ],
)
def test_an_edited_property_is_all_that_differs(name: str, key: str, value: object, expected: object) -> None:
    found, entity = edited(name, put(key, value))
    same = entity.get(key) == read(DATA)[name].get(key)
    assert found == (set() if same else {(name, key)})
    assert entity.get(key) == expected


def test_the_second_property_of_a_name_is_its_own() -> None:
    found, entity = edited("func_moveable", put("direction#2", 5))
    assert found == {("func_moveable", "direction")}
    assert entity.get_all("direction") == [-1, 5]


def move(obj: Any) -> None:
    obj.location.x += 1.0


def turn(obj: Any) -> None:
    obj.rotation_euler.z = 1.25


def test_a_moved_entity_has_another_origin_only() -> None:
    found, entity = edited("prop_static", move)
    assert found == {("prop_static", "origin")}
    assert entity.get("origin") == tuple(np.float32([1.5, -2, np.float32(0.1) + np.float32(1.0)]).tolist())


def test_a_moved_spotlight_keeps_its_angles() -> None:
    assert edited("light_spot", move)[0] == {("light_spot", "origin")}


def test_a_turned_entity_has_other_angles_only() -> None:
    found, entity = edited("location", turn)
    assert found == {("location", "angles")}
    assert entity.get("angles") == (0.0, 0.0, 1.25)
    assert math.copysign(1, entity.get("angles")[1]) == -1  # what it was


def test_a_spotlight_is_turned_as_it_is_seen() -> None:
    level = opened(DATA)
    obj = object_of(level, "light_spot")
    obj.matrix_basis = Matrix.Rotation(0.5, 4, "Z") @ obj.matrix_basis
    obj.location = (6, 4, 5)
    entity = read(exported(level))["light_spot"]
    assert entity.get("angles") == pytest.approx((0.1, 1.2, 0.8), abs=1e-5)
    assert entity.get("angles")[:2] == read(DATA)["light_spot"].get("angles")[:2], "to the bit"
    assert entity.get("origin") == (4, 5, 6)


def test_scale_is_the_objects() -> None:
    def edit(obj: Any) -> None:
        obj.scale.y = -3.0

    found, entity = edited("prop_static", edit)
    assert found == {("prop_static", "scale")}
    assert entity.get("scale") == (-3.0, -1.0, 2.0)

    def larger(obj: Any) -> None:
        obj.scale *= 2

    assert edited("decal", larger)[1].get("extents") == (6.0, 2.0, 4.0)


def test_an_origin_that_was_no_number_is_one_when_moved() -> None:
    def edit(obj: Any) -> None:
        obj.location.x = 5.0

    found, entity = edited("lost", edit)
    assert found == {("lost", "origin")}
    assert entity.get("origin") == (0.0, 1.0, 5.0)


def test_parenting_without_moving_changes_nothing() -> None:
    level = opened(DATA)
    holder = bpy.data.objects.new("holder", None)
    level.objects.link(holder)
    holder.location, holder.rotation_euler, holder.scale = (3, 2, 1), (0.3, 0.2, 0.1), (2, 2, 2)
    for name in PLACES:
        obj = object_of(level, name)
        matrix = holder.matrix_basis.inverted()
        obj.parent, obj.matrix_parent_inverse = holder, matrix
    holder["class_name"] = "target_point"  # an entity of its own
    assert differences(DATA, _without(exported(level), "target_point")) == set()
    holder.location.x += 1
    after = _without(exported(level), "target_point")
    assert {what for _, what in differences(DATA, after)} == {"origin"}
    for old, new in zip(ns2.read(DATA).entities, ns2.read(after).entities, strict=True):
        if old.class_name != "lost":  # its place was no number
            assert old.get("origin")[:2] == new.get("origin")[:2], "Blender's x is the level's z"


def _without(data: bytes, class_name: str) -> bytes:
    level = ns2.read(data)
    level.entities = [each for each in level.entities if each.class_name != class_name]
    return ns2.write(level)


def test_moving_the_level_edits_nothing() -> None:
    level = opened(DATA)
    root = next(obj for obj in level.objects if obj.parent is None)
    root.location, root.scale = (10, 20, 30), (2, 2, 2)
    assert exported(level) == DATA


def light(attribute: str, value: object) -> Edit:
    return lambda obj: setattr(obj.data, attribute, value)


@pytest.mark.parametrize(
    ("name", "edit", "key", "expected"),
    [
        ("light_point", light("energy", 6.0 * (math.pi * 4) ** 2 / 2), "intensity", 6.0),
        ("light_point", light("color", (0.5, 0.5, 0.5)), "color", (0.5, 0.5, 0.5)),
        ("light_point", light("use_shadow", True), "casts_shadows", True),
        ("light_point", light("specular_factor", 0.0), "specular", False),
        ("light_point", light("cutoff_distance", 8.0), "distance", 8.0),
        ("light_spot", light("spot_size", 2.0), "outerAngle", 1.0),
        ("light_spot", light("spot_blend", 1.0), "innerAngle", 0.0),
        ("ambient_sound", light("volume", 0.75), "volume", 0.75),
        ("ambient_sound", light("distance_max", 20.0), "maxFalloff", 20.0),
        ("ambient_sound", light("pitch", 4.0), "pitch", 2.0),
        ("camera_origin", light("angle", math.radians(90)), "fov", 90.0),
        ("reflection_probe", lambda obj: setattr(obj, "empty_display_size", 2.5), "distance", 2.5),
    ],
)
def test_lights_and_sounds_say_their_properties(name: str, edit: Edit, key: str, expected: object) -> None:
    found, entity = edited(name, edit)
    assert found == {(name, key)}
    assert entity.get(key) == pytest.approx(expected, abs=1e-4)


def test_an_edited_property_wins_over_the_light() -> None:
    def edit(obj: Any) -> None:
        obj.data.energy, obj["intensity"] = 1.0, 9.0

    found, entity = edited("light_point", edit)
    assert found == {("light_point", "intensity")}
    assert entity.get("intensity") == 9.0


def test_a_point_light_becomes_a_spotlight() -> None:
    level = opened(DATA)
    object_of(level, "light_point").data.type = "SPOT"
    lights = [each for each in ns2.read(exported(level)).entities if each.class_name == "light_spot"]
    assert len(lights) == 2
    assert isinstance(lights[0].get("outerAngle"), float)


def test_a_prop_with_anothers_mesh_has_its_model() -> None:
    parts = [*placed(0, 0, 0), nb.floats("scale", 2, 1, 1, 1), nb.prop("model", 4, nb.str16("models/b.model"))]
    data = nb.level(10, objects=[nb.entity(10, "prop_static", PLACES["prop_static"]), nb.entity(10, "barrel", parts)])
    level = opened(data)
    object_of(level, "prop_static").data = object_of(level, "barrel").data
    after = exported(level)
    assert differences(data, after) == {("prop_static", "model")}
    assert read(after)["prop_static"].get("model") == "models/b.model"


def test_classes_layers_and_groups_follow_the_scene() -> None:
    level = opened(DATA)
    object_of(level, "tech_point")["class_name"] = "resource_point"
    obj = object_of(level, "light_point")
    lists.homes(level, "layers")[1].objects.link(obj)
    lists.homes(level, "layers")[0].objects.unlink(obj)
    lists.homes(level, "groups")[5].objects.link(obj)
    spot = object_of(level, "light_spot")
    lists.homes(level, "groups")[5].objects.unlink(spot)
    after = read(exported(level))
    assert (after["light_point"].layers, after["light_point"].group) == (2, 5)
    assert (after["light_spot"].layers, after["light_spot"].group) == (3, ns2.NO_GROUP)
    assert after["resource_point"].group == 77  # a group that is in no list stays


def test_an_object_in_two_groups_is_refused() -> None:
    data = nb.level(10, objects=[nb.entity(10, "x", placed(0, 0, 0))],
                    groups=nb.listed(10, [("A", 1), ("B", 2)], groups=True))  # fmt: skip
    level = opened(data)
    for home in lists.homes(level, "groups").values():
        home.objects.link(object_of(level, "x"))
    with pytest.raises(SceneError, match="several groups") as error:
        exported(level)
    assert error.value.objects == [object_of(level, "x")]


def test_deleted_and_copied_entities() -> None:
    level = opened(DATA)
    bpy.data.objects.remove(object_of(level, "decal"))
    obj = object_of(level, "light_spot")
    copy = obj.copy()
    copy.location.x += 2
    lists.homes(level, "layers")[1].objects.link(copy)
    before, after = ns2.read(DATA).entities, ns2.read(exported(level)).entities
    assert [each.class_name for each in after[:-1]] == [e.class_name for e in before if e.class_name != "decal"]
    spot, new = read(DATA)["light_spot"], after[-1]
    assert new.class_name == "light_spot"
    assert [p for p in new.properties if p.name != "origin"] == [p for p in spot.properties if p.name != "origin"]
    assert new.get("origin") == (4, 5, 8)
    assert (new.layers, new.group) == (2, ns2.NO_GROUP)


def test_properties_can_be_deleted_and_added() -> None:
    level = opened(DATA)
    obj = object_of(level, "tech_point")
    del obj["chooseWeight"]
    obj["extendAmount"], obj["note"], obj["flag"] = 0.5, "x", True
    obj["tint"] = [1.0, 0.5, 0.0]
    entity = read(exported(level))["tech_point"]
    found = [(each.name, each.type, each.components, each.value) for each in entity.properties[2:]]
    assert found == [
        ("teamNumber", 10, 1, 2),
        ("extendAmount", 2, 1, 0.5),
        ("note", 0, 1, "x"),
        ("flag", 1, 1, True),
        ("tint", 2, 3, (1.0, 0.5, 0.0)),
    ]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("intensity", "bright"),
        ("color", [1.0, 1.0]),
        ("intensity", 1e300),
        ("extra", ["a", "b"]),
        ("origin", [1.0, 2.0, 3.0]),
    ],
)
def test_values_that_no_level_can_hold_are_refused(key: str, value: object) -> None:
    level = opened(DATA)
    obj = object_of(level, "light_point")
    obj[key] = value
    with pytest.raises(SceneError, match=key) as error:
        exported(level)
    assert error.value.objects == [obj]


def test_a_sheared_entity_is_refused() -> None:
    level = opened(DATA)
    holder = bpy.data.objects.new("holder", None)
    holder.scale, holder["class_name"] = (3, 1, 1), "x"
    level.objects.link(holder)
    obj = object_of(level, "prop_static")
    obj.parent, obj.rotation_euler.z = holder, 0.7
    with pytest.raises(SceneError, match="sheared"):
        exported(level)


def test_constraints_put_entities_where_they_are_seen() -> None:
    level = opened(DATA)
    target = bpy.data.objects.new("target", None)
    target.location, target["class_name"] = (7, 8, 9), "target_point"
    level.objects.link(target)
    obj = object_of(level, "location")
    obj.constraints.new("COPY_LOCATION").target = target
    after = _without(exported(level), "target_point")
    assert differences(DATA, after) == {("location", "origin")}
    assert read(after)["location"].get("origin") == (8, 9, 7)


def test_a_scale_that_nothing_holds_is_told() -> None:
    level = opened(DATA)
    point = object_of(level, "tech_point")
    point.scale *= 2
    point.name = "mine"
    report = Report()
    assert exported(level, report) == DATA
    assert "mine: the edit of scale isn't written: such entities have none" in report.warnings


# -------------------------------------------------------------------------------------------------------------- probes


def test_only_painted_pixels_of_a_probe_are_written() -> None:
    level = opened(DATA)
    image = object_of(level, "reflection_probe")[probes.KEY]
    pixels = np.empty(384 * 64 * 4, np.float32)
    image.pixels.foreach_get(pixels)
    rows = pixels.reshape(64, 384, 4)
    rows[63 - 5, 64 + 7, :3] = (1.0, 0.5, 0.25)  # the second picture, row 5, column 7
    image.pixels.foreach_set(pixels)
    image.update()
    after = exported(level)
    assert differences(DATA, after) == {("reflection_probe", "editor data")}
    data = read(after)["reflection_probe"].editor_data
    before = np.frombuffer(CUBEMAP, np.uint8).reshape(6, 64, 64, 4)
    now = np.frombuffer(data[0].data, np.uint8).reshape(6, 64, 64, 4)
    differs = (before != now).any(axis=-1)
    assert np.argwhere(differs).tolist() == [[1, 5, 7]]
    assert ns2.cubemap.decode(data[0].data)[1, 5, 7].tolist() == [1.0, 0.5, 0.25]
    assert (data[1].name, data[1].data) == ("other", b"\0\1")


def test_a_probes_picture_can_go_and_be_anothers() -> None:
    level = opened(DATA)
    obj = object_of(level, "reflection_probe")
    copy = obj.copy()
    obj.users_collection[0].objects.link(copy)
    del obj[probes.KEY]
    after = ns2.read(exported(level)).entities
    assert [each.name for each in after[-2].editor_data] == ["other"]
    assert after[-1].editor_data[0].data == CUBEMAP


# ----------------------------------------------------------------------------------------------------------- new ones


@pytest.mark.parametrize("version", [4, 7, 10])
@pytest.mark.parametrize("name", ["prop_static", "light_spot", "location", "tech_point", "decal", "unheard_of"])
def test_new_entities_of_any_class(name: str, version: int) -> None:
    level = opened(level_bytes(version))
    report = Report()
    obj = editing.add(bpy.context, level, name, (3.0, 1.0, 2.0), report, layer=1)
    assert {each.name for each in obj.users_collection} == {"Lights"}
    obj.location.x += 1
    after = ns2.read(exported(level))
    new = after.entities[-1]
    assert len(after.entities) == len(PLACES) + 2
    assert (new.class_name, new.get("origin"), new.layers) == (name, (1.0, 2.0, 4.0), 2)
    known = editing.classes(bpy.context, level, report).new(name)
    assert [each[:3] for each in new.properties] == [each[:3] for each in known]
    assert [each for each in new.properties if each.name != "origin"] == [p for p in known if p.name != "origin"]


def test_the_operator_adds_at_the_cursor() -> None:
    level = opened(DATA)
    root = next(obj for obj in level.objects if obj.parent is None)
    root.location = (10, 0, 0)
    bpy.context.view_layer.update()
    bpy.context.scene.cursor.location = (11, 2, 3)
    assert bpy.ops.levelwright.ns2_add_entity(class_name="light_point") == {"FINISHED"}
    new = ns2.read(exported(level)).entities[-1]
    assert (new.class_name, new.get("origin"), new.layers) == ("light_point", (2.0, 3.0, 1.0), 1)
    with pytest.raises(RuntimeError, match="can't be the name"):
        bpy.ops.levelwright.ns2_add_entity(class_name="caf\u00e9")


def test_a_light_that_was_added_by_hand_is_an_entity() -> None:
    level = opened(DATA)
    data = bpy.data.lights.new("lamp", "POINT")
    data.energy, data.cutoff_distance, data.color = 2 * (math.pi * 3) ** 2 / 2, 3.0, (1, 0.5, 0)
    obj = bpy.data.objects.new("lamp", data)
    obj.location = (1, 2, 3)
    level.objects.link(obj)
    new = ns2.read(exported(level)).entities[-1]
    assert (new.class_name, new.get("origin"), new.get("distance"), new.get("color")) == (
        "light_point", (2.0, 3.0, 1.0), 3.0, (1.0, 0.5, 0.0),
    )  # fmt: skip
    assert new.get("intensity") == pytest.approx(2.0)


def test_an_entity_of_another_level_keeps_its_properties() -> None:
    level, other = opened(nb.level(10, objects=[nb.entity(10, "x", placed(0, 0, 0))])), opened(DATA)
    for name in ("prop_static", "light_spot", "func_moveable", "reflection_probe"):
        obj = object_of(other, name)
        obj.parent = next(one for one in level.objects if one.parent is None)
        level.objects.link(obj)
    report = Report()
    found, was = read(exported(level, report)), read(DATA)
    named = next(line for line in report.lines() if "entities of another level, which are new here" in line)
    assert all(object_of(other, name).name in named for name in ("prop_static", "func_moveable"))
    for name in ("prop_static", "func_moveable"):
        shown = [each for each in was[name].properties if each.name not in ("torn", "")]
        assert found[name].properties == shown
    assert found["reflection_probe"].editor_data[0].data == CUBEMAP
    assert found["light_spot"].get("angles") == pytest.approx((0.1, 1.2, 0.3), abs=1e-6)
    assert found["light_spot"].properties[2:] == was["light_spot"].properties[2:]


def test_all_of_a_level_can_be_built_anew() -> None:
    level = opened(DATA)
    after = ns2.read(export_level(bpy.context, level, ExportSettings(build_as_new=True), Report()))
    assert [each.class_name for each in after.entities] == [*PLACES, "reflection_probe"]


def test_turning_in_another_mode_without_turning_changes_nothing() -> None:
    level = opened(DATA)
    obj = object_of(level, "light_spot")
    quaternion = obj.rotation_euler.to_quaternion()
    obj.rotation_mode = "QUATERNION"
    obj.rotation_quaternion = quaternion
    assert transforms.unchanged(obj)
    assert exported(level) == DATA
    assert CLASS in obj


def test_lights_and_props_can_be_made_to_look_as_their_properties_say() -> None:
    level = opened(DATA)
    light, prop, probe = (object_of(level, name) for name in ("light_spot", "prop_static", "reflection_probe"))
    light["intensity"], light["outerAngle"], prop["model"], probe["distance"] = 6.0, 1.0, "models/b.model", 2.0
    stage.select_only(bpy.context, [light, prop, probe])
    assert bpy.ops.levelwright.ns2_show_properties() == {"FINISHED"}
    assert light.data.energy == pytest.approx(6.0 * (math.pi * 4) ** 2 / 2)
    assert light.data.spot_size == pytest.approx(2.0)
    assert prop.data["model"] == "models/b.model"
    assert probe.empty_display_size == 2.0
    light.data.energy *= 2  # now it is the light that says something else
    after = exported(level)
    assert differences(DATA, after) == {
        ("light_spot", "outerAngle"),
        ("light_spot", "intensity"),
        ("prop_static", "model"),
        ("reflection_probe", "distance"),
    }
    assert read(after)["reflection_probe"].get("distance") == 2.0


def test_entities_that_were_not_opened_stay() -> None:
    settings = ImportSettings(entities=False)
    level = import_level(bpy.context, DATA, "room.level", settings, Report())
    assert not [obj for obj in level.all_objects if obj.get(CLASS)]
    assert exported(level) == DATA
    editing.add(bpy.context, level, "resource_point", (1, 2, 3), Report())
    before, after = ns2.read(DATA).entities, ns2.read(exported(level)).entities
    assert [e.properties for e in after[:-1]] == [e.properties for e in before]
    assert after[-1].class_name == "resource_point"


def test_props_can_be_boxes(tmp_path: Path) -> None:
    (tmp_path / "models/props").mkdir(parents=True)
    (tmp_path / "models/props/rock.model").write_bytes(cb.model(7))
    settings = ImportSettings(props="boxes", game_directory=str(tmp_path))
    level = import_level(bpy.context, DATA, "room.level", settings, Report())
    assert len(object_of(level, "prop_static").data.edges) == 12
    assert exported(level) == DATA
