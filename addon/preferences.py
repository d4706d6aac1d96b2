# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the games are: folders that the user names, and the usual places of an installed game."""

import os
import sys
from pathlib import Path

import bpy

from .. import __package__ as base_package

MAPRES_VARIABLE, TEXTURES_VARIABLE = "LEVELWRIGHT_MAPRES", "LEVELWRIGHT_TEXTURES"
THEMES_VARIABLE = "LEVELWRIGHT_THEMES"
NS2_VARIABLE = "LEVELWRIGHT_NS2"
SOURCE_VARIABLE = "LEVELWRIGHT_SOURCE"


def _usual_data_directories() -> list[Path]:
    """Return the folders where Teeworlds and DDNet keep their data, the user's own first, whether they exist or not."""
    home = Path.home()
    if sys.platform == "win32":
        roaming = Path(os.environ.get("APPDATA", home / "AppData" / "Roaming"))
        programs = Path(os.environ.get("PROGRAMFILES(X86)", "C:/Program Files (x86)"))
        users = [roaming / "DDNet", roaming / "Teeworlds"]
        steam = programs / "Steam"
        system: list[Path] = []
    elif sys.platform == "darwin":
        support = home / "Library" / "Application Support"
        users = [support / "DDNet", support / "Teeworlds"]
        steam = support / "Steam"
        system = [
            Path("/Applications/DDNet.app/Contents/Resources/data"),
            Path("/Applications/Teeworlds.app/Contents/Resources/data"),
        ]
    else:
        share = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
        users = [share / "ddnet", home / ".ddnet", share / "teeworlds", home / ".teeworlds"]
        steam = home / ".steam" / "steam"
        roots = [Path("/usr/share"), Path("/usr/local/share"), Path("/usr/share/games")]
        system = [root / game / "data" for root in roots for game in ("ddnet", "teeworlds")]
    common = steam / "steamapps" / "common"
    return [*users, common / "DDraceNetwork" / "ddnet" / "data", common / "Teeworlds" / "data", *system]


def mapres_directories(context: bpy.types.Context | None = None) -> list[Path]:
    """Return the folders to look for a map's external images in, those the user named first; only ones that exist.

    They come from the preferences, the variable LEVELWRIGHT_MAPRES (folders separated as in PATH), and the places where
    Teeworlds and DDNet are usually installed. A folder that holds a `mapres` folder stands for that one.
    """
    entry = (context or bpy.context).preferences.addons.get(base_package)
    chosen = getattr(entry and entry.preferences, "mapres_directory", "")
    named = [bpy.path.abspath(chosen), *os.environ.get(MAPRES_VARIABLE, "").split(os.pathsep)]
    folders = [Path(name) for name in named if name] + _usual_data_directories()
    resolved = [folder / "mapres" if (folder / "mapres").is_dir() else folder for folder in folders]
    users = len(folders) - len(_usual_data_directories())
    return list(
        dict.fromkeys(
            folder
            for number, folder in enumerate(resolved)
            if folder.is_dir() and (number < users or folder.name == "mapres")
        )
    )


def texture_directories(context: bpy.types.Context | None = None) -> list[Path]:
    """Return the folders to look for the texture libraries of Genesis3D levels in, which the user named, if they exist.

    They come from the preferences and from the variable LEVELWRIGHT_TEXTURES (folders separated as in PATH).
    """
    return _named(context, "texture_directory", TEXTURES_VARIABLE)


def theme_directories(context: bpy.types.Context | None = None) -> list[Path]:
    """Return the folders to look for images of Fable's ground themes in, which the user named, if they exist.

    They come from the preferences and from the variable LEVELWRIGHT_THEMES (folders separated as in PATH).
    """
    return _named(context, "theme_directory", THEMES_VARIABLE)


def ns2_directories(context: bpy.types.Context | None = None) -> list[Path]:
    """Return the folders to look for the content of NS2 (materials, models, textures) in, which the user named.

    They come from the preferences and from the variable LEVELWRIGHT_NS2 (folders separated as in PATH).
    """
    return _named(context, "ns2_directory", NS2_VARIABLE)


def source_directories(context: bpy.types.Context | None = None) -> list[Path]:
    """Return the folders of Source games (with gameinfo.txt) to look for materials and models in, which the user named.

    They come from the preferences and from the variable LEVELWRIGHT_SOURCE (folders separated as in PATH).
    """
    return _named(context, "source_directory", SOURCE_VARIABLE)


def source_definition(context: bpy.types.Context | None = None) -> str:
    """Return the path of the game definition (.fgd) for Source maps that the user named; "" without one."""
    entry = (context or bpy.context).preferences.addons.get(base_package)
    return getattr(entry and entry.preferences, "source_definition", "")


def _named(context: bpy.types.Context | None, preference: str, variable: str) -> list[Path]:
    """Return the folders that a preference and a variable name, if they exist."""
    entry = (context or bpy.context).preferences.addons.get(base_package)
    chosen = getattr(entry and entry.preferences, preference, "")
    named = [bpy.path.abspath(chosen), *os.environ.get(variable, "").split(os.pathsep)]
    return list(dict.fromkeys(folder for name in named if name and (folder := Path(name)).is_dir()))


class LevelwrightPreferences(bpy.types.AddonPreferences):
    """Levelwright's preferences; the key is the extension's root package."""

    bl_idname = base_package

    mapres_directory: bpy.props.StringProperty(
        name="Teeworlds mapres",
        description="Folder with the images that maps name without holding them (data/mapres of Teeworlds or DDNet). "
        "Looked into before the usual install places",
        subtype="DIR_PATH",
    )
    texture_directory: bpy.props.StringProperty(
        name="Genesis3D textures",
        description="Folder with texture libraries (.txl) that levels name. Looked into after the level's own folder",
        subtype="DIR_PATH",
    )
    theme_directory: bpy.props.StringProperty(
        name="Fable themes",
        description="Folder with images named like the themes of Fable's ground (GROUND_GRASS.png)",
        subtype="DIR_PATH",
    )

    ns2_directory: bpy.props.StringProperty(
        name="NS2 game folder",
        description="Folder of Natural Selection 2, or of a mod, with materials, models, ... Looked into after the "
        "folders around the level",
        subtype="DIR_PATH",
    )
    source_directory: bpy.props.StringProperty(
        name="Source game folder",
        description="Folder of a Source game with its gameinfo.txt (tf, cstrike, hl2, ...). Looked into after the "
        "files of the map and those of the game that it is in",
        subtype="DIR_PATH",
    )
    source_definition: bpy.props.StringProperty(
        name="Source definition",
        description="The game's .fgd file, which says what keys of entities mean, for imports that name no other",
        subtype="FILE_PATH",
    )

    def draw(self, context: bpy.types.Context) -> None:
        """Show the folder and what is used besides it."""
        column = self.layout.column()
        column.prop(self, "mapres_directory")
        for folder in mapres_directories(context):
            column.label(text=str(folder), icon="CHECKMARK")
        column.prop(self, "texture_directory")
        column.prop(self, "theme_directory")
        column.prop(self, "ns2_directory")
        column.prop(self, "source_directory")
        column.prop(self, "source_definition")


def register() -> None:
    """Register the preferences."""
    bpy.utils.register_class(LevelwrightPreferences)


def unregister() -> None:
    """Undo `register`."""
    bpy.utils.unregister_class(LevelwrightPreferences)
