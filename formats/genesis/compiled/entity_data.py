# SPDX-License-Identifier: GPL-3.0-or-later
"""The entities of compiled levels (genesis.md §4.3): those of the `.map`, whose texts count the NUL at their end."""

import struct

from ...binary import Cursor, FormatError
from ..entities import Entity

LIMIT = 1 << 24
"""Bytes of entities that are decoded: the engine takes 200,000."""
_INT = struct.Struct("<i")


def read(data: bytes) -> tuple[list[Entity], int]:
    """The entities, and where their bytes end. Raises FormatError."""
    if len(data) > LIMIT:
        raise FormatError(f"{len(data)} bytes, {LIMIT} are decoded", "entities")
    cursor = Cursor(data)
    if not data:
        return [], 0
    count = cursor.i32("number of entities")
    _fits(cursor, count, _INT.size, "entities")
    made = []
    for number in range(count):
        where = f"entity {number}"
        pairs = cursor.i32(f"number of pairs of {where}")
        _fits(cursor, pairs, 2 * _INT.size + 2, f"pairs of {where}")
        made.append(Entity([(_text(cursor, where), _text(cursor, where)) for _ in range(pairs)]))
    return made, cursor.offset


def _fits(cursor: Cursor, count: int, size: int, what: str) -> None:
    if count < 0 or count * size > cursor.left:
        raise cursor.error(f"{count} of at least {size} bytes, but {cursor.left} bytes are left", what)


def _text(cursor: Cursor, where: str) -> str:
    length = cursor.i32(f"length of a text of {where}")
    raw = bytes(cursor.take(length, f"text of {where}"))
    if raw.find(0) != length - 1:
        raise cursor.error(f"{raw[:32]!r} doesn't end with its only NUL", f"text of {where}")
    return raw[:-1].decode("latin-1")


def write(entities: list[Entity]) -> bytes:
    """The bytes of entities. Raises FormatError for texts that Latin-1 has not, or with a NUL."""
    parts = [_INT.pack(len(entities))]
    for number, entity in enumerate(entities):
        parts.append(_INT.pack(len(entity.pairs)))
        for text in (text for pair in entity.pairs for text in pair):
            try:
                raw = text.encode("latin-1")
            except UnicodeEncodeError as error:
                bad = error.object[error.start]
                raise FormatError(f"{text!r}: {bad!r} is not a Latin-1 character", f"entity {number}") from None
            if 0 in raw:
                raise FormatError(f"{text!r}: a NUL ends a text", f"entity {number}")
            parts += (_INT.pack(len(raw) + 1), raw, b"\0")
    return b"".join(parts)
