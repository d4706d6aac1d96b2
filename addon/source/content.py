# SPDX-License-Identifier: GPL-3.0-or-later
"""Where materials and models are that a map has not itself, and what its entities' keys mean."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ...formats import source
from ...formats.binary import FormatError
from ...formats.reach import AllowedFolders, FolderEntry
from ...formats.source.content import gameinfo, search_path
from ...formats.source.content.search_path import SearchPath, Source
from ..scene.disk import content_folders
from ..scene.disk.content_folders import ContentFolder
from ..scene.names import showable
from ..scene.reports import Report
from .settings import ImportSettings

_LETTERS = 60
"""Of a game's name for itself, which may be any text."""


def _recognise(reach: AllowedFolders, folder: Path) -> str:
    """The game's own name for itself; of a folder without a gameinfo what content it has."""
    title = gameinfo.title(folder, reach)
    if title is not None:
        return f"{showable(title)[:_LETTERS]} ({gameinfo.NAME})"
    archives = any(one.name.lower().endswith(".vpk") for one in reach.entries(folder))
    found = [name for name in sorted(search_path.CONTENT) if reach.folder(folder, name) is not None]
    found += ["archives (.vpk)"] * archives
    return f"{', '.join(found)}, but no {gameinfo.NAME}" if found else ""


def _within(reach: AllowedFolders, program: Path) -> Iterator[Path]:
    """The folders of an installed program that have a gameinfo: an engine has several games."""
    for one in [FolderEntry(program.name, program, True), *reach.entries(program)]:
        if one.is_folder and reach.find(gameinfo.NAME, folders=(one.path,)) is not None:
            yield one.path


GAME = ContentFolder(
    name="source_directory",
    title="Source game folders",
    tooltip="Folder of a Source game with its gameinfo.txt (tf, cstrike, hl2, ...). Looked into after the "
    "files of the map and those of the game that it is in",
    variable="LEVELWRIGHT_SOURCE",
    recognise=_recognise,
    lacks=f"no {gameinfo.NAME}",
    within=_within,
)
DEFINITION = ContentFolder(
    name="source_definition",
    title="Source definition",
    tooltip="The game's .fgd file, which says what keys of entities mean, for imports that name no other",
    is_file=True,
)
_MAPS = "maps"


def content_of(level: source.Level, path: Path, settings: ImportSettings, report: Report) -> SearchPath:
    """Where content is looked for: the map's pak, the option's folder, the game around the map, the preferences'."""
    sources: list[Source] = []
    try:
        sources.append(_PakSource(level.pak))
    except FormatError as error:
        report.warn(f"the map's own files are left out: {error}")
    games = dict.fromkeys([*content_folders.named(settings.game_directory), *_around(path), *GAME.folders()])
    reach = content_folders.reach((gameinfo.root_of(game) for game in games), report)
    for game in games:
        sources.extend(search_path.of_game(game, reach))
    return SearchPath(sources)


def _around(path: Path) -> Iterator[Path]:
    """The game's folder that a map is in: "tf" of "tf/maps/x.bsp"."""
    for folder in path.absolute().parents:
        if folder.name.lower() == _MAPS and folder.parent != folder:
            yield folder.parent
            return


class _PakSource:
    """A map's own files as a source of content."""

    def __init__(self, pak: source.Pak) -> None:
        self._pak = pak

    def read(self, name: str) -> bytes | None:
        return bytes(self._pak.read(name)) if name in self._pak else None
