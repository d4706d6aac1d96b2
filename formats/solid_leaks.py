# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a level can be reached from its entities, and where it leaks: the way of a flood through the empty leafs.

Compilers do the same: a level whose entities can be reached from outside is not sealed, and they refuse it, or leave
it without visibility. The way out that is found here is short: by the portals whose middles are nearest, and straight
wherever nothing solid is in between.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import numpy as np
import numpy.typing as npt

from . import convex, ranges, solid_tree
from .arrays import Bools, Floats, Ints
from .binary import Problem, Severity
from .solid_tree import OUTSIDE, Brushes, Portals, SolidTree
from .steps import Steps, Stepwise
from .windings import Windings

SHORT = 0.2
"""Units: a portal with fewer than three edges longer than this is too small to go through, as for the compilers."""

FAR = 1e6
"""Units: what is so far off in all directions is outside of any level."""

_Step = tuple[float, int, int, int, int]
"""How far it is; by which portal, into and out of which leaf; and the point that it all began at."""


@dataclass(frozen=True, slots=True)
class Flood:
    """A flood from k points through the empty leafs."""

    leafs: Ints
    """int64[k], of the points."""
    inside: Bools
    """bool[k], which of them stand in empty space; only from these it begins."""
    reached: Bools
    """bool[leafs]."""
    leak: int
    """The point that is nearest to the outside on the way that the flood takes, -1 if it doesn't get there."""
    line: Floats
    """float64[n, 3], that way, from the point on."""

    @property
    def is_sealed(self) -> bool:
        """Whether the flood stays within the level."""
        return self.leak < 0


def flood(tree: SolidTree, points: npt.ArrayLike, between: Portals | None = None) -> Flood:
    """Where a flood from points, float[k, 3], gets to. between: the tree's portals, if they are known."""
    where = np.asarray(points, np.float64).reshape(-1, 3)
    leafs = tree.leafs_of(where)
    inside = ~tree.solid[leafs] & np.isfinite(where).all(axis=1)
    open_ = passable(tree, solid_tree.portals(tree) if between is None else between)
    ways = _Ways(open_, len(tree.solid))
    reached = ways.reached(np.unique(leafs[inside]))
    if not reached[OUTSIDE]:
        return Flood(leafs, inside, reached, -1, np.empty((0, 3)))
    leak, line = ways.out(where, np.where(inside, leafs, -1))
    return Flood(leafs, inside, reached, leak, _straightened(tree, line))


def passable(tree: SolidTree, between: Portals) -> Portals:
    """The portals that one can go through: between empty leafs, and not too small."""
    empty = np.flatnonzero(~tree.solid[between.leafs].any(axis=1))
    some = between.taken(empty)
    if not len(empty):
        return some
    long = np.add.reduceat((some.windings.edges() > SHORT).astype(np.int64), some.windings.first[:-1])
    return some.taken(np.flatnonzero(long >= 3))


class _Ways:
    """The leafs of a tree, each with its portals to others."""

    def __init__(self, between: Portals, count: int) -> None:
        self.middles = between.windings.middles if len(between.leafs) else np.empty((0, 3))
        from_ = between.leafs.T.reshape(-1)
        order = np.argsort(from_, kind="stable")
        self.to = between.leafs[:, ::-1].T.reshape(-1)[order]
        self.portal = np.tile(np.arange(len(between.leafs)), 2)[order]
        self.first = ranges.starts(np.bincount(from_, minlength=count))

    def reached(self, leafs: Ints) -> Bools:
        """bool[leafs]: those that can be reached from some, and these."""
        done = np.zeros(len(self.first) - 1, np.bool_)
        done[leafs] = True
        while len(leafs):
            counts = np.diff(self.first)[leafs]
            leafs = np.unique(self.to[ranges.flat(self.first[leafs], counts)])
            leafs = leafs[~done[leafs]]
            done[leafs] = True
        return done

    def out(self, points: Floats, leafs: Ints) -> tuple[int, Floats]:
        """The point that is nearest to the outside, and the way: by the middles of portals. leafs: -1 for none.

        There has to be one.
        """
        outside = np.flatnonzero(leafs == OUTSIDE)
        if len(outside):
            return int(outside[0]), points[outside[:1]]
        queue = self._first_steps(points, leafs)
        begun = set(leafs.tolist())
        came: dict[int, _Step] = {}  # by the leaf that it leads into
        first, to, portal = self.first.tolist(), self.to.tolist(), self.portal.tolist()
        while OUTSIDE not in came:
            step = heappop(queue)
            far, entry, leaf, _, point = step
            if leaf in came or leaf in begun:
                continue
            came[leaf] = step
            begin, end = first[leaf], first[leaf + 1]
            away = self.middles[self.portal[begin:end]] - self.middles[entry]
            for way, length in enumerate(np.sqrt((away * away).sum(axis=1)).tolist(), begin):
                if to[way] not in came:
                    heappush(queue, (far + length, portal[way], to[way], leaf, point))
        line, leaf, point = [], OUTSIDE, came[OUTSIDE][4]
        while leaf not in begun:
            _, entry, _, leaf, _ = came[leaf]
            line.append(self.middles[entry])
        return point, np.array([points[point], *line[::-1]])

    def _first_steps(self, points: Floats, leafs: Ints) -> list[_Step]:
        """A heap of the steps out of the leafs that points are in, each from the nearest point."""
        queue: list[_Step] = []
        for leaf in np.unique(leafs[leafs >= 0]).tolist():
            own = np.flatnonzero(leafs == leaf)
            ways = slice(self.first[leaf], self.first[leaf + 1])
            away = self.middles[self.portal[ways]][:, None] - points[own]
            far = np.sqrt((away * away).sum(axis=2))
            nearest = own[far.argmin(axis=1)] if far.size else own[:0]
            rows = (far.min(axis=1, initial=np.inf), self.portal[ways], self.to[ways], nearest)
            queue += [(*row[:3], leaf, row[3]) for row in zip(*(row.tolist() for row in rows), strict=True)]
        heapify(queue)
        return queue


def _straightened(tree: SolidTree, line: Floats) -> Floats:
    """A line without the points that can be left out because nothing solid is between those around them."""
    kept = [0]
    while kept[-1] < len(line) - 1:
        at = kept[-1]
        ends = line[at + 1 :]
        free = clear(tree, np.broadcast_to(line[at], ends.shape), ends)
        kept.append(at + 1 + int(np.flatnonzero(free)[-1]) if free.any() else at + 1)
    return line[kept]


def clear(tree: SolidTree, from_: Floats, to: Floats) -> Bools:
    """bool[k]: between which points, float64[k, 3] each, there is nothing solid. Along a face there is."""
    windings = Windings(np.stack([from_, to], axis=1).reshape(-1, 3), 2 * np.arange(len(to) + 1))
    _, of, leafs = tree.border(windings, np.zeros_like(to), np.zeros(len(to), np.int64))
    result = np.ones(len(to), np.bool_)
    result[of[tree.solid[leafs]]] = False
    return result


# ------------------------------------------------------------------------------------------------------ a whole level


@dataclass(frozen=True, slots=True)
class Space:
    """What of a level counts for leaks."""

    brushes: Brushes
    """All, b of them."""
    solid: Bools
    """bool[b], which of them the compiler takes for walls."""
    still: Bools
    """bool[b], which of them never move: the world's."""
    points: Floats
    """float64[k, 3], where entities stand."""
    names: list[str]
    """What these are called, the places of problems."""
    entities: Ints
    """int64[k], their numbers in the level."""


@dataclass(frozen=True, slots=True)
class Sealing:
    """What a level's brushes make of space: see `examine`."""

    space: Space
    tree: SolidTree
    flood: Flood

    def hidden(self, windings: Windings, normals: Floats) -> tuple[Bools, Bools]:
        """Which faces nobody ever sees, bool[k] each: those that lie in solid, and those that face the void.

        windings, normals float64[k, 3]: of faces that never move. Of a level that leaks, or without an entity in empty
        space, none faces the void: there is no outside to tell.
        """
        of, leafs = self._beside(windings, normals)
        empty, seen = np.zeros(len(windings), np.bool_), np.zeros(len(windings), np.bool_)
        empty[of[~self.tree.solid[leafs]]] = True
        seen[of[self.flood.reached[leafs]]] = True
        knows = self.flood.is_sealed and bool(self.flood.inside.any())
        return ~empty, empty & ~seen & knows

    def _beside(self, windings: Windings, normals: Floats) -> tuple[Ints, Ints]:
        """Faces, and a leaf that each borders on: int64[p], of all pieces that are large enough to see through."""
        pieces, of, leafs = self.tree.border(windings, normals, np.zeros(len(windings), np.int64))
        real = pieces.areas() > SHORT * SHORT
        return of[real], leafs[real]

    def void(self) -> Bools:
        """The leafs that a flood from far outside reaches, bool[leafs]: of a level that leaks its rooms, too."""
        return flood(self.tree, [[FAR] * 3]).reached

    def inner_polygons(self, positions: Floats, corners: Ints, first_corner: Ints) -> Bools:
        """Which polygons look into rooms, bool[k]: empty space that nothing gets to from outside.

        They are laid out as in :class:`convex.Polygons`; each has corners.
        """
        normals, _, _ = convex.planes(positions, corners, first_corner)
        windings = Windings(positions[corners], first_corner)
        of, leafs = self._beside(windings, normals)
        found = np.zeros(len(windings), np.bool_)
        found[of[~self.tree.solid[leafs] & ~self.void()[leafs]]] = True
        return found

    def hidden_polygons(self, positions: Floats, corners: Ints, first_corner: Ints) -> tuple[Bools, Bools]:
        """As `hidden`, of faces that are laid out as in :class:`convex.Polygons`; each has corners."""
        normals, _, _ = convex.planes(positions, corners, first_corner)
        return self.hidden(Windings(positions[corners], first_corner), normals)

    def counts(self) -> dict[str, int]:
        """What there is, by its name in the plural."""
        of, closed = self.space.brushes, self.space.brushes.polygons.closed
        windings, sides = of.sides(self.space.still)
        within, beyond = self.hidden(windings, of.normals[sides])
        return {
            "brushes that seal": int((closed & self.space.solid).sum()),
            "brushes that aren't closed": int((~closed & self.space.solid).sum()),
            "leafs": len(self.tree.solid),
            "solid leafs": int(self.tree.solid.sum()),
            "faces inside solid": int(within.sum()),
            "faces towards the void": int(beyond.sum()),
        }

    def problems(self, severity: Severity) -> Iterator[Problem]:
        """What the compiler would say; nothing of a level that is sealed."""
        line = self.flood.line
        if not self.flood.is_sealed:
            through = "it stands outside" if len(line) < 2 else f"the way out is by {_place(line[1])}"
            message = f"leaks: from {_place(line[0])} the outside of the level can be reached; {through}"
            yield Problem(self.space.names[self.flood.leak], message, severity)
        elif len(self.flood.inside) and not self.flood.inside.any():
            message = "no entity stands in empty space: what is inside and what outside can't be told"
            yield Problem("level", message, severity)


@Stepwise
def examine(space: Space) -> Steps[Sealing]:
    """Flood a level from its entities."""
    tree = yield from solid_tree.build.steps(space.brushes, space.solid)
    yield
    return Sealing(space, tree, flood(tree, space.points))


def _place(point: Floats) -> str:
    return f"({', '.join(f'{value:g}' for value in np.round(point, 2).tolist())})"
