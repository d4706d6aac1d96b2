# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the game's materials, models and textures are looked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ...formats.reach import AllowedFolders, is_own_folder
from ..scene.disk import content_folders
from ..scene.disk.content_folders import ContentFolder
from ..scene.reports import Report

CONTENT = ("materials", "models")
"""Folders by which a folder is known as one with the game's content, or with that of a mod."""
GAMES = ("ns2", "core")
"""Folders of the game's directory that have content."""


def _recognise(reach: AllowedFolders, folder: Path) -> str:
    """Whether it is the game's own folder, or one with content."""
    games = [name for name in GAMES if _has_content(reach, reach.folder(folder, name))]
    if games:
        return f"Natural Selection 2 ({', '.join(games)})"
    return "content of the game or a mod (materials, models)" if _has_content(reach, folder) else ""


def _has_content(reach: AllowedFolders, folder: Path | None) -> bool:
    return folder is not None and any(reach.folder(folder, name) is not None for name in CONTENT)


def _within(reach: AllowedFolders, program: Path) -> Iterator[Path]:
    """The game's own folder: others have materials and models, too."""
    if reach.folder(program, GAMES[0]) is not None and _recognise(reach, program):
        yield program


NS2 = ContentFolder(
    name="ns2_directory",
    title="NS2 game folders",
    tooltip="Folder of Natural Selection 2, or of a mod, with materials, models, ... Looked into after the "
    "folders around the level",
    variable="LEVELWRIGHT_NS2",
    recognise=_recognise,
    lacks="neither ns2 or core nor materials or models in it",
    within=_within,
)
ENDINGS = (".material", ".dds", ".model", ".xml")
"""How the names of the files end that are read, wherever a level says that they are."""
ABOVE = 4
"""How many folders above the level's may be the game's."""


def content_of(path: Path, chosen: str, report: Report) -> AllowedFolders:
    """Where content is looked for: around a file, in the folder that was chosen, in those of the preferences."""
    folders = [*_around(path), *content_folders.named(chosen), *NS2.folders()]
    return content_folders.reach((part for folder in folders for part in _with_games(folder)), report)


def _around(path: Path) -> Iterator[Path]:
    """The folders above a level that have content in them: a level lies in the maps of its game or mod."""
    for folder in list(path.parents)[:ABOVE]:
        if any(is_own_folder(folder / name) for name in CONTENT):
            yield folder


def _with_games(folder: Path) -> Iterator[Path]:
    """A folder, and those in it that have content when it is the game's own."""
    yield folder
    for name in GAMES:
        if is_own_folder(folder / name):
            yield folder / name
