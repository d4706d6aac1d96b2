# SPDX-License-Identifier: GPL-3.0-or-later
"""What an import made and no export reads is told by name, and nothing else is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.fates import aspects, ledger
from levelwright.addon.scene.fates.ledger import WRITTEN, Fates, aside, follows, read_only
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.scene.kept import identity, originals
from levelwright.addon.scene.reports import Report

FATES: Fates = {
    "wall": {"location": WRITTEN, "property tag": WRITTEN, "color": follows("the paint"), ledger.DELETED: WRITTEN},
    "lamp": {"*": read_only(), "light energy": WRITTEN},
    "note": {"text": aside("it is for reading")},
}


@pytest.fixture
def level() -> Any:
    """A level of a wall, two lamps that share their light, and a text."""
    collection = bpy.data.collections.new("level")
    bpy.context.scene.collection.children.link(collection)
    token = identity.new_token(b"data")
    originals.attach(collection, "made", b"data", token, {}, "level.made")
    corners = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.float32)
    wall = bpy.data.objects.new("wall", meshes.build("wall", corners, [0, 1, 2, 3]))
    wall["tag"], wall["other"] = 1, [1, 2]
    light = bpy.data.lights.new("light", "POINT")
    for record, (kind, obj) in enumerate(
        (("wall", wall), ("lamp", new("lamp", light)), ("lamp", new("lamp 2", light)))
    ):
        identity.stamp(obj, token, kind, record)
        collection.objects.link(obj)
    text = bpy.data.texts.new("note")
    text.from_string("as it was\n")
    originals.set_resource(collection, "note", 0, text)
    ledger.enter(collection, FATES)
    return collection


def new(name: str, data: Any) -> Any:
    return bpy.data.objects.new(name, data)


def told(level: Any) -> tuple[list[str], list[str]]:
    report = Report()
    ledger.tell(level, FATES, report)
    return report.warnings, report.notes


def test_nothing_is_told_of_a_level_that_nobody_edited(level: Any) -> None:
    assert told(level) == ([], [])


def test_what_the_export_reads_is_its_own_business(level: Any) -> None:
    wall = bpy.data.objects["wall"]
    wall.location.x, wall["tag"] = 5.0, 2
    bpy.data.lights["light"].energy = 77.0
    bpy.data.objects.remove(wall)
    assert told(level) == ([], [])


def test_names_that_copies_get_are_no_edits(level: Any) -> None:
    wall = bpy.data.objects["wall"]
    copy = wall.copy()
    copy.data = wall.data.copy()
    copy.name, copy.data.name = "another", "shape of another"
    level.objects.link(copy)
    assert told(level) == (["another: a copy, which isn't written: the file has no place for it"], [])
    wall.name = "renamed"  # now it is one
    (note,) = told(level)[1]
    assert "renamed" in note


def test_what_our_own_tools_make_is_no_edit(level: Any) -> None:
    ours: Fates = {**FATES, "wall": {**FATES["wall"], "color": replace(follows("the paint"), is_ours=is_red)}}
    wall, report = bpy.data.objects["wall"], Report()
    for color, warnings in (((1.0, 0.0, 0.0, 1.0), 0), ((0.0, 1.0, 0.0, 1.0), 1)):
        wall.color = color
        ledger.tell(level, ours, report)
        assert len(report.warnings) == warnings


def is_red(block: Any) -> bool:
    return tuple(block.color[:]) == (1.0, 0.0, 0.0, 1.0)


def test_what_no_export_reads_is_told_by_name_and_why(level: Any) -> None:
    wall = bpy.data.objects["wall"]
    wall["other"], wall.color = [1, 3], (0.0, 0.0, 0.0, 1.0)
    wall.scale.x = 2.0
    warnings, notes = told(level)
    assert sorted(warnings) == [
        "wall: the edit of color isn't written: it follows from the paint",
        "wall: the edit of property other isn't written: the file has no place for it",
        "wall: the edit of scale isn't written: the file has no place for it",
    ]
    assert notes == []


def test_properties_and_attributes_that_are_added_or_gone_are_told(level: Any) -> None:
    wall: Any = bpy.data.objects["wall"]
    del wall["other"]
    wall["added"] = 1
    wall.data.attributes.new("heat", "FLOAT", "FACE")
    warnings, _ = told(level)
    assert {line.partition(" isn't")[0].replace("the edit of ", "") for line in warnings} == {
        "wall: property other",
        "wall: property added",
        "wall: attribute heat",
    }


def test_where_elements_were_added_it_is_said_that_nothing_can_be_compared(level: Any) -> None:
    wall: Any = bpy.data.objects["wall"]
    wall.data.attributes.new("heat", "FLOAT", "POINT").data[0].value = 1.0
    ledger.enter(level, FATES)
    wall.data.vertices.add(1)
    warnings, notes = told(level)
    assert {line.partition(" isn't")[0].replace("the edit of ", "") for line in warnings} == {"wall: vertices"}
    assert notes == ["wall: attribute heat: no edit of it is written: the file has no place for it"]
    wall.data.attributes["heat"].data[1].value = 2.0
    ledger.enter(level, FATES)
    wall.data.attributes["heat"].data[1].value = 3.0
    assert told(level)[0] == ["wall: the edit of attribute heat isn't written: the file has no place for it"]


def test_where_elements_were_added_what_follows_from_others_does(level: Any) -> None:
    """It is no edit that somebody made, and nothing is said of it."""
    wall: Any = bpy.data.objects["wall"]
    wall.data.attributes.new("heat", "FLOAT", "POINT").data[0].value = 1.0
    fates: Fates = {"wall": {"attribute heat": follows("the fire"), "*": WRITTEN}}
    ledger.enter(level, fates)
    wall.data.vertices.add(1)
    report = Report()
    ledger.tell(level, fates, report)
    assert (report.warnings, report.notes) == ([], [])


def test_of_a_mesh_that_lost_all_its_faces_these_alone_are_told(level: Any) -> None:
    wall: Any = bpy.data.objects["wall"]
    fates: Fates = {"wall": {"smooth shading": follows("the flat sides"), "*": WRITTEN}}
    assert "sharp_face" in wall.data.attributes
    ledger.enter(level, fates)
    wall.data.clear_geometry()
    report = Report()
    ledger.tell(level, fates, report)
    assert (report.warnings, report.notes) == ([], [])


def test_shared_data_is_told_of_each_object_at_once(level: Any) -> None:
    bpy.data.lights["light"].use_shadow = False
    warnings, _ = told(level)
    assert warnings == ["lamp, lamp 2: the edit of light use shadow isn't written: it is for reference only"]


def test_copies_and_deletions(level: Any) -> None:
    lamp: Any = bpy.data.objects["lamp"]
    level.objects.link(lamp.copy())
    bpy.data.objects.remove(bpy.data.objects["lamp 2"])
    warnings, _ = told(level)
    assert warnings == [
        "lamp.001: a copy, which isn't written: it is for reference only",
        "lamp 2: deleted here, but the file stays as it is: it is for reference only",
    ]


def test_what_is_blenders_own_is_noted_without_a_warning(level: Any) -> None:
    bpy.data.objects["wall"].name = "my wall"
    bpy.data.texts["note"].write("and more\n")
    warnings, notes = told(level)
    assert warnings == []
    assert notes == [
        "my wall: the edit of name isn't written: names of data-blocks are for Blender alone",
        "note: the edit of text isn't written: it is for reading",
    ]


def test_a_new_object_and_another_levels_are_no_business_of_it(level: Any) -> None:
    stranger = new("stranger", None)
    identity.stamp(stranger, identity.new_token(b"other"), "wall", 0)
    level.objects.link(stranger)
    level.objects.link(new("mine", None))
    assert told(level) == ([], [])


def test_a_level_without_entries_is_told_nothing_of(level: Any) -> None:
    del level[ledger.KEY]
    bpy.data.objects["wall"].scale.x = 2.0
    assert told(level) == ([], [])


def test_it_is_kept_in_the_blend(level: Any, tmp_path: Any) -> None:
    bpy.data.objects["wall"].scale.x = 2.0
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"), load_ui=False)
    warnings, _ = told(bpy.data.collections["level"])
    assert warnings == ["wall: the edit of scale isn't written: the file has no place for it"]


def test_how_blender_displays_a_thing_is_no_aspect(level: Any) -> None:
    wall = bpy.data.objects["wall"]
    wall.hide_viewport = wall.hide_render = wall.hide_select = wall.lock_location[0] = True
    wall.display_type = "WIRE"
    assert told(level) == ([], [])
    names = aspects.names(wall)
    assert len(names) == len(set(names))


def test_a_mesh_in_edit_mode_is_told_of_as_it_is_there(level: Any) -> None:
    wall: Any = bpy.data.objects["wall"]
    bpy.context.view_layer.objects.active = wall
    bpy.ops.object.mode_set(mode="EDIT")
    meshes_before = len(bpy.data.meshes)
    assert told(level) == ([], [])
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.delete(type="ONLY_FACE")
    warnings, _ = told(level)
    assert "wall: faces" in {line.partition(" isn't")[0].replace("the edit of ", "") for line in warnings}
    assert len(bpy.data.meshes) == meshes_before


def test_what_animation_sets_is_no_edit_in_another_frame(level: Any) -> None:
    lamp = bpy.data.objects["lamp 2"]
    for frame, turn in ((1, 0.0), (20, 1.0)):
        lamp.rotation_euler.z = lamp["glow"] = turn
        lamp.keyframe_insert("rotation_euler", frame=frame)
        lamp.keyframe_insert('["glow"]', frame=frame)
    ledger.enter(level, FATES)
    bpy.context.scene.frame_set(11)
    bpy.context.view_layer.update()
    assert told(level) == ([], [])
    lamp.animation_data_clear()
    assert [line.partition(" isn't")[0].replace("the edit of ", "") for line in sorted(told(level)[0])] == [
        "lamp 2: animation",
        "lamp 2: property glow",
        "lamp 2: rotation",
    ]


def test_a_collection_and_an_object_of_one_record_are_two(level: Any) -> None:
    (info,) = (originals.describe(level),)
    both = (bpy.data.collections.new("group"), bpy.data.objects.new("group", None))
    level.children.link(both[0])
    both[0].objects.link(both[1])
    for each in both:
        identity.stamp(each, int(info.token), "group", 0)
    both[1].scale = (2.0, 2.0, 2.0)
    ledger.enter(level, FATES)
    both[1].scale = (1.0, 1.0, 1.0)  # which a collection has, too: none
    assert told(level)[0] == ["group: the edit of scale isn't written: the file has no place for it"]


def test_what_is_read_only_is_locked_where_blender_can(level: Any) -> None:
    wall, lamp = bpy.data.objects["wall"], bpy.data.objects["lamp"]
    assert not any(wall.lock_location)
    assert all(wall.lock_rotation)
    assert all(lamp.lock_location)
    assert all(lamp.lock_rotation)
    assert all(lamp.lock_scale)


def test_an_input_of_0_that_a_later_blenders_nodes_have_is_no_edit() -> None:
    inner, material = bpy.data.node_groups.new("inner", "ShaderNodeTree"), bpy.data.materials.new("brick")
    if material.node_tree is None:  # before Blender 5
        material.use_nodes = True
    group = material.node_tree.nodes.new("ShaderNodeGroup")
    group.node_tree = inner
    before = aspects.values(material)["nodes"]
    for kind in ("NodeSocketFloat", "NodeSocketBool", "NodeSocketVector"):
        inner.interface.new_socket("new", in_out="INPUT", socket_type=kind)
    assert len(group.inputs) == 3
    assert aspects.values(material)["nodes"] == before
    group.inputs[0].default_value = 1.0
    assert aspects.values(material)["nodes"] != before
