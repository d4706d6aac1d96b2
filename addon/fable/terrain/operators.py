# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that change what the terrain shows: the overlay over its themes, and their colours."""

import bpy

from ...scene import declared
from ...scene.sidebar import OnLevel, Result
from .. import layout
from . import materials, overlays


class LEVELWRIGHT_OT_fable_overlay(OnLevel, bpy.types.Operator):
    """Draw where creatures may walk, what sounds where, ... over the ground; again, it follows what was edited since"""

    format_key = layout.FORMAT
    bl_idname = "levelwright.fable_overlay"
    bl_label = "Show"
    bl_options = {"REGISTER", "UNDO"}

    kind: str = declared.menu(
        name="Show", items=[(kind, title, tooltip) for kind, (title, tooltip) in overlays.KINDS.items()]
    )

    def execute(self, context: bpy.types.Context) -> Result:
        """Switch the terrain's material."""
        level = self.level(context)
        if level is None or not overlays.show(level, self.kind):
            self.report({"ERROR"}, "The level's terrain is gone, or is being edited, or has another material")
            return {"CANCELLED"}
        return {"FINISHED"}


class LEVELWRIGHT_OT_fable_refresh(OnLevel, bpy.types.Operator):
    """Colour the ground by its themes as they are painted now"""

    format_key = layout.FORMAT
    bl_idname = "levelwright.fable_refresh"
    bl_label = "Refresh Ground"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context: bpy.types.Context) -> Result:
        """Read the weight layers, and colour the terrain."""
        level = self.level(context)
        if level is None or not materials.refresh(context, level):
            self.report({"ERROR"}, "The level's terrain is gone, or is being edited, or has shape keys")
            return {"CANCELLED"}
        return {"FINISHED"}


CLASSES = (LEVELWRIGHT_OT_fable_overlay, LEVELWRIGHT_OT_fable_refresh)
