# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's part for entities: what the active one says of itself, and adding new ones."""

from __future__ import annotations

from typing import Any

import bpy

from ...scene import identity
from .. import layout
from ..layout import CLASS
from . import custom_properties
from .operators import AddEntity, ShowProperties


class LEVELWRIGHT_PT_ns2_entity(bpy.types.Panel):
    """The active object, if it is an entity."""

    bl_label = "Entity"
    bl_category = "Levelwright"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_parent_id = "LEVELWRIGHT_PT_ns2"

    def draw(self, context: bpy.types.Context) -> None:
        """Draw its class and properties."""
        column: Any = self.layout.column()
        column.operator(AddEntity.bl_idname, icon="ADD")
        obj = context.active_object
        mark = identity.stamped(obj) if obj is not None else None
        if obj is None or obj.get(CLASS) is None or (mark is not None and mark.kind != layout.ENTITY):
            return
        column.operator(ShowProperties.bl_idname, icon="FILE_REFRESH")
        column.use_property_split = True
        column.prop(obj, f'["{CLASS}"]', text="Class")
        for key in custom_properties.written_keys(obj):
            if not isinstance(obj[key], bytes):
                column.prop(obj, f'["{bpy.utils.escape_identifier(key)}"]', text=key)


CLASSES = (LEVELWRIGHT_PT_ns2_entity,)
