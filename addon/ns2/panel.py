# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's part for NS2 levels: what concerns the whole level. Layers, groups, ... are panels in it."""

import bpy

from ..scene.interface.sidebar import LevelPanel
from .faces.operators import LEVELWRIGHT_OT_ns2_bridges, LEVELWRIGHT_OT_ns2_smooth_edges
from .layers import lists
from .operators import LEVELWRIGHT_OT_ns2_copy, LEVELWRIGHT_OT_ns2_paste
from .selecting import LEVELWRIGHT_OT_ns2_select_like
from .view import (
    LEVELWRIGHT_OT_ns2_commander_view,
    LEVELWRIGHT_OT_ns2_grid,
    LEVELWRIGHT_OT_ns2_minimap,
    LEVELWRIGHT_OT_ns2_snap_grid,
)


class LEVELWRIGHT_PT_ns2(LevelPanel, bpy.types.Panel):
    """The active NS2 level."""

    bl_label = "NS2"

    def draw_level(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Draw what concerns the whole level."""
        held = lists.lists_of(level)
        column = self.layout.column(align=True)
        column.prop(held, "hide_undrawn", text="Hide the Undrawn")
        column.prop(held, "show_all", toggle=True, icon="HIDE_OFF")
        column.operator(LEVELWRIGHT_OT_ns2_commander_view.bl_idname, icon="VIEW_ORTHO", depress=held.commander)
        column.operator(LEVELWRIGHT_OT_ns2_minimap.bl_idname, icon="RENDER_STILL")
        row = column.row(align=True)
        row.operator(LEVELWRIGHT_OT_ns2_snap_grid.bl_idname, text="Inches", icon="SNAP_GRID")
        for text, factor in (("Finer", 0.5), ("Coarser", 2.0)):
            row.operator(LEVELWRIGHT_OT_ns2_grid.bl_idname, text=text).factor = factor
        self.layout.label(text="Select by")  # above: beside it the buttons' names have no room
        row = self.layout.row(align=True)
        for by, text in (("MATERIAL", "Material"), ("CLASS", "Class"), ("BROKEN", "Broken")):
            row.operator(LEVELWRIGHT_OT_ns2_select_like.bl_idname, text=text).by = by
        if context.mode == "EDIT_MESH":
            row = self.layout.row(align=True)
            for title, smooth in (("Smooth Edges", True), ("Hard Edges", False)):
                row.operator(LEVELWRIGHT_OT_ns2_smooth_edges.bl_idname, text=title).smooth = smooth


class LEVELWRIGHT_PT_ns2_edit(LevelPanel, bpy.types.Panel):
    """What only the Spark editor has: its clipboard, and bridges."""

    bl_label = "Spark Editor"
    anchor = "what-can-be-edited"
    bl_parent_id = "LEVELWRIGHT_PT_ns2"
    bl_order = 1  # below layers, groups and entity

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the buttons."""
        column = self.layout.column(align=True)
        column.operator(LEVELWRIGHT_OT_ns2_copy.bl_idname, icon="COPYDOWN")
        column.operator(LEVELWRIGHT_OT_ns2_paste.bl_idname, icon="PASTEDOWN")
        if context.mode == "EDIT_MESH":
            row = self.layout.row(align=True)
            for title, clear in (("Bridge", False), ("Clear Bridge", True)):
                row.operator(LEVELWRIGHT_OT_ns2_bridges.bl_idname, text=title).clear = clear


CLASSES = (LEVELWRIGHT_PT_ns2, LEVELWRIGHT_PT_ns2_edit)
