# SPDX-License-Identifier: GPL-3.0-or-later
"""Tiles: how flags turn a tile, and the run-length form that 0.7 maps store (teeworlds.md §3, §5).

One order of corners everywhere, :data:`CORNERS`: top left, bottom left, bottom right, top right. With Blender's y up
(= -map y) that ring runs counter-clockwise seen from +Z. A corner's number in it is `(3 * right) ^ down`.

An orientation moves that ring without tearing it: the cell's corner k shows the texture's corner `start + k` or, where
it mirrors, `start - k` (mod 4). That is all there is to flips and rotation, in both directions.
"""

from collections.abc import Iterator
from enum import IntFlag

import numpy as np
import numpy.typing as npt

from .. import ranges
from ..arrays import Bools, Int32s, Integers, Ints, Reals, Records, Singles
from ..binary import FormatError

CORNERS = ("top left", "bottom left", "bottom right", "top right")
ATLAS_CELLS = 16  # a tileset is 16 x 16 cells, whatever its size in pixels
_BLOCK = 1 << 14  # faces that are worked on at a time
_ALL_EIGHT = np.uint64(0x0101010101010101)  # eight bools that are true
MAX_RUN = 256  # tiles in one run: the skip byte counts those after the first


class TileFlag(IntFlag):
    """The flag byte of Tile and Switch records; flips come first, then the rotation."""

    XFLIP = 1  # mirrored left to right
    YFLIP = 2  # mirrored top to bottom
    OPAQUE = 4  # a hint for drawing that editors compute anew when they save; turns nothing
    ROTATE = 8  # 90 degrees clockwise on the screen


ORIENTATION = int(TileFlag.XFLIP | TileFlag.YFLIP | TileFlag.ROTATE)  # the bits that turn a tile: 8 ways, 8 values

# Texture corner that the cell's top left shows, and the way round from there, for each orientation.
_START_AND_STEP = {0: (0, 1), 1: (3, -1), 2: (1, -1), 3: (2, 1), 8: (1, 1), 9: (2, -1), 10: (0, -1), 11: (3, 1)}


def shown_corners() -> Ints:
    """The texture's corner that each corner of the cell shows: [16 values of the low flag bits, 4]."""
    ways = [_START_AND_STEP[flags & ORIENTATION] for flags in range(16)]
    return np.array([[(start + step * corner) % 4 for corner in range(4)] for start, step in ways])


def _atlas_table() -> Singles:
    """Atlas UVs of all tiles: [index * 16 + low flag bits, corner, (u, v)], v up. All are sixteenths: exact."""
    shown = shown_corners()
    right, down = shown >= 2, (shown == 1) | (shown == 2)
    row, column = np.divmod(np.arange(256)[:, None, None], ATLAS_CELLS)
    u = column + right
    v = ATLAS_CELLS - row - down
    return np.asarray(np.stack((u, v), axis=-1) / ATLAS_CELLS, np.float32).reshape(-1, 4, 2)


def _orientation_table() -> npt.NDArray[np.int8]:
    """Orientation bits by four nibbles `cell corner << 2 | texture corner`, one per face corner; -1 elsewhere.

    The face's corners may start anywhere in the ring and run either way round.
    """
    table = np.full(1 << 16, -1, np.int8)
    shown = shown_corners()
    for flags in _START_AND_STEP:
        for start in range(4):
            for step in (1, -1):
                ring = [(start + step * i) % 4 for i in range(4)]
                table[sum((corner << 2 | int(shown[flags, corner])) << 4 * i for i, corner in enumerate(ring))] = flags
    return table


_ATLAS = _atlas_table()
_ORIENTATIONS = _orientation_table()


def corner_uvs(index: Integers, flags: Integers, room: Singles | None = None) -> Singles:
    """Atlas UVs (v up) of tiles at their cells' corners, in the order of CORNERS.

    `index`, `flags`: integers [n] (only the lowest byte counts; bits that do not turn a tile are ignored).
    room: memory to put them into, float32 [8n] or more. Returns float32 [n, 4, 2], exact sixteenths. Fact: teeworlds.md
    §5.
    """
    index, flags = np.asarray(index), np.asarray(flags)
    uvs = np.empty((len(index), 8), np.float32) if room is None else room[: 8 * len(index)].reshape(-1, 8)
    for block in _blocks(len(index)):
        rows = (index[block].astype(np.intp) & 255) << 4 | (flags[block].astype(np.intp) & 15)
        _ATLAS.reshape(-1, 8).take(rows, axis=0, out=uvs[block], mode="clip")  # thrice as fast as _ATLAS[rows]
    return uvs.reshape(-1, 4, 2)


def same_uvs(uvs: Reals, others: Reals) -> Bools:
    """Which faces have the same UVs as others: float32 [n, 4, 2] each; bool [n]."""
    equal = np.ascontiguousarray((uvs == others).reshape(-1, 8))
    same: Bools = equal.view(np.uint64)[:, 0] == _ALL_EIGHT  # rows so short reduce slowly
    return same


def locate(points: Reals, tolerance: float) -> tuple[Int32s, npt.NDArray[np.int8]]:
    """Which unit cell each face of four corners fills, and which of its corners each face corner sits at.

    `points`: float [n, 4, 2] in cells, x right and y *down*. `tolerance`: how far from a corner a point may lie, in
    cells along each axis. Returns the cell (column, row) int32 [n, 2] and the corners' numbers in CORNERS int8 [n, 4];
    all four are -1 where a point is off the grid or the face spans more than one cell. Two face corners at one corner
    of the cell are not told apart here: :func:`orientations` refuses them. NaN, infinities and what int32 cannot hold
    are off.
    """
    points = np.asarray(points)
    cells, corners = np.empty((len(points), 2), np.int32), np.empty((len(points), 4), np.int8)
    for block in _blocks(len(points)):
        cells[block], corners[block] = _locate(_columns(points[block]), tolerance)
    return cells, corners


def _blocks(count: int) -> Iterator[slice]:
    """Slices of `count` faces, so small that all that is made on the way stays in the processor's cache."""
    return (slice(start, start + _BLOCK) for start in range(0, count, _BLOCK))


def _columns(points: Reals) -> Reals:
    """Points [n, 4, 2] as [8, n], x and y of the four corners in turn: loops run along n, not along the corners."""
    return np.array(points.reshape(len(points), 8).T, order="C")


def _locate(columns: Reals, tolerance: float) -> tuple[Int32s, npt.NDArray[np.int8]]:
    """:func:`locate` of :func:`_columns`."""
    nearest = np.rint(columns)
    with np.errstate(invalid="ignore"):  # NaN and infinities fail these comparisons, as they should
        fine = (np.abs(columns - nearest) <= tolerance).all(axis=0)
        fine &= (np.abs(nearest) < 2**30).all(axis=0)
        nearest[:, ~fine] = 0
    x, y = nearest[0::2].astype(np.int32), nearest[1::2].astype(np.int32)
    column, row = x.min(axis=0), y.min(axis=0)
    right, down = x - column, y - row
    fine &= ((right | down) <= 1).all(axis=0)
    corners = ((right * 3) ^ down).astype(np.int8)
    corners[:, ~fine] = -1
    return np.stack((column, row), axis=-1), corners.T


def orientations(cell_corners: Integers, texture_corners: Integers) -> npt.NDArray[np.int8]:
    """Flag bits that turn a tile so: the inverse of what :func:`corner_uvs` does with flags.

    `cell_corners`, `texture_corners`: integers [n, 4] as :func:`locate` gives them: the corner of the cell that each
    corner of the face sits at, and the corner of the texture that it shows. The face may start at any corner and run
    either way round. Returns int8 [n]: a combination of XFLIP, YFLIP and ROTATE, or -1 where there is none.
    """
    cell, texture = np.asarray(cell_corners).T, np.asarray(texture_corners).T
    code = np.zeros(cell.shape[1], np.uint16)
    for corner in range(4):
        nibble = (cell[corner] & 3) << 2 | (texture[corner] & 3)
        code |= nibble.astype(np.uint16) << np.uint16(4 * corner)
    found = _ORIENTATIONS[code]
    found[(cell < 0).any(axis=0) | (texture < 0).any(axis=0)] = -1
    return found


def tiles_from_uvs(
    cell_corners: Integers, uvs: Reals, tolerance: float = 0.25
) -> tuple[npt.NDArray[np.int16], npt.NDArray[np.int8]]:
    """Index and orientation bits of tiles from their faces: the inverse of :func:`corner_uvs`.

    `cell_corners`: integers [n, 4], the corner of the cell that each corner of the face sits at (:func:`locate` of the
    positions). `uvs`: float [n, 4, 2], the face's atlas UVs, v up. `tolerance`: of a cell of the atlas.
    Returns index int16 [n] (0-255) and flags int8 [n] (XFLIP, YFLIP, ROTATE); both -1 where the UVs show no whole cell
    of the atlas in one of the 8 orientations.
    """
    cell_corners, uvs = np.asarray(cell_corners), np.asarray(uvs)
    index, flags = np.empty(len(uvs), np.int16), np.empty(len(uvs), np.int8)
    for block in _blocks(len(uvs)):
        columns = _columns(uvs[block])
        columns *= ATLAS_CELLS
        columns[1::2] = ATLAS_CELLS - columns[1::2]
        cells, texture_corners = _locate(columns, tolerance)
        turned = orientations(cell_corners[block], texture_corners)
        turned[((cells < 0) | (cells >= ATLAS_CELLS)).any(axis=1)] = -1
        flags[block] = turned
        index[block] = np.where(turned < 0, -1, cells[:, 1] * ATLAS_CELLS + cells[:, 0])
    return index, flags


def expand_runs(tiles: Records, count: int) -> Records:
    """The `count` tiles that run-length records of a v4 layer stand for; runs cross the ends of rows.

    `tiles`: structured Tile records [m] (index, flags, skip, reserved: 4 bytes): a record with skip s stands for s + 1
    tiles. Returns the same dtype [count] with skip 0. As in the game, a last run that is too long is cut; records
    that nothing is left for are not read (:func:`unread_runs` counts them). Raises FormatError where they end too soon,
    before anything is allocated.
    """
    lengths = tiles["skip"].astype(np.intp) + 1
    total = int(lengths.sum())
    if total < count:
        raise FormatError(f"the runs end after {total} of {count} tiles", reading="tile runs")
    if total > count:
        used = int(np.searchsorted(np.cumsum(lengths), count)) + 1
        lengths = lengths[:used]
        lengths[-1] -= int(lengths.sum()) - count
    words = np.repeat(np.ascontiguousarray(tiles[: len(lengths)]).view("<u4"), lengths)
    expanded: Records = words.view(tiles.dtype)
    expanded["skip"] = 0
    return expanded


def unread_runs(tiles: Records, count: int) -> int:
    """How many records at the end of `tiles` stand for no tile, the `count` being reached before them."""
    ends = np.cumsum(tiles["skip"].astype(np.intp) + 1)
    return max(0, len(tiles) - int(np.searchsorted(ends, count)) - 1) if count else len(tiles)


def compress_runs(tiles: Records) -> Records:
    """Tiles in the run-length form of a v4 layer, as the game writes it: greedy, at most 256 tiles a run.

    `tiles`: structured Tile records of any shape, row by row; their skip is not looked at. Returns records [m] of the
    same dtype. Tiles of one run agree in index, flags and reserved (the game compares the first two, its third is 0).
    """
    flat = np.array(tiles).reshape(-1)
    flat["skip"] = 0
    words = flat.view("<u4")
    if not len(words):
        return flat
    starts = np.flatnonzero(ranges.firsts(words))
    lengths = np.diff(starts, append=len(words))
    pieces = -(-lengths // MAX_RUN)  # a longer run is several records
    first = np.repeat(np.cumsum(pieces) - pieces, pieces)
    offset = (np.arange(len(first)) - first) * MAX_RUN
    records = flat[np.repeat(starts, pieces)]
    records["skip"] = np.minimum(np.repeat(lengths, pieces) - offset, MAX_RUN) - 1
    return records
