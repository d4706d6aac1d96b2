# SPDX-License-Identifier: GPL-3.0-or-later
"""The Blender side of Levelwright: typed records to scenes and back. It never parses bytes."""

from types import ModuleType

from . import commands, file_handlers, games, operators, panels, preferences, saving
from .scene import texture_lock

_PARTS: tuple[ModuleType, ...] = (preferences, operators, file_handlers, panels, commands, texture_lock, games, saving)


def register() -> None:
    """Tell Blender about the extension's classes, menus and commands."""
    for part in _PARTS:
        part.register()


def unregister() -> None:
    """Undo `register`, in the opposite order."""
    for part in reversed(_PARTS):
        part.unregister()
