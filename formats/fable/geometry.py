# SPDX-License-Identifier: GPL-3.0-or-later
"""What a viewer needs of a level: grids for its cells, squares for its navigation, and how these lie over the ground.

No rounding but that of sums and products of float32: the results are the same on every machine.
"""

import numpy as np
import numpy.typing as npt

from ..arrays import Floats, Int32s, Integers, Records, Singles
from .level import heights
from .records import ROOT_EDGE

_WINDOW = 1 << 22
"""Heights that are looked at in one go."""
UNIT_LEVEL = 5
"""Of leaves that are one unit wide."""


def finite_heights(cells: Records) -> Singles:
    """World z of cells, CELL [...], float32 of the cells' shape in units: 0 where the stored height isn't finite."""
    z = heights(cells)
    finite: Singles = np.where(np.isfinite(z), z, np.float32(0))
    return finite


def finite_points(positions: Records) -> Singles:
    """Where action points, POSITION [n], are, float32[n, 2] in units: 0 for a coordinate that isn't finite."""
    xy = np.stack([positions["x"], positions["y"]], axis=1)
    finite: Singles = np.where(np.isfinite(xy), xy, np.float32(0))
    return finite


def grid(rows: int, columns: int, edge: float = 1.0) -> tuple[Singles, Int32s]:
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


def grid_edges(rows: int, columns: int) -> tuple[Int32s, Int32s]:
    """The edges of `grid`, int32[e, 2], and that of each corner, int32[c]: along x first, then along y."""
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


def leaf_corners(nodes: Records) -> Singles:
    """The corners of leaves, NODE [n], counter-clockwise from the lower left, float32[n, 4, 2] in units: 0 for a
    coordinate that isn't finite.
    """
    half = np.ldexp(np.float32(ROOT_EDGE / 2), -np.minimum(nodes["level"], 100).astype(np.int32)).astype(np.float32)
    signs = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], np.float32)
    centres = np.stack([nodes["x"], nodes["y"]], axis=1)
    with np.errstate(all="ignore"):  # hostile floats
        found = centres[:, None, :] + signs * half[:, None, None]
    return np.where(np.isfinite(found), found, np.float32(0))


def unit_squares(nodes: Records) -> Records:
    """Leaves, NODE [n], cut into squares of one unit, which follow the ground; smaller ones stay as they are, and so do
    all where they are more than any level has room for.
    """
    edges = ROOT_EDGE >> np.minimum(nodes["level"], UNIT_LEVEL).astype(np.int64)
    counts = edges * edges
    if counts.sum() > _WINDOW:
        return nodes
    made = nodes.repeat(counts)
    place = np.arange(len(made)) - (counts.cumsum() - counts).repeat(counts)
    edge = edges.repeat(counts)
    for axis, steps in (("x", place % edge), ("y", place // edge)):
        made[axis] += (steps - (edge - 1) / 2).astype(np.float32)
    made["level"] = np.maximum(made["level"], UNIT_LEVEL)
    return made


def sample_ground(ground: Singles, x: npt.ArrayLike, y: npt.ArrayLike) -> Floats:
    """Heights of the ground, float32[rows, columns], between its cells: float64 of the shape of x and y, in units.

    Beyond the ground's edge it is as high as at the edge.
    """
    rows, columns = ground.shape
    x, y = np.clip(x, 0, columns - 1).astype(np.float64), np.clip(y, 0, rows - 1).astype(np.float64)
    left, lower = x.astype(np.int64), y.astype(np.int64)
    right, upper = np.minimum(left + 1, columns - 1), np.minimum(lower + 1, rows - 1)
    x, y = x - left, y - lower
    below = ground[lower, left] * (1 - x) + ground[lower, right] * x
    above = ground[upper, left] * (1 - x) + ground[upper, right] * x
    found: Floats = below * (1 - y) + above * y
    return found


def over_ground(ground: Singles, corners: Singles, levels: Integers) -> Singles:
    """World z of leaves' corners, float32[n, 4], so high that no cell of the ground pokes through the leaf's plane.

    ground: float32[rows, columns], `finite_heights`. corners: float32[n, 4, 2], `leaf_corners`. levels: int[n], of the
    leaves: one of level k is 32 / 2^k units wide.
    """
    rows, columns = ground.shape
    if not ground.size:
        return np.zeros(corners.shape[:2], np.float32)
    z = sample_ground(ground, corners[..., 0], corners[..., 1])
    for level in range(5):  # smaller ones have no cell inside
        those = np.flatnonzero(levels == level)
        edge = ROOT_EDGE >> level
        steps = np.arange(edge + 1)
        share = steps / edge
        for some in np.array_split(those, len(those) * (edge + 1) ** 2 // _WINDOW + 1):
            low = np.clip(corners[some, 0], 0, max(rows, columns)).astype(np.int64)
            y = np.minimum(low[:, 1, None] + steps, rows - 1)
            x = np.minimum(low[:, 0, None] + steps, columns - 1)
            inside = ground[y[:, :, None], x[:, None, :]]
            lower = z[some, 0, None] + (z[some, 1] - z[some, 0])[:, None] * share
            upper = z[some, 3, None] + (z[some, 2] - z[some, 3])[:, None] * share
            plane = lower[:, None, :] + (upper - lower)[:, None, :] * share[:, None]
            z[some] += (inside - plane).max(axis=(1, 2), initial=0.0)[:, None]
    return z.astype(np.float32)
