# SPDX-License-Identifier: GPL-3.0-or-later
"""Buttons of the lists of layers and groups: entries, and what is in them."""

from typing import cast

import bpy

from ...scene.fields import declared
from ...scene.interface.sidebar import LevelOperator
from ...scene.reports import SceneError
from . import assign, lists, visibility
from .build import add_entry

TITLES: dict[lists.Kind, tuple[str, str]] = {
    "layers": ("Layers", "active_layer"),
    "groups": ("Groups", "active_group"),
}
"""List -> title, and the property that says which of its entries is chosen."""


class _OnLists(LevelOperator):
    """What operators share that change one of the active level's lists, or what is in its entries."""

    idle = "No entry of the list is chosen that this can be done to"

    kind: lists.Kind = cast(
        lists.Kind,
        declared.menu(
            items=[(kind, title, "") for kind, (title, _) in TITLES.items()], options={"HIDDEN", "SKIP_SAVE"}
        ),
    )

    def chosen(self, level: bpy.types.Collection) -> int:
        """The place of the chosen entry in the list; -1 where it has none."""
        at = int(getattr(lists.lists_of(level), TITLES[self.kind][1]))
        return at if at < len(lists.entries(level, self.kind)) else -1

    def choose(self, level: bpy.types.Collection, at: int) -> None:
        """Choose another entry."""
        setattr(lists.lists_of(level), TITLES[self.kind][1], at)

    def number(self, level: bpy.types.Collection) -> int | None:
        """The id of the chosen layer or group; None where none is."""
        at = self.chosen(level)
        return lists.unsigned(lists.entries(level, self.kind)[at].number) if at >= 0 else None


class LEVELWRIGHT_OT_ns2_add_entry(_OnLists):
    """Add a layer or a group"""

    bl_idname = "levelwright.ns2_add_entry"
    bl_label = "Add"

    name: str = declared.string(name="Name", default="New", options={"SKIP_SAVE"})

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> bool:
        """Add it at the end, and choose it."""
        add_entry(level, self.kind, self.name)
        self.choose(level, len(lists.entries(level, self.kind)) - 1)
        return True


class LEVELWRIGHT_OT_ns2_remove_entry(_OnLists):
    """Remove the chosen layer or group; what is in it stays in the level"""

    bl_idname = "levelwright.ns2_remove_entry"
    bl_label = "Remove"

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> bool:
        """Take everything out of it, then remove it."""
        number, at = self.number(level), self.chosen(level)
        if number is None:
            return False
        items = lists.entries(level, self.kind)
        try:
            assign.take_out_all(level, self.kind, number)
        except SceneError as error:
            raise SceneError(f"{items[at].name}: {error}", error.objects) from error
        items.remove(at)
        self.choose(level, max(min(at, len(items) - 1), 0))
        visibility.show(level)
        return True


class LEVELWRIGHT_OT_ns2_move_entry(_OnLists):
    """Move the chosen layer or group in the editor's order"""

    bl_idname = "levelwright.ns2_move_entry"
    bl_label = "Move"

    by: int = declared.integer(options={"HIDDEN", "SKIP_SAVE"}, default=1)

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> bool:
        """Exchange it with the one above or below."""
        items, at = lists.entries(level, self.kind), self.chosen(level)
        if at < 0 or not 0 <= at + self.by < len(items):
            return False
        items.move(at, at + self.by)
        self.choose(level, at + self.by)
        return True


class LEVELWRIGHT_OT_ns2_assign(_OnLists):
    """Put the selected faces (in edit mode) or objects into the chosen layer or group, or take them out of it"""

    bl_idname = "levelwright.ns2_assign"
    bl_label = "Assign"

    on: bool = declared.boolean(name="In", default=True, options={"SKIP_SAVE"})

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> bool:
        """Do it, and say how many changed."""
        number = self.number(level)
        if number is None:
            return False
        self.report({"INFO"}, f"{assign.assign(context, level, self.kind, number, self.on)} changed")
        visibility.show(level)
        return True


class LEVELWRIGHT_OT_ns2_select(_OnLists):
    """Select also the faces (in edit mode) or objects that are in the chosen layer or group"""

    bl_idname = "levelwright.ns2_select"
    bl_label = "Select"

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> bool:
        """Do it, and say how many there are."""
        number = self.number(level)
        if number is None:
            return False
        self.report({"INFO"}, f"{assign.select(context, level, self.kind, number)} selected")
        return True


CLASSES = (
    LEVELWRIGHT_OT_ns2_add_entry,
    LEVELWRIGHT_OT_ns2_remove_entry,
    LEVELWRIGHT_OT_ns2_move_entry,
    LEVELWRIGHT_OT_ns2_assign,
    LEVELWRIGHT_OT_ns2_select,
)
