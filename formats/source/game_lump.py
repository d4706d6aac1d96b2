"""The game lump (35): a directory and lumps of its own (source-bsp-seed "Game lump", source-bsp-notes §2.1, §2.8).

On PCs the directory's offsets count from the beginning of the file, so that they change when the lump moves; on
consoles from the beginning of the lump. Lumps may be compressed; then the directory says how long they are plain.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..binary import Budget, Buffer, FormatError
from . import lzma_lump
from .lumps import DARK_MESSIAH_MINOR, LumpId, lump_name
from .records import Records
from .segments import Segments, Span

WHAT = lump_name(LumpId.GAME_LUMP)
COMPRESSED = 1  # of an entry's flags
STATIC_PROPS, DETAIL_PROPS = "sprp", "dprp"
DETAIL_LIGHTING, DETAIL_LIGHTING_HDR = "dplt", "dplh"

ByteOrder = Literal["<", ">"]

ENTRY = (("id", "u4"), ("flags", "u2"), ("version", "u2"), ("offset", "u4"), ("length", "u4"))
ENTRY_WIDE = (("id", "u4"), ("flags", "u4"), ("version", "u4"), ("offset", "u4"), ("length", "u4"))  # Vindictus
ENTRY_LEADING = (("leading", "u4"), *ENTRY)  # Dark Messiah
_Form = tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Directory:
    """The entries, with a form that makes sense of them. `offset` counts from the beginning of the lump."""

    entry: "np.dtype[np.void]"
    entries: Records
    base: int  # what the offsets in the file have more: the place of the lump; 0 where they count from there
    size: int  # of the directory with its count


def read_directory(data: Buffer, place: int, byte_order: ByteOrder, minor: int = 0) -> Directory:
    """Read the directory of a game lump that lies at `place` in the file. Raises FormatError.

    The form of the entries and what their offsets count from is whatever makes sense of all of them.
    """
    if len(data) < 4:
        raise FormatError(f"{len(data)} bytes hold no number of lumps", WHAT, place)
    count = int.from_bytes(data[:4], "little" if byte_order == "<" else "big")
    forms: list[_Form] = [ENTRY, ENTRY_WIDE, ENTRY_LEADING]
    if minor == DARK_MESSIAH_MINOR:
        forms = [ENTRY_LEADING, ENTRY, ENTRY_WIDE]
    for base in (place, 0) if byte_order == "<" else (0, place):
        for form in forms:
            entry = np.dtype([(name, byte_order + kind) for name, kind in form])
            size = 4 + count * entry.itemsize
            if size > len(data):
                continue
            entries = np.frombuffer(data, entry, count, 4).astype([(name, "i8") for name, _ in form])
            if _sensible(entries, base + size, base + len(data)):
                entries["offset"] -= base
                return Directory(entry, entries, base, size)
    raise FormatError(f"{count} lumps: no known form of directory makes sense of them", WHAT, place)


def _sensible(entries: Records, start: int, end: int) -> bool:
    """Whether all entries lie between the directory and the end. The last may be empty: it only ends the others."""
    used = entries[(entries["length"] > 0) & (entries["id"] > 0)]
    letters = (used["id"][:, None] >> np.array([0, 8, 16, 24])) & 0xFF
    packed = used["flags"] & COMPRESSED > 0
    ends = used["offset"] + np.where(packed, 0, used["length"])
    fits = (used["offset"] >= start) & (ends <= end)
    return bool((fits & (letters > 31).all(axis=1) & (letters < 127).all(axis=1)).all())


def moved(data: Buffer, old: int, new: int, byte_order: ByteOrder, minor: int = 0) -> bytes:
    """The lump's bytes with offsets for the place `new` instead of `old`. Raises FormatError."""
    directory = read_directory(data, old, byte_order, minor)
    moved_data = bytearray(data)
    if directory.base:
        entries = np.frombuffer(moved_data, directory.entry, len(directory.entries), 4)
        lies = directory.entries["offset"] >= 0  # an entry that is all zero stays so
        entries["offset"][lies] = directory.entries["offset"][lies] + new
    return bytes(moved_data)
