"""What can be chosen when a level is imported or exported."""

from __future__ import annotations

from dataclasses import dataclass, field

from . import layout


@dataclass(frozen=True)
class ImportSettings:
    """The options of an import; they are shown in the file browser and read from the command line."""

    scale: float = field(
        default=layout.SCALE,
        metadata={"title": "Scale", "tooltip": "Metres a unit; 0.0254, an inch, is the size that the game means",
                  "min": 1e-6, "max": 1e6},
    )  # fmt: skip
    texture_library: str = field(
        default="",
        metadata={
            "title": "Textures",
            "tooltip": "Texture library (.txl), or a folder to look for the level's own in, before the level's folder",
            "subtype": "FILE_PATH",
        },
    )
    headers_directory: str = field(
        default="",
        metadata={
            "title": "Headers",
            "tooltip": "Folder with the game's C headers, which say what the keys of entities mean; a .3dt has no "
            "definitions of its own",
            "subtype": "DIR_PATH",
        },
    )
    lighting: str = field(
        default="lights",
        metadata={
            "title": "Lighting",
            "tooltip": "How surfaces are shown",
            "choices": {
                "lights": ("Lights", "By the level's lights"),
                "full_bright": ("Full bright", "All as bright as its texture, whatever lights there are"),
            },
        },
    )
    preview_cuts: bool = field(
        default=False,
        metadata={
            "title": "Preview cuts",
            "tooltip": "Show what cut and hollow brushes of a .3dt leave, by Boolean modifiers",
        },
    )
    many_brushes: int = field(
        default=layout.MANY_BRUSHES,
        metadata={
            "title": "Many brushes",
            "tooltip": "A level with more brushes than this has several of them in one object",
            "min": 0,
            "max": 2**31 - 1,
        },
    )
