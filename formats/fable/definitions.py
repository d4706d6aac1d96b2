# SPDX-License-Identifier: GPL-3.0-or-later
"""The game's compiled definitions (`game.bin`, `names.bin`, fable.md §8.3), as far as they are about ground themes."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..arrays import Integers, Records
from ..binary import Budget, Buffer, Cursor, FormatError
from .records import CHUNK, DEFINITION

CLASS = "ENGINE_THEME"
"""The class of definitions of ground themes."""
NAMES_START = 20
"""What offsets of names count from: behind the header of `names.bin`."""
LARGEST_CHUNK = 1 << 20
"""Bytes; 64 KiB in the game's own, since offsets in it have 16 bits."""
MOST = 1 << 27
"""Bytes that chunks may unpack to."""
_MAGIC = 0xA8E36C34
_COUNTS = struct.Struct("<BIII")


@dataclass(frozen=True, slots=True)
class ThemeDefinition:
    """What the game says of a ground theme."""

    base_texture: int | None
    """Number of its picture's entry in `textures.big`; None where the definition doesn't say."""
    cliff_texture: int | None
    """Of what it looks like on steep ground."""
    water_depth: float
    """How high water stands over the ground where all of it is of this theme, units; 0: no water."""


def name_hash(name: str) -> int:
    """What fields of definitions are known by: CRC-32 that begins with 0 and isn't inverted at the end."""
    return zlib.crc32(name.encode("latin-1"), 0xFFFFFFFF) ^ 0xFFFFFFFF


def read_themes(game: Buffer, names: Buffer) -> dict[str, ThemeDefinition]:
    """Return what `game.bin` says of each theme, by its name in `names.bin`. Raises FormatError for other files."""
    rows, chunks, start = _tables(game)
    texts = _Names(names)
    wanted = [number for number in _of_class(rows, texts) if int(rows["name"][number]) >= 0]
    found = {}
    for number, payload in _payloads(game, wanted, chunks, start):
        found[texts.at(int(rows["name"][number]))] = _theme(payload)
    return found


def _tables(game: Buffer) -> tuple[Records, Records, int]:
    """The definitions, the chunks, and where these begin."""
    cursor = Cursor(game)
    _, _, magic, count = _COUNTS.unpack(cursor.take(_COUNTS.size, "header of definitions"))
    if magic != _MAGIC:
        raise FormatError(f"has {magic:#x} where {_MAGIC:#x} was expected", "header of definitions", 5)
    rows = cursor.array(DEFINITION, count, "definitions")
    chunks = cursor.array(CHUNK, cursor.u32("number of chunks"), "chunks")
    cursor.skip(4, "chunks")
    return rows, chunks, cursor.offset


class _Names:
    """The texts of `names.bin`, by offset."""

    def __init__(self, data: Buffer) -> None:
        cursor = Cursor(data)
        cursor.skip(4, "header of names")
        if (magic := cursor.u32("header of names")) != _MAGIC:
            raise FormatError(f"has {magic:#x} where {_MAGIC:#x} was expected", "header of names", 4)
        self._data = data

    def at(self, offset: int) -> str:
        """The text at an offset."""
        return Cursor(self._data, min(NAMES_START + offset, len(self._data))).cstring("name").decode("latin-1")


def _of_class(rows: Records, texts: _Names) -> list[int]:
    """The numbers of the definitions of themes."""
    for offset in np.unique(rows["definition"]).tolist():
        if offset >= 0 and texts.at(offset) == CLASS:
            numbers: list[int] = np.flatnonzero(rows["definition"] == offset).tolist()
            return numbers
    return []


def _payloads(game: Buffer, wanted: Sequence[int], chunks: Records, start: int) -> Iterator[tuple[int, bytes]]:
    """The bytes of definitions, by their numbers, which ascend. start: of the first chunk."""
    if not wanted:
        return
    budget = Budget(MOST)
    numbers = np.array(wanted)
    place = np.searchsorted(chunks["first"], numbers, side="right") - 1
    for chunk in np.unique(place).tolist():
        if not 0 <= chunk < len(chunks) - 1:
            raise FormatError(f"definition {numbers[place == chunk][0]} is in no chunk", "chunks")
        whole = _unpacked(game, chunks[chunk : chunk + 2]["offset"] + start, budget)
        first = int(chunks["first"][chunk])
        bounds = _bounds(whole, int(chunks["first"][chunk + 1]) - first)
        for number in numbers[place == chunk].tolist():
            yield number, whole[bounds[number - first] : bounds[number - first + 1]]


def _unpacked(game: Buffer, ends: Integers, budget: Budget) -> bytes:
    """A chunk, of which no file says how many bytes it has."""
    low, high = (int(end) for end in ends)
    if not low <= high <= len(game):
        raise FormatError(f"lies from byte {low} to {high} of {len(game)}", "chunk of definitions", low)
    try:
        whole = zlib.decompressobj().decompress(memoryview(game)[low:high], LARGEST_CHUNK + 1)
    except zlib.error as error:
        raise FormatError(f"cannot be decompressed: {error}", "chunk of definitions", low) from None
    if len(whole) > LARGEST_CHUNK:
        raise FormatError(f"decompresses to more than {LARGEST_CHUNK} bytes", "chunk of definitions", low)
    budget.spend(len(whole), "chunks of definitions")
    return whole


def _bounds(chunk: bytes, count: int) -> list[int]:
    """Where the definitions of a chunk begin, and where the last one ends."""
    starts: list[int] = Cursor(chunk).array("<u2", count, "offsets of definitions").tolist()
    bounds = [*starts, len(chunk)]
    if any(low > high for low, high in pairwise(bounds)):
        raise FormatError("offsets of definitions don't ascend", "chunk of definitions")
    return bounds


def _theme(payload: bytes) -> ThemeDefinition:
    """What the fields of a definition say."""
    base, cliff = (_field(payload, name, "<i") for name in ("BaseTexture", "CliffBaseTexture"))
    depth = _field(payload, "WaterHeight", "<f") if _field(payload, "WaterType", "<i") else None
    sensible = depth is not None and 0 < depth < float(MOST)  # NaN isn't, either
    return ThemeDefinition(
        int(base) if base else None, int(cliff) if cliff else None, float(depth or 0) if sensible else 0.0
    )


def _field(payload: bytes, name: str, form: str) -> float | None:
    """A field: the hash of its name, and behind it its value. None where it isn't there, or might stand twice."""
    mark = struct.pack("<I", name_hash(name))
    place = payload.find(mark)
    if place < 0 or payload.find(mark, place + 1) >= 0 or place + 8 > len(payload):
        return None
    value: float = struct.unpack_from(form, payload, place + 4)[0]
    return value
