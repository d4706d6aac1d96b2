# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's part for light: what bakes it into the lightmaps of a Source map."""

from __future__ import annotations

import bpy

from ...scene.interface.sidebar import LevelPanel
from .operators import BakeLightmaps


class LEVELWRIGHT_PT_source_bake(LevelPanel, bpy.types.Panel):
    """What bakes light."""

    bl_label = "Light"
    anchor = "what-can-be-edited"
    bl_parent_id = "LEVELWRIGHT_PT_source"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, _context: bpy.types.Context) -> None:
        """Draw the operator."""
        self.layout.operator(BakeLightmaps.bl_idname, icon="RENDER_STILL")


CLASSES = (BakeLightmaps, LEVELWRIGHT_PT_source_bake)
