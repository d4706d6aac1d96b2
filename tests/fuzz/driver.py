# SPDX-License-Identifier: GPL-3.0-or-later
"""What all fuzzers share: what one is, the run over its seeds with limits on CPU time and memory, and what is printed.

A module with a fuzzer says how inputs are damaged (or scenes edited) and how they are tried; the rest is here. The
modules are listed in __main__.py, which `scripts/fuzz` runs and the tests run with a fixed slice of seeds.
"""

from __future__ import annotations

import contextlib
import math
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import Generic, TypeVar

HANG = 60.0
"""CPU seconds after which an input is given up: without an end, nobody would learn which one it was."""
CHANCE = 3.0
"""Standard deviations by which too few or too many inputs are accepted before a run says so."""

Input = TypeVar("Input")


@dataclass(frozen=True, kw_only=True)
class Fuzzer(Generic[Input]):
    """One way to damage something, and to try what is left of it."""

    mutation: Callable[[int], Input]
    """The damaged input of a seed (0 or more): the same everywhere and always."""
    attempt: Callable[[Input], bool]
    """False where the input was refused, as it should be refused; all that is raised is a failure."""
    whole: Sequence[Input] = ()
    """Inputs before they are damaged, which have to be accepted; they also warm up what is allocated once."""
    accepted: tuple[float, float] = (1 / 4, 0.95)
    """Least and greatest share of the inputs that is accepted: there have to be enough of both kinds."""
    prepare: Callable[[], object] = lambda: None
    """Runs before each attempt, outside its time."""
    seconds: float = 2.0
    """CPU seconds that an attempt may take."""
    memory: int | None = 512 << 20
    """Bytes that all of a run may take beyond what the whole inputs needed; None: as much as there is."""
    quick: tuple[range, ...] = (range(300),)
    """Seeds that are tried in each run of the tests."""
    thorough: range = range(300, 1100)
    """Seeds that the slow tests try besides; none where empty."""


@dataclass(slots=True)
class Outcome:
    """What became of the inputs of a run."""

    tried: int = 0
    accepted: int = 0
    failures: dict[int | str, str] = field(default_factory=dict)
    """What went wrong, by the seed, or by what else it is about."""
    seconds: float = 0.0
    """CPU seconds of all attempts."""


class HangError(BaseException):
    """An input that takes HANG seconds. No Exception: whatever is tried may catch those."""


def run(fuzzer: Fuzzer[Input], seeds: Iterable[int]) -> Outcome:
    """Try the whole inputs, then those of the seeds; a failure ends nothing."""
    outcome = Outcome()
    for number, whole in enumerate(fuzzer.whole):
        fuzzer.prepare()
        if not fuzzer.attempt(whole):
            outcome.failures[f"whole input {number}"] = "is refused before it is damaged"
    with _memory_limited(fuzzer.memory):
        for seed in seeds:
            _try(fuzzer, seed, outcome)
    least, most = (share * outcome.tried for share in fuzzer.accepted)
    if outcome.accepted < least - _chance(fuzzer.accepted[0], outcome.tried):
        outcome.failures["accepted"] = f"{outcome.accepted} of {outcome.tried}: too few, at least {least:.0f} should be"
    if outcome.accepted > most + _chance(fuzzer.accepted[1], outcome.tried):
        outcome.failures["accepted"] = f"{outcome.accepted} of {outcome.tried}: too many, at most {most:.0f} should be"
    return outcome


def try_all(fuzzer: Fuzzer[Input], seeds: Iterable[int]) -> None:
    """What a test does: an AssertionError with all that failed, by seed."""
    seeds = tuple(seeds)
    outcome = run(fuzzer, seeds)
    assert not outcome.failures, "\n".join(f"{seed}: {why}" for seed, why in outcome.failures.items())
    assert outcome.tried == len(seeds)


def _chance(share: float, tried: int) -> float:
    """How many inputs more or fewer than their share may be accepted by mere chance."""
    return CHANCE * math.sqrt(share * (1 - share) * tried)


def _try(fuzzer: Fuzzer[Input], seed: int, outcome: Outcome) -> None:
    """One seed's input, within its limits."""
    fuzzer.prepare()
    outcome.tried += 1
    start = time.process_time()  # not what other programs take of the machine's time
    try:
        with _no_hang():
            outcome.accepted += bool(fuzzer.attempt(fuzzer.mutation(seed)))
    except (Exception, HangError):  # noqa: BLE001 - that is what is looked for
        outcome.failures[seed] = traceback.format_exc(limit=-6)
    spent = time.process_time() - start
    outcome.seconds += spent
    if spent > fuzzer.seconds:
        outcome.failures.setdefault(seed, f"{spent:.1f} s of CPU time; {fuzzer.seconds:.1f} s are allowed")


@contextlib.contextmanager
def _no_hang() -> Iterator[None]:
    """Raise a HangError in what takes HANG seconds of this process's CPU time, where the system can (not Windows)."""
    if sys.platform == "win32":
        yield
        return

    def give_up(_: int, __: FrameType | None) -> None:
        raise HangError(f"no end after {HANG:.0f} s of CPU time")

    before = signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, HANG)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextlib.contextmanager
def _memory_limited(more: int | None) -> Iterator[None]:
    """Hold this process to the address space that it has and `more` bytes, where the system can (Linux)."""
    if more is None or sys.platform != "linux":
        yield
        return
    import resource

    with open("/proc/self/statm", encoding="ascii") as sizes:
        now = int(sizes.read().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (now + more, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
