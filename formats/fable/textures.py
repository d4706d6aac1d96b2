# SPDX-License-Identifier: GPL-3.0-or-later
"""Textures in the game's archives (fable.md §8.2): blocks of DXT, or pixels, the largest level packed by LZO1X."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Records
from ..binary import Budget, Cursor, FormatError
from . import lzo
from .big import ArchiveEntry
from .records import TEXTURE

KIND = "GBANK"
"""How the names of banks begin that have textures."""
DXT = {0x1F: ("DXT1", 8), 0x20: ("DXT3", 16), 0x23: ("DXT5", 16)}
"""Formats of blocks of 4 x 4 pixels: what they are called elsewhere, and the bytes of a block."""
PIXELS = 0x01
"""The format of pixels of four bytes: blue, green, red, alpha."""
LARGEST_EDGE = 8192
TAIL = 3
"""Bytes at the end of a level that are never packed."""
_LONG = 0xFFFF


@dataclass(frozen=True, slots=True)
class Texture:
    """A picture: the largest of its levels."""

    width: int
    height: int
    code: str
    """DXT1, DXT3, DXT5; "" for pixels of blue, green, red and alpha."""
    data: bytes
    """Its blocks or its pixels, the top row first."""


def read_texture(entry: ArchiveEntry, data: bytes, budget: Budget) -> Texture:
    """Return the picture of an archive's entry. data: the entry's bytes. budget: pixels that may still be made.

    Raises FormatError for what isn't a texture, or is of another form than those that are known.
    """
    record = _record(entry)
    width, height, form = int(record["width"]), int(record["height"]), int(record["format"])
    if not (0 < width <= LARGEST_EDGE and 0 < height <= LARGEST_EDGE):
        raise FormatError(f"{width} x {height} pixels", entry.name)
    if record["depth"] > 1 or record["frames"] != 1:
        raise FormatError(
            f"{record['depth']} layers and {record['frames']} frames: only plain ones are read", entry.name
        )
    code, block = DXT.get(form, ("", 0))
    if not block and form != PIXELS:
        raise FormatError(f"pixels of format {form:#x}, which isn't known", entry.name)
    size = -(-width // 4) * -(-height // 4) * block if block else 4 * width * height
    stored = int(record["level_size"])
    if not size <= stored <= 2 * size:
        raise FormatError(f"{stored} bytes for {width} x {height} pixels, which need {size}", entry.name)
    budget.spend(width * height, entry.name)
    packed = int(record["packed_size"])
    level = _unpacked(Cursor(data), packed, stored, entry.name) if packed else data
    if len(level) < size:
        raise FormatError(f"{len(level)} bytes for {width} x {height} pixels, which need {size}", entry.name)
    return Texture(width, height, code, level[:size])


def _record(entry: ArchiveEntry) -> Records:
    if len(entry.info) != TEXTURE.itemsize:
        raise FormatError(f"a record of {len(entry.info)} bytes: no texture", entry.name)
    record: Records = np.frombuffer(entry.info, TEXTURE)[0]
    return record


def _unpacked(cursor: Cursor, packed: int, size: int, what: str) -> bytes:
    """The largest level, of `size` bytes, out of the first `packed` of an entry: chunks, and the last bytes plain."""
    region = Cursor(cursor.take(packed, what))
    made = bytearray()
    while len(made) < size - TAIL:
        count = region.u16(what)
        if count == _LONG:
            count = region.u32(what)
        if count:
            chunk = lzo.decompress(region.take(count, what), size - TAIL - len(made), what)
            if not chunk:
                raise region.error("a chunk has nothing in it", what)
            made += chunk
        else:  # plain: the rest
            made += region.take(size - TAIL - len(made), what)
    return bytes(made + region.take(TAIL, what))
