# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators for the edges that levels of a world have in common."""

from __future__ import annotations

import bpy
import numpy as np

from ...scene import meshes
from ...scene.reports import SceneError, listed
from ...scene.sidebar import LevelOperator
from .. import layout
from ..terrain.heights import terrain_of
from .seams import mend, seams


class LEVELWRIGHT_OT_fable_show_seams(LevelOperator):
    """Select the vertices of the terrain where heights or themes differ from those of levels that touch this one"""

    format_key = layout.FORMAT
    bl_idname = "levelwright.fable_show_seams"
    bl_label = "Show Seams"
    bl_options = {"REGISTER", "UNDO"}

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Compare, select, and say for each neighbour what differs."""
        found = seams(context, level)
        if not found:
            raise SceneError("No other level touches this one: open their world, or put them side by side")
        terrain = terrain_of(level)
        wrong = [seam.own[seam.heights | seam.themes] for seam in found]
        meshes.select_points(terrain, np.unique(np.concatenate(wrong)))
        if context.view_layer is not None and terrain.name in context.view_layer.objects:
            terrain.select_set(True)
            context.view_layer.objects.active = terrain
        lines = [
            f"{seam.neighbour.name}: {np.count_nonzero(seam.heights)} heights and {np.count_nonzero(seam.themes)} "
            f"blends of {len(seam.own)}"
            for seam in found
        ]
        self.report({"INFO"}, f"other than in neighbours: {listed(lines)}")


class LEVELWRIGHT_OT_fable_mend_seams(LevelOperator):
    """Give the level's edges the heights and themes of the levels that touch it; corners of three stay"""

    format_key = layout.FORMAT
    bl_idname = "levelwright.fable_mend_seams"
    bl_label = "Mend Seams"
    bl_options = {"REGISTER", "UNDO"}

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> bool:
        """Mend them, and say how much that was."""
        heights, themes = mend(context, level)
        self.report({"INFO"}, f"{heights} cells got other heights, {themes} other themes")
        return bool(heights or themes)


CLASSES = (LEVELWRIGHT_OT_fable_show_seams, LEVELWRIGHT_OT_fable_mend_seams)
