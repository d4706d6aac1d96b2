# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's part for looking at a map: the game's view and what of it is switched on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import bpy

from ..scene import animation, stage
from .materials import shading
from .view import game_view as view

Result = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]


class _OnMap:
    """What all share that needs a map."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a map to look at."""
        return view.active_map(context) is not None


class ViewAsGame(_OnMap, bpy.types.Operator):
    """Put the scene's camera where the game's would be, and draw what the game draws from there"""

    bl_idname = "levelwright.view_as_game"
    bl_label = "View as the Game"
    bl_options = {"REGISTER", "UNDO"}

    x: bpy.props.FloatProperty(name="X", description="Middle of the picture, in tiles from the map's left edge")
    y: bpy.props.FloatProperty(name="Y", description="Middle of the picture, in tiles from the map's upper edge")
    zoom: bpy.props.FloatProperty(name="Zoom", description="Above 1 shows more", default=1.0, min=0.01, max=100.0)
    time: bpy.props.FloatProperty(name="Time", description="Seconds since the map began", unit="TIME_ABSOLUTE")

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Start from where the 3D cursor is, at the current frame."""
        scene = stage.scene_of(context)
        self.x, self.y = scene.cursor.location.x, -scene.cursor.location.y
        self.time = float(animation.time_of(scene.frame_current_final, scene))
        return self.execute(context)

    def execute(self, context: bpy.types.Context) -> Result:
        """Make or move the game camera."""
        level = view.active_map(context)
        if level is None:
            self.report({"ERROR"}, "No map in this scene to look at")
            return {"CANCELLED"}
        view.view_as_game(stage.scene_of(context), level, self.x, self.y, self.zoom, self.time)
        space: Any = context.space_data
        if space is not None and space.type == "VIEW_3D" and space.region_3d is not None:
            space.region_3d.view_perspective = "CAMERA"
        return {"FINISHED"}


class _Switch:
    """One thing that can be shown or not: how it is found out, and how it is set."""

    def __init__(
        self,
        title: str,
        tooltip: str,
        get: Callable[[bpy.types.Context, bpy.types.Collection], bool],
        put: Callable[[bpy.types.Context, bpy.types.Collection, bool], Any],
    ) -> None:
        self.title, self.tooltip, self.get, self.put = title, tooltip, get, put


SWITCHES = {
    "PARALLAX": _Switch(
        "Parallax",
        "Groups follow the game camera as in the game",
        lambda _, level: view.has_parallax(level),
        lambda _, level, on: view.set_parallax(level, on),
    ),
    "BORDERS": _Switch(
        "Borders",
        "Repeat the tiles at the layers' edges outwards, as the game does; switch off and on to follow edits",
        lambda _, level: view.has_borders(level),
        lambda _, level, on: view.set_borders(level, on),
    ),
    "CLIP": _Switch(
        "Clip",
        "Draw clipped groups only inside their rectangles (in all levels of the file)",
        lambda _, __: shading.get_switch(shading.CLIP) != 0,
        lambda _, __, on: shading.set_switch(shading.CLIP, float(on)),
    ),
    "PHYSICS": _Switch(
        "Physics",
        "Show the game, front, tele, speedup, switch and tune layers",
        lambda _, level: any(not child.hide_viewport for child in view.physics_collections(level)),
        lambda _, level, on: view.show_physics(level, on),
    ),
    "COLORS": _Switch(
        "Game Colors",
        "Blend as the game does: view transform Raw. Off: Standard, for scenes with other things in them",
        lambda context, _: stage.scene_of(context).view_settings.view_transform == "Raw",
        lambda context, _, on: view.set_game_colors(stage.scene_of(context), on),
    ),
}


class SwitchView(_OnMap, bpy.types.Operator):
    """Show or hide a part of the game's view"""

    bl_idname = "levelwright.switch_view"
    bl_label = "Switch View"
    bl_options = {"REGISTER", "UNDO"}

    what: bpy.props.EnumProperty(items=[(key, one.title, one.tooltip) for key, one in SWITCHES.items()])
    on: bpy.props.BoolProperty(name="On", default=True)

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: Any) -> str:
        """The tooltip of the one that it switches."""
        return SWITCHES[properties.what].tooltip

    def execute(self, context: bpy.types.Context) -> Result:
        """Switch it."""
        level = view.active_map(context)
        if level is None:
            return {"CANCELLED"}
        SWITCHES[self.what].put(context, level, self.on)
        return {"FINISHED"}


class LEVELWRIGHT_PT_teeworlds_view(_OnMap, bpy.types.Panel):
    """How the active map is shown."""

    bl_label = "Teeworlds View"
    bl_category = "Levelwright"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_options = set()  # those of the mixin are an operator's

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the button and a switch a line."""
        level = view.active_map(context)
        if level is None:
            return
        self.layout.operator(ViewAsGame.bl_idname, icon="CAMERA_DATA")
        column = self.layout.column(align=True)
        for key, switch in SWITCHES.items():
            on = switch.get(context, level)
            icon: Literal["CHECKBOX_HLT", "CHECKBOX_DEHLT"] = "CHECKBOX_HLT" if on else "CHECKBOX_DEHLT"
            button: Any = column.operator(SwitchView.bl_idname, text=switch.title, icon=icon, depress=on)
            button.what, button.on = key, not on


CLASSES = (ViewAsGame, SwitchView, LEVELWRIGHT_PT_teeworlds_view)


def register() -> None:
    """Register the operators and the panel."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    """Undo `register`."""
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
