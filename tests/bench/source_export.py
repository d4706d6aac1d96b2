# SPDX-License-Identifier: GPL-3.0-or-later
"""`scripts/bench source-export`: exports of the biggest real maps with one edit, beyond what reading the scene takes.

Reading the scene is what an export without any edit does: it compares all of it and finds nothing.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import bpy
from levelwright.addon import levels
from levelwright.addon.scene import identity, originals
from levelwright.addon.scene.reports import Report
from levelwright.addon.source import exporter, layout
from levelwright.addon.source.settings import ExportSettings

from tests.fuzz.scenes import empty_file

from .measure import Result

BEYOND_READING, MAPS = 1.5, 3


def _moved(obj: bpy.types.Object) -> None:
    obj.location.z += 4


def _along(obj: bpy.types.Object) -> None:
    """An overlay, in its plane: by its longest side."""
    points = [vertex.co for vertex in obj.data.vertices]
    obj.location += (points[1] - points[0]) / 16


def _sculpted(obj: bpy.types.Object) -> None:
    obj.data.vertices[len(obj.data.vertices) // 2].co.z += 8


def _textured(obj: bpy.types.Object) -> None:
    for corner in obj.data.polygons[0].loop_indices:
        obj.data.uv_layers[layout.UV].uv[corner].vector.x += 0.25


EDITS: dict[str, tuple[str, Callable[[bpy.types.Object], None]]] = {
    "an entity moved": (layout.ENTITY, _moved),
    "a static prop moved": (layout.STATIC_PROP, _moved),
    "a cubemap moved": (layout.CUBEMAP, _moved),
    "an overlay moved": (layout.OVERLAY, _along),
    "a displacement sculpted": (layout.DISPLACEMENT, _sculpted),
    "a face's texture moved": (layout.MODEL, _textured),
}


def run(corpus: Path, rounds: int) -> list[Result]:
    """Measure the biggest real maps, if they are there."""
    files = sorted(corpus.rglob("*.bsp"), key=lambda path: path.stat().st_size)[-MAPS:]
    if not files:
        print(f"\nno real maps in {corpus}: their export is left out")
        return []
    print("\nexport of the biggest real maps with one edit, in seconds: reading the scene, and what is beyond that")
    worst = max(_beyond(path, what, min(rounds, 3)) for path in files for what in EDITS)
    return [Result("an export with one edit beyond reading the scene, the worst", worst, BEYOND_READING, "s")]


def _beyond(path: Path, what: str, rounds: int) -> float:
    """Seconds of an export with an edit, written, less those of reading the scene; 0 where there is nothing to edit."""
    empty_file()
    bpy.ops.import_scene.source_bsp(filepath=str(path))
    (level,) = originals.levels()
    kind, edit = EDITS[what]
    marked = ((obj, identity.stamped(obj)) for obj in level.all_objects)
    obj = next((obj for obj, mark in marked if mark is not None and mark.kind == kind), None)
    if obj is None:
        return 0.0
    reading = min(_seconds(lambda: exporter.export_level(bpy.context, level, ExportSettings(), Report()), rounds))
    edit(obj)
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, path.name)
        whole = min(
            _seconds(lambda: levels.export_file(bpy.context, level, target, ExportSettings(), Report()), rounds)
        )
    print(f"  {path.name:28} {what:26} {reading:6.2f} + {whole - reading:5.2f}")
    return whole - reading


def _seconds(run_once: Callable[[], object], rounds: int) -> list[float]:
    """The time of each of several runs."""
    found = []
    for _ in range(rounds):
        began = time.process_time()
        run_once()
        found.append(time.process_time() - began)
    return found
