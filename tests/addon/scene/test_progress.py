# SPDX-License-Identifier: GPL-3.0-or-later
"""Progress, work that is done step by step, and operators that can be stopped: without a window, driven by hand."""

import gc
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import bpy
import pytest
from levelwright.addon import levels
from levelwright.addon.scene.interface import stoppable
from levelwright.addon.scene.work import progress
from levelwright.addon.scene.work.progress import Meter, Steps, Stepwise, Work, at_once, drain, steps_of
from levelwright.addon.scene.work.status_bar import StatusBar


class Shown(StatusBar):
    """A status bar that remembers what it was told."""

    __slots__ = ("meter", "told")

    def __init__(self) -> None:
        super().__init__()
        self.told: list[object] = []
        self.meter = Meter(self)

    def begin(self) -> None:
        self.on = True
        self.told.append("begin")

    def count(self, fraction: float) -> None:
        self.told.append((self.meter.text, round(fraction, 4)))

    def end(self) -> None:
        self.on = False
        self.told.append("end")


@pytest.fixture
def shown() -> Iterator[list[object]]:
    """What the status bar would be told if there was a window."""
    status = Shown()
    with progress.metered(status.meter):
        yield status.told


def test_it_says_how_many_of_how_many(shown: list[object]) -> None:
    with progress.progress(4, "layers") as step:
        step()
        step(2)
        step()
    assert shown == ["begin", ("layers 1 / 4", 0.25), ("layers 3 / 4", 0.75), ("layers 4 / 4", 1.0), "end"]


def test_a_range_within_one_fills_its_step(shown: list[object]) -> None:
    with progress.progress(2, "files") as outer:
        with progress.progress(1, "Source map a.bsp"), progress.progress(5, "props") as inner:
            inner(5)
        outer()
        with progress.progress(3) as inner:
            inner()
            with progress.progress(0, "nothing"):
                pass
        outer()
    assert shown == [
        "begin",
        ("files 0 / 2: Source map a.bsp: props 5 / 5", 0.5),
        ("files 1 / 2", 0.5),
        ("files 1 / 2", 0.6667),
        ("files 2 / 2", 1.0),
        "end",
    ]


def test_it_ends_when_the_work_fails(shown: list[object]) -> None:
    with pytest.raises(RuntimeError), progress.progress(3) as step, progress.progress(3):
        step()
        raise RuntimeError
    assert shown[-1] == "end"
    with progress.progress(1) as step:
        step()
    assert shown[-2:] == [("", 1.0), "end"]


def test_without_a_window_nothing_is_shown() -> None:
    assert bpy.app.background
    status = StatusBar()
    status.begin()
    assert not status.on
    with progress.progress(3, "layers") as step:
        step()


def counting(to: int, log: list[str]) -> Steps[int]:
    try:
        with progress.progress(to, "sheep") as step:
            for number in range(to):
                log.append(f"sheep {number}")
                yield step()
    finally:
        log.append("done")
    return to


def test_a_stepwise_function_can_be_called_as_any_other() -> None:
    count = Stepwise(counting)
    assert count(3, []) == 3
    assert len(list(count.steps(3, []))) == 3
    assert drain(steps_of(count, 4, [])) == 4
    assert drain(steps_of(len, "text")) == 4
    assert drain(at_once(lambda: 5)) == 5


def test_work_goes_on_where_it_was() -> None:
    log: list[str] = []
    work = Work(counting(3, log))
    assert not work.run(0)
    assert (work.meter.text, work.meter.fraction) == ("sheep 1 / 3", pytest.approx(1 / 3))
    with progress.progress(7, "others"):  # what is counted meanwhile is none of it
        assert not work.run(0)
    assert log == ["sheep 0", "sheep 1"]
    assert work.run(60)
    assert work.made == 3
    assert log[-1] == "done"
    assert work.meter.text == ""


def test_closed_work_cleans_up() -> None:
    log: list[str] = []
    work = Work(counting(3, log))
    work.run(0)
    work.close()
    work.close()
    assert log == ["sheep 0", "done"]
    assert work.meter.text == ""


class Manager:
    """A window manager, with a window that shows the scene."""

    def __init__(self) -> None:
        self.timers: list[object] = []
        self.redrawn: list[str] = []
        areas = [
            SimpleNamespace(type=kind, tag_redraw=lambda kind=kind: self.redrawn.append(kind))
            for kind in ("VIEW_3D", "OUTLINER")
        ]
        self.windows = [SimpleNamespace(view_layer=bpy.context.view_layer, screen=SimpleNamespace(areas=areas))]

    def event_timer_add(self, _seconds: float, window: object) -> object:
        self.timers.append(window)
        return window

    def event_timer_remove(self, timer: object) -> None:
        self.timers.remove(timer)


def running(steps: Steps[Any], reads: bool = False) -> tuple[stoppable.Running, Manager]:
    manager = Manager()
    context: Any = SimpleNamespace(window_manager=manager, window="a window")
    return stoppable.Running(context, steps, "Count Sheep", reads), manager


def slices(run: stoppable.Running) -> Any:
    while (result := run.slice()) is None:
        pass
    return result


def test_what_runs_in_a_window_comes_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stoppable, "LONGEST", 0.0)
    monkeypatch.setattr(stoppable, "AT_MOST", 0.0)
    run, manager = running(counting(3, []))
    assert run.slice() is None
    assert manager.timers == ["a window"]
    assert manager.redrawn == []
    assert slices(run) == 3
    assert run.is_over
    assert not manager.timers
    assert manager.redrawn == ["VIEW_3D"]
    run.stop()


def test_what_fails_in_a_window_is_over() -> None:
    def failing() -> Steps[None]:
        yield
        raise RuntimeError("no more sheep")

    run, manager = running(failing())
    with pytest.raises(RuntimeError, match="no more sheep"):
        slices(run)
    assert run.is_over
    assert not manager.timers


@pytest.mark.parametrize("moment", ["undo_pre", "load_pre"])
def test_an_undo_or_another_file_stops_what_runs(moment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stoppable, "LONGEST", 0.0)
    monkeypatch.setattr(stoppable, "AT_MOST", 0.0)
    bpy.ops.ed.undo_push(message="before")
    log: list[str] = []
    run, manager = running(counting(9, log))
    assert run.slice() is None
    if moment == "undo_pre":
        bpy.ops.ed.undo_push(message="of another window")
        bpy.ops.ed.undo()
    else:
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert run.is_over
    assert log == ["sheep 0", "done"]
    assert not manager.timers


def test_what_others_make_meanwhile_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stoppable, "LONGEST", 0.0)
    monkeypatch.setattr(stoppable, "AT_MOST", 0.0)
    made: list[bpy.types.Mesh] = []
    kept: list[bool] = []

    def making() -> Steps[None]:
        try:
            for _ in range(9):
                made.append(bpy.data.meshes.new("own"))
                yield
        finally:
            kept.extend(stoppable.is_others(mesh.session_uid) for mesh in made)

    run, _ = running(making())
    run.slice()
    made.append(bpy.data.meshes.new("of another window"))
    run.slice()
    run.slice()
    made.append(bpy.data.meshes.new("of another window"))
    run.stop()
    assert kept == [False, True, False, False, True]
    assert not stoppable.is_others(made[1].session_uid)


@pytest.mark.parametrize("reads", [False, True])
def test_what_reads_the_scene_ends_when_others_edit_it(reads: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stoppable, "LONGEST", 0.0)
    monkeypatch.setattr(stoppable, "AT_MOST", 0.0)
    obj = bpy.data.objects.new("seen", None)
    bpy.context.scene.collection.objects.link(obj)
    layer: Any = bpy.context.view_layer
    layer.update()
    log: list[str] = []

    def changing() -> Steps[None]:
        try:
            for number in range(9):
                obj.location.x = number  # what the work itself does is no edit
                yield
        finally:
            log.append("done")

    run, _ = running(changing(), reads)
    for _ in range(3):
        assert run.slice() is None
        bpy.data.meshes.new("in no scene")
        layer.update()
    assert not run.is_late
    obj.location.y = 1.0
    layer.update()
    assert run.is_late == reads
    made = SimpleNamespace(_run=run, _stopped=lambda why="": why)
    timer: Any = SimpleNamespace(type="TIMER", value="NOTHING")
    told: Any = stoppable.Stoppable.modal(made, bpy.context, timer)  # type: ignore[arg-type]
    assert log == (["done"] if reads else [])
    assert told == ("the scene was edited meanwhile; " if reads else {"RUNNING_MODAL"})
    run.stop()


def test_python_looks_for_garbage_while_work_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stoppable, "LONGEST", 0.0)
    monkeypatch.setattr(stoppable, "AT_MOST", 0.0)
    seen = []

    def work() -> Steps[int]:
        with levels._uncollected():
            for _ in range(3):
                seen.append(gc.isenabled())
                yield
        return 3

    assert gc.isenabled()
    run, _ = running(work())
    while run.slice() is None:
        assert gc.isenabled(), "others work now"
    assert seen == [False] * 3
    for end in ("stop", "error"):
        run, _ = running(work())
        assert run.slice() is None
        if end == "error":
            monkeypatch.setattr(run._work, "_steps", failing())
            with pytest.raises(ValueError, match="no more"):
                run.slice()
        run.stop()
        assert gc.isenabled()
    gc.disable()
    run, _ = running(work())
    assert slices(run) == 3
    assert not gc.isenabled(), "it was off before"
    gc.enable()


def failing() -> Steps[int]:
    yield from ()
    raise ValueError("no more")
