# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's part for Fable levels: what is drawn over the ground, and the lists of themes, atmospheres, sounds."""

from typing import Any

import bpy

from ..scene import identity
from . import layout
from .palettes import lists as palettes
from .palettes.operators import LISTS, AddName, RemoveName, Result, active_level
from .terrain import materials, overlays


class ShowOverlay(bpy.types.Operator):
    """Draw where creatures may walk, what sounds where, ... over the ground; again, it follows what was edited since"""

    bl_idname = "levelwright.fable_overlay"
    bl_label = "Show"
    bl_options = {"REGISTER", "UNDO"}

    kind: bpy.props.EnumProperty(
        name="Show", items=[(kind, title, tooltip) for kind, (title, tooltip) in overlays.KINDS.items()]
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a level."""
        return active_level(context) is not None

    def execute(self, context: bpy.types.Context) -> Result:
        """Switch the terrain's material."""
        level = active_level(context)
        if level is None or not overlays.show(level, self.kind):
            self.report({"ERROR"}, "The level's terrain is gone, or is being edited, or has another material")
            return {"CANCELLED"}
        return {"FINISHED"}


class RefreshGround(bpy.types.Operator):
    """Colour the ground by its themes as they are painted now"""

    bl_idname = "levelwright.fable_refresh"
    bl_label = "Refresh Ground"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a level."""
        return active_level(context) is not None

    def execute(self, context: bpy.types.Context) -> Result:
        """Read the weight layers, and colour the terrain."""
        level = active_level(context)
        if level is None or not materials.refresh(context, level):
            self.report({"ERROR"}, "The level's terrain is gone, or is being edited, or has shape keys")
            return {"CANCELLED"}
        return {"FINISHED"}


class LEVELWRIGHT_UL_fable_names(bpy.types.UIList):
    """Names with the slots, or numbers, that they are."""

    def draw_item(  # Blender counts the parameters
        self,
        _context: Any,
        row: Any,
        _data: Any,
        item: Any,
        _icon: Any,
        _active_data: Any,
        _active_property: Any,
        _index: Any = 0,
        _flag: Any = 0,
    ) -> None:
        """Draw a name, which a double click edits."""
        split = row.split(factor=0.15)
        split.label(text=str(item.slot))
        split.prop(item, "name", text="", emboss=False)


class LEVELWRIGHT_PT_fable(bpy.types.Panel):
    """The active Fable level, and what of it the active object is."""

    bl_label = "Fable"
    bl_category = "Levelwright"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a level of the game."""
        return active_level(context) is not None

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the overlays' switch, and the properties of the active object."""
        level = active_level(context)
        if level is None:
            return
        row = self.layout.row(align=True)
        title, _ = overlays.KINDS[overlays.shown(level)]
        row.operator_menu_enum(ShowOverlay.bl_idname, "kind", text=f"Show: {title}", icon="OVERLAY")
        row.operator(RefreshGround.bl_idname, text="", icon="FILE_REFRESH")
        obj: Any = context.active_object
        mark = identity.stamped(obj) if obj is not None else None
        if mark is None or mark.kind != layout.THING:
            return
        column = self.layout.column(align=True)
        column.label(text=obj.name)
        for key in obj.keys():  # noqa: SIM118 - a block of Blender's, no dictionary
            if not key.startswith("levelwright") and isinstance(obj[key], bool | int | float | str):
                column.prop(obj, f'["{bpy.utils.escape_identifier(key)}"]', text=key)


class _NamesPanel(bpy.types.Panel):
    """What the panels of the lists share."""

    bl_category = "Levelwright"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_parent_id = "LEVELWRIGHT_PT_fable"
    bl_options = {"DEFAULT_CLOSED"}

    kind: palettes.List

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the list and its buttons."""
        level = active_level(context)
        if level is None:
            return
        row = self.layout.row()
        row.template_list(
            "LEVELWRIGHT_UL_fable_names",
            self.kind,
            palettes.lists_of(level),
            self.kind,
            palettes.lists_of(level),
            LISTS[self.kind][1],
        )
        column: Any = row.column(align=True)
        for operator, icon in ((AddName, "ADD"), (RemoveName, "REMOVE")):
            column.operator(operator.bl_idname, text="", icon=icon).kind = self.kind


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
    ShowOverlay,
    RefreshGround,
    LEVELWRIGHT_UL_fable_names,
    LEVELWRIGHT_PT_fable,
    LEVELWRIGHT_PT_fable_themes,
    LEVELWRIGHT_PT_fable_atmospheres,
    LEVELWRIGHT_PT_fable_sounds,
)


def register() -> None:
    """Register the operators and the panels."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    """Undo `register`."""
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
