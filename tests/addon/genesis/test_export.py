# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene laid over its original: what is no edit writes nothing, wherever it is hidden and however it is looked at."""

import bpy
import pytest
from levelwright.addon.genesis import layout
from levelwright.addon.scene.kept import baselines, identity
from levelwright.addon.scene.reports import Report, SceneError

from tests.addon.genesis.export_helpers import (
    UP,
    brush,
    changes,
    exported,
    imported,
    place,
    positions,
    reopened,
    sample,
)
from tests.formats.genesis_3dt_text import whole_level as whole_text
from tests.formats.genesis_bytes import whole_level

LEVELS = {"a.map": whole_level(), "a.3dt": whole_text().encode("latin-1")}


@pytest.mark.parametrize("name", LEVELS)
def test_an_unedited_scene_is_the_original_byte_for_byte(name, tmp_path):
    report = Report()
    level = imported(LEVELS[name], name)
    assert exported(level, report) == LEVELS[name]
    assert not report.warnings and not report.notes and "left out" not in report.summary(), report.lines()
    assert exported(reopened(level, tmp_path)) == LEVELS[name]


@pytest.mark.parametrize("name", LEVELS)
def test_what_only_looks_different_is_no_edit(name):
    level = imported(LEVELS[name], name)
    for obj in list(level.all_objects):
        obj.hide_set(True)
        obj.hide_viewport = name == "a.map" or obj.hide_viewport  # in a .3dt that is a flag of the brush
        obj.hide_render = True
        obj.name = "renamed"
    for one in level.children_recursive:
        one.name = "renamed"
        one.hide_viewport = True
    bpy.context.view_layer.layer_collection.children[0].exclude = True
    for material in bpy.data.materials:
        material.name = f"{identity.unnumbered(material.name)}.007"
    bpy.context.scene.frame_set(17)
    report = Report()
    assert exported(level, report) == LEVELS[name], report.lines()


BASELINES = (layout.POSITIONS, layout.CORNERS, layout.CORNER_STARTS, layout.UVS, layout.ORIGINS)


@pytest.mark.parametrize("key", BASELINES)
def test_a_level_that_lost_a_baseline_is_refused(key):
    level = imported(sample())
    baselines.forget(level, key)
    with pytest.raises(SceneError, match="missing or damaged"):
        exported(level)


def test_edits_in_edit_mode_count():
    data = sample()
    level = imported(data)
    obj = brush(level, 0)
    bpy.context.view_layer.objects.active = obj
    moved = positions(obj)
    moved[moved[:, 2] > 0, 2] += 32
    place(obj, moved)
    bpy.ops.object.mode_set(mode="EDIT")
    assert changes(data, exported(level, texture_lock=False)) == {(0, 0, UP): {"dist"}}
    assert obj.mode == "EDIT"
    bpy.ops.object.mode_set(mode="OBJECT")


def test_a_modifier_that_does_nothing_is_no_edit_also_where_it_is_excluded():
    data = sample()
    level = imported(data)
    modifier = brush(level, 0).modifiers.new("mirror", "MIRROR")
    modifier.use_axis = (False, False, False)
    bpy.context.view_layer.layer_collection.children[0].exclude = True
    assert exported(level) == data
