# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's part for entities: what the active one says of itself, and adding new ones."""

from __future__ import annotations

import bpy

from ...scene.interface.sidebar import LevelPanel, draw_property
from ...scene.kept import identity
from .. import layout
from ..layout import CLASS
from . import custom_properties
from .operators import LEVELWRIGHT_OT_ns2_add_entity, LEVELWRIGHT_OT_ns2_show_properties


class LEVELWRIGHT_PT_ns2_entity(LevelPanel, bpy.types.Panel):
    """The active object, if it is an entity."""

    bl_label = "Entity"
    bl_parent_id = "LEVELWRIGHT_PT_ns2"

    def draw(self, context: bpy.types.Context) -> None:
        """Draw its class and properties."""
        column = self.layout.column()
        column.operator(LEVELWRIGHT_OT_ns2_add_entity.bl_idname, icon="ADD")
        obj = context.active_object
        if obj is None or obj.get(CLASS) is None or identity.kind_of(obj) not in (None, layout.ENTITY):
            return
        column.operator(LEVELWRIGHT_OT_ns2_show_properties.bl_idname, icon="FILE_REFRESH")
        draw_property(column, context, obj, CLASS, "Class")
        for key in custom_properties.written_keys(obj):
            if not isinstance(obj[key], bytes):
                draw_property(column, context, obj, key, key)


CLASSES = (LEVELWRIGHT_PT_ns2_entity,)
