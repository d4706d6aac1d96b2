# SPDX-License-Identifier: GPL-3.0-or-later
"""Maps as files: a header with the directory of lumps, the lumps, and the bytes between and behind them.

What is read is kept: `write` puts everything back where it was. A changed lump takes its old place, what lies behind it
moves, and the offsets follow: those of the header, those that the game lump has of its own, and the one that the
editor of Bloodlines leaves at the very end (source.md §2.1, §2.10).
"""

import struct
from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np

from ...arrays import Ints, Records
from ...binary import Buffer, FormatError
from ..lumps import (
    ENTRY,
    EXTRA_INT_VERSION,
    LUMPS,
    MAGIC,
    MAGIC_BIG_ENDIAN,
    MANY_LUMPS,
    MANY_LUMPS_VERSION,
    VERSIONS,
    HeaderForm,
    LumpId,
    lump_name,
)
from . import cipher, game_lump
from .segments import Rebuilt, Segments, Span

PAK_ALIGN = 2048  # of a pak that bspzip or a console tool wrote: a sector of a disc
LUMP_ALIGN = 4
_VERSION_FIRST_SINCE = 21
_MOST = (1 << 31) - 1  # of offsets, which engines take for signed
_ENTITY_TAG = b"QnDbTm"  # behind the entities' offset, at the end of maps that a tool moved their entities in


def form_of(data: Buffer) -> HeaderForm | None:
    """What form of header bytes (not encrypted) begin with; None if it is none of a known map."""
    view = memoryview(data).toreadonly().cast("B")
    magic = bytes(view[:4])
    if magic not in (MAGIC, MAGIC_BIG_ENDIAN):
        return None
    big = magic == MAGIC_BIG_ENDIAN
    version = int.from_bytes(view[4:8], "big" if big else "little") & 0xFFFF
    form = HeaderForm(
        byte_order=">" if big else "<",
        lumps=MANY_LUMPS if version == MANY_LUMPS_VERSION else LUMPS,
        directory=12 if version == EXTRA_INT_VERSION else 8,
    )
    if version not in VERSIONS or len(view) < form.size:
        return None
    if version < _VERSION_FIRST_SINCE or version == MANY_LUMPS_VERSION:
        return form
    plausible = _plausible(view, form)
    if plausible == form.lumps:
        return form
    other = HeaderForm(form.byte_order, form.lumps, form.directory, version_first=True)
    return other if _plausible(view, other) > plausible else form


def identify(data: Buffer) -> bool:
    """Whether these bytes are a map: magic, version and a whole header, encrypted or not."""
    view = memoryview(data).toreadonly().cast("B")
    return form_of(view) is not None or cipher.find_key(view) is not None


def _plausible(view: memoryview, form: HeaderForm) -> int:
    """How many entries of the directory name bytes that the file could have."""
    offsets, lengths, _, _ = _columns(view, form)
    first, end = form.size, len(view)
    lumps = zip(offsets, lengths, strict=True)
    return len([None for offset, length in lumps if not length or first <= offset <= end - length])


def _columns(view: memoryview, form: HeaderForm) -> list[tuple[int, ...]]:
    """The directory: the columns of ENTRY.

    No array yet: a map that is only opened and saved is done before numpy would have come into the processor's cache.
    """
    words = struct.unpack_from(f"{form.byte_order}{4 * form.lumps}I", view, form.directory)
    return [words[column::4] for column in form.columns]


def _table(columns: Sequence[Sequence[int]]) -> Records:
    return np.ascontiguousarray(np.array(columns, np.int64).T).view(ENTRY)[:, 0]


class BspFile:
    """A map's header and its lumps as they are stored, compressed ones compressed.

    `version`: of the format; `minor`: the upper half of that word. `revision`: of the map.
    """

    __slots__ = (
        "_changed", "_columns", "_data", "_entries", "_key", "_revision", "_source",
        "form", "minor", "revision", "version",
    )  # fmt: skip

    def __init__(self, data: Buffer) -> None:
        """Read the directory. Raises FormatError."""
        self._key: bytes | None = None
        self._source = data
        view = memoryview(data).toreadonly().cast("B")
        form = form_of(view)
        if form is None:
            self._key = cipher.find_key(view)
            if self._key is not None:
                view = memoryview(cipher.apply(view, self._key))
                form = form_of(view)
        if form is None:
            raise _no_map(view)
        self._data = view
        self.form = form
        word = int.from_bytes(view[4:8], self._endian)
        self.version = word & 0xFFFF
        self.minor = word >> 16
        self.revision = self._revision = int.from_bytes(view[form.revision : form.size], self._endian)
        self._columns = _columns(view, form)
        self._entries: Records | None = None
        self._changed: dict[int, Buffer] = {}
        offsets, lengths, _, _ = self._columns
        first = form.size
        for lump, offset in enumerate(offsets):
            if offset < first and lengths[lump]:
                message = f"begins at byte {offset}, within the header of {first} bytes"
                raise FormatError(message, lump_name(lump), form.directory + 16 * lump)

    @property
    def entries(self) -> Records:
        """The directory: ENTRY [lumps], which may be written to."""
        if self._entries is None:
            self._entries = _table(self._columns)
        return self._entries

    @property
    def _endian(self) -> Literal["big", "little"]:
        return "big" if self.form.byte_order == ">" else "little"

    @property
    def size(self) -> int:
        """Bytes of the file that was read."""
        return len(self._data)

    @property
    def encrypted(self) -> bool:
        """Whether the file's bytes are encrypted, as those of Tactical Intervention are; `write` does so again."""
        return self._key is not None

    def stored(self, lump: int) -> Buffer:
        """A lump's bytes as they are stored, as many of them as the file has."""
        if lump in self._changed:
            return self._changed[lump]
        start, end = self._place(lump)
        return self._data[start:end]

    def cut(self, lump: int) -> int:
        """How many bytes of a lump the file lacks: some maps end within their pak."""
        return 0 if lump in self._changed else int(self.entries["length"][lump]) - len(self.stored(lump))

    def put(self, lump: int, data: Buffer, size: int = 0) -> None:
        """Give a lump other bytes. `size`: what they decompress to, if they are compressed.

        Offsets in the game lump are those that fit the place that it had (`entries["offset"]`).
        """
        self._changed[lump] = data
        self.entries["size"][lump] = size

    def is_changed(self, lump: int) -> bool:
        """Whether a lump was put."""
        return lump in self._changed

    def _is_as_read(self) -> bool:
        if self._changed or self.revision != self._revision:
            return False
        return self._entries is None or np.array_equal(self._entries, _table(self._columns))

    def _place(self, lump: int) -> tuple[int, int]:
        start, length = int(self.entries["offset"][lump]), int(self.entries["length"][lump])
        return min(start, self.size), min(start + length, self.size)

    # --------------------------------------------------------------------------------------------------------- write

    def write(self) -> bytes:
        """Return the file's bytes: the very ones that were read, if nothing changed. Raises FormatError."""
        if self._is_as_read():
            return bytes(self._source)
        data = b"".join([part for _, part in self._pieces()])
        return data if self._key is None else cipher.apply(data, self._key)

    def parts(self) -> Iterator[tuple[str, Buffer]]:
        """Every part of the file by name, in the order in which `write` joins them."""
        previous = ""
        for keys, part in self._pieces():
            name = ", ".join(map(lump_name, keys)) or (f"bytes behind {previous}" if previous else "header")
            if len(part):
                yield name, part
            previous = name if keys or not previous else previous

    def _pieces(self) -> list[tuple[tuple[int, ...], Buffer]]:
        """The header, then lumps and the bytes between them; each with the numbers of its lumps."""
        made = self._rebuild()
        if made.position > _MOST:
            raise FormatError(f"{made.position} bytes are more than its offsets reach", "map")
        places = made.moved_all(self.entries["offset"])
        places = np.where(self.entries["offset"] <= self.size, places, self.entries["offset"])
        for lump, place in made.placed.items():
            places[lump] = place
        pieces: list[tuple[tuple[int, ...], Buffer]] = [((), self._header(places))]
        for keys, part in made.parts:
            if LumpId.GAME_LUMP in keys:
                part = self._moved_game_lump(part, int(places[LumpId.GAME_LUMP]), alone=len(keys) == 1)
            pieces.append((keys, part))
        if not pieces[-1][0]:
            pieces[-1] = ((), self._moved_tail(pieces[-1][1], int(places[LumpId.ENTITIES])))
        return pieces

    def _rebuild(self) -> Rebuilt:
        size = self.size
        starts, lengths = self.entries["offset"], self.entries["length"]
        used = np.flatnonzero((lengths > 0) & (starts < size))
        ends = np.minimum(starts + lengths, size)
        spans = [
            Span(lump, start, end, self._align(lump))
            for lump, start, end in zip(used.tolist(), starts[used].tolist(), ends[used].tolist(), strict=True)
        ]
        cut = {lump for lump in np.flatnonzero((lengths > 0) & (starts + lengths > size)).tolist() if self.cut(lump)}
        whole_sectors = self._align(LumpId.PAKFILE) == PAK_ALIGN and size % PAK_ALIGN == 0
        end_align = 1 if cut else PAK_ALIGN if whole_sectors else LUMP_ALIGN if size % LUMP_ALIGN == 0 else 1
        segments = Segments(self._data, self.form.size, spans, end_align)
        return segments.rebuild(self.form.size, self._changed, LUMP_ALIGN, cut | {LumpId.PAKFILE})

    def _align(self, lump: int) -> int:
        """What the place of a lump is a multiple of, and shall stay."""
        offset = int(self.entries["offset"][lump])
        if lump == LumpId.PAKFILE and offset and offset % PAK_ALIGN == 0:
            return PAK_ALIGN
        return LUMP_ALIGN if offset % LUMP_ALIGN == 0 else 1

    def _header(self, places: Ints) -> bytes:
        """The header with lumps at `places`; those without bytes have some too, which point to where others begin."""
        entries = self.entries.copy()
        entries["offset"] = places
        for lump, data in self._changed.items():
            entries["length"][lump] = len(data)
        words = np.empty((self.form.lumps, 4), self.form.byte_order + "u4")
        words[:, self.form.columns] = entries.view(np.int64).reshape(-1, 4)
        header = bytearray(self._data[: self.form.size])
        header[self.form.directory : self.form.revision] = words.tobytes()
        header[self.form.revision :] = self.revision.to_bytes(4, self._endian)
        if self._key is not None and any(header[cipher.KEY_OFFSET : cipher.KEY_OFFSET + cipher.KEY_SIZE]):
            raise FormatError("lumps 23 to 25 of an encrypted map hide its key: they must be empty", "header")
        return bytes(header)

    def _moved_game_lump(self, data: Buffer, new: int, alone: bool) -> Buffer:
        """The game lump with offsets that fit the place where it goes."""
        old = int(self.entries["offset"][LumpId.GAME_LUMP])
        if old == new:
            return data
        if not alone:
            raise FormatError("shares bytes with another lump and cannot be moved", lump_name(LumpId.GAME_LUMP))
        return game_lump.moved(data, old, new, self.form.byte_order, self.minor)

    def _moved_tail(self, tail: Buffer, new: int) -> Buffer:
        """The bytes behind all lumps; those of Bloodlines may say where the entities are."""
        old = int(self.entries["offset"][LumpId.ENTITIES])
        mark = old.to_bytes(4, "little") + _ENTITY_TAG
        if old == new or not bytes(tail).endswith(mark):
            return tail
        return bytes(tail[: -len(mark)]) + new.to_bytes(4, "little") + _ENTITY_TAG


def _no_map(view: memoryview) -> FormatError:
    magic, version = bytes(view[:4]), bytes(view[4:8])
    if magic not in (MAGIC, MAGIC_BIG_ENDIAN):
        return FormatError(f"starts with {magic!r}: a Source map starts with {MAGIC!r}", "header", 0)
    number = int.from_bytes(version, "big" if magic == MAGIC_BIG_ENDIAN else "little") & 0xFFFF
    if number not in VERSIONS:
        return FormatError(f"version {number}: known are 17 to 27 and {MANY_LUMPS_VERSION}", "header", 4)
    return FormatError(f"{len(view)} bytes are less than its header has", "header", len(view))
