# SPDX-License-Identifier: GPL-3.0-or-later
"""Painting on levels: a brush in the 3D view, and the same on what is selected."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import bpy
import numpy as np
from bpy_extras import view3d_utils
from mathutils import Vector

from ...scene import declared
from ...scene.blender_types import Value
from ...scene.level import first_of
from ...scene.reports import SceneError
from ...scene.sidebar import LevelOperator, Result
from .. import layout
from ..terrain import overlays
from .canvas import Canvas, selected
from .cursor import Circle
from .stroke import Stroke

TARGETS = [
    ("walkable", "Walkable", "Creatures and the hero may walk there"),
    ("camera", "Camera", "The camera may pass"),
    ("path", "Path", "Creatures prefer to walk there"),
    ("shore", "Shore", "The cell is marked as shore"),
    ("theme", "Theme", "The ground's theme that is chosen in the list"),
    ("atmosphere", "Atmosphere", "The atmosphere that is chosen in the list, on the game map"),
    ("sound", "Sound", "The sound that is chosen in the list, on the game map"),
]


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
    mode: Value = active.mode if active is not None else "OBJECT"
    if mode == "OBJECT":
        yield
        return
    bpy.ops.object.mode_set(mode="OBJECT")
    try:
        yield
    finally:
        bpy.ops.object.mode_set(mode=mode)


class _Painting(LevelOperator):
    """What operators that paint share: what with, and where."""

    format_key = layout.FORMAT
    target: str = declared.menu(name="What", items=TARGETS)
    name: str = declared.string(name="Name", description="Of the theme, atmosphere or sound")
    strength: float = declared.number(
        name="Strength", description="Share that themes and atmospheres get", default=1.0, min=0.0, max=1.0
    )


class LEVELWRIGHT_OT_fable_paint_selected(_Painting):
    """Set flags, themes, atmospheres or sounds of what is selected: vertices of the terrain, faces of the game map"""

    bl_idname = "levelwright.fable_paint_selected"
    bl_label = "Set Selected"
    bl_options = {"REGISTER", "UNDO"}

    erase: bool = declared.boolean(name="Take Away", description="Clear the flag, or take the theme out of the blend")

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Paint, and say how many cells."""
        count = paint_selected(context, level, self.target, self.name, self.strength, self.erase)
        if not count:
            raise SceneError("No vertex of the terrain, or face of the game map, is selected")
        self.report({"INFO"}, f"{count} cells")


class LEVELWRIGHT_OT_fable_brush(_Painting):
    """Paint on the ground with the mouse. Ctrl takes away, [ and ] change the size, Enter or Esc ends it"""

    bl_idname = "levelwright.fable_brush"
    bl_label = "Paint"
    bl_options = {"REGISTER"}

    radius: float = declared.number(name="Radius", description="Of the brush, units", default=3.0, min=0.1, max=1000.0)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Wait for the mouse; each stroke is a step of undo."""
        level = self.level(context)
        terrain = first_of(level, layout.TERRAIN) if level is not None else None
        if context.area is None or context.area.type != "VIEW_3D" or level is None or terrain is None:
            self.report({"ERROR"}, "The brush paints on the terrain of a level in a 3D view")
            return {"CANCELLED"}
        if context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        overlays.show(level, "themes" if self.target == "theme" else self.target)
        self._stroke: Stroke | None = None
        self._cursor = Circle(terrain, self.radius)
        what = next(title for key, title, _ in TARGETS if key == self.target)
        keys = "left button paints; Ctrl takes away; [ ] change the size; Enter or Esc ends"
        context.area.header_text_set(f"{what} {self.name}: {keys}")
        if context.window_manager is not None:
            context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """Follow the mouse."""
        try:
            return self._follow(context, event)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            self._leave(context)
            return {"CANCELLED"}

    def _follow(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        if context.area is not None:
            context.area.tag_redraw()
        if event.type in {"LEFT_BRACKET", "RIGHT_BRACKET"} and event.value == "PRESS":
            self.radius *= 1.2 if event.type == "RIGHT_BRACKET" else 1 / 1.2
            self._cursor.radius = self.radius
        elif event.type == "LEFTMOUSE" and event.value == "PRESS":
            place = self._cursor.move(_under(context, event, self._cursor.terrain))
            level = self.level(context)
            if place is None or level is None:
                return {"PASS_THROUGH"}  # a click beside the level: on the sidebar, for example
            canvas = Canvas(context, level, self.target, self.name)
            self._stroke = Stroke(canvas, self.radius, self.strength, event.ctrl)
            self._stroke.to(place.x, place.y)
        elif event.type == "LEFTMOUSE" and event.value == "RELEASE" and self._stroke is not None:
            self._stroke.end()
            self._stroke = None
            bpy.ops.ed.undo_push(message=f"Paint {self.target}")
        elif event.type == "MOUSEMOVE":
            place = self._cursor.move(_under(context, event, self._cursor.terrain))
            if self._stroke is not None and place is not None:
                self._stroke.to(place.x, place.y)
        elif event.type in {"ESC", "RET", "NUMPAD_ENTER"} and event.value == "PRESS":
            self._leave(context)
            return {"FINISHED"}
        else:
            return {"PASS_THROUGH"}
        return {"RUNNING_MODAL"}

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender ends it: another file is opened, for example."""
        self._leave(context)

    def _leave(self, context: bpy.types.Context) -> None:
        if self._stroke is not None:
            self._stroke.end()
            self._stroke = None
        self._cursor.remove()
        if context.area is not None:
            context.area.header_text_set(None)
            context.area.tag_redraw()


def _under(context: bpy.types.Context, event: bpy.types.Event, terrain: bpy.types.Object) -> Vector | None:
    """The place of the terrain that is under the mouse, in its own coordinates; None where there is none."""
    region, view = context.region, context.region_data
    if region is None or view is None or context.view_layer is None:
        return None
    mouse = (event.mouse_region_x, event.mouse_region_y)
    if not (0 <= mouse[0] < region.width and 0 <= mouse[1] < region.height):
        return None
    inverse = terrain.matrix_world.inverted_safe()
    origin = inverse @ view3d_utils.region_2d_to_origin_3d(region, view, mouse)
    direction = inverse.to_3x3() @ view3d_utils.region_2d_to_vector_3d(region, view, mouse)
    hit, place, _, _ = terrain.ray_cast(origin, direction)
    return place if hit else None


CLASSES = (LEVELWRIGHT_OT_fable_paint_selected, LEVELWRIGHT_OT_fable_brush)
