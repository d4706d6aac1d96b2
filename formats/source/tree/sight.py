# SPDX-License-Identifier: GPL-3.0-or-later
"""What is seen from a place: the leafs of the clusters that its own one sees (source.md "Visibility")."""

import numpy as np

from ...arrays import Bools, Floats, Ints
from ..level import Level
from ..lumps import LumpId
from . import leaf_tree
from .leaf_tree import LeafTree


class Sight:
    """What one cluster of a map sees. leafs: bool[leafs]. Raises FormatError, and ValueError for a map that was
    compiled without visibility, or a cluster that isn't there.
    """

    def __init__(self, level: Level, cluster: int) -> None:
        visibility = level.visibility
        if visibility is None:
            raise ValueError("the map was compiled without visibility: everything is seen from everywhere")
        if not 0 <= cluster < visibility.clusters:
            raise ValueError(f"cluster {cluster} of {visibility.clusters}")
        seen = visibility.sees(cluster)
        seen[cluster] = True
        clusters = level.table(LumpId.LEAFS)["cluster"].astype(np.int64)
        there = (clusters >= 0) & (clusters < len(seen))
        self.clusters = seen
        self.leafs: Bools = there & seen[np.where(there, clusters, 0)]
        self._level, self._tree = level, LeafTree(level)

    def faces(self, count: int) -> Bools:
        """bool[count]: which of so many faces are in a leaf that is seen. Displacements aren't in any: see `boxes`."""
        owners, faces = leaf_tree.faces(self._level)
        shown = np.zeros(count, np.bool_)
        shown[faces[self.leafs[owners]]] = True
        return shown

    def boxes(self, mins: Floats, maxs: Floats) -> Bools:
        """bool[n]: which of float64[n, 3] boxes touch a leaf that is seen."""
        owners, leafs = self._tree.of_boxes(mins, maxs)
        shown = np.zeros(len(mins), np.bool_)
        shown[owners[self.leafs[leafs]]] = True
        return shown


def cluster_at(level: Level, point: Floats) -> int:
    """The cluster that a float64[3] point is in; -1: in a wall, or outside. Raises FormatError."""
    return int(leaf_tree.clusters(level, LeafTree(level).of_points(np.asarray(point, np.float64)[None]))[0])


def cluster_boxes(level: Level) -> tuple[Ints, Floats, Floats]:
    """Clusters that have leafs, ascending, int64[n], and what their leafs fill: float64[n, 3] lowest and highest."""
    leafs = level.table(LumpId.LEAFS)
    clusters = leafs["cluster"].astype(np.int64)
    used, place = np.unique(clusters[clusters >= 0], return_inverse=True)
    mins, maxs = np.full((len(used), 3), np.inf), np.full((len(used), 3), -np.inf)
    np.minimum.at(mins, place, leafs["mins"].astype(np.float64)[clusters >= 0])
    np.maximum.at(maxs, place, leafs["maxs"].astype(np.float64)[clusters >= 0])
    return used, mins, maxs
