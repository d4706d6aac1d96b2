# SPDX-License-Identifier: GPL-3.0-or-later
"""The height cells as one mesh: a vertex a cell, its fields as attributes, its themes as weight layers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ....formats.fable import heights
from ....formats.fable import theme_weights as weights
from ....formats.fable.records import Records
from ...scene import identity, meshes
from ...scene.attributes import Domain, Kind
from .. import layout
from ..context import Site

Arrays = dict[str, tuple[Domain, Kind, Any]]


def build(site: Site, layers: Sequence[str], blend: weights.Weights) -> bpy.types.Object:
    """Make the terrain's object, without a material. layers: the name of each slot's, "" for none."""
    cells = site.level.cells
    bad = int(np.count_nonzero(~np.isfinite(heights(cells))))
    if bad:
        site.report.warn(f"{bad} cells have heights that aren't numbers: they are shown at 0, and kept as they are")
    mesh = build_mesh("Terrain", cells, site.token)
    terrain = site.object_of("Terrain", layout.TERRAIN, data=mesh)
    fill_layers(terrain, layers, blend)
    site.report.count("cells", cells.size)
    site.report.count("themes", int(np.count_nonzero(np.bincount(blend.slots))))
    return terrain


def build_mesh(name: str, cells: Records, token: int) -> bpy.types.Mesh:
    """Make the mesh of height cells, CELL [rows, columns], with identities and attributes."""
    rows, columns = cells.shape
    positions, corners = grid(rows, columns)
    positions[:, 2] = layout.shown_heights(cells).reshape(-1)
    return meshes.build(
        name,
        positions,
        corners,
        attributes=attributes(cells, token),
        smooth=True,
        edges=edges_of(rows, columns) if len(corners) else None,
    )


def attributes(cells: Records, token: int) -> Arrays:
    """The point attributes of height cells: identity, fields and flags."""
    flat = cells.reshape(-1)
    ids = np.arange(1, flat.size + 1, dtype=np.int32)
    made: Arrays = {identity.ID: ("POINT", "INT", ids)}
    made[identity.CHECK] = ("POINT", "INT", identity.checks(token, ids))
    for name, field in layout.CELL_FIELDS.items():
        made[name] = ("POINT", field.kind, field.of(flat).astype(np.int32))
    for name in layout.FLAGS:
        made[name] = ("POINT", "BOOLEAN", layout.flag(flat, name))
    return made


def grid(rows: int, columns: int, edge: float = 1.0) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Vertices of a flat grid, float32[rows * columns, 3] by rows, `edge` apart, and the corners of the quads between
    them, int32[4 * quads], from the lower left around.
    """
    positions = np.zeros((rows, columns, 3), np.float32)
    positions[..., 0] = np.arange(columns, dtype=np.float32) * np.float32(edge)
    positions[..., 1] = np.arange(rows, dtype=np.float32)[:, None] * np.float32(edge)
    corners = np.empty((max(rows - 1, 0), max(columns - 1, 0), 4), np.int32)
    numbers = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)
    corners[..., 0], corners[..., 1] = numbers[:-1, :-1], numbers[:-1, 1:]
    corners[..., 2], corners[..., 3] = numbers[1:, 1:], numbers[1:, :-1]
    return positions.reshape(-1, 3), corners.reshape(-1)


def edges_of(rows: int, columns: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The edges of `grid`, int32[e, 2], and that of each corner, int32[c]: along x first, then along y.

    Blender would find the same ones, in most of the time that the whole mesh takes.
    """
    numbers = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)
    across = rows * (columns - 1)
    edges = np.empty((across + (rows - 1) * columns, 2), np.int32)
    edges[:across, 0], edges[:across, 1] = numbers[:, :-1].reshape(-1), numbers[:, 1:].reshape(-1)
    edges[across:, 0], edges[across:, 1] = numbers[:-1].reshape(-1), numbers[1:].reshape(-1)
    along_x = np.arange(across, dtype=np.int32).reshape(rows, columns - 1)
    along_y = np.arange(across, len(edges), dtype=np.int32).reshape(rows - 1, columns)
    corners = np.empty((rows - 1, columns - 1, 4), np.int32)
    corners[..., 0], corners[..., 1], corners[..., 2], corners[..., 3] = (
        along_x[:-1], along_y[:, 1:], along_x[1:], along_y[:, :-1]
    )  # fmt: skip
    return edges, corners.reshape(-1)


def fill_layers(terrain: bpy.types.Object, layers: Sequence[str], found: weights.Weights) -> None:
    """Give an object without any a vertex group for each layer, by slot, and its vertices their weights.

    Blender sets many vertices to one weight at a time: there are at most 255 of those a layer, so that a million cells
    take 0.4 s. layers: "" for slots that have none.
    """
    groups: dict[int, Any] = {slot: terrain.vertex_groups.new(name=name) for slot, name in enumerate(layers) if name}
    key = found.slots.astype(np.uint16) << np.uint16(8) | found.weights
    bounds = [0, *(np.flatnonzero(key[1:] != key[:-1]) + 1).tolist(), len(key)]
    for start, end in pairwise(bounds if len(key) else ()):
        group = groups[int(found.slots[start])]
        group.add(found.cells[start:end].tolist(), int(found.weights[start]) / weights.FULL, "REPLACE")
