# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons for entities: adding one, and showing what its properties say."""

from __future__ import annotations

import bpy

from ...scene.fields import declared
from ...scene.interface.sidebar import AskingOperator, LevelOperator, active_level, tell
from ...scene.level import needed_root
from ...scene.reports import Report
from ...scene.view import stage
from .. import layout
from ..layers import lists
from ..layout import CLASS
from . import editing


def _names(_operator: bpy.types.Operator, context: bpy.types.Context, text: str) -> list[str]:
    """The classes that can be placed, and those that the level has."""
    level = active_level(context, layout.FORMAT)
    if level is None:
        return []
    known = editing.classes(context, level, Report()).names()
    present = {name for obj in level.all_objects if isinstance(name := obj.get(CLASS), str)}
    return [name for name in sorted({*known, *present}) if text.casefold() in name.casefold()]


class LEVELWRIGHT_OT_ns2_add_entity(AskingOperator):
    """Add an entity to the NS2 level at the 3D cursor, in the layer that is chosen in the list"""

    bl_idname = "levelwright.ns2_add_entity"
    bl_label = "Add NS2 Entity"
    needs_mode = "OBJECT"

    class_name: str = declared.string(
        name="Class", description="What it is, as editor_setup.xml calls it", default="prop_static", search=_names
    )
    in_layer: bool = declared.boolean(
        name="In the chosen layer", description="Otherwise it is in no layer", default=True
    )

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Add it, and select it alone."""
        report = Report()
        place = needed_root(level).matrix_world.inverted_safe() @ stage.scene_of(context).cursor.location
        made = editing.add(context, level, self.class_name, place.to_tuple(), report, self._layer(level))
        for message in report.warnings:
            self.report({"WARNING"}, message)
        stage.select_only(context, [made])

    def _layer(self, level: bpy.types.Collection) -> int | None:
        """The id of the layer that is chosen in the list."""
        items, at = lists.entries(level, "layers"), lists.lists_of(level).active_layer
        number = lists.unsigned(items[at].number) if self.in_layer and at < len(items) else 256
        return number if number < 256 else None


class LEVELWRIGHT_OT_ns2_show_properties(LevelOperator):
    """Make the selected lights, sounds and props look as their properties say"""

    bl_idname = "levelwright.ns2_show_properties"
    bl_label = "Show Properties"
    needs_mode = "OBJECT"

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> bool:
        """Show those that are selected."""
        report = Report()
        shown = editing.show_properties(context, level, context.selected_objects, report)
        report.count("entities", shown)
        tell(self, level, report)
        return shown > 0


CLASSES = (LEVELWRIGHT_OT_ns2_add_entity, LEVELWRIGHT_OT_ns2_show_properties)
