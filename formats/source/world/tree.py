# SPDX-License-Identifier: GPL-3.0-or-later
"""The tree of the world while it is cut: nodes, and the leafs at their ends, as links that may change (source.md §2.5).

A link is a node and one of its sides, 0 in front and 1 behind; (-1, 0) is the way to the root.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...arrays import Floats, Ints
from ...binary import FormatError
from ..edits.changes import Changes
from ..lumps import LumpId, lump_name
from . import cells
from .cells import ON, Cell

Link = tuple[int, int]
ROOT: Link = (-1, 0)


class WorldTree:
    """The tree of model 0. planenums: the plane of each node, always the even one of its pair. leafs: how many there
    are, those of other models too; `split` makes more. links: the way to each leaf; shared: leafs that several lead to.

    Raises FormatError for nodes, planes and leafs that aren't there, and for a tree that runs in circles.
    """

    def __init__(self, changes: Changes) -> None:
        nodes, planes = changes.table(LumpId.NODES), changes.table(LumpId.PLANES)
        numbers, children = nodes["planenum"].astype(np.int64), nodes["children"].astype(np.int64)
        self.leafs = len(changes.table(LumpId.LEAFS))
        self.root = int(changes.table(LumpId.MODELS)["headnode"][0])
        what = lump_name(LumpId.NODES)
        if len(numbers) and not 0 <= numbers.min() <= numbers.max() < len(planes):
            raise FormatError(f"a plane of {len(planes)} isn't there", what)
        if (children >= len(nodes)).any() or (children < -self.leafs).any() or not 0 <= self.root < len(nodes):
            raise FormatError(f"a child of {len(nodes)} nodes and {self.leafs} leafs isn't there", what)
        self.planes: list[Floats] = list(_rows(planes["normal"][numbers], planes["dist"][numbers]))
        self.planenums: list[int] = numbers.tolist()
        self.children: list[list[int]] = children.tolist()
        self.parents: dict[int, Link] = {}
        self.links: dict[int, Link] = {}
        self.shared: set[int] = set()
        self.boxes: dict[int, Floats] = {}
        self._find_links()

    def _find_links(self) -> None:
        stack = [self.root]
        self.parents[self.root] = ROOT
        while stack:
            node = stack.pop()
            for side, child in enumerate(self.children[node]):
                if child < 0:
                    if -1 - child in self.links:
                        self.shared.add(-1 - child)
                    self.links[-1 - child] = (node, side)
                elif child in self.parents:
                    raise FormatError("runs in circles, or parts of it meet again", lump_name(LumpId.NODES))
                else:
                    self.parents[child] = (node, side)
                    stack.append(child)

    # ------------------------------------------------------------------------------------------------------- looking

    def cell(self, link: Link) -> Cell | None:
        """The space that a link leads to; None where nothing is left of it."""
        found: Cell | None = cells.everything()
        node, side = link
        while node >= 0 and found is not None:
            found = found.behind(self.planes[node] if side else -self.planes[node])
            node, side = self.parents[node]
        return found

    def of_cell(self, cell: Cell) -> Iterator[tuple[Link, int, Cell]]:
        """The parts of a convex cell: the way to a leaf, the leaf, and what of the cell is in it. The tree may be cut
        where the last one was, meanwhile.
        """
        stack: list[tuple[int, Cell]] = [(self.root, cell)]
        while stack:
            node, part = stack.pop()
            plane = self.planes[node]
            low, high = part.span(plane)
            for side, reaches in ((1, low < -ON), (0, high > ON)):
                if not reaches:
                    continue
                whole = high <= ON if side else low >= -ON
                inside = part if whole else part.behind(plane if side else -plane)
                child = self.children[node][side]
                if inside is not None and child >= 0:
                    stack.append((child, inside))
                elif inside is not None:
                    yield (node, side), -1 - child, inside

    def of_polygon(self, points: Floats, normal: Floats) -> list[tuple[int, Floats]]:
        """The parts of a flat convex polygon float64[n, 3]: leafs, and what of it is in each. Where it lies on the
        plane of a node, it counts to the side that its normal looks to.
        """
        stack, found = [(self.root, points)], []
        while stack:
            node, ring = stack.pop()
            if node < 0:
                found.append((-1 - node, ring))
                continue
            plane = self.planes[node]
            heights = ring @ plane[:3] - plane[3]
            front, back = bool(heights.max() > ON), bool(heights.min() < -ON)
            if not front and not back:
                front = bool(normal @ plane[:3] > 0)
                back = not front
            parts = ((0, front, -plane, back), (1, back, plane, front))
            for side, goes, facing, cut in parts:
                part = cells.clipped(ring, facing) if goes and cut else ring
                if goes and len(part) > 2:
                    stack.append((self.children[node][side], part))
        return found

    def of_points(self, points: Floats) -> Ints:
        """The leaf of each of float64[n, 3] points: int64[n]; on a plane counts as in front."""
        planes, children = np.array(self.planes), np.array(self.children, np.int64)
        found = np.full(len(points), self.root, np.int64)
        while (found >= 0).any():
            inner = np.flatnonzero(found >= 0)
            plane = planes[found[inner]]
            heights = np.einsum("ni,ni->n", plane[:, :3], points[inner]) - plane[:, 3]
            found[inner] = children[found[inner], (heights < 0).astype(np.int64)]
        return -1 - found

    # ------------------------------------------------------------------------------------------------------- cutting

    def split(self, link: Link, planenum: int, plane: Floats, box: Floats) -> Link:
        """Put a node where a link leads to a leaf: the plane float64[4] of a row of PLANES. The leaf is behind that
        plane then, and a new one in front. Returns the link to the leaf behind.

        box: float64[2, 3], of the node.
        """
        node, turned = len(self.children), planenum & 1
        leaf = -1 - self.child(link)
        self.planes.append(-plane if turned else plane)
        self.planenums.append(planenum & ~1)
        self.children.append([0, 0])
        self.boxes[node] = box
        self.parents[node] = link
        self._set_child(link, node)
        self.put_leaf((node, turned), self.leafs)
        self.put_leaf((node, 1 - turned), leaf)
        self.leafs += 1
        return node, 1 - turned

    def put_leaf(self, link: Link, leaf: int) -> None:
        """Have a link lead to a leaf."""
        self._set_child(link, -1 - leaf)
        self.links[leaf] = link

    def child(self, link: Link) -> int:
        """Where a link leads: a node, or -1 - leaf."""
        return self.root if link[0] < 0 else self.children[link[0]][link[1]]

    def _set_child(self, link: Link, child: int) -> None:
        if link[0] < 0:
            self.root = child
        else:
            self.children[link[0]][link[1]] = child


def _rows(normals: Floats, dists: Floats) -> Floats:
    return np.column_stack([normals.astype(np.float64), dists.astype(np.float64)])
