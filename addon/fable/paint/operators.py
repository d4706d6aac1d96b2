# SPDX-License-Identifier: GPL-3.0-or-later
"""Making levels, and painting on them: a new level, a brush in the 3D view, and the same on what is selected."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import bpy
import numpy as np
from bpy_extras import view3d_utils
from mathutils import Vector

from ....formats import fable
from ....formats.fable.records import ROOT_EDGE
from ...scene import originals
from ...scene.reports import Report, SceneError
from .. import importer, layout
from ..palettes.operators import active_level
from ..settings import ImportSettings
from ..terrain import overlays
from . import cursor as brush_cursor
from .canvas import Canvas, selected

Result = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]
TARGETS = [
    ("walkable", "Walkable", "Creatures and the hero may walk there"),
    ("camera", "Camera", "The camera may pass"),
    ("path", "Path", "Creatures prefer to walk there"),
    ("shore", "Shore", "The cell is marked as shore"),
    ("theme", "Theme", "The ground's theme that is chosen in the list"),
    ("atmosphere", "Atmosphere", "The atmosphere that is chosen in the list, on the game map"),
    ("sound", "Sound", "The sound that is chosen in the list, on the game map"),
]
SPACING = 1 / 3
"""Of the radius, between two dabs of a stroke."""


def new_level(
    context: bpy.types.Context, name: str, width: int, height: int, theme: str = "", z: float = 0.0
) -> bpy.types.Collection:
    """Make a flat level, all walkable, linked to the scene; nothing was imported for it.

    width, height: units, multiples of 32. theme: the name of the ground's theme; without one it has a stand-in.
    Raises SceneError for what no level can have.
    """
    try:
        level = fable.new_level(width, height, themes=[theme] if theme else [], z=z)
    except ValueError as error:
        raise SceneError(f"no level can be so: {error}") from error
    return importer.build_scene(context, level, None, Path(name), ImportSettings(), Report())


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
        elements = selected(canvas, context)
        canvas.paint(elements, np.full(len(elements), strength), erase)
        canvas.finish()
    return len(elements)


@contextmanager
def _in_object_mode(context: bpy.types.Context) -> Iterator[None]:
    """Leave the active object's mode for a while: attributes and weights can't be written in edit mode."""
    active = context.active_object
    mode: Any = active.mode if active is not None else "OBJECT"
    if mode == "OBJECT":
        yield
        return
    bpy.ops.object.mode_set(mode="OBJECT")
    try:
        yield
    finally:
        bpy.ops.object.mode_set(mode=mode)


class Stroke:
    """A stroke of the brush: dabs along the way that it takes. radius: units. strength: 0..1, of what is blended."""

    def __init__(self, canvas: Canvas, radius: float, strength: float = 1.0, erase: bool = False) -> None:
        self.canvas, self.radius, self.strength, self.erase = canvas, radius, strength, erase
        self._at: tuple[float, float] | None = None

    def to(self, x: float, y: float) -> None:
        """Go on to a place below the level's root; the first one begins the stroke."""
        before = self._at or (x, y)
        far = float(np.hypot(x - before[0], y - before[1]))
        step = max(self.radius * SPACING, 0.25)
        if self._at is not None and far < step:
            return
        count = max(int(far / step), 1)
        for number in range(1, count + 1):
            part = number / count
            elements, near = self.canvas.near(
                before[0] + (x - before[0]) * part, before[1] + (y - before[1]) * part, self.radius
            )
            self.canvas.paint(elements, near * self.strength, self.erase)
        self._at = (x, y)

    def end(self) -> None:
        """Let go."""
        self.canvas.finish()


# ----------------------------------------------------------------------------------------------------------- operators


class _Painting:
    """What operators that paint share: what with, and where."""

    target: bpy.props.EnumProperty(name="What", items=TARGETS)
    name: bpy.props.StringProperty(name="Name", description="Of the theme, atmosphere or sound")
    strength: bpy.props.FloatProperty(
        name="Strength", description="Share that themes and atmospheres get", default=1.0, min=0.0, max=1.0
    )

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a level."""
        return active_level(context) is not None


class PaintSelected(_Painting, bpy.types.Operator):
    """Set flags, themes, atmospheres or sounds of what is selected: vertices of the terrain, faces of the game map"""

    bl_idname = "levelwright.fable_paint_selected"
    bl_label = "Set Selected"
    bl_options = {"REGISTER", "UNDO"}

    erase: bpy.props.BoolProperty(name="Take Away", description="Clear the flag, or take the theme out of the blend")

    def execute(self, context: bpy.types.Context) -> Result:
        """Paint, and say how many cells."""
        level = active_level(context)
        if level is None:
            return {"CANCELLED"}
        try:
            count = paint_selected(context, level, self.target, self.name, self.strength, self.erase)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        if not count:
            self.report({"ERROR"}, "No vertex of the terrain, or face of the game map, is selected")
            return {"CANCELLED"}
        self.report({"INFO"}, f"{count} cells")
        return {"FINISHED"}


class Brush(_Painting, bpy.types.Operator):
    """Paint on the ground with the mouse. Ctrl takes away, [ and ] change the size, Enter or Esc ends it"""

    bl_idname = "levelwright.fable_brush"
    bl_label = "Paint"
    bl_options = {"REGISTER"}

    radius: bpy.props.FloatProperty(name="Radius", description="Of the brush, units", default=3.0, min=0.1, max=1000.0)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Wait for the mouse; each stroke is a step of undo."""
        level = active_level(context)
        terrain = layout.object_of(level, layout.TERRAIN) if level is not None else None
        if context.area is None or context.area.type != "VIEW_3D" or level is None or terrain is None:
            self.report({"ERROR"}, "The brush paints on the terrain of a level in a 3D view")
            return {"CANCELLED"}
        if context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        overlays.show(level, "themes" if self.target == "theme" else self.target)
        self._stroke: Stroke | None = None
        self._cursor = brush_cursor.Cursor(terrain, self.radius)
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
            level = active_level(context)
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


class NewLevel(bpy.types.Operator):
    """Make a flat Fable level, to be sculpted and painted"""

    bl_idname = "levelwright.new_fable_level"
    bl_label = "New Fable Level"
    bl_options = {"REGISTER", "UNDO"}

    name: bpy.props.StringProperty(name="Name", default="NewLevel")
    width: bpy.props.IntProperty(
        name="Width", description="Along x, in units: a multiple of 32", default=96, min=32, max=1024, step=ROOT_EDGE
    )
    height: bpy.props.IntProperty(
        name="Height", description="Along y, in units: a multiple of 32", default=96, min=32, max=1024, step=ROOT_EDGE
    )
    z: bpy.props.FloatProperty(name="Ground", description="How high the ground lies", default=32.0, min=0, max=2047)
    theme: bpy.props.StringProperty(
        name="Theme", description="Name of the ground's theme in the game", default="GROUND_GRASS_NO_LOCAL_DETAIL"
    )

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Result:
        """Ask for name, size and theme."""
        if context.window_manager is None:
            return {"CANCELLED"}
        done: Result = context.window_manager.invoke_props_dialog(self)
        return done

    def execute(self, context: bpy.types.Context) -> Result:
        """Make it, and make it the active one."""
        try:
            level = new_level(context, self.name, self.width, self.height, self.theme, self.z)
        except SceneError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        originals.make_active(context, level)
        return {"FINISHED"}


CLASSES = (PaintSelected, Brush, NewLevel)
