# SPDX-License-Identifier: GPL-3.0-or-later
"""The brush as a tool of the toolbar: strokes, its size, and the circle at the mouse."""

from __future__ import annotations

import bpy
import numpy as np
from bpy_extras import view3d_utils
from mathutils import Vector

from ...scene.blender_types import always
from ...scene.fields import declared
from ...scene.interface import tools
from ...scene.interface.sidebar import NO_LEVEL_OF_GAME, Result, active_level, allows
from ...scene.level import first_of
from .. import layout
from .brush import KEY, brush_of, chosen, draw, show_target
from .canvas import Canvas
from .stroke import Stroke

IDNAME = "levelwright.fable_brush_tool"
POINTS = 48
LIFT = 0.25
"""How far the circle lies over the ground, units."""
COLOR = (1.0, 0.9, 0.2, 1.0)
_FACTOR = 1.2
"""By how much [ and ] change the radius."""


class LEVELWRIGHT_OT_fable_stroke(tools.StrokeOperator):
    """Paint on the ground of a Fable level while the button is held"""

    bl_idname = "levelwright.fable_stroke"
    bl_label = "Paint on Ground"

    erase: bool = declared.boolean(name="Take Away", description="Clear the flag, or take the theme out of the blend")

    def begin(self, context: bpy.types.Context, event: bpy.types.Event) -> bool:
        """Begin where the mouse is over the terrain; a click beside it is Blender's."""
        level = active_level(context, layout.FORMAT)
        terrain = first_of(level, layout.TERRAIN) if level is not None else None
        if level is None or terrain is None:
            return False
        place = under(context, terrain, (event.mouse_region_x, event.mouse_region_y))
        if place is None:
            return False
        brush = brush_of(context)
        canvas = Canvas(context, level, brush.target, chosen(level, brush.target))
        show_target(context, level, brush.target)
        self._terrain = terrain
        self._stroke = Stroke(canvas, brush.radius, brush.strength, self.erase)
        try:
            self._stroke.to(place.x, place.y)
        except self.failures:
            canvas.restore()
            raise
        return True

    def follow(self, context: bpy.types.Context, event: bpy.types.Event) -> None:
        """Go on to where the mouse is, if that is over the terrain."""
        place = under(context, self._terrain, (event.mouse_region_x, event.mouse_region_y))
        if place is not None:
            self._stroke.to(place.x, place.y)

    def finish(self, _context: bpy.types.Context) -> bool:
        """Let go."""
        self._stroke.end()
        return self._stroke.canvas.painted

    def abandon(self, _context: bpy.types.Context) -> None:
        """Give the cells back what they had."""
        self._stroke.canvas.restore()
        self._stroke.end()


class LEVELWRIGHT_OT_fable_brush_size(tools.SizeOperator):
    """Change the brush's radius by moving the mouse, or typing a number"""

    bl_idname = "levelwright.fable_brush_size"
    bl_label = "Brush Radius"
    title = "Radius"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a Fable level."""
        return allows(cls, active_level(context, layout.FORMAT) is not None, NO_LEVEL_OF_GAME)

    def read_size(self, context: bpy.types.Context) -> float:
        """The radius, units."""
        return brush_of(context).radius

    def write_size(self, context: bpy.types.Context, value: float) -> None:
        """Make it this radius."""
        brush_of(context).radius = value


class LEVELWRIGHT_OT_fable_brush(declared.Declared, bpy.types.Operator):
    """Make the brush the active tool: the left button paints, Ctrl takes away, F changes the radius"""

    bl_idname = "levelwright.fable_brush"
    bl_label = "Paint"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Ask for a Fable level, in a 3D view."""
        if not allows(cls, active_level(context, layout.FORMAT) is not None, NO_LEVEL_OF_GAME):
            return False
        return allows(cls, context.space_data is not None, "Only in a 3D view")

    def execute(self, context: bpy.types.Context) -> Result:
        """Leave other modes, and take the tool."""
        level = active_level(context, layout.FORMAT)
        if level is None or context.area is None or context.area.type != "VIEW_3D":
            self.report({"ERROR"}, "The brush paints on the terrain of a level in a 3D view")
            return {"CANCELLED"}
        if context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        show_target(context, level, brush_of(context).target)
        bpy.ops.wm.tool_set_by_id(name=IDNAME)
        return {"FINISHED"}


def _scaled(factor: float) -> dict[str, list[tuple[str, object]]]:
    return {"properties": [("data_path", f"window_manager.{KEY}.radius"), ("value", factor)]}


class FableBrushTool(tools.Tool):
    """The brush."""

    bl_idname = IDNAME
    bl_label = "Paint Fable Ground"
    bl_description = "Paint flags, themes, atmospheres and sounds on the ground of a Fable level"
    bl_icon = "brush.sculpt.paint"
    bl_keymap = (
        (LEVELWRIGHT_OT_fable_stroke.bl_idname, {"type": "LEFTMOUSE", "value": "PRESS"}, None),
        (
            LEVELWRIGHT_OT_fable_stroke.bl_idname,
            {"type": "LEFTMOUSE", "value": "PRESS", "ctrl": True},
            {"properties": [("erase", True)]},
        ),
        (LEVELWRIGHT_OT_fable_brush_size.bl_idname, {"type": "F", "value": "PRESS"}, None),
        ("wm.context_scale_float", {"type": "LEFT_BRACKET", "value": "PRESS"}, _scaled(1 / _FACTOR)),
        ("wm.context_scale_float", {"type": "RIGHT_BRACKET", "value": "PRESS"}, _scaled(_FACTOR)),
    )
    hints = (("MOUSE_LMB", "Paint"), ("EVENT_CTRL", "Take Away"), ("EVENT_F", "Radius"))

    @staticmethod
    def draw_settings(context: bpy.types.Context, layout_: bpy.types.UILayout, _tool: object) -> None:
        """Draw what the brush is set to."""
        level = active_level(context, layout.FORMAT)
        if level is None:
            layout_.label(text="No Fable level is active")
            return
        draw(layout_, brush_of(context), level)

    @classmethod
    def draw_over(cls, context: bpy.types.Context, mouse: tuple[float, float]) -> None:
        """Draw the circle at the mouse."""
        level = active_level(context, layout.FORMAT)
        terrain = first_of(level, layout.TERRAIN) if level is not None else None
        place = under(context, terrain, mouse) if terrain is not None else None
        if terrain is None or place is None:
            return
        region, view = always(context.region), always(context.region_data)
        points = ring(terrain, place, brush_of(context).radius)
        seen = [view3d_utils.location_3d_to_region_2d(region, view, point) for point in points]
        _draw_line([(point.x, point.y) for point in seen if point is not None])


def under(context: bpy.types.Context, terrain: bpy.types.Object, mouse: tuple[float, float]) -> Vector | None:
    """The place of the terrain that is under the mouse, in its own coordinates; None where there is none."""
    ray = tools.ray(context, terrain, mouse)
    if ray is None or not isinstance(terrain.data, bpy.types.Mesh) or not terrain.data.polygons:
        return None
    hit, place, _, _ = terrain.ray_cast(ray.origin, ray.direction)
    return place if hit else None


def ring(terrain: bpy.types.Object, place: Vector, radius: float) -> list[Vector]:
    """The points of a circle about a place of the terrain, in the world."""
    angles = np.linspace(0, 2 * np.pi, POINTS + 1)
    matrix, x, y, z = terrain.matrix_world, place.x, place.y, place.z
    return [
        matrix @ Vector((x + radius * cos, y + radius * sin, z + LIFT))
        for cos, sin in zip(np.cos(angles).tolist(), np.sin(angles).tolist(), strict=True)
    ]


def _draw_line(points: list[tuple[float, float]]) -> None:
    import gpu
    from gpu_extras.batch import batch_for_shader

    if len(points) < 2:
        return
    shader = gpu.shader.from_builtin("UNIFORM_COLOR")
    batch = batch_for_shader(shader, "LINE_STRIP", {"pos": [(x, y, 0.0) for x, y in points]})
    shader.uniform_float("color", COLOR)
    gpu.state.line_width_set(2.0)
    batch.draw(shader)
    gpu.state.line_width_set(1.0)


OPERATORS = (LEVELWRIGHT_OT_fable_stroke, LEVELWRIGHT_OT_fable_brush_size, LEVELWRIGHT_OT_fable_brush)
TOOLS = (FableBrushTool,)
