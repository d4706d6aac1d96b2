# SPDX-License-Identifier: GPL-3.0-or-later
"""Where images of the ground's themes are."""

from pathlib import Path

from ...formats.reach import AllowedFolders
from ..scene.content_folders import ContentFolder

ENDINGS = (".png", ".tga", ".dds", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".webp")
"""How the names of images of themes end."""


def _recognise(reach: AllowedFolders, folder: Path) -> str:
    """How many images there are: themes have any name, so which of them are the ground's only a level says."""
    count = sum(not one.is_folder and one.name.lower().endswith(ENDINGS) for one in reach.entries(folder))
    return f"{count} images" if count else ""


THEMES = ContentFolder(
    name="theme_directory",
    title="Fable themes",
    tooltip="Folder with images named like the themes of Fable's ground (GROUND_GRASS.png)",
    variable="LEVELWRIGHT_THEMES",
    recognise=_recognise,
    lacks="no images (GROUND_GRASS.png, ...) in it",
)
