# SPDX-License-Identifier: GPL-3.0-or-later
"""The game map as an object of its own: a face for 4 x 4 height cells, with its atmospheres and its sound."""

from __future__ import annotations

import bpy
import numpy as np

from ....formats.arrays import Records, Singles
from ....formats.fable.geometry import finite_heights, grid, grid_edges
from ...scene.geometry import meshes
from .. import layout
from ..cells import cell_attributes
from ..context import ImportContext


def build_game_map(importing: ImportContext) -> bpy.types.Object | None:
    """Make the game map's object, shown as wires over the terrain; None for a level that has no game map."""
    records = importing.level.game_map
    if records is None or not records.size:
        return None
    rows, columns = records.shape
    positions, corners = grid(rows + 1, columns + 1, layout.CELLS_A_GAME_CELL)
    positions[:, 2] = _over(importing.level.cells, rows + 1, columns + 1)
    edges = grid_edges(rows + 1, columns + 1)
    attributes = cell_attributes(records, layout.GAME_FIELDS, importing.token, "FACE")
    mesh = meshes.build("Atmosphere", positions, corners, attributes=attributes, edges=edges)
    made = importing.object_of("Atmosphere", layout.GAME_MAP, data=mesh)
    made.display_type = "WIRE"
    made.hide_render = True
    importing.report.count("game map cells", records.size)
    return made


def _over(cells: Records, rows: int, columns: int) -> Singles:
    """The heights of a grid that lies over the terrain, float32[rows * columns]."""
    heights = finite_heights(cells)
    y = np.minimum(np.arange(rows) * layout.CELLS_A_GAME_CELL, heights.shape[0] - 1)
    x = np.minimum(np.arange(columns) * layout.CELLS_A_GAME_CELL, heights.shape[1] - 1)
    lifted: Singles = (heights[np.ix_(y, x)] + np.float32(layout.GAME_MAP_LIFT)).reshape(-1)
    return lifted
