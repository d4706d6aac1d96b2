# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools of the toolbar: registering them, strokes, sizes, keys in the status bar, and what is drawn over 3D views.

A tool is a class of `Tool`, whose keys start operators: a stroke is one operator from the button's press to its
release, and one undo step. So between strokes nothing runs, and Blender's own keys (Ctrl+Z, another tool, another file)
need no care; within a stroke every key but the view's wheel is the stroke's.

What is drawn never outlives what it is drawn for. A tool's cursor is drawn by one handler for all tools, which is there
as long as the add-on is and draws where the tool is the active one. What an operator draws is an `Overlay`: it goes
with the operator, with the file, and with the add-on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from typing import ClassVar, Literal

import bpy
from bpy_extras import view3d_utils
from mathutils import Vector

from ..blender_types import Icon, Value, always, gives, persistent
from ..fields.declared import Declared
from ..names import showable
from ..reports import SceneError
from ..view import stage
from .sidebar import Result, refuse

Keys = Sequence[tuple[Icon, str]]
"""Lines of the status bar: name of an icon ("MOUSE_LMB", "EVENT_F"), and what it does."""
STOPS = frozenset({"ESC", "RIGHTMOUSE"})
"""What abandons a stroke, besides Ctrl+Z."""
PASSED_ON = frozenset(
    {"WHEELUPMOUSE", "WHEELDOWNMOUSE", "TRACKPADPAN", "TRACKPADZOOM", "MOUSEROTATE", "MOUSESMARTZOOM", "NDOF_MOTION"}
)
"""Events that move the view, also during a stroke."""
_WIDE = frozenset({"EVENT_CTRL", "EVENT_ALT", "EVENT_SPACEKEY", "EVENT_ESC", "EVENT_RETURN", "EVENT_TAB"})
"""Icons that Blender draws wider than the place that it gives them."""
FIRST = "builtin.cursor"
"""The tool of Blender's that ours follow."""
FALLBACK = "builtin.select_box"
"""What becomes the active tool where ours goes."""
SPACE: Literal["VIEW_3D"] = "VIEW_3D"


class Tool(bpy.types.WorkSpaceTool):
    """A tool of the 3D view's toolbar, in object mode.

    Besides Blender's `bl_idname`, `bl_label`, `bl_description`, `bl_icon` and `bl_keymap`, and a static
    `draw_settings(context, layout, tool)`, it has what follows.
    """

    bl_idname: ClassVar[str]
    bl_space_type = SPACE
    bl_context_mode = "OBJECT"
    hints: ClassVar[Keys] = ()
    """What the status bar says while it is active and nothing runs."""

    @classmethod
    def draw_over(cls, context: bpy.types.Context, mouse: tuple[float, float]) -> None:
        """Draw over the region that the mouse is in, while it is the active tool. mouse: in pixels of the region.

        Pixels of the region are what everything is drawn in (the matrix is set).
        """

    @classmethod
    def active(cls, context: bpy.types.Context) -> bool:
        """Whether it is the active tool of the mode that the context is in."""
        workspace = context.workspace
        if workspace is None or context.mode != cls.bl_context_mode:
            return False
        tool: Value = gives(workspace.tools.from_space_view3d_mode)("OBJECT", create=False)
        return tool is not None and tool.idname == cls.bl_idname


# ---- what is drawn

_overlays: list[Overlay] = []
_tools: list[type[Tool]] = []
_cursor: list[object] = []
"""The handle of the handler that draws cursors: one or none."""


class Overlay:
    """Something drawn over the 3D views (pixels of the region) until it is removed; at the latest with the file.

    draw: is called with the context of each redraw. One that fails is not called again.
    """

    def __init__(self, draw: Callable[[bpy.types.Context], None]) -> None:
        self._draw = draw
        self._failed = False
        self._handle: object = bpy.types.SpaceView3D.draw_handler_add(self._safely, (), "WINDOW", "POST_PIXEL")
        _overlays.append(self)
        stage.redraw(bpy.context.window_manager)

    def _safely(self) -> None:
        if self._failed:
            return
        self._failed = True  # unless it comes back: Blender would print the error at each redraw
        self._draw(bpy.context)
        self._failed = False

    def remove(self) -> None:
        """Draw it no more. Nothing happens where it is gone already."""
        if self in _overlays:
            _overlays.remove(self)
            bpy.types.SpaceView3D.draw_handler_remove(self._handle, "WINDOW")
            stage.redraw(bpy.context.window_manager)


def overlays() -> int:
    """How many overlays are drawn."""
    return len(_overlays)


def free_area(context: bpy.types.Context) -> tuple[float, float, float, float]:
    """The part of the context's region that no header or sidebar lies over: left, low, width and height in pixels."""
    region, area = context.region, context.area
    if region is None or area is None:
        return 0.0, 0.0, 0.0, 0.0
    left, right, top = 0, region.width, region.height
    for other in area.regions:
        if other.width <= 1 or other.height <= 1 or other.type == "WINDOW":
            continue
        if other.type == "TOOLS":
            left = max(left, other.x + other.width - region.x)
        elif other.type == "UI":
            right = min(right, other.x - region.x)
        elif other.type in ("HEADER", "TOOL_HEADER"):
            top = min(top, other.y - region.y)
    return float(left), 0.0, float(max(right - left, 1)), float(max(top, 1))


def _draw_cursor(mouse: tuple[int, int]) -> None:
    """Draw what the active tool shows at the mouse, which Blender gives in pixels of the window."""
    import gpu

    context = bpy.context
    region = context.region
    if region is None or region.type != "WINDOW":
        return
    for tool in _tools:
        if tool.active(context):
            gpu.matrix.push()
            gpu.matrix.translate((region.x, region.y, 0))
            try:
                tool.draw_over(context, (mouse[0] - region.x, mouse[1] - region.y))
            finally:
                gpu.matrix.pop()


@persistent
def _let_go(*_: object) -> None:
    """Remove all overlays. A handler of `load_pre`."""
    for overlay in _overlays:
        overlay.remove()


@persistent
def _draw_again(*_: object) -> None:
    """Draw cursors in the windows of another file, too. A handler of `load_post`."""
    _stop_cursors()
    _cursor.append(bpy.types.WindowManager.draw_cursor_add(_draw_cursor_args, (), SPACE, "WINDOW"))


def _draw_cursor_args(*args: Value) -> None:
    """The mouse is the last that Blender passes."""
    _draw_cursor(args[-1])


def _stop_cursors() -> None:
    while _cursor:
        with suppress(ValueError):  # Blender has removed it with the windows
            bpy.types.WindowManager.draw_cursor_remove(_cursor.pop())


# ---- where the mouse points


@dataclass(frozen=True)
class Ray:
    """A line of sight, in the coordinates of an object."""

    origin: Vector
    direction: Vector

    def at_height(self, z: float = 0.0) -> Vector | None:
        """Where it meets the plane at a height; None where it runs beside it, or the plane is behind."""
        if abs(self.direction.z) < 1e-9:
            return None
        far = (z - self.origin.z) / self.direction.z
        return self.origin + self.direction * far


def ray(
    context: bpy.types.Context, obj: bpy.types.Object, mouse: tuple[float, float], inside: bool = True
) -> Ray | None:
    """The line of sight through the mouse (pixels of the region), in the coordinates of an object.

    None where the context isn't a 3D view, or the mouse isn't in it and has to be (inside).
    """
    region, view = context.region, context.region_data
    if region is None or view is None or region.type != "WINDOW":
        return None
    if inside and not (0 <= mouse[0] < region.width and 0 <= mouse[1] < region.height):
        return None
    inverse = obj.matrix_world.inverted_safe()
    origin = inverse @ view3d_utils.region_2d_to_origin_3d(region, view, mouse)
    direction = inverse.to_3x3() @ view3d_utils.region_2d_to_vector_3d(region, view, mouse)
    return Ray(origin, direction)


# ---- operators


class StrokeOperator(Declared, bpy.types.Operator):
    """Base of the operators that a tool's stroke is: from a button's press to its release, one undo step.

    Esc, the right button and Ctrl+Z abandon it; then the scene has to be as it was before. After `begin` there is
    exactly one call of `finish` or `abandon`, whatever happens.
    """

    bl_options = {"UNDO", "INTERNAL"}
    hints: ClassVar[Keys] = (("MOUSE_RMB", "Cancel"),)
    """What the status bar says during the stroke."""
    failures: ClassVar[tuple[type[Exception], ...]] = (SceneError, OSError, ReferenceError)
    """What ends a stroke with a message."""

    def begin(self, context: bpy.types.Context, event: bpy.types.Event) -> bool:
        """Begin at the mouse; False: the click isn't for the tool, and goes on to Blender. Raises `failures`, having
        left all as it was.
        """
        raise NotImplementedError

    def follow(self, context: bpy.types.Context, event: bpy.types.Event) -> None:
        """Go on to where the mouse is now. Raises `failures`."""
        raise NotImplementedError

    def finish(self, context: bpy.types.Context) -> bool:
        """Let go; False: nothing was changed, and there is nothing to undo. Raises `failures`."""
        raise NotImplementedError

    def abandon(self, context: bpy.types.Context) -> None:
        """Give back the scene as it was at the beginning."""
        raise NotImplementedError

    def key(self, context: bpy.types.Context, event: bpy.types.Event) -> None:
        """Take another key's press during the stroke."""

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """Begin, and wait for the mouse."""
        manager = context.window_manager
        if manager is None:
            return {"CANCELLED"}
        try:
            if not self.begin(context, event):
                return {"PASS_THROUGH"}
        except self.failures as error:
            return refuse(self, context, error)
        self._button = event.type
        show_keys(context, self.hints)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """Follow the mouse until the button is released, or the stroke is abandoned."""
        try:
            return self._step(context, event)
        except self.failures as error:
            self._leave(context)
            return refuse(self, context, error)

    def _step(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        if event.type == self._button and event.value == "RELEASE":
            changed = self.finish(context)
            show_keys(context, None)
            stage.redraw(context.window_manager)
            return {"FINISHED"} if changed else {"CANCELLED"}
        undo = event.type == "Z" and (event.ctrl or event.oskey)
        if event.value == "PRESS" and (event.type in STOPS or undo):
            self._leave(context)
            return {"CANCELLED"}
        if event.type == "MOUSEMOVE":
            self.follow(context, event)
            if context.area is not None:
                context.area.tag_redraw()
        elif event.type in PASSED_ON:
            return {"PASS_THROUGH"}
        elif event.value == "PRESS":
            self.key(context, event)
        return {"RUNNING_MODAL"}

    def cancel(self, context: bpy.types.Context) -> None:
        """Abandon it, because Blender ends it: another file is opened, for example."""
        self._leave(context)

    def _leave(self, context: bpy.types.Context) -> None:
        with suppress(ReferenceError):  # what it was about is gone
            self.abandon(context)
        show_keys(context, None)
        stage.redraw(context.window_manager)


class SizeOperator(Declared, bpy.types.Operator):
    """Base of the operators that change a tool's size by moving the mouse or typing a number (Blender's F)."""

    bl_options = {"INTERNAL"}
    title: ClassVar[str] = "Size"
    limits: ClassVar[tuple[float, float]] = (0.1, 1000.0)
    pixels: ClassVar[float] = 10.0
    """How far the mouse moves for 1."""
    whole: ClassVar[bool] = False
    """Whether it is a whole number."""

    def read_size(self, context: bpy.types.Context) -> float:
        """The size."""
        raise NotImplementedError

    def write_size(self, context: bpy.types.Context, value: float) -> None:
        """Make it this size: within the limits, and whole where it has to be."""
        raise NotImplementedError

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """Wait for the mouse, or digits."""
        manager = context.window_manager
        if manager is None or context.area is None:
            return {"CANCELLED"}
        self._before, self._from, self._typed = self.read_size(context), event.mouse_x, ""
        show_keys(context, (("MOUSE_LMB", "Confirm"), ("MOUSE_RMB", "Cancel")))
        manager.modal_handler_add(self)
        self._show(context)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """Follow the mouse and the digits until they are confirmed or cancelled."""
        pressed = event.value == "PRESS"
        if pressed and event.type in {"LEFTMOUSE", "RET", "NUMPAD_ENTER"}:
            self._leave(context)
            return {"FINISHED"}
        if pressed and event.type in STOPS:
            self.cancel(context)
            return {"CANCELLED"}
        if pressed and event.type == "BACK_SPACE":
            self._typed = self._typed[:-1]
        elif pressed and (event.ascii.isdigit() or (event.ascii == "." and not self.whole and "." not in self._typed)):
            self._typed += event.ascii
        elif event.type != "MOUSEMOVE":
            return {"RUNNING_MODAL"}
        moved = self._before + (event.mouse_x - self._from) / self.pixels
        self._set(context, float(self._typed) if self._typed.strip(".") else moved)
        self._show(context)
        return {"RUNNING_MODAL"}

    def _set(self, context: bpy.types.Context, value: float) -> None:
        value = min(max(value, self.limits[0]), self.limits[1])
        self.write_size(context, round(value) if self.whole else value)

    def _show(self, context: bpy.types.Context) -> None:
        if context.area is not None:
            context.area.header_text_set(showable(f"{self.title}: {self.read_size(context):.6g}"))
            context.area.tag_redraw()

    def cancel(self, context: bpy.types.Context) -> None:
        """Give it its old size back."""
        self.write_size(context, self._before)
        self._leave(context)

    def _leave(self, context: bpy.types.Context) -> None:
        if context.area is not None:
            context.area.header_text_set(None)
        show_keys(context, None)
        stage.redraw(context.window_manager)


# ---- the status bar


def show_keys(context: bpy.types.Context, keys: Keys | None) -> None:
    """Let the status bar say what keys do while an operator runs; None: that none does any more."""
    workspace = context.workspace
    if workspace is None:
        return
    if keys is None:
        workspace.status_text_set(None)
        return
    workspace.status_text_set(lambda header, _context: _draw_keys(header.layout, keys))


def _draw_keys(layout: bpy.types.UILayout, keys: Keys) -> None:
    for icon, text in keys:
        layout.label(text=f"    {text}" if icon in _WIDE else text, icon=icon)


def _draw_status(header: bpy.types.Header, context: bpy.types.Context) -> None:
    """Draw the keys of the active tool, where it is one of ours."""
    for tool in _tools:
        if tool.active(context):
            _draw_keys(always(header.layout), tool.hints)


# ---- registering


@dataclass(frozen=True, slots=True)
class Toolbar:
    """Tools that are in the toolbar one after another; their operators are registered first."""

    tools: Sequence[type[Tool]]

    def register(self) -> None:
        """Put them there."""
        if not _tools:
            _draw_again()
            bpy.app.handlers.load_pre.append(_let_go)
            bpy.app.handlers.load_post.append(_draw_again)
            bpy.types.STATUSBAR_HT_header.append(_draw_status)
        for number, tool in enumerate(self.tools):
            before = self.tools[number - 1].bl_idname if number else FIRST
            bpy.utils.register_tool(tool, after={before}, separator=not number)
            _tools.append(tool)

    def unregister(self) -> None:
        """Take them away: nothing is left that is drawn, and Blender's own tool is the active one."""
        _let_go()
        for tool in reversed(self.tools):
            for context in _windows_with(tool):
                with context:
                    bpy.ops.wm.tool_set_by_id(name=FALLBACK, space_type=SPACE)
            _tools.remove(tool)
            bpy.utils.unregister_tool(tool)
        if not _tools:
            bpy.types.STATUSBAR_HT_header.remove(_draw_status)
            bpy.app.handlers.load_post.remove(_draw_again)
            bpy.app.handlers.load_pre.remove(_let_go)
            _stop_cursors()


def _windows_with(tool: type[Tool]) -> Iterator[AbstractContextManager[object]]:
    """A context for each window in which a tool is the active one."""
    manager = bpy.context.window_manager
    for window in manager.windows if manager is not None else ():
        areas = [area for area in window.screen.areas if area.type == SPACE]
        held: Value = gives(window.workspace.tools.from_space_view3d_mode)("OBJECT", create=False)
        if areas and held is not None and held.idname == tool.bl_idname:
            yield bpy.context.temp_override(window=window, area=areas[0])
