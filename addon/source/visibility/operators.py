# SPDX-License-Identifier: GPL-3.0-or-later
"""What shows of a Source map what is seen from a place, and all of it again."""

from __future__ import annotations

import bpy
import numpy as np

from ....formats.arrays import Floats
from ...scene.fields import declared
from ...scene.interface.sidebar import LevelOperator
from ...scene.reports import SceneError
from . import show

CURSOR, ACTIVE, CAMERA = "CURSOR", "ACTIVE", "CAMERA"
PLACES = (
    (CURSOR, "3D Cursor", "From the 3D cursor", "PIVOT_CURSOR", 0),
    (ACTIVE, "Active", "From the origin of the active object", "PIVOT_ACTIVE", 1),
    (CAMERA, "Camera", "From the scene's camera", "CAMERA_DATA", 2),
)


class ShowSeen(LevelOperator):
    """Show only what the game draws from a place: what the compiler found to be visible from its cluster"""

    bl_idname = "levelwright.source_show_seen"
    bl_label = "Show What Is Seen"
    needs_mode = "OBJECT"

    place: str = declared.menu(name="From", items=PLACES, default=CURSOR)

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Hide all else."""
        cluster = show.show_seen(context, level, _place(context, self.place))
        self.report({"INFO"}, f"what cluster {cluster} sees")


class ShowAll(LevelOperator):
    """Show everything again that was hidden because it isn't seen"""

    bl_idname = "levelwright.source_show_all"
    bl_label = "Show All"
    needs_mode = "OBJECT"

    @classmethod
    def lacks(cls, _context: bpy.types.Context, level: bpy.types.Collection) -> str:
        """Say what there has to be."""
        return "" if show.is_limited(level) else "Nothing is hidden: Show What Is Seen hides what isn't"

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Show it."""
        show.show_all(level)


def _place(context: bpy.types.Context, place: str) -> Floats:
    """Where one looks from, in the world. Raises SceneError where there is no such place."""
    scene = context.scene
    if scene is None:
        raise SceneError("there is no scene to work in")
    if place == CURSOR:
        return np.array(scene.cursor.location, np.float64)
    obj = context.active_object if place == ACTIVE else scene.camera
    if obj is None:
        raise SceneError("there is no active object" if place == ACTIVE else "the scene has no camera")
    return np.array(obj.matrix_world.translation, np.float64)
