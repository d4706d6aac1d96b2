# SPDX-License-Identifier: GPL-3.0-or-later
r"""What a level may reach: files below folders that the user chose or that hold the level, and nothing else.

A level, and what comes with it (materials, archives, a game's configuration), is a stranger's file, and so are the
paths in it. Merely asking a system about `\\host\share` sends a login to that host. So nobody asks: a path is compared
as text with the folders that may be looked into, and then followed from there through lists of what each folder has,
links included. The lists are also what makes capitals not matter.
"""

import errno
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum, auto
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, NamedTuple

from .binary import FormatError

LARGEST = 1 << 29
"""Bytes of a file that is read whole, at most."""
LARGEST_TEXT = 1 << 24
"""The same of texts: parsing one takes many times its size."""
TEXTS = (".acf", ".cfg", ".fgd", ".h", ".kv", ".material", ".rules", ".txt", ".vdf", ".vmt", ".xml")
"""How the names of texts end."""
LONGEST = 4096
"""Characters of a path, at most."""

_ON_WINDOWS = sys.platform == "win32"
_MOST_LINKS = 40  # in one path, as Linux has it
_PORTS = (f"{port}{number}" for port in ("com", "lpt") for number in "123456789¹²³")
_DEVICES = frozenset(("con", "prn", "aux", "nul", "conin$", "conout$", *_PORTS))
"""Names that are devices on Windows, with any ending."""
_FLAGS = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_BINARY", "O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY"))
_JUNCTION = 0xA0000003  # Windows' other kind of link, which leads anywhere, too (stat.IO_REPARSE_TAG_MOUNT_POINT)
_LONG_SHARE, _LONG = "\\\\?\\UNC\\", "\\\\?\\"  # what Windows puts before the targets of links


class _Kind(Enum):
    FILE = auto()
    FOLDER = auto()
    LINK = auto()
    OTHER = auto()
    """A pipe, a socket, a device."""


_FILE, _FOLDER, _LINK, _OTHER = _Kind


class FolderEntry(NamedTuple):
    """What a folder has: its name there, where it is (elsewhere for a link), and whether it is a folder."""

    name: str
    path: Path
    is_folder: bool


_Listing = dict[str, os.DirEntry[str]]
"""By names as they are written, and by names in small letters the first of them. What it is, is asked when it is met:
maps lie in folders of thousands of downloads."""


def largest(name: str) -> int:
    """How many bytes a file of this name may have."""
    return LARGEST_TEXT if name.lower().endswith(TEXTS) else LARGEST


@lru_cache(1 << 12)  # several folders are asked for each name
def steps(name: str) -> tuple[str, ...] | None:
    r"""The folders and the file of a relative path ("nature\grass.png"), with either slash.

    None for what isn't one: absolute, on a drive or a host, with "..", NUL or a device's name, or too long.
    """
    if not name or len(name) > LONGEST or name[0] in "/\\":
        return None
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
    return tuple(parts) if parts and all(map(_is_plain, parts)) else None


def _is_plain(part: str) -> bool:
    if part == ".." or ":" in part or "\0" in part:
        return False
    return part.partition(".")[0].rstrip().lower() not in _DEVICES


def is_own_folder(path: Path) -> bool:
    """Whether there is a folder at a path: a link to one isn't looked through."""
    try:
        found = path.lstat()
    except (OSError, ValueError):
        return False
    return stat.S_ISDIR(found.st_mode) and _tag(found) != _JUNCTION


class AllowedFolders:
    """Folders that may be looked into, and what was found there: it is remembered, so make one for each import."""

    def __init__(self, folders: Iterable[str | os.PathLike[str]]) -> None:
        """folders: those that the user chose or that hold the level; those that aren't there are left out. Never a path
        out of a level: see `place`.
        """
        whole = (Path(os.path.abspath(folder)) for folder in folders if "\0" not in os.fspath(folder))  # noqa: PTH100 - pathlib keeps ".."
        self.folders = tuple(folder for folder in dict.fromkeys(whole) if folder.is_dir())
        """Where names are looked for, in this order."""
        self.refused: dict[str, None] = {}
        """Paths that lead out of the folders, so that nobody followed them."""
        self._listings: dict[str, _Listing] = {}
        self._files: set[Path] = set()
        """Those that were found: their paths have no links in them."""
        self._starts: dict[Path, tuple[str, list[str]] | None] = {}
        self._roots: list[tuple[str, str]] | None = None

    @property
    def touched(self) -> dict[Path, int]:
        """The folders that something was looked for in, and in how many folders below each."""
        counts = dict.fromkeys(self.folders, 0)
        for listed in map(Path, self._listings):
            inside = [root for root in self.folders if listed.is_relative_to(root)]
            counts[max(inside, key=lambda root: len(root.parts))] += 1
        return {root: count for root, count in counts.items() if count}

    # ------------------------------------------------------------------------------------------------- looking

    def find(self, name: str, endings: Sequence[str] = ("",), folders: Sequence[Path] | None = None) -> Path | None:
        """Return the file of this name in the first folder that has it, or None; capitals don't matter.

        name: see `steps`. endings: tried one after another (".png", ".tga"); without any, name holds its ending.
        folders: others than `self.folders`: places below those.
        """
        parts = steps(name)
        if parts is None:
            return None
        for folder in self.folders if folders is None else folders:
            below = self._start(folder)
            if below is None:
                continue
            for ending in endings:
                found = self._walk(below[0], [*below[1], *parts[:-1], parts[-1] + ending])
                if found is not None and found[1] is _FILE:
                    path = Path(found[0])
                    self._files.add(path)
                    return path
        return None

    def place(self, base: Path, text: str) -> Path | None:
        """Return the file or folder that a path means: relative to `base`, which was found here, or absolute.

        None where it isn't there, or (see `refused`) lies in none of the folders: then nobody asks whether it is there.
        """
        if not text.strip() or len(text) > LONGEST or "\0" in text:
            return None
        found = self._follow(os.path.join(base, text))  # noqa: PTH118 - as text
        return None if found is None else Path(found[0])

    def folder(self, base: Path, name: str) -> Path | None:
        """Return the folder of this name (see `steps`) below `base`, or None."""
        parts, below = steps(name), self._start(base)
        found = self._walk(below[0], [*below[1], *parts]) if parts is not None and below is not None else None
        return Path(found[0]) if found is not None and found[1] is _FOLDER else None

    def is_folder(self, place: Path) -> bool:
        """Whether a path is that of a folder, in the reach."""
        found = self._follow(str(place))
        return found is not None and found[1] is _FOLDER

    def entries(self, folder: Path) -> Iterator[FolderEntry]:
        """The files and folders in a folder, by name; nothing where it can't be read, or is out of the reach."""
        found = self._follow(str(folder))
        if found is None or found[1] is not _FOLDER:
            return
        names = {entry.name for entry in self._listing(found[0]).values()}
        for name in sorted(names, key=lambda name: (name.lower(), name)):
            inner = self._walk(found[0], [name])
            if inner is not None:
                yield FolderEntry(name, Path(inner[0]), inner[1] is _FOLDER)

    # ------------------------------------------------------------------------------------------------- reading

    def open(self, path: Path) -> BinaryIO:
        """Open a file to read. Raises OSError, also for what is no file (a pipe, a device), or is out of the reach."""
        return os.fdopen(self._opened(path)[0], "rb")

    def size(self, path: Path) -> int:
        """Return how many bytes a file has. Raises OSError as `open` does, FormatError where they are too many to be
        read: see `largest`.
        """
        handle, size = self._opened(path)
        os.close(handle)
        return _checked(size, path)

    def read(self, path: Path) -> bytes:
        """Return a file's bytes. Raises as `size` does."""
        handle, size = self._opened(path)
        with os.fdopen(handle, "rb") as file:
            return file.read(_checked(size, path))

    def _opened(self, path: Path) -> tuple[int, int]:
        """A handle of a file, and its size."""
        found = (str(path), _FILE) if path in self._files else self._follow(str(path))
        if found is None or found[1] is not _FILE:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
        handle = os.open(found[0], _FLAGS)
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode):  # since it was listed, it became something else
            os.close(handle)
            raise OSError(errno.EINVAL, "is no file", str(path))
        return handle, about.st_size

    # --------------------------------------------------------------------------------------------- within

    def _follow(self, path: str) -> tuple[str, _Kind] | None:
        """Where an absolute path leads, and what is there; None where that is nothing, or out of the reach."""
        below = self._below(path)
        return None if below is None else self._walk(*below)

    def _start(self, folder: Path) -> tuple[str, list[str]] | None:
        """`_below` of a folder that is asked for often."""
        if folder not in self._starts:
            self._starts[folder] = self._below(str(folder))
        return self._starts[folder]

    def _below(self, path: str) -> tuple[str, list[str]] | None:
        """The folder that a path lies in, and the way from there: the text says so, no system is asked."""
        whole = os.path.normpath(path)
        folded = os.path.normcase(whole)
        if self._roots is None:  # a chosen folder may itself be a link, and be named either way
            both = [(str(one), form) for one in self.folders for form in (str(one), os.path.realpath(one))]
            self._roots = [(folder, os.path.normcase(form).rstrip(os.sep)) for folder, form in dict.fromkeys(both)]
        for folder, form in self._roots:
            if folded == form or folded.startswith(form + os.sep):
                parts = [part for part in whole[len(form) :].split(os.sep) if part]  # noqa: PTH206 - in a hot loop
                if all(map(_is_plain, parts)):
                    return folder, parts
        self.refused[path] = None
        return None

    def _walk(self, start: str, parts: Sequence[str]) -> tuple[str, _Kind] | None:
        """Go from a folder by names, each as written or else in other capitals, and through links that stay within."""
        place, kind, links, done = start, _FOLDER, 0, 0
        while done < len(parts):
            if kind is not _FOLDER:
                return None
            listing, part = self._listing(place), parts[done]
            found = listing.get(part) or listing.get(part.lower())
            if found is None:
                return None
            done += 1
            inner, kind = found.path, _kind(found)
            if kind is not _LINK:
                place = inner
                continue
            links += 1
            target = _target(inner) if links <= _MOST_LINKS else None
            below = self._below(target) if target is not None else None
            if below is None:
                return None
            place, kind = below[0], _FOLDER
            parts, done = [*below[1], *parts[done:]], 0
        return None if kind is _OTHER else (place, kind)

    def _listing(self, folder: str) -> _Listing:
        found = self._listings.get(folder)
        if found is None:
            found = self._listings[folder] = _listed(folder)
        return found


def _listed(folder: str) -> _Listing:
    try:
        with os.scandir(folder) as entries:
            exact = {entry.name: entry for entry in entries}
    except OSError:
        return {}
    folded: _Listing = {}
    for name in sorted(exact):
        folded.setdefault(name.lower(), exact[name])
    return folded | exact


def _kind(entry: os.DirEntry[str]) -> _Kind:
    """What an entry is itself: where it leads isn't looked at."""
    try:
        if entry.is_symlink() or (_ON_WINDOWS and _tag(entry.stat(follow_symlinks=False)) == _JUNCTION):
            return _LINK
        if entry.is_dir(follow_symlinks=False):
            return _FOLDER
        return _FILE if entry.is_file(follow_symlinks=False) else _OTHER
    except OSError:
        return _OTHER


def _tag(found: os.stat_result) -> int:
    return getattr(found, "st_reparse_tag", 0)


def _target(link: str) -> str | None:
    """Where a link leads, as an absolute path."""
    try:
        text = os.readlink(link)  # noqa: PTH115 - as text
    except OSError:
        return None
    if text.startswith(_LONG_SHARE):
        text = "\\\\" + text[len(_LONG_SHARE) :]
    return os.path.join(os.path.dirname(link), text.removeprefix(_LONG))  # noqa: PTH118, PTH120 - as text


def _checked(size: int, path: Path) -> int:
    most = largest(path.name)
    if size > most:
        raise FormatError(f"has {size} bytes: of more than {most} such files aren't read", file=str(path))
    return size
