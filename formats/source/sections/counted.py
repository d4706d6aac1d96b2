# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables that stand behind their count, as in game lumps and in the lump OCCLUSION; and the texts that some hold."""

from ...arrays import Records
from ...binary import Buffer, Cursor
from ..records import ByteOrder, Dtype


def take_count(cursor: Cursor, byte_order: ByteOrder, what: str) -> int:
    """Read a count. Raises FormatError if it is negative."""
    raw = cursor.take(4, what)
    count = int.from_bytes(raw, "little" if byte_order == "<" else "big", signed=True)
    if count < 0:
        raise cursor.error(f"its count is negative ({count})", what)
    return count


def take_table(cursor: Cursor, dtype: Dtype, byte_order: ByteOrder, what: str) -> Records:
    """Read a count and as many records: a read-only view. Raises FormatError."""
    return cursor.array(dtype.newbyteorder(byte_order), take_count(cursor, byte_order, what), what)


def read_table(data: Buffer, dtype: Dtype, byte_order: ByteOrder, what: str) -> Records:
    """Read a lump that is such a table and nothing else: a view. Raises FormatError."""
    cursor = Cursor(data)
    table = take_table(cursor, dtype, byte_order, what)
    if cursor.left:
        raise cursor.error(f"{cursor.left} bytes follow the last", what)
    return table


def texts(names: Records) -> list[str]:
    """The texts of records of one field, `name`: each up to its NUL, or all of it, as Latin-1."""
    return [bytes(raw).split(b"\0", 1)[0].decode("latin-1") for raw in names["name"].tolist()]


def table_bytes(table: Records, byte_order: ByteOrder) -> bytes:
    """Return a table's bytes behind its count."""
    return len(table).to_bytes(4, "little" if byte_order == "<" else "big") + table.tobytes()
