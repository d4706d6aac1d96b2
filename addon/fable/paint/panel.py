# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's part for painting on Fable levels."""

from __future__ import annotations

import bpy

from ...scene.fields import declared
from ...scene.interface import tools
from ...scene.interface.sidebar import LevelPanel
from ...scene.registering import added_property, in_turn
from . import operators, tool
from .brush import KEY, FableBrush, brush_of, chosen, draw
from .operators import LEVELWRIGHT_OT_fable_paint_selected
from .tool import LEVELWRIGHT_OT_fable_brush


class LEVELWRIGHT_PT_fable_paint(LevelPanel, bpy.types.Panel):
    """The brush, and the same for what is selected."""

    bl_label = "Paint"
    anchor = "what-can-be-edited"
    bl_parent_id = "LEVELWRIGHT_PT_fable"
    bl_order = 1

    def draw_level(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Draw the settings and the buttons."""
        brush = brush_of(context)
        column = self.layout.column()
        column.use_property_split = True
        column.use_property_decorate = False
        able = draw(column, brush, level)
        name = chosen(level, brush.target)
        buttons = column.column(align=True)
        buttons.enabled = able
        buttons.operator(LEVELWRIGHT_OT_fable_brush.bl_idname, icon="BRUSH_DATA")
        row = buttons.row(align=True)
        adding = row.operator(LEVELWRIGHT_OT_fable_paint_selected.bl_idname, icon="ADD")
        taking = row.operator(LEVELWRIGHT_OT_fable_paint_selected.bl_idname, text="Clear Selected", icon="REMOVE")
        taking.erase = True
        for button in (adding, taking):
            button.target, button.name, button.strength = brush.target, name, brush.strength


CLASSES = (FableBrush, *operators.CLASSES, *tool.OPERATORS, LEVELWRIGHT_PT_fable_paint)
register, unregister = in_turn(
    *CLASSES,
    added_property(bpy.types.WindowManager, KEY, declared.pointer(FableBrush)),
    tools.Toolbar(tool.TOOLS),
)
