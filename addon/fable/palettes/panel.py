# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's lists of themes, atmospheres and sounds."""

import bpy

from ...scene.blender_types import Value
from ...scene.interface.sidebar import ItemList, LevelPanel, draw_items
from . import lists
from .lists import LISTS
from .operators import LEVELWRIGHT_OT_fable_add_name, LEVELWRIGHT_OT_fable_remove_name


class LEVELWRIGHT_UL_fable_names(ItemList, bpy.types.UIList):
    """Names with the slots, or numbers, that they are."""

    def draw_line(self, row: bpy.types.UILayout, item: Value, _active_property: str) -> None:
        """Draw a name, which a double click edits."""
        split = row.split(factor=0.1)
        split.label(text=str(item.slot))
        split.prop(item, "name", text="", emboss=False)


class _NamesPanel(LevelPanel, bpy.types.Panel):
    """What the panels of the lists share."""

    bl_parent_id = "LEVELWRIGHT_PT_fable"
    bl_order = 4
    bl_options = {"DEFAULT_CLOSED"}

    kind: lists.List

    def draw_level(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Draw the list and its buttons."""
        held = lists.of(level)
        row = draw_items(
            self.layout, LEVELWRIGHT_UL_fable_names, self.kind, (held, self.kind), (held, LISTS[self.kind][1])
        )
        row.operator(LEVELWRIGHT_OT_fable_add_name.bl_idname, text="", icon="ADD").kind = self.kind
        row.operator(LEVELWRIGHT_OT_fable_remove_name.bl_idname, text="", icon="REMOVE").kind = self.kind


class LEVELWRIGHT_PT_fable_themes(_NamesPanel):
    """The ground's themes; the chosen one is what weight painting paints on the terrain."""

    bl_label = "Themes"
    kind = "themes"


class LEVELWRIGHT_PT_fable_atmospheres(_NamesPanel):
    """The atmospheres of the game map."""

    bl_label = "Atmospheres"
    kind = "atmospheres"


class LEVELWRIGHT_PT_fable_sounds(_NamesPanel):
    """The sounds of the game map."""

    bl_label = "Sounds"
    kind = "sounds"


CLASSES = (
    LEVELWRIGHT_UL_fable_names,
    LEVELWRIGHT_PT_fable_themes,
    LEVELWRIGHT_PT_fable_atmospheres,
    LEVELWRIGHT_PT_fable_sounds,
)
