# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds installed games for the preferences: Steam's libraries, GOG's entries in Windows' registry, the usual places.

What games declare (`ContentFolder.within`) says which folders of a program are theirs; here is where programs are.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from ..formats.counting import number_of
from ..formats.reach import AllowedFolders
from ..formats.source.content import steam
from ..formats.source.content.steam import Program
from .game import Game
from .scene.disk.content_folders import ContentFolder

_STEAM = "Steam"
_REGISTRY = (
    ("HKEY_CURRENT_USER", r"Software\Valve\Steam", "SteamPath"),
    ("HKEY_LOCAL_MACHINE", r"SOFTWARE\WOW6432Node\Valve\Steam", "InstallPath"),
    ("HKEY_LOCAL_MACHINE", r"SOFTWARE\Valve\Steam", "InstallPath"),
)
"""Where Windows keeps Steam's folder: a root, a key, a value (Nexus Mods, "Game Detection")."""
_GOG = ("HKEY_LOCAL_MACHINE", r"SOFTWARE\WOW6432Node\GOG.com\Games")
"""Where GOG's installers write a key a game, with values `gameName` and `path` (Nexus Mods, "Game Detection")."""
_MOST_KEYS = 1024


@dataclass(frozen=True, slots=True)
class FoundFolder:
    """A folder with a game's content that the preferences don't name yet."""

    folder: ContentFolder
    """Of which list it is."""
    path: Path
    what: str
    """As `ContentFolder.look` says it."""


@dataclass(slots=True)
class Search:
    """What was found, and in words what wasn't, and where was looked."""

    found: list[FoundFolder] = field(default_factory=list)
    known: list[Path] = field(default_factory=list)
    """Found, too, but named already, or looked into without being named."""
    nothing: list[str] = field(default_factory=list)
    """Titles of the lists that nothing was found for."""
    looked: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def search(games: tuple[Game, ...]) -> Search:
    """Look for folders of the games' content. It reads lists of folders, and Steam's own files, but no game's."""
    made = Search()
    programs = list(_programs(made))
    for folder in (folder for game in games for folder in game.folders if not folder.is_file):
        known = [os.path.realpath(path) for path in folder.folders()]
        found = list(_of(folder, programs))
        for path in found:
            if os.path.realpath(path) in known:
                made.known.append(path)
            else:
                known.append(os.path.realpath(path))
                made.found.append(FoundFolder(folder, path, folder.look(path).text))
        if not found and not folder.folders():
            made.nothing.append(folder.title)
    return made


def _of(folder: ContentFolder, programs: list[Program]) -> Iterator[Path]:
    """The folders with a game's content: in the programs, and where the game is usually installed."""
    for program in programs if folder.within is not None else []:
        if folder.within is not None:
            yield from folder.within(AllowedFolders([program.folder]), program.folder)
    for place in folder.usual() if folder.usual is not None else ():
        path = place / folder.holds
        if path.is_dir() and folder.look(path).is_right:
            yield path


def _programs(made: Search) -> Iterator[Program]:
    """All programs whose folders are known, and notes about where was looked."""
    there = steam.installed(list(steam_folders()))
    made.left_out += there.left_out
    made.looked += [f"Steam's library {library} ({_count(library, there)})" for library in there.libraries]
    if not there.libraries:
        made.looked.append("Steam's usual folders: it isn't there")
    yield from there.programs
    others = list(gog_programs())
    if sys.platform == "win32":
        made.looked.append(f"GOG's games in the registry ({len(others)})")
    yield from others


def _count(library: Path, there: steam.Installed) -> str:
    count = sum(program.folder.is_relative_to(library) for program in there.programs)
    return number_of(count, "programs")


def steam_folders() -> Iterator[Path]:
    """Where Steam may be installed on this system, whether it is there or not."""
    home = Path.home()
    if sys.platform == "win32":
        yield from (Path(path) for root, key, name in _REGISTRY if steam.is_local(path := _value(root, key, name)))
        for variable in ("PROGRAMFILES(X86)", "PROGRAMFILES"):
            if steam.is_local(folder := os.environ.get(variable, "")):
                yield Path(folder, _STEAM)
    elif sys.platform == "darwin":
        yield home / "Library" / "Application Support" / _STEAM
    else:
        yield Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share") / _STEAM
        yield from (home / ".steam" / name for name in ("steam", "root", "debian-installation"))
        flatpak = home / ".var" / "app" / "com.valvesoftware.Steam"
        yield from (flatpak / inner / _STEAM for inner in (".local/share", "data"))
        yield home / "snap" / "steam" / "common" / ".local" / "share" / _STEAM


def gog_programs() -> Iterator[Program]:
    """The games that GOG's installers have put on a Windows; none on other systems."""
    root, key = _GOG
    for name in _keys(root, key):
        path = _value(root, rf"{key}\{name}", "path")
        if steam.is_local(path):
            for folder in AllowedFolders([path]).folders:
                yield Program(_value(root, rf"{key}\{name}", "gameName") or name, folder)


def _value(root: str, key: str, name: str) -> str:
    """A text of Windows' registry; "" where it isn't there."""
    if sys.platform == "win32":
        import winreg

        with suppress(OSError), winreg.OpenKey(getattr(winreg, root), key) as opened:
            value, kind = winreg.QueryValueEx(opened, name)
            return str(value) if kind == winreg.REG_SZ else ""
    return ""


def _keys(root: str, key: str) -> list[str]:
    """The names of the keys in one of Windows' registry."""
    if sys.platform == "win32":
        import winreg

        with suppress(OSError), winreg.OpenKey(getattr(winreg, root), key) as opened:
            count = min(winreg.QueryInfoKey(opened)[0], _MOST_KEYS)
            return [winreg.EnumKey(opened, number) for number in range(count)]
    return []
