# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's part about visibility: what is seen from a place, and all of it again."""

from __future__ import annotations

import bpy

from ...scene.interface.sidebar import LevelPanel
from .operators import PLACES, ShowAll, ShowSeen


class LEVELWRIGHT_PT_source_visibility(LevelPanel, bpy.types.Panel):
    """What is seen of the active Source map."""

    bl_label = "Visibility"
    bl_parent_id = "LEVELWRIGHT_PT_source"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, _context: bpy.types.Context) -> None:
        """Show a button for each place."""
        self.layout.label(text="Show what is seen from")
        row = self.layout.row(align=True)
        for place, title, _, icon, _ in PLACES:
            button = row.operator(ShowSeen.bl_idname, text=title, icon=icon)  # type: ignore[arg-type]
            button.place = place
        self.layout.operator(ShowAll.bl_idname, icon="HIDE_OFF")


CLASSES = (ShowSeen, ShowAll, LEVELWRIGHT_PT_source_visibility)
