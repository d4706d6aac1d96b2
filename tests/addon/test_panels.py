# SPDX-License-Identifier: GPL-3.0-or-later
"""What the sidebar says. Nothing is drawn without a window, so a layout that takes notes stands in for Blender's."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bpy
from levelwright.addon import panels
from levelwright.addon.scene import findings, originals
from levelwright.addon.scene.reports import Report

SAMPLE = Path(__file__).resolve().parents[1] / "samples" / "first-light.map"


class Notes:
    """A layout that notes the labels and operators put into it."""

    def __init__(self, labels: list[str], operators: list[tuple[str, Any]]) -> None:
        self.labels, self.operators = labels, operators

    def label(self, text: str, icon: str = "NONE") -> None:
        self.labels.append(text)

    def operator(self, name: str, icon: str = "NONE") -> Any:
        category, _, verb = name.partition(".")
        assert verb in dir(getattr(bpy.ops, category)), name
        self.operators.append((name, SimpleNamespace()))
        return self.operators[-1][1]

    def box(self) -> "Notes":
        return self

    def column(self, align: bool = False) -> "Notes":
        return self


def drawn() -> Notes:
    notes = Notes([], [])
    panels.LEVELWRIGHT_PT_levels.draw(SimpleNamespace(layout=notes), bpy.context)
    return notes


def test_an_empty_scene_offers_the_import() -> None:
    notes = drawn()
    assert notes.labels == ["No level in this scene"]
    assert [name for name, _ in notes.operators] == ["import_scene.game_level"]


def test_each_level_has_its_original_its_report_and_its_export() -> None:
    for _ in range(2):
        bpy.ops.import_scene.teeworlds_map(filepath=str(SAMPLE))
    notes = drawn()
    assert notes.labels.count("Laid over first-light.map") == 2
    assert any("tile layers" in label for label in notes.labels)
    assert [(name, made.collection) for name, made in notes.operators] == [
        (name, level.name)
        for level in originals.levels()
        for name in ("export_scene.teeworlds_map", "levelwright.check_export")
    ]


def test_a_lost_original_is_told_and_can_be_attached() -> None:
    bpy.ops.import_scene.teeworlds_map(filepath=str(SAMPLE))
    (level,) = originals.levels()
    del level[originals.ORIGINAL]
    notes = drawn()
    assert "Its original is gone: first-light.map" in notes.labels
    assert ("levelwright.attach_original", level.name) in [(name, made.collection) for name, made in notes.operators]


def test_a_level_made_here_and_one_of_an_unknown_game_are_no_trouble() -> None:
    for name, key in (("made", "teeworlds"), ("strange", "quake")):
        level = bpy.data.collections.new(name)
        bpy.context.scene.collection.children.link(level)
        originals.attach(level, key, None, 1)
    notes = drawn()
    assert "Made in Blender, exported whole" in notes.labels
    assert "strange: this version of Levelwright exports no quake levels" in notes.labels


class Rows(Notes):
    """Takes rows and texts, too."""

    def row(self, align: bool = False) -> "Rows":
        return self

    def column(self, align: bool = False) -> "Rows":
        return self

    def box(self) -> "Rows":
        return self

    def operator(self, name: str, icon: str = "NONE", text: str | None = None) -> Any:
        if text:
            self.labels.append(text)
        return super().operator(name, icon)


def test_what_the_last_export_found_is_a_line_each_with_its_buttons() -> None:
    bpy.ops.import_scene.teeworlds_map(filepath=str(SAMPLE))
    level = originals.levels()[0]
    report = Report()
    obj = level.all_objects[0]
    report.find("it stands alone", [obj], "levelwright.check_export")
    report.find("as a whole")
    for number in range(20):
        report.find(f"line {number}")
    findings.keep(level, report.findings)
    notes = Rows([], [])
    panels.LEVELWRIGHT_PT_levels.draw(SimpleNamespace(layout=notes), bpy.context)
    assert "it stands alone" in notes.labels and "as a whole" in notes.labels
    assert notes.labels.count("and 6 more, in the text") == 1
    found = [(name, vars(made)) for name, made in notes.operators]
    assert found[0] == ("levelwright.select_finding", {"collection": level.name, "number": 0})
    assert found[1] == ("levelwright.check_export", {})
    assert bpy.ops.levelwright.select_finding(collection=level.name, number=0) == {"FINISHED"}
    assert list(bpy.context.selected_objects) == [obj]
    findings.keep(level, [])
    assert findings.kept(level) == [] and findings.FINDINGS not in level
