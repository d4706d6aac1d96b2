# SPDX-License-Identifier: GPL-3.0-or-later
"""`scripts/bench genesis`, second half: the import operator against bare calls that create the same data."""

from __future__ import annotations

import tempfile
from pathlib import Path

import bpy

from tests.samples import genesis_generated

from .genesis_library import LIBRARY, MAP, decode
from .imports import Import, against_bare, against_meshes, against_replay
from .measure import Result

OVER_BARE_MESHES, OVER_BARE_CALLS = 2.0, 1.5
POLYGONS = 1_000_000
IN_OBJECTS = 120_000
"""Polygons of the level that is also imported with an object a brush: more objects slow down Blender itself."""
MANY_BRUSHES, EVER = 8192, 2**31 - 1
"""The option's default, and the number of brushes that no level has."""


def map_import(path: Path, library: Path | None = None, many_brushes: int = MANY_BRUSHES) -> Import:
    """A level's import with its textures. many_brushes: brushes beyond which several share an object."""
    return Import(
        path.name,
        lambda: bpy.ops.import_scene.genesis_map(
            filepath=str(path), texture_library=str(library or ""), many_brushes=many_brushes
        ),
        lambda: decode(path, library),
    )


def run(corpus: Path, rounds: int) -> list[Result]:
    """Measure a generated level of a million polygons, and the real one if it is there."""
    results = [_shared(rounds), _in_objects(rounds)]
    if not (corpus / MAP).is_file():
        print(f"\nno real level in {corpus}: its import is left out")
        return results
    print("\nimport of a real level against library decode + bare calls that create the same data")
    ratio = against_replay(map_import(corpus / MAP, corpus / LIBRARY), rounds)
    return [*results, Result("import / (decode + bare calls), genvs2", ratio, OVER_BARE_CALLS)]


def _shared(rounds: int) -> Result:
    """Many brushes an object. A `.map` holds planes: to build its meshes, however barely, takes the polygons.

    The bare build alone is no measure of that: those few large meshes are arrays that Blender only copies.
    """
    print(f"\nimport of a generated level of {POLYGONS:,} polygons against library decode + bare build of its meshes")
    with tempfile.TemporaryDirectory(prefix="levelwright-bench-") as folder:
        path = Path(folder, "million.map")
        path.write_bytes(genesis_generated.brush_map(POLYGONS))
        ratio = against_meshes(map_import(path), min(rounds, 3), decode=True)
    return Result("import / (planes to polygons + bare mesh build), 1 M polygons", ratio, OVER_BARE_MESHES)


def _in_objects(rounds: int) -> Result:
    """An object a brush, as levels of a real size have them, against the bare build alone, without any decoding."""
    print(f"\nimport of a generated level of {IN_OBJECTS:,} polygons, an object a brush, against the same calls alone")
    with tempfile.TemporaryDirectory(prefix="levelwright-bench-") as folder:
        path = Path(folder, "objects.map")
        path.write_bytes(genesis_generated.brush_map(IN_OBJECTS))
        ratio = against_bare(map_import(path, many_brushes=EVER), min(rounds, 3))
    return Result("import / bare build, 120,000 polygons, an object a brush", ratio, OVER_BARE_MESHES)
