# SPDX-License-Identifier: GPL-3.0-or-later
"""Chunks in their order, decoded when they are first asked for, and the two kinds of text (ns2.md §2, §3)."""

import struct
from dataclasses import dataclass

import numpy as np

from ..binary import Buffer, Cursor, FormatError

HEADER = 8  # bytes of a chunk before its own: u32 id, u32 length
_HEADER = struct.Struct("<II")
_LIMIT = 1 << 32  # of lengths


@dataclass(slots=True, eq=False)
class Chunk:
    """A chunk as it stands in the file. `offset`: of its bytes (behind the header) in the file they came from."""

    id: int
    data: Buffer
    offset: int = 0


def split(data: Buffer, start: int, base: int, what: str) -> list[Chunk]:
    """Cut bytes from `start` on into chunks; `base` is where the bytes lie in the file. Raises FormatError."""
    view = memoryview(data).toreadonly().cast("B")
    chunks = []
    offset, end, unpack = start, len(view), _HEADER.unpack_from
    while offset < end:
        if end - offset < HEADER:
            message = f"{end - offset} bytes behind the last chunk, too few for another one's header of {HEADER}"
            raise FormatError(message, what, base + offset)
        number, length = unpack(view, offset)
        offset += HEADER
        if length > end - offset:
            message = f"chunk of id {number} claims {length} bytes, {end - offset} are left"
            raise FormatError(message, what, base + offset - 4)
        chunks.append(Chunk(number, view[offset : offset + length], base + offset))
        offset += length
    return chunks


def join(chunks: list[Chunk]) -> bytes:
    """Chunks, each behind its header. Raises FormatError for one that is too long."""
    parts: list[Buffer] = []
    for chunk in chunks:
        parts += (header(chunk.id, len(chunk.data)), chunk.data)
    return b"".join(parts)


def header(number: int, length: int) -> bytes:
    """The header of a chunk. Raises FormatError for a length that it can't say."""
    if length >= _LIMIT:
        raise FormatError(f"{length} bytes are more than a chunk can hold", f"chunk of id {number}")
    return _HEADER.pack(number, length)


def ended(cursor: Cursor, what: str) -> None:
    """Raise FormatError if bytes are left."""
    if cursor.left:
        raise cursor.error(f"{cursor.left} bytes behind them", what)


# --------------------------------------------------------------------------------------------------------------- text


def read_str8(cursor: Cursor, what: str) -> str:
    """A u32 count of bytes and the bytes. Any bytes become text and back without loss."""
    return str(cursor.take(cursor.u32(what), what), "utf-8", "surrogateescape")


def str8(text: str, what: str) -> bytes:
    """What `read_str8` reads. Raises FormatError."""
    try:
        raw = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise FormatError(f"{text!r} cannot be written", what) from None
    return len(raw).to_bytes(4, "little") + raw


def read_str16(cursor: Cursor, what: str) -> str:
    """A u32 count of 16-bit units and UTF-16. Any units become text and back without loss."""
    return str(cursor.take(2 * cursor.u32(what), what), "utf-16-le", "surrogatepass")


def str16(text: str) -> bytes:
    """What `read_str16` reads."""
    raw = text.encode("utf-16-le", "surrogatepass")
    return (len(raw) // 2).to_bytes(4, "little") + raw


def words(data: Buffer, what: str, offset: int) -> "np.ndarray[tuple[int], np.dtype[np.uint32]]":
    """A chunk of nothing but u32, as those: copied where it stands askew, as numpy would for each look at it.

    Raises FormatError if its length is no multiple of 4.
    """
    if len(data) % 4:
        raise FormatError(f"{len(data)} bytes are no whole number of u32", what, offset)
    return np.require(np.frombuffer(data, "<u4"), requirements="A")
