# SPDX-License-Identifier: GPL-3.0-or-later
"""A level that is appended beside itself gets numbered names from Blender: that is no edit of anybody's."""

from pathlib import Path

import bpy
from levelwright.addon import levels
from levelwright.addon.game import Game
from levelwright.addon.scene.kept import originals
from levelwright.addon.scene.reports import Report

from tests.addon.contract import edits
from tests.addon.contract.registered import DECLARED
from tests.fuzz.scenes import empty_file


@DECLARED
def test_a_second_one_is_the_same_and_nothing_is_told(game: Game, sample: Path, tmp_path: Path) -> None:
    name = edits.imported(game, sample, game.import_settings()).name
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "level.blend"), copy=True)
    empty_file()
    for _ in range(2):
        bpy.context.view_layer.active_layer_collection = bpy.context.view_layer.layer_collection
        bpy.ops.wm.append(directory=f"{tmp_path / 'level.blend'}/Collection/", filename=name)
    (second,) = [level for level in originals.levels() if level.name != name]
    report = Report()
    levels.export_file(bpy.context, second, tmp_path / sample.name, game.export_settings(), report)
    assert (tmp_path / sample.name).read_bytes() == sample.read_bytes()
    assert not [line for line in report.lines() if "isn't written" in line]
