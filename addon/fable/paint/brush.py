# SPDX-License-Identifier: GPL-3.0-or-later
"""What the brush is set to, and what it paints: shared by the tool, the sidebar and the operators."""

from __future__ import annotations

import bpy

from ...scene.fields import declared
from ..palettes import lists
from ..palettes.lists import LISTS
from ..terrain import overlays

KEY = "levelwright_fable_brush"
"""The property of the window manager that holds what the brush is set to: undo doesn't set it back there."""
TARGETS = [
    ("walkable", "Walkable", "Creatures and the hero may walk there"),
    ("camera", "Camera", "The camera may pass"),
    ("path", "Path", "Creatures prefer to walk there"),
    ("shore", "Shore", "The cell is marked as shore"),
    ("theme", "Theme", "The ground's theme that is chosen in the list"),
    ("atmosphere", "Atmosphere", "The atmosphere that is chosen in the list, on the game map"),
    ("sound", "Sound", "The sound that is chosen in the list, on the game map"),
]
LIST_OF: dict[str, lists.List] = {"theme": "themes", "atmosphere": "atmospheres", "sound": "sounds"}
"""The list of the sidebar in which it is chosen which one is painted."""
BLENDED = ("theme", "atmosphere")
"""What is blended into cells, by a strength."""


class FableBrush(declared.Declared, bpy.types.PropertyGroup):
    """What is painted, and how."""

    target: str = declared.menu(name="What", description="What is painted", items=TARGETS)
    radius: float = declared.number(
        name="Radius", description="Of the brush, units", default=3.0, min=0.1, max=1000.0, soft_max=50
    )
    strength: float = declared.number(
        name="Strength", description="Share that themes and atmospheres get", default=1.0, min=0.0, max=1.0
    )


def brush_of(context: bpy.types.Context) -> FableBrush:
    """What the brush is set to."""
    brush: FableBrush = getattr(context.window_manager, KEY)
    return brush


def chosen(level: bpy.types.Collection, target: str) -> str:
    """The name that is chosen in the list of what is painted, "" for flags and where nothing is."""
    if target not in LIST_OF:
        return ""
    kind = LIST_OF[target]
    held = lists.of(level)
    items, active = getattr(held, kind), getattr(held, LISTS[kind][1])
    return str(items[active].name) if active < len(items) else ""


def show_target(context: bpy.types.Context, level: bpy.types.Collection, target: str) -> None:
    """Let the ground show what is painted, in views that draw solid colours, too."""
    kind = "themes" if target == "theme" else target
    if overlays.shown(level) != kind:
        overlays.show(level, kind)
    overlays.show_solid(level)
    space = context.space_data
    if isinstance(space, bpy.types.SpaceView3D) and space.shading.type == "SOLID":
        space.shading.color_type = "VERTEX"


def draw(column: bpy.types.UILayout, brush: FableBrush, level: bpy.types.Collection) -> bool:
    """Draw the settings; whether something is chosen that can be painted."""
    column.prop(brush, "target")
    name = chosen(level, brush.target)
    if brush.target in LIST_OF:
        column.label(text=name or f"No {brush.target} is chosen in its list", icon="BRUSH_DATA")
    column.prop(brush, "radius")
    if brush.target in BLENDED:
        column.prop(brush, "strength")
    return bool(name) or brush.target not in BLENDED
