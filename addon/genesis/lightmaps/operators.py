# SPDX-License-Identifier: GPL-3.0-or-later
"""What bakes light into the lightmaps of a compiled level."""

from __future__ import annotations

import bpy

from ...scene.fields import declared
from ...scene.interface.sidebar import AskingOperator, tell
from ...scene.interface.stoppable import StoppableTool
from ...scene.reports import Report
from ...scene.work.progress import Steps
from . import bake, collect


class BakeGenesisLightmaps(StoppableTool, AskingOperator):
    """Bake the light of Blender's lights into the lightmaps and corners of the visible surfaces, with Cycles"""

    bl_idname = "levelwright.genesis_bake"
    bl_label = "Bake Lightmaps"
    needs_mode = "OBJECT"

    samples: int = declared.integer(name="Samples", description="Rays a luxel", default=64, min=1, soft_max=4096)
    bounces: int = declared.integer(
        name="Bounces", description="How often light is thrown back; 0: direct light alone", default=4, min=0, max=64
    )
    selected: bool = declared.boolean(name="Selected only", description="Leave the light of other objects as it is")

    @classmethod
    def lacks(cls, _context: bpy.types.Context, level: bpy.types.Collection) -> str:
        """Say what there has to be."""
        return "" if collect.shown(level) else "The level was imported without lightmaps"

    def changing(self, context: bpy.types.Context, level: bpy.types.Collection) -> Steps[None]:
        """Bake."""
        report = Report("baked")
        settings = bake.LightBake(*(getattr(self.properties, name) for name in ("samples", "bounces", "selected")))
        yield from bake.bake.steps(context, level, settings, report)
        tell(self, level, report)
