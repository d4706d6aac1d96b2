"""`scripts/bench source`, second half: the import operator against library decode and bare calls, on real maps."""

from __future__ import annotations

import time
from pathlib import Path

import bpy

from formats import source
from formats.binary import FormatError
from formats.source import LumpId, displacements, geometry, lighting

from .imports import Import, against_replay, empty_file
from .measure import Result

OVER_BARE_CALLS, SECONDS = 1.5, 1.5


def decode(path: Path) -> None:
    """What the library has to do for an import without a game's content."""
    level = source.read(path.read_bytes())
    polygons = geometry.polygons(level)
    geometry.corner_normals(level, polygons)
    geometry.area_normals(polygons)
    made = displacements.displacements(level, polygons)
    positions = made.positions(level.table(LumpId.DISP_VERTS))
    displacements.normals(made, positions)
    displacements.shared(made, positions)
    for lump, blocks in lighting.lightmaps(level).items():
        for slot in range(int(blocks.styles.max(initial=0))):
            lighting.colors_at(level.bytes_of(lump), lighting.luxel_offsets(blocks, slot)[0])
    for part in (lambda: level.entities, lambda: level.pak, lambda: level.static_props):
        try:
            part()
        except FormatError:  # what is cut off is left out by the import, too
            continue


def map_import(path: Path) -> Import:
    """A map's import with the options' defaults."""
    return Import(path.name, lambda: bpy.ops.import_scene.source_bsp(filepath=str(path)), lambda: decode(path))


def run(corpus: Path, rounds: int) -> list[Result]:
    """Measure all real maps, if they are there."""
    files = sorted(corpus.rglob("*.bsp"))
    if not files:
        print(f"\nno real maps in {corpus}: their import is left out")
        return []
    print("\nimport of real maps against library decode + bare calls that create the same data")
    ratios = [against_replay(map_import(file), min(rounds, 3)) for file in files]
    slowest = max(_seconds(file) for file in files)
    return [
        Result("import / (decode + bare calls), the worst of all maps", max(ratios), OVER_BARE_CALLS),
        Result("seconds of the slowest import without a game's content", slowest, SECONDS),
    ]


def _seconds(file: Path) -> float:
    empty_file()
    began = time.perf_counter()
    bpy.ops.import_scene.source_bsp(filepath=str(file))
    return time.perf_counter() - began
