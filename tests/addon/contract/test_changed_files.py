# SPDX-License-Identifier: GPL-3.0-or-later
"""A file that another program changed since the import is replaced, but not without a word."""

import os
import shutil
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bpy
import pytest
from levelwright.addon import commands, games, levels, operators
from levelwright.addon.game import Game
from levelwright.addon.scene.disk import known_files
from levelwright.addon.scene.kept import originals
from levelwright.addon.scene.reports import Report, SceneError

from tests.addon.contract.registered import LEVELS
from tests.addon.contract.registered import SAMPLES as FOLDER


@pytest.fixture
def path(sample: Path, tmp_path: Path) -> Path:
    """Return a copy of the sample, with what lies beside it."""
    for each in FOLDER.glob(f"{sample.stem}.*"):
        shutil.copyfile(each, tmp_path / each.name)
    return tmp_path / sample.name


def imported(game: Game, path: Path) -> bpy.types.Collection:
    (level,) = levels.import_files(bpy.context, [path], lambda _: game.import_settings(), Report(), game)
    return level


def warned(level: bpy.types.Collection, path: Path, refuse: bool = False) -> list[str]:
    """Export, and return what is said of other programs."""
    report = Report()
    _, settings = levels.game_of(level).writer
    levels.export_file(bpy.context, level, path, settings(), report, refuse_changed=refuse)
    return [line for line in report.warnings if "was changed since" in line]


def edited(path: Path) -> bytes:
    """Let another program write a file: the same, and something behind it."""
    path.write_bytes(path.read_bytes() + b"by another program")
    return path.read_bytes()


@LEVELS
def test_it_is_told_once(game: Game, path: Path) -> None:
    level, original = imported(game, path), path.read_bytes()
    assert warned(level, path) == []
    edited(path)
    assert levels.changed_since(level, path) == [path.name]
    (line,) = warned(level, path)
    assert line.startswith(f"{path.name} is replaced")
    assert path.read_bytes() == original
    assert levels.changed_since(level, path) == []
    assert warned(level, path) == []


@LEVELS
def test_it_can_be_refused(game: Game, path: Path) -> None:
    level = imported(game, path)
    theirs = edited(path)
    with pytest.raises(SceneError, match=rf"{path.name}: changed since it was imported"):
        warned(level, path, refuse=True)
    assert path.read_bytes() == theirs


@LEVELS
def test_what_the_export_wrote_is_known_in_the_next_session(
    game: Game, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    level = imported(game, path)
    target = tmp_path / f"renamed{path.suffix}"
    assert warned(level, target) == []
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    monkeypatch.setattr(known_files, "_places", {})
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"), load_ui=False)
    (level,) = originals.levels()
    assert warned(level, target) == []
    assert warned(level, path) == []
    for each in (target, path):
        edited(each)
    monkeypatch.setattr(known_files, "_places", {})
    assert [len(warned(level, each)) for each in (path, target)] == [1, 1]


@LEVELS
def test_undo_forgets_nothing(game: Game, path: Path) -> None:
    """An export makes no step of undo: undoing the step before it takes the property back."""
    level = imported(game, path)
    path.write_bytes(b"an edited level")
    known_files.exported(level, {path: b"an edited level"})
    del level[known_files.WRITTEN]
    assert warned(level, path) == []


@LEVELS
def test_another_file_of_the_same_name_is_not_meant(game: Game, path: Path, tmp_path: Path) -> None:
    level = imported(game, path)
    (tmp_path / "elsewhere").mkdir()
    other = tmp_path / "elsewhere" / path.name
    other.write_bytes(b"something else")
    assert levels.changed_since(level, other) == []
    assert warned(level, other) == []


def test_a_file_beside_the_level_is_meant_too(tmp_path: Path) -> None:
    game = games.by_key("fable")
    for name in ("fable_vale.lev", "fable_vale.tng"):
        shutil.copyfile(FOLDER / name, tmp_path / name)
    level = imported(game, tmp_path / "fable_vale.lev")
    edited(tmp_path / "fable_vale.tng")
    assert levels.changed_since(level, tmp_path / "fable_vale.lev") == ["fable_vale.tng"]
    (line,) = warned(level, tmp_path / "fable_vale.lev")
    assert line.startswith("fable_vale.tng is replaced")


@pytest.mark.parametrize("text", [7, "", "[", "[]", '{"first-light.map": 7}'])
def test_a_property_that_somebody_edited_does_no_harm(tmp_path: Path, text: object) -> None:
    path = tmp_path / "first-light.map"
    shutil.copyfile(FOLDER / path.name, path)
    level: Any = imported(games.by_key("teeworlds"), path)
    level[known_files.WRITTEN] = text
    assert warned(level, path) == []


def test_the_command_line_tells_it_or_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "first-light.map"
    shutil.copyfile(FOLDER / path.name, path)
    blend = tmp_path / "scene.blend"
    assert commands.main(["convert", str(path), str(blend)]) == commands.OK
    with tempfile.TemporaryDirectory() as folder:  # where the first one is unknown: as in a new process
        moved = Path(folder, path.name)
        moved.write_bytes(edited(path))
        known_files._places.clear()
        assert commands.main(["convert", str(blend), str(moved), "--refuse-changed"]) == commands.FAILED
        assert "first-light.map: changed since it was imported" in capsys.readouterr().err
        assert moved.read_bytes() == path.read_bytes()
        assert commands.main(["convert", str(blend), str(moved)]) == commands.OK
        assert "warning: first-light.map is replaced" in capsys.readouterr().err
        assert moved.read_bytes() == (FOLDER / path.name).read_bytes()
    assert commands.main(["convert", str(path), str(blend), "--refuse-changed"]) == commands.USAGE


def test_the_dialog_says_it_before(tmp_path: Path) -> None:
    path = tmp_path / "first-light.map"
    shutil.copyfile(FOLDER / path.name, path)
    level = imported(games.by_key("teeworlds"), path)

    def shown() -> str:
        lines: list[str] = []
        box = SimpleNamespace(label=lambda text="", icon="": lines.append(text))
        column = SimpleNamespace(column=lambda align: box)
        layout = SimpleNamespace(box=lambda: column)
        kind = SimpleNamespace(note="")
        dialog = SimpleNamespace(
            choices=None, kind=kind, collection=level.name, filepath=str(path), layout=layout, bl_idname="export"
        )
        operators._Export.draw(dialog, bpy.context)
        return " ".join(lines)

    assert shown() == ""
    edited(path)
    assert shown().startswith("first-light.map: changed since it was imported")
    os.utime(path, ns=(1, 1))
    path.write_bytes((FOLDER / path.name).read_bytes())
    assert shown() == ""
