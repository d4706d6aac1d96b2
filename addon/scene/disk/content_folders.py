# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the content of games is on this machine: what the user named, and the usual places of an installed game.

What a level names is looked up there and beside the level, and nowhere else: see `reach`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import bpy

from .... import __package__ as base_package
from ....formats.reach import AllowedFolders
from ..blender_types import Value
from ..reports import Report


class Seen(NamedTuple):
    """What a folder, or a file, of the user's turned out to be."""

    is_right: bool
    text: str
    """What was found there ("Counter-Strike: Source (gameinfo.txt)"), or what is missing."""


@dataclass(frozen=True, slots=True)
class ContentFolder:
    """Folders (or a file) of a game's content that the user can name in the preferences and in the environment."""

    name: str
    """Of the preference, as scripts know it: "mapres_directory". Folders are a list, too: see `paths`."""
    title: str
    tooltip: str
    variable: str = ""
    """Of the environment: folders separated as in PATH; "": none is looked at."""
    holds: str = ""
    """A folder that holds one of this name stands for that one: "mapres"."""
    usual: Callable[[], Iterable[Path]] | None = None
    """Gives the places where the game is usually installed, whether they exist or not."""
    is_file: bool = False
    programs: tuple[str, ...] = ()
    """Names of a program that it is: it is looked for in PATH and in the usual places."""
    recognise: Callable[[AllowedFolders, Path], str] | None = None
    """Says what of the game's is in a folder ("Counter-Strike: Source (gameinfo.txt)"); "" where nothing is."""
    lacks: str = ""
    """What a folder without it hasn't got: "no gameinfo.txt"."""
    within: Callable[[AllowedFolders, Path], Iterable[Path]] | None = None
    """Gives the folders of this kind in that of an installed program; None: no program has any."""

    @property
    def paths(self) -> str:
        """Name of the preference that has the list of folders."""
        return f"{self.name}_list"

    @property
    def index(self) -> str:
        """Name of the preference that says which folder of the list is chosen."""
        return f"{self.name}_index"

    def chosen(self, context: bpy.types.Context | None = None) -> str:
        """What the preference of this name says, as an absolute path; "" where it says nothing."""
        text = getattr(preferences(context), self.name, "")
        return bpy.path.abspath(text) if text else ""

    def listed(self, context: bpy.types.Context | None = None) -> list[Path]:
        """The folders that the preferences name, in their order, whether they are there or not."""
        texts = [self.chosen(context), *(entry.path for entry in getattr(preferences(context), self.paths, ()))]
        return [Path(bpy.path.abspath(text)) for text in texts if text]

    def from_variable(self) -> list[Path]:
        """The folders that the variable of the environment names, whether they are there or not."""
        text = os.environ.get(self.variable, "") if self.variable else ""
        return [Path(name) for name in text.split(os.pathsep) if name]

    def inside(self, folder: Path) -> Path:
        """The folder that one which the user named stands for: see `holds`."""
        return folder / self.holds if self.holds and (folder / self.holds).is_dir() else folder

    def look(self, path: Path) -> Seen:
        """Say what a folder or a file is, which the user named."""
        if self.is_file:
            return Seen(path.is_file(), "found" if path.is_file() else "no such file")
        if not path.is_dir():
            return Seen(False, "a file, not a folder" if path.is_file() else "no such folder")
        folder = self.inside(path)
        reach = AllowedFolders([folder])
        found = self.recognise(reach, folder) if self.recognise is not None else "found"
        if found:
            return Seen(True, found)
        better = [inner.relative_to(folder).as_posix() for inner in self.within(reach, folder)] if self.within else []
        return Seen(False, self.lacks + (f": choose {' or '.join(better[:3])} in it" if better else ""))

    def folders(self, context: bpy.types.Context | None = None) -> list[Path]:
        """Where to look, each folder once: the user's own, then the usual ones; only if there."""
        usual = [folder / self.holds for folder in self.usual()] if self.usual is not None else []
        return list(dict.fromkeys([*self.own(context), *(folder for folder in usual if folder.is_dir())]))

    def own(self, context: bpy.types.Context | None = None) -> list[Path]:
        """The folders that the user chose, each once: those of the preferences, of the variable; only if there."""
        found = map(self.inside, [*self.listed(context), *self.from_variable()])
        return list(dict.fromkeys(folder for folder in found if folder.is_dir()))

    def program(self, context: bpy.types.Context | None = None, names: Iterable[str] = ()) -> Path | None:
        """Where the program is: the one that the preferences name, else an installed one of these names (default: any).

        None where none is there.
        """
        if chosen := self.chosen(context):
            return Path(chosen) if Path(chosen).is_file() else None
        places = [str(folder) for folder in self.usual()] if self.usual is not None else []
        path = os.pathsep.join([os.environ.get("PATH", ""), *places])
        found = (shutil.which(name, path=path) for name in names or self.programs)
        return next((Path(one) for one in found if one is not None), None)


def preferences(context: bpy.types.Context | None = None) -> Value:
    """The extension's preferences; None where it isn't enabled as one (in a process without them)."""
    whole = (context or bpy.context).preferences
    entry: bpy.types.Addon | None = whole.addons.get(base_package) if whole is not None else None
    return entry and entry.preferences


def named(text: str) -> list[Path]:
    """The folder or file that the user named in an option, as an absolute path; none for ""."""
    return [Path(bpy.path.abspath(text)).absolute()] if text else []


def named_file(text: str) -> Path | None:
    """The file that the user named in an option, where it is itself and no link to it; None where none is there."""
    return next((path.resolve() for path in named(text) if path.is_file()), None)


def around(path: Path) -> list[Path]:
    """The folder that a level's file is in; none for a level that isn't in a file."""
    return [path.parent.absolute()] if path.parent.parts else []


def reach(folders: Iterable[Path], report: Report) -> AllowedFolders:
    """What an import or an export may look into; the report says in which of these folders something was looked for.

    folders: those that the user chose, and those that hold the level. Never a path out of a level.
    """
    made = AllowedFolders(folders)
    report.looked_in(made)
    return made
