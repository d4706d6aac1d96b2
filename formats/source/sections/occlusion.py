# SPDX-License-Identifier: GPL-3.0-or-later
"""Occluders: the lump OCCLUSION is three tables, each behind its count (source.md "Occlusion"; source.md §2.7)."""

from dataclasses import dataclass

from ...arrays import Records
from ...binary import Buffer, Cursor, FormatError
from ..records import ByteOrder, Dtype
from ..tables.tree import OCCLUDER, OCCLUDER_POLY, OCCLUDER_V2, OCCLUDER_VERTEX
from .counted import table_bytes, take_table

_WHAT = "occlusion"


@dataclass(slots=True, eq=False)
class Occlusion:
    """The three tables: views, to be replaced by others of the same dtypes."""

    occluders: Records  # OCCLUDER or OCCLUDER_V2
    polys: Records  # OCCLUDER_POLY
    vertices: Records  # OCCLUDER_VERTEX
    byte_order: ByteOrder = "<"
    trailing: bytes = b""

    def to_bytes(self) -> bytes:
        """The lump's bytes."""
        tables = (self.occluders, self.polys, self.vertices)
        return b"".join(table_bytes(table, self.byte_order) for table in tables) + self.trailing


def read(data: Buffer, version: int, byte_order: ByteOrder = "<") -> Occlusion:
    """Read the lump. Raises FormatError.

    Versions before 2 have records of 36 bytes and later ones of 40; but the version may be wrong: the size that fits
    the lump counts.
    """
    usual, other = (OCCLUDER_V2, OCCLUDER) if version >= 2 else (OCCLUDER, OCCLUDER_V2)
    try:
        occlusion = _read(data, usual, byte_order)
        if not occlusion.trailing:
            return occlusion
    except FormatError:
        return _read(data, other, byte_order)
    try:
        unusual = _read(data, other, byte_order)
    except FormatError:
        return occlusion
    return occlusion if unusual.trailing else unusual


def _read(data: Buffer, occluder: Dtype, byte_order: ByteOrder) -> Occlusion:
    cursor = Cursor(data)
    occluders = take_table(cursor, occluder, byte_order, _WHAT)
    polys = take_table(cursor, OCCLUDER_POLY, byte_order, _WHAT)
    vertices = take_table(cursor, OCCLUDER_VERTEX, byte_order, _WHAT)
    return Occlusion(occluders, polys, vertices, byte_order, bytes(cursor.take(cursor.left, _WHAT)))
