# SPDX-License-Identifier: GPL-3.0-or-later
"""Things that the sidebar adds to a map, and what it makes of outputs: they are in the map that is exported."""

import math

import bpy
import pytest
from levelwright.addon import levels
from levelwright.addon.source import layout
from levelwright.addon.source.entities import outputs
from levelwright.formats.source import LumpId

from tests.addon.source.exports import Scene, close
from tests.formats.source_room import NORTH_LEFT, RIGHT_LEAF

METRES = 0.01905


def cursor(*place: float) -> None:
    bpy.context.scene.cursor.location = [METRES * value for value in place]


def test_an_entity_is_added(tmp_path) -> None:
    here = Scene()
    cursor(10, 20, 30)
    fgd = tmp_path / "game.fgd"
    fgd.write_text('@PointClass = info_target : "A" [ spawnflags(flags) = [ 1 : "a" : 1 ] way(string) : "w" : "on" ]')
    bpy.context.preferences.addons["levelwright"].preferences.source_definition = str(fgd)
    try:
        assert bpy.ops.levelwright.source_add_entity(what="info_target") == {"FINISHED"}
    finally:
        bpy.context.preferences.addons["levelwright"].preferences.source_definition = ""
    made = bpy.context.active_object
    assert close(made.location, (10, 20, 30))
    assert made.users_collection[0].name == "Targets"
    made["targetname"] = "goal"
    level = here.export()
    assert here.changed(level) == ["ENTITIES"]
    pairs = dict(level.entities[-1].pairs)
    assert (pairs["classname"], pairs["targetname"], pairs["way"]) == ("info_target", "goal", "on")
    assert close([float(part) for part in pairs["origin"].split()], (10, 20, 30))
    with pytest.raises(RuntimeError, match="name of a class"):
        bpy.ops.levelwright.source_add_entity(what='a"b')


def test_a_static_prop_is_added() -> None:
    here = Scene()
    cursor(100, 0, 8)
    assert bpy.ops.levelwright.source_add_static_prop(what="models/b.mdl") == {"FINISHED"}
    bpy.context.active_object.rotation_euler.z = math.radians(90)
    level = here.export()
    made = level.static_props.props[3]
    assert here.changed(level) == ["GAME_LUMP, sprp"]
    assert close(made["origin"], (100, 0, 8))
    assert made["angles"].tolist() == [0, 90, 0]
    assert (made["prop_type"], made["solid"], made["fade_min_dist"], made["forced_fade_scale"]) == (1, 6, -1, 1)
    assert level.static_props.leafs_of(3).tolist() == [RIGHT_LEAF]
    assert "no baked light" in here.report.warnings[0]
    with pytest.raises(RuntimeError, match="a model's path"):
        bpy.ops.levelwright.source_add_static_prop(what="crate")


def test_an_overlay_is_added() -> None:
    here = Scene()
    cursor(-60, 120, 50)
    assert bpy.ops.levelwright.source_add_overlay(what="decals/stain") == {"FINISHED"}
    made = bpy.context.active_object
    assert close(made.location, (-60, 128, 50))
    assert made.delta_location.y < 0, "lifted off its face"
    level = here.export()
    assert set(here.changed(level)) == {
        "OVERLAYS", "OVERLAY_FADES", "TEXINFO", "TEXDATA", "TEXDATA_STRING_DATA", "TEXDATA_STRING_TABLE",
    }  # fmt: skip
    overlay = level.table(LumpId.OVERLAYS)[1]
    assert close(overlay["origin"], (-60, 128, 50))
    assert overlay["basis_normal"].tolist() == [0, -1, 0]
    assert overlay["faces"][0] == NORTH_LEFT
    assert "decals/stain" in level.texture_names.names
    again = Scene(bytes(level.file.write())).objects(layout.OVERLAY)[1]
    assert sorted(tuple(map(round, vertex.co)) for vertex in again.data.vertices) == sorted(
        tuple(map(round, vertex.co)) for vertex in made.data.vertices
    )
    assert again.data.polygons[0].normal.y < 0
    assert made.data.polygons[0].normal.y < 0


def test_outputs_are_edited() -> None:
    here = Scene()
    obj = here.objects()[1]
    bpy.context.view_layer.objects.active = obj
    ((place, known),) = outputs.outputs_of(obj)
    assert (place, known.name, known.target, known.input) == (0, "OnUser1", "a", "Kill")
    ops = bpy.ops.levelwright
    ops.source_edit_output("EXEC_DEFAULT", key="OnUser1", place=0, target="b", input="Open", delay=1.5, times=-1)
    ops.source_edit_output("EXEC_DEFAULT", key="OnUser1", target="a", input="Kill", parameter="now")
    ops.source_edit_output("EXEC_DEFAULT", key="OnUser2", target="a", input="Show")
    made = here.export().entities[1]
    assert [(one.name, one.value) for one in made.outputs] == [
        ("OnUser1", "b,Open,,1.5,-1"),
        ("OnUser1", "a\x1bKill\x1bnow\x1b0\x1b-1"),
        ("OnUser2", "a\x1bShow\x1b\x1b0\x1b-1"),
    ]
    ops.source_remove_output(key="OnUser1", place=0)
    ops.source_remove_output(key="OnUser2", place=0)
    assert [one.input for one in here.export().entities[1].outputs] == ["Kill"]
    assert obj.get("OnUser2") is None


def test_an_export_is_checked_without_a_file(tmp_path, capfd) -> None:
    here = Scene()
    here.objects()[2]["targetname"] = "c"
    assert bpy.ops.levelwright.check_export() == {"FINISHED"}
    text = levels.report_of(here.level).as_string()
    assert "lump 0 (ENTITIES): from 3 to 3 entities, 1 edited" in text
    assert "nothing is written" in text
    assert "lump 0 (ENTITIES)" in capfd.readouterr().err
    here.objects(layout.STATIC_PROP)[0].location.z = 9999
    with pytest.raises(RuntimeError, match="outside of the map"):
        bpy.ops.levelwright.check_export()
    assert here.objects(layout.STATIC_PROP)[0].select_get()
