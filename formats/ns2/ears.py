# SPDX-License-Identifier: GPL-3.0-or-later
"""Ear clipping of many flat polygons at once, as the Spark editor does it (ns2.md §9).

Polygons are rows of padded arrays: `points` float[n, m, 2] counter-clockwise, `sizes` int[n] of their corners, NaN
behind them. Each step cuts one ear off every polygon that has one, or several that are no neighbours; what this changes
is worked out for the ears' neighbours only, so that a polygon of m corners costs m * m.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Indices, Reals

_Edges = list[tuple[Reals, Reals]]  # x and y of the edges of triangles a, b, c: from a to b, b to c, c to a

SMALLEST = 0.001  # square metres: twice the area of the smallest triangle that the editor makes
CELLS = 1 << 19  # of the tables of a batch: bounds its memory


@dataclass(frozen=True, slots=True)
class Rule:
    """Which ears there are and which of them goes first."""

    by_shape: bool = True  # the one whose triangle is most like a right-angled one; else the next one round the list
    smallest: float = SMALLEST  # an ear's doubled area must be greater
    whole: bool = False  # a polygon without an ear left is cut nevertheless
    several: bool = False  # at once: all ears that go before both of their neighbours


def batches(sizes: Indices, dimensions: int = 2) -> Iterator[Indices]:
    """Numbers of polygons in batches, small ones first, for tables of corners by corners that aren't too large.

    Each batch takes as many steps as its largest polygon has corners: the fewer there are, the better. `dimensions`: 1
    for tables of polygons by corners.
    """
    order = np.argsort(sizes, kind="stable")
    ascending = sizes[order]
    first = 0
    while first < len(order):
        cells = np.arange(1, len(order) - first + 1) * ascending[first:] ** dimensions
        end = first + max(int(np.searchsorted(cells, CELLS, side="right")), 1)
        yield order[first:end]
        first = end


def clip(points: Reals, sizes: Indices, rule: Rule) -> tuple[Indices, Indices]:
    """Cut polygons into triangles.

    Returns int[t, 3], numbers of corners within their polygon, in the order in which the editor lists them, and int[t],
    the polygon of each, ascending. Where no ear is left the rest of a polygon stays uncut, as in the editor, unless the
    rule says otherwise.
    """
    if not len(sizes):
        return np.zeros((0, 3), np.intp), np.zeros(0, np.intp)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        return _Clipping(points, sizes, rule).run()


class _Clipping:
    """The state of a batch. Polygons that are done leave it."""

    def __init__(self, points: Reals, sizes: Indices, rule: Rule) -> None:
        count, width = points.shape[:2]
        slots = np.arange(width)
        self.rule = rule
        self.found: list[tuple[Indices, Indices]] = []
        self.owner = np.arange(count)
        self.x, self.y = np.ascontiguousarray(np.moveaxis(points, 2, 0))
        self.left = sizes
        self.head = np.zeros(count, np.intp)  # of the list of corners that are left; going round: where to look first
        self.after = np.where(slots + 1 < sizes[:, None], slots + 1, 0)
        self.before = np.where(slots > 0, slots - 1, sizes[:, None] - 1)
        self.alive = slots < sizes[:, None]
        self.cost = np.full((count, width), np.inf, points.dtype)
        self.blocks = np.zeros((count, width, width), bool)  # [convex corner, corner in its way]
        self.blocked = np.zeros((count, width), np.intp)
        self._finish()
        self._weigh(*np.nonzero(self.alive))

    def run(self) -> tuple[Indices, Indices]:
        while len(self.owner):
            self._step()
        owners = np.concatenate([owner for owner, _ in self.found])
        order = np.argsort(owners, kind="stable")
        return np.concatenate([triangles for _, triangles in self.found])[order], owners[order]

    def _step(self) -> None:
        """Cut ears off each polygon; polygons that have none leave."""
        ear = self._choose()
        rows = np.arange(len(ear))
        if self.rule.several:
            rows, ear = self._and_others(ear)
        last, following = self.before[rows, ear], self.after[rows, ear]
        self.found.append((self.owner[rows], np.stack([last, ear, following], axis=1)))
        self.after[rows, last] = following
        self.before[rows, following] = last
        if self.rule.by_shape:
            first = self.head[rows] == ear
            self.head[rows[first]] = following[first]
        else:
            self.head = self.after[rows, following]
        self.alive[rows, ear] = False
        self.cost[rows, ear] = np.inf
        if self.rule.several:
            self.left = self.alive.sum(axis=1)
            begins = np.flatnonzero(np.diff(rows, prepend=-1))
            self.blocked[rows[begins]] -= np.add.reduceat(self.blocks[rows, :, ear], begins, axis=0, dtype=np.intp)
        else:
            self.left = self.left - 1
            self.blocked -= self.blocks[rows, :, ear]
        self.blocks[rows, :, ear] = False
        changed = np.zeros(self.alive.shape, bool)
        changed[rows, last] = changed[rows, following] = True
        more = self._finish()
        self._weigh(*np.nonzero(changed[more]))

    def _and_others(self, ears: Indices) -> tuple[Indices, Indices]:
        """Polygons and ears of theirs that can all be cut at once: those that cost less than their neighbours do.

        Triangles of ears that are no neighbours don't overlap. ears: those to be cut where there are no such ones, or
        where no triangle would be left of the polygon.
        """
        cost = np.where(self.blocked == 0, self.cost, np.inf)
        slots = np.arange(cost.shape[1])
        chosen = (cost < np.inf) & (self.left > 4)[:, None]
        for neighbours in (self.before, self.after):
            other = np.take_along_axis(cost, neighbours, axis=1)
            chosen &= (cost < other) | ((cost == other) & (slots < neighbours))
        alone = np.flatnonzero(~chosen.any(axis=1))
        chosen[alone, ears[alone]] = True
        rows, found = np.nonzero(chosen)  # ascending rows
        return rows, found

    def _choose(self) -> Indices:
        """The ear of each polygon that goes next. The list's head is the last candidate; the first one wins ties."""
        cost = np.where(self.blocked == 0, self.cost, np.inf)
        rows = np.arange(len(cost))
        ear: Indices
        if self.rule.by_shape:
            of_head = cost[rows, self.head]
            cost[rows, self.head] = np.inf
            ear = cost.argmin(axis=1)
            ear = np.where(of_head < cost[rows, ear], self.head, ear)
            cost[rows, self.head] = of_head
        else:
            turn = (np.arange(cost.shape[1]) - self.head[:, None]) % cost.shape[1]
            ear = np.where(cost < np.inf, turn, cost.shape[1]).argmin(axis=1)
        stuck = cost[rows, ear] == np.inf
        if not stuck.any():
            return ear
        if self.rule.whole:
            return np.asarray(np.where(stuck, self._faults().argmin(axis=1), ear))
        self._keep(~stuck)
        return np.asarray(ear[~stuck])

    def _faults(self) -> Indices:
        """What speaks against cutting each corner off: corners in its way; more than all of them, not to be convex."""
        blocked = np.full(self.alive.shape, 1 << 30)
        rows, ears = np.nonzero(self.alive)
        blocked[rows, ears] = self._in_the_way(rows, ears).sum(axis=1)
        return np.asarray(blocked + np.where(self.cost == np.inf, blocked.shape[1], 0))

    def _finish(self) -> Bools:
        """Let go of polygons of three corners, which are triangles if they are large enough; which ones stay."""
        three = self.left == 3
        if three.any():
            rows = np.flatnonzero(three)
            a = self.head[rows] if self.rule.by_shape else self.before[rows, self.head[rows]]
            b = self.after[rows, a]
            c = self.after[rows, b]
            large = _doubled_area(self._edges(rows, a, b, c)) > self.rule.smallest
            large |= self.rule.whole
            self.found.append((self.owner[rows[large]], np.stack([a, b, c], axis=1)[large]))
        more = self.left > 3
        if not more.all():
            self._keep(more)
        return more

    def _keep(self, which: Bools) -> None:
        for name in ("owner", "x", "y", "left", "head", "after", "before", "alive", "cost", "blocks", "blocked"):
            setattr(self, name, getattr(self, name)[which])

    def _weigh(self, rows: Indices, ears: Indices) -> None:
        """Work out what cutting corners off costs (infinite: not convex), and which corners are in the way of others.

        rows, ears: int[k].
        """
        edges = self._edges(rows, self.before[rows, ears], ears, self.after[rows, ears])
        convex = _doubled_area(edges) > self.rule.smallest
        self.cost[rows, ears] = np.where(convex, _squareness(edges) if self.rule.by_shape else 0, np.inf)
        rows, ears = rows[convex], ears[convex]
        blocks = self._in_the_way(rows, ears)
        self.blocks[rows, ears] = blocks
        self.blocked[rows, ears] = blocks.sum(axis=1)

    def _edges(self, rows: Indices, *corners: Indices) -> _Edges:
        """The edges of triangles with these corners: three int[k], of the polygons `rows`."""
        x, y = ([values[rows, at] for at in corners] for values in (self.x, self.y))
        return [(x[to] - x[at], y[to] - y[at]) for at, to in ((0, 1), (1, 2), (2, 0))]

    def _in_the_way(self, rows: Indices, ears: Indices) -> Bools:
        """Which corners lie in the triangles of corners int[k], or on their edges, and aren't where its own are."""
        blocks = self.alive[rows]
        x, y = self.x[rows], self.y[rows]
        corners = [self.before[rows, ears], ears, self.after[rows, ears]]
        for at, (along, up) in zip(corners, self._edges(rows, *corners), strict=True):
            dx, dy = x - self.x[rows, at][:, None], y - self.y[rows, at][:, None]
            blocks &= (dx != 0) | (dy != 0)
            dy *= along[:, None]
            dx *= up[:, None]
            blocks &= dy >= dx
        return blocks


def _doubled_area(edges: _Edges) -> Reals:
    (x1, y1), _, (x3, y3) = edges
    return np.asarray(x3 * y1 - y3 * x1)


def _squareness(edges: _Edges) -> Reals:
    """The least |cosine| of a triangle's three angles: 0 where one of them is right."""
    units = []
    for x, y in edges:
        scale = np.ones(1, x.dtype) / np.sqrt(x * x + y * y)
        units.append((x * scale, y * scale))
    cosines = [np.abs(units[i][0] * units[j][0] + units[i][1] * units[j][1]) for i, j in ((0, 1), (1, 2), (2, 0))]
    return np.asarray(np.minimum(np.minimum(cosines[0], cosines[1]), cosines[2]))
