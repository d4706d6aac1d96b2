# SPDX-License-Identifier: GPL-3.0-or-later
"""The height cells as one mesh: a vertex a cell, its fields as attributes, its themes as weight layers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import bpy
import numpy as np

from ....formats.arrays import Records
from ....formats.counting import number_of
from ....formats.fable import heights
from ....formats.fable.geometry import finite_heights, grid, grid_edges
from ....formats.fable.theme_weights import FULL, Weights
from ...scene.geometry import meshes
from ...scene.names import showable
from .. import layout
from ..cells import cell_attributes
from ..context import ImportContext


def build_terrain(importing: ImportContext, layers: Sequence[str], blend: Weights) -> bpy.types.Object:
    """Make the terrain's object, without a material. layers: the name of each slot's, "" for none."""
    cells = importing.level.cells
    bad = int(np.count_nonzero(~np.isfinite(heights(cells))))
    if bad:
        importing.report.warn(f"{number_of(bad, 'cells have')} heights that are NaN or infinite: shown at 0, and kept")
    mesh = build_mesh("Terrain", cells, importing.token)
    terrain = importing.object_of("Terrain", layout.TERRAIN, data=mesh)
    fill_layers(terrain, layers, blend)
    importing.report.count("cells", cells.size)
    importing.report.count("themes", sum(map(bool, layers)))
    return terrain


def build_mesh(name: str, cells: Records, token: int) -> bpy.types.Mesh:
    """Make the mesh of height cells, CELL [rows, columns], with identities and attributes."""
    rows, columns = cells.shape
    positions, corners = grid(rows, columns)
    positions[:, 2] = finite_heights(cells).reshape(-1)
    attributes = cell_attributes(cells, layout.CELL_FIELDS, token, "POINT")
    flat = cells.reshape(-1)
    attributes.update((name, ("POINT", "BOOLEAN", layout.flag(flat, name))) for name in layout.FLAGS)
    return meshes.build(
        name,
        positions,
        corners,
        attributes=attributes,
        smooth=True,
        edges=grid_edges(rows, columns) if len(corners) else None,  # which Blender would take most of the time to find
    )


def fill_layers(terrain: bpy.types.Object, layers: Sequence[str], found: Weights) -> None:
    """Give an object without any a vertex group for each layer, by slot, and its vertices their weights.

    Blender sets many vertices to one weight at a time: there are at most 255 of those a layer, so that a million cells
    take 0.4 s. layers: "" for slots that have none.
    """
    groups = {slot: terrain.vertex_groups.new(name=showable(name)) for slot, name in enumerate(layers) if name}
    key = found.slots.astype(np.uint16) << np.uint16(8) | found.weights
    bounds = [0, *(np.flatnonzero(key[1:] != key[:-1]) + 1).tolist(), len(key)]
    for start, end in pairwise(bounds if len(key) else ()):
        group = groups[int(found.slots[start])]
        group.add(found.cells[start:end].tolist(), int(found.weights[start]) / FULL, "REPLACE")
