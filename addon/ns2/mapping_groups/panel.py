# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's list of mapping groups."""

from __future__ import annotations

import bpy

from ...scene.blender_types import Value
from ...scene.interface.sidebar import ItemList, LevelPanel, draw_items
from .collect import FIELDS, held
from .operators import (
    LEVELWRIGHT_OT_ns2_add_mapping,
    LEVELWRIGHT_OT_ns2_assign_mapping,
    LEVELWRIGHT_OT_ns2_list_mapping,
    LEVELWRIGHT_OT_ns2_remove_mapping,
    LEVELWRIGHT_OT_ns2_select_mapping,
)


class LEVELWRIGHT_UL_ns2_mapping(ItemList, bpy.types.UIList):
    """Mapping groups, by their numbers."""

    def draw_line(self, row: bpy.types.UILayout, item: Value, _active_property: str) -> None:
        """Draw a group."""
        row.label(text=f"Group {item.number & 0xFFFFFFFF}", icon="UV")


class LEVELWRIGHT_PT_ns2_mapping(LevelPanel, bpy.types.Panel):
    """The level's mapping groups."""

    bl_label = "Mapping Groups"
    bl_parent_id = "LEVELWRIGHT_PT_ns2"
    bl_options = {"DEFAULT_CLOSED"}

    def draw_level(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Draw the list, its buttons, and what the chosen group says."""
        state = held(level)
        if not state.listed:
            self.layout.operator(LEVELWRIGHT_OT_ns2_list_mapping.bl_idname)
            return
        row = draw_items(self.layout, LEVELWRIGHT_UL_ns2_mapping, "", (state, "groups"), (state, "active"))
        row.operator(LEVELWRIGHT_OT_ns2_add_mapping.bl_idname, text="", icon="ADD")
        row.operator(LEVELWRIGHT_OT_ns2_remove_mapping.bl_idname, text="", icon="REMOVE")
        buttons = self.layout.column(align=True)
        for on, title in ((True, "Assign to Mapping Group"), (False, "Take Out of Mapping Group")):
            buttons.operator(LEVELWRIGHT_OT_ns2_assign_mapping.bl_idname, text=title).on = on
        buttons.operator(LEVELWRIGHT_OT_ns2_select_mapping.bl_idname, text="Select Mapping Group")
        if state.active < len(state.groups):
            fields = self.layout.column()
            fields.use_property_split = True
            fields.use_property_decorate = False
            for name in FIELDS:
                fields.prop(state.groups[state.active], name)


CLASSES = (LEVELWRIGHT_UL_ns2_mapping, LEVELWRIGHT_PT_ns2_mapping)
