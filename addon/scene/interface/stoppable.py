# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators whose work takes long: in a window it is done a slice at a time, the status bar says how far it is, and Esc
stops it. Called from Python, or without a window, all of it is done at once.

Work that reads the scene ends, too, when the scene is edited while it waits, by another window or a script: half of one
scene and half of another is neither.

A dialog or a file browser can't keep an operator that isn't finished. So when its options are chosen, the operator is
started once more with these, and it is that one that runs, makes the undo step and can be adjusted afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, ClassVar

import bpy
import numpy as np

from ..blender_types import Value, gives, persistent
from ..registering import Both, called, in_turn
from ..view import stage
from ..work import once
from ..work.progress import Meter, Steps, Work, drain, progress
from ..work.status_bar import StatusBar
from .sidebar import LevelOperator, Result, refuse

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

EVERY, BEHIND = 0.2, 1.0
"""Seconds that the status bar may be behind; at most, where drawing it takes long."""

_NEVER_MADE = ("libraries", "screens", "window_managers", "workspaces")  # by what we do; Blender won't remove them

_running: Running | None = None
"""What runs now."""
_is_starting = False
"""Whether an operator is being started once more."""


class Running:
    """Work that runs in a window."""

    def __init__(self, context: bpy.types.Context, steps: Steps[Result], title: str, reads: bool = False) -> None:
        """reads: whether the scene has to stay as it is."""
        global _running
        self.is_over = False
        self.is_late = False
        """Whether somebody else edited the scene that it reads."""
        self._reads = reads
        self._is_waiting = False
        self._work = Work(steps, Meter(StatusBar(stops=True)))
        self._manager = stage.window_manager_of(context)
        self._timer: bpy.types.Timer = gives(self._manager.event_timer_add)(0.001, window=context.window)
        self._last_end = perf_counter()
        self._has_shown = True
        self._cost = 0.0
        """Seconds that the last pause took in which the status bar was drawn."""
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
            if self._has_shown:
                self._cost = between
            is_done = self._work.run(min(max(between * WANTED, SHORTEST), max(min(between * LEAST, AT_MOST), LONGEST)))
        except BaseException:
            self._end()
            raise
        if is_done:
            self._end()
            return self._work.made
        self._pause()
        self._has_shown = self._work.meter.status.is_behind(max(min(self._cost * WANTED, BEHIND), EVERY))
        if self._has_shown:
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

    def meet_edit(self) -> None:
        """Take notice of an edit of the scene: the work's own ones are none."""
        self.is_late |= self._reads and self._is_waiting

    def _pause(self) -> None:
        if self._reads:  # what the work itself changed for a while isn't to be taken for somebody's edit
            for window in self._manager.windows:
                window.view_layer.update()
        self._newest = _newest()
        self._is_waiting = True
        self._last_end = perf_counter()

    def _resume(self) -> None:
        self._is_waiting = False
        newest = _newest()
        if newest > self._newest:
            self._meanwhile.append((self._newest, newest))

    def _end(self) -> None:
        global _running
        self.is_over, _running = True, None
        self._manager.event_timer_remove(self._timer)
        self._work.meter.status.end()
        stage.redraw(self._manager)  # the sidebar's lists are another ones now, and Blender doesn't know


def is_others(uid: int) -> bool:
    """Whether the data-block of this session_uid was made while the work that runs now waited: no stop removes it."""
    return _running is not None and _running.is_others(uid)


def _newest() -> int:
    """The highest number that a data-block has: they are counted up. A new one would tell it at once, but when it is
    removed again, Blender evaluates and draws the whole scene anew.
    """
    highest = 0
    for table in bpy.data.bl_rna.properties:
        if table.type == "COLLECTION":
            blocks: Value = getattr(bpy.data, table.identifier)
            numbers = np.zeros(len(blocks), np.int32)
            blocks.foreach_get("session_uid", numbers)
            highest = max(highest, int(numbers.max(initial=0)))
    return highest


@contextmanager
def nothing_left_behind(context: bpy.types.Context) -> Iterator[None]:
    """Remove every data-block that was made inside when an exception leaves it, or the work is stopped, and let the
    scene and the windows look as before.
    """
    known = {block.session_uid for block in data_blocks()}
    settings = stage.scene_settings(context)
    try:
        yield
    except BaseException:
        new = [block for block in data_blocks() if block.session_uid not in known]
        bpy.data.batch_remove([block for block in new if not is_others(block.session_uid)])
        stage.restore_settings(settings)
        raise


def data_blocks() -> Iterator[bpy.types.ID]:
    """Give every data-block that removing makes sense for."""
    for table in bpy.data.bl_rna.properties:
        if table.type == "COLLECTION" and table.identifier not in _NEVER_MADE:
            yield from getattr(bpy.data, table.identifier)


class Stoppable(Operator):
    """Mixed into operators, the first of their bases: in the place of `execute` they have `work`."""

    reads_scene: ClassVar[bool] = True
    """Whether the scene has to stay as it is until the work is done."""
    work: Callable[[bpy.types.Context], Steps[Result]]
    """A method that gives the steps of what the operator does. Esc stops it between two; then nothing is left of it."""
    _run: Running | None = None

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """Ask for the options, as far as the operator does, or begin with those that were chosen."""
        ask = None if _is_starting else self._asks
        return self._begin(context) if ask is None else ask(context, event)

    def execute(self, context: bpy.types.Context) -> Result:
        """Do all at once; where a window has asked for the options, begin."""
        if self.options.is_invoke and not self.options.is_repeat and self._has_window(context):
            self._start_anew()
            return {"CANCELLED"}  # this one: the other one goes on
        return drain(self.work(context))

    def modal(self, _context: bpy.types.Context, event: bpy.types.Event) -> Result:
        """Do the next slice, or stop. Whatever else happens in the window has to wait."""
        run = self._run
        if run is None or run.is_over:
            return self._stopped()
        if run.is_late or (event.type == "ESC" and event.value == "PRESS"):
            run.stop()
            return self._stopped("the scene was edited meanwhile; " if run.is_late else "")
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}
        return run.slice() or {"RUNNING_MODAL"}

    def cancel(self, _context: bpy.types.Context) -> None:
        """Stop, since the window is closed."""
        if self._run is not None:
            self._run.stop()

    @property
    def _asks(self) -> Value:
        """The method `invoke` that the operator has without this class; None without one."""
        bases = type(self).__mro__
        found = (vars(base).get("invoke") for base in bases[bases.index(Stoppable) + 1 :])
        method = next((each for each in found if each is not None), None)
        return None if method is None else method.__get__(self)

    def _has_window(self, context: bpy.types.Context) -> bool:
        return not bpy.app.background and context.window is not None

    def _begin(self, context: bpy.types.Context) -> Result:
        if not self._has_window(context):
            return drain(self.work(context))
        if _running is not None:
            self.report({"ERROR"}, "Another window is at work: wait for it, or stop it there")
            return {"CANCELLED"}
        self._run = Running(context, self.work(context), self.bl_label, self.reads_scene)
        gives(stage.window_manager_of(context).modal_handler_add)(self)
        return {"RUNNING_MODAL"}

    def _stopped(self, why: str = "") -> Result:
        self.report({"WARNING"} if why else {"INFO"}, f"{self.bl_label}: {why}stopped, nothing is left of it")
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


class StoppableTool(Stoppable, LevelOperator):
    """Base of the operators that change the active level of a game in steps: they have `changing` for `change`."""

    def work(self, context: bpy.types.Context) -> Steps[Result]:
        """Change the active level, or say why not."""
        level = self.level(context)
        if level is None:
            return {"CANCELLED"}
        try:
            with progress(1, self.bl_label):
                done = yield from self.changing(context, level)
        except self.failures as error:
            return refuse(self, context, error)
        finally:
            once.forget()
        return self.answer(done)

    def changing(self, context: bpy.types.Context, level: bpy.types.Collection) -> Steps[bool | None]:
        """Give the steps of what the operator is for, which make False where there was nothing to do.

        The level is changed after the last of them. Raises what `failures` has.
        """
        raise NotImplementedError


@persistent
def _look_for_edits(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph | None = None) -> None:
    """Tell the work that runs. A handler of `depsgraph_update_post`: of new data-blocks in no scene it is told, too."""
    if _running is not None and depsgraph is not None and len(depsgraph.updates):
        _running.meet_edit()


@persistent
def _stop_all(*_: object) -> None:
    """Before another file is opened or a step undone, by another window: what is half made must not be met there."""
    if _running is not None:
        _running.stop()


register, unregister = in_turn(
    *(called(getattr(bpy.app.handlers, moment), _stop_all) for moment in ("load_pre", "undo_pre", "redo_pre")),
    called(bpy.app.handlers.depsgraph_update_post, _look_for_edits),
    Both(unregister=_stop_all),
)
"""Watches for what work can't outlive."""
