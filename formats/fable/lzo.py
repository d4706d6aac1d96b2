# SPDX-License-Identifier: GPL-3.0-or-later
"""LZO1X streams, unpacked: instructions that copy bytes of the stream, or of what was made already.

Written after "LZO stream format as understood by Linux's LZO decompressor" (Documentation/staging/lzo.rst of the Linux
kernel), version 0.
"""

from __future__ import annotations

from ..binary import Buffer, FormatError

_RUN = 4
"""State after a run of literals: four or more were copied."""
_FAR = 16384
"""The distance that ends a stream."""


class _Stream:
    """A stream that is being unpacked, and what was made of it."""

    __slots__ = ("_data", "_limit", "_what", "made", "place")

    def __init__(self, data: bytes, limit: int, what: str) -> None:
        self._data = data
        self._limit = limit
        self._what = what
        self.made = bytearray()
        self.place = 0

    def error(self, message: str) -> FormatError:
        """An error of the instruction that is being read."""
        return FormatError(message, self._what, self.place)

    def byte(self) -> int:
        """Read one."""
        if self.place >= len(self._data):
            raise self.error("its packed bytes end too soon")
        self.place += 1
        return self._data[self.place - 1]

    def word(self) -> int:
        """Read two bytes, the lower one first."""
        return self.byte() | self.byte() << 8

    def length(self, bits: int, most: int) -> int:
        """A length that an instruction has in some of its bits: where these are 0, further bytes are added to `most`,
        which is what the bits could hold.
        """
        if bits:
            return bits
        start = self.place
        while not (last := self.byte()):
            pass
        return most + 255 * (self.place - start - 1) + last

    def literals(self, count: int) -> None:
        """Copy bytes of the stream."""
        self._grant(count)
        if count > len(self._data) - self.place:
            raise self.error("its packed bytes end too soon")
        self.made += self._data[self.place : self.place + count]
        self.place += count

    def copy(self, distance: int, count: int) -> None:
        """Copy bytes that were made; where they aren't enough, these over and over."""
        self._grant(count)
        start = len(self.made) - distance
        if start < 0:
            raise self.error(f"copies from {distance} bytes back, where {len(self.made)} were made")
        piece = self.made[start : start + count]
        self.made += piece if distance >= count else (piece * (count // distance + 1))[:count]

    def _grant(self, count: int) -> None:
        if len(self.made) + count > self._limit:
            raise self.error(f"unpacks to more than {self._limit} bytes")


def decompress(data: Buffer, limit: int, what: str) -> bytes:
    """Return what an LZO1X stream holds, which has to end where the data do.

    limit: bytes that it may make at most. what: for errors. Raises FormatError.
    """
    stream = _Stream(bytes(data), limit, what)
    state = 0
    if data and data[0] > 17:  # a stream may begin with a run of literals
        count = stream.byte() - 17
        stream.literals(count)
        state = min(count, _RUN)
    while (following := _instruction(stream, state)) is not None:
        state = following
    if stream.place != len(data):
        raise stream.error(f"ends {len(data) - stream.place} bytes before its data")
    return bytes(stream.made)


def _instruction(stream: _Stream, state: int) -> int | None:
    """Do one instruction. state: literals that the last one copied, _RUN for more than three. Returns the next state,
    None at the end of the stream.
    """
    code = stream.byte()
    if code < 16 and state == 0:
        stream.literals(3 + stream.length(code, 15))
        return _RUN
    if code >= 64:
        count = (code >> 5) + 1
        distance = (stream.byte() << 3) + (code >> 2 & 7) + 1
        following = code & 3
    elif code < 16:
        count = 3 if state == _RUN else 2
        distance = (stream.byte() << 2) + (code >> 2) + (2049 if state == _RUN else 1)
        following = code & 3
    else:
        near = code >= 32
        count = 2 + (stream.length(code & 31, 31) if near else stream.length(code & 7, 7))
        word = stream.word()
        distance = (word >> 2) + (1 if near else _FAR + ((code & 8) << 11))
        following = word & 3
        if not near and distance == _FAR:
            return None
    stream.copy(distance, count)
    stream.literals(following)
    return following
