# SPDX-License-Identifier: GPL-3.0-or-later
"""Where texture libraries are that levels name."""

from ..scene.content_folders import ContentFolder

TEXTURES = ContentFolder(
    name="texture_directory",
    title="Genesis3D textures",
    tooltip="Folder with texture libraries (.txl) that levels name. Looked into after the level's own folder",
    variable="LEVELWRIGHT_TEXTURES",
)
