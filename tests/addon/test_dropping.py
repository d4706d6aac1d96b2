# SPDX-License-Identifier: GPL-3.0-or-later
"""Dropped files: whose they are is known before anything is asked. There is no window: a stand-in is invoked."""

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bpy
import pytest
from levelwright.addon import chosen_levels, games, operators
from levelwright.addon.scene.kept import originals

from tests.addon.contract.registered import samples


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a level of each game, all under endings that say nothing, a text, and an empty file."""
    for game in games.GAMES:
        (tmp_path / f"{game.key}.dat").write_bytes(samples(game)[0].read_bytes())
    (tmp_path / "readme.map").write_text("No level", encoding="utf-8")
    (tmp_path / "empty.bsp").write_bytes(b"")
    return tmp_path


def test_the_bytes_tell_whose_files_they_are(folder: Path) -> None:
    gone = folder / "gone.map"
    found = chosen_levels.look([*sorted(folder.iterdir()), gone, folder, folder / "a\0b"])
    assert found.games == list(games.GAMES), "in the order of menus"
    assert {key: [path.name for path in paths] for key, paths in found.of_games.items()} == {
        game.key: [f"{game.key}.dat"] for game in games.GAMES
    }
    assert [path.name for path in found.others[:2]] == ["empty.bsp", "readme.map"]
    assert found.others[2:] == [gone, folder, folder / "a\0b"]


def test_a_file_that_changed_is_looked_at_again(folder: Path) -> None:
    path = folder / "readme.map"
    assert chosen_levels.look([path]).others == [path]
    path.write_bytes(samples(games.by_key("teeworlds"))[0].read_bytes())
    assert chosen_levels.look([path]).games == [games.by_key("teeworlds")]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="whoever runs this may read everything")
def test_a_file_that_may_not_be_read_is_of_no_game(folder: Path) -> None:
    path = folder / "teeworlds.dat"
    path.chmod(0)
    assert chosen_levels.look([path]).others == [path]


class Files(list[Any]):
    """An operator's list of files."""

    def remove(self, index: int) -> None:
        self.pop(index)


class Drop(SimpleNamespace):
    """The operator for levels of any game, as Blender calls it with dropped files."""

    paths = operators._Import.paths
    is_dropped = operators._Import.is_dropped
    _leave_out = operators._ImportAny._leave_out

    def __init__(self, folder: Path, names: list[str]) -> None:
        super().__init__(left_out="")
        said: list[tuple[str, str]] = []
        asked: list[str] = []
        files = Files(SimpleNamespace(name=name) for name in names)
        given = SimpleNamespace(is_property_set=lambda name: name in ("filepath", "files", "directory"))
        super().__init__(
            directory=str(folder),
            files=files,
            filepath=str(folder / names[0]),
            properties=given,
            said=said,
            asked=asked,
        )

    def report(self, level: set[str], text: str) -> None:
        self.said.append((*level, text))

    def _hand_on(self, _context: Any, game: Any) -> set[str]:
        self.asked.append(game.key)
        return {"CANCELLED"}

    def ask(self, _context: Any) -> set[str]:
        self.asked.append("all")
        return {"RUNNING_MODAL"}

    def invoke(self, monkeypatch: pytest.MonkeyPatch) -> set[str]:
        monkeypatch.setattr(operators.remembered, "offer", lambda *_: None)
        result: set[str] = operators._ImportAny.invoke(self, bpy.context, None)  # type: ignore[arg-type]
        return result


def test_files_of_one_game_are_asked_about_by_its_own_operator(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drop = Drop(folder, ["ns2.dat"])
    assert drop.invoke(monkeypatch) == {"CANCELLED"}
    assert (drop.asked, drop.said) == (["ns2"], [])


def test_files_of_several_games_are_asked_about_at_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drop = Drop(folder, ["ns2.dat", "source.dat"])
    assert drop.invoke(monkeypatch) == {"RUNNING_MODAL"}
    assert (drop.asked, drop.said) == (["all"], [])


def test_a_file_of_no_game_is_an_error_at_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drop = Drop(folder, ["readme.map"])
    assert drop.invoke(monkeypatch) == {"CANCELLED"}
    assert drop.asked == []
    assert drop.said == [("ERROR", "readme.map: no level of a game that Levelwright knows")]


def test_of_several_files_those_of_no_game_are_left_out_and_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drop = Drop(folder, ["readme.map", "ns2.dat", "empty.bsp"])
    drop.invoke(monkeypatch)
    assert drop.asked == ["ns2"]
    assert drop.said == [("WARNING", "readme.map, empty.bsp: no level of a game that Levelwright knows; left out")]
    assert [path.name for path in drop.paths] == ["ns2.dat"]


FORMS = [(game, form) for game in games.GAMES for form in game.forms if form.import_form is not None]


@pytest.mark.parametrize(("game", "form"), FORMS, ids=[form.operator for _, form in FORMS])
def test_a_file_of_another_form_is_looked_at_before_anything_is_asked(game: Any, form: Any, tmp_path: Path) -> None:
    path = tmp_path / f"notes{form.ending}"
    path.write_bytes(b"\xff\0 no such file")
    said: list[tuple[str, str]] = []
    dialog = SimpleNamespace(game=game, form=form, is_dropped=True, paths=[path])
    dialog.report = lambda level, text: said.append((*level, text))
    assert operators._ImportOfGame.invoke(dialog, bpy.context, None) == {"CANCELLED"}  # type: ignore[arg-type]
    assert said[0][0] == "ERROR"


def test_files_of_several_games_are_imported_by_a_script_at_once(folder: Path) -> None:
    files = [{"name": f"{game.key}.dat"} for game in games.GAMES]
    assert bpy.ops.import_scene.game_level(directory=str(folder), files=files, all_placed="none") == {"FINISHED"}
    assert [originals.describe(level).format for level in originals.levels()] == [game.key for game in games.GAMES]
    ns2 = next(level for level in originals.levels() if level.name.startswith("ns2"))
    assert not [obj for obj in ns2.all_objects if obj.type == "LIGHT"], "an option of all games is one of each"
