# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's part for entities: what the active one says of itself, and adding new ones."""

from __future__ import annotations

from typing import Any, Literal

import bpy

from ...scene import identity
from ...scene.reports import Report, SceneError
from .. import layout
from ..layers import lists as layers
from ..panel import TITLES, active_level
from . import editing as entity_edit
from . import values as entity_values
from .values import CLASS

Result = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]


def _names(_operator: Any, context: bpy.types.Context, text: str) -> list[str]:
    """The classes that can be placed, and those that the level has."""
    level = active_level(context)
    if level is None:
        return []
    known = entity_edit.classes(context, level, Report()).names()
    present = {name for obj in level.all_objects if isinstance(name := obj.get(CLASS), str)}
    return [name for name in sorted({*known, *present}) if text.casefold() in name.casefold()]


class AddEntity(bpy.types.Operator):
    """Add an entity to the NS2 level at the 3D cursor, in the layer that is chosen in the list"""

    bl_idname = "levelwright.ns2_add_entity"
    bl_label = "Add NS2 Entity"
    bl_options = {"REGISTER", "UNDO"}

    class_name: bpy.props.StringProperty(
        name="Class", description="What it is, as editor_setup.xml calls it", default="prop_static", search=_names
    )
    in_layer: bpy.props.BoolProperty(
        name="In the chosen layer", description="Otherwise it is in no layer", default=True
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a level of the game."""
        return active_level(context) is not None and context.mode == "OBJECT"

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Ask for the class."""
        manager: Any = context.window_manager
        result: Result = manager.invoke_props_dialog(self)
        return result

    def execute(self, context: bpy.types.Context) -> Result:
        """Add it, and select it alone."""
        level = active_level(context)
        root = layout.object_of(level, layout.ROOT) if level is not None else None
        scene: Any = context.scene
        if level is None or root is None:
            self.report({"ERROR"}, "the level has no root empty")
            return {"CANCELLED"}
        report = Report()
        try:
            place = root.matrix_world.inverted_safe() @ scene.cursor.location
            made = entity_edit.add(context, level, self.class_name, place, report, self._layer(level))
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for message in report.warnings:
            self.report({"WARNING"}, message)
        entity_edit.select_only(context, [made])
        return {"FINISHED"}

    def _layer(self, level: bpy.types.Collection) -> int | None:
        """The id of the layer that is chosen in the list."""
        items, at = layers.entries(level, "layers"), getattr(layers.lists_of(level), TITLES["layers"][1])
        number = layers.unsigned(items[at].number) if self.in_layer and at < len(items) else 256
        return number if number < 256 else None


class ShowProperties(bpy.types.Operator):
    """Make the selected lights, sounds and props look as their properties say"""

    bl_idname = "levelwright.ns2_show_properties"
    bl_label = "Show Properties"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a level of the game."""
        return active_level(context) is not None and context.mode == "OBJECT"

    def execute(self, context: bpy.types.Context) -> Result:
        """Show those that are selected."""
        level, report = active_level(context), Report()
        if level is None:
            return {"CANCELLED"}
        try:
            shown = entity_edit.show_properties(context, level, context.selected_objects, report)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        report.count("entities", shown)
        report.forward(self)
        return {"FINISHED"} if shown else {"CANCELLED"}


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
        for key in entity_values.written_keys(obj):
            if not isinstance(obj[key], bytes):
                column.prop(obj, f'["{bpy.utils.escape_identifier(key)}"]', text=key)


CLASSES = (AddEntity, ShowProperties, LEVELWRIGHT_PT_ns2_entity)


def register() -> None:
    """Register the operator and the panel."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    """Undo `register`."""
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
