# SPDX-License-Identifier: GPL-3.0-or-later
"""How far long work is, and work that is done step by step, so that a window stays alive and Esc stops it.

`with progress(3652, "props") as step:` counts; `step()` after each. Ranges nest: one inside another fills the outer
one's current step, and the text names both: "Source map c17.bsp: props 1200 / 3652".

A function that may be stopped between two steps is a generator (`formats.steps`): it says `yield step()`. `Work` does
the steps a slice at a time. No threads: Blender's data may be touched by its main thread only, and its rules forbid
them.
"""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Generic, TypeVar

from ....formats.steps import Steps, Stepwise, at_once, drain, steps_of
from .status_bar import StatusBar

__all__ = ["Meter", "Steps", "Stepwise", "Work", "at_once", "drain", "metered", "progress", "steps_of"]

_log = logging.getLogger(__name__)


Made = TypeVar("Made")


@dataclass(slots=True)
class _Range:
    """What is counted, and where it lies in the whole."""

    title: str
    total: int
    start: float
    end: float
    done: int = 0

    @property
    def current(self) -> tuple[float, float]:
        """Where the step that is being done lies in the whole."""
        width = (self.end - self.start) / max(self.total, 1)
        return self.start + min(self.done, self.total) * width, self.start + min(self.done + 1, self.total) * width

    @property
    def text(self) -> str:
        """What is counted, and how many of how many: of one thing just what it is."""
        return f"{self.title} {self.done} / {self.total}" if self.total > 1 else self.title


@dataclass(slots=True)
class Meter:
    """How far one piece of work is."""

    status: StatusBar = field(default_factory=StatusBar)
    """Where it is shown: where nobody else has begun with it, while anything is counted."""
    _ranges: list[_Range] = field(default_factory=list)
    _highest: float = 0.0

    @property
    def fraction(self) -> float:
        """Of the whole, 0 to 1. It never goes back, also where a step has several ranges, one after another."""
        self._highest = max(self._highest, self._ranges[-1].current[0]) if self._ranges else 0.0
        return self._highest

    @property
    def text(self) -> str:
        """What is being done, from the outside in."""
        return ": ".join(each.text for each in self._ranges if each.title)

    @contextmanager
    def range(self, total: int, title: str) -> Iterator[Callable[..., None]]:
        """Count `total` steps within the current one: see `progress`."""
        counted = _Range(title, total, *(self._ranges[-1].current if self._ranges else (0.0, 1.0)))
        depth = len(self._ranges)
        begins = not depth and not self.status.on

        def step(n: int = 1) -> None:
            counted.done += n
            if self.status.on:
                self.status.count(self.fraction)

        self._ranges.append(counted)
        if begins:
            self.status.begin()
        try:
            yield step
        finally:
            del self._ranges[depth:]
            if begins:
                self.status.end()

    def show(self) -> None:
        """Say how far it is when Blender draws next."""
        self.status.show(self.text, self.fraction)


_meter = Meter()
"""Of the work that is being done now."""


@contextmanager
def metered(meter: Meter) -> Iterator[None]:
    """Let what is counted inside move this meter."""
    global _meter
    outer, _meter = _meter, meter
    try:
        yield
    finally:
        _meter = outer


def progress(total: int, title: str = "") -> AbstractContextManager[Callable[..., None]]:
    """Count `total` steps: `with` it gives `step(n=1)`, which counts n of them.

    title: what is counted, a plural ("props"); of a total of 1 what is done; "" for what is only a part of the whole.
    """
    if title:
        _log.info(title)
    return _meter.range(total, title)


class Work(Generic[Made]):
    """Steps that are done a slice at a time."""

    def __init__(self, steps: Steps[Made], meter: Meter | None = None) -> None:
        self.meter = Meter() if meter is None else meter
        self.made: Made | None = None
        """What the steps made, once all are done."""
        self._steps = steps
        self._collects = gc.isenabled()
        """Whether Python looks for garbage while the steps are done, which they may switch (`levels`)."""

    def run(self, seconds: float) -> bool:
        """Do steps for about so long, at least one. True: all are done. Raises what they raise."""
        until = perf_counter() + seconds
        with metered(self.meter), self._collected():
            try:
                while True:
                    next(self._steps)
                    if perf_counter() >= until:
                        return False
            except StopIteration as end:
                self.made = end.value
                return True

    def close(self) -> None:
        """Stop where it is: what was made until then is removed again."""
        with metered(self.meter), self._collected():
            self._steps.close()

    @contextmanager
    def _collected(self) -> Iterator[None]:
        """Look for garbage as the steps left it, and as others have it again while the work waits."""
        others = gc.isenabled()
        _collect(self._collects)
        try:
            yield
        finally:
            self._collects = gc.isenabled()
            _collect(others)


def _collect(on: bool) -> None:
    (gc.enable if on else gc.disable)()
