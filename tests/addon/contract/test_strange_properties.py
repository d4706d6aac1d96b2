# SPDX-License-Identifier: GPL-3.0-or-later
"""Custom properties that no level has a value for, and those of other add-ons."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
import pytest
from levelwright.addon import levels
from levelwright.addon.game import Game
from levelwright.addon.scene.kept import level_blocks
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats.binary import FormatError

from tests.addon.contract import edits
from tests.addon.contract.registered import DECLARED

KINDS = (bpy.types.Object, bpy.types.Collection, bpy.types.Material, bpy.types.Mesh, bpy.types.Light)


class Foreign(bpy.types.PropertyGroup):
    """What another add-on keeps."""

    number: bpy.props.IntProperty()


@pytest.fixture
def other_add_on() -> Iterator[None]:
    bpy.utils.register_class(Foreign)
    for kind in KINDS:
        kind.foreign_number = bpy.props.IntProperty()
        kind.foreign_group = bpy.props.PointerProperty(type=Foreign)
    yield
    for kind in KINDS:
        del kind.foreign_number, kind.foreign_group
    bpy.utils.unregister_class(Foreign)


@DECLARED
@pytest.mark.usefixtures("other_add_on")
def test_those_of_other_add_ons_say_nothing(game: Game, sample: Path, tmp_path: Path) -> None:
    level = edits.imported(game, sample, game.import_settings())
    blocks = [one.id_block for one in level_blocks.blocks(level)]
    blocks += [block.data for block in blocks if isinstance(block, bpy.types.Object) and block.data is not None]
    for block in blocks:
        if isinstance(block, KINDS):
            block.foreign_number, block.foreign_group.number = 5, 3
    report = Report()
    levels.export_file(bpy.context, level, tmp_path / sample.name, levels.game_of(level).writer[1](), report)
    assert (tmp_path / sample.name).read_bytes() == sample.read_bytes()
    assert not edits.parts_differ(tmp_path / sample.name, sample)
    assert not [line for line in report.lines() if "foreign" in line]


@DECLARED
@pytest.mark.parametrize("value", [{"a": 1}, [{"a": 1}], ["a", "b"], bpy.types.Scene], ids=repr)
def test_those_that_are_neither_text_nor_numbers_are_told_or_refused(
    game: Game, sample: Path, value: Any, tmp_path: Path
) -> None:
    level = edits.imported(game, sample, game.import_settings())
    blocks = {f"strange_{one.kind}_{type(one.id_block).__name__}": one.id_block for one in level_blocks.blocks(level)}
    for key, block in blocks.items():
        block[key] = bpy.context.scene if value is bpy.types.Scene else value
    left, report = dict(blocks), Report()
    while left:
        try:
            levels.export_file(bpy.context, level, tmp_path / sample.name, levels.game_of(level).writer[1](), report)
            break
        except (SceneError, FormatError) as error:
            refused = [key for key in left if key in str(error)]
            assert refused, error
            for key in refused:
                del left.pop(key)[key]
    silent = [key for key in left if not any(key in line for line in report.lines())]
    if silent:
        again = edits.imported(game, tmp_path / sample.name, game.import_settings())
        written = {key for one in level_blocks.blocks(again) for key in one.id_block.keys()}  # noqa: SIM118
        assert written.issuperset(silent)
