# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's part for painting on Fable levels."""

from __future__ import annotations

import bpy

from ...scene import declared
from ...scene.sidebar import LevelPanel, register_classes, unregister_classes
from .. import layout
from ..palettes import lists
from ..palettes.lists import LISTS
from . import operators
from .operators import LEVELWRIGHT_OT_fable_brush, LEVELWRIGHT_OT_fable_paint_selected

KEY = "levelwright_fable_brush"
"""The property of scenes that holds what the brush is set to."""
_LIST_OF: dict[str, lists.List] = {"theme": "themes", "atmosphere": "atmospheres", "sound": "sounds"}


class FableBrush(declared.Declared, bpy.types.PropertyGroup):
    """What is painted, and how."""

    target: str = declared.menu(name="What", description="What is painted", items=operators.TARGETS)
    radius: float = declared.number(name="Radius", description="Of the brush, units", default=3.0, min=0.1, soft_max=50)
    strength: float = declared.number(
        name="Strength", description="Share that themes and atmospheres get", default=1.0, min=0.0, max=1.0
    )


def chosen(level: bpy.types.Collection, target: str) -> str:
    """The name that is chosen in the list of what is painted, "" for flags and where nothing is."""
    if target not in _LIST_OF:
        return ""
    kind = _LIST_OF[target]
    held = lists.of(level)
    items, active = getattr(held, kind), getattr(held, LISTS[kind][1])
    return str(items[active].name) if active < len(items) else ""


class LEVELWRIGHT_PT_fable_paint(LevelPanel, bpy.types.Panel):
    """The brush, and the same for what is selected."""

    format_key = layout.FORMAT
    bl_label = "Paint"
    bl_parent_id = "LEVELWRIGHT_PT_fable"

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the settings and the buttons."""
        level = self.level(context)
        if level is None:
            return
        brush: FableBrush = getattr(context.scene, KEY)
        column = self.layout.column()
        column.use_property_split = True
        column.use_property_decorate = False
        column.prop(brush, "target")
        name = chosen(level, brush.target)
        if brush.target in _LIST_OF:
            column.label(text=name or f"No {brush.target} is chosen in its list", icon="BRUSH_DATA")
        column.prop(brush, "radius")
        if brush.target in ("theme", "atmosphere"):
            column.prop(brush, "strength")
        buttons = column.column(align=True)
        buttons.enabled = bool(name) or brush.target not in ("theme", "atmosphere")
        painter = buttons.operator(LEVELWRIGHT_OT_fable_brush.bl_idname, icon="BRUSH_DATA")
        painter.radius = brush.radius
        row = buttons.row(align=True)
        adding = row.operator(LEVELWRIGHT_OT_fable_paint_selected.bl_idname, icon="ADD")
        taking = row.operator(LEVELWRIGHT_OT_fable_paint_selected.bl_idname, text="Clear Selected", icon="REMOVE")
        taking.erase = True
        for button in (painter, adding, taking):
            button.target, button.name, button.strength = brush.target, name, brush.strength


CLASSES = (FableBrush, *operators.CLASSES, LEVELWRIGHT_PT_fable_paint)


def register() -> None:
    """Register the operators and the panel, after the one that it is part of."""
    register_classes(CLASSES)
    setattr(bpy.types.Scene, KEY, declared.pointer(FableBrush))


def unregister() -> None:
    """Undo `register`."""
    delattr(bpy.types.Scene, KEY)
    unregister_classes(CLASSES)
