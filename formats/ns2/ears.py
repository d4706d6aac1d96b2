"""Ear clipping of many flat polygons at once, as the Spark editor does it (ns2-level-notes §9).

Polygons are rows of padded arrays: `points` float[n, m, 2] counter-clockwise, `sizes` int[n] of their corners, NaN
behind them. Each step cuts one ear off every polygon that has one, or several that are no neighbours; what this changes
is worked out for the ears' neighbours only, so that a polygon of m corners costs m * m.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]

SMALLEST = 0.001  # square metres: twice the area of the smallest triangle that the editor makes
CELLS = 1 << 19  # of a table of corners by corners: bounds a batch's memory


@dataclass(frozen=True, slots=True)
class Rule:
    """Which ears there are and which of them goes first."""

    by_shape: bool = True  # the one whose triangle is most like a right-angled one; else the next one round the list
    smallest: float = SMALLEST  # an ear's doubled area must be greater
    whole: bool = False  # a polygon without an ear left is cut nevertheless
    several: bool = False  # at once: all ears that go before both of their neighbours


def batches(sizes: Ints) -> Iterator[Ints]:
    """Numbers of polygons in batches of like sizes, small enough for tables of corners by corners."""
    bounds = [4, 8, 16]
    while bounds[-1] < int(sizes.max(initial=0)):
        bounds.append(4 * bounds[-1])  # each batch takes as many steps as its largest polygon has corners
    buckets = np.searchsorted(bounds, sizes)
    order = np.argsort(buckets, kind="stable")
    first = 0
    for end in np.searchsorted(buckets[order], np.arange(len(bounds)), side="right").tolist():
        most = int(sizes[order[first:end]].max(initial=1))
        step = max(CELLS // (most * most), 1)
        for start in range(first, end, step):
            yield order[start : min(start + step, end)]
        first = end


def clip(points: Floats, sizes: Ints, rule: Rule) -> tuple[Ints, Ints]:
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

    def __init__(self, points: Floats, sizes: Ints, rule: Rule) -> None:
        count, width = points.shape[:2]
        slots = np.arange(width)
        self.rule = rule
        self.found: list[tuple[Ints, Ints]] = []
        self.owner = np.arange(count)
        self.points = points
        self.left = sizes
        self.head = np.zeros(count, np.intp)  # of the list of corners that are left; going round: where to look first
        self.after = np.where(slots + 1 < sizes[:, None], slots + 1, 0)
        self.before = np.where(slots > 0, slots - 1, sizes[:, None] - 1)
        self.alive = slots < sizes[:, None]
        self.cost = np.full((count, width), np.inf, points.dtype)
        self.blocks = np.zeros((count, width, width), bool)  # [ear, corner in its way]
        self.blocked = np.zeros((count, width), np.intp)
        self._finish()
        if len(self.owner):
            self._weigh(np.broadcast_to(slots, self.cost.shape))
            self.cost[~self.alive] = np.inf

    def run(self) -> tuple[Ints, Ints]:
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
            changed = _listed(rows, np.stack([last, following]), self.alive.shape)
        else:
            self.left = self.left - 1
            self.blocked -= self.blocks[rows, :, ear]
            changed = np.stack([last, following], axis=1)
        self.blocks[rows, :, ear] = False
        self._finish(changed)

    def _and_others(self, ears: Ints) -> tuple[Ints, Ints]:
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

    def _choose(self) -> Ints:
        """The ear of each polygon that goes next. The list's head is the last candidate; the first one wins ties."""
        cost = np.where(self.blocked == 0, self.cost, np.inf)
        rows = np.arange(len(cost))
        ear: Ints
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
            faults = self.blocked + np.where(self.cost == np.inf, len(cost[0]), 0) + np.where(self.alive, 0, 1 << 30)
            return np.asarray(np.where(stuck, faults.argmin(axis=1), ear))
        self._keep(~stuck)
        return np.asarray(ear[~stuck])

    def _finish(self, changed: Ints | None = None) -> None:
        """Let go of polygons of three corners, which are triangles if they are large enough; weigh `changed` ones."""
        three = self.left == 3
        if three.any():
            rows = np.flatnonzero(three)
            a = self.head[rows] if self.rule.by_shape else self.before[rows, self.head[rows]]
            b = self.after[rows, a]
            c = self.after[rows, b]
            large = _doubled_area(*(self.points[rows, corner] for corner in (a, b, c))) > self.rule.smallest
            large |= self.rule.whole
            self.found.append((self.owner[rows[large]], np.stack([a, b, c], axis=1)[large]))
        more = self.left > 3
        if not more.all():
            self._keep(more)
            changed = None if changed is None else changed[more]
        if changed is not None and len(changed):
            self._weigh(changed)

    def _keep(self, which: Mask) -> None:
        for name in ("owner", "points", "left", "head", "after", "before", "alive", "cost", "blocks", "blocked"):
            setattr(self, name, getattr(self, name)[which])

    def _weigh(self, ears: Ints) -> None:
        """Work out what cutting corners int[n, k] off costs (infinite: not convex) and which corners are in the way."""
        rows = np.arange(len(ears))[:, None]
        a, b, c = (self.points[rows, at] for at in (self.before[rows, ears], ears, self.after[rows, ears]))
        cost = _squareness(a, b, c) if self.rule.by_shape else np.zeros((), self.points.dtype)
        self.cost[rows, ears] = np.where(_doubled_area(a, b, c) > self.rule.smallest, cost, np.inf)
        x, y = self.points[:, None, :, 0], self.points[:, None, :, 1]
        blocks = np.broadcast_to(self.alive[:, None], (*ears.shape, x.shape[2])).copy()
        for p, q in ((a, b), (b, c), (c, a)):
            px, py = p[..., 0, None], p[..., 1, None]
            dx, dy = x - px, y - py
            blocks &= (q[..., 0, None] - px) * dy - (q[..., 1, None] - py) * dx >= 0
            blocks &= (dx != 0) | (dy != 0)
        self.blocks[rows, ears] = blocks
        self.blocked[rows, ears] = blocks.sum(axis=2)


def _listed(rows: Ints, slots: Ints, shape: tuple[int, ...]) -> Ints:
    """Slots [k, m] of rows [m] as a table with a row for each: int[n, most]; shorter ones repeat their first."""
    marked = np.zeros(shape, bool)
    marked[rows, slots] = True
    order = np.argsort(~marked, axis=1, kind="stable")[:, : int(marked.sum(axis=1).max(initial=1))]
    return np.asarray(np.where(np.take_along_axis(marked, order, axis=1), order, order[:, :1]))


def _doubled_area(a: Floats, b: Floats, c: Floats) -> Floats:
    ab, ac = b - a, c - a
    return np.asarray(ab[..., 0] * ac[..., 1] - ab[..., 1] * ac[..., 0])


def _squareness(a: Floats, b: Floats, c: Floats) -> Floats:
    """The least |cosine| of a triangle's three angles: 0 where one of them is right."""
    edges = []
    for edge in (b - a, c - b, a - c):
        x, y = edge[..., 0], edge[..., 1]
        scale = np.ones(1, x.dtype) / np.sqrt(x * x + y * y)
        edges.append((x * scale, y * scale))
    cosines = [np.abs(edges[i][0] * edges[j][0] + edges[i][1] * edges[j][1]) for i, j in ((0, 1), (1, 2), (2, 0))]
    return np.asarray(np.minimum(np.minimum(cosines[0], cosines[1]), cosines[2]))
