# SPDX-License-Identifier: GPL-3.0-or-later
"""Painting on what is selected."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import bpy
import numpy as np

from ....formats.counting import number_of
from ...scene.fields import declared
from ...scene.interface.sidebar import LevelOperator
from ...scene.reports import SceneError
from .brush import TARGETS
from .canvas import Canvas, selected


def paint_selected(
    context: bpy.types.Context,
    level: bpy.types.Collection,
    target: str,
    name: str = "",
    strength: float = 1.0,
    erase: bool = False,
) -> int:
    """Paint what is selected, also in edit mode, as `Canvas` does; returns how many cells. Raises SceneError."""
    with _in_object_mode(context):
        canvas = Canvas(context, level, target, name)
        cells = selected(canvas, context)
        canvas.paint(cells, np.full(len(cells), strength), erase)
        canvas.finish()
    return len(cells)


@contextmanager
def _in_object_mode(context: bpy.types.Context) -> Iterator[None]:
    """Leave the active object's mode for a while: attributes and weights can't be written in edit mode."""
    active = context.active_object
    mode = active.mode if active is not None else "OBJECT"
    if mode == "OBJECT":
        yield
        return
    bpy.ops.object.mode_set(mode="OBJECT")
    try:
        yield
    finally:
        bpy.ops.object.mode_set(mode=mode)


class LEVELWRIGHT_OT_fable_paint_selected(LevelOperator):
    """Set flags, themes, atmospheres or sounds of what is selected: vertices of the terrain, faces of the game map"""

    bl_idname = "levelwright.fable_paint_selected"
    bl_label = "Set Selected"

    target: str = declared.menu(name="What", items=TARGETS)
    name: str = declared.string(name="Name", description="Of the theme, atmosphere or sound")
    strength: float = declared.number(
        name="Strength", description="Share that themes and atmospheres get", default=1.0, min=0.0, max=1.0
    )
    erase: bool = declared.boolean(name="Take Away", description="Clear the flag, or take the theme out of the blend")

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Paint, and say how many cells."""
        count = paint_selected(context, level, self.target, self.name, self.strength, self.erase)
        if not count:
            raise SceneError("No vertex of the terrain, or face of the game map, is selected")
        self.report({"INFO"}, number_of(count, "cells"))


CLASSES = (LEVELWRIGHT_OT_fable_paint_selected,)
