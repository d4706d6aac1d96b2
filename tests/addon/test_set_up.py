# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of folders in the preferences, what is found on a machine, and what the check of the set-up says."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bpy
import pytest
from levelwright.addon import games, installed_games, preferences, setup_check, setup_operators
from levelwright.addon.fable.content import GAME as FABLE
from levelwright.addon.fable.content import THEMES
from levelwright.addon.genesis.content import TEXTURES
from levelwright.addon.ns2.content import NS2
from levelwright.addon.scene.disk.content_folders import ContentFolder
from levelwright.addon.source.content import GAME
from levelwright.addon.teeworlds.content import MAPRES

from tests.formats.test_source_steam import libraries, program

LISTS = [folder for folder in preferences.FOLDERS if not folder.is_file]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home without variables: games installed on this machine play no part."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_DATA_HOME", "APPDATA", *(folder.variable for folder in LISTS)):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(installed_games, "search", only_below(tmp_path, installed_games.search))
    return tmp_path


def only_below(home: Path, search: Any) -> Any:
    """A search that forgets what this machine has besides the home of the test."""

    def limited(found_games: Any) -> installed_games.Search:
        made = search(found_games)
        made.found = [one for one in made.found if home in one.path.parents]
        return made

    return limited


@pytest.fixture
def entry() -> Iterator[Any]:
    """The extension's preferences, left as they were."""
    made = bpy.context.preferences.addons["levelwright"].preferences
    yield made
    for folder in LISTS:
        made.property_unset(folder.name)
        getattr(made, folder.paths).clear()
    setup_operators.lines.clear()


def made(folder: ContentFolder, where: Path) -> Path:
    """A folder with what a game's content is known by."""
    where.mkdir(parents=True, exist_ok=True)
    if folder is NS2:
        (where / "ns2" / "materials").mkdir(parents=True)
    elif folder is FABLE:
        (where / "data" / "graphics" / "pc").mkdir(parents=True)
        (where / "data" / "graphics" / "pc" / "Textures.big").touch()
    else:
        name = {MAPRES: "grass_main.png", TEXTURES: "Level.TXL", THEMES: "GROUND_GRASS.png", GAME: "GameInfo.txt"}[
            folder
        ]
        (where / name).write_text('"GameInfo" { game "Half-Life 2" }' if folder is GAME else "x")
    return where


SAID = {
    MAPRES: "1 image",
    TEXTURES: "Level.TXL",
    THEMES: "1 image",
    FABLE: "Fable: The Lost Chapters (textures.big)",
    GAME: "Half-Life 2 (gameinfo.txt)",
    NS2: "Natural Selection 2 (ns2)",
}


@pytest.mark.parametrize("folder", LISTS, ids=lambda one: one.name)
def test_each_list_says_what_a_folder_is(folder: ContentFolder, tmp_path: Path) -> None:
    assert folder.look(made(folder, tmp_path / "right")) == (True, SAID[folder])
    (tmp_path / "empty").mkdir()
    assert folder.look(tmp_path / "empty") == (False, folder.lacks)
    assert folder.look(tmp_path / "gone") == (False, "no such folder")
    (tmp_path / "file").touch()
    assert folder.look(tmp_path / "file") == (False, "a file, not a folder")


def test_the_folder_above_says_which_one_to_choose(tmp_path: Path) -> None:
    for name in ("hl2", "cstrike", "bin"):
        (tmp_path / name).mkdir()
    for name in ("hl2", "cstrike"):
        made(GAME, tmp_path / name)
    assert GAME.look(tmp_path) == (False, "no gameinfo.txt: choose cstrike or hl2 in it")
    (tmp_path / "bin" / "materials").mkdir()
    assert GAME.look(tmp_path / "bin") == (True, "materials, but no gameinfo.txt")


@pytest.mark.parametrize("folder", LISTS, ids=lambda one: one.name)
def test_folders_are_looked_into_in_the_lists_order(folder: ContentFolder, entry: Any, home: Path) -> None:
    first, second, third = (made(folder, home / name) for name in ("a", "b", "c"))
    for path in (first, second, third):
        assert bpy.ops.levelwright.add_folder(folder=folder.name, directory=str(path)) == {"FINISHED"}
    assert bpy.ops.levelwright.add_folder(folder=folder.name, directory=str(first)) == {"CANCELLED"}
    assert folder.own() == [first, second, third]
    assert bpy.ops.levelwright.move_folder(folder=folder.name, up=True) == {"FINISHED"}
    assert folder.own() == [first, third, second]
    assert bpy.ops.levelwright.remove_folder(folder=folder.name) == {"FINISHED"}
    assert folder.own() == [first, second]
    setattr(entry, folder.name, str(third))
    assert folder.own() == [third, first, second], "what a script sets comes first, as in 0.3.0"


def test_moving_and_removing_end_at_the_lists_ends(entry: Any) -> None:
    call = bpy.ops.levelwright
    assert call.remove_folder(folder=GAME.name) == {"CANCELLED"}
    assert call.add_folder(folder=GAME.name) == {"CANCELLED"}
    call.add_folder(folder=GAME.name, directory="/nowhere")
    assert call.move_folder(folder=GAME.name, up=True) == {"CANCELLED"}
    assert call.move_folder(folder=GAME.name, up=False) == {"CANCELLED"}


@pytest.mark.parametrize("folder", LISTS, ids=lambda one: one.name)
def test_what_0_3_0_was_set_to_is_taken_over(folder: ContentFolder, entry: Any, tmp_path: Path) -> None:
    """Its preferences are opened by the names of the properties, and then the extension is registered."""
    old, new = made(folder, tmp_path / "old"), made(folder, tmp_path / "new")
    bpy.ops.levelwright.add_folder(folder=folder.name, directory=str(new))
    setattr(entry, folder.name, str(old))
    setup_operators.take_over()
    setup_operators.take_over()
    assert getattr(entry, folder.name) == ""
    assert [one.path for one in getattr(entry, folder.paths)] == [str(old), str(new)]
    assert folder.own() == [old, new]


def test_installed_games_are_found_and_added_once(entry: Any, home: Path) -> None:
    root, other = home / ".local" / "share" / "Steam", home / "disk"
    ns2 = made(NS2, program(root, 4920, "Natural Selection 2", "Natural Selection 2"))
    source = program(other, 220, "Half-Life 2", "Half-Life 2")
    hl2, cstrike = (made(GAME, source / name) for name in ("hl2", "cstrike"))
    teeworlds = made(MAPRES, program(other, 380840, "Teeworlds", "Teeworlds") / "tw" / "data" / "mapres")
    rf = made(TEXTURES, program(other, 5, "Reality Factory", "RF") / "levels")
    fable = made(FABLE, program(other, 204030, "Fable - The Lost Chapters", "Fable The Lost Chapters"))
    libraries(root, str(root), str(other))
    assert bpy.ops.levelwright.find_games() == {"FINISHED"}
    assert NS2.listed() == [ns2] and MAPRES.listed() == [teeworlds] and TEXTURES.listed() == [rf]
    assert GAME.listed() == [cstrike, hl2] and FABLE.listed() == [fable]
    texts = [line.text for line in setup_operators.lines]
    assert f"added: Half-Life 2 (gameinfo.txt), {hl2}" in texts
    assert f"Steam's library {other} (4 programs)" in texts
    assert [line[1:3] for line in setup_operators.lines if not line.is_right] == [("Not found", THEMES.title)]
    assert bpy.ops.levelwright.find_games() == {"FINISHED"}
    assert GAME.listed() == [cstrike, hl2]
    assert sum(line.title == "Known already" for line in setup_operators.lines) >= 5


def test_without_any_game_the_search_says_where_it_looked(entry: Any, home: Path) -> None:
    bpy.ops.levelwright.find_games()
    texts = [line.text for line in setup_operators.lines]
    assert "Steam's usual folders: it isn't there" in texts
    missing = {line.text for line in setup_operators.lines if line.title == "Not found"}
    assert missing >= {NS2.title, GAME.title, TEXTURES.title}  # Debian has packages of the others


def test_what_to_do_about_missing_games_is_said_once() -> None:
    search = installed_games.Search(nothing=[NS2.title, GAME.title], left_out=["the library X"], looked=["Steam"])
    lines = setup_operators.lines_of(search)
    assert [line[1:3] for line in lines] == [
        *(("Not found", NS2.title), ("Not found", GAME.title), ("Left out", "the library X"), ("Looked in", "Steam")),
    ]
    assert [line.title for line in lines if line.advice] == ["Left out"]
    search.left_out.clear()
    assert [line.text for line in setup_operators.lines_of(search) if line.advice] == [GAME.title]
    search.nothing.clear()
    assert not any(line.advice for line in setup_operators.lines_of(search))


@pytest.mark.parametrize(
    "inner",
    [
        ".steam/steam",
        ".steam/debian-installation",
        ".var/app/com.valvesoftware.Steam/data/Steam",
        "snap/steam/common/.local/share/Steam",
    ],
)
def test_steam_is_found_where_linux_has_it(inner: str, home: Path) -> None:
    assert home / inner in list(installed_games.steam_folders())


def fake_registry(keys: dict[str, dict[str, str]]) -> Any:
    """What Python has for Windows' registry. keys: by root and key, their values."""

    class Key(SimpleNamespace):
        def __enter__(self) -> Any:
            return self

        def __exit__(self, *_: object) -> None:
            pass

    def opened(root: str, key: str) -> Key:
        whole = f"{root}\\{key}"
        inner = [name.removeprefix(whole + "\\") for name in keys if name.startswith(whole + "\\")]
        if whole not in keys and not inner:
            raise FileNotFoundError(whole)
        return Key(values=keys.get(whole, {}), inner=inner)

    def value(key: Key, name: str) -> tuple[str, int]:
        if name not in key.values:
            raise FileNotFoundError(name)
        return key.values[name], 1

    roots = {name: name for name in ("HKEY_CURRENT_USER", "HKEY_LOCAL_MACHINE")}
    calls = {"OpenKey": opened, "QueryValueEx": value, "QueryInfoKey": lambda key: (len(key.inner), 0, 0)}
    return SimpleNamespace(**roots, **calls, EnumKey=lambda key, number: key.inner[number], REG_SZ=1)


def test_windows_registry_says_where_steam_and_gogs_games_are(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = home / "GOG" / "Bloodlines"
    game.mkdir(parents=True)
    gog = r"HKEY_LOCAL_MACHINE\SOFTWARE\WOW6432Node\GOG.com\Games"
    keys = {
        r"HKEY_CURRENT_USER\Software\Valve\Steam": {"SteamPath": str(home / "Steam")},
        r"HKEY_LOCAL_MACHINE\SOFTWARE\WOW6432Node\Valve\Steam": {"InstallPath": r"\\host\share"},
        rf"{gog}\1207659240": {"path": str(game), "gameName": "Vampire: Bloodlines"},
        rf"{gog}\1": {"path": r"\\host\games\x", "gameName": "elsewhere"},
        rf"{gog}\2": {"gameName": "without a folder"},
    }
    monkeypatch.setitem(sys.modules, "winreg", fake_registry(keys))
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.delenv("PROGRAMFILES", raising=False)
    monkeypatch.setenv("PROGRAMFILES(X86)", "//host/programs")
    folders, programs = list(installed_games.steam_folders()), list(installed_games.gog_programs())
    monkeypatch.undo()
    assert folders == [home / "Steam"]
    assert [(one.name, one.folder) for one in programs] == [("Vampire: Bloodlines", game)]


def test_a_machine_without_these_keys_has_no_such_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "winreg", fake_registry({}))
    monkeypatch.setattr(sys, "platform", "win32")
    found = list(installed_games.gog_programs())
    monkeypatch.undo()
    assert found == []


def test_the_check_says_what_to_do(entry: Any, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bpy.ops.levelwright.add_folder(folder=GAME.name, directory=str(made(GAME, home / "hl2")))
    bpy.ops.levelwright.add_folder(folder=GAME.name, directory=str(home / "gone"))
    monkeypatch.setenv(NS2.variable, str(home / "variable"))
    assert bpy.ops.levelwright.check_setup() == {"FINISHED"}
    said = {(line.title, line.text): line for line in setup_operators.lines}
    assert said[GAME.title, f"Half-Life 2 (gameinfo.txt): {home / 'hl2'}"].is_right
    gone = said[GAME.title, f"no such folder: {home / 'gone'}"]
    assert not gone.is_right and "Correct or remove it" in gone.advice
    variable = said[NS2.title, f"no such folder: {home / 'variable'} ({NS2.variable})"]
    assert NS2.variable in variable.advice
    none = said[TEXTURES.title, "no folder: its levels show placeholders"]
    assert none.is_optional and "Find Installed Games" in none.advice
    cycles = next(line for line in setup_operators.lines if line.title == "Cycles")
    assert cycles.is_right == ("cycles" in bpy.context.preferences.addons)
    titles = {line.title for line in setup_operators.lines}
    assert {"Blender", "Graphics", "Cycles", "Temporary folder", "Teeworlds client"} <= titles
    assert all(line.advice for line in setup_operators.lines if not line.is_right)


def test_the_check_sees_other_versions_and_folders_that_cant_be_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(setup_check, "TESTED", ())
    line = setup_check.check(bpy.context, games.GAMES)[0]
    assert not line.is_right and line.text == bpy.app.version_string
    there = setup_check._writable("x", tmp_path, "Advice")
    assert there.is_right and list(tmp_path.iterdir()) == []
    assert not setup_check._writable("x", tmp_path / "gone", "Advice").is_right
    monkeypatch.setattr(setup_check, "LITTLE_SPACE", 1 << 62)
    assert setup_check._writable("x", tmp_path, "Advice").advice == "Make room on that disk"
