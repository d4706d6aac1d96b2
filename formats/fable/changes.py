# SPDX-License-Identifier: GPL-3.0-or-later
"""What became of a layer of navigation: for reports, above all of what ground alone does not tell."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import Records
from ..counting import number_of
from .leaves import BLOCKED, Weights, leaves_of, links, paint
from .navigation import cover
from .nodes import Navigation
from .quadtree import QUARTERS

GAINED, LOST, COST = 0, 1, 2
"""What became of ground (`different`): it can be walked on now, or no more, or it costs other."""


@dataclass(frozen=True, slots=True)
class NavigationChanges:
    """How a layer differs from what it was; areas in square units."""

    gained: float  # ground that can be walked on now
    lost: float
    outlines: int  # unit squares that were cut by something, as by an object's outline, and are whole now
    doors: int  # leaves of doors that are gone
    links: int  # from and to other layers that are gone
    cost: float = 0.0  # ground that costs other than it did

    def lines(self) -> Iterator[str]:
        """One sentence for each kind of change that there is."""
        for area, text in (
            (self.gained, "can be walked on now"),
            (self.lost, "cannot be walked on any more"),
            (self.cost, "cost other than before"),
        ):
            if area:
                yield f"{area:g} square units of ground {text}"
        if self.outlines:
            cut = number_of(self.outlines, "squares")
            yield f"{cut} cut, as by outlines of objects, and whole now: the ground does not show cuts"
        if self.doors:
            yield f"gone: {number_of(self.doors, 'squares')} of doors"
        if self.links:
            yield f"gone: {number_of(self.links, 'links')} between layers"


def changes(before: Navigation, after: Navigation, layer: int) -> NavigationChanges:
    """Compare a layer with what it was, on a map of the same size. Raises FormatError."""
    grounds, costs, cuts, doors, crossings = [], [], [], [], []
    for navigation in (before, after):
        leaves = leaves_of(navigation)
        own = leaves.nodes["layer"] == layer
        weight = paint(leaves.grid, leaves.nodes[own])
        ground = weight != BLOCKED
        costs.append(weight)
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
        cost=int(np.count_nonzero(grounds[0] & grounds[1] & (costs[0] != costs[1]))) / square,
    )


def different(before: Navigation | None, after: Navigation, layer: int) -> Records:
    """What became of a layer, as squares: leaves, NODE [n], whose `preference` is GAINED, LOST or COST.

    before: None where there was none. Raises FormatError.
    """
    now = _weights(after, layer)
    was: Weights = np.full_like(now, BLOCKED) if before is None else _weights(before, layer)
    what: Weights = np.full_like(now, BLOCKED)
    what[(was != now) & (was != BLOCKED) & (now != BLOCKED)] = COST
    what[(was == BLOCKED) & (now != BLOCKED)] = GAINED
    what[(was != BLOCKED) & (now == BLOCKED)] = LOST
    return cover(what, layer)


def _weights(navigation: Navigation, layer: int) -> Weights:
    leaves = leaves_of(navigation)
    return paint(leaves.grid, leaves.nodes[leaves.nodes["layer"] == layer])
