# SPDX-License-Identifier: GPL-3.0-or-later
"""The Blender side of Levelwright: typed records to scenes and back. It never parses bytes."""

from types import ModuleType

from . import (
    checking,
    commands,
    file_handlers,
    games,
    issues,
    operators,
    panels,
    preferences,
    report_operators,
    saving,
)

_PARTS: tuple[ModuleType, ...] = (
    *(preferences, operators, file_handlers),
    *(checking, issues, report_operators, panels),
    *(commands, games, saving),
)


def register() -> None:
    """Tell Blender about the extension's classes, menus and commands."""
    for part in _PARTS:
        part.register()


def unregister() -> None:
    """Undo `register`, in the opposite order."""
    for part in reversed(_PARTS):
        part.unregister()
