# SPDX-License-Identifier: GPL-3.0-or-later
"""What artists do to entities by Blender's own operators, and what other add-ons leave on them."""

import bpy
import pytest
from levelwright.addon.ns2.layers import lists
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats import ns2

from tests.addon.ns2.entity_helpers import exported, level_bytes, object_of, opened

DATA = level_bytes()


def test_what_is_done_to_the_meshes_of_props_is_told_and_places_that_were_applied_to_them_are_refused() -> None:
    level = opened(DATA)
    prop, trigger = object_of(level, "prop_static"), object_of(level, "location")
    bpy.context.view_layer.update()
    for obj in (prop, trigger):
        obj.data.vertices[0].co.x += 1
    report = Report()
    assert exported(level, report) == DATA
    assert "meshes of props and boxes are ignored" in report.warnings[0]
    assert {prop.name, trigger.name} <= set(report.warnings[0].rpartition(": ")[2].split(", "))
    trigger.data.vertices[0].co.x -= 1
    for other in bpy.context.view_layer.objects:
        other.select_set(other == prop)
    bpy.context.view_layer.objects.active = prop
    bpy.ops.object.transform_apply()
    with pytest.raises(SceneError, match="applied to its mesh") as error:
        exported(level)
    assert error.value.objects == [prop]


def test_properties_that_other_addons_registered_are_no_entitys() -> None:
    bpy.types.Object.other_addon = bpy.props.IntProperty()
    try:
        level = opened(DATA)
        object_of(level, "light_point").other_addon = 3
        assert exported(level) == DATA
    finally:
        del bpy.types.Object.other_addon


def test_a_light_that_was_just_added_reaches_as_far_as_its_power_does() -> None:
    """Blender's own distance of 40 m is off: it would make the light as good as black."""
    level = opened(DATA)
    data = bpy.data.lights.new("lamp", "POINT")
    data.energy = 1000
    level.objects.link(bpy.data.objects.new("lamp", data))
    new = ns2.read(exported(level)).entities[-1]
    assert (new.class_name, new.get("intensity")) == ("light_point", pytest.approx(5))
    assert new.get("distance") == pytest.approx(6.366, abs=0.001)


def test_layers_of_version_4_which_has_no_ids_are_renumbered_with_what_is_in_them() -> None:
    level = opened(level_bytes(4))
    lists.entries(level, "layers").move(0, 1)
    after = ns2.read(exported(level))
    found = {each.class_name: each.layers for each in after.entities}
    assert [(each.name, each.id) for each in after.layers] == [("Lights", 0), ("Rooms", 1)]
    assert (found["light_point"], found["light_spot"], found["decal"]) == (2, 1, 0)
