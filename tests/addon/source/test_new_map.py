# SPDX-License-Identifier: GPL-3.0-or-later
"""New Source maps, from File > New: exported as they are, and built upon."""

from pathlib import Path
from types import SimpleNamespace

import bpy
import pytest
from levelwright.addon import levels
from levelwright.addon.scene.fields import level_options
from levelwright.addon.scene.kept import originals
from levelwright.addon.scene.reports import Report
from levelwright.addon.source.settings import EDIT, REFUSE, ExportSettings
from levelwright.formats import source
from levelwright.formats.source import LumpId, new_map
from levelwright.formats.source.new_level import BRANCHES

from tests.addon.source.worlds import bounds


@pytest.mark.parametrize("branch", list(BRANCHES))
def test_it_is_the_librarys_map(branch: str, tmp_path: Path) -> None:
    assert bpy.ops.levelwright.source_new_level(name="first", branch=branch, sky="sky_test") == {"FINISHED"}
    (level,) = originals.levels()
    target = tmp_path / "first.bsp"
    levels.export_file(bpy.context, level, target, ExportSettings(), Report())
    wanted = new_map.sky_box((2048, 2048, 1024), "sky_test", BRANCHES[branch])
    assert target.read_bytes() == source.write(wanted)


def test_a_brush_and_an_entity_are_built_into_it(tmp_path: Path) -> None:
    bpy.ops.levelwright.source_new_level(name="first", width=1024.0, height=512.0)
    (level,) = originals.levels()
    for child in level.children_recursive:
        child.hide_viewport = False
    bpy.context.scene.cursor.location = (0, 0, 0.6096)
    assert bpy.ops.levelwright.source_add_brush(what=new_map.FLOOR) == {"FINISHED"}
    bpy.context.object.location.x += 128
    spawn = next(obj for obj in level.all_objects if obj.get("classname") == "info_player_start")
    spawn.location.y = 64
    report, target = Report(), tmp_path / "first.bsp"
    levels.export_file(bpy.context, level, target, ExportSettings(world=EDIT), report)
    made = source.read(target.read_bytes())
    assert bounds(made, 6) == [[96, -32, 0], [160, 32, 64]]
    assert made.entities[2].origin == (0, 64, 1)
    assert len(made.table(LumpId.FACES)) > 9
    assert report.counts["brushes of the world added"] == 1


def test_nothing_is_told_of_a_collection_that_a_tool_made(tmp_path: Path) -> None:
    """The first brush entity of a map that had none brings the collection of them."""
    bpy.ops.levelwright.source_new_level(name="first")
    (level,) = originals.levels()
    bpy.context.scene.cursor.location = (0, 0, 1)
    assert bpy.ops.levelwright.source_add_brush_entity(what="func_door") == {"FINISHED"}
    report = Report()
    levels.export_file(bpy.context, level, tmp_path / "first.bsp", ExportSettings(world=EDIT), report)
    assert report.warnings == []
    assert not any("Brush Entities" in note for note in report.notes)


def test_its_exports_begin_with_the_world_to_be_edited() -> None:
    """Brushes are all that it is: with the usual option the first export would be refused."""
    bpy.ops.levelwright.source_new_level(name="first")
    (level,) = originals.levels()
    dialog = SimpleNamespace(bl_rna=bpy.ops.export_scene.source_bsp.get_rna_type(), world=REFUSE, backup=True)
    level_options.restore(level, dialog, only={"world"})  # type: ignore[arg-type]
    assert (dialog.world, dialog.backup) == (EDIT, True)


def test_a_size_that_no_map_has_is_refused() -> None:
    with pytest.raises(RuntimeError, match="a room of"):
        bpy.ops.levelwright.source_new_level(width=60000.0)
    assert originals.levels() == []
