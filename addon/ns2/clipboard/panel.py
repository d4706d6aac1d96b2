# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's part for what only the Spark editor has: its clipboard, and bridges."""

from __future__ import annotations

from typing import Any

import bpy

from ..faces.operators import MarkBridges
from .operators import Copy, Paste


class LEVELWRIGHT_PT_ns2_edit(bpy.types.Panel):
    """Bridges, and the clipboard."""

    bl_label = "Spark Editor"
    bl_category = "Levelwright"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_parent_id = "LEVELWRIGHT_PT_ns2"

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the buttons."""
        column = self.layout.column(align=True)
        column.operator(Copy.bl_idname, icon="COPYDOWN")
        column.operator(Paste.bl_idname, icon="PASTEDOWN")
        if context.mode == "EDIT_MESH":
            row = self.layout.row(align=True)
            row.operator(MarkBridges.bl_idname, text="Bridge")
            clear: Any = row.operator(MarkBridges.bl_idname, text="Clear Bridge")
            clear.clear = True


CLASSES = (LEVELWRIGHT_PT_ns2_edit,)
