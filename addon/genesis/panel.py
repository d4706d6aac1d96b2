# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's part for Genesis3D levels: how cuts are shown, what the active object is, what can be added."""

from __future__ import annotations

import bpy

from ..scene.fields import properties
from ..scene.interface import sidebar
from ..scene.kept import identity
from ..scene.registering import in_turn
from . import layout
from .brushes import panel as brush_panel
from .entities.operators import AddGenesisEntity
from .lightmaps.operators import BakeGenesisLightmaps
from .materials.write import WriteTextureLibrary
from .models.operators import MakeModel
from .operators import Decompile, HidePreview, PreviewCuts, ShowRooms, has_cuts, is_compiled


class LEVELWRIGHT_PT_genesis(sidebar.LevelPanel, bpy.types.Panel):
    """The active Genesis3D level, and what of it the active object is."""

    bl_label = "Genesis3D"

    def draw_level(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Draw the preview's buttons, and the properties of the active object."""
        if not is_compiled(level):
            row = self.layout.row(align=True)
            row.operator(ShowRooms.bl_idname, icon="HOME")
            row.operator(HidePreview.bl_idname, text="", icon="X")
        if has_cuts(level):
            row = self.layout.row(align=True)
            row.operator(PreviewCuts.bl_idname, icon="MESH_CUBE").live = False
            row.operator(PreviewCuts.bl_idname, text="Live Cuts", icon="MOD_BOOLEAN").live = True
        obj = context.active_object
        mark = identity.stamped(obj) if obj is not None else None
        if obj is None or mark is None or mark.kind == identity.ROOT:
            return
        column = self.layout.column(align=True)
        number = f" {mark.record}" if mark.record >= 0 else ""  # new ones have none
        column.label(text=f"{mark.kind.title()}{number}: {obj.name}")
        for key in _level_properties(obj):
            sidebar.draw_property(column, context, obj, key, key)
        if mark.kind == layout.BRUSH:
            brush_panel.draw_contents(self, obj, level)


def _level_properties(obj: bpy.types.Object) -> list[str]:
    """The keys of an object's properties that are the level's."""
    return [key for key in properties.own_keys(obj) if isinstance(obj[key], bool | int | float | str)]


class LEVELWRIGHT_PT_genesis_edit(sidebar.LevelPanel, bpy.types.Panel):
    """What can be added to a level."""

    bl_label = "Edit"
    anchor = "what-can-be-edited"
    bl_parent_id = "LEVELWRIGHT_PT_genesis"

    def draw(self, _context: bpy.types.Context) -> None:
        """Draw the buttons."""
        column = self.layout.column(align=True)
        column.operator(AddGenesisEntity.bl_idname, icon="EMPTY_AXIS")
        column.operator(MakeModel.bl_idname, icon="OUTLINER_OB_GROUP_INSTANCE")
        column.operator(WriteTextureLibrary.bl_idname, icon="TEXTURE")


class LEVELWRIGHT_PT_genesis_compiled(sidebar.LevelPanel, bpy.types.Panel):
    """What can be done with a compiled level."""

    bl_label = "Compiled"
    anchor = "compiled-levels"
    bl_parent_id = "LEVELWRIGHT_PT_genesis"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a compiled level."""
        level = cls.level(context)
        return level is not None and is_compiled(level)

    def draw(self, _context: bpy.types.Context) -> None:
        """Draw the buttons."""
        column = self.layout.column(align=True)
        column.operator(BakeGenesisLightmaps.bl_idname, icon="RENDER_STILL")
        column.operator(Decompile.bl_idname, icon="MOD_BUILD")


CLASSES = (
    MakeModel,
    AddGenesisEntity,
    WriteTextureLibrary,
    BakeGenesisLightmaps,
    LEVELWRIGHT_PT_genesis,
    LEVELWRIGHT_PT_genesis_edit,
    LEVELWRIGHT_PT_genesis_compiled,
)
register, unregister = in_turn(*CLASSES, brush_panel)
