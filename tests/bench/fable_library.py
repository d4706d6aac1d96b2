# SPDX-License-Identifier: GPL-3.0-or-later
"""`scripts/bench fable`, first half: how long the library takes for a real level and for a large generated one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from formats import fable
from tests.samples import fable_generated

from .measure import Result, Way, in_turns

LEVEL = "BuffJesus__FQT/BarrowFields.lev"
SIDE, NODES = 256, 20_000
"""Units to a side of the generated level, and nodes of its navigation."""
REBUILT = (128, 224)
"""Units to the sides of the level whose navigation is rebuilt: those of StartOakValeWest, a large one."""
OPENED_MS, DECODED_MS, REBUILT_MS = 3.0, 50.0, 2000.0


def run(folder: Path, rounds: int) -> list[Result]:
    """Measure BarrowFields, if it is in `folder`, and generated levels; returns the figures to reach."""
    levels = {f"generated {SIDE} x {SIDE}, {NODES:,} nodes": fable_generated.walked(SIDE, SIDE, NODES)}
    if (folder / LEVEL).is_file():
        levels["BarrowFields"] = (folder / LEVEL).read_bytes()
    else:
        print(f"no real level in {folder}: BarrowFields is left out")
    results = []
    for name, data in levels.items():
        print(name)
        opened = _time("open", lambda data=data: fable.read(data), rounds)
        decoded = _time("open and decode everything", lambda data=data: decode(data), rounds)
        level = fable.read(data)
        _time("write", lambda level=level: fable.write(level), rounds)
        results += [Result(f"open {name}", opened, OPENED_MS, "ms")]
        results += [Result(f"decode everything of {name}", decoded, DECODED_MS, "ms")]
    print("navigation of {} x {} cells".format(*REBUILT))
    level = fable.read(fable_generated.hills(*REBUILT))
    ground = fable.weights(level.cells)
    old = fable.new_navigation(ground)
    rebuilt = _time(f"rebuild, {len(old.nodes):,} nodes", lambda: fable.rebuild(old, 0, ground), rounds)
    results += [Result("rebuild the navigation of {} x {} cells".format(*REBUILT), rebuilt, REBUILT_MS, "ms")]
    return results


def _time(what: str, run: Callable[[], object], rounds: int) -> float:
    """Best time in ms."""
    best = in_turns({what: Way(run)}, rounds)[what].best * 1e3
    print(f"  {what:<50} {best:9.2f} ms")
    return best


def decode(data: bytes) -> list[Any]:
    """Read a level, and all that is in it: heights, strengths, palettes, every section's navigation."""
    level = fable.read(data)
    walked = [section.navigation for section in level.sections or ()]
    cells = [fable.heights(level.cells), fable.strengths(level.cells)]
    if level.game_map is not None:
        cells.append(fable.strengths(level.game_map))
    names = [fable.palette_names(palette) for palette in (level.ground_palette, level.atmosphere_palette)]
    return [walked, cells, names]
