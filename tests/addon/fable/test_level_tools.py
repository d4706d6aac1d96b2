# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools for a level as a whole: what navigation would become, and other sizes."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon import levels
from levelwright.addon.fable import layout, preview, resizing
from levelwright.addon.fable.importer import import_level
from levelwright.addon.fable.new_level import new_level
from levelwright.addon.fable.settings import ImportSettings
from levelwright.addon.scene.disk import known_files
from levelwright.addon.scene.fates import ledger
from levelwright.addon.scene.kept.identity import kind_of
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.addon.scene.view import stage
from levelwright.formats import fable
from levelwright.formats.fable.resize import Edges

from tests.addon.fable.export_helpers import LEVEL, exported, imported, set_values, terrain
from tests.addon.fable.thing_helpers import both
from tests.addon.genesis.export_helpers import part
from tests.formats import fable_bytes as fb
from tests.samples import fable_vale


def vale() -> bpy.types.Collection:
    path = fable_vale.LEVEL
    level = import_level(bpy.context, path.read_bytes(), path, ImportSettings(), Report())
    known_files.imported(level, path)
    return level


def areas(level: bpy.types.Collection, name: str = "NULL") -> dict[str, float]:
    """How much of each colour the preview of a section has, square units."""
    (home,) = [one for one in level.children if kind_of(one) == layout.PREVIEW]
    obj = next(one for one in home.objects if one.name.startswith(name))
    found: dict[str, float] = {}
    for face in obj.data.polygons:
        corners = np.array([obj.data.vertices[n].co[:2] for n in face.vertices])
        width, height = corners.max(axis=0) - corners.min(axis=0)
        title = obj.data.materials[face.material_index].name.partition(": ")[2]
        found[title] = found.get(title, 0) + float(width * height)
    return found


# ---- preview


def test_what_navigation_would_become_is_shown_before_an_export():
    level = vale()
    before = both(level)
    assert preview.preview(bpy.context, level, "patch") == []
    columns = fable_vale.SIDE + 1
    cells = [y * columns + x for y in range(20, 24) for x in range(20, 24)]
    set_values(terrain(level), "walkable", cells, False)
    set_values(terrain(level), "path", [30 * columns + x for x in range(20, 30)], True)
    assert bpy.ops.levelwright.fable_preview_navigation(how="patch") == {"FINISHED"}
    made = fable.read(exported(level, ground_navigation="patch")).sections[0].navigation
    told = fable.changes(fable.read(before[0]).sections[0].navigation, made, 0)
    assert areas(level) == {"lost": told.lost, "other cost": told.cost} and told.lost == 16
    assert bpy.ops.levelwright.fable_preview_navigation(how="clear") == {"FINISHED"}
    assert not [one for one in level.children if kind_of(one) == layout.PREVIEW]
    assert bpy.ops.levelwright.fable_preview_navigation(how="clear") == {"CANCELLED"}


def test_a_preview_is_no_edit():
    level = vale()
    ledger.enter(level, layout.FATES)
    set_values(terrain(level), "walkable", slice(0, 300), False)
    assert preview.preview(bpy.context, level, "patch")
    report = Report()
    ledger.tell(level, layout.FATES, report)
    assert report.warnings + report.notes == []


def test_a_preview_reaches_no_file_and_is_there_once():
    level = vale()
    before = both(level)
    set_values(terrain(level), "walkable", [0], False)
    for _ in range(2):
        (line, _other) = preview.preview(bpy.context, level, "rebuild")
    assert line.startswith("NULL: 1 square units of ground cannot be walked on any more") or "NULL" in line
    assert len([one for one in level.children if kind_of(one) == layout.PREVIEW]) == 1
    set_values(terrain(level), "walkable", [0], fable.read(before[0]).cells["walkable"][0, 0] != 0)
    assert both(level) == before


def test_of_a_level_made_in_blender_all_navigation_is_new():
    level = new_level(bpy.context, "Mine", 32, 32)
    assert preview.preview(bpy.context, level, "patch") == ["NULL: it is new"]
    assert areas(level) == {"walkable now": 1024.0}


# ---- size


def test_a_level_grows_and_its_scene_with_it():
    level = vale()
    before = fable.read(both(level)[0])
    set_values(terrain(level), "walkable", [5], False)
    part(level, layout.THING, 0).location.x += 1
    edited = both(level)
    names = {obj.name for obj in level.all_objects} | {one.name for one in level.children_recursive}
    assert bpy.ops.levelwright.fable_resize(west=32, north=64) == {"FINISHED"}
    assert "fable_vale" in bpy.data.collections and len(bpy.data.collections["fable_vale"].all_objects) > 13
    level = bpy.data.collections["fable_vale"]
    assert {obj.name for obj in level.all_objects} | {one.name for one in level.children_recursive} == names
    assert tuple(part(level, layout.ROOT, 0).location) == (-32, 0, 0), "the ground stays where it is"
    data, things = both(level)
    made = fable.read(data)
    assert (made.width, made.height) == (96, 128)
    assert made.cells[:65, 32:].tobytes() == fable.read(edited[0]).cells.tobytes()
    assert made.game_map[:16, 8:].tobytes() == before.game_map.tobytes()
    assert [one.name for one in made.sections] == [one.name for one in before.sections]
    assert not fable.check(made)
    assert things.count("NewThing") == edited[1].count("NewThing") and things != edited[1]
    assert not known_files.changed(level, fable_vale.LEVEL), "the file on disk is still the level's"
    assert resizing.resize_level(bpy.context, level, Edges(west=-32, north=-64), Report()).name == "fable_vale"
    again = both(bpy.data.collections["fable_vale"])
    assert fable.read(again[0]).cells.tobytes() == fable.read(edited[0]).cells.tobytes()
    assert again[1] == edited[1]


def test_one_goes_on_looking_where_one_looked_and_the_imports_report_stays():
    path = str(fable_vale.LEVEL)
    assert bpy.ops.import_scene.fable_lev(filepath=path) == {"FINISHED"}
    spaces = list(stage.viewports(bpy.context))
    assert spaces
    for space in spaces:
        space.shading.type = "SOLID"
        space.region_3d.view_distance = 77
    bpy.context.view_layer.objects.active = bpy.data.objects["Terrain"]
    assert bpy.ops.levelwright.fable_resize(east=32) == {"FINISHED"}
    assert bpy.context.active_object == bpy.data.objects["Terrain"]
    assert [obj.name for obj in bpy.context.selected_objects] == ["fable_vale"]
    assert {space.shading.type for space in spaces} == {"SOLID"}
    assert {space.region_3d.view_distance for space in spaces} == {77}
    report = levels.report_of(bpy.data.collections["fable_vale"])
    assert report is not None and "cells" in report.as_string()


def test_what_is_cut_off_is_told():
    level, report = vale(), Report()
    made = resizing.resize_level(bpy.context, level, Edges(east=-32), report)
    assert fable.read(both(made)[0]).width == 32
    assert any("things lie outside of the level now" in line for line in report.warnings)


def test_a_level_made_in_blender_is_still_one():
    level = resizing.resize_level(bpy.context, new_level(bpy.context, "Mine", 32, 32), Edges(east=32), Report())
    assert level.name == "Mine" and fable.read(exported(level)).width == 64


@pytest.mark.parametrize("edges", [Edges(west=1), Edges(east=-32), Edges(north=4096)])
def test_sizes_that_cannot_be_leave_all_as_it_was(edges):
    level = imported()
    with pytest.raises(SceneError, match="can't be resized"):
        resizing.resize_level(bpy.context, level, edges, Report())
    assert exported(level) == LEVEL.build()


def test_nothing_to_resize():
    imported()
    assert bpy.ops.levelwright.fable_resize() == {"CANCELLED"}


# ---- script brushes


def test_script_brushes_are_told_of_and_stay():
    data = fb.Lev(brushes=fb.brushes(3, b"who knows")).build()
    report = Report()
    level = import_level(bpy.context, data, Path("a.lev"), ImportSettings(), report)
    assert level[layout.SCRIPT_BRUSHES] == 3
    assert any("3 script brushes stay as they are" in line for line in report.notes)
    assert exported(level) == data
    assert layout.SCRIPT_BRUSHES not in imported(fb.Lev().build())
