# SPDX-License-Identifier: GPL-3.0-or-later
"""Which folders and archives a game mounts, in the order in which the engine searches them.

Its `gameinfo.txt` names them (Valve Developer Community, "Gameinfo.txt", "Mod mounting"), and those of other games by
their numbers on Steam: there, or in `cfg/mounts.kv` (Strata Source's wiki, "Configuring Mounts"); or by their folders
in `cfg/mount.cfg` (Garry's Mod's wiki, "Mounting Content on a DS").
"""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from ...binary import FormatError
from . import keyvalues
from .keyvalues import Block

NAME = "gameinfo.txt"
ARCHIVE = "_dir.vpk"
"""How the names of archives' directories end."""
_MOUNTS, _MOUNTED_FOLDERS = "cfg/mounts.kv", "cfg/mount.cfg"
_GAME_KEYS = {"game", "mod", "platform", "vpk", "default_write_path"}  # not "game_lv": where violence is toned down
_PART = re.compile(r"(.+)_\d{3}\.vpk", re.IGNORECASE | re.ASCII)  # of an archive, beside its directory
_MARK = re.compile(r"(?:\|([^|]*)\|/*)?(.*)", re.DOTALL)
_OWN, _STEAM, _UPDATE = "gameinfo_path", "steamapps", "update"
_LIBRARIES = "libraryfolders.vdf"


def places(directory: Path) -> list[Path]:
    """The folders and archives, each as often as it is named; none without a gameinfo in `directory`, or with one that
    can't be read.

    Folders that the engine mounts by itself come before those that the gameinfo names: "update", and those of later
    content, "portal2_dlc2" before "portal2_dlc1". What is of other games comes last, or before all else if it says so.
    """
    info = _inside(directory, NAME)
    whole = None if info is None else _parsed(info)
    if info is None or whole is None:
        return []
    here, game = info.parent.resolve(), whole.block("gameinfo") or whole
    heads: list[Path] = []
    tails: list[Path] = []
    try:
        for is_first, place in _of_other_games(here, game):
            (heads if is_first else tails).append(place)
        return [*heads, *_later(here), *_mounted(here, game), *tails]
    except (OSError, ValueError):  # names that no system takes
        return []


def entries(directory: Path) -> list[Path]:
    """What a folder has, by name; nothing where it can't be read."""
    try:
        return sorted(directory.iterdir(), key=lambda path: path.name.lower())
    except OSError:
        return []


def _parsed(path: Path) -> Block | None:
    try:
        return keyvalues.parse(path.read_bytes())
    except (FormatError, OSError):
        return None


def _later(game: Path) -> Iterator[Path]:
    """The folders beside a game's that the engine mounts before what its gameinfo names."""
    found: list[tuple[int, Path]] = []
    for entry in entries(game.parent):
        prefix, mark, number = entry.name.lower().rpartition("_dlc")
        if entry.name.lower() == _UPDATE:
            yield entry
        elif mark and number.isdecimal() and prefix == game.name.lower():
            found.append((int(number), entry))
    yield from (entry for _, entry in sorted(found, reverse=True))


def _mounted(here: Path, game: Block) -> Iterator[Path]:
    """The folders and archives that a gameinfo names, in its order.

    They are below the folder of the engine, beside the game's; of mods, and of content that another game has, below
    that of any game which Steam has installed there.
    """
    system = game.block("filesystem")
    paths = system.block("searchpaths") if system else None
    engines = _engines(here)
    for key, value in paths.texts() if paths else ():
        if not _GAME_KEYS & set(key.lower().split("+")):
            continue
        mark, text = _MARK.fullmatch(value.replace("\\", "/")).groups()  # type: ignore[union-attr]
        bases = [here] if (mark or "").lower() == _OWN else engines
        folder, _, last = text.rpartition("/")
        pattern = last if "*" in last or "?" in last else None
        place = _first(bases, text if pattern is None else folder)
        if place is not None:
            yield from [place] if pattern is None else _matching(place, pattern)


def _matching(folder: Path, pattern: str) -> Iterator[Path]:
    """What the engine mounts for a pattern ("*"): folders and archives that aren't hidden, of those in several files
    the directory alone.
    """
    wanted = pattern.lower().replace("[", "[[]")
    names = {entry.name.lower() for entry in entries(folder)}
    for entry in entries(folder):
        part = _PART.fullmatch(entry.name)
        if entry.name.startswith(".") or not fnmatchcase(entry.name.lower(), wanted):
            continue
        if part is not None and part[1].lower() + ARCHIVE in names:
            continue
        if entry.is_dir() or entry.suffix.lower() == ".vpk":
            yield entry


# -------------------------------------------------------------------------------------------------------- other games


def _of_other_games(here: Path, game: Block) -> Iterator[tuple[bool, Path]]:
    """What is mounted of other games: whether before all else, and the folder or archive."""
    mounts, folders = (
        _parsed(found) if (found := _there(here, name)) else None for name in (_MOUNTS, _MOUNTED_FOLDERS)
    )
    for block in (game.block("mount"), mounts.block("mounts") if mounts else None):
        for app, mount in block.blocks() if block else ():
            bases = _installed(here, app)
            for name, wanted in mount.blocks():
                folder = _first(bases, name)
                if folder is not None:
                    is_first = mount.get("head") == "1"
                    yield from ((is_first, place) for place in _of_folder(folder, wanted))
    listed = folders.block("mountcfg") if folders else None
    for _, value in listed.texts() if listed else ():
        folder = _there(here, value.replace("\\", "/"))
        if folder is not None:
            yield False, folder


def _of_folder(folder: Path, wanted: Block) -> Iterator[Path]:
    """What is mounted of a folder: the archives and folders in it that are named, and itself."""
    for key, value in wanted.texts():
        name = value.replace("\\", "/")
        if key.lower() == "vpk":
            name = name.removesuffix(".vpk").removesuffix("_dir") + ".vpk"
        elif key.lower() != "dir":
            continue
        place = _there(folder, name)
        if place is not None:
            yield place
    if wanted.get("mountmoddir") != "0":
        yield folder


def _installed(here: Path, app: str) -> list[Path]:
    """The folder that Steam has installed a game in, by its number; where that isn't known, those of all."""
    steam = _steam(here)
    for library in [] if steam is None or not app.isdecimal() else [steam, *_libraries(steam)]:
        manifest = _parsed(library / f"appmanifest_{app}.acf")
        state = manifest.block("appstate") if manifest else None
        name = state.get("installdir") if state else None
        if name:
            return [library / "common" / name]
    return _engines(here)


def _libraries(steam: Path) -> Iterator[Path]:
    """The `steamapps` of Steam's other libraries."""
    whole = _parsed(steam / _LIBRARIES)
    for _, library in (whole.block("libraryfolders") or Block()).blocks() if whole else ():
        path = library.get("path")
        if path:
            yield Path(path.replace("\\", "/")) / _STEAM


def _steam(here: Path) -> Path | None:
    return next((folder for folder in here.parents if folder.name.lower() == _STEAM), None)


def _engines(here: Path) -> list[Path]:
    """The folder of a game's engine, then those of all games that Steam has installed there."""
    steam = _steam(here)
    others = [] if steam is None else entries(steam / "common")
    return [here.parent, *(entry for entry in others if entry != here.parent)]


# -------------------------------------------------------------------------------------------------------------- paths


def _first(bases: list[Path], text: str) -> Path | None:
    """What is there below the first of folders that has it."""
    return next((found for base in bases if (found := _there(base, text)) is not None), None)


def _there(base: Path, text: str) -> Path | None:
    """The folder or archive at a path, below `base` if it isn't absolute, whatever the case of its letters; None where
    there is none.

    "hl2/hl2_misc.vpk" stands for "hl2/hl2_misc_dir.vpk".
    """
    whole = Path(text)
    if whole.is_absolute():
        base, text = Path(whole.anchor), "/".join(whole.parts[1:])
    *folders, last = text.split("/")
    place: Path | None = base
    for part in folders:
        place = None if place is None else _inside(place, part)
    if place is None:
        return None
    directory = last[:-4] + ARCHIVE if last.lower().endswith(".vpk") else None
    return _inside(place, last) or (_inside(place, directory) if directory is not None else None)


def _inside(folder: Path, name: str) -> Path | None:
    if name in ("", "."):
        return folder
    if name == "..":
        return folder.parent
    if (folder / name).exists():
        return folder / name
    return next((entry for entry in entries(folder) if entry.name.lower() == name.lower()), None)
