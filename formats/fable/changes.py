# SPDX-License-Identifier: GPL-3.0-or-later
"""What became of a layer of navigation: for reports, above all of what ground alone does not tell."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .leaves import BLOCKED, leaves_of, links, paint
from .nodes import Navigation
from .quadtree import QUARTERS


@dataclass(frozen=True, slots=True)
class NavigationChanges:
    """How a layer differs from what it was; areas in square units."""

    gained: float  # ground that can be walked on now
    lost: float
    outlines: int  # unit squares that were cut by something, as by an object's outline, and are whole now
    doors: int  # leaves of doors that are gone
    links: int  # from and to other layers that are gone

    def lines(self) -> Iterator[str]:
        """One sentence for each kind of change that there is."""
        for count, text in (
            (self.gained, "{:g} square units of ground can be walked on now"),
            (self.lost, "{:g} square units of ground cannot be walked on any more"),
            (
                self.outlines,
                "{} squares that were cut, as by outlines of objects, are whole now: the ground does not show cuts",
            ),
            (self.doors, "{} squares of doors are gone"),
            (self.links, "{} links between layers are gone"),
        ):
            if count:
                yield text.format(count)


def changes(before: Navigation, after: Navigation, layer: int) -> NavigationChanges:
    """Compare a layer with what it was, on a map of the same size. Raises FormatError."""
    grounds, cuts, doors, crossings = [], [], [], []
    for navigation in (before, after):
        leaves = leaves_of(navigation)
        own = leaves.nodes["layer"] == layer
        ground = paint(leaves.grid, leaves.nodes[own]) != BLOCKED
        rows, columns = ground.shape
        units = ground.reshape(rows // QUARTERS, QUARTERS, columns // QUARTERS, QUARTERS).sum(axis=(1, 3))
        grounds.append(ground)
        cuts.append((units > 0, units == QUARTERS**2))
        doors.append(int(np.count_nonzero(own & (leaves.nodes["switchable"] != 0))))
        first, second = links(navigation, leaves.numbers)
        crossings.append(int(np.count_nonzero(own[first] & ~own[second])))
    square = QUARTERS**2
    return NavigationChanges(
        gained=int(np.count_nonzero(grounds[1] & ~grounds[0])) / square,
        lost=int(np.count_nonzero(grounds[0] & ~grounds[1])) / square,
        outlines=int(np.count_nonzero(cuts[0][0] & ~cuts[0][1] & cuts[1][1])),
        doors=max(doors[0] - doors[1], 0),
        links=max(crossings[0] - crossings[1], 0),
    )
