# SPDX-License-Identifier: GPL-3.0-or-later
"""What exports and checks said of a level stays through undo and redo: they are no edits."""

from pathlib import Path

import bpy
import pytest
from levelwright.addon import changes, levels
from levelwright.addon.game import Game
from levelwright.addon.scene.disk import known_files
from levelwright.addon.scene.issues import findings
from levelwright.addon.scene.kept import originals
from levelwright.addon.scene.reports import Report

from tests.addon.contract.registered import ALL, LEVELS


def told() -> tuple[object, ...]:
    """All that is kept of what was said of the only level."""
    (level,) = originals.levels()
    texts = originals.resources(level, originals.REPORTS)
    report = levels.report_of(level)
    return (
        {number: text.as_string() for number, text in texts.items() if isinstance(text, bpy.types.Text)},
        [line.message for which in findings.KEYS for line in findings.kept(level, which)],
        changes.compared_at(level),
        level.get(known_files.WRITTEN),
        None if report is None else report.name,
    )


def edit(x: float) -> None:
    """Move the level's first object, as one step of undo."""
    (level,) = originals.levels()
    level.all_objects[0].location.x = x
    bpy.ops.ed.undo_push(message="moved")


@LEVELS
def test_reports_stay_through_undo_and_redo(game: Game, sample: Path, tmp_path: Path) -> None:
    levels.import_files(bpy.context, [sample], lambda _: game.import_settings(), Report(), game)
    bpy.ops.ed.undo_push(message="imported")
    before = told()
    edit(0.0)
    edit(0.0)
    exporting = getattr(bpy.ops.export_scene, game.kind_of(sample.name).operator)
    assert exporting(filepath=str(tmp_path / sample.name)) == {"FINISHED"}
    bpy.ops.levelwright.show_changes()
    said = told()
    assert said != before
    for step in (bpy.ops.ed.undo, bpy.ops.ed.undo, bpy.ops.ed.redo, bpy.ops.ed.redo, bpy.ops.ed.undo):
        assert step() == {"FINISHED"}
        assert told() == said
    bpy.ops.levelwright.check_export()
    checked = told()
    edit(0.0)
    for step in (bpy.ops.ed.undo, bpy.ops.ed.redo, bpy.ops.ed.undo, bpy.ops.ed.undo):
        assert step() == {"FINISHED"}
        assert told() == checked
    target = tmp_path / f"again{sample.suffix}"
    assert exporting(filepath=str(target)) == {"FINISHED"}, "it can still be exported"


def test_a_list_of_a_tool_is_undone_with_it() -> None:
    """Where a tool made it: the leak that it drew goes, too."""
    level = bpy.data.collections.new("level")
    bpy.context.scene.collection.children.link(level)
    originals.attach(level, "genesis", None, 5)
    bpy.ops.ed.undo_push(message="before")
    level[findings.KEYS["tool"]] = '[{"message": "a leak"}]'
    level[findings.KEYS["export"]] = '[{"message": "it is refused"}]'
    bpy.ops.ed.undo_push(message="the tool")
    bpy.ops.ed.undo()
    (level,) = originals.levels()
    assert findings.kept(level, "tool") == []
    assert [line.message for line in findings.kept(level, "export")] == ["it is refused"]


@pytest.mark.parametrize("steps", [1, 3])
def test_a_level_whose_import_is_undone_has_its_reports_when_that_is_done_again(steps: int) -> None:
    game, sample = ALL[0]
    bpy.ops.ed.undo_push(message="before")
    importing = getattr(bpy.ops.import_scene, game.kind_of(sample.name).operator)
    assert importing("EXEC_DEFAULT", True, filepath=str(sample)) == {"FINISHED"}
    bpy.ops.levelwright.check_export()
    said = told()
    for _ in range(steps):
        bpy.ops.ed.undo()
        assert originals.levels() == []
        bpy.ops.ed.redo()
        assert told() == said
