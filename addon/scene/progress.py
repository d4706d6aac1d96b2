# SPDX-License-Identifier: GPL-3.0-or-later
"""Progress under the mouse pointer: `with progress(3, "layers") as step:`, and `step()` after each of the three.

Ranges nest: a `progress` inside another one fills the outer one's current step. Without a window nothing is shown.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import bpy

_log = logging.getLogger(__name__)

STEPS = 9999
"""The whole, as Blender counts it."""


@dataclass
class _Meter:
    """Where the innermost range lies in the whole; Blender has one progress display, hence one meter."""

    ranges: list[tuple[float, float]] = field(default_factory=list)
    shown: int = -1

    def show(self, fraction: float) -> None:
        value = min(STEPS, int(fraction * STEPS))
        if value == self.shown:
            return
        self.shown = value
        manager = bpy.context.window_manager
        if not bpy.app.background and manager is not None:
            manager.progress_update(value)


_meter = _Meter()


@contextmanager
def progress(total: int, title: str = "") -> Iterator[Callable[..., None]]:
    """Count `total` steps; gives `step(n=1)`, which moves the display by n of them.

    title: what is counted, for the log (level INFO); Blender itself shows only a number.
    """
    if title:
        _log.info(title)
    start, end = _meter.ranges[-1] if _meter.ranges else (0.0, 1.0)
    outermost = not _meter.ranges
    manager = bpy.context.window_manager
    if outermost and not bpy.app.background and manager is not None:
        manager.progress_begin(0, STEPS)
    done = 0
    width = (end - start) / max(total, 1)

    def current() -> tuple[float, float]:
        return start + min(done, total) * width, start + min(done + 1, total) * width

    def step(n: int = 1) -> None:
        nonlocal done
        done += n
        _meter.ranges[depth] = current()
        _meter.show(current()[0])

    depth = len(_meter.ranges)
    _meter.ranges.append(current())
    try:
        yield step
    finally:
        del _meter.ranges[depth:]
        if outermost:
            _meter.shown = -1
            if not bpy.app.background and manager is not None:
                manager.progress_end()
