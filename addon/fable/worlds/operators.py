# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators for the edges that levels of a world have in common."""

from __future__ import annotations

import bpy
import numpy as np

from ....formats.counting import number_of
from ...scene.geometry import meshes
from ...scene.interface.sidebar import LevelOperator
from ...scene.issues import showing
from ...scene.kept import originals
from ...scene.reports import SceneError, listed
from ..terrain.heights import terrain_of
from .seams import mend, seams

NO_NEIGHBOUR = "No other level touches this one: open their world, or put them side by side"


class _OnSeams(LevelOperator):
    """What operators share that compare the terrains of levels, which can't be read in Edit Mode: they leave it."""

    @classmethod
    def lacks(cls, context: bpy.types.Context, level: bpy.types.Collection) -> str:
        """Ask for another level."""
        return super().lacks(context, level) if len(originals.levels(context.scene)) > 1 else NO_NEIGHBOUR

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> bool | None:
        """Leave the mode, and do it."""
        if context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        return self.on_seams(context, level)

    def on_seams(self, context: bpy.types.Context, level: bpy.types.Collection) -> bool | None:
        """As `change`."""
        raise NotImplementedError


class LEVELWRIGHT_OT_fable_show_seams(_OnSeams):
    """Select, in Edit Mode, where the terrain's heights or themes differ from those of levels that touch this one"""

    bl_idname = "levelwright.fable_show_seams"
    bl_label = "Show Seams"

    def on_seams(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Compare, select, and say for each neighbour what differs."""
        found = seams(context, level)
        if not found:
            raise SceneError(NO_NEIGHBOUR)
        terrain = terrain_of(level)
        wrong = np.unique(np.concatenate([seam.own[seam.heights | seam.themes] for seam in found]))
        if len(wrong):
            showing.show(context, [terrain], {}, {terrain: wrong})
        else:
            meshes.select_points(terrain, wrong)
        lines = [
            f"{seam.neighbour.name}: {number_of(np.count_nonzero(seam.heights), 'heights')} and "
            f"{number_of(np.count_nonzero(seam.themes), 'blends')} of {len(seam.own)}"
            for seam in found
        ]
        self.report({"INFO"}, f"other than in neighbours: {listed(lines)}")


class LEVELWRIGHT_OT_fable_mend_seams(_OnSeams):
    """Give the level's edges the heights and themes of the levels that touch it; corners of three stay"""

    idle = "The level's edges are those of its neighbours already"
    bl_idname = "levelwright.fable_mend_seams"
    bl_label = "Mend Seams"

    def on_seams(self, context: bpy.types.Context, level: bpy.types.Collection) -> bool:
        """Mend them, and say how much that was."""
        heights, themes = mend(context, level)
        if not heights and not themes:
            return False
        self.report({"INFO"}, f"{number_of(heights, 'cells')} got other heights, {number_of(themes, 'other themes')}")
        return True


CLASSES = (LEVELWRIGHT_OT_fable_show_seams, LEVELWRIGHT_OT_fable_mend_seams)
