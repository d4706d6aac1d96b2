# SPDX-License-Identifier: GPL-3.0-or-later
"""The pak (lump 40): a zip in the map with its own materials, models and more (source.md §2.10).

Only two methods are in use, stored and LZMA. Consoles want each file to begin at a sector: zips whose comment begins
with "XZP2 2048" have extra bytes before each, which the central directory counts but does not have.
"""

import re
import struct
import zlib
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, replace

from ...binary import Budget, Buffer, FormatError
from . import lzma_lump

WHAT = "lump 40 (PAKFILE)"
STORED, LZMA = 0, 14
PRELOAD = "__preload_section.pre"  # of consoles: parts of other files, by their number

_LOCAL, _CENTRAL, _END = b"PK\3\4", b"PK\1\2", b"PK\5\6"
# version, flags, method, time, date, crc, packed size, size, length of the name, length of the extra bytes
_FIELDS = struct.Struct("<HHHHHIIIHH")
# comment length, disk, internal attributes, external attributes, offset of the local header
_MORE_FIELDS = struct.Struct("<HHHII")
_END_FIELDS = struct.Struct("<HHHHIIH")
_ZSTD = 93  # Strata's maps may have it
_LZMA_HEAD = struct.Struct("<BBH5s")
_END_MARK = 0x2  # of an LZMA file's flags: its stream has an end mark, as Python's have; 7-Zip wants to be told
_VERSION, _VERSION_MADE = 10, 20
_LONGEST_COMMENT = _MOST_FILES = 0xFFFF
_ALIGNED = re.compile(rb"XZP2 (\d{1,4})\0")
_COMMENT = b"XZP1 0".ljust(32, b"\0")


@dataclass(frozen=True, slots=True, eq=False)
class PakFile:
    """A file in the pak. `packed`: its bytes as they are stored; the rest are the zip's own fields."""

    name: str  # Latin-1, as it stands there; case and the kind of slash do not count
    packed: Buffer
    size: int
    crc: int
    method: int = STORED
    version: int = _VERSION
    flags: int = 0
    time: int = 0
    date: int = 0
    local_extra: bytes = b""
    version_made: int = _VERSION_MADE
    extra: bytes = b""
    comment: bytes = b""
    attributes: tuple[int, int, int] = (0, 0, 0)
    gap: bytes = b""  # before it

    def fields(self, extra: int) -> bytes:
        """What local header and central directory have in common."""
        sizes = (len(self.packed), self.size, len(self.name), extra)
        return _FIELDS.pack(self.version, self.flags, self.method, self.time, self.date, self.crc, *sizes)


class Pak:
    """The files of a pak, in their order. Names are found whatever their case and slashes are."""

    __slots__ = ("_budget", "_granted", "_numbers", "_source", "align", "comment", "files", "gap", "trailing")

    def __init__(self, data: Buffer, budget: Budget) -> None:
        """Read the directory; of no bytes, an empty pak. Raises FormatError."""
        self._budget = budget
        self._granted: set[PakFile] = set()  # files that were decompressed before: the budget has paid for them
        self.files: list[PakFile] = []
        self.comment = _COMMENT
        self.gap = b""  # before the central directory
        self.trailing = b""
        self.align = 1
        if len(data):
            self._read(memoryview(data).toreadonly().cast("B"))
        self._source: list[PakFile] = list(self.files)
        self._numbers: dict[str, int] = {}
        self._index()

    def _index(self) -> None:
        self._numbers = {}
        for number, file in enumerate(self.files):
            self._numbers.setdefault(_folded(file.name), number)

    # ---------------------------------------------------------------------------------------------------------- read

    def _read(self, data: memoryview) -> None:
        start = max(len(data) - _LONGEST_COMMENT - _END_FIELDS.size - 4, 0)
        end = bytes(data[start:]).rfind(_END)
        if end < 0 or start + end + 4 + _END_FIELDS.size > len(data):
            raise FormatError("has no end of central directory", WHAT)
        end += start
        _, _, _, count, size, offset, comment = _END_FIELDS.unpack_from(data, end + 4)
        if offset + size > end:
            raise FormatError(f"its central directory, {size} bytes at {offset}, does not lie before byte {end}", WHAT)
        self.comment = bytes(data[end + 4 + _END_FIELDS.size :][:comment])
        self.trailing = bytes(data[end + 4 + _END_FIELDS.size + len(self.comment) :])
        aligned = _ALIGNED.match(self.comment)
        self.align = int(aligned[1]) if aligned and int(aligned[1]) else 1
        found: list[tuple[int, PakFile]] = []
        at = offset
        for number in range(count):
            at, local, file = self._entry(data, at, offset + size, number)
            found.append((local, file))
        self._add_gaps(data, found, offset)

    def _entry(self, data: memoryview, at: int, end: int, number: int) -> tuple[int, int, PakFile]:
        """Read an entry of the central directory and its file: where the next begins, where the file lies, the file."""
        what = f"file {number} of {WHAT}"
        if at + 46 > end or data[at : at + 4] != _CENTRAL:
            raise FormatError("has no entry in the central directory", what, at)
        (made,) = struct.unpack_from("<H", data, at + 4)
        version, flags, method, time, date, crc, packed, size, name_size, extra_size = _FIELDS.unpack_from(data, at + 6)
        comment_size, disk, internal, external, local = _MORE_FIELDS.unpack_from(data, at + 32)
        at += 46
        name = bytes(data[at : at + name_size])
        at += name_size
        extra = b""
        if self.align == 1:  # else the extra bytes are counted here, but are not here
            extra = bytes(data[at : at + extra_size])
            at += extra_size
        comment = bytes(data[at : at + comment_size])
        at += comment_size
        if at > end:
            raise FormatError(f"its entry ends behind the central directory, at {at}", what)
        if local + 30 > len(data) or data[local : local + 4] != _LOCAL:
            raise FormatError(f"is said to lie at byte {local}, where no file begins", what)
        *_, local_name, local_extra = _FIELDS.unpack_from(data, local + 4)
        begin = local + 30 + local_name + local_extra
        if begin + packed > len(data):
            raise FormatError(f"needs {packed} bytes at {begin}, there are {len(data)}", what)
        file = PakFile(
            name.decode("latin-1"), data[begin : begin + packed], size, crc, method, version, flags, time, date,
            bytes(data[begin - local_extra : begin]), made, extra, comment, (disk, internal, external),
        )  # fmt: skip
        return at, local, file

    def _add_gaps(self, data: memoryview, found: list[tuple[int, PakFile]], directory: int) -> None:
        """Put the files into the order of their bytes and keep what lies between them."""
        at = 0
        for local, file in sorted(found, key=lambda pair: pair[0]):
            gap = bytes(data[at:local]) if local > at and self.align == 1 else b""
            self.files.append(replace(file, gap=gap) if gap else file)
            at = max(at, local + 30 + len(file.name) + len(file.local_extra) + len(file.packed))
        self.gap = bytes(data[at:directory]) if self.align == 1 and directory > at else b""

    # ----------------------------------------------------------------------------------------------------------- use

    def __len__(self) -> int:
        return len(self.files)

    def __iter__(self) -> Iterator[PakFile]:
        return iter(self.files)

    def __contains__(self, name: str) -> bool:
        return _folded(name) in self._numbers

    @property
    def names(self) -> list[str]:
        """The names of all files, in their order."""
        return [file.name for file in self.files]

    def file(self, name: str) -> PakFile:
        """Return a file; KeyError if there is none of that name."""
        return self.files[self._numbers[_folded(name)]]

    def read(self, name: str) -> Buffer:
        """The bytes of a file, decompressed. Raises KeyError, FormatError. Its checksum is not looked at."""
        file = self.file(name)
        what = f"{file.name} in {WHAT}"
        if file.method == STORED:
            return file.packed
        if file.method != LZMA:
            told = " is zstd, which Python can't undo: pack it again" if file.method == _ZSTD else ""
            raise FormatError(f"method {file.method}{told}; known are {STORED} and {LZMA}", what)
        if len(file.packed) < _LZMA_HEAD.size:
            raise FormatError(f"{len(file.packed)} bytes have no LZMA header", what)
        *_, size, properties = _LZMA_HEAD.unpack_from(file.packed)
        if size != len(properties):
            raise FormatError(f"{size} bytes of LZMA properties", what)
        stream = memoryview(file.packed)[_LZMA_HEAD.size :]
        budget = Budget.unlimited() if file in self._granted else self._budget
        plain = lzma_lump.decode_stream(stream, properties, file.size, budget, what)
        self._granted.add(file)
        return plain

    def put(self, name: str, data: Buffer, compress: bool = False) -> None:
        """Add a file behind the others, or give one other bytes in its place. Raises FormatError."""
        self._refuse_preload()
        plain = bytes(data)
        packed, method, mark = plain, STORED, 0
        if compress:
            properties, stream = lzma_lump.encode_stream(plain)
            packed, method, mark = _LZMA_HEAD.pack(9, 20, len(properties), properties) + stream, LZMA, _END_MARK
        if name in self:
            number = self._numbers[_folded(name)]
            old, flags = self.files[number], self.files[number].flags & ~_END_MARK | mark
            self.files[number] = replace(
                old, packed=packed, size=len(plain), crc=zlib.crc32(plain), method=method, flags=flags
            )
            return
        if not name or len(name) > 0xFFFF or any(ord(letter) > 0xFF for letter in name):
            raise FormatError(f"{name[:64]!r} cannot be the name of a file", WHAT)
        self.files.append(PakFile(name, packed, len(plain), zlib.crc32(plain), method, flags=mark))
        self._numbers[_folded(name)] = len(self.files) - 1

    def remove(self, name: str) -> None:
        """Remove a file; KeyError if there is none of that name."""
        self._refuse_preload()
        del self.files[self._numbers[_folded(name)]]
        self._index()

    def rename(self, name: str, new_name: str) -> None:
        """Rename a file where it stands; KeyError if there is none of that name, FormatError if there is the other."""
        self._refuse_preload()
        number = self._numbers[_folded(name)]
        if self._numbers.get(_folded(new_name), number) != number:
            raise FormatError(f"has a file {new_name!r} already", WHAT)
        self.files[number] = replace(self.files[number], name=new_name)
        self._index()

    def copy(self) -> "Pak":
        """Another pak of the same files, to be changed by itself."""
        other = copy(self)
        other.files, other._numbers = list(self.files), dict(self._numbers)
        return other

    def assign(self, other: "Pak") -> None:
        """Have the files of a copy."""
        self.files, self._numbers = list(other.files), dict(other._numbers)

    def _refuse_preload(self) -> None:
        if PRELOAD in self:
            raise FormatError(f"its {PRELOAD} repeats parts of the other files: it cannot be changed", WHAT)

    @property
    def changed(self) -> bool:
        """Whether a file was put, removed or renamed."""
        return self.files != self._source

    # --------------------------------------------------------------------------------------------------------- write

    def encode(self) -> bytes:
        """The bytes of the zip. Raises FormatError for more files than it can count."""
        if len(self.files) > _MOST_FILES:
            raise FormatError(f"{len(self.files)} files are more than the {_MOST_FILES} that it can have", WHAT)
        parts: list[Buffer] = []
        directory: list[bytes] = []
        at = 0
        for file in self.files:
            name = file.name.encode("latin-1")
            extra = file.local_extra
            if self.align > 1:
                extra = bytes(-(at + 30 + len(name)) % self.align)
            at += len(file.gap)
            directory += (
                _CENTRAL, struct.pack("<H", file.version_made),
                file.fields(len(file.extra) if self.align == 1 else len(extra)),
                _MORE_FIELDS.pack(len(file.comment), *file.attributes, at), name, file.extra, file.comment,
            )  # fmt: skip
            parts += (file.gap, _LOCAL, file.fields(len(extra)), name, extra, file.packed)
            at += 30 + len(name) + len(extra) + len(file.packed)
        if self.align > 1 and directory:
            parts.append(bytes(-at % self.align))
            at += -at % self.align
            directory.append(bytes(-sum(map(len, directory)) % self.align))
        parts.append(self.gap)
        at += len(self.gap)
        count = len(self.files)
        size = sum(map(len, directory))
        end = _END_FIELDS.pack(0, 0, count, count, size, at, len(self.comment))
        return b"".join((*parts, *directory, _END, end, self.comment, self.trailing))


def _folded(name: str) -> str:
    return name.replace("\\", "/").lower()
