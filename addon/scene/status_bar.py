# SPDX-License-Identifier: GPL-3.0-or-later
"""How far long work is, at the bottom of the window: what is being done, a bar, and how to stop it."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import bpy

from .blender_types import Value

STEPS = 9999
"""The whole, as Blender's number under the mouse pointer counts it."""


@dataclass(slots=True)
class StatusBar:
    """The status bar while work is done; without a window it shows nothing."""

    stops: bool = False
    """Whether Esc stops the work."""
    on: bool = False
    """Whether it is in use."""
    drawn_at: float = 0.0
    """When Blender last had the time to draw."""
    _shown_at: float = 0.0
    _text: str = ""
    _fraction: float = 0.0

    def begin(self) -> None:
        """Take the status bar, and the number under the mouse pointer: where the bar is hidden, that is the sign."""
        manager = bpy.context.window_manager
        self.on = not bpy.app.background and manager is not None and bpy.context.workspace is not None
        self._shown_at = 0.0
        if self.on and manager is not None:
            manager.progress_begin(0, STEPS)

    def is_behind(self, seconds: float) -> bool:
        """Whether it says what was true longer ago than that."""
        return perf_counter() - self._shown_at > seconds

    def is_stuck(self, seconds: float) -> bool:
        """Whether nothing was drawn for longer than that."""
        return perf_counter() - self.drawn_at > seconds

    def show(self, text: str, fraction: float) -> None:
        """Say how far the work is, whenever Blender draws next. fraction: of the whole, 0 to 1."""
        manager, workspace = bpy.context.window_manager, bpy.context.workspace
        if not self.on or manager is None or workspace is None:
            return
        self._text, self._fraction, self._shown_at = text, fraction, perf_counter()
        manager.progress_update(int(fraction * STEPS))
        workspace.status_text_set(lambda header, _context: self._draw(header.layout))

    def draw_now(self) -> None:
        """Draw it while Blender waits for the work, and with it only what has to be drawn anew anyway."""
        if self.on:
            with bpy.context.temp_override(area=None, region=None):  # or that region would be drawn, too
                bpy.ops.wm.redraw_timer(type="DRAW_SWAP", iterations=1)
        self.drawn_at = perf_counter()

    def end(self) -> None:
        """Give it back."""
        manager = bpy.context.window_manager
        workspace = bpy.context.workspace or next(iter(bpy.data.workspaces), None)  # while a file is opened: any
        if self.on and manager is not None and workspace is not None:
            manager.progress_end()
            workspace.status_text_set(None)
        self.on = False

    def _draw(self, layout: Value) -> None:
        bar = layout.row()
        bar.scale_x = 0.6
        bar.progress(factor=self._fraction, text=f"{int(self._fraction * 100)} %")
        layout.label(text=self._text)
        if self.stops:
            layout.label(text="     Stop, and leave nothing behind", icon="EVENT_ESC")
        layout.separator_spacer()
        layout.template_reports_banner()
