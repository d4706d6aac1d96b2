# SPDX-License-Identifier: GPL-3.0-or-later
"""Bytes as spans in their order with gaps between them: some spans are replaced, what follows moves, nothing is lost.

Maps and the game lump in them are both of this kind: a directory of offsets, and behind it spans of bytes, padding and
forgotten bytes. Spans may overlap; those that do make one group, which moves as a whole.
"""

from bisect import bisect_right
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Ints
from ...binary import Buffer

Offset = int


@dataclass(frozen=True, slots=True)
class Span:
    """Bytes `start` to `end` that an entry of the directory names; `align`: what its place is always a multiple of."""

    key: int
    start: Offset
    end: Offset
    align: int = 1


@dataclass(slots=True)
class _Group:
    """Spans that overlap."""

    start: Offset
    end: Offset
    align: int
    keys: list[int]


class Rebuilt:
    """New bytes behind a directory, as `parts`; where things went to.

    A part has the keys of its spans; bytes that no span has, have none.
    """

    def __init__(self, start: Offset) -> None:
        self.parts: list[tuple[tuple[int, ...], Buffer]] = []
        self.position = start
        self.placed: dict[int, Offset] = {}  # the spans that were replaced or added
        self._old: list[Offset] = []
        self._shift: list[int] = []

    def add(self, part: Buffer, *keys: int) -> None:
        """Put bytes behind what there is."""
        self.parts.append((keys, part))
        self.position += len(part)

    def note(self, old: Offset) -> None:
        """From here on, what lay at `old` and behind it lies at the position."""
        self._old.append(old)
        self._shift.append(self.position - old)

    def moved_all(self, offsets: Ints) -> Ints:
        """What `moved` gives for each offset."""
        found = np.searchsorted(self._old, offsets, "right")
        places: Ints = offsets + np.array([0, *self._shift], np.int64)[found]
        return places

    def moved(self, offset: Offset) -> Offset:
        """Where the byte went that lay at an offset."""
        found = bisect_right(self._old, offset) - 1
        return offset if found < 0 else offset + self._shift[found]


class Segments:
    """`data` behind its directory, which ends at `start`, as groups of spans and the gaps between."""

    __slots__ = ("_data", "_end_align", "_groups", "_start")

    def __init__(self, data: memoryview, start: Offset, spans: Sequence[Span], end_align: int = 1) -> None:
        self._data = data
        self._start = start
        self._end_align = end_align
        self._groups: list[_Group] = []
        for span in sorted(spans, key=lambda span: (span.start, span.end)):
            if self._groups and span.start < self._groups[-1].end:
                group = self._groups[-1]
                group.end = max(group.end, span.end)
                group.keys.append(span.key)
            else:
                self._groups.append(_Group(span.start, span.end, span.align, [span.key]))

    def rebuild(
        self, start: Offset, changed: Mapping[int, Buffer], align: int = 1, last: Container[int] = ()
    ) -> Rebuilt:
        """Lay out everything behind a directory that ends at `start` now.

        A changed span takes its old place; one that had none, or that shared its bytes with another span, goes behind
        all others, at a multiple of `align`, though before the last group if that has a key in `last`.
        """
        made = Rebuilt(start)
        alone = {group.keys[0] for group in self._groups if len(group.keys) == 1}
        added = [(key, data) for key, data in changed.items() if key not in alone and len(data)]
        end = self._start
        made.note(end)
        for number, group in enumerate(self._groups):
            if number == len(self._groups) - 1 and any(key in last for key in group.keys):
                self._append(made, added, align)
                added = []
            self._gap(made, end, group.start, group.align)
            made.note(group.start)
            if len(group.keys) == 1 and group.keys[0] in changed:
                made.placed[group.keys[0]] = made.position
                made.add(changed[group.keys[0]], *group.keys)
            else:
                made.add(self._data[group.start : group.end], *group.keys)
            end = group.end
            made.note(end)
        self._append(made, added, align)
        self._gap(made, end, len(self._data), self._end_align)
        return made

    @staticmethod
    def _append(made: Rebuilt, added: list[tuple[int, Buffer]], align: int) -> None:
        for key, data in added:
            made.add(bytes(-made.position % align))
            made.placed[key] = made.position
            made.add(data, key)

    def _gap(self, made: Rebuilt, start: Offset, end: Offset, align: int) -> None:
        """The bytes between two groups: padding is made anew where what follows would no longer be aligned."""
        gap = self._data[start:end]
        missing = -(made.position + len(gap)) % align
        if missing and len(gap) < align:
            needed = -made.position % align
            made.add(bytes(gap[:needed]).ljust(needed, b"\0"))
        else:
            made.add(gap)
            if missing:
                made.add(bytes(missing))
