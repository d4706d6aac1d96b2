# SPDX-License-Identifier: GPL-3.0-or-later
"""The buttons of the preferences: folders added, removed, put in order, installed games found, the set-up checked."""

from __future__ import annotations

from pathlib import Path

import bpy

from .. import __package__ as base_package
from ..formats.counting import number_of
from . import games, installed_games, setup_check
from .scene.blender_types import Value
from .scene.disk import content_folders
from .scene.disk.content_folders import ContentFolder
from .scene.fields import declared
from .scene.fields.declared import Declared
from .scene.interface.sidebar import Result
from .scene.names import showable
from .scene.view import stage
from .setup_check import SetupLine

FOLDERS: tuple[ContentFolder, ...] = tuple(folder for game in games.GAMES for folder in game.folders)
lines: list[SetupLine] = []
"""What the last check, or the last search, said; the preferences show it."""


def add(folder: ContentFolder, path: Path, first: bool = False) -> bool:
    """Put a folder into its list in the preferences, and choose it; False where it is in there already."""
    entry: Value = content_folders.preferences()
    entries = getattr(entry, folder.paths)
    if path in folder.listed():
        return False
    entries.add().path = showable(str(path))
    if first:
        entries.move(len(entries) - 1, 0)
    setattr(entry, folder.index, 0 if first else len(entries) - 1)
    _keep()
    return True


def take_over() -> None:
    """Put the folders that 0.3.0 had, one of a kind, first into the lists."""
    entry: Value = content_folders.preferences()
    for folder in FOLDERS if entry is not None else ():
        if not folder.is_file and (chosen := getattr(entry, folder.name)):
            entry.property_unset(folder.name)
            add(folder, Path(chosen), first=True)


def _keep() -> None:
    """Let Blender save the preferences when it ends, as it does for its own."""
    if bpy.context.preferences is not None:
        bpy.context.preferences.is_dirty = True


class _OnList(Declared, bpy.types.Operator):
    """Base of the operators on a list of folders."""

    bl_options = {"INTERNAL"}

    folder: str = declared.menu(items=[(one.name, one.title, "") for one in FOLDERS], options={"HIDDEN", "SKIP_SAVE"})

    @property
    def kind(self) -> ContentFolder:
        """Of which list it is."""
        return next(one for one in FOLDERS if one.name == self.folder)


class LEVELWRIGHT_OT_add_folder(_OnList):
    """Choose a folder with the game's files, to be looked into after those above it"""

    bl_idname = "levelwright.add_folder"
    bl_label = "Add Folder"

    directory: str = declared.string(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"})
    filter_folder: bool = declared.boolean(default=True, options={"HIDDEN", "SKIP_SAVE"})

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Ask which."""
        stage.window_manager_of(context).fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, _context: bpy.types.Context) -> Result:
        """Add it, and say what it is."""
        path = Path(bpy.path.abspath(self.directory))
        if not self.directory or not add(self.kind, path):
            self.report({"INFO"}, "That folder is in the list already" if self.directory else "No folder was chosen")
            return {"CANCELLED"}
        seen = self.kind.look(path)
        self.report({"INFO"} if seen.is_right else {"WARNING"}, showable(f"{path.name}: {seen.text}"))
        return {"FINISHED"}


class LEVELWRIGHT_OT_remove_folder(_OnList):
    """Take the chosen folder out of the list; the folder itself stays as it is"""

    bl_idname = "levelwright.remove_folder"
    bl_label = "Remove Folder"

    def execute(self, _context: bpy.types.Context) -> Result:
        """Remove it."""
        entry, kind = content_folders.preferences(), self.kind
        entries, chosen = getattr(entry, kind.paths), getattr(entry, kind.index)
        if chosen >= len(entries):
            self.report({"INFO"}, "No folder is chosen in the list")
            return {"CANCELLED"}
        entries.remove(chosen)
        setattr(entry, kind.index, max(0, min(chosen, len(entries) - 1)))
        _keep()
        return {"FINISHED"}


class LEVELWRIGHT_OT_move_folder(_OnList):
    """Move the chosen folder: files are taken from the first folder that has them"""

    bl_idname = "levelwright.move_folder"
    bl_label = "Move Folder"

    up: bool = declared.boolean(options={"HIDDEN", "SKIP_SAVE"})

    def execute(self, _context: bpy.types.Context) -> Result:
        """Move it."""
        entry, kind = content_folders.preferences(), self.kind
        entries, chosen = getattr(entry, kind.paths), getattr(entry, kind.index)
        target = chosen + (-1 if self.up else 1)
        if chosen >= len(entries) or not 0 <= target < len(entries):
            self.report({"INFO"}, "The list has no folder to move there")
            return {"CANCELLED"}
        entries.move(chosen, target)
        setattr(entry, kind.index, target)
        _keep()
        return {"FINISHED"}


class _OnPreferences(bpy.types.Operator):
    """Base of the operators that show what they found in the preferences."""

    def show(self, context: bpy.types.Context, found: list[SetupLine]) -> None:
        """Keep the lines, and show the preferences where they aren't in sight."""
        lines[:] = found
        entry: Value = content_folders.preferences(context)
        if entry is not None:
            entry.tab = "CHECK"
        is_there = context.area is not None and context.area.type == "PREFERENCES"
        if not bpy.app.background and not is_there and entry is not None:
            bpy.ops.preferences.addon_show(module=base_package)


class LEVELWRIGHT_OT_find_games(_OnPreferences):
    """Look for installed games in Steam's libraries and the usual places, and add their folders to the lists"""

    bl_idname = "levelwright.find_games"
    bl_label = "Find Installed Games"

    def execute(self, context: bpy.types.Context) -> Result:
        """Look for them, add what is new, and say what was found and what wasn't."""
        if content_folders.preferences(context) is None:
            self.report({"ERROR"}, "Levelwright's preferences are there only where it is enabled as an extension")
            return {"CANCELLED"}
        search = installed_games.search(games.GAMES)
        for one in search.found:
            add(one.folder, one.path)
        self.show(context, lines_of(search))
        count = len(search.found)
        self.report({"INFO"}, f"{number_of(count, 'folders')} added, {len(search.known)} known already")
        return {"FINISHED"}


_ELSEWHERE = "If one is installed elsewhere, or is a folder that you made, add it under Game Folders"
"""What to do about games that weren't found."""


def lines_of(search: installed_games.Search) -> list[SetupLine]:
    """A search in lines: what was added, what was known, what wasn't found and, once, what to do then, and where was
    looked.
    """
    made = [SetupLine(True, one.folder.title, f"added: {one.what}, {one.path}") for one in search.found]
    made += [SetupLine(True, "Known already", str(path)) for path in search.known]
    missing = [SetupLine(False, "Not found", title, is_optional=True) for title in search.nothing]
    missing += [SetupLine(False, "Left out", text) for text in search.left_out]
    if missing:
        missing[-1] = missing[-1]._replace(advice=_ELSEWHERE)
    return [*made, *missing, *(SetupLine(True, "Looked in", text) for text in search.looked)]


class LEVELWRIGHT_OT_check_setup(_OnPreferences):
    """Look over folders of games, programs, Blender, graphics and disks, and say what to do where one is missing"""

    bl_idname = "levelwright.check_setup"
    bl_label = "Check Set-up"

    def execute(self, context: bpy.types.Context) -> Result:
        """Look it over, and show the lines."""
        found = setup_check.check(context, games.GAMES)
        self.show(context, sorted(found, key=lambda line: (line.is_right, line.is_optional)))
        wrong = sum(not line.is_right and not line.is_optional for line in found)
        self.report(
            {"INFO"},
            f"{number_of(len(found), 'things')} looked at, {wrong} to look into"
            if wrong
            else "All that is needed is there",
        )
        return {"FINISHED"}


CLASSES = (
    LEVELWRIGHT_OT_add_folder,
    LEVELWRIGHT_OT_remove_folder,
    LEVELWRIGHT_OT_move_folder,
    LEVELWRIGHT_OT_find_games,
    LEVELWRIGHT_OT_check_setup,
)
