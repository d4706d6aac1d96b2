# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's part for the files that a Source map brings along: see `files`."""

from __future__ import annotations

import bpy

from ...scene.blender_types import Icon
from ...scene.interface.sidebar import LevelPanel
from ...scene.reports import SceneError
from . import files
from .operators import AddPakFiles, AddPakImage, AddPakText, ForgetPakFile, RemovePakFile

_ICONS: dict[str, Icon] = {
    files.FILE: "FILE",
    files.TEXT: "TEXT",
    files.IMAGE: "IMAGE_DATA",
    files.REMOVED: "TRASH",
}


class LEVELWRIGHT_PT_source_pak(LevelPanel, bpy.types.Panel):
    """Files of the map that an export adds, replaces and removes."""

    bl_label = "Files in the Map"
    bl_parent_id = "LEVELWRIGHT_PT_source"
    bl_options = {"DEFAULT_CLOSED"}

    def draw_level(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Draw the list, and what adds to it."""
        column = self.layout.column(align=True)
        try:
            found = files.entries(level)
        except SceneError as error:
            column.label(text=str(error), icon="ERROR")
            return
        for entry in found:
            row = column.row(align=True)
            row.label(text=entry.name, icon=_ICONS.get(entry.kind, "QUESTION"))
            row.operator(ForgetPakFile.bl_idname, text="", icon="X").path = entry.name
        column = self.layout.column(align=True)
        for operator in (AddPakFiles, AddPakImage, AddPakText, RemovePakFile):
            column.operator(operator.bl_idname)


CLASSES = (AddPakFiles, AddPakImage, AddPakText, RemovePakFile, ForgetPakFile, LEVELWRIGHT_PT_source_pak)
