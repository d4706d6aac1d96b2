# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be chosen when a level is imported or exported."""

from __future__ import annotations

from dataclasses import dataclass

from ..scene.fields.options import option

_GEOMETRY = "Faces and layers"
"""Panel of the import's options."""


@dataclass(frozen=True)
class ImportSettings:
    """The options of an import; they are shown in the file browser and read from the command line."""

    game_directory: str = option(
        "",
        "Game folder",
        "Folder of the game, or of a mod (with the folders materials, models, ...); looked into after "
        "the folders around the level, and before that of the preferences",
        subtype="DIR_PATH",
        common="content",
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
        panel=_GEOMETRY,
    )
    invisible: str = option(
        "hide",
        "Invisible",
        "Faces in groups that the game doesn't draw (CollisionGeometry, OcclusionGeometry, ...)",
        {
            "hide": ("Hide", "As in the game; the sidebar shows them again"),
            "show": ("Show", "As in the editor"),
        },
        panel=_GEOMETRY,
    )
    loose_edges: bool = option(
        False, "Loose edges", "Also show edges that no face has. They are kept either way", panel=_GEOMETRY
    )
    layers: str = option(
        "file",
        "Layers",
        "What is in layers and groups that are switched off; the level's own switches stay as they are",
        {
            "file": ("As in the file", "Hidden, as in the editor"),
            "all": ("Show all", "Shown; Show All Layers in the sidebar says so"),
        },
        panel=_GEOMETRY,
    )
    entities: bool = option(True, "Entities", "Open lights, props, spawns and all else that is placed", common="placed")
    props: str = option(
        "models",
        "Props",
        "How props are shown",
        {
            "models": ("Models", "By their .model where it is found, otherwise as boxes"),
            "boxes": ("Boxes", "All as boxes: quick"),
        },
        common="models",
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
        is_remembered=False,
    )
    new_textures: str = option(
        "world",
        "New faces",
        "How textures lie on faces that were made in Blender, and that no texture tool has laid",
        {
            "world": ("World", "As the editor lays new ones: along the world's axes, 1,024 pixels in 128 inches"),
            "uv": ("As their UVs", "As their UV map says, where it can be said"),
        },
    )
    texture_lock: bool = option(
        True,
        "Texture lock",
        "Textures stay on what is moved, as Blender shows it; otherwise they stay where they are in the level",
    )
    build_as_new: bool = option(
        False,
        "Build as new",
        "Take nothing from the imported file, even where it is known, but how textures lie, and the faces that "
        "Blender can't show",
        is_remembered=False,
    )
