# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's part for light: what bakes it into the lightmaps of a Source map."""

from __future__ import annotations

from typing import Any

import bpy

from ...scene.reports import Report, SceneError
from ..panel import active_level
from . import bake, collect

Result = set[Any]  # {"FINISHED"} or {"CANCELLED"}


class BakeLightmaps(bpy.types.Operator):
    """Bake the light of Blender's lights into the lightmaps of the visible surfaces, with Cycles"""

    bl_idname = "levelwright.source_bake"
    bl_label = "Bake Lightmaps"
    bl_options = {"REGISTER", "UNDO"}

    samples: bpy.props.IntProperty(name="Samples", description="Rays a luxel", default=64, min=1, soft_max=4096)
    bounces: bpy.props.IntProperty(
        name="Bounces", description="How often light is thrown back; 0: direct light alone", default=4, min=0, max=64
    )
    images: bpy.props.EnumProperty(
        name="Lightmaps",
        description="Which of the map's lightmaps get it, as far as it has them",
        items=[
            (bake.BOTH, "LDR and HDR", "All"),
            (bake.HDR, "HDR", "Those of a full compile with both"),
            (bake.LDR, "LDR", "Those for old graphics cards"),
        ],
    )
    selected: bpy.props.BoolProperty(name="Selected only", description="Leave the light of other objects as it is")
    scene_world: bpy.props.BoolProperty(
        name="Scene's world", description="The sky shines as the scene's world, not as the map's light_environment says"
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a map with lightmaps, and for Object Mode."""
        level = active_level(context)
        return level is not None and context.mode == "OBJECT" and bool(collect.shown(level))

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Ask how."""
        manager: Any = context.window_manager
        result: Result = manager.invoke_props_dialog(self)
        return result

    def execute(self, context: bpy.types.Context) -> Result:
        """Bake."""
        level, chosen = active_level(context), self.properties
        if level is None:
            return {"CANCELLED"}
        report = Report("baked")
        names = ("samples", "bounces", "images", "selected", "scene_world")
        try:
            bake.bake(context, level, bake.BakeSettings(**{name: getattr(chosen, name) for name in names}), report)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        report.forward(self)
        return {"FINISHED"}


class LEVELWRIGHT_PT_source_bake(bpy.types.Panel):
    """What bakes light."""

    bl_label = "Light"
    bl_category = "Levelwright"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_parent_id = "LEVELWRIGHT_PT_source"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, _context: bpy.types.Context) -> None:
        """Draw the operator."""
        self.layout.operator(BakeLightmaps.bl_idname, icon="RENDER_STILL")


CLASSES = (BakeLightmaps, LEVELWRIGHT_PT_source_bake)


def register() -> None:
    """Register the operator and the panel."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    """Undo `register`."""
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
