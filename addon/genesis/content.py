# SPDX-License-Identifier: GPL-3.0-or-later
"""Where texture libraries are that levels name."""

from collections.abc import Iterator
from pathlib import Path

from ...formats.reach import AllowedFolders
from ..scene.disk.content_folders import ContentFolder

_ENDING = ".txl"
_LEVELS = ("", "levels", "level")
"""Folders of a game, or of its editor, that have libraries."""


def _libraries(reach: AllowedFolders, folder: Path) -> list[str]:
    return [one.name for one in reach.entries(folder) if not one.is_folder and one.name.lower().endswith(_ENDING)]


def _recognise(reach: AllowedFolders, folder: Path) -> str:
    """Which libraries there are."""
    found = _libraries(reach, folder)
    more = f" and {len(found) - 2} more" if len(found) > 2 else ""
    return ", ".join(found[:2]) + more


def _within(reach: AllowedFolders, program: Path) -> Iterator[Path]:
    """The folders of a program that have libraries."""
    for name in _LEVELS:
        folder = reach.folder(program, name) if name else program
        if folder is not None and _libraries(reach, folder):
            yield folder


TEXTURES = ContentFolder(
    name="texture_directory",
    title="Genesis3D textures",
    tooltip="Folder with texture libraries (.txl) that levels name. Looked into after the level's own folder",
    variable="LEVELWRIGHT_TEXTURES",
    recognise=_recognise,
    lacks="no texture library (.txl) in it",
    within=_within,
)
