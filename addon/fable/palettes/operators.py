# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that add names to the lists of a level, and remove them."""

import bpy

from ...scene.blender_types import Value
from ...scene.fields import declared
from ...scene.interface.sidebar import AskingOperator, LevelOperator
from ...scene.level import first_of
from ...scene.reports import SceneError
from .. import layout
from . import lists
from .edit import add, remove
from .lists import LISTS


class _ChangesPalettes(LevelOperator):
    """What operators share that change a list of the active level."""

    @classmethod
    def lacks(cls, _context: bpy.types.Context, level: bpy.types.Collection) -> str:
        """Say what there has to be: meshes that aren't in edit mode, where Blender gives no attributes."""
        parts = [first_of(level, kind) for kind in (layout.TERRAIN, layout.GAME_MAP)]
        edited = any(obj is not None and obj.mode == "EDIT" for obj in parts)
        return "Leave Edit Mode of the level first" if edited else ""


def _lists_property() -> lists.List:
    items = [(kind, title, "") for kind, (title, _) in LISTS.items()]
    kind: Value = declared.menu(items=items, options={"HIDDEN", "SKIP_SAVE"})
    made: lists.List = kind
    return made


class LEVELWRIGHT_OT_fable_add_name(_ChangesPalettes, AskingOperator):
    """Add a theme, an atmosphere or a sound by the name that the game knows it by"""

    bl_idname = "levelwright.fable_add_name"
    bl_label = "Add Name"

    kind: lists.List = _lists_property()
    name: str = declared.string(name="Name", options={"SKIP_SAVE"})

    def change(self, _context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Add it, and choose it in its list."""
        place = add(level, self.kind, self.name)
        held = lists.of(level)
        at = next(n for n, item in enumerate(getattr(held, self.kind)) if item.slot == place)
        setattr(held, LISTS[self.kind][1], at)


class LEVELWRIGHT_OT_fable_remove_name(_ChangesPalettes):
    """Remove the chosen theme, atmosphere or sound, if no cell has it"""

    bl_idname = "levelwright.fable_remove_name"
    bl_label = "Remove Name"

    kind: lists.List = _lists_property()

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> bool:
        """Remove it."""
        held = lists.of(level)
        items, chosen = getattr(held, self.kind), LISTS[self.kind][1]
        at = getattr(held, chosen)
        if at >= len(items):
            return False
        try:
            remove(context, level, self.kind, items[at].slot)
        except SceneError as error:
            raise SceneError(f"{items[at].name}: {error}", error.objects) from error
        setattr(held, chosen, max(min(at, len(items) - 1), 0))
        return True


CLASSES = (LEVELWRIGHT_OT_fable_add_name, LEVELWRIGHT_OT_fable_remove_name)
