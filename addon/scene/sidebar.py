# SPDX-License-Identifier: GPL-3.0-or-later
"""What panels and operators of all games share: the level that they are about, and how they refuse."""

from __future__ import annotations

from typing import Any, ClassVar

import bpy

from . import originals
from .meshes import needs_evaluation, select_faces, select_points
from .reports import SceneError

CATEGORY = "Levelwright"
"""The tab of the sidebar."""
Result = set[Any]
"""{"FINISHED"} or {"CANCELLED"}; the stubs want literals that a shared helper can't promise."""


def active_level(context: bpy.types.Context, format_key: str) -> bpy.types.Collection | None:
    """The level that the active collection is or lies in, else the scene's only one; None if it is another format's."""
    level = originals.level_of(context)
    info = originals.describe(level) if level is not None else None
    return level if info is not None and info.format == format_key else None


def refuse(operator: bpy.types.Operator, context: bpy.types.Context, error: Exception) -> Result:
    """Report an error, and select what is at fault where the error knows."""
    if isinstance(error, SceneError) and error.objects and context.view_layer:
        for obj in context.view_layer.objects:
            obj.select_set(obj in error.objects)
        for select, places in ((select_faces, error.faces), (select_points, error.points)):
            for obj, elements in places.items():
                if not needs_evaluation(obj):  # what modifiers made can't be selected, nor what is a text or a curve
                    select(obj, elements)
        shown = [obj for obj in error.objects if obj.name in context.view_layer.objects]
        context.view_layer.objects.active = shown[0] if shown else None
    operator.report({"ERROR"}, str(error))
    return {"CANCELLED"}


class OnLevel:
    """Mixed into panels and operators that are about a level of one game."""

    format_key: ClassVar[str]
    """The game's."""

    @classmethod
    def level(cls, context: bpy.types.Context) -> bpy.types.Collection | None:
        """The active level, if it is one of the game."""
        return active_level(context, cls.format_key)

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a level of the game."""
        return cls.level(context) is not None


class LevelPanel(OnLevel):
    """Mixed into the panels that games have in the sidebar's tab."""

    bl_category = CATEGORY
    bl_space_type: Any = "VIEW_3D"  # Any: the stubs want literals
    bl_region_type: Any = "UI"
