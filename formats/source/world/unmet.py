# SPDX-License-Identifier: GPL-3.0-or-later
"""Brushes of an edited world that lie in what is solid anyway, or outside of the map: nobody meets or sees them.

Outside of maps that leak, which have no visibility, it isn't solid (4 of 31 here; of the others, no leaf that isn't
solid is without a cluster): there the outside is a part of the map, to which ways lead, and what stands there is met.
"""

import numpy as np

from ... import ranges
from ...arrays import Ints
from ..edits import brush_pieces
from ..level import Level
from ..lumps import LumpId
from ..records import Contents
from ..tree.leaf_tree import LeafTree
from .types import Carved

_BESIDE = 0.25
"""Units before a side and behind it, where leafs are asked for."""
_INWARD = 0.1
"""Of the way from a side's corner to its middle."""


@np.errstate(all="ignore")
def of(level: Level, carved: Carved) -> Ints:
    """The brushes that are others or new, and all around which is solid: int64[n]. Raises FormatError."""
    shapes = dict(carved.shapes)
    if not shapes:
        return np.zeros(0, np.int64)
    pieces = list(shapes.values())
    found = brush_pieces.polygons(pieces)
    counts = np.diff(found.first_corner)
    sides, points = ranges.owners(counts), found.positions[found.corners]
    middles = np.zeros((len(counts), 3))
    np.add.at(middles, sides, points)
    middles /= np.maximum(counts, 1)[:, None]
    points += _INWARD * (middles[sides] - points)
    normals = np.concatenate([piece.normals for piece in pieces])[sides] * _BESIDE
    leafs = LeafTree(level).of_points(np.concatenate([points + normals, points - normals]))
    is_open = level.table(LumpId.LEAFS)["contents"][leafs] & Contents.SOLID == 0
    brush = np.repeat(np.arange(len(pieces)), [len(piece.dists) for piece in pieces])[sides]
    met = np.unique(np.tile(brush, 2)[is_open])
    return np.delete(np.array(list(shapes), np.int64), met)
