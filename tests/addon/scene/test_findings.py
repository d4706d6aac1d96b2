# SPDX-License-Identifier: GPL-3.0-or-later
"""The lists of findings: how they are kept, grouped and selected, with what is hidden shown again."""

import json
from typing import Any

import bpy
import numpy as np
import pytest
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.scene.issues import findings
from levelwright.addon.scene.reports import LevelFinding, Report, SceneError

QUADS = np.array([(x, y, 0.0) for x in range(4) for y in range(2)], np.float32)
CORNERS = np.array([2 * n + k for n in range(3) for k in (0, 2, 3, 1)], np.int32)


@pytest.fixture
def level() -> bpy.types.Collection:
    """A collection with two meshes of three faces, and one in it with an empty."""
    made = bpy.data.collections.new("level")
    inner = bpy.data.collections.new("inner")
    bpy.context.scene.collection.children.link(made)
    made.children.link(inner)
    for name in ("wall", "Floor one"):
        mesh = meshes.build(name, QUADS, CORNERS, np.arange(0, 12, 4, dtype=np.int32))
        made.objects.link(bpy.data.objects.new(name, mesh))
    inner.objects.link(bpy.data.objects.new("lamp", None))
    return made


def told() -> Report:
    report = Report("import")
    for name in ("models/a.mdl", "models/b.mdl", "models/c.mdl"):
        report.missing("models", name)
    report.left_out("brushes that enclose nothing", 4)
    report.left_out("object 'lamp' (no entity)")
    report.warn("wall: its colour isn't written")
    report.warn("Floor one: its colour isn't written")
    report.warn("2 vertices of 'lamp' lie at 0")
    report.find("faces overlap", faces={bpy.data.objects["wall"]: np.array([1])})
    report.refuse(SceneError("no game layer", [bpy.data.objects["lamp"]], mend="levelwright.add_it"))
    return report


def test_all_that_is_told_is_grouped_the_worst_first(level: bpy.types.Collection) -> None:
    findings.keep(level, told().issues())
    groups = findings.issues(level)
    assert [(group.sort, group.heading, group.mend) for group in groups] == [
        ("error", "no game layer", "levelwright.add_it"),
        ("look", "faces overlap", ""),
        ("missing", "3 models missing", "levelwright.set_game_folder"),
        ("left out", "5 left out", ""),
        ("warning", "2 \N{MULTIPLICATION SIGN} its colour isn't written", ""),
        ("warning", "2 vertices of 'lamp' lie at 0", ""),
    ]
    assert [line.objects for line in groups[4].lines] == [["wall"], ["Floor one"]]
    assert [line.objects for line in groups[3].lines] == [[], ["lamp"]]
    assert groups[5].lines[0].objects == ["lamp"]


def test_lists_of_imports_tools_and_exports_are_one_and_the_same_is_said_once(level: bpy.types.Collection) -> None:
    for which in ("import", "tool", "export"):
        report = Report()
        report.warn("the same")
        report.warn(f"by the {which}")
        findings.keep(level, report.issues(), which)  # type: ignore[arg-type]
    assert [group.heading for group in findings.issues(level)] == [
        "the same",
        "by the export",
        "by the tool",
        "by the import",
    ]
    findings.keep(level, [], "tool")
    assert findings.KEYS["tool"] not in level


def test_what_0_3_0_kept_is_read_and_damage_is_nothing(level: bpy.types.Collection) -> None:
    level[findings.KEYS["export"]] = json.dumps(
        [("no start", [], ""), ("hidden", ["wall"], "a.b"), ("f", [], "", {"wall": [1]})]
    )
    lines = findings.kept(level)
    assert [(line.message, list(line.objects), line.mend, dict(line.faces)) for line in lines] == [
        ("no start", [], "", {}),
        ("hidden", ["wall"], "a.b", {}),
        ("f", [], "", {"wall": [1]}),
    ]
    for text in ("{", "[1]", '[{"sort": "what"}]', '[{"message": "a", "faces": 3}]', '[["a"]]', "7"):
        level[findings.KEYS["export"]] = text
        assert not findings.kept(level), text
    level[findings.KEYS["export"]] = 5
    assert not findings.kept(level)


def select(level: bpy.types.Collection, line: LevelFinding) -> list[str]:
    findings.keep(level, [line])
    return findings.select(bpy.context, level, findings.kept(level))


def selected() -> list[str]:
    return sorted(obj.name for obj in bpy.context.selected_objects)


def test_faces_are_selected_in_edit_mode(level: bpy.types.Collection) -> None:
    wall: Any = bpy.data.objects["wall"]
    wall.data.polygons[1].hide = True
    lamp = bpy.data.objects["lamp"]
    select(level, LevelFinding("f", (lamp, wall), faces={wall: np.array([1])}))
    assert (bpy.context.mode, bpy.context.object) == ("EDIT_MESH", wall)
    wall.update_from_editmode()
    assert [face.select for face in wall.data.polygons] == [False, True, False]
    assert not wall.data.polygons[1].hide
    select(level, LevelFinding("p", points={wall: np.array([0])}))
    wall.update_from_editmode()
    assert [vertex.select for vertex in wall.data.vertices] == [True] + [False] * 7
    select(level, LevelFinding("o", (lamp,)))
    assert (bpy.context.mode, selected()) == ("OBJECT", ["lamp"])


def test_meshes_that_modifiers_make_are_selected_as_a_whole(level: bpy.types.Collection) -> None:
    wall = bpy.data.objects["wall"]
    wall.modifiers.new("Solidify", "SOLIDIFY")
    select(level, LevelFinding("f", (wall,), faces={wall: np.array([1])}, sort="error"))
    assert (bpy.context.mode, selected()) == ("OBJECT", ["wall"])


def test_what_is_hidden_is_shown_again_and_named(level: bpy.types.Collection) -> None:
    lamp, layer = bpy.data.objects["lamp"], bpy.context.view_layer
    inner = layer.layer_collection.children["level"].children["inner"]
    for hide in ("exclude", "hide_viewport"):
        setattr(inner, hide, True)
        assert select(level, LevelFinding("l", (lamp,))) == ["collection inner"]
        assert selected() == ["lamp"]
    bpy.data.collections["inner"].hide_viewport = True
    assert select(level, LevelFinding("l", (lamp,))) == ["collection inner"]
    lamp.hide_set(True)
    lamp.hide_select = True
    assert select(level, LevelFinding("l", (lamp,))) == ["lamp"]
    assert selected() == ["lamp"]
    lamp.hide_viewport = True
    assert select(level, LevelFinding("l", (lamp,))) == ["lamp"]
    assert select(level, LevelFinding("l", (lamp,))) == []


def test_a_missing_file_selects_what_names_it(level: bpy.types.Collection) -> None:
    wall, lamp = bpy.data.objects["wall"], bpy.data.objects["lamp"]
    lamp["model"] = "Models\\A.mdl"
    material: Any = bpy.data.materials.new("brick/wall")
    wall.data.materials.append(material)  # type: ignore[union-attr]
    report = Report()
    report.missing("models", "models/a.mdl")
    report.missing("materials", "brick/wall")
    report.missing("textures", "brick/nobody")
    findings.keep(level, report.issues(), "import")
    model, brick, nobody = findings.kept(level, "import")
    findings.select(bpy.context, level, [model])
    assert selected() == ["lamp"]
    findings.select(bpy.context, level, [model, brick])
    assert selected() == ["lamp", "wall"]
    with pytest.raises(SceneError, match="no object of the level names it"):
        findings.select(bpy.context, level, [nobody])


def test_what_is_gone_or_about_all_of_it_is_refused(level: bpy.types.Collection) -> None:
    with pytest.raises(SceneError, match="as a whole"):
        select(level, LevelFinding("all"))
    findings.keep(level, [LevelFinding("l", (bpy.data.objects["lamp"],))])
    bpy.data.objects.remove(bpy.data.objects["lamp"])
    with pytest.raises(SceneError, match="lamp: not in this scene any more"):
        findings.select(bpy.context, level, findings.kept(level))
