# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be chosen when a map is imported or exported."""

from __future__ import annotations

from dataclasses import dataclass

from ..scene.fields.options import option

REFUSE, VISUAL, REBUILD = "refuse", "visual", "rebuild"
"""What `ExportSettings.geometry` may be."""
EDIT = "edit"
"""What `ExportSettings.world` may be besides `REFUSE`."""
SAME = "same"
"""What `PatchSettings.revision` is by default."""
IGNORE = "ignore"
"""So are models and the world kept as they are, for exports that aren't made of them."""
_WORLD, _LIGHT, _PLACED = "World", "Baked light", "Entities and props"
"""Panels of the import's options."""


@dataclass(frozen=True)
class ImportSettings:
    """The options of an import; they are shown in the file browser and read from the command line."""

    game_directory: str = option(
        "",
        "Game folder",
        "Folder of the game with its gameinfo.txt (tf, cstrike, hl2, ...), for materials and models "
        "that the map does not hold; looked into before that of the preferences",
        subtype="DIR_PATH",
        common="content",
    )
    scale: str = option(
        "0.01905",
        "Scale",
        "Metres a unit. Only the level's root has it: meshes hold the map's own numbers",
        {
            "0.01905": ("0.01905: architecture", "A unit is a sixteenth of a foot: rooms have their size"),
            "0.0254": ("0.0254: models", "A unit is an inch: figures have their size"),
            "0.01": ("0.01: centimetres", "A unit is a centimetre"),
            "1": ("1: units", "A unit is a metre"),
        },
    )
    split: str = option(
        "none",
        "Faces",
        "How many objects the world's faces become",
        {
            "none": ("One object", "All faces in one mesh, but for tool textures, sky and water"),
            "material": ("By material", "One object for each material"),
            "cluster": ("By cluster", "One object for each cluster of visibility: for very big maps"),
        },
        panel=_WORLD,
    )
    displacements: str = option(
        "each",
        "Displacements",
        "How many objects the displacements become",
        {
            "each": ("One object each", "They can be chosen, hidden and sculpted one by one"),
            "joined": ("One object", "All in one mesh, to sculpt across borders"),
        },
        panel=_WORLD,
    )
    brushes: bool = option(False, "Brushes", "The solids that collide, in a collection that is hidden", panel=_WORLD)
    leafs: bool = option(
        False,
        "Clusters",
        "The clusters of visibility, into which the compiler cut the map, as boxes in a collection that is hidden",
        panel=_WORLD,
    )
    lightmaps: str = option(
        "hdr",
        "Lightmaps",
        "Which of the map's lightmaps are shown; where it has no such ones, the others are",
        {
            "hdr": ("HDR", "Those of a full compile with both"),
            "ldr": ("LDR", "Those for old graphics cards"),
            "none": ("None", "No lightmaps: Blender's lights alone"),
        },
        panel=_LIGHT,
    )
    bump_lightmaps: bool = option(
        False,
        "Bump samples",
        "Also the three lightmaps for the directions of the bump basis, as images that nothing uses",
        panel=_LIGHT,
    )
    prop_light: bool = option(
        True,
        "Light of props",
        "Static props with light that the compiler baked into them show that, each by a mesh of its own; otherwise "
        "Blender's lights light them, and all of one model share a mesh",
        panel=_LIGHT,
    )
    entities: bool = option(
        True,
        "Entities",
        "Lights, spawns, sounds and all else that is placed, as objects",
        panel=_PLACED,
        common="placed",
    )
    fgd: str = option(
        "",
        "Game definition",
        "The game's .fgd file, which says what keys of entities mean: they become numbers, menus and "
        "colours with tooltips. Without one, that of the preferences counts, or they are text",
        subtype="FILE_PATH",
        panel=_PLACED,
    )
    static_props: str = option(
        "models",
        "Static props",
        "How models that are part of the world are shown",
        {
            "models": ("Models", "By their .mdl where it is found, otherwise as boxes"),
            "boxes": ("Boxes", "All as boxes: quick"),
            "none": ("None", "They stay in the original only"),
        },
        panel=_PLACED,
        common="models",
    )
    level_of_detail: int = option(
        0,
        "Level of detail",
        "How coarse models are: 0 as from near, 1 and up as the game shows them from farther and farther away. Models "
        "that have fewer levels show their last",
        minimum=0,
        maximum=7,
        panel=_PLACED,
    )
    fade: bool = option(
        False,
        "Fade with distance",
        "Props fade where the game fades them, as seen from the camera or the viewport; slower to draw",
        panel=_PLACED,
    )
    detail_props: bool = option(
        False, "Detail props", "Grass and the like, which the compiler scattered", panel=_PLACED
    )
    worldlights: bool = option(
        False,
        "Compiled lights",
        "The lights as the compiler left them, those of bright textures too; hidden",
        panel=_PLACED,
    )


@dataclass(frozen=True)
class PatchSettings:
    """The options of opening a patch file with its map."""

    revision: str = option(
        SAME,
        "Map Revision",
        "What becomes of a patch file that says that it was made for another revision of the map",
        {
            SAME: ("Has to be the map's", "Nothing is opened"),
            "any": ("Any", "It is opened, as the game does: brush models may be those of other entities"),
        },
        is_remembered=False,
    )


@dataclass(frozen=True)
class ExportSettings:
    """The options of an export."""

    geometry: str = option(
        "refuse",
        "Moved geometry",
        "What becomes of vertices that were moved, and of faces that were added or deleted",
        {
            "refuse": ("Refuse", "Nothing is written, and the faces are selected"),
            "visual": ("Visual only", "What is seen moves, what collides stays where it was"),
            "rebuild": (
                "Rebuild",
                "Models of brush entities are built anew from convex meshes, and copies get their own",
            ),
        },
        is_remembered=False,
    )
    world: str = option(
        REFUSE,
        "World",
        "What becomes of brushes of the world that were edited, in the collection Brushes or by their faces",
        {
            REFUSE: ("Refuse", "Nothing is written, and the brushes are selected"),
            EDIT: ("Edit", "They are put into the compiled map: what is drawn, what collides, and light"),
        },
    )
    backup: bool = option(False, "Keep a .bak", "The file that is replaced stays beside the new one, as .bak")


@dataclass(frozen=True)
class VmfSettings:
    """The options of an export as VMF."""

    faces: str = option(
        "refuse",
        "Moved faces",
        "What becomes of vertices of the world and of brush entities that were moved: a VMF is made of "
        "brushes, which an import with the option Brushes shows",
        {
            "refuse": ("Refuse", "Nothing is written, and the faces are selected"),
            "ignore": ("Ignore", "They are left out, with all else that was done to their models"),
        },
        is_remembered=False,
    )
    backup: bool = option(False, "Keep a .bak", "The file that is replaced stays beside the new one, as .bak")


@dataclass(frozen=True)
class LmpSettings:
    """The options of an export as patch file."""

    others: str = option(
        REFUSE,
        "Other edits",
        "What becomes of edits of anything but entities, which a patch file can't hold",
        {
            REFUSE: ("Refuse", "Nothing is written, and the report names the lumps"),
            IGNORE: ("Leave out", "The entities are written, and the report names the lumps that aren't"),
        },
        is_remembered=False,
    )
    backup: bool = option(False, "Keep a .bak", "The file that is replaced stays beside the new one, as .bak")
