# SPDX-License-Identifier: GPL-3.0-or-later
"""Detail props: the game lumps `dprp`, `dplt` and `dplh` (source.md §2.8)."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...arrays import Records
from ...binary import Buffer, Cursor, FormatError
from ..records import ByteOrder
from ..tables.props import DETAIL_LIGHTSTYLE, DETAIL_SPRITE, DETAIL_V2, DETAIL_V4, NAME
from .counted import read_table, table_bytes, take_table, texts

_WHAT = "detail props"
_DETAILS = {2: DETAIL_V2, 4: DETAIL_V4}


@dataclass(slots=True, eq=False)
class DetailProps:
    """The lump: tables are views, to be replaced by others of the same dtypes."""

    names: Records  # NAME: the models' paths
    sprites: Records | None  # DETAIL_SPRITE; None in version 2, which has none
    details: Records  # DETAIL_V4 or DETAIL_V2
    trailing: bytes = b""
    byte_order: ByteOrder = "<"

    @property
    def models(self) -> list[str]:
        """The models' paths."""
        return texts(self.names)

    def to_bytes(self) -> bytes:
        """The lump's bytes."""
        return b"".join(self._parts())

    def _parts(self) -> Iterator[bytes]:
        for table in (self.names, self.sprites, self.details):
            if table is not None:
                yield table_bytes(table, self.byte_order)
        yield self.trailing


def read(data: Buffer, version: int, byte_order: ByteOrder = "<") -> DetailProps:
    """Read the lump. Raises FormatError, also for versions that are not known."""
    if version not in _DETAILS:
        raise FormatError(f"version {version} is not known", _WHAT)
    cursor = Cursor(data)
    names = take_table(cursor, NAME, byte_order, _WHAT)
    sprites = take_table(cursor, DETAIL_SPRITE, byte_order, _WHAT) if version == 4 else None
    details = take_table(cursor, _DETAILS[version], byte_order, _WHAT)
    return DetailProps(names, sprites, details, bytes(cursor.take(cursor.left, _WHAT)), byte_order)


def read_lighting(data: Buffer, byte_order: ByteOrder = "<") -> Records:
    """Read `dplt` or `dplh`: DETAIL_LIGHTSTYLE [n], a view; of no bytes, none. Raises FormatError."""
    if not len(data):
        return np.empty(0, DETAIL_LIGHTSTYLE)
    return read_table(data, DETAIL_LIGHTSTYLE, byte_order, "lighting of detail props")


def write_lighting(styles: Records, byte_order: ByteOrder = "<") -> bytes:
    """Return the bytes of `dplt` or `dplh`."""
    return table_bytes(styles, byte_order)
