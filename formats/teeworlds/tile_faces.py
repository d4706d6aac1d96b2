# SPDX-License-Identifier: GPL-3.0-or-later
"""Tiles as faces of a mesh, and faces back to tiles: where each lies, what it shows, what its attributes say.

A face is one tile. Its place gives the cell, its `id` the record that it came from (which keeps the bytes that Blender
doesn't show). What it is can be told twice: by the attributes, and by the texture's corners at the cell's corners. The
attribute UV_TILE tells which tile the texture was made for: an attribute that says something else was painted, and
decides; otherwise the texture does, so that moved UVs and turned faces count. Index and turn are decided apart, each by
this rule, which the shader has, too (addon/teeworlds/materials/shading.py): so what is seen is what is written.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..arrays import Bools, Indices, Int32s, Integers, Reals, Records, Singles
from ..counting import number_of
from . import tiles as tile_geometry
from .tiles import ORIENTATION, TileFlag

Tiles = Records  # structured


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

UV_TILE = "uv_tile"
"""Face attribute: the tile that the face's UVs were made for, see `made_for`; 0 where nobody made them."""
INDICES = 256
"""How many indices there are: what turns a tile stands above them in UV_TILE."""

SNAP = 1 / 16
"""How far from the grid a tile's corner may lie, in tiles (2 px)."""
OUTSIDE = "outside the layer"
"""What a message says of tiles that a larger map would have room for."""
NAMED = 5
"""Places that a message names before it only counts."""


class TileError(Exception):
    """Faces that can't be tiles of their layer."""

    def __init__(self, message: str, faces: Integers) -> None:
        super().__init__(message)
        self.message = message
        self.faces = np.asarray(faces)
        """Their numbers in the mesh, int [m]."""


@dataclass(frozen=True, slots=True)
class Moved:
    """Where the cells of a layer lie after columns and rows were added to it or cut off at its left and top.

    The game's editor moves all bytes of a cell, those of air too, and fills new cells with zeros (teeworlds.md §6).
    """

    across: int
    """Columns to the right."""
    down: int
    """Rows down."""
    part: tuple[int, int, int, int]
    """Which of them are left: first and end of the columns, of the rows (left, top, right, bottom), where they were."""

    def further(self, across: int, down: int, size: tuple[int, int]) -> "Moved":
        """Moved once more, in a layer that then has this width and height."""
        return Moved(self.across + across, self.down + down, self.part).within(size)

    def within(self, size: tuple[int, int]) -> "Moved":
        """Without the cells that lie outside of a layer of this width and height."""
        left, top, right, bottom = self.part
        low, high = (-self.across, -self.down), (size[0] - self.across, size[1] - self.down)
        part = (max(left, low[0]), max(top, low[1]), min(right, high[0]), min(bottom, high[1]))
        return Moved(self.across, self.down, part)


@dataclass(frozen=True, slots=True)
class TileFaces:
    """What a layer's mesh holds, a row a face."""

    corners: Reals
    """[n, 4, 2]: positions in tiles from the layer's top left corner, x right and y *down*."""
    uvs: Singles | None
    """[n, 4, 2], v up; None without a UV map."""
    ids: Int32s
    """[n]: the number of the record's cell + 1, or 0 for none."""
    attributes: Mapping[str, Int32s]
    """[n] each, by name (see TILE_FIELDS); those that the mesh lacks are absent."""
    uv_tile: Int32s | None = None
    """[n]: see UV_TILE. None for a mesh without, as versions up to 0.3 made them: its UVs are those of its records."""


def is_air(tiles: Tiles, kind: str) -> Bools:
    """Which tile records of a layer of `kind` (a key of TILE_FIELDS) are air, that is have no face. Any shape."""
    air: Bools = tiles[TILE_FIELDS[kind].attributes["index"]] == 0
    return air


def corner_positions(column: Int32s, row: Int32s, shape: tuple[int, ...]) -> Singles:
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


def made_for(kind: str, values: Mapping[str, Integers]) -> Int32s:
    """UV_TILE of tiles, int32 [n]: index + 256 * what turns them. `values`: by attribute, whole numbers [n].

    What turns a tile is ORIENTATION of its flags, of a speedup its angle (16 bits); tele and tune tiles aren't turned.
    At most 24 bits: shaders read attributes as float32.
    """
    made = _turn(kind, values)  # in place from here on: a layer may have millions of tiles
    made <<= 8
    made |= np.asarray(values["index"]).astype(np.int32, copy=False) & INDICES - 1
    return made


def _turn(kind: str, values: Mapping[str, Integers]) -> Int32s:
    """What turns tiles, a new array."""
    for name, bits in (("flags", ORIENTATION), ("angle", 0xFFFF)):
        if name in TILE_FIELDS[kind].attributes:
            return np.asarray(values[name]).astype(np.int32, copy=False) & np.int32(bits)
    return np.zeros(len(values["index"]), np.int32)


def read_tiles(
    faces: TileFaces, kind: str, original: Tiles, shape: tuple[int, int], moved: Moved | None = None
) -> Tiles:
    """The tile records [height, width] that the faces of a layer of `kind` stand for, in `original`'s dtype.

    `original`: the records [h, w] that the layer was drawn from ([0, 0] for a new layer); its air keeps its bytes where
    nothing lies on it. It is itself what is returned if nothing was edited. `shape`: the (height, width) wanted.
    `moved`: where those records lie now, air too. Raises TileError.
    """
    same = _as_drawn(faces, kind, original, shape) if moved is None else np.zeros(len(faces.ids), np.bool_)
    drawn = faces.ids[same].astype(np.intp) - 1
    whole = moved is None and same.all() and tuple(shape) == original.shape and bool((np.diff(drawn) > 0).all())
    if whole and len(drawn) == np.count_nonzero(~is_air(original, kind)):
        return original
    rest = np.flatnonzero(~same)
    rest = rest[~_erased(_picked(faces, rest), kind, original)]
    edited = _picked(faces, rest)
    with _numbered(rest):
        cells, corners = _cells(edited.corners, shape)
    row, column = np.divmod(drawn, max(original.shape[1], 1))
    drawn_places, places = row * shape[1] + column, cells[:, 1].astype(np.intp) * shape[1] + cells[:, 0]
    _refuse_overlaps(np.concatenate((drawn_places, places)), np.concatenate((np.flatnonzero(same), rest)), shape[1])
    with _numbered(rest):
        records = _records(edited, corners, cells, kind, original)
    result = resized(original, shape, moved)
    gone = ~is_air(result, kind)
    gone.reshape(-1)[drawn_places] = False
    result[gone] = 0
    result.reshape(-1)[places] = records
    return result


def _as_drawn(faces: TileFaces, kind: str, original: Tiles, shape: tuple[int, int]) -> Bools:
    """Which faces are exactly as `original` is drawn: bool [n]. These are its tiles: nothing has to be found out.

    Most faces of most layers are, and this takes a tenth of the time.
    """
    count = len(faces.ids)
    same = np.zeros(count, np.bool_)
    if faces.uvs is None or not original.size:
        return same
    flat, width = original.reshape(-1), original.shape[1]
    for block in (slice(start, start + _BLOCK) for start in range(0, count, _BLOCK)):
        ids = faces.ids[block]
        fine = (ids > 0) & (ids <= len(flat))
        cell = np.where(fine, ids - 1, 0)
        stored = _values(flat[cell], kind)
        row, column = np.divmod(cell, width)
        fine &= (stored["index"] != 0) & (row < shape[0]) & (column < shape[1])
        for name, values in stored.items():
            if name in faces.attributes:
                fine &= faces.attributes[name][block] == values
        if faces.uv_tile is not None:
            fine &= faces.uv_tile[block] == made_for(kind, stored)
        uvs = tile_geometry.corner_uvs(stored["index"], stored.get("flags", stored["index"] & 0))
        fine &= tile_geometry.same_uvs(faces.uvs[block], uvs)
        corners = faces.corners[block]
        for corner in range(4):
            fine &= corners[:, corner, 0] == column + RING_X[corner]
            fine &= corners[:, corner, 1] == row - RING_Y[corner]
        same[block] = fine
    return same


def _erased(faces: TileFaces, kind: str, original: Tiles) -> Bools:
    """Which faces show nothing, so that it doesn't matter where they lie."""
    stored = stored_values(faces, kind, original)
    erased: Bools = (faces.attributes.get("index", stored["index"]) == 0) & (_made(faces, kind, stored)[0] != 0)
    return erased


def _refuse_overlaps(places: Indices, numbers: Integers, width: int) -> None:
    """Raise TileError where faces share a cell. places: [n], row * width + column. numbers: of the faces."""
    shared = np.bincount(places, minlength=1)[places] > 1
    if shared.any():
        order = np.argsort(numbers)
        row, column = np.divmod(places[order], width)
        with _numbered(numbers[order]):
            _refuse(shared[order], "overlapping", np.stack((column, row), axis=-1))


@contextmanager
def _numbered(numbers: Integers) -> Iterator[None]:
    """Let errors about some of a layer's faces have these numbers."""
    try:
        yield
    except TileError as error:
        raise TileError(error.message, numbers[error.faces]) from error


def stored_values(faces: TileFaces, kind: str, original: Tiles) -> dict[str, Int32s]:
    """What the records [h, w] that the faces came from hold, by attribute, 0 for new faces: `decide` takes it."""
    return _values(_recorded(faces, original)[0], kind)


def _recorded(faces: TileFaces, original: Tiles) -> tuple[Tiles, Bools]:
    """The records of the faces, zeros for new ones; and which have one."""
    known = (faces.ids > 0) & (faces.ids <= original.size)
    records = np.zeros(len(known), original.dtype)
    records[known] = original.reshape(-1)[faces.ids[known] - 1]
    return records, known


def _values(records: Tiles, kind: str) -> dict[str, Int32s]:
    return {name: records[field].astype(np.int32) for name, field in TILE_FIELDS[kind].attributes.items()}


def _picked(faces: TileFaces, numbers: Integers) -> TileFaces:
    """Some of the faces, by their numbers."""
    return TileFaces(
        faces.corners[numbers],
        None if faces.uvs is None else faces.uvs[numbers],
        faces.ids[numbers],
        {name: values[numbers] for name, values in faces.attributes.items()},
        None if faces.uv_tile is None else faces.uv_tile[numbers],
    )


def resized(tiles: Tiles, shape: tuple[int, int], moved: Moved | None = None) -> Tiles:
    """A copy of the records [h, w] cut or filled up with zeros to `shape`: right and below, or as they were `moved`."""
    if moved is None and tiles.shape == tuple(shape):
        return tiles.copy()  # a quarter of the time
    place = moved or Moved(0, 0, (0, 0, tiles.shape[1], tiles.shape[0]))
    result = np.zeros(shape, tiles.dtype)
    left, top, right, bottom = place.within(shape[::-1]).part
    kept = tiles[top : max(bottom, top), left : max(right, left)]
    row, column = top + place.down, left + place.across
    result[row : row + kept.shape[0], column : column + kept.shape[1]] = kept
    return result


def turned_angle(angle: Int32s, orientation: Integers) -> Int32s:
    """Speedup angles (degrees, 0 = right, clockwise) after the tile was turned to `orientation`; the rest stays as is.

    As with flags, the flips come first, then the rotation. Only angles that turn are brought into 0..359.
    """
    turned = angle.astype(np.int32)
    turned = np.where(orientation & TileFlag.XFLIP, 180 - turned, turned)
    turned = np.where(orientation & TileFlag.YFLIP, -turned, turned)
    turned = np.where(orientation & TileFlag.ROTATE, turned + 90, turned)
    return np.where(orientation > 0, turned % 360, angle).astype(np.int32)


def _cells(points: Reals, shape: tuple[int, int]) -> tuple[Int32s, npt.NDArray[np.int8]]:
    """Column and row of each face, and the corners of the cell that its corners sit at; refuses what fits no cell."""
    height, width = shape
    cells, corners = tile_geometry.locate(points, SNAP)
    # A ring of four different corners isn't turned against itself; anything else is twisted or folded.
    off_grid = tile_geometry.orientations(corners, corners) != 0
    if off_grid.any():
        _refuse(off_grid, "not on the grid (a tile fills one cell)", points.mean(axis=1) - 0.5)
    column, row = cells[:, 0], cells[:, 1]
    outside = (column < 0) | (column >= width) | (row < 0) | (row >= height)
    _refuse(outside, f"{OUTSIDE} ({width} x {height})", cells)
    return cells, corners


def decide(
    faces: TileFaces, corners: npt.NDArray[np.int8], kind: str, stored: Mapping[str, Int32s] | None = None
) -> tuple[dict[str, Int32s], Bools]:
    """What each face is: int32 [n] by attribute, and bool [n]: whose UVs alone would tell, but show no whole tile.

    `corners`: the corner of the cell that each corner of a face sits at (`tiles.locate`). `stored`: what the faces'
    records hold by attribute, 0 for new faces; None where nobody knows: faces without UV_TILE then are what they show.
    """
    nothing = np.zeros(len(faces.ids), np.int32)
    told = {
        name: faces.attributes.get(name, nothing if stored is None else stored[name])
        for name in TILE_FIELDS[kind].attributes
    }
    if faces.uvs is None:
        return told, nothing > 0
    shown_index, shown_way = (shown.astype(np.int32) for shown in tile_geometry.tiles_from_uvs(corners, faces.uvs))
    made_index, made_turn = _made(faces, kind, told if stored is None else stored)
    painted = (told["index"] != made_index) & ("index" in faces.attributes)
    unmade = painted & (made_index == 0) & ((shown_way < 0) | (faces.uv_tile is not None))
    turned = unmade | (_turn(kind, told) != made_turn)
    values = told | {"index": np.where(painted, told["index"], shown_index)}
    unreadable = ~painted & (shown_index < 0)
    if "flags" in told:
        unreadable |= ~turned & (shown_way < 0)
        way = np.where(turned, told["flags"] & ORIENTATION, np.maximum(shown_way, 0))
        values["flags"] = (told["flags"] & ~ORIENTATION) | way
    if "angle" in told:
        values["angle"] = np.where(turned, told["angle"], turned_angle(told["angle"], np.maximum(shown_way, 0)))
    return values, unreadable


def _made(faces: TileFaces, kind: str, stored: Mapping[str, Int32s]) -> tuple[Int32s, Int32s]:
    """Index and turn that the faces' UVs were made for; without UV_TILE those of the records."""
    made = made_for(kind, stored) if faces.uv_tile is None else faces.uv_tile
    return made & INDICES - 1, made >> 8


def _records(faces: TileFaces, corners: npt.NDArray[np.int8], cells: Int32s, kind: str, original: Tiles) -> Tiles:
    """One record a face: the one that it came from, with the fields that were edited."""
    records, known = _recorded(faces, original)
    stored = _values(records, kind)
    values, unreadable = decide(faces, corners, kind, stored)
    untold = ~known & (faces.attributes.get("index", stored["index"]) == 0)
    _refuse(untold & (values["index"] <= 0), "new, and neither an index nor the texture says which tile", cells)
    _refuse(unreadable, "textured with no whole tile of the image", cells)
    if "flags" in values and kind != "SWITCH":
        # OPAQUE describes the picture that the tile had: where nobody set it, it doesn't hold for another one.
        told = faces.attributes.get("flags", stored["flags"])
        stale = known & (values["index"] != stored["index"]) & (told == stored["flags"])
        values["flags"][stale] &= ~int(TileFlag.OPAQUE)
    for name, field in TILE_FIELDS[kind].attributes.items():
        _store(records, field, values[name], name, cells)
    return records


def _store(records: Tiles, field: str, values: Int32s, name: str, cells: Int32s) -> None:
    limits = np.iinfo(records.dtype[field])
    _refuse((values < limits.min) | (values > limits.max), f"given a {name} outside {limits.min}..{limits.max}", cells)
    records[field] = values


def _refuse(bad: Bools, what: str, places: Reals | Integers) -> None:
    """Raises TileError where any face is `bad`, with the first places (column, row)."""
    faces = np.flatnonzero(bad)
    if not len(faces):
        return
    named = list(dict.fromkeys(f"({x:.6g}, {y:.6g})" for x, y in places[faces[: 4 * NAMED]].tolist()))[:NAMED]
    tiles = number_of(len(faces), "tiles are")
    raise TileError(f"{tiles} {what}: at {', '.join(named)}{' ...' if len(faces) > NAMED else ''}", faces)
