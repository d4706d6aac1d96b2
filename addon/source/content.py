# SPDX-License-Identifier: GPL-3.0-or-later
"""Where materials and models are that a map has not itself, and what its entities' keys mean."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ...formats import source
from ...formats.binary import FormatError
from ...formats.source.content import gameinfo, search_path
from ...formats.source.content.search_path import SearchPath, Source
from ..scene import content_folders
from ..scene.content_folders import ContentFolder
from ..scene.reports import Report
from .settings import ImportSettings

GAME = ContentFolder(
    name="source_directory",
    title="Source game folder",
    tooltip="Folder of a Source game with its gameinfo.txt (tf, cstrike, hl2, ...). Looked into after the "
    "files of the map and those of the game that it is in",
    variable="LEVELWRIGHT_SOURCE",
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
