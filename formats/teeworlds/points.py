# SPDX-License-Identifier: GPL-3.0-or-later
"""Envelopes and the one table that holds the points of all of them (teeworlds.md §3).

A point has 6 words; 22 with bezier tangents if any envelope of the map has version 3 (vanilla 0.7). DDNet keeps points
of 6 words and puts the tangents into an item of their own, which counts only if it has as many points.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Records
from ..binary import FormatError
from .datafile import Item, Words
from .items import NO_LONG_NAME, Flag, Record, Word
from .records import BEZIER, POINT, WIDE_POINT, WORD, EnvelopeKind, ItemKind

WIDE_VERSION = 3


class Envelope(Record):
    """How a position, a colour or a volume changes over time, again and again."""

    KIND = ItemKind.ENVELOPE
    NEWEST = (2, 4, 0, 0, *NO_LONG_NAME, 1)
    FORMS = ((12, 1), (13, 2))

    channels = Word(1, 4)
    START, COUNT = 2, 3
    start_point = Word(START)  # kept up to date when a level is written
    num_points = Word(COUNT)
    _synchronized = Flag(12, 1)

    def __init__(self, item: Item, table: "PointTable | None" = None) -> None:
        super().__init__(item)
        self._table = table
        self.own_points: tuple[Records, Records | None] | None = None  # set since the level was read

    @classmethod
    def new(
        cls,
        kind: EnvelopeKind,
        name: str,
        points: Records,
        tangents: Records | None = None,
        synchronized: bool = True,
    ) -> "Envelope":
        """Return an envelope with these points (POINT [n]) and tangents (BEZIER [n] or None)."""
        envelope = cls.fresh()
        envelope.channels = int(kind)
        envelope.name, envelope.synchronized = name, synchronized
        envelope.set_points(points, tangents)
        return envelope

    def copy(self) -> "Envelope":  # noqa: D102 - inherited
        twin = Envelope(self.item.copy())
        twin.own_points = (self.points, self.tangents)
        return twin

    @property
    def kind(self) -> EnvelopeKind:
        """What it moves; as in the game, colour for any number of channels but 1 and 3."""
        channels = self.channels
        return EnvelopeKind(channels) if channels in (1, 3) else EnvelopeKind.COLOR

    @property
    def name(self) -> str:
        """Its name, up to 31 bytes; "" in the oldest form (5 words)."""
        return self.name_at(4, 8)

    @name.setter
    def name(self, text: str) -> None:
        if text and len(self.item) < 12:  # word 4 of the oldest form is no part of a name
            self.item.words = np.concatenate((self.item.words[:4], np.array(NO_LONG_NAME, WORD)))
        if text != self.name:
            self.put_name(4, 8, text)

    @property
    def synchronized(self) -> bool:
        """Whether it runs on the game's time, not on the time since the player joined; DDNet always does the first."""
        return self._synchronized

    @synchronized.setter
    def synchronized(self, value: bool) -> None:
        if value != self._synchronized and len(self.item) < 12:
            self.item.words = np.concatenate((self.item.words[:4], np.array(NO_LONG_NAME, WORD)))
        self._synchronized = value

    @property
    def points(self) -> Records:
        """Its points, POINT [n], read-only; fewer than it claims where the table ends before."""
        if self.own_points is not None:
            return self.own_points[0]
        if self._table is None:
            return np.zeros(0, POINT)
        return self._table.points[self._range()]

    @property
    def tangents(self) -> Records | None:
        """The bezier tangents of its points, BEZIER [n], read-only; None in maps that have none."""
        if self.own_points is not None:
            return self.own_points[1]
        if self._table is None or self._table.tangents is None:
            return None
        return self._table.tangents[self._range()]

    def _range(self) -> slice:
        start = min(max(self.start_point, 0), 1 << 30)
        return slice(start, start + max(self.num_points, 0))

    def set_points(self, points: Records, tangents: Records | None = None) -> None:
        """Set the points (POINT [n]) and their tangents (BEZIER [n]; None = none)."""
        if points.dtype != POINT or points.ndim != 1:
            raise FormatError(
                f"points must be {POINT} [n], not {points.dtype} {points.shape}", f"envelope {self.name!r}"
            )
        if tangents is not None and (tangents.dtype != BEZIER or tangents.shape != points.shape):
            raise FormatError(f"needs a tangent record a point, not {tangents.dtype} {tangents.shape}", self.name)
        if _same(points, self.points) and _same(tangents, self.tangents):
            return
        self.own_points = (_frozen(points), None if tangents is None else _frozen(tangents))


def _frozen(records: Records) -> Records:
    records = records.copy()
    records.flags.writeable = False
    return records


def _same(first: Records | None, second: Records | None) -> bool:
    if first is None or second is None:
        return (first is None or not first.tobytes().strip(b"\0")) and (
            second is None or not second.tobytes().strip(b"\0")
        )
    return first.shape == second.shape and first.tobytes() == second.tobytes()


@dataclass(slots=True)
class PointTable:
    """The points of all envelopes, and their tangents if the map has them."""

    points: Records  # POINT [n]
    tangents: Records | None  # BEZIER [n]
    rest: Words  # words after the last whole point

    @classmethod
    def read(cls, points: Item | None, tangents: Item | None, wide: bool) -> "PointTable":
        """Take the table from its item(s)."""
        words = np.zeros(0, WORD) if points is None else points.words
        record = WIDE_POINT if wide else POINT
        size = record.itemsize // WORD.itemsize
        count = len(words) // size
        rest = words[count * size :]
        table = np.frombuffer(words[: count * size].tobytes(), record)
        if wide:
            return cls(_frozen(table["point"]), _frozen(table["tangents"]), rest)
        if tangents is None or len(tangents) * WORD.itemsize != count * BEZIER.itemsize:
            return cls(table, None, rest)
        return cls(table, np.frombuffer(tangents.words.tobytes(), BEZIER), rest)

    def pack(self, wide: bool) -> Words:
        """The words of the points' item, int32[n]."""
        if not wide:
            return np.concatenate((_words(self.points), self.rest))
        table = np.zeros(len(self.points), WIDE_POINT)
        table["point"] = self.points
        if self.tangents is not None:
            table["tangents"] = self.tangents
        return np.concatenate((_words(table), self.rest))

    def pack_tangents(self) -> Words:
        """The words of DDNet's item with the tangents, int32[n]."""
        return _words(np.zeros(0, BEZIER) if self.tangents is None else self.tangents)


def _words(records: Records) -> Words:
    return np.frombuffer(records.tobytes(), WORD)


def is_wide(envelopes: Sequence[Envelope]) -> bool:
    """Whether these envelopes have points of 22 words."""
    return any(envelope.version >= WIDE_VERSION for envelope in envelopes)


def lay_out(old: PointTable, before: Sequence[Envelope], after: Sequence[Envelope]) -> tuple[PointTable, list[int]]:
    """The table for the envelopes `after`, and where in it each begins, given that of `before`.

    Where the envelopes share the table out in order, it stays so. Where they don't (gaps, shared points), nothing
    moves: points that don't fit where they were are appended.
    """
    everything = _Pieces()
    if _in_order(old, before):
        starts = [everything.add(envelope.points, envelope.tangents) for envelope in after]
        return everything.table(old.rest), starts
    everything.add(old.points, old.tangents)
    claimed = [envelope for envelope in after if envelope in before]
    starts = []
    for envelope in after:
        if envelope.own_points is None and envelope in before:
            starts.append(envelope.start_point)
        elif envelope in before and _fits(envelope, old) and not _overlaps(envelope, claimed):
            everything.replace(envelope.start_point, envelope.points, envelope.tangents)
            starts.append(envelope.start_point)
        else:
            starts.append(everything.add(envelope.points, envelope.tangents))
    return everything.table(old.rest), starts


def _in_order(table: PointTable, envelopes: Sequence[Envelope]) -> bool:
    position = 0
    for envelope in envelopes:
        if envelope.start_point != position or envelope.num_points < 0:
            return False
        position += envelope.num_points
    return position == len(table.points)


def _fits(envelope: Envelope, table: PointTable) -> bool:
    """Whether an envelope's new points can take the place of its old ones."""
    count = len(envelope.points)
    return envelope.num_points == count and 0 <= envelope.start_point <= len(table.points) - count


def _overlaps(envelope: Envelope, others: Sequence[Envelope]) -> bool:
    start, end = envelope.start_point, envelope.start_point + envelope.num_points
    return any(
        start < other.start_point + other.num_points and other.start_point < end
        for other in others
        if other is not envelope
    )


class _Pieces:
    """A table in the making."""

    def __init__(self) -> None:
        self.points: list[Records] = []
        self.tangents: list[Records] = []
        self.any_tangents = False
        self.count = 0

    def add(self, points: Records, tangents: Records | None) -> int:
        start = self.count
        self.points.append(points)
        self.tangents.append(np.zeros(len(points), BEZIER) if tangents is None else tangents)
        self.any_tangents |= tangents is not None
        self.count += len(points)
        return start

    def replace(self, start: int, points: Records, tangents: Records | None) -> None:
        all_points, all_tangents = self._joined()
        all_points[start : start + len(points)] = points
        all_tangents[start : start + len(points)] = 0 if tangents is None else tangents
        self.any_tangents |= tangents is not None
        self.points, self.tangents = [all_points], [all_tangents]

    def _joined(self) -> tuple[Records, Records]:
        points = np.concatenate([np.zeros(0, POINT), *self.points])
        return points, np.concatenate([np.zeros(0, BEZIER), *self.tangents])

    def table(self, rest: Words) -> PointTable:
        points, tangents = self._joined()
        return PointTable(points, tangents if self.any_tangents else None, rest)
