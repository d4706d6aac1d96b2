# SPDX-License-Identifier: GPL-3.0-or-later
"""Brushes taken out of the solid leafs of the world: what opens, and what it opens to (source.md §4.2).

In what opens, each brush that is left becomes solid leafs again, so that solid leafs are all that hides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats, Ints
from . import cells
from .brush_cells import BrushCells
from .cells import ON, Cell
from .tree import Link, WorldTree

_LEAST = 0.05  # square units that two leafs touch in, at least
_SHORT = 0.25
"""Units that a brush may come short of what it covers: compilers take sides that are so near to each other for one, so
that leafs may be solid a little further than brushes are.
"""

Number = Callable[[int], int]


@dataclass(frozen=True, slots=True, eq=False)
class Opening:
    """Leafs that opened and touch one another."""

    leafs: list[int]
    by: list[int]
    """The brushes that were there."""
    touching: dict[int, float]
    """The leafs of before that it opens to, and how many square units of each."""
    void: bool
    """Whether it opens to where no brush is."""


class Openings:
    """The leafs of a tree that open. solid: bool[leafs], of before. brushes: those that are left, and the new ones.

    opened: the space of each leaf that opened. source: of each leaf that is new, which it was cut from. also: brushes
    that solid leafs were made of, where it opened. boxes: of each leaf that was cut or is new.
    """

    def __init__(self, tree: WorldTree, solid: Bools, brushes: BrushCells) -> None:
        self.tree, self.brushes = tree, brushes
        self._solid = solid
        self._nodes = len(tree.children)
        self.opened: dict[int, Cell] = {}
        self.source: dict[int, int] = {}
        self.also: dict[int, set[int]] = {}
        self.boxes: dict[int, Floats] = {}
        self._by: dict[int, set[int]] = {}
        self._touching: dict[int, dict[int, float]] = {}
        self._joined: dict[int, set[int]] = {}
        self._void: set[int] = set()

    def is_solid(self, leaf: int) -> bool:
        """Whether a leaf is."""
        return leaf not in self.opened and bool(self._solid[self.source.get(leaf, leaf)])

    # ------------------------------------------------------------------------------------------------------- cutting

    def take_out(self, number: int, cell: Cell, planes: Floats, planenums: Ints, detail: bool) -> None:
        """Open the solid leafs that a brush was in, as far as it was there and none of the others covers that.

        detail: whether it was a detail. Leafs are solid without these, but for those that were filled with just it.
        """
        for link, leaf, part in self.tree.of_cell(cell):
            if leaf in self.opened:
                self._by[leaf].add(number)
            elif self.is_solid(leaf) and not self._is_covered(part):
                space = self.tree.cell(link)
                if space is not None and not (detail and not cell.contains(space.corners, _SHORT).all()):
                    self._open(number, link, leaf, space, planes, planenums)

    def _is_covered(self, part: Cell) -> bool:
        corners = part.corners
        near = self.brushes.solid(self.brushes.near(part.box).tolist())
        return any((corners @ planes[:, :3].T - planes[:, 3]).max() <= _SHORT for planes in self._planes_of(near))

    def _planes_of(self, numbers: Iterable[int]) -> list[Floats]:
        return [self.brushes.planes(number)[0] for number in numbers]

    def _open(self, number: int, link: Link, leaf: int, cell: Cell, planes: Floats, planenums: Ints) -> None:
        if leaf == 0 or leaf in self.tree.shared:  # other links lead there, too
            own = self.tree.leafs
            self.tree.leafs += 1
            self.source[own] = leaf
            self.tree.put_leaf(link, own)
            leaf = own
        inner, _ = self._cut(link, leaf, cell, planes, planenums, ON)
        if inner is not None:
            self.opened[leaf] = inner
            self._by[leaf] = {number}

    def _cut(
        self, link: Link, leaf: int, cell: Cell, planes: Floats, planenums: Ints, least: float
    ) -> tuple[Cell | None, list[tuple[int, Cell]]]:
        """Cut a leaf's cell by the planes of a brush: what is inside, which stays the leaf, and new leafs outside, each
        of `least` units at least.
        """
        inner: Cell | None = cell
        outside: list[tuple[int, Cell]] = []
        for plane, planenum in zip(planes, planenums.tolist(), strict=True):
            low, high = (0.0, 0.0) if inner is None else inner.span(plane)
            front = inner.behind(-plane) if inner is not None and high > least and low < -ON else None
            behind = None if inner is None or front is None else inner.behind(plane)
            if inner is None or front is None or behind is None:
                continue
            new = self.tree.leafs
            link = self.tree.split(link, planenum, plane, inner.box)
            self.source[new] = self.source.get(leaf, leaf)
            self.boxes[new] = front.box
            outside.append((new, front))
            inner = behind
        if inner is not None:
            self.boxes[leaf] = inner.box
        return inner, outside

    def fill(self) -> None:
        """Make solid leafs of the solid brushes that there are, where it opened."""
        for leaf in list(self.opened):
            near = self.brushes.near(self.opened[leaf].box).tolist()
            open_parts = [leaf]
            for number in self.brushes.solid(near):
                planes, planenums = self.brushes.planes(number)
                open_parts = [part for each in open_parts for part in self._fill(each, number, planes, planenums)]

    def _fill(self, leaf: int, number: int, planes: Floats, planenums: Ints) -> list[int]:
        """Take a brush out of a leaf that opened; the leafs that stay open."""
        cell, by = self.opened[leaf], self._by[leaf]
        if cell.within(planes) is None:
            return [leaf]
        _, outside = self._cut(self.tree.links[leaf], leaf, cell, planes, planenums, _SHORT)
        del self.opened[leaf]
        self.also.setdefault(leaf, set()).add(number)
        for new, front in outside:
            self.opened[new], self._by[new] = front, set(by)
        return [new for new, _ in outside]

    # ------------------------------------------------------------------------------------------------------ touching

    def found(self) -> list[Opening]:
        """What opened, in parts that touch one another. Parts that open to nothing become solid again."""
        for leaf, cell in self.opened.items():
            self._look(leaf, cell)
        made, seen = [], set()
        for leaf in list(self.opened):
            if leaf in seen:
                continue
            members, stack = [leaf], [leaf]
            seen.add(leaf)
            while stack:
                more = [other for other in self._joined[stack.pop()] if other not in seen]
                seen.update(more)
                members += more
                stack += more
            opening = self._opening(members)
            if opening.touching:
                made.append(opening)
            else:
                for each in members:
                    del self.opened[each]
        self._collapse()
        return made

    def _opening(self, members: list[int]) -> Opening:
        touching: dict[int, float] = {}
        for leaf in members:
            for other, size in self._touching[leaf].items():
                touching[other] = touching.get(other, 0.0) + size
        by = sorted(set().union(*(self._by[leaf] for leaf in members)))
        return Opening(sorted(members), by, touching, any(leaf in self._void for leaf in members))

    def _look(self, leaf: int, cell: Cell) -> None:
        """Find what an open leaf touches."""
        self._touching[leaf], near = {}, self._joined.setdefault(leaf, set())
        for plane, ring in zip(cell.planes, cell.rings, strict=True):
            for other, part in self.tree.of_polygon(ring, plane[:3]):
                size = cells.area(part)
                if size <= _LEAST or other == leaf:
                    continue
                if other in self.opened:
                    near.add(other)
                    self._joined.setdefault(other, set()).add(leaf)
                elif not self.is_solid(other):
                    self._touching[leaf][other] = self._touching[leaf].get(other, 0.0) + size
                elif leaf not in self._void and uncovered(part, self.brushes, margin=_SHORT):
                    self._void.add(leaf)

    def like(self, opening: Opening, clusters: Ints) -> dict[int, int]:
        """For each leaf of an opening the leaf of before that it should be like: the one that it touches most, with a
        cluster if any has one; of those that touch none, that of the next.
        """
        best = {}
        for leaf in opening.leafs:
            sizes = self._touching[leaf]
            if sizes:
                best[leaf] = max(sizes, key=lambda other: (clusters[other] >= 0, sizes[other]))
        if not any(clusters[other] >= 0 for other in best.values()):
            most = max(opening.touching, key=lambda other: (clusters[other] >= 0, opening.touching[other]))
            best = dict.fromkeys(best, most)
        front = list(best)
        while front:
            leaf = front.pop(0)
            for other in sorted(self._joined[leaf]):
                if other not in best:
                    best[other] = best[leaf]
                    front.append(other)
        return best

    # ----------------------------------------------------------------------------------------------------- collapsing

    def _collapse(self) -> None:
        """Have leafs that are cut apart and all solid be one again."""
        tree = self.tree
        for node in range(len(tree.children) - 1, self._nodes - 1, -1):
            leafs = [-1 - child for child in tree.children[node]]
            if min(leafs) < 0 or not all(self.is_solid(leaf) for leaf in leafs):
                continue
            kept, gone = min(leafs), max(leafs)
            tree.put_leaf(tree.parents[node], kept)
            self.boxes[kept] = np.array(
                [
                    np.minimum(self.boxes[kept][0], self.boxes[gone][0]),
                    np.maximum(self.boxes[kept][1], self.boxes[gone][1]),
                ]
            )
            self.also[kept] = self.also.get(kept, set()) | self.also.pop(gone, set())
            del self.source[gone], tree.links[gone]
            tree.children[node] = []
        for leaf in [leaf for leaf in self.boxes if leaf in tree.links and self.is_solid(leaf)]:
            if tree.links[leaf][0] < self._nodes:  # it is what it was
                del self.boxes[leaf]
                self.also.pop(leaf, None)
                if leaf in self.source:
                    tree.put_leaf(tree.links.pop(leaf), self.source.pop(leaf))

    def numbered(self, count: int) -> tuple[Mapping[int, int], Mapping[int, int]]:
        """The numbers that new leafs and nodes get: they follow the `count` leafs of before, and the nodes."""
        new = sorted(leaf for leaf in self.tree.links if leaf >= count)
        nodes = [node for node in range(self._nodes, len(self.tree.children)) if self.tree.children[node]]
        return (
            {leaf: count + place for place, leaf in enumerate(new)},
            {node: self._nodes + place for place, node in enumerate(nodes)},
        )


def uncovered(ring: Floats, brushes: BrushCells, but: int = -1, margin: float = 0.0) -> list[Floats]:
    """What of a flat convex polygon lies in none of the solid brushes, these made larger by some units: convex polygons
    float64[n, 3] of some size. ring: float64[n, 3]. but: a brush that doesn't count.
    """
    near = brushes.near(np.array([ring.min(axis=0), ring.max(axis=0)]), margin).tolist()
    parts = [ring]
    for number in brushes.solid(near):
        if number != but:
            planes = brushes.planes(number)[0] + np.array([0, 0, 0, margin])
            parts = [left for part in parts for left in without(part, planes)]
    return [part for part in parts if cells.area(part) > _LEAST]


def without(ring: Floats, planes: Floats) -> list[Floats]:
    """What of a convex polygon lies outside of what is behind all planes float64[k, 4]: convex polygons."""
    heights = ring @ planes[:, :3].T - planes[:, 3]
    if (heights.min(axis=0) >= -ON).any():
        return [ring]
    left, inside = [], ring
    for plane in planes[heights.max(axis=0) > ON]:
        outside = cells.clipped(inside, -plane)
        if len(outside) > 2:
            left.append(outside)
        inside = cells.clipped(inside, plane)
        if len(inside) < 3:
            return [ring]
    return left
