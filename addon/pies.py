# SPDX-License-Identifier: GPL-3.0-or-later
"""Pie menus: what is used all the time with a level, and the tools for textures. Their keys are in the preferences."""

from __future__ import annotations

import bpy

from .game_menus import name_of
from .operators import GAME_LEVEL
from .scene.blender_types import Icon
from .scene.interface.menus import textures
from .scene.interface.sidebar import layout_of
from .scene.registering import in_turn
from .shortcuts import LEVELWRIGHT_OT_export_level, game_of_active, is_there, own_operator

LEVEL_PIE = "LEVELWRIGHT_MT_pie"
TEXTURE_PIE = "LEVELWRIGHT_MT_texture_pie"
_DIRECTIONS = (0, 3, 2, 4, 5, 1, 6, 7)
"""Which of the tools for textures lies west, east, south, north, ...: up is up, and right is right."""


class LEVELWRIGHT_MT_pie(bpy.types.Menu):
    """What is used all the time with the active level"""

    bl_label = "Levelwright"

    def draw(self, context: bpy.types.Context) -> None:
        """Draw eight directions: west, east, south, north, north-west, north-east, south-west, south-east."""
        pie, game = layout_of(self).menu_pie(), game_of_active(context)
        pie.operator(GAME_LEVEL, text="Import", icon="IMPORT")
        pie.operator(LEVELWRIGHT_OT_export_level.bl_idname, text="Export", icon="EXPORT")
        pie.operator("levelwright.check_export", icon="CHECKMARK")
        _put(pie, "levelwright.go_to_spawn", "OUTLINER_OB_CAMERA")
        _put(pie, "levelwright.interior_view", "HIDE_OFF")
        _put(pie, own_operator(game, "find_leaks") if game is not None else "", "VIEWZOOM")
        _put(pie, "levelwright.fly_from_spawn", "VIEW_PAN")
        if context.mode == "EDIT_MESH" and game is not None and own_operator(game, "texture_fit"):
            pie.operator("wm.call_menu_pie", text="Textures", icon="TEXTURE").name = TEXTURE_PIE
        elif game is not None:
            pie.menu(name_of(game), icon="COLLAPSEMENU")
        else:
            pie.separator()


def _put(pie: bpy.types.UILayout, name: str, icon: Icon) -> None:
    """Draw an operator; a direction whose operator the game doesn't have stays empty."""
    if name and is_there(name):
        pie.operator(name, icon=icon)
    else:
        pie.separator()


class LEVELWRIGHT_MT_texture_pie(bpy.types.Menu):
    """How textures lie on the selected faces"""

    bl_label = "Textures"

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the tools of the active level's game."""
        pie, game = layout_of(self).menu_pie(), game_of_active(context)
        if game is None or not own_operator(game, "texture_fit"):
            pie.label(text="No level is active whose textures are laid", icon="INFO")
            return
        tools = textures("texture")
        for entry in (tools[place] for place in _DIRECTIONS):
            button = pie.operator(entry.idname(game.key), text=entry.text)
            for name, value in entry.values.items():
                setattr(button, name, value)


CLASSES = (LEVELWRIGHT_MT_pie, LEVELWRIGHT_MT_texture_pie)
register, unregister = in_turn(*CLASSES)
