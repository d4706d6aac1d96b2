# SPDX-License-Identifier: GPL-3.0-or-later
"""`scripts/bench teeworlds-tools`: how soon a stroke of the stamp tool answers, on a layer of 304,000 tiles."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import bpy
from levelwright.addon.teeworlds.stamp import targets
from levelwright.addon.teeworlds.stamp.stroke import StampStroke
from levelwright.addon.teeworlds.structure.parts import tile_kind
from levelwright.addon.teeworlds.tiles.grid import TileGrid

from formats.teeworlds import stamps
from tests.fuzz.scenes import empty_file
from tests.samples import generated

from .measure import Result

T = TypeVar("T")

WIDTH, HEIGHT, FILL = 640, 500, 0.95
STROKES, CELLS = 4, 100
LIMIT = 0.050
"""Seconds of each step of a stroke."""


def run(_corpus: Path, rounds: int) -> list[Result]:
    """Measure the steps of strokes that put tiles where there are some and where there is air, in CPU time, and of one
    that erases.

    The first stroke after an import is kept apart: Blender has none of its arrays yet.
    """
    print(f"\nstrokes of {CELLS} cells on a layer of {WIDTH * HEIGHT * FILL:,.0f} tiles, the slowest and the median")
    first, later, erasing = _Steps(), _Steps(), _Steps()
    with tempfile.TemporaryDirectory(prefix="levelwright-bench-") as folder:
        path = Path(folder, "layer.map")
        path.write_bytes(generated.tile_map(WIDTH, HEIGHT, (FILL,)))
        for _ in range(rounds):
            empty_file()
            bpy.ops.import_scene.teeworlds_map(filepath=str(path))
            layer = max((each for each in bpy.data.objects if tile_kind(each) == "TILES"), key=_faces)
            stamp = stamps.of_palette("TILES", (3, 2, 1, 1), {})
            for number in range(STROKES):
                _stroke(layer, number, stamp, first if number == 0 else later)
            _stroke(layer, STROKES, None, erasing)
    named = {"the first stroke after an import": first, "a later stroke": later, "a stroke that erases": erasing}
    return [result for what, steps in named.items() for result in steps.results(what)]


class _Steps:
    """CPU seconds of the beginning, of a move and of the end of strokes, and of what is done before they begin."""

    def __init__(self) -> None:
        self.ready: list[float] = []
        self.begin: list[float] = []
        self.move: list[float] = []
        self.end: list[float] = []

    def results(self, what: str) -> list[Result]:
        """The median of each, whose slowest is printed."""
        found = []
        print(f"  {'before ' + what:<50} {max(self.ready) * 1e3:5.1f} ms {statistics.median(self.ready) * 1e3:5.1f} ms")
        for step, times in (("begins", self.begin), ("goes on", self.move), ("ends", self.end)):
            middle = statistics.median(times)
            print(f"  {what + ' ' + step:<50} {max(times) * 1e3:5.1f} ms {middle * 1e3:5.1f} ms")
            found.append(Result(f"{what} {step} (median)", middle * 1e3, LIMIT * 1e3, "ms"))
        return found


def _stroke(layer: bpy.types.Object, number: int, stamp: stamps.TileStamp | None, steps: _Steps) -> None:
    """Stamp along a row, over tiles and air; None erases."""
    row = 20 + 30 * number
    _timed(steps.ready, lambda: targets.prepare(layer))  # as the tool does while the mouse is on its way
    begun = _timed(steps.begin, lambda: _begun(layer, stamp, row))
    for column in range(1, CELLS):
        _timed(steps.move, lambda column=column: begun.to((column, row)))
    _timed(steps.end, begun.finish)
    bpy.context.view_layer.update()  # what is drawn, and the undo step, share the mesh's arrays from now on
    bpy.ops.ed.undo_push(message="Stamp")


def _begun(layer: bpy.types.Object, stamp: stamps.TileStamp | None, row: int) -> StampStroke:
    stroke = StampStroke([TileGrid(layer)], [stamp])
    stroke.to((0, row))
    return stroke


def _timed(times: list[float], work: Callable[[], T]) -> T:
    began = time.process_time()
    found = work()
    times.append(time.process_time() - began)
    return found


def _faces(layer: bpy.types.Object) -> int:
    return len(layer.data.polygons) if isinstance(layer.data, bpy.types.Mesh) else 0
