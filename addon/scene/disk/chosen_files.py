# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that users choose to open or to write: what is wrong with a choice, in plain words."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn


def read(path: Path) -> bytes:
    """Return the bytes of a file that was chosen. Raises OSError, in words for the user."""
    _refuse_folder(path, "choose a file in it")
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(f"{path}: there is no such file") from None
    except PermissionError:
        raise PermissionError(f"{path}: you may not read it") from None


def to_write(path: Path, ending: str = "") -> Path:
    """Return a path that was chosen to write to, with this ending in the place of another one, "": its own.

    Raises OSError, in words for the user, for what names no file.
    """
    _refuse_folder(path, "give the file a name")
    if ending:
        path = path.with_suffix(ending)
        _refuse_folder(path, "give the file another name")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: there is no such folder")
    return path


def files_below(folder: Path) -> list[Path]:
    """Return all files in a folder that was chosen and below it, sorted; links to folders aren't followed.

    Raises OSError where one of the folders can't be looked into.
    """

    def refuse(error: OSError) -> NoReturn:
        raise error

    found = [Path(home, name) for home, _, names in os.walk(folder, onerror=refuse) for name in names]
    return sorted(file for file in found if file.is_file())


def _refuse_folder(path: Path, instead: str) -> None:
    if not path.name:
        raise IsADirectoryError("no file was chosen")
    if path.is_dir():
        raise IsADirectoryError(f"no file was chosen: {path} is a folder, {instead}")
