# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the games' own files are: the images that maps name without holding them (`data/mapres` of Teeworlds or DDNet),
and the rules of automappers.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import bpy

from ...formats.counting import number_of
from ...formats.reach import AllowedFolders
from ..scene.disk.content_folders import ContentFolder


def _data_directories() -> list[Path]:
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


def _recognise(reach: AllowedFolders, folder: Path) -> str:
    """How many images there are: they have any name."""
    count = sum(not one.is_folder and one.name.lower().endswith(".png") for one in reach.entries(folder))
    return number_of(count, "images") if count else ""


def _within(reach: AllowedFolders, program: Path) -> Iterator[Path]:
    """The folder of images of an installed game: in its data, which Steam's versions have further down."""
    for name in ("mapres", "data/mapres", "ddnet/data/mapres", "tw/data/mapres"):
        folder = reach.folder(program, name)
        if folder is not None and _recognise(reach, folder):
            yield folder


MAPRES = ContentFolder(
    name="mapres_directory",
    title="Teeworlds mapres",
    tooltip="Folder with the images that maps name without holding them (data/mapres of Teeworlds or DDNet). "
    "Looked into before the usual install places",
    variable="LEVELWRIGHT_MAPRES",
    holds="mapres",
    usual=_data_directories,
    recognise=_recognise,
    lacks="no images (.png), and no folder mapres",
    within=_within,
)


def rule_folders(context: bpy.types.Context | None = None) -> list[Path]:
    """Where the rules of automappers may be, a file an image: beside the folders of images, and where the games keep
    their data. DDNet has them in `editor/automap`, Debian's in `editor`.
    """
    data = dict.fromkeys([*(folder.parent for folder in MAPRES.folders(context)), *_data_directories()])
    return [one / "editor" / inner for one in data for inner in ("automap", "")]


def mapres_folders(seven: bool, context: bpy.types.Context | None = None) -> list[Path]:
    """Where the images are that maps name: in the folders that the user chose, then in those of installed games.

    seven: for a map of 0.7. Of the installed games the map's own comes first: both have pictures of the same names.
    """
    own, folders = MAPRES.own(context), MAPRES.folders(context)
    other = "ddnet" if seven else "teeworlds"
    installed = [folder for folder in folders if folder not in own]
    return [
        *own,
        *sorted(installed, key=lambda folder: other in (part.lower().strip(".") for part in folder.parts[-4:])),
    ]


def _program_directories() -> list[Path]:
    """Return the folders where Teeworlds and DDNet are installed, whether they exist or not."""
    home = Path.home()
    if sys.platform == "win32":
        names = ("PROGRAMFILES", "PROGRAMFILES(X86)")
        programs = [Path(os.environ[name]) for name in names if name in os.environ]
        common = [folder / "Steam" / "steamapps" / "common" for folder in programs]
        own = [folder / game for folder in programs for game in ("DDNet", "Teeworlds")]
    elif sys.platform == "darwin":
        common = [home / "Library" / "Application Support" / "Steam" / "steamapps" / "common"]
        names = ("DDNet", "DDNet-Server", "Teeworlds", "Teeworlds Server")
        own = [Path("/Applications") / f"{name}.app" / "Contents" / "MacOS" for name in names]
    else:
        common = [home / ".steam" / "steam" / "steamapps" / "common"]
        own = [Path("/usr/games"), Path("/usr/local/games"), Path("/usr/local/bin")]
    steam = [folder / game for folder in common for game in ("DDraceNetwork/ddnet", "Teeworlds", "Teeworlds/tw")]
    return [*own, *steam]


_PLAYED = "Play in the sidebar starts it. Empty: an installed one is looked for"
CLIENT = ContentFolder(
    name="teeworlds_client",
    title="Teeworlds client",
    tooltip=f"Program of DDNet's or Teeworlds' client. {_PLAYED}",
    is_file=True,
    programs=("DDNet", "ddnet", "teeworlds"),
    usual=_program_directories,
)
SERVER = ContentFolder(
    name="teeworlds_server",
    title="Teeworlds server",
    tooltip=f"Program of the server that goes with the client. {_PLAYED}",
    is_file=True,
    programs=("DDNet-Server", "ddnet-server", "teeworlds_srv", "teeworlds-server"),
    usual=_program_directories,
)
