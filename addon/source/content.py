# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the materials and models of the Source games are, and what their entities' keys mean."""

from ..scene.content_folders import ContentFolder

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
