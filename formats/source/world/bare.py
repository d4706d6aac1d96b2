# SPDX-License-Identifier: GPL-3.0-or-later
"""Sides of brushes that come to be seen where others were taken away (source.md §4.2)."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from ..geometry import Floats
from . import cells
from .brush_cells import BrushCells
from .cells import Cell
from .opening import uncovered
from .types import Bare

_BEFORE = 0.1  # units before a side, where it is seen from
_LEAST = 0.05  # square units


class BareSides:
    """Finds sides that were hidden. known: brushes that are as they were; of others all sides are new."""

    def __init__(self, brushes: BrushCells, but: Collection[int]) -> None:
        self.brushes = brushes
        self.but = frozenset(but)

    def into(self, spaces: Iterable[tuple[int, Cell]]) -> list[Bare]:
        """The sides that look into spaces: leafs, and the convex parts of them that were solid before."""
        return [bare for leaf, space in spaces for bare in self._into(leaf, space)]

    def _into(self, leaf: int, space: Cell) -> Iterable[Bare]:
        for number in self.brushes.near(space.box, _BEFORE).tolist():
            cell = self.brushes.cell(number)
            if number in self.but or cell is None:
                continue
            planes, _ = self.brushes.planes(number)
            for plane, ring in zip(cell.planes, cell.rings, strict=True):
                low, high = space.span(plane)
                if low > _BEFORE or high < _BEFORE / 2:
                    continue
                side = np.flatnonzero((planes == plane).all(axis=1))
                part = _clipped_to(ring + plane[:3] * _BEFORE, space.planes)
                if not len(side) or cells.area(part) <= _LEAST:
                    continue
                shown = [each - plane[:3] * _BEFORE for each in uncovered(part, self.brushes, but=number)]
                row = int(self.brushes.rows(number)[int(side[0])])
                for points in shown:
                    if cells.area(points) > _LEAST:
                        yield Bare(number, row, leaf, points[::-1])


def _clipped_to(ring: Floats, planes: Floats) -> Floats:
    for plane in planes:
        ring = cells.clipped(ring, plane)
        if not len(ring):
            break
    return ring
