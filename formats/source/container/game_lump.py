# SPDX-License-Identifier: GPL-3.0-or-later
"""The game lump (35): a directory and lumps of its own (source.md "Game lump", source.md §2.1, §2.8).

On PCs the directory's offsets count from the beginning of the file, so that they change when the lump moves; on
consoles from the beginning of the lump. Lumps may be compressed; then the directory says how long they are plain.
"""

from dataclasses import dataclass

import numpy as np

from ...arrays import Records
from ...binary import Budget, Buffer, FormatError
from ..lumps import DARK_MESSIAH_MINOR, LumpId, lump_name
from ..records import ByteOrder
from . import lzma_lump
from .segments import Segments, Span

WHAT = lump_name(LumpId.GAME_LUMP)
COMPRESSED = 1  # of an entry's flags
STATIC_PROPS, DETAIL_PROPS = "sprp", "dprp"
DETAIL_LIGHTING, DETAIL_LIGHTING_HDR = "dplt", "dplh"
COLOR_VARIABLES = "clvr"  # of Strata

ENTRY = (("id", "u4"), ("flags", "u2"), ("version", "u2"), ("offset", "u4"), ("length", "u4"))
ENTRY_WIDE = (("id", "u4"), ("flags", "u4"), ("version", "u4"), ("offset", "u4"), ("length", "u4"))  # Vindictus
ENTRY_LEADING = (("leading", "u4"), *ENTRY)  # Dark Messiah
_Form = tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Directory:
    """The entries, with a form that makes sense of them. `offset` counts from the beginning of the lump."""

    entry: "np.dtype[np.void]"
    entries: Records
    absolute: bool  # whether the offsets in the file count from its beginning
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
    for absolute in (True, False) if byte_order == "<" else (False, True):
        base = place if absolute else 0
        for form in forms:
            entry = np.dtype([(name, byte_order + kind) for name, kind in form])
            size = 4 + count * entry.itemsize
            if size > len(data):
                continue
            entries = np.frombuffer(data, entry, count, 4).astype([(name, "i8") for name, _ in form])
            if _sensible(entries, base + size, base + len(data)):
                entries["offset"] -= base
                return Directory(entry, entries, absolute, size)
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
    if directory.absolute:
        entries = np.frombuffer(moved_data, directory.entry, len(directory.entries), 4)
        lies = directory.entries["offset"] >= 0  # an entry that is all zero stays so
        entries["offset"][lies] = directory.entries["offset"][lies] + new
    return bytes(moved_data)


class GameLumps:
    """The lumps in a game lump by their ids, "sprp" and the like, decompressed when they are first asked for.

    What nobody sets stays as it is: compressed bytes, their order, the bytes between.
    """

    __slots__ = ("_budget", "_byte_order", "_changed", "_data", "_directory", "_place", "_plain")

    def __init__(self, data: Buffer, place: int, byte_order: ByteOrder, budget: Budget, minor: int = 0) -> None:
        """`data`: of the lump, which lies at `place` in the file; none is a lump without any. Raises FormatError."""
        self._data = memoryview(data if len(data) else bytes(4)).toreadonly().cast("B")
        self._place = place
        self._byte_order = byte_order
        self._budget = budget
        self._directory = read_directory(self._data, place, byte_order, minor)
        self._plain: dict[int, bytes | memoryview] = {}
        self._changed: dict[int, bytes] = {}

    @property
    def ids(self) -> list[str]:
        """The ids of all lumps, in the directory's order; the empty one that ends the directory is left out."""
        return [_text(number) for number in self._directory.entries["id"].tolist() if number]

    def __contains__(self, lump: str) -> bool:
        return lump in self.ids

    @property
    def changed(self) -> bool:
        """Whether a lump was set, added or removed."""
        return bool(self._changed)

    def _number(self, lump: str) -> int:
        found = np.flatnonzero(self._directory.entries["id"] == _id(lump))
        if not len(found):
            raise FormatError(f"has no {lump!r}: there are {', '.join(self.ids) or 'none'}", WHAT, self._place)
        return int(found[0])

    def version_of(self, lump: str) -> int:
        """The version of a lump. Raises FormatError if there is none of the id."""
        return int(self._directory.entries["version"][self._number(lump)])

    def bytes_of(self, lump: str) -> memoryview:
        """The bytes of a lump, decompressed: a read-only view. Raises FormatError."""
        number = self._number(lump)
        if number not in self._plain:
            start, end = self._bounds(number)
            stored = self._data[start:end]
            packed = self._is_packed(number)
            self._plain[number] = lzma_lump.decode(stored, self._budget, f"game lump {lump!r}") if packed else stored
        return memoryview(self._plain[number])

    def _is_packed(self, number: int) -> bool:
        entry = self._directory.entries[number]
        start = int(entry["offset"])
        return bool(entry["flags"] & COMPRESSED) and start >= 0 and lzma_lump.is_compressed(self._data[start:])

    def _bounds(self, number: int) -> tuple[int, int]:
        """Where the stored bytes of a lump begin and end."""
        entry = self._directory.entries[number]
        start, length = int(entry["offset"]), int(entry["length"])
        if self._is_packed(number):
            length = lzma_lump.stored_size(self._data[start:], f"game lump {_text(int(entry['id']))!r}")
        return start, min(start + length, len(self._data))

    def set_bytes(self, lump: str, data: Buffer, version: int | None = None) -> None:
        """Give a lump other bytes, compressed if the old ones were, and a version; add it if there is none."""
        entries = self._directory.entries
        if lump not in self:
            entry = np.zeros(1, entries.dtype)
            entry["id"], entry["version"] = _id(lump), version or 0
            packed = len(entries) > 0 and bool((entries["flags"][entries["id"] > 0] & COMPRESSED).all())
            entry["flags"] = COMPRESSED if packed else 0
            # Behind the others: an empty entry is the last.
            at = len(entries) - int(len(entries) > 0 and entries["id"][-1] == 0)
            if at < len(entries):
                self._changed = {number + (number >= at): data for number, data in self._changed.items()}
            self._directory.entries = np.concatenate([entries[:at], entry, entries[at:]])
        elif version is not None:
            entries["version"][self._number(lump)] = version
        number = self._number(lump)
        self._plain[number] = self._changed[number] = bytes(data)

    def encode(self) -> bytes:
        """The lump's bytes for the place where it was. Raises FormatError."""
        directory = self._directory
        entries = directory.entries.copy()
        packed = (entries["flags"] & COMPRESSED) > 0
        align = 4 if packed.any() else 1
        spans = [
            Span(number, *self._bounds(number), align)
            for number in np.flatnonzero((entries["length"] > 0) & (entries["id"] > 0)).tolist()
        ]
        stored: dict[int, Buffer] = {}
        for number, data in self._changed.items():
            entries["length"][number] = len(data)
            stored[number] = lzma_lump.encode(data) if packed[number] and data else data
        size = 4 + len(entries) * directory.entry.itemsize
        made = Segments(self._data, directory.size, spans).rebuild(size, stored, align)
        for number, offset in enumerate(entries["offset"].tolist()):
            entries["offset"][number] = made.placed.get(number, made.moved(offset))
        if directory.absolute:
            entries["offset"] += self._place
        packed_entries = np.empty(len(entries), directory.entry)
        for name in directory.entry.names or ():
            packed_entries[name] = entries[name]
        count = len(entries).to_bytes(4, "little" if self._byte_order == "<" else "big")
        return b"".join((count, packed_entries.tobytes(), *(part for _, part in made.parts)))


def _text(number: int) -> str:
    """An id as the letters that the engine's sources write it with."""
    return number.to_bytes(4, "big").decode("latin-1")


def _id(text: str) -> int:
    letters = text.encode("latin-1", "replace")
    if len(letters) != 4:
        raise FormatError(f"{text!r}: an id has four letters", WHAT)
    return int.from_bytes(letters, "big")
