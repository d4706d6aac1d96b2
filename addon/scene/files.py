# SPDX-License-Identifier: GPL-3.0-or-later
"""Writing files all or nothing: the old ones stay until the new ones are complete, read back and checked."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path


def write_atomically(
    path: str | os.PathLike[str],
    data: bytes | memoryview,
    verify: Callable[[bytes], object] | None = None,
    backup: bool = False,
) -> None:
    """Write data to a temporary file beside path, read it back, check it, and rename it over path.

    verify: called with the bytes read back; what it raises (FormatError, ...) leaves path as it was.
    backup: keep what path held as `<path>.bak`, replacing an older one.
    Raises OSError when the bytes can't be written or don't read back as written. A symbolic link stays one.
    """
    target = Path(path).resolve()
    temporary = _prepared(target, data, verify)
    try:
        if backup and target.exists():
            _keep(target)
        temporary.replace(target)
    except BaseException:
        _remove(temporary)
        raise


def write_together(contents: Mapping[Path, tuple[bytes, Callable[[bytes], object]]], backup: bool = False) -> None:
    """Write several files, each with what checks it as `write_atomically` does: all of them, or none.

    All are written beside their places, read back and checked before the first one is replaced; where a later one then
    can't be, those before it get back what they held. backup: as of `write_atomically`.
    """
    with ExitStack() as leftovers, ExitStack() as undo:
        ready = []
        for path, (data, verify) in contents.items():
            target = path.resolve()
            ready.append((_prepared(target, data, verify), target))
            leftovers.callback(_remove, ready[-1][0])
        for temporary, target in ready:
            if target.exists():
                if backup:
                    _keep(target)
                old = temporary.with_suffix(".old")
                shutil.copy2(target, old)
                leftovers.callback(_remove, old)
                undo.callback(old.replace, target)
            else:
                undo.callback(_remove, target)
            temporary.replace(target)
        undo.pop_all()


def _prepared(target: Path, data: bytes | memoryview, verify: Callable[[bytes], object] | None) -> Path:
    """Write data to a temporary file beside the target, checked and with its permissions; nothing is left on errors."""
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    if target.exists() and not os.access(target, os.W_OK):  # renaming over it would work, but nobody meant that
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(target))
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.", suffix=".tmp")
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(target)) from error  # instead of a name that nobody knows
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        written = temporary.read_bytes()
        if written != data:
            raise OSError(f"{target}: the bytes read back differ from those written (is the disk failing?)")
        if verify is not None:
            verify(written)
        _keep_mode(target, temporary)
    except BaseException:
        _remove(temporary)
        raise
    return temporary


def _keep(target: Path) -> None:
    """Keep what a file holds as `<name>.bak`."""
    shutil.copy2(target, target.with_name(target.name + ".bak"))


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()


def _keep_mode(target: Path, temporary: Path) -> None:
    """Give the new file the permissions of the one it replaces, or what a plain `open` would have given it."""
    if target.exists():
        temporary.chmod(target.stat().st_mode & 0o7777)
        return
    mask = os.umask(0)
    os.umask(mask)
    temporary.chmod(0o666 & ~mask)
