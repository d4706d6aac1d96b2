# SPDX-License-Identifier: GPL-3.0-or-later
"""`scripts/fuzz GAME`: damage its levels, or edit its scenes, in ways that no run before had, and look what happens."""

from __future__ import annotations

import argparse
import contextlib
import itertools
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from scripts import extension
from tests.bench.extension import registered

from .driver import Outcome, run
from .fuzzers import FUZZERS, GAMES, READERS, fuzzer

ROOT = Path(__file__).resolve().parent.parent.parent


def report(name: str, outcome: Outcome) -> str:
    """A line of what was tried, and before it, what failed and how it is tried again."""
    lines = []
    for seed, why in outcome.failures.items():
        where = f"scripts/fuzz {name} --seed {seed} --count 1" if isinstance(seed, int) else f"{name}, {seed}"
        lines.append(f"FAILED  {where}\n{why.rstrip()}\n")
    share = outcome.accepted / max(outcome.tried, 1)
    count = len(outcome.failures)
    lines.append(
        f"{name}: {outcome.tried} inputs, {share:.0%} of them accepted, {outcome.seconds:.1f} s of CPU time, "
        f"{count or 'no'} failure{'' if count == 1 else 's'}"
    )
    return "\n".join(lines)


def _seeds(first: int, count: int | None, minutes: float | None) -> Iterator[int]:
    """The seeds of a run, until there were `count`, or the time is over."""
    end = None if minutes is None else time.monotonic() + 60 * minutes
    for done in itertools.count():
        if done == count or (end is not None and time.monotonic() > end):
            return
        yield first + done


def _try(name: str, seeds: Iterator[int]) -> bool:
    """Run one fuzzer in this process. Whether nothing failed."""
    with contextlib.ExitStack() as open_things:
        if name not in READERS:
            open_things.enter_context(registered())
        outcome = run(fuzzer(name), seeds)
    print(report(name, outcome), flush=True)
    return not outcome.failures


def main(arguments: Sequence[str]) -> int:
    """Run what the command line names; 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="scripts/fuzz", description=__doc__)
    names = f"all of a game ({', '.join(GAMES)}), or one of {', '.join(FUZZERS)}"
    parser.add_argument("game", choices=(*GAMES, *FUZZERS), metavar="GAME[-PART]", help=names)
    parser.add_argument("--seed", type=int, help="the first seed; without it, one that the clock gives")
    parser.add_argument("--count", type=int, help="inputs to try, of as many seeds one after another")
    parser.add_argument("--minutes", type=float, help="how long to go on with each part (1, if there is no --count)")
    options = parser.parse_args(arguments)
    seed = int(time.time()) * 1000 if options.seed is None else options.seed
    minutes = 1.0 if options.count is None and options.minutes is None else options.minutes
    if options.game in FUZZERS:
        print(f"{options.game}: seeds from {seed} on", flush=True)
        return 0 if _try(options.game, _seeds(seed, options.count, minutes)) else 1
    limits = ["--seed", str(seed)]
    limits += [] if options.count is None else ["--count", str(options.count)]
    limits += [] if minutes is None else ["--minutes", str(minutes)]
    parts = [name for name in FUZZERS if name.partition("-")[0] == options.game]
    command = [sys.executable, "-W", "error", "-m", __package__]
    ends = [subprocess.run([*command, part, *limits], cwd=ROOT, check=False).returncode for part in parts]
    return 1 if any(ends) else 0


if __name__ == "__main__":
    extension.run(lambda: main(sys.argv[1:]))
