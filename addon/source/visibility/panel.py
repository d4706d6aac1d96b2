# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's part about visibility: what is seen from a place, and all of it again."""

from __future__ import annotations

from typing import Any, Literal

import bpy
import numpy as np

from ....formats.binary import FormatError
from ...scene.reports import SceneError
from .. import panel
from . import show

Result = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]

CURSOR, ACTIVE, CAMERA = "CURSOR", "ACTIVE", "CAMERA"
_PLACES = (
    (CURSOR, "3D Cursor", "From the 3D cursor", "PIVOT_CURSOR", 0),
    (ACTIVE, "Active", "From the origin of the active object", "PIVOT_ACTIVE", 1),
    (CAMERA, "Camera", "From the scene's camera", "CAMERA_DATA", 2),
)


class ShowSeen(bpy.types.Operator):
    """Show only what the game draws from a place: what the compiler found to be visible from its cluster"""

    bl_idname = "levelwright.source_show_seen"
    bl_label = "Show What Is Seen"
    bl_options = {"REGISTER", "UNDO"}

    place: bpy.props.EnumProperty(name="From", items=_PLACES, default=CURSOR)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a map, and for Object Mode: objects give way to copies."""
        return context.mode == "OBJECT" and panel.active_level(context) is not None

    def execute(self, context: bpy.types.Context) -> Result:
        """Hide all else."""
        level = panel.active_level(context)
        try:
            if level is None:
                raise SceneError("there is no Source map to look at")
            cluster = show.show_seen(context, level, _place(context, self.place))
        except (SceneError, FormatError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"what cluster {cluster} sees")
        return {"FINISHED"}


class ShowAll(bpy.types.Operator):
    """Show everything again that was hidden because it isn't seen"""

    bl_idname = "levelwright.source_show_all"
    bl_label = "Show All"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a map of which something is hidden."""
        level = panel.active_level(context) if context.mode == "OBJECT" else None
        return level is not None and show.is_limited(level)

    def execute(self, context: bpy.types.Context) -> Result:
        """Show it."""
        level = panel.active_level(context)
        if level is None:
            return {"CANCELLED"}
        show.show_all(level)
        return {"FINISHED"}


class LEVELWRIGHT_PT_source_visibility(bpy.types.Panel):
    """What is seen of the active Source map."""

    bl_label = "Visibility"
    bl_parent_id = "LEVELWRIGHT_PT_source"
    bl_category = "Levelwright"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, _context: bpy.types.Context) -> None:
        """Show a button for each place."""
        self.layout.label(text="Show what is seen from")
        row = self.layout.row(align=True)
        for place, title, _, icon, _ in _PLACES:
            button: Any = row.operator(ShowSeen.bl_idname, text=title, icon=icon)  # type: ignore[arg-type]
            button.place = place
        self.layout.operator(ShowAll.bl_idname, icon="HIDE_OFF")


def _place(context: bpy.types.Context, place: str) -> np.ndarray[Any, np.dtype[np.float64]]:
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


_CLASSES = (ShowSeen, ShowAll, LEVELWRIGHT_PT_source_visibility)


def register() -> None:
    """Register operators and panel, after the panel that it is in."""
    for cls in _CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    """Undo `register`."""
    for cls in reversed(_CLASSES):
        bpy.utils.unregister_class(cls)
