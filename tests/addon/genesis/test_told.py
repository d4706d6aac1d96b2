# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits that a file has no place for: refused or told, by the name of what was edited."""

import bpy
import numpy as np
import pytest
from levelwright.addon.genesis import layout
from levelwright.addon.scene.kept import identity
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats import genesis

from tests.addon.genesis.export_helpers import brush, exported, imported, part, sample
from tests.formats.genesis_3dt_text import whole_level
from tests.formats.genesis_bytes import model, motion

TEXT = whole_level().encode("latin-1")


def told(scene: bpy.types.Collection, data: bytes) -> list[str]:
    """What the report says of an edit that leaves the file as it was."""
    report = Report()
    assert exported(scene, report) == data
    return report.warnings + report.notes


@pytest.mark.parametrize("name", ["a.map", "a.3dt"])
def test_bits_of_flags_that_have_properties_of_their_own(name):
    scene = imported(TEXT if name == "a.3dt" else sample(), name)
    obj = next(obj for obj in scene.all_objects if obj.type == "MESH")
    obj["other_flags"] = 1
    with pytest.raises(SceneError, match=f"{obj.name}: property other_flags: 0x1 have properties of their own"):
        exported(scene)


def test_a_place_in_the_order_that_changes_nothing():
    scene = imported(sample())
    brush(scene, 0)[layout.ORDER] = 7
    assert told(scene, sample()) == ["brush Brush 0 changed: its order is 7, it was 0"]


def test_the_kind_of_a_light_is_a_class_or_is_told():
    scene = imported(sample())
    obj = part(scene, layout.ENTITY, 1)
    obj.data.type = "SPOT"
    obj.rotation_euler = (0, 1, 0)
    after = genesis.read(exported(scene))
    assert after.points[0].classname == "spotlight"
    obj.data.type = "AREA"
    report = Report()
    exported(scene, report)
    assert any("is no area light: it stays what it is" in line for line in report.warnings)


def test_how_far_a_plain_light_reaches_follows_from_its_brightness():
    scene = imported(sample())
    obj = part(scene, layout.ENTITY, 1)
    obj.data.cutoff_distance *= 2
    assert told(scene, sample()) == [
        f"{obj.data.name}: a light reaches as far as it is bright: its distance is not exported"
    ]


def test_a_constraint_moves_an_entity():
    scene = imported(sample())
    obj = part(scene, layout.ENTITY, 1)
    constraint = obj.constraints.new("LIMIT_LOCATION")
    constraint.use_min_x, constraint.min_x, constraint.owner_space = True, 100.0, "LOCAL"
    assert genesis.read(exported(scene)).points[0].get("origin") == "100 16 -24"


def test_parts_of_a_degree_before_they_were_known():
    scene = imported(TEXT, "a.3dt")
    obj = next(obj for obj in scene.all_objects if obj.type == "MESH")
    values = np.zeros(len(obj.data.polygons), np.float32)
    values[2] = 0.25
    obj.data.attributes["rotate"].data.foreach_set("value", values)
    with pytest.raises(SceneError, match=r"attribute rotate of 1 face: before version 1\.33") as caught:
        exported(scene)
    assert [one.tolist() for one in caught.value.faces.values()] == [[2]]


def test_what_later_versions_know_of_a_level():
    scene = imported(TEXT, "a.3dt")
    scene["PawnIni"], scene["Mine"] = "pawn.ini", 3
    report = Report()
    exported(scene, report)
    assert f"{scene.name}: PawnIni isn't written: a .3dt has it since version 1.33" in report.warnings
    assert f"{scene.name}: property Mine isn't written: a .3dt has no place for it" in report.warnings


@pytest.mark.parametrize("name", ["a.map", "a.3dt"])
def test_a_motion_that_was_deleted(name):
    scene = imported(TEXT if name == "a.3dt" else sample(more=[model(motion())]), name)
    moved = part(scene, layout.MOTION, 0 if name == "a.3dt" else 1)
    above = moved.parent.name
    bpy.data.objects.remove(moved)
    report = Report()
    exported(scene, report)
    assert any(f"{above} motion is gone" in note for note in report.notes)


@pytest.mark.parametrize("name", ["a.map", "a.3dt"])
def test_smooth_shading(name):
    data = TEXT if name == "a.3dt" else sample()
    scene = imported(data, name)
    obj = next(obj for obj in scene.all_objects if obj.type == "MESH")
    obj.data.shade_smooth()
    assert told(scene, data) == [f"{obj.name}: smooth shading isn't written: faces are lit as their flags say"]


@pytest.mark.parametrize("name", ["a.map", "a.3dt"])
def test_attributes_that_faces_have_lost(name):
    data = TEXT if name == "a.3dt" else sample()
    scene = imported(data, name)
    obj = next(obj for obj in scene.all_objects if obj.type == "MESH" and "alpha" in obj.data.attributes)
    attributes = obj.data.attributes
    attributes.remove(attributes["alpha"])
    attributes.remove(attributes["flags"])
    attributes.new("flags", "FLOAT", "CORNER")
    end = "of faces is gone, or is of another type: what it told stays as it was"
    lines = [line for line in told(scene, data) if "attribute" in line]
    assert lines == [f"{obj.name}: attribute {each} {end}" for each in ("flags", "alpha")]


@pytest.mark.parametrize("kind", ["SUN", "AREA"])
def test_new_lights_that_no_level_has(kind):
    scene = imported(sample())
    scene.objects.link(bpy.data.objects.new("lamp", bpy.data.lights.new("lamp", kind)))
    report = Report()
    assert exported(scene, report) == sample()
    assert report.lines() and any(f"{kind.lower()} light 'lamp'" in line for line in report.lines())


def door_with_a_copy(more):
    """A level of a door, and a copy of its motion's empty; more: of what else of the door."""
    scene = imported(sample(more=[model(motion())]))
    objects = {obj: obj.copy() for obj in scene.all_objects if identity.kind_of(obj) in (*more, layout.MOTION)}
    for one in objects.values():
        scene.objects.link(one)
        one.parent = objects.get(one.parent, one.parent)
    return scene


def test_a_copied_model_keeps_its_motion():
    scene, report = door_with_a_copy([layout.MODEL]), Report()
    was, made = genesis.read(exported(scene, report)).entities[1:3]
    assert not report.warnings
    assert made.motion.paths[0].translation.values.tolist() == was.motion.paths[0].translation.values.tolist()


def test_a_second_motion_of_one_model():
    scene = door_with_a_copy([])
    (line,) = told(scene, sample(more=[model(motion())]))
    assert "which isn't written: a model has one" in line
