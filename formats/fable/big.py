# SPDX-License-Identifier: GPL-3.0-or-later
"""Archives of the game (`.big`, fable.md §8.1): banks of entries, of which each says what it is in a record of its own.

An archive has half a gigabyte: its lists are read, and then one entry at a time.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from ..binary import Budget, Cursor, FormatError
from .records import BIG_ENTRY, BIG_HEADER

MAGIC = b"BIGB"
ENTRY_MAGIC = 42
MOST_BANKS = 1000  # 26 in the game's own
MOST_KINDS = 1000
LARGEST_LIST = 1 << 26  # bytes of all lists; 2 MB in `textures.big`
LARGEST_ENTRY = 1 << 26


@dataclass(frozen=True, slots=True)
class Bank:
    """Entries of one kind: `GBANK_MAIN_PC` has textures."""

    name: str
    entries: int
    """How many it has."""
    offset: int
    """Of the list of its entries, in the file."""
    size: int
    """Of that list, in bytes."""


@dataclass(frozen=True, slots=True)
class ArchiveEntry:
    """Something in a bank."""

    bank: str
    number: int
    """By which definitions name it; of the bank."""
    name: str
    """By which people know it: `GRAPHIC_ATMOSPHERIC_MOON`."""
    offset: int
    """Of its bytes, in the file."""
    size: int
    info: bytes
    """What the bank's kind says of it: of a texture, `textures.TEXTURE`."""


def read_entries(file: BinaryIO, kind: str = "") -> list[ArchiveEntry]:
    """Return what an archive has, in its order; only of banks whose names begin with `kind`.

    Raises FormatError for bytes that are no archive, or a damaged one; OSError.
    """
    size = os.fstat(file.fileno()).st_size
    budget = Budget(LARGEST_LIST)  # of all banks: they may name the same bytes
    found: list[ArchiveEntry] = []
    for bank in _banks(file, size):
        if bank.name.startswith(kind):
            budget.spend(bank.size, f"bank {bank.name}")
            found += _entries(bank, _part(file, bank.offset, bank.size, size, f"bank {bank.name}"))
    return found


def read_entry(file: BinaryIO, entry: ArchiveEntry) -> bytes:
    """Return an entry's bytes. Raises FormatError where the file doesn't have them, or they are too many; OSError."""
    size = os.fstat(file.fileno()).st_size
    return _part(file, entry.offset, entry.size, size, entry.name, LARGEST_ENTRY)


def _part(file: BinaryIO, offset: int, count: int, size: int, what: str, most: int = LARGEST_LIST) -> bytes:
    """Bytes of a file, of this size, from an offset on."""
    if offset + count > size:
        raise FormatError(f"the file ends before the last of its {count} bytes", what, offset)
    if count > most:
        raise FormatError(f"has {count} bytes, {most} are read at most", what, offset)
    file.seek(offset)
    data = file.read(count)
    if len(data) != count:
        raise FormatError(f"{len(data)} of its {count} bytes are there", what, offset)
    return data


def _banks(file: BinaryIO, size: int) -> Iterator[Bank]:
    header = np.frombuffer(_part(file, 0, BIG_HEADER.itemsize, size, "archive header"), BIG_HEADER)[0]
    if header["magic"] != MAGIC:
        raise FormatError(f"begins with {bytes(header['magic'])!r}: no archive of Fable", "archive header", 0)
    offset = int(header["bank_offset"])
    # The header's fourth word is not relied on as the size of this list: the wiki doesn't know it.
    cursor = Cursor(_part(file, offset, max(min(size - offset, LARGEST_LIST), 0), size, "list of banks"), base=offset)
    count = cursor.u32("number of banks")
    if count > MOST_BANKS:
        raise cursor.error(f"{count} banks: more than {MOST_BANKS}", "list of banks")
    for number in range(count):
        what = f"bank {number}"
        name = _text(cursor.cstring(what))
        cursor.skip(4, what)  # its version
        entries, start, length = cursor.u32(what), cursor.u32(what), cursor.u32(what)
        cursor.skip(4, what)  # what its entries are aligned to
        yield Bank(name, entries, start, length)


def _entries(bank: Bank, data: bytes) -> Iterator[ArchiveEntry]:
    what = f"bank {bank.name}"
    cursor = Cursor(data, base=bank.offset)
    kinds = cursor.u32(what)
    if kinds < MOST_KINDS:
        cursor.skip(8 * kinds, f"{what}, its kinds")
    else:  # there need not be such a list: that was an entry's first word
        cursor = Cursor(data, base=bank.offset)
    if bank.entries * (BIG_ENTRY.itemsize + 16) > cursor.left:
        raise cursor.error(f"{bank.entries} entries don't fit into {cursor.left} bytes", what)
    for number in range(bank.entries):
        yield _entry(cursor, bank.name, f"{what}, entry {number}")


def _entry(cursor: Cursor, bank: str, what: str) -> ArchiveEntry:
    head = cursor.array(BIG_ENTRY, 1, what)[0]
    if head["magic"] != ENTRY_MAGIC:
        raise cursor.error(f"begins with {int(head['magic'])}, not {ENTRY_MAGIC}", what)
    name = _text(cursor.take(cursor.u32(what), f"{what}, its name"))
    cursor.skip(4, what)
    for _ in range(cursor.u32(what)):  # the files that it was made of
        cursor.skip(cursor.u32(what), f"{what}, its sources")
    info = bytes(cursor.take(cursor.u32(what), f"{what}, its record"))
    return ArchiveEntry(bank, int(head["number"]), name, int(head["offset"]), int(head["size"]), info)


def _text(data: bytes | memoryview) -> str:
    return bytes(data).partition(b"\0")[0].decode("latin-1")
