# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's part for NS2 levels: what concerns the whole level. Layers, groups, ... are panels in it."""

from typing import Any

import bpy

from . import layout
from .faces.operators import SmoothEdges
from .layers import lists


class LEVELWRIGHT_PT_ns2(bpy.types.Panel):
    """The active NS2 level."""

    bl_label = "NS2"
    bl_category = "Levelwright"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a level of the game."""
        return layout.active_level(context) is not None

    def draw(self, context: bpy.types.Context) -> None:
        """Draw what concerns the whole level."""
        level = layout.active_level(context)
        if level is None:
            return
        self.layout.prop(lists.lists_of(level), "hide_undrawn")
        if context.mode == "EDIT_MESH":
            row: Any = self.layout.row(align=True)
            row.operator(SmoothEdges.bl_idname, text="Smooth Edges").smooth = True
            row.operator(SmoothEdges.bl_idname, text="Hard Edges").smooth = False


CLASSES = (LEVELWRIGHT_PT_ns2,)
