"""Where a level's content is looked for: its pakfile first, then loose files and archives, in the engine's order.

The order of a game's own: its `gameinfo.txt` (Valve Developer Community, "Gameinfo.txt", "Mod mounting").
"""

import re
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Protocol, TypeVar

from ...binary import FormatError
from . import keyvalues, troika, vmt, vpk, vtf

GAMEINFO = "gameinfo.txt"
_GAME_KEYS = {"game", "mod", "platform", "vpk", "default_write_path"}  # not "game_lv": where violence is toned down
_TROIKA = re.compile(r"pack\d{3}\.vpk", re.IGNORECASE | re.ASCII)  # archives of Bloodlines
_PART = re.compile(r"(.+)_\d{3}\.vpk", re.IGNORECASE | re.ASCII)  # of an archive, beside its directory
_DIRECTORY = "_dir.vpk"
_MARK = re.compile(r"(?:\|([^|]*)\|/*)?(.*)", re.DOTALL)
_OWN, _STEAM, _UPDATE = "gameinfo_path", "steamapps", "update"
_LARGEST = 1 << 29
_T = TypeVar("_T")


class Source(Protocol):
    """One place that has files, by names in small letters with slashes."""

    def read(self, name: str) -> bytes | None:
        """A file's bytes, None where it isn't there; FormatError where it is, but can't be read."""


class Folder:
    """Loose files in a folder, found without regard to case on every system."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._listed: dict[Path, dict[str, Path]] = {}

    def read(self, name: str) -> bytes | None:
        """See `Source`."""
        place = self.path
        for part in name.split("/"):
            found = self._inside(place).get(part)
            if found is None:
                return None
            place = found
        try:
            if not place.is_file() or place.stat().st_size > _LARGEST:
                return None
            return place.read_bytes()
        except OSError as error:
            raise FormatError(f"can't be read: {error}", name, file=str(place)) from None

    def _inside(self, folder: Path) -> dict[str, Path]:
        if folder not in self._listed:
            try:
                self._listed[folder] = {entry.name.lower(): entry for entry in sorted(folder.iterdir(), reverse=True)}
            except OSError:
                self._listed[folder] = {}
        return self._listed[folder]


class SearchPath:
    """Sources in order: the first that has a file gives it. unread: what was found but couldn't be read, with why."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self.sources = list(sources)
        self.unread: dict[str, str] = {}

    def read(self, name: str) -> bytes | None:
        """A file's bytes; None where no source has it, or where its name leads out of the content."""
        wanted = normal(name)
        if wanted is None:
            return None
        for source in self.sources:
            try:
                data = source.read(wanted)
            except (FormatError, OSError) as error:
                self.unread[wanted] = str(error)
                continue
            if data is not None:
                return data
        return None

    def material(self, name: str) -> vmt.Material | None:
        """A material by the name that levels use ("brick/wall"), patches applied; None where missing or unreadable."""
        return self._known(f"materials/{name}.vmt", lambda data: vmt.read(data, self.read))

    def texture(self, name: str) -> vtf.Texture | None:
        """A texture by the name that materials use; None where it is missing or unreadable."""
        found = self._known(f"materials/{name}.vtf", vtf.read)
        if found is not None:
            return found
        rest = self.read(f"materials/{name}.ttz")
        return self._known(f"materials/{name}.tth", lambda data: vtf.read(troika.join(data, rest)))

    def _known(self, name: str, reader: Callable[[bytes], _T]) -> _T | None:
        data = self.read(name)
        if data is None:
            return None
        try:
            return reader(data)
        except FormatError as error:
            self.unread[normal(name) or name] = str(error)
            return None


def normal(name: str) -> str | None:
    """A file's name in small letters and with slashes; None for one that leads out ("..", a drive, a leading slash)."""
    parts = [part for part in name.replace("\\", "/").lower().split("/") if part not in ("", ".")]
    if not parts or ".." in parts or ":" in name or "\0" in name or name.startswith(("/", "\\")):
        return None
    return "/".join(parts)


def of_game(directory: Path) -> Iterator[Source]:
    """The sources of a game: a folder with `gameinfo.txt` ("tf", "cstrike"), or any folder with content.

    Without a gameinfo, or with one that can't be read, the folder's own files and archives. Folders that the engine
    mounts by itself come first: "update", and those of later content, "portal2_dlc2" before "portal2_dlc1".
    """
    info = next((path for path in _entries(directory) if path.name.lower() == GAMEINFO), None)
    places: list[Path] = []
    if info is not None:
        try:
            places = [*_later(info.parent), *_mounted(info)]
        except (FormatError, OSError):
            places = []
    seen: set[Path] = set()
    for place in [*places, directory.resolve()]:
        if place in seen:
            continue
        seen.add(place)
        if place.suffix.lower() == ".vpk":
            yield vpk.Archive(place)
        elif place.is_dir():
            yield Folder(place)
            inside = _entries(place)
            for archive in inside:
                if archive.name.lower().endswith(_DIRECTORY) and archive not in seen:
                    seen.add(archive)
                    yield vpk.Archive(archive)
            # Nobody says which of them has precedence: those that came later have higher numbers.
            yield from (troika.Archive(path) for path in reversed(inside) if _TROIKA.fullmatch(path.name))


def _later(game: Path) -> Iterator[Path]:
    """The folders beside a game's that the engine mounts before what its gameinfo names."""
    found: list[tuple[int, Path]] = []
    for entry in _entries(game.resolve().parent):
        prefix, mark, number = entry.name.lower().rpartition("_dlc")
        if entry.name.lower() == _UPDATE:
            yield entry
        elif mark and number.isdecimal() and prefix == game.resolve().name.lower():
            found.append((int(number), entry))
    yield from (entry for _, entry in sorted(found, reverse=True))


def _mounted(info: Path) -> Iterator[Path]:
    """The folders and archives that a gameinfo names, in its order, each as often as it names it.

    They are below the folder of the engine, beside the game's; of mods, and of content that another game has, below
    that of any game which Steam has installed there.
    """
    whole = keyvalues.parse(info.read_bytes())
    game = whole.block("gameinfo") or whole
    system = game.block("filesystem")
    paths = system.block("searchpaths") if system else None
    here = info.parent.resolve()
    engines = [here.parent]
    steam = next((folder for folder in here.parents if folder.name.lower() == _STEAM), None)
    if steam is not None:
        engines += [entry for entry in _entries(steam / "common") if entry != here.parent]
    for key, value in paths.texts() if paths else ():
        if not _GAME_KEYS & set(key.lower().split("+")):
            continue
        mark, text = _MARK.fullmatch(value.replace("\\", "/")).groups()  # type: ignore[union-attr]
        bases = [here] if (mark or "").lower() == _OWN else engines
        folder, _, last = text.rpartition("/")
        pattern = last if "*" in last or "?" in last else None
        wanted = text if pattern is None else folder
        place = next((found for base in bases if (found := _there(base, wanted)) is not None), None)
        if place is not None:
            yield from [place] if pattern is None else _matching(place, pattern)


def _matching(folder: Path, pattern: str) -> Iterator[Path]:
    """What the engine mounts for a pattern ("*"): folders and archives that aren't hidden, of those in several files
    the directory alone.
    """
    wanted = pattern.lower().replace("[", "[[]")
    names = {entry.name.lower() for entry in _entries(folder)}
    for entry in _entries(folder):
        part = _PART.fullmatch(entry.name)
        if entry.name.startswith(".") or not fnmatchcase(entry.name.lower(), wanted):
            continue
        if part is not None and part[1].lower() + _DIRECTORY in names:
            continue
        if entry.is_dir() or entry.suffix.lower() == ".vpk":
            yield entry


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
    directory = last[:-4] + _DIRECTORY if last.lower().endswith(".vpk") else None
    return _inside(place, last) or (_inside(place, directory) if directory is not None else None)


def _inside(folder: Path, name: str) -> Path | None:
    if name in ("", "."):
        return folder
    if name == "..":
        return folder.parent
    if (folder / name).exists():
        return folder / name
    return next((entry for entry in _entries(folder) if entry.name.lower() == name.lower()), None)


def _entries(directory: Path) -> list[Path]:
    try:
        return sorted(directory.iterdir(), key=lambda path: path.name.lower())
    except OSError:
        return []
