# SPDX-License-Identifier: GPL-3.0-or-later
"""A stroke of the stamp tool: cells in turn, stamped into layers. It knows no mouse."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....formats.arrays import Bools, Ints
from ....formats.teeworlds import stamps
from ....formats.teeworlds.stamps import TileStamp
from ....formats.teeworlds.tiles import TileFlag
from ..automapping.live import Automapping
from ..tiles.automap import draw
from ..tiles.grid import TileGrid
from .targets import Cell

Cells = Ints


class StampStroke:
    """Begins nowhere; `to` takes it from cell to cell; then `finish` or `abandon`."""

    def __init__(
        self,
        grids: Sequence[TileGrid],
        held: Sequence[TileStamp | None],
        mode: str = "PENCIL",
        size: int = 1,
        air: bool = True,
        mappers: Sequence[Automapping | None] = (),
    ) -> None:
        """A stroke over layers. held: what to put into each, None: air. mode: of `held.MODES`. size: how often a stamp
        is repeated in each direction. air: whether a stamp's empty cells take tiles away. mappers: what draws on each
        layer when the stroke ends.
        """
        self.mappers = list(mappers) or [None] * len(grids)
        self.grids, self.held, self.mode, self.size, self.air = list(grids), list(held), mode, size, air
        self._start: Cell | None = None
        self._last: Cell | None = None
        self._shown: list[Cells] = [np.zeros(0, np.int64) for _ in self.grids]
        """By layer the cells that a line or a rectangle covers now."""

    def to(self, cell: Cell) -> None:
        """Go on to a cell (column, row), which may lie beyond the layers; the first one begins the stroke."""
        if cell == self._last:
            return
        start = self._start = self._start or cell
        last, self._last = self._last or cell, cell
        if self.mode == "FILL" and cell != start:
            return
        for number, (grid, stamp) in enumerate(zip(self.grids, self.held, strict=True)):
            if self.mode == "PENCIL":
                self._put(grid, stamp, *self._along(stamps.line(last, cell), stamp))
            elif self.mode == "FILL":
                self._flood(grid, stamp, start)
            else:
                cells, places = self._shape(start, cell, stamp)
                now = _numbers(grid, cells)
                grid.undo(np.setdiff1d(self._shown[number], now, assume_unique=True))
                self._put(grid, stamp, cells, places)
                self._shown[number] = now

    def _brush(self, stamp: TileStamp | None) -> tuple[int, int]:
        """Height and width of what is put at a place."""
        height, width = (1, 1) if stamp is None else stamp.shape
        return height * self.size, width * self.size

    def _along(self, places: Cells, stamp: TileStamp | None) -> tuple[Cells, Cells]:
        """Cells [k, 2] under the brush at some places, and the cells of the stamp that come to lie there."""
        height, width = self._brush(stamp)
        middle = np.array((width // self.size, height // self.size)) * ((self.size - 1) // 2)
        corners = places - middle
        cells, owner = stamps.swept(corners, (height, width))
        return cells, cells - corners[owner]

    def _shape(self, start: Cell, end: Cell, stamp: TileStamp | None) -> tuple[Cells, Cells]:
        """The same, of a line or a rectangle; the stamp repeats from its beginning on."""
        if self.mode == "LINE":
            cells, _ = self._along(stamps.line(start, end), stamp)
            return cells, cells - np.array(start)
        area = stamps.between(start, end)
        cells = stamps.cells_of(area)
        return cells, cells - np.array(area[:2])

    def _flood(self, grid: TileGrid, stamp: TileStamp | None, start: Cell) -> None:
        if not (0 <= start[0] < grid.shape[1] and 0 <= start[1] < grid.shape[0]):
            return
        alike = np.ones(grid.shape, np.bool_)
        for name, field in grid.values.items():
            told = field & ~int(TileFlag.OPAQUE) if name == "flags" else field  # OPAQUE is nothing that one sees
            alike &= told == told[start[1], start[0]]
        rows, columns = np.nonzero(stamps.flood(alike, start))
        cells = np.stack((columns, rows), axis=-1)
        self._put(grid, stamp, cells, cells - np.array(start))

    def _put(self, grid: TileGrid, stamp: TileStamp | None, cells: Cells, places: Cells) -> None:
        """Put the stamp's tiles at `places` (it repeats) into `cells`, [k, 2] each: those that the layer has."""
        inside = _within(grid, cells)
        cells, places = cells[inside], places[inside]
        numbers = cells[:, 1] * grid.shape[1] + cells[:, 0]
        if stamp is None:
            grid.put(numbers, {"index": 0})
            return
        values = stamp.at(places[:, 0], places[:, 1])
        if not self.air:
            there = values["index"] > 0
            numbers, values = numbers[there], {name: field[there] for name, field in values.items()}
        grid.put(numbers, values)

    def finish(self) -> bool:
        """Let go, and let automappers follow; False: no tile is another than before."""
        for grid, mapper in zip(self.grids, self.mappers, strict=True):
            area = grid.changed() if mapper is not None else None
            if mapper is not None and area is not None:
                draw(grid, mapper, area)
        changed = [grid.finish() for grid in self.grids]
        return any(changed)

    def unknown(self) -> list[str]:
        """What to say of tiles that it put into layers, and that the game doesn't know there."""
        found = []
        for grid, stamp in zip(self.grids, self.held, strict=True):
            indices = stamps.unknown(grid.kind, stamp.values["index"]) if stamp is not None else []
            if indices:
                found.append(f"{grid.layer.name}: {stamps.unknown_in_words(grid.kind, indices)}")
        return found

    def abandon(self) -> None:
        """Give all layers back what was there before."""
        for grid in self.grids:
            grid.restore()


def _within(grid: TileGrid, cells: Cells) -> Bools:
    inside: Bools = ((cells >= 0) & (cells < (grid.shape[1], grid.shape[0]))).all(axis=1)
    return inside


def _numbers(grid: TileGrid, cells: Cells) -> Cells:
    """The numbers of those cells [k, 2] that a layer has."""
    kept = cells[_within(grid, cells)]
    numbers: Cells = kept[:, 1] * grid.shape[1] + kept[:, 0]
    return numbers


def picked(grids: Sequence[TileGrid], start: Cell, end: Cell) -> list[TileStamp]:
    """The stamps with two cells at opposite corners, one for each layer. Raises ValueError for what lies outside."""
    area = stamps.between(start, end)
    return [stamps.of_cells(grid.kind, grid.values, area) for grid in grids]
