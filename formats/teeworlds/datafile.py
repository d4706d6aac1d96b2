# SPDX-License-Identifier: GPL-3.0-or-later
"""The container of Teeworlds maps, the "datafile" (teeworlds.md §2): typed items of int32 words, and blobs.

    header      magic, version, size, swaplen, numbers and sizes of what follows (9 words)
    item types  {type, start, num}: which of the items are of a type
    offsets     of items, of blobs; version 4: also the blobs' sizes when decompressed
    items       {type << 16 | id, size, words ...}
    blobs       version 4: zlib streams

Reading keeps all that it finds, so that writing gives the same bytes: what isn't changed is never packed anew.
"""

import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from uuid import UUID

import numpy as np

from ..arrays import Int32s, Integers
from ..binary import Budget, Buffer, Cursor, FormatError, inflate
from .records import WORD, ItemKind

Words = Int32s

MAGICS = (b"DATA", b"ATAD")  # the second: big-endian writers swapped the magic, and nothing else
HEADER_SIZE = 36
SIZE_BASE = 16  # `size` and `swaplen` count from here
COMPRESSION_LEVEL = 6  # what every writer of maps uses
FIRST_NAMED_TYPE = 0x8000  # types below have one meaning in all files
DECODED_LIMIT = 2 << 30  # bytes that the blobs of one map may decompress to; the biggest real map needs 626 MB

_HEADER = struct.Struct("<4s8i")
_ITEM_HEADER = struct.Struct("<Ii")
_ITEM_TYPE = np.dtype([("type", "<i4"), ("start", "<i4"), ("num", "<i4")])


@dataclass(slots=True, eq=False)
class Item:
    """An item: its words as they stand in the file, until one is set."""

    type: int
    id: int
    words: Words

    def __len__(self) -> int:
        return len(self.words)

    def set(self, index: int, value: int) -> None:
        """Change one word; the file's own bytes stay as they are."""
        if not -(1 << 31) <= value < 1 << 31:
            raise FormatError(f"{value} does not fit in 32 bits", f"item of type {self.type}")
        self._writable()[index] = value

    def set_range(self, start: int, values: Words) -> None:
        """Change several words, int32[n], from one on."""
        self._writable()[start : start + len(values)] = values

    def _writable(self) -> Words:
        if not self.words.flags.writeable:
            self.words = self.words.copy()
        return self.words

    def copy(self) -> "Item":
        """Return an item of its own with the same words."""
        return Item(self.type, self.id, self.words.copy())


@dataclass(slots=True, eq=False)
class ItemType:
    """A row of the type table and its items, in the file's order."""

    type: int  # as in the table: int32
    items: list[Item] = field(default_factory=list)


class Blob:
    """A piece of bulk data: the bytes as stored, and the decoded ones when they were asked for. Never changed."""

    __slots__ = ("_budget", "_compressed", "_data", "_paid", "_stored", "offset", "size")

    def __init__(self, stored: memoryview, size: int, compressed: bool, budget: Budget, offset: int) -> None:
        self._stored: memoryview | bytes | None = stored
        self._data: bytes | None = None
        self._compressed = compressed
        self._budget = budget
        self._paid = 0  # bytes that the budget was charged for it
        self.size = size  # of the decoded bytes, as the file claims; 0 = unusable
        self.offset: int | None = offset  # in the file

    def forget(self) -> None:
        """Let go of the decoded bytes, if they can be decoded again."""
        if self._stored is not None:
            self._data = None

    def clone(self) -> "Blob":
        """Return another blob with the same bytes."""
        blob = Blob(memoryview(b""), self.size, self._compressed, self._budget, 0)
        blob._stored, blob._data, blob.offset = self._stored, self._data, self.offset
        return blob

    @classmethod
    def new(cls, data: bytes) -> "Blob":
        """Return a blob that holds `data`."""
        blob = cls(memoryview(b""), len(data), False, Budget.unlimited(), 0)
        blob._stored, blob._data, blob.offset = None, data, None
        return blob

    def data(self, what: str = "blob") -> bytes:
        """The decoded bytes. Raises FormatError where they are damaged or their size isn't what the file claims."""
        if self._data is None:
            stored = self._stored or b""
            try:
                if not self._compressed:
                    self._data = bytes(stored)
                elif self.size == 0:
                    self._data = b""  # the game takes such a blob for none, whatever is stored
                else:
                    again = self._paid >= self.size
                    self._data = inflate(stored, self.size, Budget.unlimited() if again else self._budget, what)
                    self._paid = max(self._paid, self.size)
            except FormatError as error:
                error.offset = self.offset
                raise
        return self._data

    def charge(self, count: int, what: str) -> None:
        """Charge the map's budget for `count` bytes that are made of this blob in all; what was paid for counts."""
        if count > self._paid:
            self._budget.spend(count - self._paid, what)
            self._paid = count

    def stored(self, version: int) -> bytes | memoryview:
        """The bytes for a container of that version: those of the file if they fit."""
        if self._stored is not None and self._compressed == (version >= 4):
            return self._stored
        if version < 4:
            return self.data()
        if self._stored is None:
            self._stored, self._compressed = zlib.compress(self.data(), COMPRESSION_LEVEL), True
            return self._stored
        return zlib.compress(self.data(), COMPRESSION_LEVEL)


@dataclass(slots=True, eq=False)
class Datafile:
    """A container: what stands in it, in the file's order."""

    magic: bytes = MAGICS[0]
    version: int = 4
    crude_size: bool = False  # written before 2010-09: `size` (and `swaplen`) leave out the table of sizes
    crude_swaplen: bool = False
    item_types: list[ItemType] = field(default_factory=list)
    blobs: list[Blob] = field(default_factory=list)
    budget: Budget = field(default_factory=lambda: Budget(DECODED_LIMIT))

    def items(self, kind: int) -> list[Item]:
        """The items of a type; empty if there are none."""
        for row in self.item_types:
            if row.type == kind:
                return row.items
        return []

    def uuids(self) -> dict[int, UUID]:
        """Which UUID the file gives to which item type, without index items that are too short, and without those that
        name a type of the game's own.
        """
        found: dict[int, UUID] = {}
        for item in self.items(ItemKind.UUID_INDEX):
            if len(item) >= 4 and FIRST_NAMED_TYPE <= item.id < ItemKind.UUID_INDEX:
                found.setdefault(item.id, UUID(bytes=item.words[:4].astype(">i4").tobytes()))
        return found

    def uuid_items(self, uuid: UUID) -> list[Item]:
        """The items of the type (or the types, if it was registered twice) of that UUID."""
        return [item for kind, name in self.uuids().items() if name == uuid for item in self.items(kind)]

    def all_items(self) -> Iterator[Item]:
        """Every item, in the file's order."""
        for row in self.item_types:
            yield from row.items

    @classmethod
    def read(cls, data: Buffer) -> "Datafile":
        """Read a container: cheap, no blob is decompressed. Raises FormatError."""
        return _Reader(data).read()

    def write(self) -> bytes:
        """Return the container's bytes."""
        return b"".join(self.parts().values())

    def parts(self) -> dict[str, bytes]:
        """The container's bytes, section by section."""
        blobs = [blob.stored(self.version) for blob in self.blobs]
        items, item_offsets = self._pack_items()
        types = b"".join(
            struct.pack("<3i", row.type, start, len(row.items))
            for row, start in zip(self.item_types, self._starts(), strict=True)
        )
        offsets = _running_total(len(blob) for blob in blobs)
        blob_offsets, data_size = offsets[:-1], offsets[-1]
        sizes = [blob.size for blob in self.blobs] if self.version >= 4 else []
        body = HEADER_SIZE + len(types) + 4 * (len(item_offsets) + len(blob_offsets) + len(sizes)) + len(items)
        if body + data_size >= 1 << 31:
            raise FormatError(f"a map of {body + data_size} bytes: 2 GiB is the limit", "datafile")
        header = _HEADER.pack(
            self.magic,
            self.version,
            body + data_size - SIZE_BASE - (4 * len(sizes) if self.crude_size else 0),
            body - SIZE_BASE - (4 * len(sizes) if self.crude_swaplen else 0),
            len(self.item_types),
            len(item_offsets),
            len(blobs),
            len(items),
            data_size,
        )
        return {
            "header": header,
            "item types": types,
            "item offsets": np.array(item_offsets, WORD).tobytes(),
            "blob offsets": np.array(blob_offsets, WORD).tobytes(),
            "blob sizes": np.array(sizes, WORD).tobytes(),
            "items": items,
            "blobs": b"".join(blobs),
        }

    def _starts(self) -> list[int]:
        return _running_total(len(row.items) for row in self.item_types)[:-1]

    def _pack_items(self) -> tuple[bytes, list[int]]:
        """The items block, and where in it each item begins."""
        pieces: list[bytes] = []
        offsets: list[int] = []
        position = 0
        for item in self.all_items():
            words = item.words.tobytes()
            pieces.append(_ITEM_HEADER.pack(item.type << 16 | item.id, len(words)))
            pieces.append(words)
            offsets.append(position)
            position += 8 + len(words)
        return b"".join(pieces), offsets


def _running_total(sizes: Iterable[int]) -> list[int]:
    """Where each of the pieces begins, and where the last one ends."""
    total = 0
    offsets = [0]
    for size in sizes:
        total += size
        offsets.append(total)
    return offsets


class _Reader:
    """Takes a container apart. The rules are those of teeworlds.md §2, as far as all real maps keep them."""

    def __init__(self, data: Buffer) -> None:
        self.cursor = Cursor(data)
        self.file = Datafile()

    def read(self) -> Datafile:
        cursor, file = self.cursor, self.file
        magic, version, size, swaplen, types, items, blobs, item_size, data_size = self._header()
        rows = cursor.array(_ITEM_TYPE, types, "item types")
        item_offsets = cursor.array(WORD, items, "item offsets")
        blob_offsets = cursor.array(WORD, blobs, "blob offsets")
        blob_sizes = cursor.array(WORD, blobs, "blob sizes") if version >= 4 else None
        block_offset = cursor.offset
        block = cursor.take(item_size, "items")
        data_offset = cursor.offset
        if cursor.left != data_size:
            raise cursor.error(f"the blobs should take {data_size} bytes, {cursor.left} follow", "blobs")
        file.magic, file.version = magic, version
        file.crude_size = self._crude("size", 8, size, data_offset + data_size, blobs)
        file.crude_swaplen = self._crude("swaplen", 12, swaplen, data_offset, blobs)
        file.item_types = self._item_types(rows, self._items(block, block_offset, item_offsets))
        file.blobs = self._blobs(cursor.take(data_size, "blobs"), data_offset, blob_offsets, blob_sizes)
        return file

    def _header(self) -> tuple[bytes, int, int, int, int, int, int, int, int]:
        header = _HEADER.unpack(self.cursor.take(HEADER_SIZE, "datafile header"))
        if header[0] not in MAGICS:
            raise FormatError(f"starts with {header[0]!r}, not with DATA or ATAD", "datafile header", 0)
        if header[1] not in (3, 4):
            raise FormatError(f"version {header[1]}: 3 and 4 are known", "datafile header", 4)
        names = ("number of item types", "number of items", "number of blobs", "size of the items", "size of the blobs")
        for place, (name, value) in enumerate(zip(names, header[4:], strict=True)):
            if value < 0:
                raise FormatError(f"the {name} is negative ({value})", "datafile header", 16 + 4 * place)
        if header[4] > 0x10000:
            raise FormatError(f"{header[4]} item types: 65536 is the limit", "datafile header", 16)
        if header[7] % 4:
            raise FormatError(f"the size of the items ({header[7]}) is no multiple of 4", "datafile header", 28)
        return header

    def _crude(self, name: str, offset: int, value: int, end: int, blobs: int) -> bool:
        """Whether a size in the header leaves out the table of sizes, as writers before 2010-09 did."""
        expected = end - SIZE_BASE
        if value == expected:
            return False
        if self.file.version >= 4 and value == expected - 4 * blobs:
            return True
        raise FormatError(f"`{name}` is {value}, the file's is {expected}", "datafile header", offset)

    def _items(self, block: memoryview, base: int, offsets: Integers) -> list[Item]:
        words = np.frombuffer(block, WORD)
        keys = np.frombuffer(block, "<u4")
        items: list[Item] = []
        position = 0
        for number, offset in enumerate(offsets.tolist()):
            if offset != position:
                raise FormatError(f"begins at {offset}, the one before ends at {position}", f"item {number}", base)
            start = position // 4
            if start + 2 > len(words):
                raise FormatError("lies beyond the end of the items", f"item {number}", base + position)
            key, size = int(keys[start]), int(words[start + 1])
            position += 8 + size
            if size < 0 or size % 4 or position > len(block):
                raise FormatError(f"has an impossible size ({size})", f"item {number}", base + 4 * start + 4)
            items.append(Item(key >> 16, key & 0xFFFF, words[start + 2 : position // 4]))
        if position != len(block):
            raise FormatError(f"they end at {position}, not at {len(block)}", "items", base + position)
        return items

    def _item_types(self, rows: Integers, items: list[Item]) -> list[ItemType]:
        found: list[ItemType] = []
        position = 0
        for number, (kind, start, count) in enumerate(rows.tolist()):
            what, offset = f"item type {number}", HEADER_SIZE + 12 * number
            if start != position or count < 0 or count > len(items) - position:
                raise FormatError(f"claims items {start} to {start + count}, next is {position}", what, offset)
            position += count
            for item in items[start:position]:
                if item.type != kind & 0xFFFF:
                    raise FormatError(f"is {kind}, but item {item.id} of it says {item.type}", what, offset)
            found.append(ItemType(kind, items[start:position]))
        if position != len(items):
            raise FormatError(f"they cover {position} of {len(items)} items", "item types", HEADER_SIZE)
        return found

    def _blobs(self, data: memoryview, base: int, offsets: Integers, sizes: Integers | None) -> list[Blob]:
        starts = offsets.tolist()
        ends = [*starts[1:], len(data)][: len(starts)]
        if starts and starts[0] != 0:
            raise FormatError(f"begins at {starts[0]}, not at 0", "blob 0", base)
        if not starts and len(data):
            raise FormatError(f"{len(data)} bytes belong to no blob", "blobs", base)
        claimed = [end - start for start, end in zip(starts, ends, strict=True)] if sizes is None else sizes.tolist()
        blobs: list[Blob] = []
        for number, (start, end, size) in enumerate(zip(starts, ends, claimed, strict=True)):
            if not start <= end <= len(data):
                raise FormatError(f"lies at {start} to {end} of {len(data)}", f"blob {number}", base)
            if size < 0:
                raise FormatError(f"its decompressed size is negative ({size})", f"blob {number}", base + start)
            blobs.append(Blob(data[start:end], size, sizes is not None, self.file.budget, base + start))
        return blobs
