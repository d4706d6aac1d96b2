# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools of the toolbar: strokes end once, what is drawn goes, and nothing is left when the add-on goes."""

from types import SimpleNamespace
from typing import Any

import bpy
import pytest
from levelwright.addon.scene.interface import tools
from levelwright.addon.scene.interface.tools import Overlay, SizeOperator, StrokeOperator, Tool
from levelwright.addon.scene.reports import SceneError


class Stroke:
    """A stroke without Blender's operator around it, which only Blender can make."""

    hints = StrokeOperator.hints
    failures = StrokeOperator.failures
    modal, cancel, _step, _leave = (
        StrokeOperator.modal, StrokeOperator.cancel, StrokeOperator._step, StrokeOperator._leave,
    )  # fmt: skip

    def __init__(self, fails: str = "", changes: bool = True) -> None:
        self.done: list[str] = []
        self.fails, self.changes, self._button = fails, changes, "LEFTMOUSE"

    def _do(self, what: str) -> None:
        self.done.append(what)
        if what == self.fails:
            raise SceneError(what)

    def follow(self, *_: object) -> None:
        self._do("follow")

    def finish(self, _: object) -> bool:
        self._do("finish")
        return self.changes

    def abandon(self, _: object) -> None:
        self._do("abandon")

    def key(self, _: object, event: Any) -> None:
        self._do(event.type)

    def report(self, kind: set[str], text: str) -> None:
        self._do(f"{kind} {text}")


def event(kind: str, value: str = "PRESS", **more: object) -> Any:
    return SimpleNamespace(type=kind, value=value, **{"ctrl": False, "oskey": False, "ascii": "", "mouse_x": 0} | more)


def step(stroke: Any, *events: Any) -> set[str]:
    result: set[str] = set()
    for one in events:
        result = stroke.modal(bpy.context, one)
    return result


MOVE, RELEASE = event("MOUSEMOVE", "NOTHING"), event("LEFTMOUSE", "RELEASE")


def test_a_stroke_ends_with_its_button() -> None:
    stroke = Stroke()
    assert step(stroke, MOVE, event("X"), MOVE) == {"RUNNING_MODAL"}
    assert step(stroke, event("WHEELUPMOUSE")) == {"PASS_THROUGH"}
    assert step(stroke, RELEASE) == {"FINISHED"}
    assert stroke.done == ["follow", "X", "follow", "finish"]
    assert step(Stroke(changes=False), RELEASE) == {"CANCELLED"}  # no step of undo for nothing


@pytest.mark.parametrize("stop", [event("ESC"), event("RIGHTMOUSE"), event("Z", ctrl=True), event("Z", oskey=True)])
def test_a_stroke_is_abandoned(stop: Any) -> None:
    stroke = Stroke()
    assert step(stroke, MOVE, stop) == {"CANCELLED"}
    assert stroke.done == ["follow", "abandon"]


def test_a_stroke_that_fails_is_abandoned_with_a_message() -> None:
    stroke = Stroke(fails="follow")
    assert step(stroke, MOVE) == {"CANCELLED"}
    assert stroke.done == ["follow", "abandon", "{'ERROR'} follow"]
    stroke = Stroke()
    stroke.cancel(bpy.context)  # type: ignore[arg-type] # as Blender does when another file is opened
    assert stroke.done == ["abandon"]


class Size:
    """A size without Blender's operator."""

    title, limits, pixels, whole = "Size", (1, 50), 10.0, True
    modal, cancel, _set, _show, _leave = (
        SizeOperator.modal, SizeOperator.cancel, SizeOperator._set, SizeOperator._show, SizeOperator._leave,
    )  # fmt: skip

    def __init__(self) -> None:
        self.size, self._before, self._from, self._typed = 4.0, 4.0, 100, ""

    def read_size(self, _: object) -> float:
        return self.size

    def write_size(self, _: object, value: float) -> None:
        self.size = value


def test_a_size_follows_the_mouse_and_what_is_typed() -> None:
    size = Size()
    step(size, event("MOUSEMOVE", "NOTHING", mouse_x=134))
    assert size.size == 7
    step(size, event("TWO", ascii="2"), event("FIVE", ascii="5"))
    assert size.size == 25
    step(size, event("BACK_SPACE"))
    assert size.size == 2
    step(size, event("NINE", ascii="9"), event("NINE", ascii="9"))
    assert size.size == 50
    assert step(size, event("RET")) == {"FINISHED"}
    assert size.size == 50
    assert step(size, event("ESC")) == {"CANCELLED"}
    assert size.size == 4


def test_an_overlay_goes_with_the_file() -> None:
    before = tools.overlays()
    overlay = Overlay(lambda _context: None)
    assert tools.overlays() == before + 1
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert tools.overlays() == before
    overlay.remove()  # it's gone already


def test_an_overlay_that_fails_is_not_drawn_again() -> None:
    drawn = []

    def draw(_context: object) -> None:
        drawn.append(1)
        raise ReferenceError

    overlay = Overlay(draw)
    with pytest.raises(ReferenceError):
        overlay._safely()
    overlay._safely()
    assert drawn == [1]
    overlay.remove()


class LEVELWRIGHT_TOOL_test(Tool):
    """A tool."""

    bl_idname = "levelwright.test_tool"
    bl_label = "Test"
    bl_keymap = (("view3d.select", {"type": "LEFTMOUSE", "value": "PRESS"}, None),)


def toolbar() -> list[str]:
    from bl_ui.space_toolsystem_common import ToolSelectPanelHelper as Helper  # type: ignore[import-not-found]

    held = Helper._tools_flatten(Helper._tool_class_from_space_type("VIEW_3D")._tools["OBJECT"])
    return [tool.idname for tool in held if tool is not None]


def test_tools_come_and_go() -> None:
    """Those of games stay: nothing is left of the one that goes."""
    before = toolbar()
    assert "levelwright.teeworlds_stamp_tool" in before
    tools.Toolbar((LEVELWRIGHT_TOOL_test,)).register()
    assert toolbar().count("levelwright.test_tool") == 1
    overlay = Overlay(lambda _context: None)
    tools.Toolbar((LEVELWRIGHT_TOOL_test,)).unregister()
    assert toolbar() == before
    assert tools.overlays() == 0
    overlay.remove()
    assert not LEVELWRIGHT_TOOL_test.active(bpy.context)
