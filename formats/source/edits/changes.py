# SPDX-License-Identifier: GPL-3.0-or-later
"""What an operation is about to change: put into the level at the end, or not at all where something is wrong."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ...arrays import Array, Bools, Int32s, Ints, Records
from ...binary import FormatError
from ...counting import number_of
from ..check import most_records
from ..container.pak import Pak
from ..level import Level
from ..lumps import LumpId, lump_name
from ..sections.texdata import Strings
from ..tables.references import NUMBERS, RUNS
from .living import Living

Fields = Mapping[str, Any]
"""Of a record, by name, and the few other names that an operation knows: what its table takes for each."""
FARTHEST = 16384.0
"""Units: the end of the engine's world, along each axis."""


class Changes:
    """Copies of what a level holds, to be changed freely; `apply` gives the level those that are other than before.

    Nothing of the level changes until then, or where `apply` raises: an operation that fails leaves it as it was.
    """

    __slots__ = ("_before", "_bytes", "_pak", "_tables", "_then", "level")

    def __init__(self, level: Level) -> None:
        self.level = level
        self._tables: dict[int, Records] = {}
        self._bytes: dict[int, bytes] = {}
        self._pak: Pak | None = None
        self._before: Living | None = None
        self._then: list[Callable[[], None]] = []

    def table(self, lump: int) -> Records:
        """A lump's records, to be written to: the same each time. Raises FormatError."""
        if lump not in self._tables:
            self._tables[lump] = self.level.table(lump).copy()
        return self._tables[lump]

    def peek(self, lump: int) -> Records | None:
        """A lump's records as they are now, not to be written to; None where there are none that can be read."""
        if lump in self._tables:
            return self._tables[lump]
        try:
            return self.level.table(lump)
        except FormatError:
            return None

    @property
    def living_before(self) -> Living:
        """Which rows something named in the level as it was."""
        if self._before is None:
            self._before = Living(self.level, Changes(self.level).peek)
        return self._before

    def nameless(self, lump: LumpId, rows: int) -> Bools:
        """Which of a lump's first `rows` rows nothing named in the level as it was: edits leave these alone."""
        was = self.living_before.rows(lump)[:rows]
        return np.concatenate([~was, np.zeros(rows - len(was), np.bool_)])

    def set_table(self, lump: int, records: Records) -> None:
        """Have other records, with the fields of the lump's."""
        self._tables[lump] = records.astype(self.level.table(lump).dtype, copy=False)

    def append(self, lump: int, records: Records) -> int:
        """Put records behind a lump's; the number of the first."""
        table = self.table(lump)
        self._tables[lump] = joined(table, np.atleast_1d(records))
        return len(table)

    def tables_naming(self, target: LumpId) -> dict[LumpId, Records]:
        """The lumps whose records name rows of one, to be written to."""
        lumps = {each.lump for each in (*NUMBERS, *RUNS) if each.target == target}
        return {lump: self.table(lump) for lump in lumps if self.peek(lump) is not None}

    def check_room(self, lumps: Iterable[LumpId]) -> None:
        """Raise FormatError where a table has become larger than usual compilers allow."""
        for lump in lumps:
            after = self.peek(lump)
            if after is not None and lump in self._tables:
                count = len(self.level.table(lump))
                room_for(self.level, lump, count, len(after) - count)

    def bytes_of(self, lump: int) -> bytes:
        """The bytes of a lump that is no table, as they are now."""
        return self._bytes[lump] if lump in self._bytes else bytes(self.level.bytes_of(lump))

    def set_bytes(self, lump: int, data: bytes) -> None:
        """Have other bytes in a lump that is no table."""
        self._bytes[lump] = data

    def then(self, action: Callable[[], None]) -> None:
        """Do something to the level once it has all else: it may not raise."""
        self._then.append(action)

    @property
    def pak(self) -> Pak:
        """The level's pak, to be changed. Raises FormatError."""
        if self._pak is None:
            self._pak = self.level.pak.copy()
        return self._pak

    @property
    def names(self) -> Strings:
        """The texts that texdata name. Raises FormatError."""
        if LumpId.TEXDATA_STRING_DATA in self._bytes:
            return Strings(self._offsets(), self._bytes[LumpId.TEXDATA_STRING_DATA])
        return self.level.texture_names

    @names.setter
    def names(self, names: Strings) -> None:
        table = np.zeros(len(names.offsets), self.table(LumpId.TEXDATA_STRING_TABLE).dtype)
        table["offset"] = names.offsets
        self._tables[LumpId.TEXDATA_STRING_TABLE] = table
        self._bytes[LumpId.TEXDATA_STRING_DATA] = names.data

    def _offsets(self) -> Int32s:
        return np.asarray(self._tables[LumpId.TEXDATA_STRING_TABLE]["offset"], np.int32)

    def apply(self) -> None:
        """Give the level what has changed. Raises FormatError where a lump that would change cannot be read."""
        made = {lump: table.tobytes() for lump, table in self._tables.items()} | self._bytes
        changed = {lump: data for lump, data in made.items() if data != self.level.bytes_of(lump)}
        for lump, data in changed.items():
            self.level.set_bytes(lump, data)
        if self._pak is not None:
            self.level.pak.assign(self._pak)
        for action in self._then:
            action()


def joined(first: Records, second: Records) -> Records:
    """Records behind others, in the byte order of these (`np.concatenate` gives the machine's)."""
    return np.concatenate([first, second]).astype(first.dtype, copy=False)


def put(records: Records, number: int, fields: Fields, what: str) -> None:
    """Set fields of a record. Raises FormatError for fields that it hasn't and values that they cannot hold."""
    for name, value in fields.items():
        if name not in (records.dtype.names or ()):
            raise FormatError(f"this version of the format has no {name!r} for it", what)
        records[name][number] = fitting(value, records[name][number], f"{name} of {what}")


def fitting(value: object, old: npt.ArrayLike, what: str) -> Array:
    """A value as what stood in its place. Raises FormatError where it has another shape, is NaN or too big."""
    place = np.asarray(old)
    if place.dtype.kind == "V":
        if not isinstance(value, bytes) or len(value) != place.dtype.itemsize:
            raise FormatError(f"{value!r} is not {place.dtype.itemsize} bytes", what)
        return np.frombuffer(value, place.dtype).reshape(())
    try:
        wanted = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        raise FormatError(f"{value!r} is not a number", what) from None
    if wanted.shape != place.shape:
        raise FormatError(f"{value!r}: numbers of the shape {place.shape} are meant", what)
    if place.dtype.kind == "f":
        with np.errstate(over="ignore"):
            made = wanted.astype(place.dtype)
        if not np.isfinite(made).all():
            raise FormatError(f"{value!r} is not finite", what)
        return made
    limits = np.iinfo(place.dtype)
    if not ((wanted >= limits.min) & (wanted <= limits.max) & (wanted == np.rint(wanted))).all():
        raise FormatError(f"{value!r} is no whole number from {limits.min} to {limits.max}", what)
    return wanted.astype(place.dtype)


def numbered(numbers: npt.ArrayLike, count: int, lump: int) -> Ints:
    """Numbers of records, int64[n], each once, ascending. Raises FormatError for ones that aren't there."""
    try:
        wanted = np.asarray(numbers, np.float64).reshape(-1)
    except (TypeError, ValueError):
        raise FormatError(f"{numbers!r} is not the number of a record", lump_name(lump)) from None
    there = (wanted >= 0) & (wanted < count) & (wanted == np.rint(wanted))
    if not there.all():
        raise FormatError(f"record {wanted[~there][0]:.15g} isn't there, there are {count}", lump_name(lump))
    return np.unique(wanted.astype(np.int64))


def room_for(level: Level, lump: LumpId, count: int, more: int = 1) -> None:
    """Raise FormatError where `more` records than the `count` there are would be more than usual compilers allow.

    Engines hardly ask (source.md "Overlay", "Entity"): where a map has more already, its game bears it.
    """
    most = most_records(level, lump)
    if count <= most < count + more:
        records = number_of(count + more, "records")
        raise FormatError(f"{lump_name(lump)} would have {records}, usual compilers allow {most}")
