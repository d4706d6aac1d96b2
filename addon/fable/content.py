# SPDX-License-Identifier: GPL-3.0-or-later
"""Where images of the ground's themes are: in folders of the user's, and in the installed game."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ...formats.counting import number_of
from ...formats.reach import AllowedFolders
from ..scene.disk.content_folders import ContentFolder

ENDINGS = (".png", ".tga", ".dds", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".webp")
"""How the names of images of themes end."""
ARCHIVE = "graphics/pc/textures.big"
"""The archive with the game's textures, below its folder or the `data` in it."""
DEFINITIONS, NAMES = "CompiledDefs/game.bin", "CompiledDefs/names.bin"
"""What says which of these each theme has."""
WITHIN = ("data/", "")


def _recognise_themes(reach: AllowedFolders, folder: Path) -> str:
    """How many images there are: themes have any name, so which of them are the ground's only a level says."""
    count = sum(not one.is_folder and one.name.lower().endswith(ENDINGS) for one in reach.entries(folder))
    return number_of(count, "images") if count else ""


def find(reach: AllowedFolders, name: str) -> Path | None:
    """Return a file of the game's, by its name below `data`, in the first folder that has it."""
    return next((found for start in WITHIN if (found := reach.find(start + name)) is not None), None)


def _recognise_game(reach: AllowedFolders, _folder: Path) -> str:
    found = [name.rpartition("/")[2] for name in (ARCHIVE, DEFINITIONS, NAMES) if find(reach, name) is not None]
    return f"Fable: The Lost Chapters ({', '.join(found)})" if found else ""


def _within(reach: AllowedFolders, program: Path) -> Iterator[Path]:
    """The game's own folder."""
    if _recognise_game(reach, program):
        yield program


THEMES = ContentFolder(
    name="theme_directory",
    title="Fable themes",
    tooltip="Folder with images named like the themes of Fable's ground (GROUND_GRASS.png)",
    variable="LEVELWRIGHT_THEMES",
    recognise=_recognise_themes,
    lacks="no images (GROUND_GRASS.png, ...) in it",
)
GAME = ContentFolder(
    name="fable_directory",
    title="Fable: The Lost Chapters",
    tooltip="Folder of the installed game, with data/graphics/pc/textures.big: pictures of the ground, where the "
    "folders of themes have none",
    variable="LEVELWRIGHT_FABLE",
    recognise=_recognise_game,
    lacks="neither data/graphics/pc/textures.big nor data/CompiledDefs/game.bin in it",
    within=_within,
)
