# SPDX-License-Identifier: GPL-3.0-or-later
"""`scripts/bench teeworlds`, second half: the import operator against bare calls that create the same data."""

from __future__ import annotations

import tempfile
from pathlib import Path

import bpy

import formats
from tests.samples import generated

from .imports import Import, against_meshes, against_replay
from .measure import Result
from .teeworlds_library import decode

OVER_BARE_MESHES, OVER_BARE_CALLS = 2.0, 1.5

REAL = (
    "teeworlds__teeworlds/ctf1@5787eafc.map",
    "ddnet__ddnet/Goo_.map",
    "ddnet__ddnet/Hulk.map",
    "ddnet__ddnet/coverage.maps.map",
    "ddnet__ddnet/winter_day.themes.map",
    "infclass__teeworlds-infclassR/infc_altepetl.map",
    "jxsl13__twmap/Castle_Echos.map",
    "kurosio__Teeworlds-MRPG-0.6/main.map",
)
"""Small and large, tiles and quads, with and without envelopes, embedded images and sounds."""


def map_import(path: Path) -> Import:
    """A map's import."""
    return Import(
        path.name,
        lambda: bpy.ops.import_scene.teeworlds_map(filepath=str(path)),
        lambda: decode(formats.read(path)),
    )


def run(corpus: Path, rounds: int) -> list[Result]:
    """Measure a generated map of a million tiles and the real maps that are there."""
    results = [_generated(rounds)]
    real = [corpus / name for name in REAL if (corpus / name).is_file()]
    if not real:
        print(f"\nno real maps in {corpus}: their imports are left out")
        return results
    print("\nimport of real maps against library decode + bare calls that create the same data")
    ratios = {path: against_replay(map_import(path), rounds) for path in real}
    worst = max(ratios, key=lambda path: ratios[path])
    print(f"  worst: {worst.name}")
    return [*results, Result("import / (decode + bare calls), the worst", ratios[worst], OVER_BARE_CALLS)]


def _generated(rounds: int) -> Result:
    print("\nimport of a generated map of 1024 x 1024 tiles against the bare build of the same meshes")
    with tempfile.TemporaryDirectory(prefix="levelwright-bench-") as folder:
        path = Path(folder, "million.map")
        path.write_bytes(generated.tile_map(1024, 1024, (1.0,)))
        ratio = against_meshes(map_import(path), rounds)
    return Result("import / bare mesh build, 1 M tiles", ratio, OVER_BARE_MESHES)
