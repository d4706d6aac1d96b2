# SPDX-License-Identifier: GPL-3.0-or-later
"""What bakes light into the lightmaps of a Source map."""

from __future__ import annotations

import bpy

from ...scene.fields import declared
from ...scene.interface.sidebar import AskingOperator, tell
from ...scene.interface.stoppable import StoppableTool
from ...scene.reports import Report
from ...scene.work.progress import Steps
from . import bake, collect


class BakeLightmaps(StoppableTool, AskingOperator):
    """Bake the light of Blender's lights into the lightmaps of the visible surfaces, with Cycles"""

    bl_idname = "levelwright.source_bake"
    bl_label = "Bake Lightmaps"
    needs_mode = "OBJECT"

    samples: int = declared.integer(name="Samples", description="Rays a luxel", default=64, min=1, soft_max=4096)
    bounces: int = declared.integer(
        name="Bounces", description="How often light is thrown back; 0: direct light alone", default=4, min=0, max=64
    )
    images: str = declared.menu(
        name="Lightmaps",
        description="Which of the map's lightmaps get it, as far as it has them",
        items=[
            (bake.BOTH, "LDR and HDR", "All"),
            (bake.HDR, "HDR", "Those of a full compile with both"),
            (bake.LDR, "LDR", "Those for old graphics cards"),
        ],
    )
    selected: bool = declared.boolean(name="Selected only", description="Leave the light of other objects as it is")
    scene_world: bool = declared.boolean(
        name="Scene's world", description="The sky shines as the scene's world, not as the map's light_environment says"
    )
    faces: str = declared.menu(
        name="Faces",
        description="Which faces get new light, in a map whose world was edited",
        items=[
            (bake.ALL, "All", "All that are visible"),
            (bake.NEW, "New ones", "Those that an earlier version of the map hasn't"),
            (bake.REACH, "Within reach", "New ones, and those that see what changed since an earlier version"),
        ],
    )
    before: str = declared.string(
        name="Earlier map", description="The map as it was before its world was edited", subtype="FILE_PATH"
    )

    @classmethod
    def lacks(cls, _context: bpy.types.Context, level: bpy.types.Collection) -> str:
        """Say what there has to be."""
        return "" if collect.shown(level) else "The level was imported without lightmaps"

    def changing(self, context: bpy.types.Context, level: bpy.types.Collection) -> Steps[None]:
        """Bake."""
        report = Report("baked")
        names = ("samples", "bounces", "images", "selected", "scene_world", "faces", "before")
        chosen = {name: getattr(self.properties, name) for name in names}
        yield from bake.bake.steps(context, level, bake.BakeSettings(**chosen), report)
        tell(self, level, report)
