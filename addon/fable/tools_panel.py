# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's part for what works on a level as a whole: things on the ground, edges, navigation, size."""

import bpy

from ...formats.counting import number_of
from ..scene.interface.sidebar import LevelPanel
from . import layout
from .preview import LEVELWRIGHT_OT_fable_preview_navigation
from .resizing import LEVELWRIGHT_OT_fable_resize
from .terrain.flooding import LEVELWRIGHT_OT_fable_fill_water
from .things.operators import (
    LEVELWRIGHT_OT_fable_add_thing,
    LEVELWRIGHT_OT_fable_drop,
    LEVELWRIGHT_OT_fable_follow_ground,
)
from .worlds.operators import LEVELWRIGHT_OT_fable_mend_seams, LEVELWRIGHT_OT_fable_show_seams


class LEVELWRIGHT_PT_fable_tools(LevelPanel, bpy.types.Panel):
    """Tools for the whole level."""

    bl_label = "Tools"
    anchor = "what-can-be-edited"
    bl_parent_id = "LEVELWRIGHT_PT_fable"
    bl_order = 2

    def draw_level(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Draw the buttons."""
        things = self.layout.column(align=True)
        things.operator(LEVELWRIGHT_OT_fable_add_thing.bl_idname, icon="ADD")
        things.operator(LEVELWRIGHT_OT_fable_follow_ground.bl_idname, icon="SNAP_NORMAL")
        things.operator(LEVELWRIGHT_OT_fable_drop.bl_idname, icon="SORT_ASC")
        self.layout.operator(LEVELWRIGHT_OT_fable_fill_water.bl_idname, icon="MOD_FLUIDSIM")
        seams = self.layout.row(align=True)
        seams.operator(LEVELWRIGHT_OT_fable_show_seams.bl_idname)
        seams.operator(LEVELWRIGHT_OT_fable_mend_seams.bl_idname)
        self.layout.operator_menu_enum(
            LEVELWRIGHT_OT_fable_preview_navigation.bl_idname, "how", text="Preview Navigation", icon="HIDE_OFF"
        )
        self.layout.operator(LEVELWRIGHT_OT_fable_resize.bl_idname, icon="FULLSCREEN_ENTER")
        brushes = level.get(layout.SCRIPT_BRUSHES, 0)
        if brushes:
            self.layout.label(text=f"{number_of(brushes, 'script brushes stay')} as they are", icon="BRUSH_DATA")
