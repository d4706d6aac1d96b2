# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that put things onto the ground, and add new ones."""

from __future__ import annotations

import bpy

from ....formats.counting import number_of
from ...scene.fields import declared
from ...scene.interface.sidebar import LevelOperator, SearchingOperator
from ...scene.names import showable
from ...scene.reports import SceneError
from ...scene.view import stage
from .place import add_thing, definitions, drop, follow_ground


class LEVELWRIGHT_OT_fable_follow_ground(LevelOperator):
    """Let things keep their height above the ground, which was sculpted since the import or since this was last used"""

    bl_idname = "levelwright.fable_follow_ground"
    bl_label = "Things Follow Ground"

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Move them, and say how many."""
        self.report({"INFO"}, f"{number_of(follow_ground(context, level), 'things')} moved with the ground")


class LEVELWRIGHT_OT_fable_drop(LevelOperator):
    """Put the selected things onto the ground"""

    bl_idname = "levelwright.fable_drop"
    bl_label = "Drop to Ground"
    needs_selection = True

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Move them, and say how many."""
        count = drop(context, level, context.selected_objects)
        if not count:
            raise SceneError("No thing of the level is selected")
        self.report({"INFO"}, f"{number_of(count, 'things')} on the ground")


def _listed(_operator: object, context: bpy.types.Context | None) -> declared.Items:
    """Of "Holy Site HOLY_SITE_BASIC" the list shows the last word: it is narrow, and cuts names in their middle."""
    names = [] if context is None else [showable(name) for name in definitions(context)]
    return [(name, name.rpartition(" ")[2] or name, name) for name in names]


class LEVELWRIGHT_OT_fable_add_thing(SearchingOperator):
    """Add a thing at the 3D cursor, on the ground, of a definition that the opened levels have"""

    bl_idname = "levelwright.fable_add_thing"
    bl_label = "Add Thing"
    bl_property = "definition"

    definition: str = declared.menu(name="Definition", items=declared.items(_listed))

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Make it, select it alone, and make it the active one."""
        if self.definition == declared.NOTHING:
            raise SceneError("no level that is opened has a thing: one more of them can't be made")
        stage.select_only(context, [add_thing(context, level, self.definition)])


CLASSES = (LEVELWRIGHT_OT_fable_follow_ground, LEVELWRIGHT_OT_fable_drop, LEVELWRIGHT_OT_fable_add_thing)
