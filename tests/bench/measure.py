# SPDX-License-Identifier: GPL-3.0-or-later
"""CPU times of several ways to do one thing, taken in turns: what else runs on the machine changes them least.

CPU time is that of this process: all its threads and the kernel's work for it. Of two ways, wall-clock time makes the
longer one look worse on a busy machine: it is the one that gets interrupted.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(slots=True)
class Times:
    """CPU seconds that one way took, a value a round."""

    rounds: list[float] = field(default_factory=list)

    @property
    def best(self) -> float:
        return min(self.rounds)

    @property
    def median(self) -> float:
        return statistics.median(self.rounds)


@dataclass(slots=True)
class Way:
    """One way to do the thing: `run` is timed, `prepare`, which makes its argument, is not."""

    run: Callable[..., object]
    prepare: Callable[[], object] | None = None


def in_turns(ways: Mapping[str, Way], rounds: int, collector: bool = False) -> dict[str, Times]:
    """Run each way once a round.

    Every other round runs them in the opposite order. The garbage collector is off inside a measurement, unless
    `collector`: what an object a record costs those who use such a library shall count.
    """
    times = {name: Times() for name in ways}
    for done in range(rounds):
        for name in list(ways)[:: 1 if done % 2 == 0 else -1]:
            way = ways[name]
            arguments = () if way.prepare is None else (way.prepare(),)
            gc.collect()
            if not collector:
                gc.disable()
            start = time.process_time()
            result = way.run(*arguments)
            seconds = time.process_time() - start
            gc.enable()
            del result, arguments
            times[name].rounds.append(seconds)
    return times


@dataclass(frozen=True, slots=True)
class Result:
    """A measured figure beside what it has to reach. unit: "x" for a ratio, which a baseline can be kept of."""

    what: str
    measured: float
    target: float
    unit: str = "x"

    @property
    def reached(self) -> bool:
        return self.measured <= self.target

    def line(self) -> str:
        mark = "reached" if self.reached else "MISSED"
        return f"{self.what:<66} {self.measured:9.4g} {self.unit:<3}  target {self.target:6.4g} {self.unit:<3}  {mark}"
