# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons for selected edges."""

import bpy

from ....formats.counting import number_of
from ...scene.fields import declared
from ...scene.fields.declared import Declared
from ...scene.interface.sidebar import EDIT_MODE, OnLevel, Result, allows
from .edges import mark_bridges, set_smooth


class LEVELWRIGHT_OT_ns2_smooth_edges(OnLevel, bpy.types.Operator):
    """Make the selected edges smooth, or hard, as the game shows them"""

    bl_idname = "levelwright.ns2_smooth_edges"
    bl_label = "Smooth Edges"
    bl_options = {"REGISTER", "UNDO"}
    needs_mode = "EDIT_MESH"

    smooth: bool = declared.boolean(name="Smooth", default=True, options={"SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> Result:
        """Do it, and say how many there are."""
        self.report({"INFO"}, number_of(set_smooth(context, self.smooth), "edges"))
        return {"FINISHED"}


class LEVELWRIGHT_OT_ns2_bridges(Declared, bpy.types.Operator):
    """Join the faces at selected edges to one face of the level, as around a hole; or keep them two"""

    bl_idname = "levelwright.ns2_bridges"
    bl_label = "Bridge"
    bl_options = {"REGISTER", "UNDO"}

    clear: bool = declared.boolean(name="Clear", description="They are edges of their own again")

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for edit mode."""
        return allows(cls, context.mode == "EDIT_MESH", EDIT_MODE)

    def execute(self, context: bpy.types.Context) -> Result:
        """Mark them."""
        if mark_bridges(context, not self.clear):
            return {"FINISHED"}
        self.report({"INFO"}, "No edges are selected")
        return {"CANCELLED"}


CLASSES = (LEVELWRIGHT_OT_ns2_smooth_edges, LEVELWRIGHT_OT_ns2_bridges)
