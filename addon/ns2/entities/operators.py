# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons for entities: adding one, and showing what its properties say."""

from __future__ import annotations

from typing import Any, Literal

import bpy

from ...scene.reports import Report, SceneError
from .. import layout
from ..layers import lists
from ..layout import CLASS
from . import editing

Result = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]


def _names(_operator: Any, context: bpy.types.Context, text: str) -> list[str]:
    """The classes that can be placed, and those that the level has."""
    level = layout.active_level(context)
    if level is None:
        return []
    known = editing.classes(context, level, Report()).names()
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
        return layout.active_level(context) is not None and context.mode == "OBJECT"

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Ask for the class."""
        manager: Any = context.window_manager
        result: Result = manager.invoke_props_dialog(self)
        return result

    def execute(self, context: bpy.types.Context) -> Result:
        """Add it, and select it alone."""
        level = layout.active_level(context)
        root = layout.object_of(level, layout.ROOT) if level is not None else None
        scene: Any = context.scene
        if level is None or root is None:
            self.report({"ERROR"}, "the level has no root empty")
            return {"CANCELLED"}
        report = Report()
        try:
            place = root.matrix_world.inverted_safe() @ scene.cursor.location
            made = editing.add(context, level, self.class_name, place, report, self._layer(level))
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for message in report.warnings:
            self.report({"WARNING"}, message)
        editing.select_only(context, [made])
        return {"FINISHED"}

    def _layer(self, level: bpy.types.Collection) -> int | None:
        """The id of the layer that is chosen in the list."""
        items, at = lists.entries(level, "layers"), lists.lists_of(level).active_layer
        number = lists.unsigned(items[at].number) if self.in_layer and at < len(items) else 256
        return number if number < 256 else None


class ShowProperties(bpy.types.Operator):
    """Make the selected lights, sounds and props look as their properties say"""

    bl_idname = "levelwright.ns2_show_properties"
    bl_label = "Show Properties"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a level of the game."""
        return layout.active_level(context) is not None and context.mode == "OBJECT"

    def execute(self, context: bpy.types.Context) -> Result:
        """Show those that are selected."""
        level, report = layout.active_level(context), Report()
        if level is None:
            return {"CANCELLED"}
        try:
            shown = editing.show_properties(context, level, context.selected_objects, report)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        report.count("entities", shown)
        report.forward(self)
        return {"FINISHED"} if shown else {"CANCELLED"}


CLASSES = (AddEntity, ShowProperties)
