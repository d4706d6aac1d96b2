# SPDX-License-Identifier: GPL-3.0-or-later
"""What is at points of the world of a map, as its game tells it: by leafs and by the brushes that these list."""

import numpy as np

from formats import ranges
from formats.source import LumpId
from formats.source.records import Contents
from formats.source.tables.fields import areas
from formats.source.tree.leaf_tree import LeafTree

STEP = 1 << 14
BEVELLED = 1.0
"""Units that bevels may cut into a brush."""
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
        self.boxes = self._boxes()
        self.planes[sides["bevel"] != 0] = (0, 0, 0, 1)  # always behind it

    def _boxes(self):
        """float64[brushes, 2, 3]: what no point of a brush is out of, by those of its sides that look along an axis."""
        first, counts = (self.brushes[name].astype(np.int64) for name in ("firstside", "numsides"))
        owner, planes = ranges.owners(counts), self.planes[ranges.flat(first, counts)]
        found = np.tile(np.array([[-np.inf], [np.inf]]), (len(counts), 1, 3))
        for axis in range(3):
            for end, way, nearest in ((0, -1, np.maximum), (1, 1, np.minimum)):
                along = planes[:, axis] == way
                nearest.at(found[:, end, axis], owner[along], way * planes[along, 3])
        return found + np.array([[-BEVELLED], [BEVELLED]])

    def leaf(self, points):
        """int64[n]: the leaf of each point."""
        return self.tree.of_points(points)

    def brushes_at(self, points, brushes):
        """bool[n]: whether each point is in the brush of its number; on a side counts as in."""
        found = ((points >= self.boxes[brushes, 0]) & (points <= self.boxes[brushes, 1])).all(axis=1)
        asked = np.flatnonzero(found)
        first, counts = (self.brushes[name][brushes[asked]].astype(np.int64) for name in ("firstside", "numsides"))
        owner, planes = asked[ranges.owners(counts)], self.planes[ranges.flat(first, counts)]
        out = np.einsum("ni,ni->n", planes[:, :3], points[owner]) > planes[:, 3]
        found[owner[out]] = False
        return found

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

    def sees(self, one, other):
        """bool[n]: whether no solid leaf is between two points each; brushes that are details hide nothing."""
        heads = np.full(len(one), self.tree.head)
        parts = [(np.arange(len(one)), np.zeros(len(one)), np.ones(len(one)), heads)]
        seen = np.ones(len(one), np.bool_)
        while parts:
            number, start, end, node = parts.pop()
            leafs = node < 0
            solid = self.leafs["contents"][-1 - node[leafs]] & Contents.SOLID != 0
            seen[number[leafs][solid & (end - start > 1e-9)[leafs]]] = False
            left = ~leafs & seen[number]
            if not left.any():
                continue
            number, start, end, node = number[left], start[left], end[left], node[left]
            normal, dist = self.tree.normals[node], self.tree.dists[node]
            first = np.einsum("ni,ni->n", normal, one[number]) - dist
            slope = np.einsum("ni,ni->n", normal, other[number] - one[number])
            with np.errstate(all="ignore"):
                cut = np.where(slope != 0, -first / slope, np.inf).clip(start, end)
            before = (first + slope * (start + cut) / 2 < 0).astype(np.int64)
            behind = (first + slope * (cut + end) / 2 < 0).astype(np.int64)
            parts.append((number, start, cut, self.tree.children[node, before]))
            some = cut < end
            parts.append((number[some], cut[some], end[some], self.tree.children[node, behind][some]))
        return seen

    def visible(self, visibility, one, other):
        """bool[n]: whether the cluster of a point has that of another in its row."""
        rows, columns = (self.leafs["cluster"][self.leaf(points)].astype(np.int64) for points in (one, other))
        bits = visibility.pvs[rows, columns // 8] >> (columns % 8).astype(np.uint8) & 1
        return (bits != 0) | (rows < 0) | (columns < 0)


def blind(before, after, boxes, rng, count) -> tuple[int, int]:
    """Of `count` pairs of points, one of each near boxes float64[n, 2, 3], how many see each other since an edit where
    the visibility says otherwise; and how many do see each other.
    """
    space, old, model = Space(after), Space(before), before.table(LumpId.MODELS)[0]
    low, high = np.add(boxes, [[-200], [200]])[rng.integers(len(boxes), size=count)].transpose(1, 0, 2)
    groups = []
    for points in (rng.uniform(low, high), rng.uniform(model["mins"], model["maxs"], (count, 3))):
        leafs = space.leafs[space.leaf(points)]
        groups.append(points[(leafs["cluster"] >= 0) & (leafs["contents"] & Contents.SOLID == 0)])
    if not all(map(len, groups)):
        return 0, 0
    one, other = (group[rng.integers(len(group), size=count)] for group in groups)
    seen = space.sees(one, other)
    wrong = seen & ~space.visible(after.visibility, one, other)
    wrong[wrong] &= ~old.sees(one[wrong], other[wrong])
    return int(wrong.sum()), int(seen.sum())


def near(points, pieces, margin=0.0):
    """bool[n]: which points are in one of some pieces, these made larger by a margin."""
    found = np.zeros(len(points), np.bool_)
    for piece in pieces:
        found[inside(points, piece, margin)] = True
    return found


def inside(points, piece, margin=0.0):
    """int64[k]: which of float64[n, 3] points are in a piece, this made larger by a margin."""
    left = np.arange(len(points))
    for normal, dist in zip(piece.normals, piece.dists.tolist(), strict=True):
        left = left[points[left] @ normal <= dist + margin]
        if not len(left):
            break
    return left


def compared(before, after, gone, new, pieces, points, margin=0.0) -> dict[str, int]:
    """How many of float64[n, 3] points are other than they have to be after some brushes went and others came.

    pieces: all brushes of the world of now. margin: units around sides in which points don't count. outside: contents,
    cluster or area changed; inside: contents aren't those of the brushes there, apart from what is solid still, where
    nothing opened; box: not in the box of a leaf that isn't solid.
    """
    old, made = Space(before), Space(after)
    outside = ~near(points, [*gone, *new], margin)
    was, now = old.contents(points), made.contents(points)
    moved = (was != now) | (old.where(points) != made.where(points)).any(axis=1)
    leafs, ones = made.leafs[made.leaf(points)], old.leafs[old.leaf(points)]
    solid = leafs["contents"] & Contents.SOLID != 0
    asked = np.flatnonzero(near(points, [*gone, *new], -margin) & ~(solid & (ones["contents"] & Contents.SOLID != 0)))
    truth, sure, some = np.zeros(len(asked), np.int64), np.ones(len(asked), np.bool_), points[asked]
    for piece in pieces:
        around = inside(some, piece, margin)
        within = around[inside(some[around], piece, -margin)]
        truth[within] |= piece.contents & int(IGNORED)
        sure[np.setdiff1d(around, within, assume_unique=True)] = False
    off, before_off = (np.maximum(each["mins"] - points, points - each["maxs"]).max(axis=1) for each in (leafs, ones))
    return {
        "outside": int((moved & outside).sum()),
        "inside": int((now[asked] != truth)[sure].sum()),
        "box": int((~solid & (off > 1) & (before_off <= 1)).sum()),
    }
