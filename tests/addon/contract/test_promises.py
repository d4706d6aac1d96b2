# SPDX-License-Identifier: GPL-3.0-or-later
"""What every game promises: nothing is lost, whichever way a level goes through Blender."""

import shutil
from pathlib import Path
from typing import Any

import bpy
import pytest
from levelwright.addon import commands, games, levels
from levelwright.addon.game import Game
from levelwright.addon.scene.kept import originals
from levelwright.addon.scene.reports import Report
from levelwright.formats import identify

from tests.addon.contract.registered import ALL, IDS, LEVELS
from tests.fuzz.scenes import empty_file

SAMPLES = pytest.mark.parametrize(("game", "sample"), ALL, ids=IDS)


def imported(game: Game, sample: Path) -> bpy.types.Collection:
    (level,) = levels.import_files(bpy.context, [sample], lambda _: game.import_settings(), Report(), game)
    return level


def exported(level: bpy.types.Collection, target: Path, report: Report | None = None) -> bytes:
    _, settings = levels.game_of(level).writer
    levels.export_file(bpy.context, level, target, settings(), report or Report())
    return target.read_bytes()


@SAMPLES
def test_one_format_knows_it_and_writes_it_as_it_was(game: Game, sample: Path) -> None:
    data = sample.read_bytes()
    assert [each.key for each in games.formats.FORMATS if each.identify(data)] == [game.key]
    found = identify(data)
    assert found is not None
    verbs = found.verbs
    assert verbs.write(verbs.read(data)) == data


@SAMPLES
def test_an_unedited_scene_is_the_file(game: Game, sample: Path, tmp_path: Path) -> None:
    level = imported(game, sample)
    assert level.name == sample.stem
    assert exported(level, tmp_path / sample.name) == sample.read_bytes()


@SAMPLES
def test_it_is_so_after_the_blend_was_saved_and_opened_or_appended(game: Game, sample: Path, tmp_path: Path) -> None:
    """And the report of the appended one tells of nothing that the other's doesn't."""
    name, blend = imported(game, sample).name, str(tmp_path / "scene.blend")
    bpy.ops.wm.save_as_mainfile(filepath=blend)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.wm.open_mainfile(filepath=blend, load_ui=False)
    (level,) = originals.levels()
    opened, appended = Report(), Report()
    assert exported(level, tmp_path / sample.name, opened) == sample.read_bytes()
    empty_file()
    with bpy.data.libraries.load(blend) as (_, wanted):
        wanted.collections = [name]
    bpy.context.scene.collection.children.link(bpy.data.collections[name])
    assert exported(bpy.data.collections[name], tmp_path / sample.name, appended) == sample.read_bytes()
    assert (appended.notes, appended.warnings) == (opened.notes, opened.warnings)


@SAMPLES
def test_two_imports_are_two_levels(game: Game, sample: Path, tmp_path: Path) -> None:
    first, second = imported(game, sample), imported(game, sample)
    assert first != second
    for number, level in enumerate((first, second)):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert exported(level, folder / sample.name) == sample.read_bytes()


@SAMPLES
def test_moving_the_root_edits_nothing(game: Game, sample: Path, tmp_path: Path) -> None:
    level = imported(game, sample)
    root: Any = next(obj for obj in level.all_objects if obj.parent is None and obj.type == "EMPTY")
    root.location = (3.0, -4.0, 5.0)
    assert exported(level, tmp_path / sample.name) == sample.read_bytes()


@SAMPLES
def test_the_check_writes_nothing_and_says_so(game: Game, sample: Path) -> None:
    level, report = imported(game, sample), Report()
    levels.check_export(bpy.context, level, report)
    assert any(note.startswith("nothing is written") for note in report.notes)


@LEVELS
def test_without_a_window_it_becomes_a_scene_and_a_level_again(game: Game, sample: Path, tmp_path: Path) -> None:
    assert commands.main(["convert", str(sample), str(tmp_path / "scene.blend")]) == commands.OK
    target = tmp_path / sample.name
    assert commands.main(["convert", str(tmp_path / "scene.blend"), str(target)]) == commands.OK
    assert target.read_bytes() == sample.read_bytes()


@SAMPLES
def test_an_unknown_option_is_refused_with_those_that_there_are(
    game: Game, sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["convert", str(sample), str(tmp_path / "scene.blend"), "--option", "nonsense=1"]
    assert commands.main(arguments) == commands.USAGE
    assert "no option nonsense here; there are: " in capsys.readouterr().err


@SAMPLES
def test_names_as_long_as_file_systems_take_come_in_and_go_out(game: Game, sample: Path, tmp_path: Path) -> None:
    path = tmp_path / ("\N{SNOW CAPPED MOUNTAIN}" * 60 + sample.suffix)
    shutil.copyfile(sample, path)
    assert exported(imported(game, path), path) == sample.read_bytes()
    assert path.name in {entry.name for entry in tmp_path.iterdir()}
