# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be chosen when a level is imported or exported."""

from __future__ import annotations

from dataclasses import dataclass, field

CLAMP_HINT = "The option Clamp brings them back into their limits"
"""What refusals say that `ExportSettings.clamp` would lift."""


@dataclass(frozen=True)
class ImportSettings:
    """The options of an import; they are shown in the file browser and read from the command line."""

    navigation: bool = field(
        default=True,
        metadata={"title": "Navigation", "tooltip": "Show where creatures can walk: an object a section and layer"},
    )
    things: bool = field(
        default=True,
        metadata={"title": "Things", "tooltip": "Open the .tng of the same name beside the level, where there is one"},
    )
    textures_directory: str = field(
        default="",
        metadata={
            "title": "Textures",
            "tooltip": "Folder with images named like the ground's themes (GROUND_GRASS.png); looked into before that "
            "of the preferences. Themes without an image have a colour",
            "subtype": "DIR_PATH",
        },
    )


@dataclass(frozen=True)
class ExportSettings:
    """The options of an export."""

    ground_navigation: str = field(
        default="keep",
        metadata={
            "title": "Navigation",
            "tooltip": "What becomes of where creatures can walk when the ground was changed",
            "choices": {
                "keep": ("Keep", "As the level has it"),
                "patch": ("Patch", "Follows the cells whose passability or path was changed"),
                "rebuild": ("Rebuild", "The lowest layer is made anew from the ground; outlines of objects get lost"),
            },
        },
    )
    unknown_themes: str = field(
        default="refuse",
        metadata={
            "title": "Unknown themes",
            "tooltip": "What becomes of weight layers that are no theme of the palette",
            "choices": {
                "refuse": ("Refuse", "Nothing is written"),
                "add": ("Add", "The palette gets them as new themes"),
                "ignore": ("Ignore", "They are no themes, and stay in Blender"),
            },
        },
    )
    drop_themes: bool = field(
        default=False,
        metadata={
            "title": "Drop themes",
            "tooltip": "Where more than three themes are painted on a cell, leave out the weakest instead of refusing",
        },
    )
    clamp: bool = field(
        default=False,
        metadata={
            "title": "Clamp",
            "tooltip": "Bring heights outside 0 to 2048, and strengths that don't add up to 255, back into their "
            "limits instead of refusing",
        },
    )
    snap: bool = field(
        default=False,
        metadata={
            "title": "Snap",
            "tooltip": "Put vertices that were moved sideways back over their cells, instead of refusing them",
        },
    )
    build_as_new: bool = field(
        default=False,
        metadata={"title": "Build as new", "tooltip": "Take nothing from the imported file, even where it is known"},
    )


@dataclass(frozen=True)
class WorldSettings:
    """What can be chosen when a world is opened."""

    maps: str = field(
        default="",
        metadata={
            "title": "Only",
            "tooltip": "Names of maps or of regions, separated by commas: only these are opened. Empty for all of them",
        },
    )
    levels_directory: str = field(
        default="",
        metadata={
            "title": "Levels",
            "tooltip": "Folder with the level files, where they aren't beside the .wld as it says",
            "subtype": "DIR_PATH",
        },
    )
