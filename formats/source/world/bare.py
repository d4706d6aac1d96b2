# SPDX-License-Identifier: GPL-3.0-or-later
"""Sides of brushes that come to be seen where others were taken away (source.md §4.2)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import numpy as np

from ...arrays import Floats
from . import cells
from .brush_cells import BrushCells
from .cells import Cell
from .opening import uncovered
from .types import Bare

_BEFORE = 0.1  # units before a side, where it is seen from
_LEAST = 0.05  # square units


def sides(spaces: Iterable[tuple[int, Cell]], brushes: BrushCells, but: Collection[int]) -> Iterator[Bare]:
    """The sides that look into spaces: leafs, and the convex parts of them that a brush was in. but: brushes that
    are new. Parts that another solid brush hides are left out; whether a face shows a part already isn't asked.
    """
    near = [(leaf, space, brushes.near(space.box, _BEFORE).tolist()) for leaf, space in spaces]
    brushes.prepare(number for _, _, numbers in near for number in numbers if number not in but)
    for leaf, space, numbers in near:
        for number in numbers:
            cell = None if number in but else brushes.cell(number)
            if cell is not None:
                yield from _of_brush(leaf, space, brushes, number, cell)


def _of_brush(leaf: int, space: Cell, brushes: BrushCells, number: int, cell: Cell) -> Iterator[Bare]:
    planes, rows = brushes.planes(number)[0], brushes.rows(number)
    for plane, ring in zip(cell.planes, cell.rings, strict=True):
        low, high = space.span(plane)
        side = np.flatnonzero((planes == plane).all(axis=1))
        if low > _BEFORE or high < _BEFORE / 2 or not len(side):
            continue
        before = plane[:3] * _BEFORE
        part = _clipped_to(ring + before, space.planes)
        if cells.area(part) > _LEAST:
            for points in uncovered(part, brushes, but=number):
                yield Bare(number, int(rows[side[0]]), leaf, (points - before)[::-1])


def _clipped_to(ring: Floats, planes: Floats) -> Floats:
    for plane in planes:
        ring = cells.clipped(ring, plane)
        if not len(ring):
            break
    return ring
