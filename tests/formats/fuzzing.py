# SPDX-License-Identifier: GPL-3.0-or-later
"""What the programs that damage levels share: limits on time and memory, all that `dump` would print, the run."""

import sys
import time
import traceback
from collections.abc import Callable, Iterator
from typing import TypeVar

SECONDS = 2.0
MEMORY = 512 << 20  # bytes that all of a run may take beyond what the program needs to start

Damaged = TypeVar("Damaged")


def leaves(value: object) -> Iterator[object]:
    """Everything that `dump` would print; contents are iterators that decode as they go."""
    if isinstance(value, dict):
        yield from leaves(iter(value.values()))
    elif isinstance(value, Iterator):
        for part in value:
            yield from leaves(part)
    else:
        yield value


def limit_memory() -> None:
    """Hold this process to what it has and MEMORY more, where the system can (Linux)."""
    if sys.platform == "linux":
        import resource

        with open("/proc/self/statm", encoding="ascii") as sizes:
            now = int(sizes.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + MEMORY, resource.RLIM_INFINITY))


def main(mutation: Callable[[int], Damaged], decode: Callable[[Damaged], bool]) -> None:
    """Run the mutations FIRST to FIRST + COUNT of the command line: a line for each that does not end as it should.

    decode: False where a mutation was refused; whatever it raises is a failure.
    """
    first, count = int(sys.argv[1]), int(sys.argv[2])
    for seed in range(100):  # warm up what is allocated once
        decode(mutation(-1 - seed))
    limit_memory()
    opened = 0
    for seed in range(first, first + count):
        data = mutation(seed)
        start = time.process_time()  # not what other programs take of the machine's time
        try:
            opened += decode(data)
        except Exception:  # noqa: BLE001 - that is what is looked for
            print("seed", seed, "->", traceback.format_exc(limit=-4).replace("\n", " | "))
        elapsed = time.process_time() - start
        if elapsed > SECONDS:
            print("seed", seed, "->", f"{elapsed:.1f} s")
    print("opened", opened, "of", count, file=sys.stderr)
