# SPDX-License-Identifier: GPL-3.0-or-later
"""Squares in quadtrees as numbers: where they are, what they touch, how the tree over them is numbered.

A square's place is that of its lower left corner on a curve that runs through the roots (layer by layer, row by row)
and, in each root, through quarters in the order of children: bit 2k of it is of x, bit 2k + 1 of y. Sorting by place
therefore gives the file's order, and what lies in a square are the places from its own to its own + span.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Int32s, Integers, Ints, Records
from ..binary import FormatError
from ..linked import components
from .nodes import Navigation
from .records import NODE, ROOT_EDGE

DEEPEST = 7  # level of the smallest squares: 1/4 unit
QUARTERS = 4  # smallest squares to a unit
_ROOT = 1 << DEEPEST  # smallest squares along a root
_ROOT_BITS = 2 * DEEPEST
_MAX_ROOTS, _MAX_LAYERS = 1 << 12, 256  # of a layer; of a map: what a level could have, and memory has room for


_low = np.arange(_ROOT)
_SPREAD: Ints = sum(((_low >> bit & 1) << (2 * bit) for bit in range(DEEPEST)), np.zeros(_ROOT, np.int64))


@dataclass(frozen=True, slots=True)
class Grid:
    """The roots of a map's quadtrees."""

    columns: int
    rows: int
    layers: int

    @classmethod
    def of(cls, navigation: Navigation) -> "Grid":
        """The grid of a navigation. Raises FormatError if its size is not a multiple of 32."""
        size = [float(navigation.header[name]) for name in ("width", "height")]
        roots = [value / ROOT_EDGE for value in size]
        if not all(0 <= number <= _MAX_ROOTS and number == int(number) for number in roots):
            raise FormatError(f"size {size[0]:g} x {size[1]:g} is not a multiple of {ROOT_EDGE}", "navigation")
        if roots[0] * roots[1] > _MAX_ROOTS or navigation.layer_count > _MAX_LAYERS:
            raise FormatError(
                f"{navigation.layer_count} layers of {size[0]:g} x {size[1]:g} are more than any map has", "navigation"
            )
        return cls(int(roots[0]), int(roots[1]), navigation.layer_count)

    @property
    def width(self) -> int:
        """Of the map in units."""
        return self.columns * ROOT_EDGE

    @property
    def height(self) -> int:
        """Of the map in units."""
        return self.rows * ROOT_EDGE

    def validate(self, nodes: Records) -> None:
        """Raise FormatError unless these nodes, NODE [n], are squares of this grid."""
        edge = ROOT_EDGE * 0.5 ** np.minimum(nodes["level"], DEEPEST).astype(np.float64)
        bad = (nodes["level"] > DEEPEST) | (nodes["layer"] >= self.layers)
        with np.errstate(invalid="ignore"):
            for name, size in (("x", self.width), ("y", self.height)):
                corner = nodes[name].astype(np.float64) / edge - 0.5
                bad |= ~((corner >= 0) & (corner * edge < size) & (corner == np.floor(corner)))
        if bad.any():
            node = nodes[int(bad.argmax())]
            where = f"level {node['level']}, layer {node['layer']} at {node['x']:g}, {node['y']:g}"
            raise FormatError(f"a leaf is not a square of the map's grid: {where}", "navigation")

    def squares(self, nodes: Records) -> tuple[Ints, Ints, Ints]:
        """Lower left corners x and y, and edges, of nodes, NODE [n]: int64[n] each, in smallest squares."""
        edge = (_ROOT >> nodes["level"].astype(np.int64)).astype(np.int64)
        x = (nodes["x"].astype(np.float64) * QUARTERS - edge / 2).astype(np.int64)
        y = (nodes["y"].astype(np.float64) * QUARTERS - edge / 2).astype(np.int64)
        return x, y, edge

    def square(self, node: "np.void") -> tuple[int, int, int]:
        """Lower left corner (x, y) and edge of a node, in smallest squares."""
        x, y, edge = self.squares(np.array([node], NODE))
        return int(x[0]), int(y[0]), int(edge[0])

    def place(self, layer: Integers, x: Ints, y: Ints) -> Ints:
        """Place of each corner, int64[n], -1 outside the map. layer, x, y: [n], in smallest squares."""
        inside = (x >= 0) & (y >= 0) & (x < self.width * QUARTERS) & (y < self.height * QUARTERS)
        root = (layer.astype(np.int64) * self.rows + (y >> DEEPEST)) * self.columns + (x >> DEEPEST)
        low = _SPREAD[x & (_ROOT - 1)] | _SPREAD[y & (_ROOT - 1)] << 1
        return np.where(inside, root << _ROOT_BITS | low, -1)

    def places(self, nodes: Records) -> Ints:
        """Place of each node, NODE [n]: int64[n]."""
        x, y, _ = self.squares(nodes)
        return self.place(nodes["layer"], x, y)

    def spans(self, nodes: Records) -> Ints:
        """How many places lie in each node, NODE [n]: int64[n]."""
        return np.int64(1) << 2 * (DEEPEST - nodes["level"].astype(np.int64))

    def find(self, places: Ints, nodes: Records, wanted: Ints) -> Ints:
        """The number of the node, of some ordered by place, that holds each place wanted, int64[n]; -1 for none."""
        if not len(places):
            return np.full(len(wanted), -1)
        number = np.searchsorted(places, wanted, side="right") - 1
        inside = (number >= 0) & (wanted >= 0) & (wanted < places[number] + self.spans(nodes)[number])
        return np.where(inside, number, -1)


def edges(grid: Grid, places: Ints, leaves: Records) -> Ints:
    """Pairs [n, 2] of leaves of one layer that share an edge, both ways round; `leaves` are ordered by place.

    Of two such leaves the smaller one's whole side lies on the other: the leaf that holds a point beyond the middle of
    each side is looked up, and counts unless it is the smaller one.
    """
    x, y, edge = grid.squares(leaves)
    levels = leaves["level"]
    found = []
    for beyond_x, beyond_y in ((-1, None), (None, -1), (1, None), (None, 1)):
        at_x = x if beyond_x is None else np.where(beyond_x < 0, x - 1, x + edge)
        at_y = y if beyond_y is None else np.where(beyond_y < 0, y - 1, y + edge)
        other = grid.find(places, leaves, grid.place(leaves["layer"], at_x, at_y))
        own = np.flatnonzero((other >= 0) & (levels[other] <= levels))
        found += [np.stack([own, other[own]], axis=1), np.stack([other[own], own], axis=1)]
    return np.concatenate(found)


def regions(leaves: Records, known: Bools, first: Ints, second: Ints) -> Int32s:
    """The region of each leaf: all that can be reached from each other without a door are one, and nothing else is.

    `known`: leaves whose region counts; `first` and `second`: links, both ways round. A part takes the region that most
    of its known leaves have, unless a larger part has it; without one, the first number that is free. Doors keep
    theirs, or follow those that they shared it with.
    """
    door = leaves["switchable"] != 0
    walked = ~door[first] & ~door[second]
    part = components(len(leaves), first[walked], second[walked])
    before = leaves["region"].astype(np.int64)
    after = before.copy()
    claims, sizes = np.unique(np.stack([part, before])[:, ~door & known & (before > 0)], axis=1, return_counts=True)
    taken: dict[int, int] = {}  # region of a part
    follows: dict[int, int] = {}  # what became of a region
    for claim in np.argsort(-sizes, kind="stable").tolist():
        of_part, region = claims[:, claim].tolist()
        if of_part not in taken and region not in follows:
            taken[of_part] = region
        follows.setdefault(region, taken.get(of_part, region))
    used = set(taken.values())
    free = (number for number in range(1, len(leaves) + 2) if number not in used)
    for of_part in np.unique(part[~door]).tolist():
        if of_part not in taken:
            taken[of_part] = next(free)
    numbers = np.zeros(len(leaves), np.int64)
    numbers[list(taken)] = list(taken.values())
    after[~door] = numbers[part[~door]]
    for region, other in follows.items():
        if region != other:
            after[door & (before == region)] = other
    return after.astype(np.int32)


def assemble(grid: Grid, leaves: Records, layers: int) -> tuple[Records, Ints]:
    """All nodes in the file's order, with their indices and children; and the index of each of `leaves`.

    Leaves are ordered by place. Records are in pre-order and indices, from 1 on, in post-order; a blocked root has an
    index of its own, which its record does not tell, and inside a root blocked ground has neither.
    """
    places, levels = grid.places(leaves), leaves["level"].astype(np.int64)
    inner = [
        np.unique(places[levels > level] >> (shift := 2 * (DEEPEST - level))) << shift for level in range(DEEPEST)
    ]  # of each level, what holds a deeper leaf
    inner_levels = np.repeat(np.arange(DEEPEST), [len(part) for part in inner])
    inner_places = np.concatenate(inner)
    roots = np.arange(layers * grid.rows * grid.columns, dtype=np.int64)
    empty = np.setdiff1d(roots, places >> _ROOT_BITS) << _ROOT_BITS
    place = np.concatenate([places, inner_places, empty])
    level = np.concatenate([levels, inner_levels, np.zeros(len(empty), np.int64)])
    keys = place << 3 | level
    order = np.argsort(keys)
    position = np.empty(len(order), np.int64)
    position[order] = np.arange(len(order))
    place, level, keys = place[order], level[order], keys[order]

    nodes = np.zeros(len(order), NODE)
    of_leaves = position[: len(leaves)]
    nodes[of_leaves] = leaves
    of_inner = position[len(leaves) : len(leaves) + len(inner_places)]
    _fill_inner(grid, nodes, of_inner, inner_places, inner_levels)
    blank = position[len(leaves) + len(inner_places) :]
    nodes["root"][blank] = nodes["blocked"][blank] = 1

    index = np.empty(len(order), np.int64)
    index[np.lexsort((-level, place + (np.int64(1) << 2 * (DEEPEST - level))))] = np.arange(1, len(order) + 1)
    nodes["index"] = index
    nodes["index"][blank] = 0
    child = np.flatnonzero(level > 0)
    span = 2 * (DEEPEST - level[child])
    corner = (place[child] >> (span + 2)) << (span + 2)  # the parent's place
    parent = np.searchsorted(keys, (corner << 3) | (level[child] - 1))
    nodes["children"][parent, (place[child] >> span) & 3] = index[child]
    return nodes, index[of_leaves]


def _fill_inner(grid: Grid, nodes: Records, numbers: Ints, places: Ints, levels: Ints) -> None:
    """The fields of internal nodes but for what numbers they name."""
    root, low = places >> _ROOT_BITS, places & (1 << _ROOT_BITS) - 1
    x, y = (sum(((low >> (2 * bit + axis) & 1) << bit for bit in range(DEEPEST)), 0 * low) for axis in (0, 1))
    half = ROOT_EDGE * 0.5 ** (levels + 1.0)
    nodes["root"][numbers] = levels == 0
    nodes["level"][numbers] = levels
    nodes["layer"][numbers] = root // max(grid.rows * grid.columns, 1)
    nodes["x"][numbers] = root % max(grid.columns, 1) * ROOT_EDGE + x / QUARTERS + half
    nodes["y"][numbers] = root // max(grid.columns, 1) % max(grid.rows, 1) * ROOT_EDGE + y / QUARTERS + half
