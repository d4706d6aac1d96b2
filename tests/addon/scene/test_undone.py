# SPDX-License-Identifier: GPL-3.0-or-later
"""What a level names after undo: nothing that undo has freed."""

from pathlib import Path

import bpy
import pytest
from levelwright.addon import levels
from levelwright.addon.scene.kept import originals

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
EXPORTS = {
    "export": lambda path: bpy.ops.export_scene.teeworlds_map(filepath=str(path)),
    "check": lambda _: bpy.ops.levelwright.check_export(),
    "open": lambda _: levels.whole_report(bpy.data.collections["first-light"]),
}


@pytest.mark.parametrize("what", EXPORTS)
def test_a_report_that_was_made_since_the_last_step_stays(what: str, tmp_path: Path) -> None:
    """It is in no step of undo, so undo frees it, and leaves the level's collection as it is, which named it: it is
    made again.
    """
    bpy.ops.import_scene.teeworlds_map(filepath=str(SAMPLES / "first-light.map"))
    moved = bpy.data.objects["1 Sun quad 0"]
    for message in ("import", "active"):  # the collection is another one in the step after the first
        bpy.ops.ed.undo_push(message=message)
        bpy.context.view_layer.objects.active = moved
    moved.location.x += 1
    bpy.ops.ed.undo_push(message="move")
    bpy.context.view_layer.update()
    EXPORTS[what](tmp_path / "made.map")
    for again in (bpy.ops.ed.undo, bpy.ops.ed.redo):
        assert again() == {"FINISHED"}
        level = bpy.data.collections["first-light"]
        held = originals.resources(level, originals.REPORTS)
        assert {0, 1} <= held.keys()
        assert all(text in [*bpy.data.texts] for text in held.values())
        assert levels.report_of(level).name == f"first-light {'import' if what == 'open' else 'export'}"
