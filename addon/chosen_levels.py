# SPDX-License-Identifier: GPL-3.0-or-later
"""Which games the files are of that somebody dropped or is choosing: dialogs show the options of these."""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import bpy

from ..formats.binary import FormatError
from . import games
from .game import Game


@dataclass(frozen=True, slots=True)
class ChosenLevels:
    """The files, by what their bytes say."""

    of_games: dict[str, list[Path]]
    """By the keys of games, in the order of menus: their levels."""
    others: list[Path]
    """Files that are no level of any game, or can't be read."""

    @property
    def games(self) -> list[Game]:
        """The games that there are levels of."""
        return [games.by_key(key) for key in self.of_games]


def look(paths: Iterable[Path]) -> ChosenLevels:
    """Look at files: a dialog asks whenever it is drawn, so what was looked at is known until the file changes."""
    found: dict[str, list[Path]] = {game.key: [] for game in games.GAMES}
    others: list[Path] = []
    for path in paths:
        try:
            about = path.stat()
            key = _key(path, about.st_mtime_ns, about.st_size)
        except (OSError, ValueError):  # ValueError: a name with NUL
            key = ""
        (found[key] if key else others).append(path)
    return ChosenLevels({key: paths for key, paths in found.items() if paths}, others)


@lru_cache(maxsize=256)
def _key(path: Path, _changed: int, size: int) -> str:
    """Return the key of the game whose level a file is, "" for none's. Raises OSError.

    The file is mapped, not read: formats look at its first bytes, and it may be large, and far away.
    """
    if not size or not path.is_file():
        return ""
    with (
        path.open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped,
        memoryview(mapped) as view,
    ):
        try:
            return games.identify(view, path.name).key
        except FormatError:
            return ""


def in_file_browser(context: bpy.types.Context) -> list[Path] | None:
    """Return the files that are selected in the file browser whose sidebar is being drawn; None: it is no such."""
    space = context.space_data
    if not isinstance(space, bpy.types.SpaceFileBrowser) or space.params is None:
        return None
    folder = Path(os.fsdecode(space.params.directory))
    selected = [file.relative_path for file in getattr(context, "selected_files", None) or ()]
    names = selected or [space.params.filename]
    return [folder / name for name in names if name and (folder / name).is_file()]
