# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be chosen when a map is imported or exported."""

from __future__ import annotations

from dataclasses import dataclass

from ..scene.fields.options import option
from . import layout


@dataclass(frozen=True)
class ImportSettings:
    """The options of an import; they are shown in the file browser and read from the command line."""

    physics: bool = option(False, "Show physics", "Show the game, front, tele, speedup, switch and tune layers")
    game_view: bool = option(False, "View as the game", "Put a camera over the first spawn, and draw as the game")
    mapres_directory: str = option(
        "",
        "Mapres",
        "Folder with the external images, looked into before those of the preferences",
        subtype="DIR_PATH",
        common="content",
    )
    large_layer: int = option(
        layout.LARGE_LAYER,
        "Large layer",
        "Tile layers with more tiles than this become a plane with an image of the tiles",
        minimum=0,
        maximum=2**31 - 1,
    )


@dataclass(frozen=True)
class ExportSettings:
    """The options of an export."""

    profile: str = option(
        "preserve",
        "For",
        "Which game the map is for",
        {
            "preserve": ("As imported", "Keep the forms that the map has"),
            "ddnet": ("DDNet", "As DDNet's editor saves maps"),
            "vanilla07": ("Teeworlds 0.7", "As the editor of Teeworlds 0.7 saves maps"),
        },
    )
    drop: bool = option(
        False, "Leave out", "Leave out what the chosen game can't hold, instead of refusing", is_remembered=False
    )
    build_as_new: bool = option(
        False, "Build as new", "Take nothing from the imported file, even where it is known", is_remembered=False
    )
