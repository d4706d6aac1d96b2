# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's part for Fable levels: the overlay over the ground, and the properties of a thing."""

import bpy

from ..scene import identity
from ..scene.sidebar import LevelPanel
from . import layout
from .terrain import overlays
from .terrain.operators import LEVELWRIGHT_OT_fable_overlay, LEVELWRIGHT_OT_fable_refresh


class LEVELWRIGHT_PT_fable(LevelPanel, bpy.types.Panel):
    """The active Fable level, and what of it the active object is."""

    format_key = layout.FORMAT
    bl_label = "Fable"

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the overlays' switch, and the properties of the active object."""
        level = self.level(context)
        if level is None:
            return
        row = self.layout.row(align=True)
        title, _ = overlays.KINDS[overlays.shown(level)]
        row.operator_menu_enum(LEVELWRIGHT_OT_fable_overlay.bl_idname, "kind", text=f"Show: {title}", icon="OVERLAY")
        row.operator(LEVELWRIGHT_OT_fable_refresh.bl_idname, text="", icon="FILE_REFRESH")
        obj = context.active_object
        mark = identity.stamped(obj) if obj is not None else None
        if obj is None or mark is None or mark.kind != layout.THING:
            return
        column = self.layout.column(align=True)
        column.label(text=obj.name)
        for key in obj.keys():  # noqa: SIM118 - a block of Blender's, no dictionary
            if not key.startswith("levelwright") and isinstance(obj[key], bool | int | float | str):
                column.prop(obj, f'["{bpy.utils.escape_identifier(key)}"]', text=key)
