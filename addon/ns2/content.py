# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the game's materials, models and textures are."""

from ..scene.content_folders import ContentFolder

NS2 = ContentFolder(
    name="ns2_directory",
    title="NS2 game folder",
    tooltip="Folder of Natural Selection 2, or of a mod, with materials, models, ... Looked into after the "
    "folders around the level",
    variable="LEVELWRIGHT_NS2",
)
