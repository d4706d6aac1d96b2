# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a level's content is looked for: its pakfile first, then loose files and archives, in the engine's order."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from ...binary import FormatError
from . import gameinfo, troika, vmt, vpk, vtf
from .gameinfo import ARCHIVE

_TROIKA = re.compile(r"pack\d{3}\.vpk", re.IGNORECASE | re.ASCII)  # archives of Bloodlines
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
    """Sources in order: the first that has a file gives it. unread: what none gave because one couldn't be read, and
    why.
    """

    def __init__(self, sources: Sequence[Source]) -> None:
        self.sources = list(sources)
        self.unread: dict[str, str] = {}

    def read(self, name: str) -> bytes | None:
        """A file's bytes; None where no source has it, or where its name leads out of the content."""
        wanted = normal(name)
        if wanted is None:
            return None
        flaw = None
        for source in self.sources:
            try:
                data = source.read(wanted)
            except (FormatError, OSError) as error:
                flaw = flaw or str(error)
                continue
            if data is not None:
                return data
        if flaw is not None:
            self.unread[wanted] = flaw
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

    What its gameinfo mounts, in that order (`gameinfo.places`); without one, or with one that can't be read, the
    folder's own files and archives.
    """
    seen: set[Path] = set()
    for place in [*gameinfo.places(directory), directory.resolve()]:
        if place in seen:
            continue
        seen.add(place)
        if place.suffix.lower() == ".vpk":
            yield vpk.VpkArchive(place)
        elif place.is_dir():
            yield Folder(place)
            inside = gameinfo.entries(place)
            for archive in inside:
                if archive.name.lower().endswith(ARCHIVE) and archive not in seen:
                    seen.add(archive)
                    yield vpk.VpkArchive(archive)
            # Nobody says which of them has precedence: those that came later have higher numbers.
            yield from (troika.TroikaArchive(path) for path in reversed(inside) if _TROIKA.fullmatch(path.name))
