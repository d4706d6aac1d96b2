# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be chosen when a level is imported or exported."""

from __future__ import annotations

from dataclasses import dataclass

from ..scene.options import option


@dataclass(frozen=True)
class ImportSettings:
    """The options of an import; they are shown in the file browser and read from the command line."""

    game_directory: str = option(
        "",
        "Game folder",
        "Folder of the game, or of a mod (with the folders materials, models, ...); looked into after "
        "the folders around the level, and before that of the preferences",
        subtype="DIR_PATH",
    )
    split: str = option(
        "none",
        "Geometry",
        "How many objects the faces become; exports are the same",
        {
            "none": ("One object", "All faces in one mesh, as in the editor"),
            "group": ("By group", "One object for the faces of each group"),
            "layer": ("By layers", "One object for the faces that are in the same layers"),
        },
    )
    invisible: str = option(
        "hide",
        "Invisible",
        "Faces in groups that the game doesn't draw (CollisionGeometry, OcclusionGeometry, ...)",
        {
            "hide": ("Hide", "As in the game; the sidebar shows them again"),
            "show": ("Show", "As in the editor"),
        },
    )
    loose_edges: bool = option(False, "Loose edges", "Also show edges that no face has. They are kept either way")
    entities: bool = option(True, "Entities", "Open lights, props, spawns and all else that is placed")
    props: str = option(
        "models",
        "Props",
        "How props are shown",
        {
            "models": ("Models", "By their .model where it is found, otherwise as boxes"),
            "boxes": ("Boxes", "All as boxes: quick"),
        },
    )


@dataclass(frozen=True)
class ExportSettings:
    """The options of an export."""

    save_as_v10: bool = option(
        False,
        "As version 10",
        "Write the format that the editor has written since 2013, instead of the level's own version",
    )
    uneven_uvs: str = option(
        "refuse",
        "Skewed UVs",
        "What becomes of edited faces whose texture coordinates no angle, scale and offset give",
        {
            "refuse": ("Refuse", "Nothing is written, and the faces are selected"),
            "nearest": ("Nearest", "They get the angle, scale and offset that come nearest"),
        },
    )
    build_as_new: bool = option(False, "Build as new", "Take nothing from the imported file, even where it is known")
