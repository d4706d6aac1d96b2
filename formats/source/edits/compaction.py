# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows that an edit left behind are used again, so that maps don't grow from one edit to the next.

An edit puts new rows behind a table's, and what the old ones were for may have gone. Rows that nothing names any more,
but something did before the edit, are holes: the edit's own rows are moved into them, those that are left are wiped,
for the next edit to use, or cut off at the table's end. No row that was there before gets another number, so that
nothing changes but what was edited.
"""

from collections.abc import Collection
from contextlib import suppress
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ... import ranges
from ...binary import FormatError
from .. import overlay_lists
from ..level import Level
from ..lumps import LumpId
from ..records import Records
from ..references import DRAWN_FACES, NUMBERS, RUNS, Mask, Run, Tables, has, named, renumber
from .changes import Changes

Ints = npt.NDArray[np.int64]

ROOTS = frozenset((LumpId.MODELS, *DRAWN_FACES, LumpId.AREAS, LumpId.CLUSTERS, LumpId.PORTALS))
"""Lumps of which all rows count: models are of entities, faces of models, areas and clusters of leafs."""
COMPACTED = (
    LumpId.LEAFFACES,
    LumpId.LEAFBRUSHES,
    LumpId.BRUSHSIDES,
    LumpId.ORIGINALFACES,
    LumpId.SURFEDGES,
    LumpId.EDGES,
    LumpId.VERTEXES,
    LumpId.PLANES,
    LumpId.VERTNORMALS,
    LumpId.TEXINFO,
)
"""In this order: what names others first."""
_PAIRS = frozenset((LumpId.PLANES,))  # a plane and its opposite stay together
_NOT_FIRST = frozenset((LumpId.EDGES, LumpId.LEAFFACES, LumpId.LEAFBRUSHES))
"""Whose first row isn't used again: edge 0 cannot be walked backwards, leaf lists of nothing begin at 0."""


class Living:
    """Which rows of a map something names, from its models on."""

    def __init__(self, level: Level, tables: Tables) -> None:
        self._level, self._tables = level, tables
        self._found: dict[LumpId, Mask] = {}

    def rows(self, lump: LumpId) -> Mask:
        """Which of a lump's rows are named, bool[n]: of ones in ROOTS and of ones that nothing names, all."""
        if lump not in self._found:
            records = self._tables(lump)
            count = 0 if records is None else len(records)
            sources = {each.lump for each in (*NUMBERS, *RUNS) if each.target == lump} - {lump}
            if lump in ROOTS or not sources:
                self._found[lump] = np.ones(count, np.bool_)
            else:
                asked = {source: self.rows(source) for source in sources}
                asked[lump] = np.zeros(count, np.bool_)
                found = self._also(lump, named(self._tables, lump, asked, count))
                while not np.array_equal(found, asked[lump]):  # nodes name nodes
                    asked[lump] = found
                    found = found | named(self._tables, lump, asked, count)
                self._found[lump] = found
        return self._found[lump]

    def _also(self, lump: LumpId, found: Mask) -> Mask:
        """What is named by lumps that are no tables, or by numbers that may be stale, besides: those count as well."""
        for numbers in self._elsewhere.get(lump, ()):
            found[numbers[(numbers >= 0) & (numbers < len(found))]] = True
        return found

    @cached_property
    def _elsewhere(self) -> dict[LumpId, list[Ints]]:
        found: dict[LumpId, list[Ints]] = {LumpId.PLANES: [], LumpId.VERTEXES: [], LumpId.TEXINFO: []}
        with suppress(FormatError):
            occlusion = self._level.occlusion
            if occlusion is not None:
                found[LumpId.PLANES].append(occlusion.polys["planenum"].astype(np.int64))
                found[LumpId.VERTEXES].append(occlusion.vertices["vertex"].astype(np.int64))
        for lump in (LumpId.WORLDLIGHTS, LumpId.WORLDLIGHTS_HDR):
            lights = self._tables(lump)
            if has(lights, "texinfo") and lights is not None:
                found[LumpId.TEXINFO].append(lights["texinfo"].astype(np.int64))
        for lump in (LumpId.OVERLAYS, LumpId.WATEROVERLAYS):
            if self._level.version_of(lump) >= overlay_lists.VERSION and self._tables(lump) is None:
                with suppress(FormatError):
                    overlays = overlay_lists.read(self._level.bytes_of(lump)).overlays
                    found[LumpId.TEXINFO].append(overlays["texinfo"].astype(np.int64))
        return found


def compact(changes: Changes, dense: Collection[LumpId] = ()) -> None:
    """Have an edit use the rows again that it left behind, but for lumps that have none. Raises FormatError."""
    before, after = Living(changes.level, _tables_of(changes.level)), Living(changes.level, changes.peek)
    rows = {lump: (before.rows(lump), after.rows(lump)) for lump in COMPACTED if lump not in dense}
    for lump, (was, now) in rows.items():
        records = changes.peek(lump)
        if records is None or not len(records) or np.array_equal(was, now):
            continue
        if not _compact(changes, lump, records, was, now):
            return  # of a damaged map: its rows still name what comes next


def _tables_of(level: Level) -> Tables:
    def table(lump: LumpId) -> Records | None:
        try:
            return level.table(lump)
        except FormatError:
            return None

    return table


def _compact(changes: Changes, lump: LumpId, records: Records, was: Mask, now: Mask) -> bool:
    """Move the rows that the edit put behind a lump's into holes; False where they can't be moved.

    was, now: which rows are named, before the edit and after.
    """
    unit, count = 2 if lump in _PAIRS else 1, len(was)
    if len(was) % unit or len(now) % unit:
        return False
    was, now = (np.repeat(part.reshape(-1, unit).any(axis=1), unit) for part in (was, now))
    empty = records[:count].view(np.uint8).reshape(count, records.itemsize).max(axis=1, initial=0) == 0
    holes = ~now[:count] & (was[:count] | empty)
    usable = holes.copy()
    usable[:1] &= lump not in _NOT_FIRST
    runs = [run for run in RUNS if run.target == lump]
    if runs:
        found = _fresh_runs(changes, runs, count, len(records))
        if found is None:
            return False
        starts, counts = found
    else:
        starts = count + np.flatnonzero(now[count:])[::unit]
        counts = np.full(len(starts), unit, np.int64)
    moved, taken = _placed(starts, counts, usable, unit)
    end = count + int(counts[moved < 0].sum())
    moved[moved < 0] = count + ranges.starts(counts[moved < 0])[:-1]
    numbers = np.arange(len(records))
    numbers[ranges.flat(starts, counts)] = ranges.flat(moved, counts)
    made = np.zeros(max(end, count), records.dtype)
    made[:count] = records[:count]
    made[:count][holes & ~taken] = np.zeros(1, records.dtype)[0]
    made[ranges.flat(moved, counts)] = records[ranges.flat(starts, counts)]
    if end == count:
        kept = np.flatnonzero(~holes | taken)
        last = int(kept[-1]) + 1 if len(kept) else 0
        made = made[: last + (-last) % unit]
    changes.set_table(lump, made)
    tables = changes.tables_naming(lump)
    renumber(tables.get, lump, numbers)
    for run in runs:
        if run.lump in tables:  # lists of nothing may begin at the table's end, but not behind it
            first, _ = run.runs(tables[run.lump])
            run.put(tables[run.lump], np.where((first > len(made)) & (first <= len(records)), len(made), first))
    return True


def _fresh_runs(changes: Changes, runs: list[Run], count: int, total: int) -> tuple[Ints, Ints] | None:
    """The runs of rows behind the first `count`, each once, ascending: where they start and how long they are.

    None where runs share rows with one another or with older ones, or reach out of the `total` rows: those of damaged
    maps, which stay where they are.
    """
    firsts, lengths = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for run in runs:
        records = changes.peek(run.lump)
        if records is not None:
            first, counts = run.runs(records)
            fresh = (counts > 0) & (first + counts > count)
            firsts.append(first[fresh])
            lengths.append(counts[fresh])
    starts, counts = np.unique(np.stack([np.concatenate(firsts), np.concatenate(lengths)]), axis=1)
    ends = starts + counts
    if len(starts) and (starts[0] < count or ends[-1] > total or (starts[1:] < ends[:-1]).any()):
        return None
    return starts, counts


def _placed(starts: Ints, counts: Ints, holes: Mask, unit: int) -> tuple[Ints, Mask]:
    """Where runs go, the longest first, each into the first hole that is long enough: int64, -1 where none is; and
    which rows that takes. unit: rows that stay together, from a multiple of it on.
    """
    taken = np.zeros(len(holes), np.bool_)
    placed = np.full(len(starts), -1, np.int64)
    free = holes[: len(holes) // unit * unit].reshape(-1, unit).all(axis=1)
    edges = np.diff(np.concatenate([[0], free.astype(np.int8), [0]]))
    gaps = [[unit * a, unit * b] for a, b in zip(np.flatnonzero(edges == 1), np.flatnonzero(edges == -1), strict=True)]
    for number in np.argsort(-counts, kind="stable").tolist():
        length = int(counts[number])
        gap = next((each for each in gaps if each[1] - each[0] >= length), None)
        if gap is not None:
            placed[number] = gap[0]
            taken[gap[0] : gap[0] + length] = True
            gap[0] += length
    return placed, taken
