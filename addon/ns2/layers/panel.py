# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's lists of layers and groups."""

from typing import Literal

import bpy

from ...scene.blender_types import Value
from ...scene.interface.sidebar import ItemList, LevelPanel, draw_items
from . import lists
from .operators import (
    TITLES,
    LEVELWRIGHT_OT_ns2_add_entry,
    LEVELWRIGHT_OT_ns2_assign,
    LEVELWRIGHT_OT_ns2_move_entry,
    LEVELWRIGHT_OT_ns2_remove_entry,
    LEVELWRIGHT_OT_ns2_select,
)

MOVES: tuple[tuple[int, Literal["TRIA_UP", "TRIA_DOWN"]], ...] = ((-1, "TRIA_UP"), (1, "TRIA_DOWN"))
"""Steps in the list, and the sign of the button that takes them."""


class LEVELWRIGHT_UL_ns2_entries(ItemList, bpy.types.UIList):
    """Layers or groups: colour, name, whether they are shown. A name is a label, which has more room than a field."""

    def draw_line(self, row: bpy.types.UILayout, item: Value, _active_property: str) -> None:
        """Draw an entry."""
        color = row.row()
        color.ui_units_x = 0.6  # so that names are cut as late as can be
        color.prop(item, "color", text="")
        line = row.row(align=True)
        line.label(text=item.name)
        line.prop(item, "solo", text="", icon="SOLO_ON" if item.solo else "SOLO_OFF", emboss=False)
        line.prop(item, "visible", text="", icon="HIDE_OFF" if item.visible else "HIDE_ON", emboss=False)


class _ListPanel(LevelPanel, bpy.types.Panel):
    """What the panels of the lists share."""

    bl_parent_id = "LEVELWRIGHT_PT_ns2"

    kind: lists.Kind

    def draw_level(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Draw the list and its buttons."""
        held, active = lists.lists_of(level), TITLES[self.kind][1]
        row = draw_items(self.layout, LEVELWRIGHT_UL_ns2_entries, self.kind, (held, self.kind), (held, active))
        row.operator(LEVELWRIGHT_OT_ns2_add_entry.bl_idname, text="", icon="ADD").kind = self.kind
        row.operator(LEVELWRIGHT_OT_ns2_remove_entry.bl_idname, text="", icon="REMOVE").kind = self.kind
        for by, icon in MOVES:
            move = row.operator(LEVELWRIGHT_OT_ns2_move_entry.bl_idname, text="", icon=icon)
            move.kind, move.by = self.kind, by
        chosen, entries = getattr(held, active), lists.entries(level, self.kind)
        if chosen < len(entries):
            line = self.layout.row(align=True)
            line.prop(entries[chosen], "name", text="")
            if self.kind == "layers":
                line.prop(entries[chosen], "pathing", text="", icon="MOD_DYNAMICPAINT")
        word = TITLES[self.kind][0].removesuffix("s")
        buttons = self.layout.column(align=True)
        for on, title in ((True, f"Assign to {word}"), (False, f"Take Out of {word}")):
            button = buttons.operator(LEVELWRIGHT_OT_ns2_assign.bl_idname, text=title)
            button.kind, button.on = self.kind, on
        buttons.operator(LEVELWRIGHT_OT_ns2_select.bl_idname, text=f"Select {word}").kind = self.kind


class LEVELWRIGHT_PT_ns2_layers(_ListPanel):
    """The level's layers."""

    bl_label = "Layers"
    kind: lists.Kind = "layers"


class LEVELWRIGHT_PT_ns2_groups(_ListPanel):
    """The level's groups."""

    bl_label = "Groups"
    kind: lists.Kind = "groups"


CLASSES = (LEVELWRIGHT_UL_ns2_entries, LEVELWRIGHT_PT_ns2_layers, LEVELWRIGHT_PT_ns2_groups)
