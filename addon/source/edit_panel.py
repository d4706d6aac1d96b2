# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's part for editing Source maps: what is added at the 3D cursor, and what the active entity says."""

from __future__ import annotations

import bpy

from ..scene.interface.sidebar import LevelPanel, draw_property
from .brush_models.operators import AddBrushEntity, MakeBrushEntity, MakeWorldBrush
from .brushes.operators import AddBrush, CutBrushes, SplitBrushes
from .entities import custom_properties
from .entities.operators import AddEntity, EditOutput, RemoveOutput, entity_of
from .entities.outputs import outputs_of
from .overlays.operators import AddOverlay
from .props.operators import AddStaticProp


class LEVELWRIGHT_PT_source_edit(LevelPanel, bpy.types.Panel):
    """What can be added, and the active entity."""

    bl_label = "Edit"
    anchor = "what-can-be-edited"
    bl_parent_id = "LEVELWRIGHT_PT_source"

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the operators; of an entity its properties and outputs."""
        column = self.layout.column(align=True)
        for operator in (AddEntity, AddBrushEntity, AddStaticProp, AddOverlay, AddBrush):
            column.operator(operator.bl_idname, icon="ADD")
        for tool in (CutBrushes, SplitBrushes, MakeBrushEntity, MakeWorldBrush):
            column.operator(tool.bl_idname)
        obj = entity_of(context)
        if obj is None:
            return
        outputs = outputs_of(obj)
        column = self.layout.column()
        for key in custom_properties.written_keys(obj):
            if not isinstance(obj[key], bytes | list):
                draw_property(column, context, obj, key, key)
        column = self.layout.column(align=True)
        for place, output in outputs:
            row = column.row(align=True)
            change = row.operator(EditOutput.bl_idname, text=f"{output.name}: {output.target} {output.input}")
            change.key, change.place = output.name, place
            gone = row.operator(RemoveOutput.bl_idname, text="", icon="X")
            gone.key, gone.place = output.name, place
        column.operator(EditOutput.bl_idname, text="Add Output", icon="ADD")


CLASSES = (
    *(AddEntity, AddBrushEntity, AddStaticProp, AddOverlay, AddBrush),
    *(CutBrushes, SplitBrushes, MakeBrushEntity, MakeWorldBrush),
    *(EditOutput, RemoveOutput, LEVELWRIGHT_PT_source_edit),
)
