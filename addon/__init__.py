# SPDX-License-Identifier: GPL-3.0-or-later
"""The Blender side of Levelwright: typed records to scenes and back. It never parses bytes."""

from types import ModuleType

from . import (
    asset_operators,
    checking,
    commands,
    documentation,
    file_handlers,
    game_menus,
    games,
    issues,
    keymaps,
    menus,
    new_levels,
    operators,
    panels,
    pies,
    preferences,
    remembered,
    report_operators,
    saving,
    shortcuts,
    viewing,
)
from .scene.interface import stoppable, texture_lock
from .scene.kept import undone
from .scene.registering import in_turn
from .scene.work import once

_PARTS: tuple[ModuleType, ...] = (
    remembered,  # the preferences are made of it
    preferences,
    undone,
    once,
    stoppable,
    operators,
    new_levels,
    menus,
    file_handlers,
    checking,
    issues,
    report_operators,
    panels,
    viewing,
    commands,
    asset_operators,
    texture_lock,
    games,
    saving,
    documentation,
    shortcuts,
    game_menus,
    pies,
    keymaps,
)
register, unregister = in_turn(*_PARTS)
"""Tell Blender about the extension's classes, menus and commands."""
