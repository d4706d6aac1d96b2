# SPDX-License-Identifier: GPL-3.0-or-later
"""A Fable level: what a `.lev` holds, part by part in the file's order."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..arrays import Records, Singles
from ..binary import Buffer, FormatError
from . import nodes
from .nodes import Navigation
from .records import BRUSH_HEADER, HEIGHT_SCALE


class Section:
    """Navigation of one state of a level: `name` is "NULL" (the usual one) or that of a section of its `.tng`."""

    __slots__ = ("_navigation", "_payload", "gap", "name", "offset")

    def __init__(self, name: str, payload: Buffer | None, gap: bytes = b"", offset: int = 0) -> None:
        self.name = name
        self.gap = gap  # bytes between the section before, or the directory, and this one
        self.offset = offset  # in the file that it was read from
        self._payload = payload
        self._navigation: Navigation | None = None

    @classmethod
    def new(cls, name: str, navigation: Navigation) -> "Section":
        """A section that was in no file."""
        section = cls(name, None)
        section.navigation = navigation
        return section

    def copy(self, name: str) -> "Section":
        """Another section like this one, in no file yet."""
        made = Section(name, self._payload, b"", self.offset)
        made._navigation = self._navigation
        return made

    @property
    def navigation(self) -> Navigation:
        """Its quadtrees, decoded when they are first asked for; to change them, set new ones. Raises FormatError."""
        if self._navigation is None:
            if self._payload is None:
                raise FormatError("has no navigation yet", f"section {self.name!r}")
            self._navigation = nodes.decode(self._payload, self.offset + 4)
        return self._navigation

    @navigation.setter
    def navigation(self, navigation: Navigation) -> None:
        self._payload = None
        self._navigation = navigation

    def payload(self) -> Buffer:
        """The bytes behind the section's block end: those of the file if nobody set other navigation."""
        return nodes.encode(self.navigation) if self._payload is None else self._payload

    def forget(self) -> None:
        """Let go of what can be decoded again."""
        if self._payload is not None:
            self._navigation = None


@dataclass(slots=True, eq=False)
class Level:
    """A level. Arrays are views of the file: to edit `cells` or `game_map`, copy them and set the copy.

    The two headers are records of their own and may be written to: `level.map_header["thing_uid_counter"] += 1`. Their
    sizes, offsets and `sound_count` are worked out by `write`.
    """

    header: Records  # one FILE_HEADER
    header_gap: bytes  # before the map header
    map_header: Records  # one of MAP_HEADERS
    sounds: list[str]  # a cell's sound n is sounds[n - 1]; Latin-1
    cells: Records  # CELL [rows, columns], row y at world y
    game_map: Records | None  # GAME_CELL [rows, columns], rows upwards as those of cells (the file has them downwards)
    map_gap: bytes  # before the script-brush block
    brushes: bytes  # the script-brush block, of which only the header is understood
    directory_gap: bytes  # behind the entries of the navigation directory
    sections: list[Section] | None  # None: the level has no directory
    trailing: bytes
    legacy_navigation: bytes = b""  # a single tree, where there is no directory

    @property
    def width(self) -> int:
        """Of the map in world units, along x."""
        return int(self.map_header["width"])

    @property
    def height(self) -> int:
        """Of the map in world units, along y."""
        return int(self.map_header["height"])

    @property
    def map_version(self) -> int:
        """0 to 3: from 2 on there is a game map, from 3 on it tells the sounds; before, `old_sound` does."""
        return int(self.map_header["map_version"])

    @property
    def checksum(self) -> int | None:
        """Ties a level to its baked terrain, as far as is known; the game does not check it. None before version 9."""
        return int(self.map_header["checksum"]) if "checksum" in (self.map_header.dtype.names or ()) else None

    @property
    def ground_palette(self) -> Records:
        """PALETTE_ENTRY [256]: a view, may be written to."""
        palette: Records = self.map_header["ground_palette"]
        return palette

    @property
    def atmosphere_palette(self) -> Records:
        """PALETTE_ENTRY [256]: a view, may be written to."""
        palette: Records = self.map_header["atmosphere_palette"]
        return palette

    def brush_header(self) -> Records:
        """One BRUSH_HEADER. Raises FormatError if the block is too short for one."""
        if len(self.brushes) < BRUSH_HEADER.itemsize:
            message = f"{len(self.brushes)} bytes, its header alone has {BRUSH_HEADER.itemsize}"
            raise FormatError(message, "script-brush block", int(self.header["brush_offset"]))
        return np.frombuffer(self.brushes, BRUSH_HEADER, 1).reshape(())


def grid_shape(map_header: Records) -> tuple[int, int]:
    """Rows and columns of the height cells. map_header: one MAP_HEADER."""
    extra = int(map_header["plus_one"] != 0)
    return int(map_header["height"]) + extra, int(map_header["width"]) + extra


def heights(cells: Records) -> Singles:
    """World z of each of CELL records of any shape: float32 of that shape, in world units."""
    with np.errstate(all="ignore"):  # hostile floats
        values: Singles = cells["height"] * np.float32(HEIGHT_SCALE)
    return values


def stored_heights(z: npt.ArrayLike) -> Singles:
    """What the field `height` of cells has to hold for world z, float32 of the shape of z: the way back of `heights`.

    World z has to be 0 or more and less than 2048; nothing here looks whether it is.
    """
    stored: Singles = np.asarray(z, np.float32) / np.float32(HEIGHT_SCALE)
    return stored


def strengths(records: Records) -> npt.NDArray[np.int16]:
    """Strengths of all three themes of records of CELL or GAME_CELL, int16[..., 3] of 255; the third is negative where
    the stored two exceed that.
    """
    amounts = np.empty((*records.shape, 3), np.int16)
    amounts[..., :2] = records["strengths"]
    np.subtract(255 - amounts[..., 0], amounts[..., 1], out=amounts[..., 2])
    return amounts
