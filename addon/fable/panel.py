# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's part for Fable levels: the overlay over the ground, and the properties of a thing.

Panels in it say by `bl_order` where they come: painting, tools, the thing, lists.
"""

import bpy

from ..scene.fields import properties
from ..scene.interface.sidebar import LevelPanel, draw_property, draw_text
from ..scene.kept import identity
from . import layout
from .terrain import overlays
from .terrain.operators import LEVELWRIGHT_OT_fable_overlay, LEVELWRIGHT_OT_fable_refresh


class LEVELWRIGHT_PT_fable(LevelPanel, bpy.types.Panel):
    """The active Fable level."""

    bl_label = "Fable"

    def draw_level(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Draw the overlays' switch."""
        row = self.layout.row(align=True)
        title, _ = overlays.KINDS[overlays.shown(level)]
        row.operator_menu_enum(LEVELWRIGHT_OT_fable_overlay.bl_idname, "kind", text=f"Show: {title}", icon="OVERLAY")
        row.operator(LEVELWRIGHT_OT_fable_refresh.bl_idname, text="", icon="FILE_REFRESH")


class LEVELWRIGHT_PT_fable_thing(LevelPanel, bpy.types.Panel):
    """The properties of the active object, where it is a thing of the level."""

    bl_label = "Thing"
    bl_parent_id = "LEVELWRIGHT_PT_fable"
    bl_order = 3

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a thing."""
        obj = context.active_object
        return obj is not None and identity.kind_of(obj) == layout.THING and super().poll(context)

    def draw(self, context: bpy.types.Context) -> None:
        """Draw them: as many as it has."""
        obj = context.active_object
        if obj is None:
            return
        column = self.layout.column(align=True)
        draw_text(column, context, obj.name)
        for key in properties.own_keys(obj):
            if isinstance(obj[key], bool | int | float | str):
                draw_property(column, context, obj, key, key)


CLASSES = (LEVELWRIGHT_PT_fable, LEVELWRIGHT_PT_fable_thing)
