# SPDX-License-Identifier: GPL-3.0-or-later
"""What bakes light into the lightmaps of a compiled level."""

from __future__ import annotations

import bpy

from ....formats.binary import FormatError
from ...scene import declared, stage
from ...scene.reports import Report, SceneError
from ...scene.sidebar import OBJECT_MODE, LevelOperator, Result, allows, tell
from ...scene.stoppable import Stoppable
from .. import layout
from . import bake, collect


class BakeGenesisLightmaps(Stoppable, LevelOperator):
    """Bake the light of Blender's lights into the lightmaps and corners of the visible surfaces, with Cycles"""

    format_key = layout.FORMAT
    failures = (SceneError, FormatError)
    bl_idname = "levelwright.genesis_bake"
    bl_label = "Bake Lightmaps"
    bl_options = {"REGISTER", "UNDO"}

    samples: int = declared.integer(name="Samples", description="Rays a luxel", default=64, min=1, soft_max=4096)
    bounces: int = declared.integer(
        name="Bounces", description="How often light is thrown back; 0: direct light alone", default=4, min=0, max=64
    )
    selected: bool = declared.boolean(name="Selected only", description="Leave the light of other objects as it is")

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a level with lightmaps, and for Object Mode."""
        level = cls.level(context)
        if level is None or context.mode != "OBJECT":
            return super().poll(context) and allows(cls, False, OBJECT_MODE)
        return allows(cls, bool(collect.shown(level)), "The level was imported without lightmaps")

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Ask how."""
        return stage.window_manager_of(context).invoke_props_dialog(self)

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Bake."""
        report = Report("baked")
        settings = bake.LightBake(*(getattr(self.properties, name) for name in ("samples", "bounces", "selected")))
        bake.bake(context, level, settings, report)
        tell(self, level, report)
