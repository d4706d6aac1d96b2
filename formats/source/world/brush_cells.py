# SPDX-License-Identifier: GPL-3.0-or-later
"""The brushes of the world as convex cells, found by where they are (source.md §2.4)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from .. import brushes as level_brushes
from ..edits.brush_pieces import Piece
from ..edits.changes import Changes
from ..geometry import Floats, Ints
from ..lumps import LumpId
from ..records import Contents
from . import cells
from .cells import Cell


class BrushCells:
    """Brushes of model 0 as they are while the world is changed. numbers: int64[n], those that there are, ascending.

    boxes: float64[brushes, 2, 3], NaN for those that aren't of the world, or enclose nothing. contents: int64[brushes].
    """

    def __init__(self, changes: Changes) -> None:
        level = changes.level
        table, sides = changes.table(LumpId.BRUSHES), changes.table(LumpId.BRUSHSIDES)
        self.contents = table["contents"].astype(np.int64)
        found = level_brushes.solids(level)
        self._there = level_brushes.of_models(level) == 0
        own = sides["planenum"][found.sides].astype(np.int64)
        planes = changes.table(LumpId.PLANES)[own]
        self._planes = np.column_stack([planes["normal"], planes["dist"]]).astype(np.float64)
        self._planenums = own
        self._solid_sides = sides["bevel"][found.sides] == 0
        self._rows = found.sides
        self._texinfos = sides["texinfo"][found.sides].astype(np.int64)
        self._starts = found.first_side
        self._shapes: dict[int, tuple[Floats, Ints]] = {}
        self._cells: dict[int, Cell | None] = {}
        self.boxes = _boxes(found.polygons.positions, found.polygons.first_vertex)
        self.boxes[~self._there] = np.nan

    @property
    def numbers(self) -> Ints:
        """The brushes that there are, ascending."""
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

    def near(self, box: Floats, margin: float = 0.0) -> Ints:
        """The brushes whose boxes come within `margin` units of a box float64[2, 3]: int64[n], ascending."""
        touching = (self.boxes[:, 0] <= box[1] + margin) & (self.boxes[:, 1] >= box[0] - margin)
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
        """Have a brush, one behind all others too, with the planes of rows of PLANES."""
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


def _boxes(positions: Floats, first: Ints) -> Floats:
    """The boxes float64[n, 2, 3] of runs of points, NaN of none."""
    found = np.full((len(first) - 1, 2, 3), np.nan)
    some = np.diff(first) > 0
    if some.any():
        where = first[:-1][some]
        found[some, 0] = np.minimum.reduceat(positions, where)
        found[some, 1] = np.maximum.reduceat(positions, where)
    return found
