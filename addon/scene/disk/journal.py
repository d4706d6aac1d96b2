# SPDX-License-Identifier: GPL-3.0-or-later
"""One writer a folder, and what undoes a writer that was interrupted.

While files of a folder are replaced, JOURNAL lies there, locked by who writes. So whatever else of ours lies in a
folder whose journal nobody has locked was left by a process that is gone: temporary files are removed, and of files
that had to be replaced together and weren't all, the old ones come back. Names in a journal are those of files beside
it, never paths: a journal that came with somebody's level reaches nothing elsewhere.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import stat
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

JOURNAL = ".levelwright-journal"
"""In each folder that is being written into."""
TEMPORARY = re.compile(r"\.levelwright-\d+\.(new|old|bak)")
"""Names of what lies there until all is done: short, whatever the files are called."""
WAIT = 10.0
"""Seconds for which another export into the same folder is waited for."""
STEP = 0.02
"""Seconds between two looks whether it is done."""
LARGEST = 1 << 16
"""Bytes of a journal that are read."""
State = Literal["old", "new", "other"]
_LOCKED_BYTE = 1 << 30  # on Windows: one that nobody reads
_TAKEN = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
_OPEN = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)


def temporary(folder: Path, number: int, what: Literal["new", "old", "bak"]) -> Path:
    """Return where the new bytes of file `number`, its old ones, or a copy of those lie for a while."""
    return folder / f".levelwright-{number}.{what}"


def is_ours(name: str | None) -> bool:
    """Say whether an error that names this file is about one of ours, or about none that has a name."""
    base = Path(name or JOURNAL).name
    return base == JOURNAL or TEMPORARY.fullmatch(base) is not None


def write_all(handle: int, data: bytes | memoryview) -> None:
    """Write all of the bytes: the system may take fewer at a time. Raises OSError."""
    left = memoryview(data)
    while left:
        left = left[os.write(handle, left) :]


@dataclass(frozen=True, slots=True)
class Replaced:
    """One of the files that are replaced together."""

    name: str
    """In the journal's folder."""
    sha256: str
    """Hex, of the new bytes."""
    existed: bool
    """Whether it was there before: then its old bytes lie beside it."""

    @classmethod
    def of(cls, entry: dict[str, object]) -> Replaced:
        """Take one out of a journal. Raises ValueError, TypeError or KeyError where it is none."""
        name, sha256, existed = entry["name"], entry["sha256"], entry["existed"]
        if not isinstance(name, str) or not isinstance(sha256, str) or not isinstance(existed, bool):
            raise TypeError("a name, a hash and a truth value were expected")
        if Path(name).name != name or "\0" in name:
            raise ValueError(f"{name!r} is no file beside the journal")
        return cls(name, sha256, existed)

    def state(self, folder: Path, number: int) -> State:
        """Say which bytes are there; "other" where somebody wrote since."""
        data, old = _content(folder / self.name), _content(temporary(folder, number, "old"))
        if data is not None and hashlib.sha256(data).hexdigest() == self.sha256:
            return "new"
        given_back = self.existed and old is None
        return "old" if given_back or data == old else "other"


class Journal:
    """What the one who writes into a folder holds: `locked` gives it."""

    def __init__(self, folder: Path, handle: int) -> None:
        self.folder = folder
        self.told: list[str] = []
        """What became of an export that was interrupted, for the report."""
        self._handle = handle

    @property
    def begun(self) -> bool:
        """Whether there is something to undo."""
        return os.fstat(self._handle).st_size > 0

    def begin(self, files: Sequence[Replaced]) -> None:
        """Write down what is about to be replaced: from now on it is all of it or none. Raises OSError."""
        os.ftruncate(self._handle, 0)
        os.lseek(self._handle, 0, os.SEEK_SET)
        write_all(self._handle, json.dumps([asdict(file) for file in files]).encode())
        os.fsync(self._handle)
        self._sync_folder()

    def end(self) -> None:
        """Make what was replaced stay, also when the power fails: there is nothing to undo any more. Raises OSError."""
        self._sync_folder()
        if self.begun:  # if this is lost with the power, the next one finds all files new, or all old, and leaves them
            os.ftruncate(self._handle, 0)

    def undo(self) -> None:
        """Give every file back what it held. Raises OSError, and then it can be tried again."""
        for number, file in enumerate(self._files()):
            if file.state(self.folder, number) == "new":
                if file.existed:
                    temporary(self.folder, number, "old").replace(self.folder / file.name)
                else:
                    (self.folder / file.name).unlink()
        self.end()

    def recover(self) -> None:
        """Undo what an interrupted export had begun, unless only its end was missing; remove what it left."""
        if self.begun:
            files = self._files()
            states = {file.state(self.folder, number) for number, file in enumerate(files)}
            what = f"an export of {' and '.join(file.name for file in files)} was interrupted"
            try:
                if states == {"old", "new"}:
                    self.undo()
                    self.told.append(f"{what}: they are again what they were before it")
            except FileNotFoundError:
                states.add("other")
            if "other" in states:
                self.told.append(f"{what}, and somebody changed files of it since: see whether they belong together")
            self.end()
        self.sweep()

    def sweep(self) -> None:
        """Remove temporary files: only ours can be here, and nobody else is writing. Raises OSError."""
        with os.scandir(self.folder) as entries:
            left = [Path(entry.path) for entry in entries if TEMPORARY.fullmatch(entry.name)]
        for path in left:
            path.unlink()

    def leave(self) -> None:
        """Let others write. Nothing of ours stays, unless it is needed to undo what could not be undone now."""
        handle, path, removed = self._handle, self.folder / JOURNAL, False
        with suppress(OSError):  # the files are as they were said to be; the next one tries this again
            removed = not self.begun
            if removed:
                self.sweep()
                if sys.platform != "win32":
                    path.unlink()
        os.close(handle)
        if sys.platform == "win32" and removed:  # which removes no file that is open
            with suppress(OSError):
                path.unlink()

    def _files(self) -> list[Replaced]:
        """Read what had begun: nothing where that was never written down whole, and so nothing replaced."""
        os.lseek(self._handle, 0, os.SEEK_SET)
        try:
            return [Replaced.of(entry) for entry in json.loads(os.read(self._handle, LARGEST))]
        except (ValueError, TypeError, KeyError, RecursionError):
            return []

    def _sync_folder(self) -> None:
        """Make sure that renamed files stay renamed when the power fails. Windows has no such call."""
        if sys.platform != "win32":
            with suppress(OSError):  # some file systems don't have it either
                handle = os.open(self.folder, os.O_RDONLY)
                try:
                    os.fsync(handle)
                finally:
                    os.close(handle)


@contextmanager
def locked(folder: Path) -> Iterator[Journal]:
    """Be the only one that writes into a folder. What was interrupted before is undone first, and so is what fails now.

    Raises OSError, EBUSY where another one writes there for longer than WAIT. On file systems without locks it goes on
    without one.
    """
    journal = _open(folder)
    try:
        journal.recover()
        try:
            yield journal
        except BaseException as error:
            try:
                journal.undo()
            except OSError as failure:
                why = f"{failure.strerror}. Not all is undone: the next import or export of it tries that again"
                raise OSError(failure.errno, why) from error
            raise
    finally:
        journal.leave()


def recover(file: Path) -> list[str]:
    """Put right what an interrupted export has left in a file's folder, and return what there is to tell of it."""
    folder = Path(os.path.realpath(file)).parent
    if not os.path.lexists(folder / JOURNAL):
        return []
    try:
        with locked(folder) as journal:
            return journal.told
    except OSError as error:
        return [f"{folder}: what an export has left there can't be put right: {error.strerror}"]


def _open(folder: Path) -> Journal:
    """Open a folder's journal, and lock it. Raises OSError."""
    path, end = folder / JOURNAL, time.monotonic() + WAIT
    while True:
        handle = os.open(path, _OPEN, 0o666)
        try:
            mine = os.fstat(handle)
            if not stat.S_ISREG(mine.st_mode):
                raise OSError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
            # Who had it until now may have removed it: then the next one makes another, which isn't locked.
            if _lock(handle) and os.path.samestat(mine, path.lstat()):
                return Journal(folder, handle)
        except FileNotFoundError:
            pass
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
        if time.monotonic() > end:
            raise OSError(errno.EBUSY, "another export is writing into its folder")
        time.sleep(STEP)


def _lock(handle: int) -> bool:
    """Lock a journal until it is closed or the process ends; False where somebody else has."""
    try:
        if sys.platform == "win32":
            os.lseek(handle, _LOCKED_BYTE, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in _TAKEN
    return True


def _content(path: Path) -> bytes | None:
    """Return what a file holds; None where there is none."""
    try:
        return path.read_bytes() if stat.S_ISREG(path.lstat().st_mode) else None
    except FileNotFoundError:
        return None
