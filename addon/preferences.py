# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension's preferences: where each game's content is, shortcuts, and whether all is set up."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Literal

import bpy

from .. import __package__ as base_package
from . import games, keymaps, remembered, setup_operators
from .scene import declared
from .scene.blender_types import Value
from .scene.content_folders import ContentFolder, Seen
from .scene.names import showable
from .scene.sidebar import ItemList, register_classes, unregister_classes
from .setup_operators import (
    FOLDERS,
    LEVELWRIGHT_OT_add_folder,
    LEVELWRIGHT_OT_check_setup,
    LEVELWRIGHT_OT_find_games,
    LEVELWRIGHT_OT_move_folder,
    LEVELWRIGHT_OT_remove_folder,
)

SECONDS = 2.0
"""For how long what a folder is isn't asked anew: the window is drawn at each move of the mouse."""
_seen: dict[tuple[str, str], tuple[float, Seen]] = {}
"""By preference and path: when it was looked at, and what it was."""


class ContentPath(declared.Declared, bpy.types.PropertyGroup):
    """A folder in one of the lists."""

    path: str = declared.string(
        name="Folder",
        description="Folder with the game's content: the first that has a file gives it",
        subtype="DIR_PATH",
    )


def _properties(folder: ContentFolder) -> dict[str, Value]:
    """Return the deferred Blender properties of a file, or of folders: a list, and the one that 0.3.0 had."""
    subtype: Literal["FILE_PATH", "DIR_PATH"] = "FILE_PATH" if folder.is_file else "DIR_PATH"
    made: dict[str, Value] = {
        folder.name: declared.string(name=folder.title, description=folder.tooltip, subtype=subtype)
    }
    if not folder.is_file:
        made[folder.paths] = declared.collection(ContentPath)
        made[folder.index] = declared.integer(name=folder.title, description=folder.tooltip, min=0)
    return made


class LevelwrightPreferences(bpy.types.AddonPreferences):
    """Levelwright's preferences; the key is the extension's root package."""

    bl_idname = base_package
    __annotations__ = (
        {name: value for folder in FOLDERS for name, value in _properties(folder).items()}
        | remembered.PREFERENCES
        | {
            "tab": declared.menu(
                name="Show",
                items=[
                    ("FOLDERS", "Game Folders", "Where the games' own files are"),
                    ("OPTIONS", "Options", "What dialogs begin with"),
                    ("KEYS", "Shortcuts", "Keys, which are off until you switch them on"),
                    ("CHECK", "Set-up", "Whether all that Levelwright needs is there"),
                ],
            )
        }
    )

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the part that is chosen."""
        column = self.layout.column()
        row = column.row()
        row.prop(self, "tab", expand=True)
        tab = str(getattr(self, "tab"))  # noqa: B009 - the checkers don't see it
        if tab == "FOLDERS":
            column.operator(LEVELWRIGHT_OT_find_games.bl_idname, icon="VIEWZOOM")
            for game in games.GAMES:
                _draw_folders(column, self, game.folders, context)
        elif tab == "OPTIONS":
            remembered.draw(self.layout, self)
        elif tab == "KEYS":
            keymaps.draw(column, context)
        else:
            column.operator(LEVELWRIGHT_OT_check_setup.bl_idname, icon="CHECKMARK")
            _draw_lines(column)


def _draw_folders(
    column: bpy.types.UILayout, owner: Value, folders: tuple[ContentFolder, ...], context: bpy.types.Context
) -> None:
    """Draw a game's lists of folders, and its files."""
    for folder in folders:
        box = column.box()
        if folder.is_file:
            row = box.split(factor=0.6)
            row.prop(owner, folder.name)
            _label(row, _file_seen(folder, context))
            continue
        row = box.split(factor=0.6)
        row.label(text=folder.title, icon="FILE_FOLDER")
        if not folder.folders(context):
            row.label(text="no folder yet: placeholders are shown", icon="INFO")
        row = box.row()
        count = len(getattr(owner, folder.paths))
        row.template_list(
            LEVELWRIGHT_UL_folders.__name__,
            folder.name,
            owner,
            folder.paths,
            owner,
            folder.index,
            rows=4 if count > 1 else 2,
        )
        _draw_buttons(row.column(align=True), folder, count)
        _draw_others(box, folder, context)


def _file_seen(folder: ContentFolder, context: bpy.types.Context) -> Seen | None:
    """What a file of the user's is, or the program that is found without one; None where nothing has to be there."""
    found = folder.program(context) if folder.programs else None
    if found is not None:
        return Seen(True, str(found))
    if chosen := folder.chosen(context):
        return _look(folder, Path(chosen))
    return Seen(False, "not found") if folder.programs else None


def _label(row: bpy.types.UILayout, seen: Seen | None) -> None:
    """Draw what a folder or a file is."""
    if seen is not None:
        row.label(text=showable(seen.text), icon="CHECKMARK" if seen.is_right else "ERROR")


def _draw_buttons(column: bpy.types.UILayout, folder: ContentFolder, count: int) -> None:
    column.operator(LEVELWRIGHT_OT_add_folder.bl_idname, text="", icon="ADD").folder = folder.name
    if count:
        column.operator(LEVELWRIGHT_OT_remove_folder.bl_idname, text="", icon="REMOVE").folder = folder.name
    for up, icon in ((True, "TRIA_UP"), (False, "TRIA_DOWN")) if count > 1 else ():
        shown: Value = icon
        button = column.operator(LEVELWRIGHT_OT_move_folder.bl_idname, text="", icon=shown)
        button.folder, button.up = folder.name, up


def _draw_others(box: bpy.types.UILayout, folder: ContentFolder, context: bpy.types.Context) -> None:
    """Say which folders are looked into besides those of the list, and why."""
    listed = [folder.inside(path) for path in folder.listed(context)]
    variable = [folder.inside(path) for path in folder.from_variable()]
    if chosen := folder.chosen(context):
        box.label(text=showable(f"{chosen}: set by a script, comes first"), icon="SCRIPT")
    for path in folder.from_variable():
        seen = _look(folder, path)
        text = f"{path}: {seen.text} ({folder.variable})"
        box.label(text=showable(text), icon="CHECKMARK" if seen.is_right else "ERROR")
    for path in folder.folders(context):
        if path not in listed and path not in variable:
            box.label(text=showable(f"{path}: where the game is usually installed"), icon="CHECKMARK")


def _look(folder: ContentFolder, path: Path) -> Seen:
    """What a folder is, as it was a moment ago."""
    key, now = (folder.name, str(path)), time.monotonic()
    if key not in _seen or now - _seen[key][0] > SECONDS:
        _seen[key] = (now, folder.look(path))
    return _seen[key][1]


class LEVELWRIGHT_UL_folders(ItemList, bpy.types.UIList):
    """A list of folders, each with what it turned out to be."""

    def draw_line(self, row: bpy.types.UILayout, item: Value, active_property: str) -> None:
        """Draw a folder."""
        split = row.split(factor=0.55)
        split.prop(item, "path", text="", emboss=False)
        folder = next(folder for folder in FOLDERS if folder.index == active_property)
        if item.path:
            _label(split, _look(folder, Path(bpy.path.abspath(item.path))))


def _draw_lines(column: bpy.types.UILayout) -> None:
    """Draw what the last check, or the last search, said."""
    for line in setup_operators.lines:
        box = column.box().column(align=True)
        row = box.split(factor=0.22)
        row.label(text=line.title, icon="CHECKMARK" if line.is_right else "INFO" if line.is_optional else "ERROR")
        row.label(text=showable(line.text))
        if line.advice:
            row = box.split(factor=0.22)
            row.label(text="")
            row.label(text=line.advice, icon="FORWARD")


CLASSES = (ContentPath, LEVELWRIGHT_UL_folders, *setup_operators.CLASSES, LevelwrightPreferences)


def register() -> None:
    """Register the preferences, and take over the folders that 0.3.0 had one of."""
    register_classes(CLASSES)
    setup_operators.take_over()


def unregister() -> None:
    """Undo `register`."""
    unregister_classes(CLASSES)
