# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's part for NS2 levels: the lists of layers and groups, what is in them, and smooth edges."""

from typing import Any, Literal

import bpy

from ..scene import originals
from ..scene.reports import SceneError
from . import layout
from .layers import assign
from .layers import lists as layers
from .layers import visibility as view

Result = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]
TITLES: dict[layers.Kind, tuple[str, str]] = {
    "layers": ("Layers", "active_layer"),
    "groups": ("Groups", "active_group"),
}
"""List -> title, and the property that says which of its entries is chosen."""


def active_level(context: bpy.types.Context) -> bpy.types.Collection | None:
    """The active level, if it is one of NS2."""
    level = originals.level_of(context)
    info = originals.describe(level) if level is not None else None
    return level if info is not None and info.format == layout.FORMAT else None


def _kind_property() -> Any:
    items = [(kind, title, "") for kind, (title, _) in TITLES.items()]
    return bpy.props.EnumProperty(items=items, options={"HIDDEN", "SKIP_SAVE"})


def _chosen(level: bpy.types.Collection, kind: layers.Kind) -> Any:
    """The entry that is chosen in a list; None where it has none."""
    items = layers.entries(level, kind)
    at = getattr(layers.lists_of(level), TITLES[kind][1])
    return items[at] if at < len(items) else None


class _OnLists:
    """What operators share that change the active level's lists, or what is in them."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a level."""
        return active_level(context) is not None


class AddEntry(_OnLists, bpy.types.Operator):
    """Add a layer or a group"""

    bl_idname = "levelwright.ns2_add_entry"
    bl_label = "Add"
    bl_options = {"REGISTER", "UNDO"}

    kind: _kind_property()
    name: bpy.props.StringProperty(name="Name", default="New", options={"SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> Result:
        """Add it at the end, and choose it."""
        level = active_level(context)
        if level is None:
            return {"CANCELLED"}
        try:
            layers.add(level, self.kind, self.name)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        setattr(layers.lists_of(level), TITLES[self.kind][1], len(layers.entries(level, self.kind)) - 1)
        return {"FINISHED"}


class RemoveEntry(_OnLists, bpy.types.Operator):
    """Remove the chosen layer or group; what is in it stays in the level"""

    bl_idname = "levelwright.ns2_remove_entry"
    bl_label = "Remove"
    bl_options = {"REGISTER", "UNDO"}

    kind: _kind_property()

    def execute(self, context: bpy.types.Context) -> Result:
        """Take everything out of it, then remove it."""
        level = active_level(context)
        item = _chosen(level, self.kind) if level is not None else None
        if level is None or item is None:
            return {"CANCELLED"}
        number, place = layers.unsigned(item.number), TITLES[self.kind][1]
        try:
            assign.take_out_all(level, self.kind, number)
        except SceneError as error:
            self.report({"ERROR"}, f"{item.name}: {error}")
            return {"CANCELLED"}
        items, lists = layers.entries(level, self.kind), layers.lists_of(level)
        at = getattr(lists, place)
        items.remove(at)
        setattr(lists, place, max(min(at, len(items) - 1), 0))
        view.show(level)
        return {"FINISHED"}


class MoveEntry(_OnLists, bpy.types.Operator):
    """Move the chosen layer or group in the editor's order"""

    bl_idname = "levelwright.ns2_move_entry"
    bl_label = "Move"
    bl_options = {"REGISTER", "UNDO"}

    kind: _kind_property()
    by: bpy.props.IntProperty(options={"HIDDEN", "SKIP_SAVE"}, default=1)

    def execute(self, context: bpy.types.Context) -> Result:
        """Exchange it with the one above or below."""
        level = active_level(context)
        if level is None:
            return {"CANCELLED"}
        items, lists, place = layers.entries(level, self.kind), layers.lists_of(level), TITLES[self.kind][1]
        at = getattr(lists, place)
        if not 0 <= at + self.by < len(items):
            return {"CANCELLED"}
        items.move(at, at + self.by)
        setattr(lists, place, at + self.by)
        return {"FINISHED"}


class Assign(_OnLists, bpy.types.Operator):
    """Put the selected faces (in edit mode) or objects into the chosen layer or group, or take them out of it"""

    bl_idname = "levelwright.ns2_assign"
    bl_label = "Assign"
    bl_options = {"REGISTER", "UNDO"}

    kind: _kind_property()
    on: bpy.props.BoolProperty(name="In", default=True, options={"SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> Result:
        """Do it, and say how many changed."""
        level = active_level(context)
        item = _chosen(level, self.kind) if level is not None else None
        if level is None or item is None:
            return {"CANCELLED"}
        try:
            count = assign.assign(context, level, self.kind, layers.unsigned(item.number), self.on)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        self.report({"INFO"}, f"{count} changed")
        view.show(level)
        return {"FINISHED"}


class Select(_OnLists, bpy.types.Operator):
    """Select also the faces (in edit mode) or objects that are in the chosen layer or group"""

    bl_idname = "levelwright.ns2_select"
    bl_label = "Select"
    bl_options = {"REGISTER", "UNDO"}

    kind: _kind_property()

    def execute(self, context: bpy.types.Context) -> Result:
        """Do it, and say how many there are."""
        level = active_level(context)
        item = _chosen(level, self.kind) if level is not None else None
        if level is None or item is None:
            return {"CANCELLED"}
        self.report({"INFO"}, f"{assign.select(context, level, self.kind, layers.unsigned(item.number))} selected")
        return {"FINISHED"}


class SmoothEdges(_OnLists, bpy.types.Operator):
    """Make the selected edges smooth, or hard, as the game shows them"""

    bl_idname = "levelwright.ns2_smooth_edges"
    bl_label = "Smooth Edges"
    bl_options = {"REGISTER", "UNDO"}

    smooth: bpy.props.BoolProperty(name="Smooth", default=True, options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a level, and for a mesh in edit mode."""
        return context.mode == "EDIT_MESH" and active_level(context) is not None

    def execute(self, context: bpy.types.Context) -> Result:
        """Do it, and say how many there are."""
        self.report({"INFO"}, f"{assign.set_smooth(context, self.smooth)} edges")
        return {"FINISHED"}


class LEVELWRIGHT_UL_ns2_entries(bpy.types.UIList):
    """Layers or groups: colour, name, whether they are shown."""

    def draw_item(  # Blender counts the parameters
        self,
        _context: Any,
        row: Any,
        _data: Any,
        item: Any,
        _icon: Any,
        _active_data: Any,
        active_property: Any,
        _index: Any = 0,
        _flag: Any = 0,
    ) -> None:
        """Draw an entry; a double click edits its name."""
        split = row.split(factor=0.12)
        split.prop(item, "color", text="")
        line = split.row(align=True)
        line.prop(item, "name", text="", emboss=False)
        if active_property == TITLES["layers"][1]:
            line.prop(item, "pathing", text="", icon="MOD_DYNAMICPAINT", emboss=item.pathing)
        line.prop(item, "visible", text="", icon="HIDE_OFF" if item.visible else "HIDE_ON", emboss=False)


class LEVELWRIGHT_PT_ns2(bpy.types.Panel):
    """The active NS2 level."""

    bl_label = "NS2"
    bl_category = "Levelwright"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a level of the game."""
        return active_level(context) is not None

    def draw(self, context: bpy.types.Context) -> None:
        """Draw what concerns the whole level."""
        level = active_level(context)
        if level is None:
            return
        self.layout.prop(layers.lists_of(level), "hide_undrawn")
        if context.mode == "EDIT_MESH":
            row: Any = self.layout.row(align=True)
            row.operator(SmoothEdges.bl_idname, text="Smooth Edges").smooth = True
            row.operator(SmoothEdges.bl_idname, text="Hard Edges").smooth = False


class _ListPanel(bpy.types.Panel):
    """What the panels of the lists share."""

    bl_category = "Levelwright"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_parent_id = "LEVELWRIGHT_PT_ns2"

    kind: layers.Kind

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the list and its buttons."""
        level = active_level(context)
        if level is None:
            return
        lists, active = layers.lists_of(level), TITLES[self.kind][1]
        row = self.layout.row()
        row.template_list("LEVELWRIGHT_UL_ns2_entries", self.kind, lists, self.kind, lists, active)
        column: Any = row.column(align=True)
        column.operator(AddEntry.bl_idname, text="", icon="ADD").kind = self.kind
        column.operator(RemoveEntry.bl_idname, text="", icon="REMOVE").kind = self.kind
        for by, icon in ((-1, "TRIA_UP"), (1, "TRIA_DOWN")):
            move = column.operator(MoveEntry.bl_idname, text="", icon=icon)
            move.kind, move.by = self.kind, by
        buttons: Any = self.layout.row(align=True)
        for on, title in ((True, "Assign"), (False, "Remove")):
            button = buttons.operator(Assign.bl_idname, text=title)
            button.kind, button.on = self.kind, on
        buttons.operator(Select.bl_idname).kind = self.kind


class LEVELWRIGHT_PT_ns2_layers(_ListPanel):
    """The level's layers."""

    bl_label = "Layers"
    kind: layers.Kind = "layers"


class LEVELWRIGHT_PT_ns2_groups(_ListPanel):
    """The level's groups."""

    bl_label = "Groups"
    kind: layers.Kind = "groups"


CLASSES = (
    AddEntry,
    RemoveEntry,
    MoveEntry,
    Assign,
    Select,
    SmoothEdges,
    LEVELWRIGHT_UL_ns2_entries,
    LEVELWRIGHT_PT_ns2,
    LEVELWRIGHT_PT_ns2_layers,
    LEVELWRIGHT_PT_ns2_groups,
)


def register() -> None:
    """Register the operators and the panels."""
    for cls in CLASSES:
        bpy.utils.register_class(cls)


def unregister() -> None:
    """Undo `register`."""
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
