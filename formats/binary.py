# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading binary data without trusting it: a bounds-checked cursor, record tables, bounded decompression, one error.

Everything that reads a file goes through here. A count that a file claims is compared with the bytes that are left
before anything is allocated, and decompression never makes more bytes than it was granted.
"""

import re
import struct
import zlib
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal, Self

import numpy as np
import numpy.typing as npt

from .arrays import Array
from .counting import alike

Buffer = bytes | bytearray | memoryview

_U8, _U16, _U32, _I32 = (struct.Struct(form) for form in ("<B", "<H", "<I", "<i"))

_VARYING = re.compile(r"-?(?:0x[0-9a-f]+|\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?|\binf\b|\bnan\b)|'[^']*'")
_MORE = re.compile(r" \(?and (?:\d+ more|others)\b.*")

DEFLATE_RATIO = 1032  # deflate cannot do better: 258 bytes (its longest match) for 2 bits
PIXEL_LIMIT = (
    1 << 28
)  # that one level's pictures may have; of 501 real Teeworlds maps, the one with most has 20 million
_TEXT_STEP = 256


class FormatError(ValueError):
    """Bytes that are not what their format demands, or a level that its format cannot hold.

    `message`: what is wrong, with the value that stands there. `reading`: what was being read. `offset`: the byte in
    the file, if one is to blame. `file`: its name, where known (:meth:`in_file`).
    """

    def __init__(self, message: str, reading: str = "", offset: int | None = None, file: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.reading = reading
        self.offset = offset
        self.file = file

    def __str__(self) -> str:
        parts = (
            self.file,
            None if self.offset is None else f"at byte {self.offset:#x}",
            f"reading {self.reading}" if self.reading else None,
            self.message,
        )
        return ": ".join(part for part in parts if part)

    def about(self, reading: str) -> "FormatError":
        """Return the same error, saying better what was being read."""
        return FormatError(self.message, reading, self.offset, self.file)

    def in_file(self, name: str | PurePath) -> "FormatError":
        """Return the same error, naming the file."""
        return FormatError(self.message, self.reading, self.offset, str(name))


Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a level that its game would refuse or misread."""

    place: str
    """Where it is, in the format's own terms: "layer 3 of group 1"."""
    message: str
    """What is wrong there; numbers in it may change from one level to the next, its words say which kind it is."""
    severity: Severity = "error"
    count: int = 1
    """How many things it is about, where one problem stands for several: "3 vertices are NaN"."""

    @property
    def kind(self) -> str:
        """What kind of problem it is: severity, place and message without numbers and names, which differ from level to
        level and follow what stands before, and the same for one thing and for several. Not for reading.
        """
        return alike(_VARYING.sub("#", f"{self.severity} {_MORE.sub('', self.place)}: {self.message}"))

    def __str__(self) -> str:
        return f"{self.severity}: {self.place}: {self.message}"


class Cursor:
    """A position in little-endian bytes that only moves forward and never past its end.

    Every read names `what` is read, for the error. `base` is added to the offsets that errors report, so that a cursor
    over a part of a file tells where in the file it stands.
    """

    __slots__ = ("_view", "base", "end", "offset")

    def __init__(self, data: Buffer, offset: int = 0, end: int | None = None, base: int = 0) -> None:
        self._view = memoryview(data).toreadonly().cast("B")
        self.end = len(self._view) if end is None else end
        self.offset = offset
        self.base = base
        if not 0 <= offset <= self.end <= len(self._view):
            raise FormatError(f"bytes {offset} to {self.end} lie outside the {len(self._view)} there are")

    @property
    def left(self) -> int:
        """Bytes that are not read yet."""
        return self.end - self.offset

    def error(self, message: str, what: str) -> FormatError:
        """Return a FormatError for the place where the cursor stands."""
        return FormatError(message, what, self.base + self.offset)

    def need(self, count: int, what: str) -> None:
        """Raise FormatError unless `count` bytes are left."""
        if count < 0:
            raise self.error(f"its size is negative ({count})", what)
        if count > self.left:
            raise self.error(f"needs {count} bytes, {self.left} are left", what)

    def take(self, count: int, what: str) -> memoryview:
        """The next `count` bytes, not copied."""
        self.need(count, what)
        start = self.offset
        self.offset += count
        return self._view[start : self.offset]

    def skip(self, count: int, what: str) -> None:
        """Move on by `count` bytes."""
        self.need(count, what)
        self.offset += count

    def _integer(self, form: struct.Struct, what: str) -> int:
        self.need(form.size, what)
        value: int = form.unpack_from(self._view, self.offset)[0]
        self.offset += form.size
        return value

    def u8(self, what: str) -> int:
        """Read an unsigned byte."""
        return self._integer(_U8, what)

    def u16(self, what: str) -> int:
        """Read an unsigned 16-bit integer."""
        return self._integer(_U16, what)

    def u32(self, what: str) -> int:
        """Read an unsigned 32-bit integer."""
        return self._integer(_U32, what)

    def i32(self, what: str) -> int:
        """Read a signed 32-bit integer."""
        return self._integer(_I32, what)

    def array(self, dtype: npt.DTypeLike, count: int, what: str) -> Array:
        """The next `count` records: a read-only view of the bytes, nothing copied."""
        record = np.dtype(dtype)
        if count < 0:
            raise self.error(f"its count is negative ({count})", what)
        if count * record.itemsize > self.left:
            raise self.error(f"{count} records of {record.itemsize} bytes, but {self.left} bytes are left", what)
        start = self.offset
        self.offset += count * record.itemsize
        return np.frombuffer(self._view[start : self.offset], record)

    def cstring(self, what: str) -> bytes:
        """The bytes up to the next NUL, which is skipped."""
        text = bytearray()
        for start in range(self.offset, self.end, _TEXT_STEP):
            piece = bytes(self._view[start : min(start + _TEXT_STEP, self.end)])
            length = piece.find(0)
            if length >= 0:
                text += piece[:length]
                self.offset += len(text) + 1
                return bytes(text)
            text += piece
        raise self.error("its text has no end", what)


def table(data: Buffer, dtype: npt.DTypeLike, what: str) -> Array:
    """All of `data` as records of `dtype`: a read-only view. Raises FormatError if the last record isn't whole."""
    record = np.dtype(dtype)
    view = memoryview(data).toreadonly().cast("B")
    if len(view) % record.itemsize:
        raise FormatError(f"{len(view)} bytes are no whole number of {record.itemsize}-byte records", what)
    return np.frombuffer(view, record)


class Budget:
    """What decompression may still make (bytes, pixels): one for all parts of a file, so that no file fills the memory,
    nor takes hours because many of its parts share what it stores once.
    """

    __slots__ = ("left", "limit", "unit")

    def __init__(self, limit: int, unit: str = "bytes") -> None:
        self.limit = limit
        self.left = limit
        self.unit = unit

    @classmethod
    def of_pixels(cls) -> Self:
        """A budget for the pictures that are made of one level, in pixels."""
        return cls(PIXEL_LIMIT, "pixels")

    def spend(self, count: int, what: str) -> None:
        """Take `count`, or raise FormatError and take nothing."""
        if count > self.left:
            raise FormatError(
                f"{count:,} {self.unit} are beyond the limit of {self.limit:,} for one file, of which {self.left:,} "
                "are left",
                what,
            )
        self.left -= count

    @classmethod
    def unlimited(cls) -> Self:
        """A budget that is never spent: for bytes that we made ourselves."""
        return cls(1 << 62)


def inflate(data: Buffer, size: int, budget: Budget, what: str) -> bytes:
    """Decompress a zlib stream that must give exactly `size` bytes; bytes after the stream are ignored, as zlib does.

    Never makes more than `size` + 1 bytes, and refuses a `size` that the stream is too short for before anything is
    allocated. Raises FormatError.
    """
    if size < 0:
        raise FormatError(f"its size is negative ({size})", what)
    if size > len(data) * DEFLATE_RATIO:
        raise FormatError(f"{len(data)} compressed bytes cannot hold {size}", what)
    budget.spend(size, what)
    stream = zlib.decompressobj()
    try:
        # Measured: as fast as zlib.decompress, which has no bound; a buffer of the final size is slower for big blobs.
        plain = stream.decompress(data, size + 1)
    except zlib.error as error:
        raise FormatError(f"cannot be decompressed: {error}", what) from None
    if len(plain) != size:
        raise FormatError(
            f"decompresses to {len(plain)}{'' if len(plain) < size else ' or more'}, not {size} bytes", what
        )
    if not stream.eof:
        raise FormatError("its compressed bytes end too soon", what)
    return plain
