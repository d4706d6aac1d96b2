# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be chosen when a map is imported."""

from __future__ import annotations

from dataclasses import dataclass, field

from . import layout


@dataclass(frozen=True)
class ImportSettings:
    """The options of an import; they are shown in the file browser and read from the command line."""

    physics: bool = field(
        default=False,
        metadata={"title": "Show physics", "tooltip": "Show the game, front, tele, speedup, switch and tune layers"},
    )
    game_view: bool = field(
        default=False,
        metadata={"title": "View as the game", "tooltip": "Put a camera over the first spawn, and draw as the game"},
    )
    mapres_directory: str = field(
        default="",
        metadata={
            "title": "Mapres",
            "tooltip": "Folder with the external images, looked into before those of the preferences",
            "subtype": "DIR_PATH",
        },
    )
    large_layer: int = field(
        default=layout.LARGE_LAYER,
        metadata={
            "title": "Large layer",
            "tooltip": "Tile layers with more tiles than this become a plane with an image of the tiles",
            "min": 0,
            "max": 2**31 - 1,
        },
    )


@dataclass(frozen=True)
class ExportSettings:
    """The options of an export."""

    profile: str = field(
        default="preserve",
        metadata={
            "title": "For",
            "tooltip": "Which game the map is for",
            "choices": {
                "preserve": ("As imported", "Keep the forms that the map has"),
                "ddnet": ("DDNet", "As DDNet's editor saves maps"),
                "vanilla07": ("Teeworlds 0.7", "As the editor of Teeworlds 0.7 saves maps"),
            },
        },
    )
    drop: bool = field(
        default=False,
        metadata={"title": "Leave out", "tooltip": "Leave out what the chosen game can't hold, instead of refusing"},
    )
    build_as_new: bool = field(
        default=False,
        metadata={"title": "Build as new", "tooltip": "Take nothing from the imported file, even where it is known"},
    )
