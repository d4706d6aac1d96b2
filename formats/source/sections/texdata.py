# SPDX-License-Identifier: GPL-3.0-or-later
"""The names of textures: the lumps TEXDATA_STRING_TABLE and TEXDATA_STRING_DATA (source.md "Texdata").

The table has offsets into the data, where texts end at a NUL. Names are Latin-1, so that any byte can be kept.
"""

from dataclasses import dataclass

import numpy as np

from ... import ranges
from ...arrays import Int32s, Integers, Ints
from ...binary import Buffer, FormatError

MAX_NAME = 127  # characters


@dataclass(frozen=True, slots=True, eq=False)
class Strings:
    """Both lumps: `offsets`, int32 [n], and `data`."""

    offsets: Int32s
    data: bytes

    @property
    def names(self) -> list[str]:
        """The texts by their number. Raises FormatError for an offset outside of the data."""
        self._check()
        text = self.data.decode("latin-1")
        ends = _ends(self.data)[np.asarray(self.offsets, np.int64)]
        ranges.check_total(ends - self.offsets, len(self.data), "texture names")
        return [text[begin:end] for begin, end in zip(self.offsets.tolist(), ends.tolist(), strict=True)]

    def renamed(self, number: int, name: str) -> "Strings":
        """Return them with another text `number`. Others keep theirs, also those that shared it."""
        names = self.names
        if names[number] == name:
            return self
        raw = _raw(name)
        if not self._sequential():
            offsets, closed = self.offsets.copy(), self._closed()
            offsets[number] = len(closed)
            return Strings(offsets, closed + raw + b"\0")
        begin = int(self.offsets[number])
        end = begin + len(names[number])
        offsets = self.offsets.copy()
        offsets[number + 1 :] += len(raw) - (end - begin)
        return Strings(offsets, self.data[:begin] + raw + self.data[end:])

    def added(self, name: str) -> tuple["Strings", int]:
        """Return them with one more text, and its number; where there is such a text (case counts not), that one."""
        for number, known in enumerate(self.names):
            if known.lower() == name.lower():
                return self, number
        closed = self._closed()
        offsets = np.append(self.offsets, np.int32(len(closed)))
        return Strings(offsets, closed + _raw(name) + b"\0"), len(self.offsets)

    def taken(self, numbers: Integers) -> "Strings":
        """Return some of the texts, int[n] by their numbers, in this order, without the data that was of others
        alone. Raises FormatError for an offset outside of the data.
        """
        self._check()
        begins = np.asarray(self.offsets, np.int64)
        ends = np.minimum(_ends(self.data)[begins] + 1, len(self.data))
        steps = np.zeros((2, len(self.data) + 1), np.int64)
        others = np.ones(len(begins), np.bool_)
        others[numbers] = False
        for kept, step in zip((others, ~others), steps, strict=True):
            np.add.at(step, begins[kept], 1)
            np.add.at(step, ends[kept], -1)
        gone, used = np.cumsum(steps, axis=1) > 0
        dropped = gone & ~used
        moved = self.offsets - np.cumsum(np.append(0, dropped))[begins].astype(np.int32)
        data = np.frombuffer(self.data, np.uint8)[~dropped[:-1]]
        return Strings(moved[numbers].astype(self.offsets.dtype), data.tobytes())

    def _check(self) -> None:
        outside = (self.offsets < 0) | (self.offsets >= len(self.data))
        if outside.any():
            number = int(outside.argmax())
            message = f"text {number} is at {self.offsets[number]}, there are {len(self.data)} bytes"
            raise FormatError(message, "texture names")

    def _closed(self) -> bytes:
        """The data, so that what is put behind it is not part of its last text."""
        return self.data if self.data.endswith(b"\0") or not self.data else self.data + b"\0"

    def _sequential(self) -> bool:
        """Whether texts follow each other in the order of the table, as all compilers write them."""
        ends = _ends(self.data)[np.asarray(self.offsets, np.int64)]
        return np.array_equal(self.offsets, np.concatenate([[0], ends[:-1] + 1])) and ends[-1] + 1 == len(self.data)


def read(offsets: Integers, data: Buffer) -> Strings:
    """Read both lumps; `offsets`: the field of the table's records."""
    return Strings(offsets.astype(np.int32), bytes(data))


def build(names: list[str]) -> Strings:
    """Write texts as compilers do. Raises FormatError for what is no name."""
    raw = [_raw(name) + b"\0" for name in names]
    lengths = np.array([len(text) for text in raw], np.int32)
    return Strings(np.cumsum(lengths, dtype=np.int32) - lengths, b"".join(raw))


def _ends(data: bytes) -> Ints:
    """For each byte, where the text that it is in ends."""
    whole = np.frombuffer(data, np.uint8)
    places = np.where(whole == 0, np.arange(len(whole), dtype=np.int64), len(whole))
    return np.minimum.accumulate(places[::-1])[::-1]


def _raw(name: str) -> bytes:
    try:
        raw = name.encode("latin-1")
    except UnicodeEncodeError:
        raise FormatError(f"{name!r} has characters that Latin-1 has not", "texture names") from None
    if len(raw) > MAX_NAME or b"\0" in raw:
        raise FormatError(f"{name!r} has a NUL, or more than {MAX_NAME} characters", "texture names")
    return raw
