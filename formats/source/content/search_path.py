# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a level's content is looked for: its pakfile first, then loose files and archives, in the engine's order."""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from ...binary import FormatError
from ...reach import AllowedFolders, largest, steps
from . import gameinfo, troika, vmt, vpk, vtf
from .gameinfo import ARCHIVE, root_of

_TROIKA = re.compile(r"pack\d{3}\.vpk", re.IGNORECASE | re.ASCII)  # archives of Bloodlines
_T = TypeVar("_T")
CONTENT = frozenset(("materials", "models", "sound"))
"""Folders of a game that its levels name files in. What else lies in one isn't theirs to read: a folder that looks like
a game's may hold anything."""


class Source(Protocol):
    """One place that has files, by names in small letters with slashes."""

    def read(self, name: str) -> bytes | None:
        """A file's bytes, None where it isn't there; FormatError where it is, but can't be read."""


class Folder:
    """Loose files in a folder, found without regard to case on every system."""

    def __init__(self, path: Path, reach: AllowedFolders | None = None) -> None:
        """reach: what its files are opened through; None: they are below it."""
        self.path = path
        self.reach = reach or AllowedFolders([path])

    def read(self, name: str) -> bytes | None:
        """See `Source`."""
        if name.partition("/")[0] not in CONTENT:
            return None
        place = self.reach.find(name, folders=(self.path,))
        try:
            return None if place is None else self.reach.read(place)
        except OSError as error:
            raise FormatError(f"can't be read: {error}", name, file=str(place)) from None


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
            if data is not None and len(data) > largest(wanted):
                flaw = flaw or f"has {len(data)} bytes: of more than {largest(wanted)} such files aren't read"
            elif data is not None:
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
    """A file's name in small letters and with slashes; None for one that leads out, see `steps`."""
    parts = steps(name.lower())
    return "/".join(parts) if parts is not None else None


def of_game(directory: Path, reach: AllowedFolders | None = None) -> Iterator[Source]:
    """The sources of a game: a folder with `gameinfo.txt` ("tf", "cstrike"), or any folder with content.

    What its gameinfo mounts, in that order (`gameinfo.places`); without one, or with one that can't be read, the
    folder's own files and archives. reach: what may be looked into, None: that of `gameinfo.root_of`.
    """
    reach = reach or AllowedFolders([root_of(directory)])
    seen: set[Path] = set()
    for place in [*gameinfo.places(directory, reach), directory.resolve()]:
        if place in seen:
            continue
        seen.add(place)
        if place.suffix.lower() == ".vpk":
            yield vpk.VpkArchive(place, reach)
        elif reach.is_folder(place):
            yield Folder(place, reach)
            inside = list(reach.entries(place))
            for archive in inside:
                if archive.name.lower().endswith(ARCHIVE) and archive.path not in seen:
                    seen.add(archive.path)
                    yield vpk.VpkArchive(archive.path, reach)
            # Nobody says which of them has precedence: those that came later have higher numbers.
            yield from (
                troika.TroikaArchive(one.path, reach) for one in reversed(inside) if _TROIKA.fullmatch(one.name)
            )
