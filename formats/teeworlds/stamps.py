# SPDX-License-Identifier: GPL-3.0-or-later
"""Stamps: rectangles of tiles that are put into layers, flipped and turned as the game's editor does; and the cells
that strokes go over. Arrays in, arrays out.

Columns and rows count from the layer's top left corner. A stamp holds the fields of its kind of layer by the names that
faces have (`tile_faces.TILE_FIELDS`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Bytes, Int32s, Integers, Ints
from .tile_faces import TILE_FIELDS, turned_angle
from .tiles import ATLAS_CELLS, ORIENTATION, TileFlag, shown_corners

Places = Ints
Rectangle = tuple[int, int, int, int]
"""Column and row of the top left cell, width and height."""

FLIP_X, FLIP_Y, TURN = "FLIP_X", "FLIP_Y", "TURN"
"""Ways to change a stamp: mirrored left to right, top to bottom, turned by 90 degrees clockwise."""
# The corner of the stamp (`tiles.CORNERS`) that comes to lie at each corner, and the orientation that this is.
_CORNERS_OF = {FLIP_X: (3, 2, 1, 0), FLIP_Y: (1, 0, 3, 2), TURN: (1, 2, 3, 0)}
_WAYS = {FLIP_X: TileFlag.XFLIP, FLIP_Y: TileFlag.YFLIP, TURN: TileFlag.ROTATE}

TURNABLE = frozenset({60, 61, 64, 65, 67, 190, 191, *range(197, 203), *range(224, 230)})
"""Tiles of the game, front and switch layers that point somewhere: the game's editor clears the flags of all others
when it flips or turns them (`IsRotatableTile` in DDNet's mapitems.cpp)."""
KNOWN: Mapping[str, frozenset[int]] = {
    "TELE": frozenset({10, 14, 15, 26, 27, 29, 30, 31, 63}),
    "SPEEDUP": frozenset({28, 29}),
    "SWITCH": frozenset(
        {7, 9, 12, 13, 19, 20, 22, 23, 24, 25, 79, 95, 98, 99, 144, 145, *range(197, 230), *range(233, 239), 240}
    ),
    "TUNE": frozenset({68}),
}
"""By kind of layer the indices that DDNet knows there (`IsValidSpeedupTile` and others in its mapitems.cpp); with any
other the game does nothing. Drawn tiles have them all, and game types of their own use any in game and front layers."""
DEFAULTS = {"number": 1, "delay": 0, "force": 2, "max_speed": 0, "angle": 0}
"""What the fields of new tiles are, besides index and flags, where nothing else is said."""


def _turned_flags() -> dict[str, Int32s]:
    """By way, the flags of a tile whose flags were 0..15: OPAQUE stays."""
    shown = shown_corners()
    flags_of = {tuple(shown[flags].tolist()): flags for flags in range(16) if flags & ORIENTATION == flags}
    tables = {}
    for way, corners in _CORNERS_OF.items():
        turned = [flags_of[tuple(shown[flags][list(corners)].tolist())] | (flags & ~ORIENTATION) for flags in range(16)]
        tables[way] = np.array(turned, np.int32)
    return tables


_TURNED = _turned_flags()


def unknown(kind: str, index: Integers) -> list[int]:
    """The indices among these (any shape) that DDNet doesn't know in this kind of layer, in order; 0 is air."""
    found: list[int] = np.unique(index).tolist()
    return [one for one in found if one and kind in KNOWN and one not in KNOWN[kind]]


def unknown_in_words(kind: str, indices: Sequence[int]) -> str:
    """What to say of indices that DDNet doesn't know in this kind of layer."""
    known = sorted(KNOWN[kind])
    named = ", ".join(map(str, known[:10])) + (", ..." if len(known) > 10 else "")
    some = ", ".join(map(str, indices[:5]))
    return f"{some}: no {kind.lower()} of the game's, which knows {named}: it does nothing there"


def turned_flags(flags: Integers, way: str) -> Int32s:
    """The flags (any shape) of tiles that are flipped or turned once more (FLIP_X, FLIP_Y, TURN)."""
    flags = np.asarray(flags).astype(np.int32)
    turned: Int32s = (flags & ~15) | _TURNED[way][flags & 15]
    return turned


@dataclass(frozen=True, eq=False)
class TileStamp:
    """A rectangle of tiles of one kind of layer."""

    kind: str
    """Name of the TileKind."""
    values: Mapping[str, Int32s]
    """The kind's fields by name, [h, w] each; index 0 is air."""

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width in tiles."""
        height, width = self.values["index"].shape
        return height, width

    @property
    def tiles(self) -> bytes:
        """All of its tiles: the same of equal stamps of a shape."""
        return b"".join(self.values[name].tobytes() for name in sorted(self.values))

    def changed(self, way: str) -> "TileStamp":
        """Flipped or turned (FLIP_X, FLIP_Y, TURN), tiles and their directions together."""
        moved = {name: np.ascontiguousarray(_moved(field, way)) for name, field in self.values.items()}
        if "flags" in moved:
            turned = turned_flags(moved["flags"], way)
            if self.kind != "TILES":
                turned[~np.isin(moved["index"], tuple(TURNABLE))] = 0
            moved["flags"] = turned
        if "angle" in moved:
            moved["angle"] = turned_angle(moved["angle"], np.full(moved["angle"].shape, int(_WAYS[way])))
        return TileStamp(self.kind, moved)

    def with_field(self, name: str, value: int) -> "TileStamp":
        """The same with one value of a field in all tiles that aren't air."""
        if name not in self.values:
            return self
        return TileStamp(self.kind, {**self.values, name: np.where(self.values["index"] > 0, np.int32(value), 0)})

    def as_kind(self, kind: str) -> "TileStamp":
        """The same tiles for another kind of layer: the fields that both have, the others as new tiles have them."""
        if kind == self.kind:
            return self
        index = self.values["index"]
        fields = TILE_FIELDS[kind].attributes
        rest = {name: np.where(index > 0, np.int32(DEFAULTS.get(name, 0)), 0) for name in fields}
        return TileStamp(kind, {**rest, **{name: value for name, value in self.values.items() if name in fields}})

    def painted(self, tileset: Bytes, size: int) -> Bytes:
        """A picture of it, uint8[h, w, 4], about so many pixels large, one a tile at least. tileset: the same, of
        16 x 16 tiles, the top row first.
        """
        height, width = self.shape
        side = max(1, size // max(height, width))
        pixels = np.arange(ATLAS_CELLS * side)
        small = tileset[pixels * tileset.shape[0] // len(pixels)][:, pixels * tileset.shape[1] // len(pixels)]
        tiles = small.reshape(ATLAS_CELLS, side, ATLAS_CELLS, side, 4).swapaxes(1, 2).reshape(-1, side, side, 4)
        index, flags = self.values["index"], self.values.get("flags", np.zeros(self.shape, np.int32)) & ORIENTATION
        cells = np.zeros((height, width, side, side, 4), np.uint8)
        for one in np.unique(flags):
            turned = tiles[:, :, ::-1] if one & TileFlag.XFLIP else tiles
            turned = turned[:, ::-1] if one & TileFlag.YFLIP else turned
            turned = np.rot90(turned, -1, (1, 2)) if one & TileFlag.ROTATE else turned
            chosen = (flags == one) & (index > 0)
            cells[chosen] = turned[index[chosen]]
        return cells.swapaxes(1, 2).reshape(height * side, width * side, 4)

    def at(self, columns: Integers, rows: Integers) -> dict[str, Int32s]:
        """The fields [k] at places counted from the stamp's top left corner; it repeats in all directions."""
        height, width = self.shape
        places = np.asarray(rows) % height * width + np.asarray(columns) % width
        return {name: field.reshape(-1)[places] for name, field in self.values.items()}


def _moved(field: Int32s, way: str) -> Int32s:
    if way == TURN:
        return np.rot90(field, -1)
    return field[:, ::-1] if way == FLIP_X else field[::-1]


def of_palette(kind: str, area: Rectangle, fields: Mapping[str, int] | None = None) -> TileStamp:
    """The stamp that is cut out of a tileset. area: in cells of its 16 x 16. fields: besides the index.

    What the kind of layer doesn't know (KNOWN) is air.
    """
    column, row, width, height = area
    index = (row + np.arange(height)[:, None]) * ATLAS_CELLS + column + np.arange(width)
    values = {name: np.full((height, width), DEFAULTS.get(name, 0), np.int32) for name in TILE_FIELDS[kind].attributes}
    values |= {
        name: np.full((height, width), value, np.int32) for name, value in (fields or {}).items() if name in values
    }
    if kind in KNOWN:
        index[~np.isin(index, list(KNOWN[kind]))] = 0
    air = index == 0
    return TileStamp(
        kind,
        {name: np.where(air, 0, field).astype(np.int32) for name, field in values.items()}
        | {"index": index.astype(np.int32)},
    )


def of_cells(kind: str, values: Mapping[str, Int32s], area: Rectangle) -> TileStamp:
    """The stamp that is cut out of a layer with these fields, [h, w] each; what reaches beyond it is left out.

    Raises ValueError where nothing is left.
    """
    column, row, width, height = clipped(area, values["index"].shape)
    part = (slice(row, row + height), slice(column, column + width))
    return TileStamp(kind, {name: values[name][part].copy() for name in TILE_FIELDS[kind].attributes})


# ---- cells


def between(start: tuple[int, int], end: tuple[int, int]) -> Rectangle:
    """The rectangle with these two cells (column, row) at opposite corners."""
    (x0, x1), (y0, y1) = sorted((start[0], end[0])), sorted((start[1], end[1]))
    return x0, y0, x1 - x0 + 1, y1 - y0 + 1


def clipped(area: Rectangle, shape: tuple[int, ...]) -> Rectangle:
    """The part of a rectangle that is within a layer of this (height, width). Raises ValueError where there is none."""
    column, row = max(area[0], 0), max(area[1], 0)
    width, height = min(area[0] + area[2], shape[1]) - column, min(area[1] + area[3], shape[0]) - row
    if width < 1 or height < 1:
        raise ValueError(f"{area} is outside of {shape[1]} x {shape[0]} tiles")
    return column, row, width, height


def cells_of(area: Rectangle) -> Places:
    """The cells (column, row) of a rectangle, row by row: int64 [k, 2]."""
    column, row, width, height = area
    rows, columns = np.divmod(np.arange(width * height, dtype=np.int64), max(width, 1))
    return np.stack((column + columns, row + rows), axis=-1)


def line(start: tuple[int, int], end: tuple[int, int]) -> Places:
    """The cells (column, row) from one to another, both included, without gaps: int64 [k, 2]."""
    steps = max(abs(end[0] - start[0]), abs(end[1] - start[1]))
    part = np.arange(steps + 1)[:, None] / max(steps, 1)
    # Halves are rounded up on the way there and back: a line is the same cells in both directions.
    cells: Places = np.floor(np.array(start) + part * (np.array(end) - np.array(start)) + 0.5).astype(np.int64)
    return cells


def swept(places: Places, shape: tuple[int, int]) -> tuple[Places, Places]:
    """All cells that rectangles of this (height, width) cover whose top left cells are `places`, in turn.

    Returns cells int64 [k, 2], each once, and the number of the place that covers each last.
    """
    inner = cells_of((0, 0, shape[1], shape[0]))
    cells = (places[:, None] + inner).reshape(-1, 2)
    owner = np.repeat(np.arange(len(places), dtype=np.int64), len(inner))
    keys = (cells[:, 1] << 32) + cells[:, 0]
    _, last = np.unique(keys[::-1], return_index=True)
    kept = len(keys) - 1 - last
    return cells[kept], owner[kept]


def flood(alike: Bools, start: tuple[int, int]) -> Bools:
    """The cells [h, w] that hang together with one (column, row) over their edges, all of them `alike` [h, w]."""
    region = np.zeros(alike.shape, np.bool_)
    if not alike[start[1], start[0]]:
        return region
    padded = np.pad(alike, ((0, 0), (1, 0)))
    runs = (np.cumsum(padded[:, 1:] & ~padded[:, :-1]) - 1).reshape(alike.shape)  # which run of its row a cell is in
    both = alike[1:] & alike[:-1]
    pairs = np.unique(runs[1:][both] * np.int64(alike.size) + runs[:-1][both])
    joined = _joined(*np.divmod(pairs, np.int64(alike.size)), count=int(runs.max()) + 1)
    region[alike] = joined[runs[alike]] == joined[runs[start[1], start[0]]]
    return region


def _joined(ones: Places, others: Places, count: int) -> Places:
    """The lowest of all that each of `count` things hangs together with, where ones[n] does with others[n]."""
    lowest = np.arange(count, dtype=np.int64)
    while True:
        low = np.minimum(lowest[ones], lowest[others])
        before = lowest.copy()
        np.minimum.at(lowest, lowest[ones], low)
        np.minimum.at(lowest, lowest[others], low)
        while not np.array_equal(lowest, shorter := lowest[lowest]):
            lowest = shorter
        if np.array_equal(lowest, before):
            return lowest
