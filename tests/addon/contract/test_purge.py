# SPDX-License-Identifier: GPL-3.0-or-later
"""A level that was deleted is gone: when Blender purges what nobody uses, nothing of it is left."""

from pathlib import Path

import bpy
from levelwright.addon import levels
from levelwright.addon.game import Game
from levelwright.addon.scene.reports import Report

from tests.addon.contract.registered import LEVELS


def names() -> set[str]:
    """All data-blocks there are, each with its table."""
    tables = (each.identifier for each in bpy.data.bl_rna.properties if each.type == "COLLECTION")
    return {f"{table}: {block.name}" for table in tables for block in getattr(bpy.data, table)}


def delete(level: bpy.types.Collection) -> None:
    """What *Delete Hierarchy* in the outliner does."""
    children = [level, *level.children_recursive]
    bpy.data.batch_remove([*level.all_objects])
    bpy.data.batch_remove(children)
    bpy.context.view_layer.update()


@LEVELS
def test_nothing_is_left_of_a_deleted_level(game: Game, sample: Path, tmp_path: Path) -> None:
    before = names()
    for _ in range(2):
        (level,) = levels.import_files(bpy.context, [sample], lambda _: game.import_settings(), Report(), game)
        levels.check_export(bpy.context, level, Report())
        delete(level)
    bpy.data.orphans_purge(do_local_ids=True, do_linked_ids=True, do_recursive=True)
    assert names() - before == set()


@LEVELS
def test_nor_after_the_blend_was_saved_and_opened(game: Game, sample: Path, tmp_path: Path) -> None:
    before = names()
    (level,) = levels.import_files(bpy.context, [sample], lambda _: game.import_settings(), Report(), game)
    levels.check_export(bpy.context, level, Report())
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "level.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "level.blend"))
    delete(next(each for each in bpy.data.collections if each.get("levelwright_level")))
    bpy.data.orphans_purge(do_local_ids=True, do_linked_ids=True, do_recursive=True)
    assert names() - before == set()
