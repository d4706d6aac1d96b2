# SPDX-License-Identifier: GPL-3.0-or-later
"""Sides of brushes that come to be seen where others were taken away (source.md §4.2)."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from .. import geometry
from ..geometry import Floats
from ..level import Level
from ..lumps import LumpId
from . import cells
from .brush_cells import BrushCells
from .cells import Cell
from .opening import uncovered, without
from .types import Bare

_BEFORE = 0.1  # units before a side, where it is seen from
_SAME_NORMAL, _SAME_DIST = 1e-3, 0.1  # units: a face that is so near to a side's plane lies in it
_LEAST = 0.05  # square units


class BareSides:
    """Finds sides that were hidden. known: brushes that are as they were; of others all sides are new."""

    def __init__(self, level: Level, brushes: BrushCells, but: Collection[int]) -> None:
        self.level, self.brushes = level, brushes
        self.but = frozenset(but)
        drawn = geometry.drawn_faces(level)
        model = level.table(LumpId.MODELS)[0]
        first, count = int(model["firstface"]), int(model["numfaces"])
        faces, planes = level.table(drawn), level.table(LumpId.PLANES)
        self._faces = np.arange(len(faces))[first : first + count]
        used = planes[faces["planenum"][self._faces].astype(np.int64)]
        self._face_planes = np.column_stack([used["normal"], used["dist"]]).astype(np.float64)
        self._polygons = geometry.polygons(level, drawn)

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
                for points in self._unseen(shown, plane):
                    row = int(self.brushes.rows(number)[int(side[0])])
                    yield Bare(number, row, leaf, points[::-1])

    def _unseen(self, parts: list[Floats], plane: Floats) -> list[Floats]:
        """What of polygons on a plane no face shows yet."""
        near = (np.abs(self._face_planes[:, :3] - plane[:3]).max(axis=1) <= _SAME_NORMAL) & (
            np.abs(self._face_planes[:, 3] - plane[3]) <= _SAME_DIST
        )
        for face in self._faces[near].tolist() if parts else ():
            first, end = self._polygons.first_corner[face : face + 2]
            ring = self._polygons.positions[self._polygons.corners[first:end]].astype(np.float64)
            parts = [left for part in parts for left in without(part, _edges(ring, plane[:3]))]
        return [part for part in parts if cells.area(part) > _LEAST]


def _clipped_to(ring: Floats, planes: Floats) -> Floats:
    for plane in planes:
        ring = cells.clipped(ring, plane)
        if not len(ring):
            break
    return ring


def _edges(ring: Floats, normal: Floats) -> Floats:
    """The planes float64[n, 4] through a polygon's edges, that look out; its corners are clockwise from the front."""
    ways = np.roll(ring, -1, axis=0) - ring
    out = np.cross(normal, ways)
    lengths = np.sqrt((out * out).sum(axis=1))
    kept = lengths > 1e-6
    out = out[kept] / lengths[kept, None]
    return np.column_stack([out, (out * ring[kept]).sum(axis=1)])
