# SPDX-License-Identifier: GPL-3.0-or-later
"""`scripts/bench fable`, second half: the import operator against the bare build of the same meshes."""

from __future__ import annotations

import tempfile
from pathlib import Path

import bpy

from formats import fable
from tests.samples import fable_generated

from .imports import Import, against_meshes
from .measure import Result

OVER_BARE_MESHES = 2.0
SIDE = 1024
"""Units to a side of the generated level: a million cells."""


def level_import(path: Path) -> Import:
    """A level's import, with the things beside it if there are any."""
    return Import(
        path.name, lambda: bpy.ops.import_scene.fable_lev(filepath=str(path)), lambda: fable.read(path.read_bytes())
    )


def run(corpus: Path, rounds: int) -> list[Result]:
    """Measure a generated level of a million cells, and the real ones if they are there."""
    print(f"\nimport of a generated level of {SIDE:,} x {SIDE:,} cells against the bare build of its meshes")
    with tempfile.TemporaryDirectory(prefix="levelwright-bench-") as folder:
        path = Path(folder, "million.lev")
        path.write_bytes(fable_generated.hills(SIDE, SIDE))
        ratio = against_meshes(level_import(path), min(rounds, 3))
    results = [Result("import / bare mesh build, 1 M cells", ratio, OVER_BARE_MESHES)]
    files = sorted(corpus.rglob("*.lev"))
    if not files:
        print(f"\nno real levels in {corpus}: their import is left out")
        return results
    print("\nimport of real levels against the bare build of their meshes")
    for file in files:
        against_meshes(level_import(file), rounds)
    return results
