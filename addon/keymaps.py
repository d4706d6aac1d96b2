# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys for what is used all the time: off until the user switches them on, and changes them, in the preferences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import bpy
import rna_keymap_ui

from . import games
from .pies import LEVEL_PIE, TEXTURE_PIE
from .scene.blender_types import configure
from .scene.names import showable
from .shortcuts import is_there


class Shortcut(NamedTuple):
    """An operator and its key."""

    operator: str
    key: Literal["W", "I", "E", "C", "G", "F", "V", "L"]
    modifiers: tuple[str, ...] = ("ctrl", "alt")
    pie: str = ""
    """Name of the pie menu that it opens."""
    keymap: tuple[str, Literal["EMPTY", "VIEW_3D"]] = ("3D View", "VIEW_3D")
    note: str = ""
    """What its operator's label doesn't say."""


_PIE = "wm.call_menu_pie"
SHORTCUTS = (
    Shortcut(_PIE, "W", pie=LEVEL_PIE, note="Pie menu"),
    Shortcut(_PIE, "W", ("ctrl", "alt"), TEXTURE_PIE, ("Mesh", "EMPTY"), "Edit Mode"),
    Shortcut("import_scene.game_level", "I"),
    Shortcut("levelwright.export_level", "E"),
    Shortcut("levelwright.check_export", "C"),
    Shortcut("levelwright.go_to_spawn", "G"),
    Shortcut("levelwright.fly_from_spawn", "F"),
    Shortcut("levelwright.interior_view", "V"),
)
_made: list[tuple[bpy.types.KeyMap, bpy.types.KeyMapItem, Shortcut]] = []
"""The keymaps, what was put into them, and for what."""


def _all() -> Iterator[Shortcut]:
    """All shortcuts whose operators are there; games that have one of a kind share its key: of one alone it works."""
    yield from (one for one in SHORTCUTS if is_there(one.operator))
    for game in games.GAMES:
        name = f"levelwright.{game.key}_find_leaks"
        if is_there(name):
            yield Shortcut(name, "L", note=game.title)


def draw(column: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Draw the shortcuts as Blender's own preferences do: a mark to switch one on, its key, its operator."""
    manager = context.window_manager
    user = manager.keyconfigs.user if manager is not None else None
    column.label(text="A shortcut is off until the mark beside it switches it on", icon="INFO")
    for keymap, item, one in _made:
        own = user.keymaps.find(keymap.name, space_type=keymap.space_type) if user is not None else None
        shown = _same(own, item)
        if own is not None and shown is not None:
            row = column.split(factor=0.18)
            row.label(text=one.note)
            line = row.column()
            line.context_pointer_set("keymap", own)
            rna_keymap_ui.draw_kmi([], user, own, shown, line, 0)


def _same(keymap: bpy.types.KeyMap | None, item: bpy.types.KeyMapItem) -> bpy.types.KeyMapItem | None:
    """The user's entry for one of ours, whatever key it has there; None where the user removed it."""
    for one in keymap.keymap_items if keymap is not None else ():
        if one.idname == item.idname and getattr(one.properties, "name", "") == getattr(item.properties, "name", ""):
            return one
    return None


def register() -> None:
    """Put the shortcuts into Blender's keymaps, as far as it has some, switched off."""
    manager = bpy.context.window_manager
    config = manager.keyconfigs.addon if manager is not None else None
    if config is None:
        return
    for one in _all():
        keymap = config.keymaps.new(name=one.keymap[0], space_type=one.keymap[1])
        item = keymap.keymap_items.new(
            one.operator,
            one.key,
            "PRESS",
            ctrl="ctrl" in one.modifiers,
            alt="alt" in one.modifiers,
        )
        if one.pie:
            configure(item.properties, name=showable(one.pie))
        item.active = False
        _made.append((keymap, item, one))


def unregister() -> None:
    """Undo `register`."""
    for keymap, item, _ in reversed(_made):
        keymap.keymap_items.remove(item)
    _made.clear()
