# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be chosen when a level is imported or exported."""

from __future__ import annotations

from dataclasses import dataclass

from ..scene.fields.options import option

CLAMP_HINT = "The option Clamp brings them back into their limits"
"""What refusals say that `ExportSettings.clamp` would lift."""


@dataclass(frozen=True)
class ImportSettings:
    """The options of an import; they are shown in the file browser and read from the command line."""

    navigation: bool = option(True, "Navigation", "Show where creatures can walk: an object a section and layer")
    things: bool = option(
        True, "Things", "Open the .tng of the same name beside the level, where there is one", common="placed"
    )
    textures_directory: str = option(
        "",
        "Textures",
        "Folder with images named like the ground's themes (GROUND_GRASS.png); looked into before that of "
        "the preferences. Themes without an image have a colour",
        subtype="DIR_PATH",
    )
    game_directory: str = option(
        "",
        "Game",
        "Folder of the installed game: themes without an image in a folder of yours get the picture that the game has "
        "for them; looked into before that of the preferences",
        subtype="DIR_PATH",
        common="content",
    )


@dataclass(frozen=True)
class ExportSettings:
    """The options of an export."""

    ground_navigation: str = option(
        "keep",
        "Navigation",
        "What happens to where creatures can walk when the ground was changed",
        {
            "keep": ("Keep", "As the level has it"),
            "patch": ("Patch", "Follows the cells whose passability or path was changed"),
            "rebuild": ("Rebuild", "The lowest layer is made anew from the ground; outlines of objects are lost"),
        },
    )
    unknown_themes: str = option(
        "refuse",
        "Unknown themes",
        "What happens to weight layers that aren't themes of the palette",
        {
            "refuse": ("Refuse", "Nothing is written"),
            "add": ("Add", "The palette gets them as new themes"),
            "ignore": ("Ignore", "They aren't written, and stay in Blender"),
        },
        is_remembered=False,
    )
    drop_themes: bool = option(
        False,
        "Drop themes",
        "Where more than three themes are painted on a cell, leave out the weakest instead of refusing",
        is_remembered=False,
    )
    clamp: bool = option(
        False,
        "Clamp",
        "Bring heights outside 0 to 2048, and strengths that don't add up to 255, back into their limits "
        "instead of refusing",
        is_remembered=False,
    )
    snap: bool = option(
        False,
        "Snap",
        "Put vertices that were moved sideways back over their cells, instead of refusing them",
        is_remembered=False,
    )
    build_as_new: bool = option(
        False, "Build as new", "Take nothing from the imported file, even where it is known", is_remembered=False
    )


@dataclass(frozen=True)
class WorldSettings:
    """What can be chosen when a world is opened."""

    maps: str = option(
        "",
        "Only",
        "Names of maps or of regions, separated by commas: only these are opened. Empty for all of them",
        is_remembered=False,
    )
    levels_directory: str = option(
        "",
        "Levels",
        "Folder with the level files, where they aren't beside the .wld as it says",
        subtype="DIR_PATH",
        is_remembered=False,
    )
