# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons of the list of mapping groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
import numpy as np

from ....formats.ns2.editing.mappings import FIRST_ID, USUAL_SCALE
from ....formats.ns2.records import MAPPING_GROUP
from ...scene.fields import declared
from ...scene.interface.sidebar import LevelOperator
from . import textures
from .build import add_groups, of_file
from .collect import collect_groups, held

if TYPE_CHECKING:
    from .properties import Ns2MappingGroup


class _OnGroups(LevelOperator):
    """What operators share that are about the active level's mapping groups."""

    idle = "No mapping group is chosen in the list"

    def chosen(self, level: bpy.types.Collection) -> Ns2MappingGroup | None:
        """The chosen item of the list; None where there is none."""
        state = held(level)
        return state.groups[state.active] if state.active < len(state.groups) else None


class LEVELWRIGHT_OT_ns2_list_mapping(_OnGroups):
    """List the mapping groups of a level that an older version of Levelwright imported"""

    bl_idname = "levelwright.ns2_list_mapping"
    bl_label = "List Mapping Groups"

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> bool:
        """Do it."""
        add_groups(level, np.zeros(0, MAPPING_GROUP))
        return True


class LEVELWRIGHT_OT_ns2_add_mapping(_OnGroups):
    """Add a mapping group. In edit mode the selected faces are in it, and the texture runs on from the first of them"""

    bl_idname = "levelwright.ns2_add_mapping"
    bl_label = "Add"

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> bool:
        """Add it at the end, choose it, and put the selected faces into it."""
        record = textures.of_selected(context, level)
        if record is None:
            record = np.zeros(1, MAPPING_GROUP)
            record["scale"], record["normal"] = USUAL_SCALE, (0, 1, 0)
        used = collect_groups(level, of_file(level))["id"]
        record["id"] = np.setdiff1d(np.arange(FIRST_ID, FIRST_ID + len(used) + 1), used)[0]
        add_groups(level, record)
        state = held(level)
        state.active = len(state.groups) - 1
        textures.assign(context, level, state.groups[state.active])
        return True


class LEVELWRIGHT_OT_ns2_remove_mapping(_OnGroups):
    """Remove the chosen mapping group; its faces have angle, scale and offset of their own then"""

    bl_idname = "levelwright.ns2_remove_mapping"
    bl_label = "Remove"

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> bool:
        """Take all faces out of it, then remove it."""
        state, item = held(level), self.chosen(level)
        if item is None:
            return False
        textures.take_out_all(level, item.number)
        state.groups.remove(state.active)
        state.active = max(min(state.active, len(state.groups) - 1), 0)
        return True


class LEVELWRIGHT_OT_ns2_assign_mapping(_OnGroups):
    """Put the selected faces into the chosen mapping group, whose texture they get; or take them out of it"""

    bl_idname = "levelwright.ns2_assign_mapping"
    bl_label = "Assign"
    needs_mode = "EDIT_MESH"

    on: bool = declared.boolean(name="In", default=True, options={"SKIP_SAVE"})

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> bool:
        """Do it, and say how many changed."""
        item = self.chosen(level)
        if item is None:
            return False
        count = textures.assign(context, level, item) if self.on else textures.take_out(context, item.number)
        self.report({"INFO"}, f"{count} changed")
        return True


class LEVELWRIGHT_OT_ns2_select_mapping(_OnGroups):
    """Select also the faces that are in the chosen mapping group"""

    bl_idname = "levelwright.ns2_select_mapping"
    bl_label = "Select"
    needs_mode = "EDIT_MESH"

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> bool:
        """Do it, and say how many there are."""
        item = self.chosen(level)
        if item is None:
            return False
        self.report({"INFO"}, f"{textures.select(context, item.number)} selected")
        return True


CLASSES = (
    LEVELWRIGHT_OT_ns2_list_mapping,
    LEVELWRIGHT_OT_ns2_add_mapping,
    LEVELWRIGHT_OT_ns2_remove_mapping,
    LEVELWRIGHT_OT_ns2_assign_mapping,
    LEVELWRIGHT_OT_ns2_select_mapping,
)
