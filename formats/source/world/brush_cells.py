# SPDX-License-Identifier: GPL-3.0-or-later
"""The brushes of the world as convex cells, found by where they are (source.md §2.4)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ... import convex, ranges
from ...arrays import Floats, Ints
from ...binary import FormatError
from ..edits.brush_pieces import Piece
from ..edits.changes import Changes
from ..lumps import LumpId, lump_name
from ..records import Contents
from ..tree import brushes as level_brushes
from . import cells
from .cells import Cell

_LOOSE = 0.5
"""Units that compilers' bevels may cut into a brush."""


class BrushCells:
    """Brushes of model 0 as they are while the world is changed. numbers: int64[n], those that there are, ascending.

    boxes: float64[brushes, 2, 3], NaN for those that aren't of the world, or enclose nothing. contents: int64[brushes].
    """

    def __init__(self, changes: Changes) -> None:
        table, sides = changes.table(LumpId.BRUSHES), changes.table(LumpId.BRUSHSIDES)
        planes = changes.table(LumpId.PLANES)
        first, counts = table["firstside"].astype(np.int64), table["numsides"].astype(np.int64)
        bad = (first < 0) | (counts < 0) | (first + counts > len(sides))
        if bad.any():
            raise FormatError(f"brush {int(bad.argmax())} has sides that aren't there", lump_name(LumpId.BRUSHES))
        ranges.check_total(counts, len(sides), lump_name(LumpId.BRUSHES))
        self.contents = table["contents"].astype(np.int64)
        self._there = level_brushes.of_models(changes.level) == 0
        self._rows, self._starts = ranges.flat(first, counts), ranges.starts(counts)
        used = sides[self._rows]
        self._planenums, self._texinfos = used["planenum"].astype(np.int64), used["texinfo"].astype(np.int64)
        if len(used) and self._planenums.max() >= len(planes):
            raise FormatError(f"plane {self._planenums.max()} of {len(planes)}", lump_name(LumpId.BRUSHSIDES))
        own = planes[self._planenums]
        self._planes = np.column_stack([own["normal"], own["dist"]]).astype(np.float64)
        self._solid_sides = used["bevel"] == 0
        self._shapes: dict[int, tuple[Floats, Ints]] = {}
        self._cells: dict[int, Cell | None] = {}
        self.boxes = _boxes(self._planes, ranges.owners(counts), len(table))
        for number in np.flatnonzero(self._there & np.isnan(self.boxes).any(axis=(1, 2))).tolist():
            cell = self.cell(number)  # of a compiler that makes no bevels
            self.boxes[number] = np.nan if cell is None else cell.box
        self.boxes[~self._there] = np.nan

    @property
    def numbers(self) -> Ints:
        """int64[n]: the brushes that there are, ascending."""
        return np.flatnonzero(self._there)

    def __contains__(self, number: int) -> bool:
        return 0 <= number < len(self._there) and bool(self._there[number])

    def piece(self, number: int) -> Piece:
        """A brush of before, without its bevels."""
        own = self._own(number)
        planes = self._planes[own]
        return Piece(planes[:, :3].copy(), planes[:, 3].copy(), self._texinfos[own], int(self.contents[number]))

    def rows(self, number: int) -> Ints:
        """The rows of BRUSHSIDES that sides of a brush of before are in, without bevels: int64[k]."""
        return np.asarray(self._rows[self._own(number)])

    def planes(self, number: int) -> tuple[Floats, Ints]:
        """The planes float64[k, 4] of a brush without its bevels, and their rows in PLANES int64[k]."""
        if number in self._shapes:
            return self._shapes[number]
        own = self._own(number)
        return self._planes[own], self._planenums[own]

    def cell(self, number: int) -> Cell | None:
        """The space of a brush; None where it is nothing."""
        if number not in self._cells:
            box = self.boxes[number]
            around = cells.of_box(box[0] - 1, box[1] + 1) if np.isfinite(box).all() else cells.everything()
            self._cells[number] = around.within(self.planes(number)[0])
        return self._cells[number]

    def prepare(self, numbers: Iterable[int]) -> None:
        """Find the cells of many brushes in one go, which is faster than one by one."""
        wanted = [number for number in dict.fromkeys(numbers) if number not in self._cells]
        planes = [self.planes(number)[0] for number in wanted]
        if not wanted:
            return
        together, counts = np.concatenate(planes), [len(each) for each in planes]
        found = convex.from_planes(together[:, :3], together[:, 3], counts)
        rings = np.split(found.positions[found.corners], found.first_corner[1:-1])
        starts = ranges.starts(counts)
        for place, number in enumerate(wanted):
            own = [side for side in range(starts[place], starts[place + 1]) if len(rings[side]) > 2]
            if found.closed[place]:
                self._cells[number] = Cell(together[own], [rings[side] for side in own])

    def near(self, box: Floats, margin: float = 0.0) -> Ints:
        """The brushes whose boxes come within `margin` units of a box float64[2, 3]: int64[n], ascending."""
        reach = margin + _LOOSE
        touching = (self.boxes[:, 0] <= box[1] + reach) & (self.boxes[:, 1] >= box[0] - reach)
        return np.flatnonzero(touching.all(axis=1))

    def solid(self, numbers: Iterable[int]) -> list[int]:
        """Those of some brushes that are solid."""
        return [number for number in numbers if self.contents[number] & Contents.SOLID]

    def remove(self, number: int) -> None:
        """Have a brush be gone."""
        self._there[number] = False
        self.boxes[number] = np.nan
        self._cells.pop(number, None)

    def put(self, number: int, shape: Piece, planenums: Ints) -> None:
        """Have a brush, one behind all others too. planenums: int64[sides], rows of PLANES."""
        more = number + 1 - len(self._there)
        if more > 0:
            self._there = np.append(self._there, np.zeros(more, np.bool_))
            self.boxes = np.concatenate([self.boxes, np.full((more, 2, 3), np.nan)])
            self.contents = np.append(self.contents, np.zeros(more, np.int64))
        self._shapes[number] = np.column_stack([shape.normals, shape.dists]), planenums
        self._cells.pop(number, None)
        self._there[number], self.contents[number] = True, shape.contents
        self.boxes[number] = np.nan
        cell = self.cell(number)
        if cell is not None:
            self.boxes[number] = cell.box

    def _own(self, number: int) -> Ints:
        first, end = self._starts[number : number + 2].tolist()
        return np.asarray(first + np.flatnonzero(self._solid_sides[first:end]), np.int64)


def _boxes(planes: Floats, owners: Ints, count: int) -> Floats:
    """The boxes float64[count, 2, 3] of brushes, by those of their sides and bevels that look along an axis; NaN where
    one is missing.
    """
    found = np.stack([np.full((count, 3), -np.inf), np.full((count, 3), np.inf)], axis=1)
    for axis in range(3):
        for end, way, nearest in ((0, -1, np.maximum), (1, 1, np.minimum)):
            along = planes[:, axis] == way
            nearest.at(found[:, end, axis], owners[along], way * planes[along, 3])
    return np.where(np.isfinite(found) & (found[:, :1] <= found[:, 1:]), found, np.nan)
