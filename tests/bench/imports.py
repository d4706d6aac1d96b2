# SPDX-License-Identifier: GPL-3.0-or-later
"""The import operator against bare calls that create the same data: what the benchmarks of all games share.

The bare calls get all arrays ready made; what they have to work out themselves are the PNG files of embedded pictures,
in the quickest way known, and of generated meshes the edges, by the recipe of blender.md §5: `validate()`,
which also checks faces that nobody vouches for. See replay.py.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.fuzz.scenes import empty_file

from . import replay
from .measure import Times, Way, in_turns


@dataclass(frozen=True, slots=True)
class Import:
    """One level's import. run: what File > Import runs. decode: what the library has to do for it."""

    name: str
    run: Callable[[], object]
    decode: Callable[[], object]


def against_meshes(level: Import, rounds: int, decode: bool = False, edges: bool = True) -> float:
    """Import / the bare build of the same meshes (and, with `decode`, what the library has to do before it).

    edges: they are ready made, too; otherwise Blender finds them.
    """
    recorded = import_and_record(level)
    ways = {"import": level.run, "decode": level.decode, "bare meshes": lambda: recorded.run_meshes(edges)}
    times = _in_turns(ways if decode else {way: run for way, run in ways.items() if way != "decode"}, rounds)
    _print_shares(level.name, times)
    return _ratio(times)


def against_bare(level: Import, rounds: int) -> float:
    """Import / bare calls that make the whole scene: meshes, attributes, materials, objects."""
    recorded = import_and_record(level)
    times = _in_turns({"import": level.run, "bare": recorded.run}, rounds)
    _print_shares(level.name, times)
    return _ratio(times)


def against_replay(level: Import, rounds: int) -> float:
    """Import / (library decode + bare calls that make the whole scene)."""
    recorded = import_and_record(level)
    times = _in_turns({"import": level.run, "decode": level.decode, "bare": recorded.run}, rounds)
    _print_shares(level.name, times)
    made = ", ".join(f"{count} {kind}" for kind, count in recorded.counts().items() if count)
    print(f"    {made}")
    shares = ", ".join(f"{kind} {seconds * 1e3:.1f}" for kind, seconds in recorded.shares.items() if seconds > 0.0005)
    ready = times["import"].best / (times["decode"].best + times["bare"].best - recorded.shares.get(replay.PNG, 0.0))
    print(f"    bare calls, ms: {shares}; ratio if the PNGs were ready made, too: {ready:.2f}")
    return _ratio(times)


def import_and_record(level: Import) -> replay.Replay:
    """What the import leaves in an empty file."""
    empty_file()
    level.run()
    return replay.record()


def _in_turns(ways: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, Times]:
    """Each way in an empty file of its own."""
    return in_turns({name: Way(lambda _, run=run: run(), empty_file) for name, run in ways.items()}, rounds)


def _ratio(times: Mapping[str, Times]) -> float:
    """Median over the rounds of import / the sum of the rest: each round's ways met the same state of the machine."""
    rest = [t.rounds for way, t in times.items() if way != "import"]
    return statistics.median(ours / sum(floor) for ours, *floor in zip(times["import"].rounds, *rest, strict=True))


def _print_shares(name: str, times: Mapping[str, Times]) -> None:
    shares = ", ".join(f"{way} {t.best * 1e3:.1f} (median {t.median * 1e3:.1f})" for way, t in times.items())
    print(f"  {name:<34} ms: {shares}; ratio {_ratio(times):.2f}")
