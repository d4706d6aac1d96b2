# SPDX-License-Identifier: GPL-3.0-or-later
"""Which folders and archives a game mounts, in the order in which the engine searches them.

Its `gameinfo.txt` names them (Valve Developer Community, "Gameinfo.txt", "Mod mounting"), and those of other games by
their numbers on Steam: there, or in `cfg/mounts.kv` (Strata Source's wiki, "Configuring Mounts"); or by their folders
in `cfg/mount.cfg` (Garry's Mod's wiki, "Mounting Content on a DS").

All of these come with a game, and a game with a level: what they name is looked up in `AllowedFolders` only.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path

from ...binary import FormatError
from ...reach import AllowedFolders
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


def root_of(directory: Path) -> Path:
    """The folder that what a game mounts may lie in, as far as the user chose the game, or has the level in it.

    That is its own; with a gameinfo Steam's library around it, which has its other games; else the folder of its
    engine, unless that is a whole disk or has the user's home in it.
    """
    here = directory.resolve()
    if AllowedFolders([here]).find(NAME) is None:
        return here
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - Path.home() raises where there is none
    is_too_much = here.parent == Path(here.anchor) or home.is_relative_to(here.parent)
    return _steam(here) or (here if is_too_much else here.parent)


def places(directory: Path, reach: AllowedFolders) -> list[Path]:
    """The folders and archives, each as often as it is named; none without a gameinfo in `directory`, or with one that
    can't be read. What is named and lies out of the reach is left out.

    Folders that the engine mounts by itself come before those that the gameinfo names: "update", and those of later
    content, "portal2_dlc2" before "portal2_dlc1". What is of other games comes last, or before all else if it says so.
    """
    return _Mounts(directory.resolve(), reach).places()


def title(directory: Path, reach: AllowedFolders) -> str | None:
    """What a game's gameinfo calls it ("Counter-Strike: Source"), or else its folder's name; None where there is no
    gameinfo that can be read.
    """
    whole = _Mounts(directory, reach).parsed(directory, NAME)
    if whole is None:
        return None
    return (whole.block("gameinfo") or whole).get("game") or directory.name


@dataclass
class _Mounts:
    """What a game mounts."""

    here: Path
    """The game's folder."""
    reach: AllowedFolders

    def places(self) -> list[Path]:
        """See `places`."""
        whole = self.parsed(self.here, NAME)
        if whole is None:
            return []
        game = whole.block("gameinfo") or whole
        heads: list[Path] = []
        tails: list[Path] = []
        for is_first, place in self.of_other_games(game):
            (heads if is_first else tails).append(place)
        return [*heads, *self.later(), *self.mounted(game), *tails]

    def parsed(self, folder: Path, name: str) -> Block | None:
        """What a file below a folder says; None where there is none that can be read."""
        try:
            path = self.reach.place(folder, name)
            return None if path is None else keyvalues.parse(self.reach.read(path))
        except (FormatError, OSError):
            return None

    def later(self) -> Iterator[Path]:
        """The folders beside a game's that the engine mounts before what its gameinfo names."""
        found: list[tuple[int, Path]] = []
        for entry in self.reach.entries(self.here.parent):
            prefix, mark, number = entry.name.lower().rpartition("_dlc")
            if entry.name.lower() == _UPDATE:
                yield entry.path
            elif mark and number.isdecimal() and prefix == self.here.name.lower():
                found.append((int(number), entry.path))
        yield from (path for _, path in sorted(found, reverse=True))

    def mounted(self, game: Block) -> Iterator[Path]:
        """The folders and archives that a gameinfo names, in its order.

        They are below the folder of the engine, beside the game's; of mods, and of content that another game has, below
        that of any game which Steam has installed there.
        """
        system = game.block("filesystem")
        paths = system.block("searchpaths") if system else None
        engines = self.engines
        for key, value in paths.texts() if paths else ():
            if not _GAME_KEYS & set(key.lower().split("+")):
                continue
            mark, text = _MARK.fullmatch(value.replace("\\", "/")).groups()  # type: ignore[union-attr]
            bases = [self.here] if (mark or "").lower() == _OWN else engines
            folder, _, last = text.rpartition("/")
            pattern = last if "*" in last or "?" in last else None
            place = self.first(bases, text if pattern is None else folder)
            if place is not None:
                yield from [place] if pattern is None else self.matching(place, pattern)

    def matching(self, folder: Path, pattern: str) -> Iterator[Path]:
        """What the engine mounts for a pattern ("*"): folders and archives that aren't hidden, of those in several
        files the directory alone.
        """
        wanted = pattern.lower().replace("[", "[[]")
        entries = list(self.reach.entries(folder))
        names = {entry.name.lower() for entry in entries}
        for entry in entries:
            part = _PART.fullmatch(entry.name)
            if entry.name.startswith(".") or not fnmatchcase(entry.name.lower(), wanted):
                continue
            if part is not None and part[1].lower() + ARCHIVE in names:
                continue
            if entry.is_folder or entry.name.lower().endswith(".vpk"):
                yield entry.path

    # ---------------------------------------------------------------------------------------------------- other games

    def of_other_games(self, game: Block) -> Iterator[tuple[bool, Path]]:
        """What is mounted of other games: whether before all else, and the folder or archive."""
        mounts, folders = self.parsed(self.here, _MOUNTS), self.parsed(self.here, _MOUNTED_FOLDERS)
        for block in (game.block("mount"), mounts.block("mounts") if mounts else None):
            for app, mount in block.blocks() if block else ():
                bases = self.installed(app)
                for name, wanted in mount.blocks():
                    folder = self.first(bases, name)
                    if folder is not None:
                        is_first = mount.get("head") == "1"
                        yield from ((is_first, place) for place in self.of_folder(folder, wanted))
        listed = folders.block("mountcfg") if folders else None
        for _, value in listed.texts() if listed else ():
            folder = self.there(self.here, value)
            if folder is not None:
                yield False, folder

    def of_folder(self, folder: Path, wanted: Block) -> Iterator[Path]:
        """What is mounted of a folder: the archives and folders in it that are named, and itself."""
        for key, name in wanted.texts():
            if key.lower() == "vpk":
                name = name.removesuffix(".vpk").removesuffix("_dir") + ".vpk"
            elif key.lower() != "dir":
                continue
            place = self.there(folder, name)
            if place is not None:
                yield place
        if wanted.get("mountmoddir") != "0":
            yield folder

    def installed(self, app: str) -> list[Path]:
        """The folder that Steam has installed a game in, by its number; where that isn't known, those of all."""
        steam = _steam(self.here)
        for library in [] if steam is None or not app.isdecimal() else [steam, *self.libraries]:
            manifest = self.parsed(library, f"appmanifest_{app}.acf")
            state = manifest.block("appstate") if manifest else None
            name = state.get("installdir") if state else None
            found = self.there(library / "common", name) if name else None
            if found is not None:
                return [found]
        return self.engines

    @cached_property
    def libraries(self) -> list[Path]:
        """The `steamapps` of Steam's other libraries, as far as they are in reach."""
        steam = _steam(self.here)
        whole = self.parsed(steam, _LIBRARIES) if steam is not None else None
        listed = (whole.block("libraryfolders") or Block()).blocks() if steam is not None and whole else ()
        paths = [path for _, library in listed if (path := library.get("path"))]
        return [found for path in paths if (found := self.there(self.here, f"{path}/{_STEAM}")) is not None]

    @cached_property
    def engines(self) -> list[Path]:
        """The folder of a game's engine, then those of all games that Steam has installed there."""
        steam, parent = _steam(self.here), self.here.parent
        others = [] if steam is None else [entry.path for entry in self.reach.entries(steam / "common")]
        return [parent, *(entry for entry in others if entry != parent)]

    # ------------------------------------------------------------------------------------------------------------ paths

    def first(self, bases: list[Path], text: str) -> Path | None:
        """What is there below the first of folders that has it."""
        return next((found for base in bases if (found := self.there(base, text)) is not None), None)

    def there(self, base: Path, text: str) -> Path | None:
        """The folder or archive at a path, below `base` if it isn't absolute, whatever the case of its letters; None
        where there is none in reach.

        "hl2/hl2_misc.vpk" stands for "hl2/hl2_misc_dir.vpk".
        """
        text = text.replace("\\", "/") or "."
        found = self.reach.place(base, text)
        if found is None and text.lower().endswith(".vpk"):
            found = self.reach.place(base, text[:-4] + ARCHIVE)
        return found


def _steam(here: Path) -> Path | None:
    return next((folder for folder in here.parents if folder.name.lower() == _STEAM), None)
