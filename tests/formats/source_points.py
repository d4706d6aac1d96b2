# SPDX-License-Identifier: GPL-3.0-or-later
"""What is at points of the world of a map, as its game tells it: by leafs and by the brushes that these list."""

import numpy as np

from formats.source import LumpId, ranges
from formats.source.fields import areas
from formats.source.leaf_tree import LeafTree
from formats.source.records import Contents

STEP = 1 << 16
IGNORED = ~np.int64(Contents.DETAIL | Contents.TESTFOGVOLUME)
"""Contents that say how a map was compiled, and what leafs see."""


class Space:
    """The world of a level."""

    def __init__(self, level) -> None:
        self.tree = LeafTree(level)
        self.leafs = level.table(LumpId.LEAFS)
        self.brushes, sides = level.table(LumpId.BRUSHES), level.table(LumpId.BRUSHSIDES)
        self.listed = level.table(LumpId.LEAFBRUSHES)["brush"].astype(np.int64)
        planes = level.table(LumpId.PLANES)[sides["planenum"]]
        self.planes = np.column_stack([planes["normal"], planes["dist"]]).astype(np.float64)
        self.planes[sides["bevel"] != 0] = (0, 0, 0, 1)  # always behind it

    def leaf(self, points):
        """int64[n]: the leaf of each point."""
        return self.tree.of_points(points)

    def brushes_at(self, points, brushes):
        """bool[n]: whether each point is in the brush of its number; on a side counts as in."""
        first, counts = (self.brushes[name][brushes].astype(np.int64) for name in ("firstside", "numsides"))
        owner, planes = ranges.owners(counts), self.planes[ranges.flat(first, counts)]
        out = np.einsum("ni,ni->n", planes[:, :3], points[owner]) > planes[:, 3]
        return np.bincount(owner[out], minlength=len(points)) == 0

    def contents(self, points):
        """int64[n]: the contents of each point, of its leaf and of the brushes in it."""
        found = np.empty(len(points), np.int64)
        for start in range(0, len(points), STEP):
            some = points[start : start + STEP]
            leaf = self.leaf(some)
            first, counts = (self.leafs[name][leaf].astype(np.int64) for name in ("firstleafbrush", "numleafbrushes"))
            owner, brushes = ranges.owners(counts), self.listed[ranges.flat(first, counts)]
            inside = self.brushes_at(some[owner], brushes)
            contents = self.leafs["contents"][leaf].astype(np.int64)
            np.bitwise_or.at(contents, owner[inside], self.brushes["contents"][brushes[inside]].astype(np.int64))
            found[start : start + STEP] = contents & IGNORED
        return found

    def where(self, points):
        """int64[n, 2]: cluster and area of each point."""
        leafs = self.leafs[self.leaf(points)]
        return np.column_stack([leafs["cluster"].astype(np.int64), areas(leafs)[0]])


def near(points, pieces, margin=0.0):
    """bool[n]: which points are in one of some pieces, these made larger by a margin."""
    found = np.zeros(len(points), np.bool_)
    for piece in pieces:
        found |= (points @ piece.normals.T <= piece.dists + margin).all(axis=1)
    return found
