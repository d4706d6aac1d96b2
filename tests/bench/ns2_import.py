# SPDX-License-Identifier: GPL-3.0-or-later
"""`scripts/bench ns2`, second half: the import operator against bare calls that create the same data."""

from __future__ import annotations

import tempfile
from pathlib import Path

import bpy

from formats import ns2
from formats.ns2 import polygons
from formats.ns2.texture_coordinates import texture_coordinates
from tests.samples import ns2_generated

from .imports import Import, against_meshes, against_replay
from .measure import Result

OVER_BARE_MESHES, OVER_BARE_CALLS = 2.5, 1.5
SIDE = 500
"""Quads to a side of the generated level: a million corners."""
BIG = 5
"""Real levels that are measured, the biggest."""


def decode(path: Path) -> None:
    """What the library has to do for an import: read the tables that it shows, open holes, lay textures."""
    level = ns2.read(path.read_bytes())
    mesh = level.mesh
    faces, positions = mesh.faces, mesh.positions
    corners, ends = mesh.member_vertices()
    made = polygons.polygons(positions, corners, faces.face_loops, faces.loop_members, ends)
    texture_coordinates(mesh, positions, corners, made)
    _ = mesh.materials, mesh.edge_vertices, mesh.smooth, mesh.face_layers, mesh.geometry_groups
    _ = [prop.value for entity in level.entities for prop in entity.properties]
    _ = level.layers, level.groups


def level_import(path: Path) -> Import:
    """A level's import, with all that is in it."""
    return Import(path.name, lambda: bpy.ops.import_scene.ns2_level(filepath=str(path)), lambda: decode(path))


def run(corpus: Path, rounds: int) -> list[Result]:
    """Measure a generated level of a million corners, and the biggest real ones if they are there.

    The bare build of a mesh gets ready arrays (vertices, the corners of faces, UVs, all attributes); only the edges
    Blender finds itself, as for every mesh that comes as faces. It neither opens the file nor decodes it, nor works out
    where textures lie: that is what it is compared with the second time.
    """
    print(f"\nimport of a generated level of {4 * SIDE * SIDE:,} corners against the bare build of its mesh")
    with tempfile.TemporaryDirectory(prefix="levelwright-bench-") as folder:
        path = Path(folder, "million.level")
        path.write_bytes(ns2_generated.ground(SIDE))
        level = level_import(path)
        ratio = against_meshes(level, min(rounds, 3), edges=False)
        whole = against_meshes(level, min(rounds, 3), decode=True, edges=False)
    results = [
        Result("import / bare mesh build, 1 M corners", ratio, OVER_BARE_MESHES),
        Result("import / (decode + bare mesh build), 1 M corners", whole, OVER_BARE_MESHES),
    ]
    files = sorted(corpus.rglob("*.level"), key=lambda path: -path.stat().st_size)[:BIG]
    if not files:
        print(f"\nno real levels in {corpus}: their import is left out")
        return results
    print("\nimport of real levels against library decode + bare calls that create the same data")
    for file in files:
        ratio = against_replay(level_import(file), rounds)
        results.append(Result(f"import / (decode + bare calls), {file.name}", ratio, OVER_BARE_CALLS))
    return results
