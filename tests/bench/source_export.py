# SPDX-License-Identifier: GPL-3.0-or-later
"""`scripts/bench source-export`: exports of the biggest real maps with one edit, beyond what reading the scene takes.

Reading the scene is what an export without any edit does: it compares all of it and finds nothing. Of the biggest map,
brushes of the world are moved as well: one, and a hundred.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
from levelwright.addon import levels
from levelwright.addon.scene.geometry import meshes
from levelwright.addon.scene.kept import identity, originals
from levelwright.addon.scene.reports import Report
from levelwright.addon.source import exporter, layout
from levelwright.addon.source.settings import EDIT, ExportSettings
from levelwright.formats import source
from numpy.typing import NDArray

from tests.fuzz.scenes import empty_file

from .measure import Result
from .source_library import peak
from .source_memory import movable

BEYOND_READING, MAPS = 1.5, 3
OF_WORLD = {1: 3.0, 100: 10.0}
"""Seconds that an export may take beyond reading the scene, by how many brushes of the world were moved."""
OVER_FILE = 6.0


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
    results = [Result("an export with one edit beyond reading the scene, the worst", worst, BEYOND_READING, "s")]
    for count, most in OF_WORLD.items():
        what = f"an export with {count} of the world's brushes moved, beyond reading the scene"
        results.append(Result(what, _world(files[-1], count, min(rounds, 3)), most, "s"))
    if sys.platform == "linux":
        share = peak(files[-1], "world") / files[-1].stat().st_size
        print(f"  {files[-1].name:28} {'a hundred brushes moved':26} {share:6.2f} x the file")
        results.append(Result("a hundred of the world's brushes moved: memory / file", share, OVER_FILE))
    return results


def _world(path: Path, count: int, rounds: int) -> float:
    """Seconds of an export with so many brushes moved, less those of reading the scene."""
    empty_file()
    bpy.ops.import_scene.source_bsp(filepath=str(path), brushes=True)
    (level,) = originals.levels()
    settings = ExportSettings(world=EDIT)
    reading = min(_seconds(lambda: exporter.export_level(bpy.context, level, settings, Report()), rounds))
    before = source.read(path.read_bytes())
    details = movable(before)[:count]
    for obj in level.all_objects:
        if identity.kind_of(obj) == layout.BRUSHES:
            _lift(obj, details)
    whole = min(_seconds(lambda: exporter.export_level(bpy.context, level, settings, Report()), rounds))
    print(f"  {path.name:28} {f'{len(details)} brushes moved':26} {reading:6.2f} + {whole - reading:5.2f}")
    return whole - reading


def _lift(obj: bpy.types.Object, brushes_of: NDArray[np.int64]) -> None:
    """Move the polygons of brushes int64[n] up."""
    data = meshes.read(obj)
    own = np.isin(data.attribute(layout.BRUSH, "FACE"), brushes_of + 1)
    corners = np.repeat(own, data.face_sizes)
    data.positions[np.unique(data.corner_verts[corners]), 2] += 4
    obj.data.attributes["position"].data.foreach_set("vector", data.positions.ravel())
    obj.data.update()


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
