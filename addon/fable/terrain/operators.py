# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that change what the terrain shows: the overlay over its themes, and their colours."""

import bpy

from ...scene import declared
from ...scene.reports import SceneError
from ...scene.sidebar import LevelOperator
from .. import layout
from . import materials, overlays


class LEVELWRIGHT_OT_fable_overlay(LevelOperator):
    """Draw where creatures may walk, what sounds where, ... over the ground; again, it follows what was edited since"""

    format_key = layout.FORMAT
    bl_idname = "levelwright.fable_overlay"
    bl_label = "Show"
    bl_options = {"REGISTER", "UNDO"}

    kind: str = declared.menu(
        name="Show", items=[(kind, title, tooltip) for kind, (title, tooltip) in overlays.KINDS.items()]
    )

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Switch the terrain's material."""
        if not overlays.show(level, self.kind):
            raise SceneError("The level's terrain is gone, or is being edited, or has another material")


class LEVELWRIGHT_OT_fable_refresh(LevelOperator):
    """Colour the ground by its themes as they are painted now"""

    format_key = layout.FORMAT
    bl_idname = "levelwright.fable_refresh"
    bl_label = "Refresh Ground"
    bl_options = {"REGISTER", "UNDO"}

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Read the weight layers, and colour the terrain."""
        if not materials.refresh(context, level):
            raise SceneError("The level's terrain is gone, or is being edited, or has shape keys")


CLASSES = (LEVELWRIGHT_OT_fable_overlay, LEVELWRIGHT_OT_fable_refresh)
