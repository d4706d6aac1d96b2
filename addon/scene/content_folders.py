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

import bpy

from ... import __package__ as base_package
from ...formats.reach import AllowedFolders
from .reports import Report


@dataclass(frozen=True, slots=True)
class ContentFolder:
    """A folder (or a file) of a game's content that the user can name in the preferences and in the environment."""

    name: str
    """Of the preference, as scripts know it: "mapres_directory"."""
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

    def chosen(self, context: bpy.types.Context | None = None) -> str:
        """What the preferences name, as an absolute path; "" where they name none."""
        preferences = (context or bpy.context).preferences
        entry: bpy.types.Addon | None = preferences.addons.get(base_package) if preferences is not None else None
        text = getattr(entry and entry.preferences, self.name, "")
        return bpy.path.abspath(text) if text else ""

    def folders(self, context: bpy.types.Context | None = None) -> list[Path]:
        """Where to look, each folder once: the user's own, then the usual ones; only if there."""
        usual = [folder / self.holds for folder in self.usual()] if self.usual is not None else []
        return list(dict.fromkeys([*self.own(context), *(folder for folder in usual if folder.is_dir())]))

    def own(self, context: bpy.types.Context | None = None) -> list[Path]:
        """The folders that the user chose, each once: those of the preferences, of the variable; only if there."""
        variable = os.environ.get(self.variable, "") if self.variable else ""
        named = [Path(name) for name in (self.chosen(context), *variable.split(os.pathsep)) if name]
        found = [folder / self.holds if self.holds and (folder / self.holds).is_dir() else folder for folder in named]
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
