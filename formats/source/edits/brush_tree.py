# SPDX-License-Identifier: GPL-3.0-or-later
"""The BSP tree of a brush model: nodes that part its pieces, leafs that each are all within or all without them.

The compiler's rules: the plane of a side that parts the fewest pieces, with axial ones before others; nodes and leafs
are numbered the front first. Around the model is a box of 8 units more.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ... import convex
from ...arrays import Floats, Ints
from ...binary import FormatError
from .brush_pieces import WHAT, Piece

MARGIN = 8.0
"""Units between a model and the end of its leafs."""
ON = 0.02
"""Units that points may lie off a plane and count as on it."""
_ALIKE = 1e-5  # between the numbers of normals of one plane
_MOST_NODES = 8192
_MOST_WALLS = 64
"""Planes that a node's box is exact for. Below more of them, boxes are those of what their parent's box holds: time
goes with the cube of the planes, and of a sphere each side is a node below all others.
"""


@dataclass(slots=True, eq=False)
class Tree:
    """Nodes, parents first, and leafs, as they are numbered in a model."""

    planes: list[Floats] = field(default_factory=list)
    """float64[4] of each node: normal and dist."""
    children: list[list[int]] = field(default_factory=list)
    """Its nodes are numbered from 0 on, -1 - leaf."""
    boxes: list[Floats] = field(default_factory=list)
    """float64[2, 3] of each node."""
    leaf_boxes: list[Floats] = field(default_factory=list)
    """float64[2, 3] of each leaf."""
    pieces: list[list[int]] = field(default_factory=list)
    """Of each leaf, those that it is in."""

    def of_polygon(self, points: Floats, normal: Floats) -> tuple[int, list[int]]:
        """The node on whose plane a polygon float64[n, 3] lies (the first one, else the first of all), and the empty
        leafs that it faces.
        """
        stack, leafs, on = [0], [], -1
        while stack:
            number = stack.pop()
            if number < 0:
                if not self.pieces[-1 - number]:
                    leafs.append(-1 - number)
                continue
            plane = self.planes[number]
            heights = points @ plane[:3] - plane[3]
            front, back = bool(heights.max() > ON), bool(heights.min() < -ON)
            if not front and not back:
                front = bool(normal @ plane[:3] > 0)
                back = not front
                on = number if on < 0 else on
            stack += [self.children[number][side] for side, goes in ((1, back), (0, front)) if goes]
        return max(on, 0), leafs


@dataclass(frozen=True, slots=True, eq=False)
class _Fragment:
    """A part of a piece."""

    piece: int
    planes: Floats
    """float64[k, 4]."""
    side: Ints
    """int64[k], which side of the piece each is; -1: a cut."""
    used: Ints
    """int64[k], 1 for those of which a node is above."""
    corners: Floats
    """float64[n, 3]."""


@dataclass(slots=True, eq=False)
class _Cell:
    """A node to be or, without a plane, a leaf."""

    fragments: list[_Fragment]
    region: Floats
    """float64[k, 4], the planes that it lies between."""
    box: Floats
    plane: Floats | None = None
    """float64[4]; None: it is a leaf."""
    children: "tuple[_Cell, ...]" = ()
    """What is in front of its plane, and behind it."""


def build(pieces: Sequence[Piece], polygons: convex.Polygons) -> Tree:
    """The tree of pieces; polygons: theirs, by whose sides it parts. Raises FormatError where it becomes too large."""
    outside = np.array([polygons.positions.min(axis=0) - MARGIN, polygons.positions.max(axis=0) + MARGIN])
    unseen = (np.diff(polygons.first_corner) < 3).astype(np.int64)
    starts = np.cumsum([0, *(len(piece.dists) for piece in pieces)])
    whole = [
        _Fragment(
            number,
            np.column_stack([piece.normals, piece.dists]),
            np.arange(len(piece.dists)),
            unseen[starts[number] : starts[number + 1]],
            polygons.positions[polygons.first_vertex[number] : polygons.first_vertex[number + 1]],
        )
        for number, piece in enumerate(pieces)
    ]
    root = _Cell(whole, _walls(outside), outside)
    cells, nodes = [root], 0
    while cells:  # all that are as far from the root in one go
        _bound(cells)
        for cell in cells:
            cell.plane = plane = _best(cell.fragments)
            if plane is not None:
                region = cell.region if len(cell.region) < _MOST_WALLS else _walls(cell.box)
                cell.children = tuple(
                    _Cell(part, np.concatenate([region, [facing]]), outside)
                    for part, facing in zip(_parted(cell.fragments, plane), (-plane, plane), strict=True)
                )
        nodes += sum(bool(cell.children) for cell in cells)
        if nodes > _MOST_NODES:
            raise FormatError(f"its tree has more than {_MOST_NODES} nodes", WHAT)
        cells = [child for cell in cells for child in cell.children]
    return _numbered(root)


def _walls(box: Floats) -> Floats:
    """The planes float64[6, 4] of a box float64[2, 3]."""
    return np.concatenate([np.hstack([-np.eye(3), -box[:1].T]), np.hstack([np.eye(3), box[1:].T])])


def _numbered(root: _Cell) -> Tree:
    """Nodes and leafs in the compiler's order: from the root, what is in front first."""
    tree = Tree()
    stack = [(root, -1, 0)]
    while stack:
        cell, parent, side = stack.pop()
        if cell.plane is None:
            number = -1 - len(tree.pieces)
            tree.pieces.append(sorted({fragment.piece for fragment in cell.fragments}))
            tree.leaf_boxes.append(cell.box)
        else:
            number = len(tree.planes)
            tree.planes.append(cell.plane)
            tree.children.append([0, 0])
            tree.boxes.append(cell.box)
            stack += [(cell.children[place], number, place) for place in (1, 0)]
        if parent >= 0:
            tree.children[parent][side] = number
    return tree


def _bound(cells: Sequence[_Cell]) -> None:
    """Give cells their boxes; of nothing, where rounding leaves none, a point's."""
    planes = np.concatenate([cell.region for cell in cells])
    found = convex.from_planes(planes[:, :3], planes[:, 3], [len(cell.region) for cell in cells])
    for number, cell in enumerate(cells):
        points = found.positions[found.first_vertex[number] : found.first_vertex[number + 1]]
        cell.box = np.array([points.min(axis=0), points.max(axis=0)]) if len(points) else np.zeros((2, 3))


def _best(fragments: Sequence[_Fragment]) -> Floats | None:
    """The plane float64[4] that a node should have; None where no side is left that a node isn't on."""
    options = [fragment.planes[(fragment.side >= 0) & (fragment.used == 0)] for fragment in fragments]
    if not any(map(len, options)):
        return None
    planes = np.concatenate(options)
    lows, highs = [], []
    for fragment in fragments:
        heights = fragment.corners @ planes[:, :3].T - planes[:, 3]
        lows.append(heights.min(axis=0, initial=np.inf))
        highs.append(heights.max(axis=0, initial=-np.inf))
    front, back = np.array(highs) > ON, np.array(lows) < -ON
    splits = (front & back).sum(axis=0)
    facing = (~front & (np.array(highs) > -ON)).sum(axis=0)
    axial = (np.abs(planes[:, :3]) == 1).any(axis=1)
    value = 5 * facing - 5 * splits - np.abs(front.sum(axis=0) - back.sum(axis=0)) + 5 * axial
    chosen = planes[int(value.argmax())]
    return np.asarray(chosen if _looks_ahead(chosen[:3]) else -chosen)


def _looks_ahead(normal: Floats) -> bool:
    """Whether a node's plane is this one of a pair: of axial ones, those along the axis."""
    return bool((np.abs(normal) != 1).all() or normal.sum() > 0)


def _parted(fragments: Sequence[_Fragment], plane: Floats) -> tuple[list[_Fragment], list[_Fragment]]:
    """What of fragments lies in front of and behind a plane."""
    front: list[_Fragment] = []
    back: list[_Fragment] = []
    for fragment in fragments:
        heights = fragment.corners @ plane[:3] - plane[3]
        same = np.zeros(len(fragment.planes), np.bool_)
        for facing in (plane, -plane):
            away = np.abs(fragment.planes - facing)
            same |= (away[:, :3].max(axis=1) <= _ALIKE) & (away[:, 3] <= ON)
        marked = replace(fragment, used=fragment.used | same)
        high, low = heights.max(initial=-np.inf), heights.min(initial=np.inf)
        if high > ON:
            front.append(marked if low >= -ON else _cut(marked, -plane))
        if low < -ON:
            back.append(marked if high <= ON else _cut(marked, plane))
    return front, back


def _cut(fragment: _Fragment, plane: Floats) -> _Fragment:
    """What of a fragment lies behind a plane, without the sides that this cuts off."""
    planes = np.concatenate([fragment.planes, [plane]])
    found = convex.from_planes(planes[:, :3], planes[:, 3], [len(planes)])
    kept = np.diff(found.first_corner) > 2
    kept[-1] = True
    side, used = np.append(fragment.side, -1), np.append(fragment.used, 1)
    if not found.closed[0]:
        kept[:] = True
    return _Fragment(fragment.piece, planes[kept], side[kept], used[kept], found.positions)
