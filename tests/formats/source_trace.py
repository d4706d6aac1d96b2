# SPDX-License-Identifier: GPL-3.0-or-later
"""Boxes that are moved through a map as the game moves players: through nodes, leafs, brushes and bevels (source.md
§2.4, §2.5); and the same by brushes alone, without the tree and without the file's bevels.

All paths go at once: what is left to visit are pairs of a path and a node, then of a path and a brush.
"""

import numpy as np

from formats import convex_hull, ranges
from formats.source import LumpId
from formats.source.tree import brushes

EPSILON = 1 / 32  # units that the game stays before what it hits
PLAYER = np.array([[-16, -16, 0], [16, 16, 72]], np.float64)
BLOCKS_PLAYERS = 0x201400B
E = LumpId


class Tracer:
    """A model's tree and brushes. mask: the contents that stop."""

    def __init__(self, level, model: int = 0, mask: int = BLOCKS_PLAYERS) -> None:
        nodes, planes, sides = level.table(E.NODES), level.table(E.PLANES), level.table(E.BRUSHSIDES)
        self.head = int(level.table(E.MODELS)["headnode"][model])
        self.children = nodes["children"].astype(np.int64)
        self.node_planes = _planes(planes, nodes["planenum"])
        self.side_planes, self.bevel = _planes(planes, sides["planenum"]), sides["bevel"] != 0
        self.brushes, leafs = level.table(E.BRUSHES), level.table(E.LEAFS)
        self.first_side, self.sides = (self.brushes[name].astype(np.int64) for name in ("firstside", "numsides"))
        self.stops = (self.brushes["contents"].astype(np.int64) & mask != 0) & (self.sides > 0)
        self.first, self.counts = (leafs[name].astype(np.int64) for name in ("firstleafbrush", "numleafbrushes"))
        self.leaf_brushes = level.table(E.LEAFBRUSHES)["brush"].astype(np.int64)

    def through_tree(self, starts, ends, box) -> tuple[np.ndarray, np.ndarray]:
        """How far boxes float[2, 3] come on ways float[n, 3] to float[n, 3], 0 to 1; whether they start in solid."""
        starts, ends, reach = _centred(starts, ends, box)
        pairs = self._brushes_of(*self._leafs_of(starts, ends, reach))
        return self._clipped(starts, ends, reach, *pairs)

    def by_brushes(self, starts, ends, box, numbers) -> tuple[np.ndarray, np.ndarray]:
        """The same, without the tree: against all brushes int[k]."""
        starts, ends, reach = _centred(starts, ends, box)
        numbers = np.asarray(numbers)[self.stops[numbers]]
        low, high = np.minimum(starts, ends) - reach - 1, np.maximum(starts, ends) + reach + 1
        found = []
        for number in numbers.tolist():  # the first six sides are the brush's box
            rows = self.side_planes[self.first_side[number] : self.first_side[number] + 6]
            far = (rows[::2, 3] * -1 <= high) & (rows[1::2, 3] >= low)
            paths = np.flatnonzero(far.all(axis=1))
            found.append(np.column_stack([paths, np.full(len(paths), number)]))
        pairs = np.concatenate([np.zeros((0, 2), np.int64), *found])
        return self._clipped(starts, ends, reach, pairs[:, 0], pairs[:, 1])

    def _leafs_of(self, starts, ends, reach) -> tuple[np.ndarray, np.ndarray]:
        """The leafs that boxes come by, as the game's recursive check visits them: pairs of path and leaf."""
        path, node = np.arange(len(starts)), np.full(len(starts), self.head)
        begin, end = np.zeros(len(starts)), np.ones(len(starts))
        paths, leafs = [], []
        while len(path):
            done = node < 0
            paths.append(path[done])
            leafs.append(-1 - node[done])
            path, node, begin, end = path[~done], node[~done], begin[~done], end[~done]
            plane, way = self.node_planes[node], ends[path] - starts[path]
            slope = (way * plane[:, :3]).sum(axis=1)
            height = (starts[path] * plane[:, :3]).sum(axis=1) - plane[:, 3]
            one, two = height + begin * slope, height + end * slope
            off = np.abs(plane[:, :3]) @ reach
            front, back = (one >= off) & (two >= off), (one < -off) & (two < -off)
            both = ~front & ~back
            with np.errstate(all="ignore"):
                near = np.where(two < one, (one + off + EPSILON) / (one - two), (one - off - EPSILON) / (one - two))
                far = np.where(two < one, (one - off - EPSILON) / (one - two), (one + off + EPSILON) / (one - two))
            near, far = np.where(one == two, 1.0, near).clip(0, 1), np.where(one == two, 0.0, far).clip(0, 1)
            side = (one < two).astype(np.int64)
            straight = front | back
            parts = (
                (path[straight], self.children[node[straight], back[straight] * 1], begin[straight], end[straight]),
                (path[both], self.children[node, side][both], begin[both], (begin + near * (end - begin))[both]),
                (path[both], self.children[node, 1 - side][both], (begin + far * (end - begin))[both], end[both]),
            )
            path, node, begin, end = (np.concatenate(each) for each in zip(*parts, strict=True))
        return np.concatenate(paths), np.concatenate(leafs)

    def _brushes_of(self, paths, leafs) -> tuple[np.ndarray, np.ndarray]:
        """Each brush that stops of the leafs that a path comes by, once."""
        counts = self.counts[leafs]
        numbers = self.leaf_brushes[ranges.flat(self.first[leafs], counts)]
        keys = np.unique(np.repeat(paths, counts) * len(self.brushes) + numbers)
        paths, numbers = np.divmod(keys, len(self.brushes))
        return paths[self.stops[numbers]], numbers[self.stops[numbers]]

    def _clipped(self, starts, ends, reach, paths, numbers) -> tuple[np.ndarray, np.ndarray]:
        """What is left of paths when each of their brushes has stopped them."""
        counts = self.sides[numbers]
        rows, owners = ranges.flat(self.first_side[numbers], counts), ranges.owners(counts)
        planes = self.side_planes[rows]
        if not reach.any():  # points don't meet bevels
            kept = ~self.bevel[rows]
            rows, owners, planes = rows[kept], owners[kept], planes[kept]
        return clipped(starts, ends, reach, paths, owners, planes)


def clipped(starts, ends, reach, paths, owners, planes) -> tuple[np.ndarray, np.ndarray]:
    """How far boxes come that convex solids stop, and whether they start within one. paths int[m]: of each meeting of a
    path and a solid; owners int[k]: the meeting that each of the solid's planes float[k, 4] is of, ascending.
    """
    fractions, solid = np.ones(len(starts)), np.zeros(len(starts), np.bool_)
    if not len(paths):
        return fractions, solid
    way = paths[owners]
    dists = planes[:, 3] + np.abs(planes[:, :3]) @ reach
    one, two = ((points[way] * planes[:, :3]).sum(axis=1) - dists for points in (starts, ends))
    crosses = (one > 0) != (two > 0)
    into, out = crosses & (one > two), crosses & (one <= two)
    with np.errstate(all="ignore"):
        enter = np.where(into, np.maximum(one - EPSILON, 0) / (one - two), -np.inf)
        leave = np.where(out, (one + EPSILON) / (one - two), 1.0)
    first = np.flatnonzero(np.diff(owners, prepend=-1))
    enter, leave = np.maximum.reduceat(enter, first), np.minimum.reduceat(leave, first)
    misses = np.logical_or.reduceat((one > 0) & (two > 0), first)
    outside, gets_out = np.logical_or.reduceat(one > 0, first), np.logical_or.reduceat(out, first)
    hits = ~misses & outside & (enter < leave) & (enter > -1)
    np.minimum.at(fractions, paths[hits], enter[hits])
    within = ~misses & ~outside
    solid[paths[within]] = True
    fractions[paths[within & ~gets_out]] = 0
    return fractions, solid


def by_shapes(level, starts, ends, box, numbers) -> tuple[np.ndarray, np.ndarray]:
    """What brushes int[k] stop by their shapes alone: by the solids that their corners sweep with a box, no bevels."""
    starts, ends, reach = _centred(starts, ends, box)
    corners = brushes.solids(level, np.asarray(numbers)).polygons
    signs = np.array([[n & 1, n >> 1 & 1, n >> 2 & 1] for n in range(8)]) * 2 - 1
    planes, counts, paths = [np.zeros((0, 4))], [], [np.zeros(0, np.int64)]
    for first, end in zip(corners.first_vertex[:-1], corners.first_vertex[1:], strict=True):
        points = corners.positions[first:end]
        swept = (points[:, None] + signs * reach).reshape(-1, 3)
        around = convex_hull.hull(swept, 1e-3)
        near = (swept.min(axis=0) <= np.maximum(starts, ends) + 1) & (swept.max(axis=0) >= np.minimum(starts, ends) - 1)
        own = np.flatnonzero(near.all(axis=1))
        planes.append(np.tile(np.column_stack([around.normals, around.dists]), (len(own), 1)))
        counts += [len(around.dists)] * len(own)
        paths.append(own)
    return clipped(starts, ends, np.zeros(3), np.concatenate(paths), ranges.owners(counts), np.concatenate(planes))


def _planes(table, numbers) -> np.ndarray:
    """float64[n, 4]: normal and dist."""
    rows = table[numbers.astype(np.int64)]
    return np.column_stack([rows["normal"], rows["dist"]]).astype(np.float64)


def _centred(starts, ends, box) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ways of the middle of a box, and half its size."""
    middle, reach = (box[0] + box[1]) / 2, (box[1] - box[0]) / 2
    return np.asarray(starts, np.float64) + middle, np.asarray(ends, np.float64) + middle, reach
