# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons of the lists of layers and groups: entries, and what is in them."""

from typing import Any

import bpy

from ...scene.reports import SceneError
from ...scene.sidebar import OnLevel, Result, refuse
from .. import layout
from . import assign, lists, visibility
from .build import add_entry

TITLES: dict[lists.Kind, tuple[str, str]] = {
    "layers": ("Layers", "active_layer"),
    "groups": ("Groups", "active_group"),
}
"""List -> title, and the property that says which of its entries is chosen."""


def _kind_property() -> Any:
    items = [(kind, title, "") for kind, (title, _) in TITLES.items()]
    return bpy.props.EnumProperty(items=items, options={"HIDDEN", "SKIP_SAVE"})


def _chosen(level: bpy.types.Collection, kind: lists.Kind) -> Any:
    """The entry that is chosen in a list; None where it has none."""
    items = lists.entries(level, kind)
    at = getattr(lists.lists_of(level), TITLES[kind][1])
    return items[at] if at < len(items) else None


class _OnLists(OnLevel):
    """What operators share that change the active level's lists, or what is in them."""

    format_key = layout.FORMAT


class LEVELWRIGHT_OT_ns2_add_entry(_OnLists, bpy.types.Operator):
    """Add a layer or a group"""

    bl_idname = "levelwright.ns2_add_entry"
    bl_label = "Add"
    bl_options = {"REGISTER", "UNDO"}

    kind: _kind_property()
    name: bpy.props.StringProperty(name="Name", default="New", options={"SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> Result:
        """Add it at the end, and choose it."""
        level = self.level(context)
        if level is None:
            return {"CANCELLED"}
        try:
            add_entry(level, self.kind, self.name)
        except SceneError as error:
            return refuse(self, context, error)
        setattr(lists.lists_of(level), TITLES[self.kind][1], len(lists.entries(level, self.kind)) - 1)
        return {"FINISHED"}


class LEVELWRIGHT_OT_ns2_remove_entry(_OnLists, bpy.types.Operator):
    """Remove the chosen layer or group; what is in it stays in the level"""

    bl_idname = "levelwright.ns2_remove_entry"
    bl_label = "Remove"
    bl_options = {"REGISTER", "UNDO"}

    kind: _kind_property()

    def execute(self, context: bpy.types.Context) -> Result:
        """Take everything out of it, then remove it."""
        level = self.level(context)
        item = _chosen(level, self.kind) if level is not None else None
        if level is None or item is None:
            return {"CANCELLED"}
        number, place = lists.unsigned(item.number), TITLES[self.kind][1]
        try:
            assign.take_out_all(level, self.kind, number)
        except SceneError as error:
            return refuse(self, context, SceneError(f"{item.name}: {error}", error.objects))
        items, held = lists.entries(level, self.kind), lists.lists_of(level)
        at = getattr(held, place)
        items.remove(at)
        setattr(held, place, max(min(at, len(items) - 1), 0))
        visibility.show(level)
        return {"FINISHED"}


class LEVELWRIGHT_OT_ns2_move_entry(_OnLists, bpy.types.Operator):
    """Move the chosen layer or group in the editor's order"""

    bl_idname = "levelwright.ns2_move_entry"
    bl_label = "Move"
    bl_options = {"REGISTER", "UNDO"}

    kind: _kind_property()
    by: bpy.props.IntProperty(options={"HIDDEN", "SKIP_SAVE"}, default=1)

    def execute(self, context: bpy.types.Context) -> Result:
        """Exchange it with the one above or below."""
        level = self.level(context)
        if level is None:
            return {"CANCELLED"}
        items, held, place = lists.entries(level, self.kind), lists.lists_of(level), TITLES[self.kind][1]
        at = getattr(held, place)
        if not 0 <= at + self.by < len(items):
            return {"CANCELLED"}
        items.move(at, at + self.by)
        setattr(held, place, at + self.by)
        return {"FINISHED"}


class LEVELWRIGHT_OT_ns2_assign(_OnLists, bpy.types.Operator):
    """Put the selected faces (in edit mode) or objects into the chosen layer or group, or take them out of it"""

    bl_idname = "levelwright.ns2_assign"
    bl_label = "Assign"
    bl_options = {"REGISTER", "UNDO"}

    kind: _kind_property()
    on: bpy.props.BoolProperty(name="In", default=True, options={"SKIP_SAVE"})

    def execute(self, context: bpy.types.Context) -> Result:
        """Do it, and say how many changed."""
        level = self.level(context)
        item = _chosen(level, self.kind) if level is not None else None
        if level is None or item is None:
            return {"CANCELLED"}
        try:
            count = assign.assign(context, level, self.kind, lists.unsigned(item.number), self.on)
        except SceneError as error:
            return refuse(self, context, error)
        self.report({"INFO"}, f"{count} changed")
        visibility.show(level)
        return {"FINISHED"}


class LEVELWRIGHT_OT_ns2_select(_OnLists, bpy.types.Operator):
    """Select also the faces (in edit mode) or objects that are in the chosen layer or group"""

    bl_idname = "levelwright.ns2_select"
    bl_label = "Select"
    bl_options = {"REGISTER", "UNDO"}

    kind: _kind_property()

    def execute(self, context: bpy.types.Context) -> Result:
        """Do it, and say how many there are."""
        level = self.level(context)
        item = _chosen(level, self.kind) if level is not None else None
        if level is None or item is None:
            return {"CANCELLED"}
        self.report({"INFO"}, f"{assign.select(context, level, self.kind, lists.unsigned(item.number))} selected")
        return {"FINISHED"}


CLASSES = (
    LEVELWRIGHT_OT_ns2_add_entry,
    LEVELWRIGHT_OT_ns2_remove_entry,
    LEVELWRIGHT_OT_ns2_move_entry,
    LEVELWRIGHT_OT_ns2_assign,
    LEVELWRIGHT_OT_ns2_select,
)
