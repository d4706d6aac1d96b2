# SPDX-License-Identifier: GPL-3.0-or-later
"""How far long work is, at the bottom of the window: what is being done, a bar, and how to stop it."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import bpy


@dataclass(slots=True)
class StatusBar:
    """The status bar, and the number under the mouse pointer, while work is done; without a window nothing is shown."""

    stops: bool = False
    """Whether Esc stops the work."""
    on: bool = False
    """Whether it is in use."""
    _percent: int = -1
    _text: str = ""
    _shown_at: float = 0.0

    def begin(self) -> None:
        """Take the pointer."""
        manager = bpy.context.window_manager
        self.on, self._percent = not bpy.app.background and manager is not None, -1
        if self.on and manager is not None:
            manager.progress_begin(0, 100)

    def count(self, fraction: float) -> None:
        """Let the pointer say how far the work is, of the whole, 0 to 1: that needs no drawing."""
        percent, manager = int(fraction * 100), bpy.context.window_manager
        if self.on and percent != self._percent and manager is not None:
            self._percent = percent
            manager.progress_update(percent)

    def show(self, text: str, fraction: float) -> None:
        """Say in the status bar what is being done, and how far it is: whenever Blender draws next."""
        self.count(fraction)
        workspace = bpy.context.workspace
        if self.on and workspace is not None:
            self._text, self._shown_at = text, perf_counter()
            workspace.status_text_set(lambda header, _context: self._draw(header.layout))

    def is_behind(self, seconds: float) -> bool:
        """Whether the status bar says what was true longer ago than that."""
        return perf_counter() - self._shown_at > seconds

    def end(self) -> None:
        """Give both back."""
        manager = bpy.context.window_manager
        workspace = bpy.context.workspace or next(iter(bpy.data.workspaces), None)  # while a file is opened: any
        if self.on and manager is not None:
            manager.progress_end()
        if self.on and self._shown_at and workspace is not None:
            workspace.status_text_set(None)
        self.on, self._shown_at = False, 0.0

    def _draw(self, layout: bpy.types.UILayout) -> None:
        if self.stops:  # what is one step has no part that could be shown
            bar = layout.row()
            bar.scale_x = 0.6
            bar.progress(factor=max(self._percent, 0) / 100, text=f"{max(self._percent, 0)} %")
        layout.label(text=self._text)
        if self.stops:
            layout.label(text="     Stop, and leave nothing behind", icon="EVENT_ESC")
        layout.separator_spacer()
        layout.template_reports_banner()
