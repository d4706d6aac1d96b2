# SPDX-License-Identifier: GPL-3.0-or-later
"""Writing files all or nothing: the old ones stay until the new ones are complete, read back and checked.

`journal` sees to it that this also holds where the process is killed, or the power fails.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import stat
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from . import journal

BACKUP = ".bak"
"""What a backup's name ends with."""
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def write_atomically(
    path: str | os.PathLike[str],
    data: bytes | memoryview,
    verify: Callable[[bytes], object] = bytes,
    backup: bool = False,
) -> list[str]:
    """Write data to a temporary file beside path, read it back, check it, and rename it over path.

    verify: called with the bytes read back; what it raises (FormatError, ...) leaves path as it was.
    backup: keep what path held as `<path>.bak`, replacing an older one.
    Returns what there is to tell: an owner or hard links that couldn't be kept, an interrupted export that was undone.
    Raises OSError, naming path, when the bytes can't be written or don't read back as written. A symbolic link stays
    one.
    """
    return write_together({Path(path): (data, verify)}, backup)


def write_together(
    contents: Mapping[Path, tuple[bytes | memoryview, Callable[[bytes], object]]], backup: bool = False
) -> list[str]:
    """Write several files of one folder, each with what checks it as `write_atomically` does: all of them, or none.

    All are written beside their places, read back and checked before the first one is replaced; where a later one then
    can't be, or the process is killed, those before it get back what they held: at once, or when the next import or
    export looks into the folder. Returns, and raises, as `write_atomically` does; backup: as there.
    """
    targets = [
        Path(os.path.realpath(path)) for path in contents
    ]  # Path.resolve raises RuntimeError for circles of links
    folder, several = targets[0].parent, len(targets) > 1
    if len(set(targets)) < len(targets) or any(target.parent != folder for target in targets):
        names = " and ".join(map(str, contents))
        raise OSError(f"{names} are links to one file, or into different folders: they can't be written together")
    files: list[_File] = []
    replaced: list[journal.Replaced] = []
    with _about(targets[0]), journal.locked(folder) as writing:
        for target, (data, verify) in zip(targets, contents.values(), strict=True):
            with _about(target):
                file = _File.of(target, len(files))  # not sooner: what was interrupted is undone now
                file.prepare(data, verify)
                if several:
                    file.keep()
                if backup:
                    file.back_up()
            files.append(file)
            if several:
                sha256 = hashlib.sha256(data).hexdigest()
                replaced.append(journal.Replaced(target.name, sha256, file.before is not None))
        if several:
            writing.begin(replaced)
        for file in files:
            with _about(file.target):
                file.new.replace(file.target)
        writing.end()
    return [*writing.told, *(line for file in files for line in file.told)]


@dataclass(slots=True)
class _File:
    """One file that is written."""

    target: Path
    """Where it is: no symbolic link."""
    number: int
    """Among those that are written together."""
    before: os.stat_result | None
    """Of the file that is replaced."""
    told: list[str] = field(default_factory=list)
    """What of the replaced file could not be kept."""

    @classmethod
    def of(cls, target: Path, number: int) -> _File:
        """Look at what is in a place. Raises OSError where nothing can or may be written there."""
        try:
            before = target.stat()
        except FileNotFoundError:
            return cls(target, number, None)
        if stat.S_ISDIR(before.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
        if not os.access(target, os.W_OK):  # renaming over it would work, but nobody meant that
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
        return cls(target, number, before)

    @property
    def new(self) -> Path:
        """Where the new bytes are until they take their place."""
        return journal.temporary(self.target.parent, self.number, "new")

    def prepare(self, data: bytes | memoryview, verify: Callable[[bytes], object]) -> None:
        """Write the new bytes to a temporary file, checked, with the owner and the permissions of the old one."""
        _write(self.new, data, 0o666 if self.before is None else 0o600)
        written = self.new.read_bytes()
        if written != data:
            raise OSError(f"{self.target}: the bytes read back differ from those written (is the disk failing?)")
        verify(written)
        if self.before is None:
            return
        self._keep_owner(self.before)
        self.new.chmod(stat.S_IMODE(self.before.st_mode))  # after the owner: a change of that drops bits
        if self.before.st_nlink > 1:
            names = self.before.st_nlink
            self.told.append(f"{self.target.name} had {names} names (hard links): the others still have the old bytes")

    def keep(self) -> None:
        """Give the old bytes a second name, which takes no room; a copy where links can't, or mayn't, be made."""
        if self.before is not None:
            old = journal.temporary(self.target.parent, self.number, "old")
            try:
                old.hardlink_to(self.target)
            except OSError:
                self._copy(old)

    def back_up(self) -> None:
        """Keep the old bytes as `<name>.bak`: a copy, since others may write into a file with two names."""
        if self.before is not None:
            copy = journal.temporary(self.target.parent, self.number, "bak")
            kept = self.target.with_name(self.target.name + BACKUP)
            with _about(kept):
                self._copy(copy)
                copy.replace(kept)

    def _copy(self, path: Path) -> None:
        _write(path, self.target.read_bytes(), 0o600)
        with suppress(OSError):  # times, flags and the like
            shutil.copystat(self.target, path)

    def _keep_owner(self, before: os.stat_result) -> None:
        """Give the new file the old one's group and owner, or tell which it has instead."""
        if sys.platform == "win32":
            return
        now = self.new.stat()
        for what, old, new in (("group", before.st_gid, now.st_gid), ("owner", before.st_uid, now.st_uid)):
            if old != new:
                try:
                    os.chown(self.new, *((old, -1) if what == "owner" else (-1, old)))
                except OSError:
                    self.told.append(f"{self.target.name} has another {what} now: {new} instead of {old}")


def _write(path: Path, data: bytes | memoryview, mode: int) -> None:
    """Make a file, with its bytes on the disk and not only on their way there. Raises OSError."""
    handle = os.open(path, _CREATE, mode)
    try:
        journal.write_all(handle, data)
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _about(target: Path) -> Iterator[None]:
    """Let errors name the file that is written: nobody knows the temporary ones, and a full disk names none."""
    try:
        yield
    except OSError as error:
        if error.errno is None or not journal.is_ours(error.filename):
            raise
        raise OSError(error.errno, error.strerror, str(target)) from error
