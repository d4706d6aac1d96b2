# SPDX-License-Identifier: GPL-3.0-or-later
"""`scripts/bench ns2`, first half: how long the library takes for real levels, and for the biggest of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from formats import FormatError, ns2
from formats.ns2 import polygons, triangulation
from formats.ns2.texture_coordinates import texture_coordinates

from .measure import Result, Way, in_turns

BIGGEST = "ns2_mineshaft2.76ed7700.level"
DECODED_MS = 60.0
"""What decoding all of the biggest level may take."""


def run(folder: Path, rounds: int) -> list[Result]:
    """Measure the levels in `folder`; returns the figure to reach, or nothing where there are none."""
    levels = dict(_readable(folder))
    if not levels:
        print(f"no real levels in {folder}: nothing to measure")
        return []
    size = sum(map(len, levels.values())) / 1e6
    print(f"{len(levels)} real levels, {size:.1f} MB in all")
    _time("open and write, unedited", lambda: [ns2.write(ns2.read(data)) for data in levels.values()], rounds)
    _time("open and decode everything", lambda: [decode(data) for data in levels.values()], rounds)
    _time("parse and write everything anew", lambda: [anew(data) for data in levels.values()], rounds)
    data = next((data for name, data in levels.items() if name.endswith(BIGGEST)), max(levels.values(), key=len))
    print(f"the biggest of them, {len(data) / 1e6:.1f} MB")
    decoded = _time("open and decode everything", lambda: decode(data), rounds)
    mesh = ns2.read(data).mesh
    loops = (mesh.positions, mesh.corners, mesh.faces.face_loops, mesh.faces.loop_members)
    made = polygons.polygons(*loops, mesh.ends)
    _time("polygons, holes opened", lambda: polygons.polygons(*loops, mesh.ends), rounds)
    _time("triangles made anew", lambda: triangulation.triangulate(*loops), rounds)
    _time("texture coordinates", lambda: texture_coordinates(mesh, *loops[:2], made), rounds)
    return [Result(f"decode everything of {BIGGEST}", decoded, DECODED_MS, "ms")]


def _readable(folder: Path) -> list[tuple[str, bytes]]:
    found = []
    for path in sorted(folder.rglob("*.level")):
        data = path.read_bytes()
        try:
            ns2.read(data)
        except FormatError:
            continue  # one is cut off behind its first bytes
        found.append((path.name, data))
    return found


def _time(what: str, run: Callable[[], object], rounds: int) -> float:
    """Best time in ms."""
    best = in_turns({what: Way(run)}, rounds)[what].best * 1e3
    print(f"  {what:<50} {best:9.2f} ms")
    return best


def decode(data: bytes) -> list[Any]:
    """Read a level and all that is in it: every table of the mesh, every property of every entity."""
    level = ns2.read(data)
    mesh = level.mesh
    tables: list[Any] = [mesh.materials, mesh.vertices, mesh.edges, mesh.faces, mesh.face_layers, mesh.mapping_groups]
    tables += [mesh.geometry_groups, mesh.triangles, mesh.positions, mesh.corners]
    values = [prop.value for entity in level.entities for prop in entity.properties]
    return [*tables, values, level.layers, level.groups, level.viewports, level.custom_colors, level.editor_settings]


def anew(data: bytes) -> bytes:
    """Read a level, set every table to what it is, and write it."""
    level = ns2.read(data)
    mesh = level.mesh
    for name in ("materials", "vertices", "edges", "faces", "face_layers", "mapping_groups", "triangles"):
        setattr(mesh, name, getattr(mesh, name))
    level.entities = level.entities
    return ns2.write(level)
