# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension's preferences: where each game's content is, shortcuts, and whether all is set up."""

from __future__ import annotations

import itertools
import time
from pathlib import Path
from typing import Literal

import bpy

from .. import __package__ as base_package
from . import games, keymaps, remembered, setup_operators
from .scene import wording
from .scene.blender_types import Icon, Value
from .scene.disk.content_folders import ContentFolder, Seen
from .scene.fields import declared
from .scene.interface.sidebar import ItemList, draw_text
from .scene.names import showable
from .scene.registering import Both, in_turn
from .setup_check import SetupLine
from .setup_operators import (
    FOLDERS,
    LEVELWRIGHT_OT_add_folder,
    LEVELWRIGHT_OT_check_setup,
    LEVELWRIGHT_OT_find_games,
    LEVELWRIGHT_OT_move_folder,
    LEVELWRIGHT_OT_remove_folder,
)

SEEN = 0.45
"""Part of a list's width for what its folders turned out to be."""
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


def _properties(folder: ContentFolder) -> dict[str, object]:
    """Return the deferred Blender properties of a file, or of folders: a list, and the one that 0.3.0 had."""
    subtype: Literal["FILE_PATH", "DIR_PATH"] = "FILE_PATH" if folder.is_file else "DIR_PATH"
    made: dict[str, object] = {
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
        | {name: value for game in games.GAMES for name, value in game.preferences.items()}
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
            _draw_lines(column, context)


def _draw_folders(
    column: bpy.types.UILayout, owner: object, folders: tuple[ContentFolder, ...], context: bpy.types.Context
) -> None:
    """Draw a game's lists of folders, and its files."""
    for folder in folders:
        box = column.box()
        if folder.is_file:
            box.prop(owner, folder.name)
            seen = _file_seen(folder, context)
            _draw_seen(box, context, seen)
            if seen is None and folder.programs:
                draw_text(box, context, "Not found: only Play needs it", "INFO")
            continue
        box.label(text=folder.title, icon="FILE_FOLDER")
        if not folder.folders(context):
            draw_text(box, context, "No folder yet: placeholders are shown", "INFO")
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
        for entry in getattr(owner, folder.paths)[getattr(owner, folder.index) :][:1]:
            seen = _seen_of(folder, entry)
            _draw_seen(box, context, seen if seen.text != _short(seen.text) else None)
        _draw_others(box, folder, context)


def _file_seen(folder: ContentFolder, context: bpy.types.Context) -> Seen | None:
    """What a file of the user's is, or the program that is found without one; None where there is neither."""
    found = folder.program(context) if folder.programs else None
    if found is not None:
        return Seen(True, str(found))
    if chosen := folder.chosen(context):
        return _look(folder, Path(chosen))
    return None


def _draw_seen(box: bpy.types.UILayout, context: bpy.types.Context, seen: Seen | None, before: str = "") -> None:
    """Draw what a folder or a file is, in lines that fit. before: what is said in front of it."""
    if seen is not None:
        draw_text(box, context, showable(f"{before}{seen.text}"), "CHECKMARK" if seen.is_right else "ERROR")


def _draw_buttons(column: bpy.types.UILayout, folder: ContentFolder, count: int) -> None:
    column.operator(LEVELWRIGHT_OT_add_folder.bl_idname, text="", icon="ADD").folder = folder.name
    if count:
        column.operator(LEVELWRIGHT_OT_remove_folder.bl_idname, text="", icon="REMOVE").folder = folder.name
    ways: tuple[tuple[bool, Icon], ...] = ((True, "TRIA_UP"), (False, "TRIA_DOWN"))
    for up, icon in ways if count > 1 else ():
        button = column.operator(LEVELWRIGHT_OT_move_folder.bl_idname, text="", icon=icon)
        button.folder, button.up = folder.name, up


def _draw_others(box: bpy.types.UILayout, folder: ContentFolder, context: bpy.types.Context) -> None:
    """Say which folders are looked into besides those of the list, and why."""
    listed = [folder.inside(path) for path in folder.listed(context)]
    variable = [folder.inside(path) for path in folder.from_variable()]
    if chosen := folder.chosen(context):
        draw_text(box, context, showable(f"{chosen}: set by a script, comes first"), "SCRIPT")
    for path in folder.from_variable():
        _draw_seen(box, context, _look(folder, path), f"{folder.variable}: {path}: ")
    for path in folder.folders(context):
        if path not in listed and path not in variable:
            draw_text(box, context, showable(f"{path}: where the game is usually installed"), "CHECKMARK")


def _look(folder: ContentFolder, path: Path) -> Seen:
    """What a folder is, as it was a moment ago."""
    key, now = (folder.name, str(path)), time.monotonic()
    if key not in _seen or now - _seen[key][0] > SECONDS:
        _seen[key] = (now, folder.look(path))
    return _seen[key][1]


def _seen_of(folder: ContentFolder, entry: ContentPath) -> Seen:
    """What a folder of a list is."""
    return _look(folder, Path(bpy.path.abspath(entry.path))) if entry.path else Seen(False, "")


def _short(text: str) -> str:
    """What of a text fits the list, beside the folder that it is about: whole words."""
    width = SEEN * wording.room(bpy.context, buttons=3)
    return wording.shortened(text, width, wording.measure(bpy.context))


class LEVELWRIGHT_UL_folders(ItemList, bpy.types.UIList):
    """A list of folders, each with what it turned out to be."""

    def draw_line(self, row: bpy.types.UILayout, item: Value, active_property: str) -> None:
        """Draw a folder."""
        folder = next(folder for folder in FOLDERS if folder.index == active_property)
        seen = _seen_of(folder, item)
        split = row.split(factor=1.0 - SEEN)
        split.prop(item, "path", text="", emboss=False)
        split.label(text=showable(_short(seen.text)), icon="CHECKMARK" if seen.is_right else "ERROR")


def _draw_lines(column: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw what the last check, or the last search, said: the window of the preferences is narrow at first."""
    for (title, icon), lines in itertools.groupby(setup_operators.lines, lambda line: (line.title, _icon(line))):
        box = column.box().column(align=True)
        box.label(text=title, icon=icon)
        for line in lines:
            draw_text(box, context, showable(line.text), "BLANK1")
            if line.advice:
                draw_text(box, context, line.advice, "FORWARD")


def _icon(line: SetupLine) -> Literal["CHECKMARK", "INFO", "ERROR"]:
    return "CHECKMARK" if line.is_right else "INFO" if line.is_optional else "ERROR"


CLASSES = (ContentPath, LEVELWRIGHT_UL_folders, *setup_operators.CLASSES, LevelwrightPreferences)
register, unregister = in_turn(*CLASSES, Both(setup_operators.take_over))
