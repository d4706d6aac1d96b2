# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be chosen when a level is imported or exported."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path

from ..scene.fields.options import option
from . import layout

_MORE = "More"
"""Panel of the import's options that few need."""


@dataclass(frozen=True)
class ImportSettings:
    """The options of an import; they are shown in the file browser and read from the command line."""

    scale: float = option(
        layout.SCALE,
        "Scale",
        "Metres a unit; 0.0254, an inch, is the size that the game means",
        minimum=1e-6,
        maximum=1e6,
        precision=4,
        unit="LENGTH",
    )
    texture_library: str = option(
        "",
        "Textures",
        "Texture library (.txl), or a folder to look for the level's own in, before the level's folder",
        subtype="FILE_PATH",
        common="content",
    )
    headers_directory: str = option(
        "",
        "Headers",
        "Folder with the game's C headers, or with folders of them, which say what the keys of entities "
        "and the contents of brushes mean. Without it, the folders that a .3dt names (HeadersDir) are looked for "
        "beside the level",
        subtype="DIR_PATH",
        panel=_MORE,
    )
    lighting: str = option(
        "lights",
        "Lighting",
        "How surfaces are shown",
        {
            "lights": ("Lights", "By the level's lights; of a .bsp, by its lightmaps, as the game draws it"),
            "full_bright": ("Full bright", "All as bright as its texture, whatever lights there are"),
        },
    )
    preview_cuts: str = option(
        "none",
        "Preview cuts",
        "Show what cut and hollow brushes of a .3dt leave",
        {
            "none": ("No", "Cut and hollow brushes are wire"),
            "csg": ("As compiled", "What the compiler will get, as it is when the preview is made"),
            "boolean": ("Live", "By Boolean modifiers: the hole follows the cut that is moved"),
        },
        panel=_MORE,
    )
    compiled: str = option(
        "surfaces",
        "Compiled levels",
        "What a .bsp becomes",
        {
            "surfaces": ("Surfaces", "What the game draws, with its light: what can be edited goes back into the .bsp"),
            "brushes": ("Brushes", "Decompiled: a level for the editor and the compiler, in which all can be edited"),
        },
    )
    many_brushes: int = option(
        layout.MANY_BRUSHES,
        "Many brushes",
        "A level with more brushes than this has several of them in one object",
        minimum=0,
        maximum=2**31 - 1,
        panel=_MORE,
    )


@dataclass(frozen=True)
class ExportSettings:
    """The options of an export."""

    container: str = option(
        "as_imported",
        "Write",
        "Which kind of file the level becomes; a file's ending says so, too, and wins",
        {
            "as_imported": ("As imported", "The kind of file that the level was imported from"),
            "map": (".map", "What the compiler reads; of a .3dt, cuts and hollows are carved as the editor does"),
            "3dt": (".3dt", "What the editor opens; of a .map, what was carved stays carved"),
            "bsp": (".bsp", "What the game loads: only a .bsp can be written again, with what was edited in place"),
        },
    )
    texture_lock: bool = option(
        True,
        "Texture lock",
        "Textures stay on what is moved, turned or reshaped, as Blender shows it; otherwise they stay "
        "where they are in the level, as in the editors",
    )
    split_concave: bool = option(
        False,
        "Split concave",
        "Cut meshes that are concave, or have bent faces, into convex brushes, instead of refusing them",
    )
    new_textures: str = option(
        "axes",
        "New brushes",
        "How textures lie on meshes that were made in Blender",
        {
            "axes": ("Along the axes", "As the editor lays them on, a texel a unit"),
            "uv": ("As their UVs", "As their UV map says, where it can be said"),
        },
    )
    headers_directory: str = option(
        "",
        "Headers",
        "Folder with the game's C headers, or with folders of them: classes of entities that a .map "
        "doesn't define yet are defined from them",
        subtype="DIR_PATH",
    )
    build_as_new: bool = option(
        False, "Build as new", "Take nothing from the imported file, even where it is known", is_remembered=False
    )


@dataclass(frozen=True)
class FileExport(ExportSettings):
    """The options of an export into a file."""

    file: Path | None = None


def for_file(settings: ExportSettings, path: Path) -> ExportSettings:
    """The settings for a file of this name: its ending says what kind of file it is."""
    kind = path.suffix.lower().removeprefix(".")
    chosen = replace(settings, container=kind) if kind in ("map", "3dt", "bsp") else settings
    return FileExport(**{each.name: getattr(chosen, each.name) for each in fields(ExportSettings)}, file=path)
