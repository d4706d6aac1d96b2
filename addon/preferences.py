# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension's preferences: where each game's content is."""

from __future__ import annotations

from typing import Literal

import bpy

from .. import __package__ as base_package
from . import games, remembered
from .scene import declared
from .scene.content_folders import ContentFolder

FOLDERS: tuple[ContentFolder, ...] = tuple(folder for game in games.GAMES for folder in game.folders)


def _property(folder: ContentFolder) -> str:
    """Return the deferred Blender property of a folder or file."""
    subtype: Literal["FILE_PATH", "DIR_PATH"] = "FILE_PATH" if folder.is_file else "DIR_PATH"
    return declared.string(name=folder.title, description=folder.tooltip, subtype=subtype)


class LevelwrightPreferences(bpy.types.AddonPreferences):
    """Levelwright's preferences; the key is the extension's root package."""

    bl_idname = base_package
    __annotations__ = {folder.name: _property(folder) for folder in FOLDERS} | remembered.PREFERENCES

    def draw(self, context: bpy.types.Context) -> None:
        """Show the folders, each with the usual places that are used besides it."""
        column = self.layout.column()
        for folder in FOLDERS:
            column.prop(self, folder.name)
            if folder.programs:
                program = folder.program(context)
                column.label(text=str(program or "not found"), icon="ERROR" if program is None else "CHECKMARK")
            elif folder.usual is not None:
                for found in folder.folders(context):
                    column.label(text=str(found), icon="CHECKMARK")
        remembered.draw(self.layout, self)


def register() -> None:
    """Register the preferences."""
    bpy.utils.register_class(LevelwrightPreferences)


def unregister() -> None:
    """Undo `register`."""
    bpy.utils.unregister_class(LevelwrightPreferences)
