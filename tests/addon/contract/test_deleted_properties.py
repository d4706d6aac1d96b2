# SPDX-License-Identifier: GPL-3.0-or-later
"""A custom property that an artist deletes is an edit, too: it reaches the file, or is refused or told by name."""

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import bpy
import pytest
from levelwright.addon import levels
from levelwright.addon.game import Game
from levelwright.addon.scene.fates import aspects
from levelwright.addon.scene.kept import level_blocks
from levelwright.addon.scene.reports import Report, SceneError
from levelwright.formats.binary import FormatError

from tests.addon.contract import changes, edits
from tests.addon.contract.edits import Edit
from tests.addon.contract.registered import DECLARED
from tests.addon.contract.test_edits import SLICE


def properties_of(game: Game, sample: Path) -> list[Edit]:
    return [each for each in edits.edits(game, sample) if each.aspect.startswith(aspects.PROPERTY)]


def delete(block: bpy.types.ID, aspect: str) -> None:
    key = aspect.removeprefix(aspects.PROPERTY)
    del (block if key in block.keys() else block.data)[key]  # noqa: SIM118 - `in block` isn't the same


def exported(game: Game, sample: Path, edit: Edit, make: Callable[[bpy.types.ID, str], None], target: Path) -> str:
    """Import a level, edit it, export it, and return what is said of the data-block; refused, no file is written."""
    level = edits.imported(game, sample, edit.settings)
    same_kind = [
        one for one in level_blocks.blocks(level) if one.kind == edit.kind and type(one.id_block).__name__ == edit.type
    ]
    block = next((one for one in same_kind if one.id_block.name == edit.block), same_kind[0]).id_block
    make(block, edit.aspect)
    report = Report()
    target.parent.mkdir()
    try:
        levels.export_file(bpy.context, level, target, levels.game_of(level).writer[1](), report)
    except (SceneError, FormatError) as error:
        assert any(word in str(error) for word in (block.name, edit.aspect.partition(" ")[2])), error
        return f"refused: {error}"
    return "; ".join(line for line in [*report.lines()[1:], *report.notes] if block.name in line)


def alike(game: Game, sample: Path, edit: Edit) -> list[Edit]:
    """The same edit of data-blocks of the same kind whose property says something else."""
    found = {}
    for one in level_blocks.blocks(edits.imported(game, sample, edit.settings)):
        if one.kind == edit.kind and type(one.id_block).__name__ == edit.type:
            values = aspects.values(one.id_block)
            if edit.aspect in values:
                found.setdefault(repr(edits.plain(values[edit.aspect])), replace(edit, block=one.id_block.name))
    return list(found.values()) or [edit]  # what animation sets has no value of its own


def is_silent(game: Game, sample: Path, edit: Edit) -> bool:
    """Whether nobody learns that a property was deleted: neither those of the sample, nor one of another value.

    A property that says what is taken for granted without it may go unsaid.
    """
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for number, each in enumerate(alike(game, sample, edit)):
            first = folder / str(number) / sample.name
            if exported(game, sample, each, delete, first) or first.read_bytes() != sample.read_bytes():
                return False
            if edits.parts_differ(first, sample):
                return False
        changed, again = folder / "changed" / sample.name, folder / "again" / sample.name
        exported(game, sample, edit, changes.change, changed)
        if not changed.is_file():  # it is read: there is no other value to be tried
            return False
        if changed.read_bytes() == sample.read_bytes():
            return True
        return not exported(game, changed, edit, delete, again) and again.read_bytes() == changed.read_bytes()


def silent(game: Game, sample: Path, those: list[Edit]) -> list[str]:
    return [f"{one.kind} {one.block!r}: {one.aspect}" for one in those if is_silent(game, sample, one)]


@DECLARED
def test_a_slice(game: Game, sample: Path) -> None:
    assert not (found := silent(game, sample, properties_of(game, sample)[::SLICE])), "\n".join(found)


@DECLARED
@pytest.mark.slow
def test_all_of_them(game: Game, sample: Path) -> None:
    assert not (found := silent(game, sample, properties_of(game, sample))), "\n".join(found)


@DECLARED
def test_none_that_is_added_is_dropped_without_a_word(game: Game, sample: Path, tmp_path: Path) -> None:
    """One of each kind of data-blocks gets a property of its own name: it is in the file, or it is told or refused."""
    level = edits.imported(game, sample, game.import_settings())
    blocks = {f"note_{one.kind}_{type(one.id_block).__name__}": one.id_block for one in level_blocks.blocks(level)}
    for key, block in blocks.items():
        block[key] = "mine"
    left, report = set(blocks), Report()
    while left:
        try:
            levels.export_file(bpy.context, level, tmp_path / sample.name, levels.game_of(level).writer[1](), report)
            break
        except (SceneError, FormatError) as error:
            refused = {key for key in left if key in str(error)}
            assert refused, error
            left -= refused
            for key in refused:
                del blocks[key][key]
    left -= {key for key in left for line in report.lines() if key in line}
    again = level_blocks.blocks(edits.imported(game, tmp_path / sample.name, game.import_settings()))
    assert left <= {key for one in again for key in one.id_block.keys()}  # noqa: SIM118 - `in block` isn't the same
