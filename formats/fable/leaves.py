# SPDX-License-Identifier: GPL-3.0-or-later
"""The leaves of a navigation, by place: which there are, whom they name as neighbours, what ground they cover."""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from ..arrays import Ints, Records
from ..binary import FormatError
from .nodes import Navigation
from .quadtree import DEEPEST, Grid

BLOCKED = -1

Scalar = TypeVar("Scalar", bound=np.generic)
Weights = npt.NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class Leaves:
    """The leaves of a navigation, ordered by place."""

    grid: Grid
    nodes: Records
    numbers: Ints  # of the nodes in the navigation
    places: Ints

    def find(self, wanted: Ints) -> Ints:
        """The number of the leaf that holds each place, int64[n]; -1 for none."""
        return self.grid.find(self.places, self.nodes, wanted)


def leaves_of(navigation: Navigation) -> Leaves:
    """The leaves of a navigation. Raises FormatError if they are not squares of one grid that lie side by side."""
    grid = Grid.of(navigation)
    numbers = np.flatnonzero(navigation.nodes["leaf"] != 0)
    nodes = navigation.nodes[numbers]
    grid.validate(nodes)
    places = grid.places(nodes)
    order = np.argsort(places, kind="stable")
    found = Leaves(grid, nodes[order], numbers[order], places[order])
    if (found.places[:-1] + grid.spans(found.nodes)[:-1] > found.places[1:]).any():
        raise FormatError("leaves lie over each other", "navigation")
    return found


def links(navigation: Navigation, numbers: Ints) -> tuple[Ints, Ints]:
    """Who names whom as neighbour, as places in `numbers`, those of the leaves, in the order of the lists; names of no
    leaf are left out.
    """
    nodes = navigation.nodes
    place = np.full(len(nodes), -1)
    place[numbers] = np.arange(len(numbers))
    by_index = np.argsort(nodes["index"], kind="stable")
    by_index = by_index[nodes["leaf"][by_index] != 0]
    indices = nodes["index"][by_index]
    owners = np.repeat(place, nodes["neighbour_count"])
    if not len(indices):
        return owners[:0], owners[:0]
    at = np.minimum(np.searchsorted(indices, navigation.neighbours), len(indices) - 1)
    found = indices[at] == navigation.neighbours
    return owners[found], place[by_index[at[found]]]


def paint(grid: Grid, leaves: Records) -> Weights:
    """What leaves, NODE [n], weigh on each smallest square: int16[rows, columns], BLOCKED where there are none."""
    values: Weights = np.full((grid.rows, grid.columns), BLOCKED, np.int16)
    for level in range(DEEPEST + 1):
        if level:
            values = finer(values, 2)
        those = leaves[leaves["level"] == level]
        x, y, _ = grid.squares(those)
        shift = DEEPEST - level
        values[y >> shift, x >> shift] = those["preference"]
    return values


def finer(values: npt.NDArray[Scalar], times: int) -> npt.NDArray[Scalar]:
    """Repeat each square [rows, columns] so many times along both sides."""
    return values.repeat(times, axis=0).repeat(times, axis=1)


def crossings(navigation: Navigation) -> Ints:
    """Pairs [n, 2] of numbers of nodes: leaves that name leaves of other layers as neighbours, both ways round."""
    numbers = np.flatnonzero(navigation.nodes["leaf"] != 0)
    pairs = numbers[np.stack(links(navigation, numbers), axis=1)]
    layers = navigation.nodes["layer"][pairs]
    found: Ints = pairs[layers[:, 0] != layers[:, 1]]
    return found
