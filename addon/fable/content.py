# SPDX-License-Identifier: GPL-3.0-or-later
"""Where images of the ground's themes are."""

from ..scene.content_folders import ContentFolder

THEMES = ContentFolder(
    name="theme_directory",
    title="Fable themes",
    tooltip="Folder with images named like the themes of Fable's ground (GROUND_GRASS.png)",
    variable="LEVELWRIGHT_THEMES",
)
