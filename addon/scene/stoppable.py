# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators whose work takes long: in a window it is done a slice at a time, the status bar says how far it is, and Esc
stops it. Called from Python, or without a window, all of it is done at once.

A dialog or a file browser can't keep an operator that isn't finished. So when its options are chosen, the operator is
started once more with these, and it is that one that runs, makes the undo step and can be adjusted afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

import bpy
from bpy.app.handlers import persistent

from .blender_types import Value, gives
from .progress import Meter, Steps, Work, at_once, drain
from .sidebar import Result
from .stage import window_manager_of
from .status_bar import StatusBar

if TYPE_CHECKING:
    Operator = bpy.types.Operator
else:
    Operator = object

SHORTEST, LONGEST, AT_MOST = 0.05, 0.3, 1.0
"""Seconds of work between two looks at the keyboard; at most, where drawing takes long."""
WANTED, LEAST = 30.0, 2.0
"""How many times as long a slice is as what Blender does between two. It draws all views then, since all that Python
makes says so: which costs 3 % where a slice is as long as wanted.
"""

EVERY = 0.2
"""Seconds: how long the status bar may be behind."""

_running: Running | None = None
"""What runs now."""
_is_starting = False
"""Whether an operator is being started once more."""


class Running:
    """Work that runs in a window."""

    def __init__(self, context: bpy.types.Context, steps: Steps[Result], title: str, stops: bool = True) -> None:
        global _running
        self.is_over = False
        self._work = Work(steps, Meter(StatusBar(stops)))
        self._manager = window_manager_of(context)
        self._timer: Value = gives(self._manager.event_timer_add)(0.001, window=context.window)
        self._last_end = perf_counter()
        self._newest = _newest()
        self._meanwhile: list[tuple[int, int]] = []
        self._work.meter.status.begin()
        self._work.meter.status.show(title, 0.0)
        _running = self

    def slice(self) -> Result | None:
        """Work for a moment; returns what came of it, or None when there is more to do. Raises what the work raises."""
        begin = perf_counter()
        self._resume()
        try:
            between = begin - self._last_end
            is_done = self._work.run(min(max(between * WANTED, SHORTEST), max(min(between * LEAST, AT_MOST), LONGEST)))
        except BaseException:
            self._end()
            raise
        if is_done:
            self._end()
            return self._work.made
        self._newest = _newest()
        self._last_end = perf_counter()
        if self._work.meter.status.is_behind(EVERY):
            self._work.meter.show()
        return None

    def stop(self) -> None:
        """Leave nothing behind."""
        if not self.is_over:
            self._resume()
            try:
                self._work.close()
            finally:
                self._end()

    def is_others(self, uid: int) -> bool:
        """Whether a data-block was made while the work waited: by another window, or by Blender itself."""
        return any(first < uid <= last for first, last in self._meanwhile)

    def _resume(self) -> None:
        newest = _newest()
        if newest > self._newest + 1:
            self._meanwhile.append((self._newest, newest))

    def _end(self) -> None:
        global _running
        self.is_over, _running = True, None
        self._manager.event_timer_remove(self._timer)
        self._work.meter.status.end()


def is_others(uid: int) -> bool:
    """Whether the data-block of this session_uid was made while the work that runs now waited: no stop removes it."""
    return _running is not None and _running.is_others(uid)


def _newest() -> int:
    """The number that the newest data-block would have: they are counted up."""
    probe = bpy.data.texts.new("probe")
    uid = probe.session_uid
    bpy.data.texts.remove(probe)
    return uid


class Stoppable(Operator):
    """Mixed into operators, the first of their bases. Those that have `work`, a method that gives the steps of what
    they do, are stopped by Esc between two of them; what others inherit as `execute` is one step.
    """

    _run: Running | None = None

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """Ask for the options, as far as the operator does, or begin with those that were chosen."""
        ask = None if _is_starting else self._inherited("invoke")
        return self._begin(context) if ask is None else ask(context, event)

    def execute(self, context: bpy.types.Context) -> Result:
        """Do all at once; where a window has asked for the options, begin."""
        if self.options.is_invoke and not self.options.is_repeat and self._has_window(context):
            self._start_anew()
            return {"CANCELLED"}  # this one: the other one goes on
        return drain(self._steps(context))

    def modal(self, _context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """Do the next slice, or stop. Whatever else happens in the window has to wait."""
        run = self._run
        if run is None or run.is_over:
            return self._stopped()
        if event.type == "ESC" and event.value == "PRESS":
            run.stop()
            return self._stopped()
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}
        return run.slice() or {"RUNNING_MODAL"}

    def cancel(self, _context: bpy.types.Context) -> None:
        """Stop, since the window is closed."""
        if self._run is not None:
            self._run.stop()

    def _inherited(self, name: str) -> Value:
        """The method that the operator has without this class; None without one."""
        bases = type(self).__mro__
        found = (vars(base).get(name) for base in bases[bases.index(Stoppable) + 1 :])
        method = next((each for each in found if each is not None), None)
        return None if method is None else method.__get__(self)

    @property
    def _work(self) -> Callable[[bpy.types.Context], Steps[Result]] | None:
        return getattr(self, "work", None)

    def _steps(self, context: bpy.types.Context) -> Steps[Result]:
        return at_once(partial(self._inherited("execute"), context)) if self._work is None else self._work(context)

    def _has_window(self, context: bpy.types.Context) -> bool:
        return not bpy.app.background and context.window is not None

    def _begin(self, context: bpy.types.Context) -> Result:
        if not self._has_window(context):
            return drain(self._steps(context))
        if _running is not None:
            self.report({"ERROR"}, "Another window is at work: wait for it, or stop it there")
            return {"CANCELLED"}
        self._run = Running(context, self._steps(context), self.bl_label, self._work is not None)
        gives(window_manager_of(context).modal_handler_add)(self)
        return {"RUNNING_MODAL"}

    def _stopped(self) -> Result:
        self.report({"INFO"}, f"{self.bl_label}: stopped, nothing is left of it")
        return {"CANCELLED"}

    def _start_anew(self) -> None:
        global _is_starting
        given: dict[str, Value] = gives(self.as_keywords)()
        files = given.get("files")
        if files is not None:
            given["files"] = [{"name": file.name} for file in files]
        rna: Value = self.bl_rna
        category, name = rna.identifier.lower().split("_ot_")
        _is_starting = True
        try:
            getattr(getattr(bpy.ops, category), name)("INVOKE_DEFAULT", **given)
        finally:
            _is_starting = False


@persistent  # type: ignore[untyped-decorator]
def _stop_all(*_: object) -> None:
    """Before another file is opened or a step undone, by another window: what is half made must not be met there."""
    if _running is not None:
        _running.stop()


_MOMENTS = ("load_pre", "undo_pre", "redo_pre")


def register() -> None:
    """Watch for what work can't outlive."""
    for moment in _MOMENTS:
        getattr(bpy.app.handlers, moment).append(_stop_all)


def unregister() -> None:
    """Undo `register`."""
    _stop_all()
    for moment in _MOMENTS:
        getattr(bpy.app.handlers, moment).remove(_stop_all)
