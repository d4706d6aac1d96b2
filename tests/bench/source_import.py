# SPDX-License-Identifier: GPL-3.0-or-later
"""`scripts/bench source`, second half: the import operator against library decode and bare calls, on real maps."""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import bpy
import numpy as np

from formats import atlas, source
from formats.binary import FormatError
from formats.source import LumpId, geometry
from formats.source.faces import displacements, vertex_normals
from formats.source.light import lighting
from formats.source.placed import overlay_depths, overlay_quads, prop_boxes
from formats.source.tree import leaf_tree
from tests.fuzz.scenes import empty_file
from tests.samples import source_generated

from . import source_models, steady
from .imports import Import, against_meshes, against_replay
from .measure import Result

OVER_BARE_MESHES, MEDIAN, WORST, SECONDS, GIBIBYTES = 2.0, 1.75, 2.5, 1.5, 1.5
SIDE = 1000
"""Faces to a side of the generated map: a million of them."""


def decode(path: Path) -> None:
    """What the library has to do for an import without a game's content."""
    level = source.read(path.read_bytes())
    polygons = geometry.polygons(level)
    vertex_normals.smooth(level, polygons)
    faces, texinfos, texdata = (
        level.table(lump) for lump in (geometry.drawn_faces(level), LumpId.TEXINFO, LumpId.TEXDATA)
    )
    owner, points = polygons.corner_face, polygons.positions[polygons.corners]
    texinfo = np.where(geometry.valid_texinfos(level, faces), faces["texinfo"], 0)[owner]
    found = lighting.lightmaps(level)
    if len(texinfos):
        geometry.texture_coordinates(points, texinfos, texdata, texinfo, np.float32)
        if found:
            geometry.luxels(points, texinfos, texinfo, faces["lightmap_mins"][owner])
    made = displacements.displacements(level, polygons)
    positions = made.positions(level.table(LumpId.DISP_VERTS))
    displacements.borders(made, positions)
    sizes = np.zeros((len(faces), 2), np.int64)
    for blocks in found.values():
        sizes[blocks.faces] = np.column_stack([blocks.width, blocks.height])
    if found:
        atlas.pixels_of(atlas.pack(sizes), sizes)
    for lump, blocks in found.items():
        for slot in range(int(blocks.styles.max(initial=0))):
            begin = blocks.lightmap(slot)
            there = begin >= 0
            lighting.lightmap_colors(level.bytes_of(lump), begin[there], blocks.luxels[there])
    for part in (
        lambda: level.entities,
        lambda: level.pak,
        *(partial(each, level) for each in (_props, _sky, _overlays)),
    ):
        with suppress(FormatError):  # what is cut off is left out by the import, too
            part()


def _props(level: source.Level) -> None:
    """How large static props are whose models are missing."""
    lump = level.static_props
    if lump is not None and lump.props is not None and len(lump.props):
        prop_boxes.touched(level, lump, lump.props)


def _sky(level: source.Level) -> None:
    """Which faces are around the map's sky camera."""
    camera = next(level.entities.of_class("sky_camera"), None)
    if camera is not None and camera.origin is not None:
        leaf_tree.LeafTree(level).of_points(np.array([camera.origin]))
        leaf_tree.faces(level)


def _overlays(level: source.Level) -> None:
    """Where overlays are, and how far behind the faces that they are painted on."""
    overlays = level.table(LumpId.OVERLAYS)
    if len(overlays):
        corners = overlay_quads.corners(overlays)
        overlay_depths.behind(level, geometry.polygons(level), overlays, corners)


def map_import(path: Path) -> Import:
    """A map's import with the options' defaults."""
    return Import(path.name, lambda: bpy.ops.import_scene.source_bsp(filepath=str(path)), lambda: decode(path))


def run(corpus: Path, rounds: int) -> list[Result]:
    """Measure a generated map of a million polygons, and all real maps, if they are there.

    The bare build of a mesh gets ready arrays (vertices, the corners of faces, UVs, all attributes); only the edges
    Blender finds itself, as for every mesh that comes as faces. It neither reads the file nor decodes it, nor keeps
    the original, nor works out where textures lie: the second ratio has the first two on both sides.
    """
    print(f"\nimport of a generated map of {SIDE * SIDE:,} polygons against the bare build of its mesh")
    with tempfile.TemporaryDirectory(prefix="levelwright-bench-") as folder:
        path = Path(folder, "million.bsp")
        path.write_bytes(source_generated.ground(SIDE))
        generated = map_import(path)
        ratio = against_meshes(generated, min(rounds, 3), edges=False)
        whole = against_meshes(generated, min(rounds, 3), decode=True, edges=False)
    results = [
        Result("import / bare mesh build, 1 M polygons", ratio, OVER_BARE_MESHES),
        Result("import / (decode + bare mesh build), 1 M polygons", whole, OVER_BARE_MESHES),
    ]
    results += source_models.run(corpus.parent / "source-content", rounds)
    files = sorted(corpus.rglob("*.bsp"))
    if not files:
        print(f"\nno real maps in {corpus}: their import is left out")
        return results
    print("\nimport of real maps against library decode + bare calls that create the same data")
    ratios = [against_replay(map_import(file), min(rounds, 3)) for file in files]
    print(f"  {sum(ratio <= MEDIAN for ratio in ratios)} of {len(files)} maps reach {MEDIAN}")
    seconds = [_seconds(file) for file in files]
    print(f"  all of them: {sum(seconds):.2f} s, the slowest {max(seconds):.2f} s")
    return [
        *results,
        Result("import / (decode + bare calls), the worst of all maps", max(ratios), WORST),
        Result("import / (decode + bare calls), median of all maps", statistics.median(ratios), MEDIAN),
        Result("slowest import without a game's content", max(seconds), SECONDS, "s"),
        Result("memory at most, Blender's own included, of all imports", _peak(corpus) / 2**30, GIBIBYTES, "GiB"),
    ]


def _seconds(file: Path) -> float:
    empty_file()
    began = time.process_time()
    bpy.ops.import_scene.source_bsp(filepath=str(file))
    return time.process_time() - began


def _peak(corpus: Path) -> int:
    """Bytes that a process of its own takes at most while it imports all maps, one after another."""
    command = [sys.executable, "-m", f"{__package__}.source_import_memory", str(corpus)]
    told = subprocess.run(command, check=True, capture_output=True, text=True, env=steady.without()).stdout
    return int(told.split()[-1])
