# SPDX-License-Identifier: GPL-3.0-or-later
"""Brushes to a BSP tree of solid and empty leafs, and polygons to the leafs that they border on.

What is solid several games share: the space within their brushes. A tree cuts space by the planes of their faces until
no face goes through any part, so that each part, a leaf, is convex and either solid or empty. Compilers find leaks and
what can be seen by such trees; so does `solid_leaks`.

The tree is made level by level: all nodes of one depth take their planes, and their faces are cut, in one go.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from . import convex, ranges
from .arrays import Bools, Floats, Ints
from .binary import FormatError
from .steps import Steps, Stepwise
from .windings import Windings, joined, squares

NEAR = 0.01
"""Units: what is nearer to a plane lies on it. Solid leafs end that near to their brushes."""
MARGIN = 128.0
"""Units of empty space around the brushes; what lies further out is `OUTSIDE`."""
OUTSIDE = 0
"""The leaf around everything else. It is empty."""
MOST = 500_000
"""Nodes and faces that are left to be cut: real levels have a tenth of it. More would take minutes and gigabytes."""

_CANDIDATES = 12
_FACING, _SPLIT = 1, 4
"""What a face that lies in a plane is worth for choosing it, and what one that is cut by it costs."""
_FINE = 1e-3
"""Units: as NEAR, for portals, which lie in the nodes' own planes."""
_CELLS, _TOGETHER = 12, 256
"""Where boxes are compared: in how many slices the world is cut each way, and how many neighbours are a block."""


@dataclass(frozen=True, slots=True)
class SolidTree:
    """A tree of n nodes and m leafs; node 0 is its root."""

    normals: Floats
    """float64[n, 3], of the planes of the nodes."""
    dists: Floats
    """float64[n], of these."""
    children: Ints
    """int64[n, 2], before and behind the plane: a node, or a leaf as -1 - its number."""
    solid: Bools
    """bool[m]."""

    def leafs_of(self, points: npt.ArrayLike) -> Ints:
        """The leafs that points, float[k, 3], are in: int64[k]. A point that isn't finite is in OUTSIDE."""
        where = np.asarray(points, np.float64).reshape(-1, 3)
        lost = ~np.isfinite(where).all(axis=1)
        where = np.where(lost[:, None], 0.0, where)
        places = np.zeros(len(where), np.int64)
        left = np.arange(len(where))
        while len(left):
            nodes = places[left]
            heights = np.einsum("ij,ij->i", where[left], self.normals[nodes]) - self.dists[nodes]
            places[left] = self.children[nodes, (heights < 0).astype(np.int64)]
            left = left[places[left] >= 0]
        return np.where(lost, OUTSIDE, -1 - places)

    def border(
        self, windings: Windings, normals: Floats, places: Ints, behind: bool = False, near: float = NEAR
    ) -> tuple[Windings, Ints, Ints]:
        """Cut polygons by the tree, and say which leaf is before (or `behind`) each piece.

        normals: float64[k, 3], where the polygons face. places: int64[k], the nodes or leafs (as in `children`) to
        begin at. near: units, how far off a plane a polygon still lies in it. Returns the pieces, int64[p] which of the
        polygons each is of, and int64[p] the leaf.
        """
        done: list[tuple[Windings, Ints, Ints]] = []
        of = np.arange(len(windings))
        while True:
            ended = np.flatnonzero(places < 0)
            if len(ended):
                done.append((windings.taken(ended), of[ended], -1 - places[ended]))
            inner = np.flatnonzero(places >= 0)
            if not len(inner):
                break
            windings, of, nodes = windings.taken(inner), of[inner], places[inner]
            halves = windings.split(self.normals[nodes], self.dists[nodes], near)
            along = np.einsum("ij,ij->i", normals[of[halves.on]], self.normals[nodes[halves.on]]) > 0
            children = self.children[nodes]
            windings = joined([halves.front, halves.back, windings.taken(halves.on)])
            places = np.concatenate(
                [
                    children[halves.of_front, 0],
                    children[halves.of_back, 1],
                    children[halves.on, (along == behind).astype(np.int64)],
                ]
            )
            of = of[np.concatenate([halves.of_front, halves.of_back, halves.on])]
        if not done:
            return windings, of, of
        pieces, whose, leafs = zip(*done, strict=True)
        return joined(list(pieces)), np.concatenate(whose), np.concatenate(leafs)

    def windings(self) -> tuple[Windings, Ints]:
        """The polygons in which the nodes' planes go through the nodes' own space, and which node each is of."""
        parents, sides = np.full(len(self.dists), -1), np.zeros(len(self.dists), np.int64)
        for side in (0, 1):
            inner = np.flatnonzero(self.children[:, side] >= 0)
            parents[self.children[inner, side]] = inner
            sides[self.children[inner, side]] = side
        of = np.arange(len(self.dists))
        windings, at = squares(self.normals, self.dists, 4 * float(np.abs(self.dists).max()) + MARGIN), of
        done: list[tuple[Windings, Ints]] = []
        while len(of):
            up, side = parents[at], sides[at]
            ended = np.flatnonzero(up < 0)
            if len(ended):
                done.append((windings.taken(ended), of[ended]))
            left = np.flatnonzero(up >= 0)
            windings, of, at, side = windings.taken(left), of[left], up[left], side[left]
            if not len(left):
                break
            turn = np.where(side == 0, 1.0, -1.0)
            halves = windings.split(self.normals[at] * turn[:, None], self.dists[at] * turn, _FINE)
            windings, of, at = halves.front, of[halves.of_front], at[halves.of_front]
        return joined([part for part, _ in done]), np.concatenate([part for _, part in done])


@dataclass(frozen=True, slots=True)
class Portals:
    """The polygons between leafs, p of them; two leafs may have several."""

    windings: Windings
    leafs: Ints
    """int64[p, 2], before and behind each."""

    def taken(self, which: Ints) -> Portals:
        """Those with the numbers int64[k]."""
        return Portals(self.windings.taken(which), self.leafs[which])


def portals(tree: SolidTree) -> Portals:
    """All polygons in which two leafs of a tree touch."""
    windings, node = tree.windings()
    windings, of, before = tree.border(windings, tree.normals[node], tree.children[node, 0], near=_FINE)
    node = node[of]
    windings, of, behind = tree.border(windings, tree.normals[node], tree.children[node, 1], True, _FINE)
    leafs = np.column_stack([before[of], behind])
    return Portals(windings, leafs).taken(np.flatnonzero(leafs[:, 0] != leafs[:, 1]))


@dataclass(frozen=True, slots=True)
class Brushes:
    """b convex brushes as polyhedra."""

    normals: Floats
    """float64[f, 3], of the planes of their sides, one brush's after another's."""
    dists: Floats
    """float64[f], of these."""
    first_side: Ints
    """int64[b + 1]."""
    polygons: convex.Polygons
    """Those of the sides."""

    def __len__(self) -> int:
        return len(self.first_side) - 1

    def sides(self, brushes: Bools) -> tuple[Windings, Ints]:
        """The polygons of those brushes' sides that have any, and the number of each side. brushes: bool[b]."""
        polygons = self.polygons
        whole = Windings(polygons.positions[polygons.corners], polygons.first_corner)
        of_side = ranges.owners(np.diff(self.first_side))
        sides = np.flatnonzero(brushes[of_side] & (whole.sizes >= 3))
        return whole.taken(sides), sides

    def boxes(self) -> tuple[Floats, Floats]:
        """The boxes around them, float64[b, 3] each; those of brushes without vertices are inside out."""
        low, high = np.full((len(self), 3), np.inf), np.full((len(self), 3), -np.inf)
        first = self.polygons.first_vertex
        there = np.flatnonzero(np.diff(first) > 0)
        if len(there):
            low[there] = np.minimum.reduceat(self.polygons.positions, first[there], axis=0)
            high[there] = np.maximum.reduceat(self.polygons.positions, first[there], axis=0)
        return low, high


def brushes(normals: Floats, dists: Floats, counts: npt.ArrayLike) -> Brushes:
    """Brushes of planes as :func:`convex.from_planes` takes them."""
    sides = np.asarray(counts, np.int64)
    return Brushes(normals, dists, ranges.starts(sides), convex.from_planes(normals, dists, sides))


@Stepwise
def build(of: Brushes, solid: Bools | None = None) -> Steps[SolidTree]:
    """The tree of brushes. solid: bool[b], which of them fill space, all if None.

    Brushes that aren't closed fill none. Raises FormatError for brushes that cross each other without end.
    """
    filling = of.polygons.closed if solid is None else of.polygons.closed & solid
    faces, sides = of.sides(filling)
    kept = np.flatnonzero(~(yield from _covered(of, filling, faces, sides)))
    growing = _Growing(*_box(faces))
    if len(kept):
        yield from growing.grow(faces.taken(kept), of.normals[sides[kept]], of.dists[sides[kept]])
    tree = growing.tree()
    return replace(tree, solid=(yield from _solid(tree, of, filling)))


def _box(faces: Windings) -> tuple[Floats, Floats]:
    """The box around faces, and a margin."""
    if not len(faces):
        return np.full(3, -MARGIN), np.full(3, MARGIN)
    return faces.points.min(axis=0) - MARGIN, faces.points.max(axis=0) + MARGIN


class _Growing:
    """A tree that is being made: six nodes that part it from OUTSIDE, then those of the faces."""

    def __init__(self, low: Floats, high: Floats) -> None:
        box = np.concatenate([np.eye(3), -np.eye(3)])
        self.normals = [box]
        self.dists = [np.concatenate([high, -low])]
        self.children = [np.column_stack([np.full(6, -1 - OUTSIDE), [1, 2, 3, 4, 5, -2]])]
        self.nodes, self.leafs = 6, 2

    def tree(self) -> SolidTree:
        """The tree as it is, all leafs empty."""
        return SolidTree(
            np.concatenate(self.normals),
            np.concatenate(self.dists),
            np.concatenate(self.children),
            np.zeros(self.leafs, np.bool_),
        )

    def grow(self, windings: Windings, normals: Floats, dists: Floats) -> Steps[None]:
        """Cut all within the box until no face goes through a leaf."""
        normals, dists, plane = distinct_planes(normals, dists)
        owner = np.zeros(len(windings), np.int64)  # the node of this depth that a face is in, faces in order of these
        self.children[0][5, 1], self.leafs = self.nodes, 1
        while len(windings):
            if self.nodes + len(windings) > MOST:
                raise FormatError(f"brushes cross each other more than {MOST} times", "the level's brushes")
            count = int(owner[-1]) + 1
            chosen = _chosen(windings, plane, owner, normals, dists)
            left = np.flatnonzero(plane != chosen[owner])
            windings, plane, owner = windings.taken(left), plane[left], owner[left]
            halves = windings.split(normals[chosen[owner]], dists[chosen[owner]], NEAR)
            place = np.concatenate([2 * owner[halves.of_front], 2 * owner[halves.of_back] + 1])
            inner, order = np.unique(place), np.argsort(place, kind="stable")
            self.normals.append(normals[chosen])
            self.dists.append(dists[chosen])
            children = -1 - (self.leafs + np.arange(2 * count))
            children[inner] = 0
            children[children < 0] = -1 - (self.leafs + np.arange(2 * count - len(inner)))
            self.leafs += 2 * count - len(inner)
            self.nodes += count
            children[inner] = self.nodes + np.arange(len(inner))
            self.children.append(children.reshape(-1, 2))
            windings = joined([halves.front, halves.back]).taken(order)
            plane = plane[np.concatenate([halves.of_front, halves.of_back])][order]
            owner = np.searchsorted(inner, place[order])
            yield


def distinct_planes(normals: Floats, dists: Floats) -> tuple[Floats, Floats, Ints]:
    """Planes, each once, whichever way they face: normals float64[n, 3], dists float64[n], and the plane of each that
    was given, int64[k].

    Planes are one that agree to 1e-4 of their normals and to NEAR.
    """
    axis = np.abs(normals).argmax(axis=1)
    turn = np.where(np.take_along_axis(normals, axis[:, None], axis=1)[:, 0] < 0, -1.0, 1.0)
    rows = np.column_stack([np.round(normals * turn[:, None], 4), np.round(dists * turn / NEAR)]) + 0.0
    _, first, of = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return normals[first] * turn[first, None], dists[first] * turn[first], of.reshape(-1)


def _chosen(windings: Windings, plane: Ints, owner: Ints, normals: Floats, dists: Floats) -> Ints:
    """For each node the plane to cut it by, int64[nodes]: many faces in it, few cut by it, as many before as behind.

    Of each node's planes some are tried: those of the largest faces, and others here and there.
    """
    count = int(owner[-1]) + 1
    first = np.searchsorted(owner, np.arange(count + 1))
    faces = np.diff(first)
    tried = np.minimum(faces, _CANDIDATES)
    order = np.lexsort((-windings.areas(), owner))
    turn = ranges.flat(np.zeros(count, np.int64), tried)
    node = ranges.owners(tried)
    spread = np.where(turn < _CANDIDATES // 2, turn, turn * faces[node] // np.maximum(tried[node], 1))
    node, tested = np.unique(np.column_stack([node, plane[order[first[node] + spread]]]), axis=0).T
    low, high = windings.bounds()
    middle, half = (low + high) / 2, (high - low) / 2
    pair = ranges.owners(faces[node])
    face = ranges.flat(first[node], faces[node])
    on = normals[tested]
    heights = np.einsum("ij,ij->i", middle[face], on[pair]) - dists[tested][pair]
    reach = np.einsum("ij,ij->i", half[face], np.abs(on)[pair])
    same = plane[face] == tested[pair]
    before = (heights + reach > NEAR) & ~same
    behind = (heights - reach < -NEAR) & ~same
    begin = ranges.starts(faces[node])[:-1]
    sums = [np.add.reduceat(each.astype(np.int64), begin) for each in (same, before & behind, before, behind)]
    cost = _SPLIT * sums[1] - _FACING * sums[0] + np.abs(sums[2] - sums[3])
    best = np.lexsort((cost, node))
    return np.asarray(tested[best[np.searchsorted(node[best], np.arange(count))]])


# ------------------------------------------------------------------------------------------------------- what is solid


def _covered(of: Brushes, filling: Bools, faces: Windings, sides: Ints) -> Steps[Bools]:
    """bool[faces]: which of the faces lie within another brush that fills space: they bound nothing.

    Of two that face the same way in one plane that of the first brush counts.
    """
    of_side = ranges.owners(np.diff(of.first_side))
    owner = of_side[sides]
    covered = np.zeros(len(faces), np.bool_)
    if not len(faces):
        return covered
    low, high = faces.bounds()
    numbers = np.flatnonzero(filling)
    box_low, box_high = of.boxes()
    for face, which in within_boxes(low, high, box_low[numbers] - NEAR, box_high[numbers] + NEAR):
        brush = numbers[which]
        other = np.flatnonzero(brush != owner[face])
        face, brush = face[other], brush[other]
        inside, shared = _inside(of, faces, face, brush, of.normals[sides])
        covered[face[inside & ~(shared & (brush > owner[face]))]] = True
        yield
    return covered


def _inside(of: Brushes, windings: Windings, winding: Ints, brush: Ints, facing: Floats) -> tuple[Bools, Bools]:
    """Which windings lie within brushes, a pair an entry; and which of them in a side that faces the same way.

    facing: float64[windings, 3].
    """
    counts = np.diff(of.first_side)[brush]
    pair = ranges.owners(counts)
    side = ranges.flat(of.first_side[brush], counts)
    tested = windings.taken(winding[pair])
    heights = np.einsum("ij,ij->i", tested.points, np.repeat(of.normals[side], tested.sizes, axis=0))
    heights -= np.repeat(of.dists[side], tested.sizes)
    if not len(pair):
        return np.zeros(len(brush), np.bool_), np.zeros(len(brush), np.bool_)
    highest = np.maximum.reduceat(heights, tested.first[:-1])
    lowest = np.minimum.reduceat(heights, tested.first[:-1])
    along = np.einsum("ij,ij->i", facing[winding][pair], of.normals[side]) > 0
    begin = ranges.starts(counts)[:-1]
    inside = np.logical_and.reduceat(highest <= NEAR, begin)
    shared = np.logical_or.reduceat((lowest >= -NEAR) & (highest <= NEAR) & along, begin)
    return inside, shared


def within_boxes(low: Floats, high: Floats, box_low: Floats, box_high: Floats) -> list[tuple[Ints, Ints]]:
    """Pairs of things (boxes float64[n, 3]) and boxes (float64[m, 3]) that they lie in, in blocks of int64[k] each.

    Neighbours in space are looked at together: few of the boxes are near all of them.
    """
    found: list[tuple[Ints, Ints]] = []
    if not len(low):
        return found
    middles = (low + high) / 2
    cells = np.floor((middles - middles.min(axis=0)) * (_CELLS / max(np.ptp(middles, axis=0).max(), 1e-9)))
    order = np.lexsort(cells.T)
    for first in range(0, len(order), _TOGETHER):
        things = order[first : first + _TOGETHER]
        lowest, highest = low[things], high[things]
        near = (box_low <= lowest.max(axis=0)) & (box_high >= highest.min(axis=0))
        boxes = np.flatnonzero(near.all(axis=1))
        inside = np.ones((len(things), len(boxes)), np.bool_)
        for axis in range(3):
            inside &= lowest[:, axis, None] >= box_low[boxes, axis]
            inside &= highest[:, axis, None] <= box_high[boxes, axis]
        thing, box = np.nonzero(inside)
        found.append((things[thing], boxes[box]))
    return found


def _solid(tree: SolidTree, of: Brushes, filling: Bools) -> Steps[Bools]:
    """bool[leafs]: those whose middles are in a brush, and those that are so thin that nothing borders on them."""
    count = len(tree.solid)
    middles = leaf_middles(portals(tree), count)
    yield
    there = np.flatnonzero(np.isfinite(middles).all(axis=1))
    made = np.ones(count, np.bool_)
    made[there] = False
    numbers = np.flatnonzero(filling)
    low, high = of.boxes()
    points = middles[there]
    for leaf, which in within_boxes(points, points, low[numbers], high[numbers]):
        made[there[leaf[holds(of, points[leaf], numbers[which])]]] = True
        yield
    made[OUTSIDE] = False
    return made


def holds(of: Brushes, points: Floats, brush: Ints) -> Bools:
    """bool[k]: which points, float64[k, 3], lie in the brushes of the same places, int64[k]."""
    counts = np.diff(of.first_side)[brush]
    pair = ranges.owners(counts)
    side = ranges.flat(of.first_side[brush], counts)
    if not len(pair):
        return np.zeros(len(brush), np.bool_)
    behind = np.einsum("ij,ij->i", points[pair], of.normals[side]) <= of.dists[side]
    return np.asarray(np.logical_and.reduceat(behind, ranges.starts(counts)[:-1]))


def leaf_middles(between: Portals, count: int) -> Floats:
    """A point within each of so many leafs, float64[leafs, 3]; NaN for those that no portal borders on."""
    sizes = between.windings.sizes
    leafs = between.leafs.T.reshape(-1)
    weights = np.bincount(leafs, np.tile(sizes, 2), count)
    sums = np.add.reduceat(between.windings.points, between.windings.first[:-1], axis=0)
    with np.errstate(all="ignore"):
        return np.column_stack([np.bincount(leafs, np.tile(sums[:, i], 2), count) for i in range(3)]) / weights[:, None]
