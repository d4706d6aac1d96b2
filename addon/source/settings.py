# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be chosen when a map is imported or exported."""

from __future__ import annotations

from dataclasses import dataclass, field

REFUSE, VISUAL, REBUILD = "refuse", "visual", "rebuild"
"""What `ExportSettings.geometry` may be."""
IGNORE = "ignore"
"""So are the models kept as they are, for exports that aren't made of faces."""
_WORLD, _LIGHT, _PLACED = "World", "Baked light", "Entities and props"
"""Panels of the import's options."""


@dataclass(frozen=True)
class ImportSettings:
    """The options of an import; they are shown in the file browser and read from the command line."""

    game_directory: str = field(
        default="",
        metadata={
            "title": "Game folder",
            "tooltip": "Folder of the game with its gameinfo.txt (tf, cstrike, hl2, ...), for materials and models "
            "that the map does not hold; looked into before that of the preferences",
            "subtype": "DIR_PATH",
        },
    )
    scale: str = field(
        default="0.01905",
        metadata={
            "title": "Scale",
            "tooltip": "Metres a unit. Only the level's root has it: meshes hold the map's own numbers",
            "choices": {
                "0.01905": ("0.01905: architecture", "A unit is a sixteenth of a foot: rooms have their size"),
                "0.0254": ("0.0254: models", "A unit is an inch: figures have their size"),
                "0.01": ("0.01: centimetres", "A unit is a centimetre"),
                "1": ("1: units", "A unit is a metre"),
            },
        },
    )
    split: str = field(
        default="none",
        metadata={
            "panel": _WORLD,
            "title": "Faces",
            "tooltip": "How many objects the world's faces become",
            "choices": {
                "none": ("One object", "All faces in one mesh, but for tool textures, sky and water"),
                "material": ("By material", "One object for each material"),
                "cluster": ("By cluster", "One object for each cluster of visibility: for very big maps"),
            },
        },
    )
    displacements: str = field(
        default="each",
        metadata={
            "panel": _WORLD,
            "title": "Displacements",
            "tooltip": "How many objects the displacements become",
            "choices": {
                "each": ("One object each", "They can be chosen, hidden and sculpted one by one"),
                "joined": ("One object", "All in one mesh, to sculpt across borders"),
            },
        },
    )
    brushes: bool = field(
        default=False,
        metadata={
            "panel": _WORLD,
            "title": "Brushes",
            "tooltip": "The solids that collide, in a collection that is hidden",
        },
    )
    leafs: bool = field(
        default=False,
        metadata={
            "panel": _WORLD,
            "title": "Clusters",
            "tooltip": "The clusters of visibility, into which the compiler cut the map, as boxes in a collection that "
            "is hidden",
        },
    )
    lightmaps: str = field(
        default="hdr",
        metadata={
            "panel": _LIGHT,
            "title": "Lightmaps",
            "tooltip": "Which of the map's lightmaps are shown; where it has no such ones, the others are",
            "choices": {
                "hdr": ("HDR", "Those of a full compile with both"),
                "ldr": ("LDR", "Those for old graphics cards"),
                "none": ("None", "No lightmaps: Blender's lights alone"),
            },
        },
    )
    bump_lightmaps: bool = field(
        default=False,
        metadata={
            "panel": _LIGHT,
            "title": "Bump samples",
            "tooltip": "Also the three lightmaps for the directions of the bump basis, as images that nothing uses",
        },
    )
    entities: bool = field(
        default=True,
        metadata={
            "panel": _PLACED,
            "title": "Entities",
            "tooltip": "Lights, spawns, sounds and all else that is placed, as objects",
        },
    )
    fgd: str = field(
        default="",
        metadata={
            "panel": _PLACED,
            "title": "Game definition",
            "tooltip": "The game's .fgd file, which says what keys of entities mean: they become numbers, menus and "
            "colours with tooltips. Without one, that of the preferences counts, or they are text",
            "subtype": "FILE_PATH",
        },
    )
    static_props: str = field(
        default="models",
        metadata={
            "panel": _PLACED,
            "title": "Static props",
            "tooltip": "How models that are part of the world are shown",
            "choices": {
                "models": ("Models", "By their .mdl where it is found, otherwise as boxes"),
                "boxes": ("Boxes", "All as boxes: quick"),
                "none": ("None", "They stay in the original only"),
            },
        },
    )
    detail_props: bool = field(
        default=False,
        metadata={
            "panel": _PLACED,
            "title": "Detail props",
            "tooltip": "Grass and the like, which the compiler scattered",
        },
    )
    worldlights: bool = field(
        default=False,
        metadata={
            "panel": _PLACED,
            "title": "Compiled lights",
            "tooltip": "The lights as the compiler left them, those of bright textures too; hidden",
        },
    )


@dataclass(frozen=True)
class ExportSettings:
    """The options of an export."""

    geometry: str = field(
        default="refuse",
        metadata={
            "title": "Moved geometry",
            "tooltip": "What becomes of vertices that were moved, and of faces that were added or deleted",
            "choices": {
                "refuse": ("Refuse", "Nothing is written, and the faces are selected"),
                "visual": ("Visual only", "What is seen moves, what collides stays where it was"),
                "rebuild": ("Rebuild", "Models of brush entities are built anew from convex meshes, with collision"),
            },
        },
    )
    backup: bool = field(
        default=False,
        metadata={"title": "Keep a .bak", "tooltip": "The file that is replaced stays beside the new one, as .bak"},
    )


@dataclass(frozen=True)
class VmfSettings:
    """The options of an export as VMF."""

    faces: str = field(
        default="refuse",
        metadata={
            "title": "Moved faces",
            "tooltip": "What becomes of vertices of the world and of brush entities that were moved: a VMF is made of "
            "brushes, which an import with the option Brushes shows",
            "choices": {
                "refuse": ("Refuse", "Nothing is written, and the faces are selected"),
                "ignore": (
                    "Ignore",
                    "They are left out, with all else that was done to their models",
                ),
            },
        },
    )
    backup: bool = field(
        default=False,
        metadata={"title": "Keep a .bak", "tooltip": "The file that is replaced stays beside the new one, as .bak"},
    )
