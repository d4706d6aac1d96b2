# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be chosen when a level is imported or exported."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class ImportSettings:
    """The options of an import; they are shown in the file browser and read from the command line."""

    game_directory: str = field(
        default="",
        metadata={
            "title": "Game folder",
            "tooltip": "Folder of the game, or of a mod (with the folders materials, models, ...); looked into after "
            "the folders around the level, and before that of the preferences",
            "subtype": "DIR_PATH",
        },
    )
    split: str = field(
        default="none",
        metadata={
            "title": "Geometry",
            "tooltip": "How many objects the faces become; exports are the same",
            "choices": {
                "none": ("One object", "All faces in one mesh, as in the editor"),
                "group": ("By group", "One object for the faces of each group"),
                "layer": ("By layers", "One object for the faces that are in the same layers"),
            },
        },
    )
    invisible: str = field(
        default="hide",
        metadata={
            "title": "Invisible",
            "tooltip": "Faces in groups that the game doesn't draw (CollisionGeometry, OcclusionGeometry, ...)",
            "choices": {
                "hide": ("Hide", "As in the game; the sidebar shows them again"),
                "show": ("Show", "As in the editor"),
            },
        },
    )
    loose_edges: bool = field(
        default=False,
        metadata={"title": "Loose edges", "tooltip": "Also show edges that no face has. They are kept either way"},
    )
    entities: bool = field(
        default=True,
        metadata={"title": "Entities", "tooltip": "Open lights, props, spawns and all else that is placed"},
    )
    props: str = field(
        default="models",
        metadata={
            "title": "Props",
            "tooltip": "How props are shown",
            "choices": {
                "models": ("Models", "By their .model where it is found, otherwise as boxes"),
                "boxes": ("Boxes", "All as boxes: quick"),
            },
        },
    )


@dataclass(frozen=True)
class ExportSettings:
    """The options of an export."""

    save_as_v10: bool = field(
        default=False,
        metadata={
            "title": "As version 10",
            "tooltip": "Write the format that the editor has written since 2013, instead of the level's own version",
        },
    )
    uneven_uvs: str = field(
        default="refuse",
        metadata={
            "title": "Skewed UVs",
            "tooltip": "What becomes of edited faces whose texture coordinates no angle, scale and offset give",
            "choices": {
                "refuse": ("Refuse", "Nothing is written, and the faces are selected"),
                "nearest": ("Nearest", "They get the angle, scale and offset that come nearest"),
            },
        },
    )
    build_as_new: bool = field(
        default=False,
        metadata={"title": "Build as new", "tooltip": "Take nothing from the imported file, even where it is known"},
    )
