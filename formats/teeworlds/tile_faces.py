# SPDX-License-Identifier: GPL-3.0-or-later
"""Tiles as faces of a mesh, and faces back to tiles: where each lies, what it shows, what its attributes say.

A face is one tile. Its place gives the cell, its `id` the record that it came from (which keeps the bytes that Blender
doesn't show). What it is can be told twice: by the attributes, and by the texture's corners at the cell's corners. What
differs from the record was edited: if only one side was, it decides; if both were and they disagree, nobody can tell
what was meant and the tiles are refused. Faces without a record are what their attributes say or, where those are 0,
what they show.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..arrays import Integers
from . import tiles as tile_geometry
from .tiles import ORIENTATION, TileFlag

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int32]
Tiles = npt.NDArray[np.void]  # structured


@dataclass(frozen=True)
class TileFields:
    """How one kind of tile record maps to face attributes and, for layers kept as images, to image channels."""

    attributes: dict[str, str]
    """Face attribute -> field of the record's dtype. "index" is the byte that says what the tile is (the record's
    `index`, or `type` of the special layers): 0 is air and gets no face."""
    images: tuple[tuple[tuple[str, int], ...], ...]
    """Up to two RGB images a layer; each lists the (attribute, shift) of its red, green and blue channel, the channel
    holding `(value >> shift) & 255`. The images' alpha is always 255. Their top row is map row y = 0."""


_TILE = TileFields({"index": "index", "flags": "flags"}, ((("index", 0), ("flags", 0)),))
_NUMBERED = TileFields({"index": "type", "number": "number"}, ((("index", 0), ("number", 0)),))
TILE_FIELDS: dict[str, TileFields] = {
    "TILES": _TILE,
    "GAME": _TILE,
    "FRONT": _TILE,
    "TELE": _NUMBERED,
    "TUNE": _NUMBERED,
    "SWITCH": TileFields(
        {"index": "type", "flags": "flags", "number": "number", "delay": "delay"},
        ((("index", 0), ("flags", 0), ("number", 0)), (("delay", 0),)),
    ),
    "SPEEDUP": TileFields(
        {"index": "type", "force": "force", "max_speed": "max_speed", "angle": "angle"},
        ((("index", 0), ("force", 0), ("max_speed", 0)), (("angle", 0), ("angle", 8))),
    ),
}
"""By name of the TileKind (teeworlds.md §3)."""

RING_X = np.array((0, 0, 1, 1), np.float32)
RING_Y = np.array((0, -1, -1, 0), np.float32)
"""Corners of a cell in the order of `tiles.CORNERS`, y up."""
_BLOCK = 1 << 13  # cells that are worked on at a time, so that what is made on the way stays in the processor's cache

SNAP = 1 / 16
"""How far from the grid a tile's corner may lie, in tiles (2 px)."""
NAMED = 5
"""Places that a message names before it only counts."""


_NOTHING, _UNCLEAR = -1, -2


class TileError(Exception):
    """Faces that can't be tiles of their layer."""

    def __init__(self, message: str, faces: Integers) -> None:
        super().__init__(message)
        self.message = message
        self.faces = np.asarray(faces)
        """Their numbers in the mesh, int [m]."""


@dataclass(frozen=True, slots=True)
class TileFaces:
    """What a layer's mesh holds, a row a face."""

    corners: npt.NDArray[np.float64]
    """[n, 4, 2]: positions in tiles from the layer's top left corner, x right and y *down*."""
    uvs: npt.NDArray[np.float32] | None
    """[n, 4, 2], v up; None without a UV map."""
    ids: Ints
    """[n]: the number of the record's cell + 1, or 0 for none."""
    attributes: Mapping[str, Ints]
    """[n] each, by name (see TILE_FIELDS); those that the mesh lacks are absent."""


def is_air(tiles: Tiles, kind: str) -> Bools:
    """Which tile records of a layer of `kind` (a key of TILE_FIELDS) are air, that is have no face. Any shape."""
    air: Bools = tiles[TILE_FIELDS[kind].attributes["index"]] == 0
    return air


def corner_positions(
    column: npt.NDArray[np.int32], row: npt.NDArray[np.int32], shape: tuple[int, ...]
) -> npt.NDArray[np.float32]:
    """float32 [4n, 3]: the corners of cells, in the order of tiles.CORNERS, z 0. shape: height and width of the layer.

    Sums of what each column and each row contributes, looked up for a cell at once and block by block: a third of the
    time that writing x and y of all corners in turn takes, because memory is what it costs.
    """
    height, width = shape
    of_column, of_row = np.zeros((width, 4, 3), np.float32), np.zeros((height, 4, 3), np.float32)
    of_column[:, :, 0] = np.arange(width, dtype=np.float32)[:, None] + RING_X
    of_row[:, :, 1] = RING_Y - np.arange(height, dtype=np.float32)[:, None]
    positions = np.empty((len(column), 12), np.float32)
    for start in range(0, len(column), _BLOCK):
        block = slice(start, start + _BLOCK)
        of_column.reshape(-1, 12).take(column[block], axis=0, out=positions[block], mode="clip")
        positions[block] += of_row.reshape(-1, 12).take(row[block], axis=0, mode="clip")
    return positions.reshape(-1, 3)


def read_tiles(faces: TileFaces, kind: str, original: Tiles, shape: tuple[int, int]) -> Tiles:
    """The tile records [height, width] that the faces of a layer of `kind` stand for, in `original`'s dtype.

    `original`: the records [h, w] that the layer was drawn from ([0, 0] for a new layer); its air keeps its bytes where
    nothing lies on it. `shape`: the (height, width) wanted. Raises TileError.
    """
    cells, corners = _cells(faces.corners, shape)
    records = _records(faces, corners, cells, kind, original)
    result = resized(original, shape)
    result[~is_air(result, kind)] = 0
    result[cells[:, 1], cells[:, 0]] = records
    return result


def resized(tiles: Tiles, shape: tuple[int, int]) -> Tiles:
    """A copy of the records [h, w] cut or filled up with zeros to `shape`, right and below."""
    if tiles.shape == tuple(shape):
        return tiles.copy()  # a quarter of the time
    result = np.zeros(shape, tiles.dtype)
    height, width = np.minimum(shape, tiles.shape)
    result[:height, :width] = tiles[:height, :width]
    return result


def turned_angle(angle: Ints, orientation: Integers) -> Ints:
    """Speedup angles (degrees, 0 = right, clockwise) after the tile was turned to `orientation`; the rest stays as is.

    As with flags, the flips come first, then the rotation. Only angles that turn are brought into 0..359.
    """
    turned = angle.astype(np.int32)
    turned = np.where(orientation & TileFlag.XFLIP, 180 - turned, turned)
    turned = np.where(orientation & TileFlag.YFLIP, -turned, turned)
    turned = np.where(orientation & TileFlag.ROTATE, turned + 90, turned)
    return np.where(orientation > 0, turned % 360, angle).astype(np.int32)


def _cells(points: npt.NDArray[np.float64], shape: tuple[int, int]) -> tuple[Ints, npt.NDArray[np.int8]]:
    """Column and row of each face, and the corners of the cell that its corners sit at; refuses what fits no cell."""
    height, width = shape
    cells, corners = tile_geometry.locate(points, SNAP)
    # A ring of four different corners isn't turned against itself; anything else is twisted or folded.
    off_grid = tile_geometry.orientations(corners, corners) != 0
    if off_grid.any():
        _refuse(off_grid, "not on the grid (a tile fills one cell)", points.mean(axis=1) - 0.5)
    column, row = cells[:, 0], cells[:, 1]
    outside = (column < 0) | (column >= width) | (row < 0) | (row >= height)
    _refuse(outside, f"outside the layer ({width} x {height})", cells)
    places = row.astype(np.intp) * width + column
    _refuse(np.bincount(places, minlength=1)[places] > 1, "overlapping", cells)
    return cells, corners


def _records(faces: TileFaces, corners: npt.NDArray[np.int8], cells: Ints, kind: str, original: Tiles) -> Tiles:
    """One record a face: that of its id with the fields that were edited, or a new one."""
    known = (faces.ids > 0) & (faces.ids <= original.size)
    records = np.zeros(len(cells), original.dtype)
    records[known] = original.reshape(-1)[faces.ids[known] - 1]
    fields = TILE_FIELDS[kind].attributes
    stored = {name: records[field].astype(np.int32) for name, field in fields.items()}
    # An attribute that the mesh lacks says nothing: what the record says, 0 for new faces.
    attributes = {name: faces.attributes.get(name, stored[name]) for name in fields}
    shown_index, shown_way = _shown(faces, corners, known, stored)

    index = _decide(attributes["index"], stored["index"], shown_index, known)
    _refuse((index == 0) & ~known, "new, and neither an index nor the texture says which tile", cells)
    _refuse(index == _UNCLEAR, "two tiles at once: the index attribute and the texture disagree", cells)
    _refuse(index == _NOTHING, "textured with no whole tile of the image", cells)
    decided = attributes | {"index": index}
    if "flags" in fields:
        decided["flags"] = _flags(attributes["flags"], stored["flags"], shown_way, known, cells)
        if kind != "SWITCH":
            # OPAQUE describes the picture that the tile had: where nobody set it, it doesn't hold for another one.
            stale = known & (index != stored["index"]) & (attributes["flags"] == stored["flags"])
            decided["flags"][stale] &= ~int(TileFlag.OPAQUE)
    if "angle" in fields:
        decided["angle"] = _angle(attributes["angle"], stored["angle"], shown_way, known, cells)
    for name, field in fields.items():
        _store(records, field, decided[name], name, cells)
    return records


def _flags(attribute: Ints, stored: Ints, shown: Ints, known: Bools, cells: Ints) -> Ints:
    """Flag bytes: the bits that turn a tile from attribute or geometry, the others from the attribute."""
    way = _decide(attribute & ORIENTATION, stored & ORIENTATION, shown, known)
    _refuse(way < 0, "turned in two ways: the flags attribute and the geometry disagree", cells)
    return (attribute & ~ORIENTATION) | way


def _angle(attribute: Ints, stored: Ints, shown: Ints, known: Bools, cells: Ints) -> Ints:
    """Speedup angles: these are drawn unturned, so an orientation is an edit."""
    edited = known & (attribute != stored)
    turned = turned_angle(np.where(known, stored, attribute), shown)
    _refuse(
        edited & (shown > 0) & (turned != attribute), "turned in two ways: the angle and the geometry disagree", cells
    )
    return np.where(edited, attribute, turned)


def _shown(
    faces: TileFaces, corners: npt.NDArray[np.int8], known: Bools, stored: Mapping[str, Ints]
) -> tuple[Ints, Ints]:
    """Index and orientation that each face shows, -1 where it shows none; without a UV map nothing was edited there."""
    if faces.uvs is None:
        index, flags = stored["index"], stored.get("flags", np.zeros_like(stored["index"]))
        return np.where(known, index, _NOTHING), np.where(known, flags & ORIENTATION, _NOTHING)
    shown_index, shown_way = tile_geometry.tiles_from_uvs(corners, faces.uvs)
    return shown_index.astype(np.int32), shown_way.astype(np.int32)


def _decide(attribute: Ints, stored: Ints, shown: Ints, known: Bools) -> Ints:
    """The value told by attribute, record and texture, _NOTHING or _UNCLEAR.

    A face with a record: the side that differs from it was edited. A new face: its attribute, or its texture where the
    attribute is 0, as Blender leaves it on new faces.
    """
    edited = np.where((shown == stored) | (shown == attribute), attribute, _UNCLEAR)
    new = np.where(shown < 0, attribute, np.where((attribute == 0) | (attribute == shown), shown, _UNCLEAR))
    return np.where(known, np.where(attribute == stored, shown, edited), new).astype(np.int32)


def _store(records: Tiles, field: str, values: Ints, name: str, cells: Ints) -> None:
    limits = np.iinfo(records.dtype[field])
    _refuse((values < limits.min) | (values > limits.max), f"given a {name} outside {limits.min}..{limits.max}", cells)
    records[field] = values


def _refuse(bad: Bools, what: str, places: npt.NDArray[np.float64] | Ints) -> None:
    """Raises TileError where any face is `bad`, with the first places (column, row)."""
    faces = np.flatnonzero(bad)
    if not len(faces):
        return
    named = list(dict.fromkeys(f"({x:.6g}, {y:.6g})" for x, y in places[faces[: 4 * NAMED]].tolist()))[:NAMED]
    tiles = "1 tile is" if len(faces) == 1 else f"{len(faces)} tiles are"
    raise TileError(f"{tiles} {what}: at {', '.join(named)}{' ...' if len(faces) > NAMED else ''}", faces)
