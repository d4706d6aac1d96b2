# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's list of sounds, and the buttons of sound layers."""

from __future__ import annotations

import bpy

from ...scene.interface.sidebar import LevelPanel
from ...scene.kept import originals
from .. import layout
from ..structure.map_operator import OnMap, active_layer
from . import operators
from .operators import AddSound, AddSource, RemoveSound, SetSound


class LEVELWRIGHT_PT_teeworlds_sounds(OnMap, LevelPanel, bpy.types.Panel):
    """The active map's sounds."""

    bl_label = "Teeworlds Sounds"
    anchor = "what-can-be-edited"
    bl_options = {"DEFAULT_CLOSED"}

    def draw_level(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Draw a line a sound, and the buttons of the active sound layer."""
        for record, sound in originals.resources(level, layout.SOUND).items():
            row = self.layout.row(align=True)
            row.label(text=f"{record}: {sound.name}", icon="SOUND")
            row.operator(SetSound.bl_idname, text="", icon="SPEAKER").record = record
            row.operator(RemoveSound.bl_idname, text="", icon="REMOVE").record = record
        self.layout.operator(AddSound.bl_idname, icon="ADD")
        layer = active_layer(context)
        if layer is None or layer.get("sound") is None:
            self.layout.label(text="No layer of sounds is active")
            return
        self.layout.label(text=layer.name)
        self.layout.operator_menu_enum(AddSource.bl_idname, "shape", icon="OUTLINER_OB_SPEAKER")


CLASSES = (*operators.CLASSES, LEVELWRIGHT_PT_teeworlds_sounds)
