# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows that an edit left behind are used again or taken out, so that maps don't grow from one edit to the next.

An edit puts new rows behind a table's, and what the old ones were for may have gone. Rows that nothing names any more,
but something did before the edit, are gaps: the edit's own rows are moved into them. Those that are left are closed,
or, where the rows of before have to keep their numbers, wiped for the next edit to use. Textures and their names, which
keep their numbers, go from the ends of their tables alone.
"""

from collections.abc import Collection

import numpy as np

from ... import ranges
from ...arrays import Bools, Ints, Records
from ..level import Level
from ..lumps import LumpId
from ..tables.references import RUNS, Run, named, renumber
from .changes import Changes
from .living import Living

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
_TEXTURES = (LumpId.TEXDATA, LumpId.TEXDATA_STRING_TABLE)


def compact(
    changes: Changes, dense: Collection[LumpId] = (), closed: bool = False, blanks: bool = True
) -> dict[LumpId, Ints]:
    """Have an edit use the rows again that it left behind, but for lumps that have none, which are `dense`.

    closed: whether no gaps are left, for which a few rows of before get other numbers: of single rows the last ones, of
    runs those behind gaps. Else none does. blanks: whether rows of zeros that nothing names are used, too, as an edit
    that isn't closed leaves them.

    Returns the new numbers of rows, int64[rows], for each lump in which any has moved. Raises FormatError.
    """
    after = Living(changes.level, changes.peek)
    rows = {lump: (changes.living_before.rows(lump), after.rows(lump)) for lump in COMPACTED if lump not in dense}
    textures = [changes.living_before.rows(lump) for lump in _TEXTURES]
    moved = {}
    for lump, (was, now) in rows.items():
        records = changes.peek(lump)
        if records is None or not len(records) or np.array_equal(was, now):
            continue
        unit = 2 if lump in _PAIRS else 1
        if len(was) % unit or len(now) % unit:
            break
        was, now = (np.repeat(part.reshape(-1, unit).any(axis=1), unit) for part in (was, now))
        freed = ~now[: len(was)] & (was | _blank(records[: len(was)]) if blanks and not closed else was)
        filled = _filled(changes, lump, freed, now)
        if filled is None:
            break  # of a damaged map: its rows still name what comes next
        made, numbers, gaps = filled
        if closed and not _is_named(changes, lump, gaps):
            keeps = after.elsewhere(lump, len(made))
            keeps[:1] |= lump == LumpId.EDGES
            made, numbers = _closed(made, numbers, gaps, keeps, lump)
        else:
            gaps[:1] &= lump != LumpId.EDGES
            last = _end(~gaps)
            made = made[: last + (-last) % unit]
        _put(changes, lump, made, numbers)
        moved[lump] = numbers
    _cut_textures(changes, *textures)
    return moved


def sweep(level: Level, before: Level) -> None:
    """Close the gaps that edits of brush models left in a level's tables, and cut off texinfos and textures that faces
    had, once nothing goes by the numbers of `before`, the level that was edited: that had as many blank rows, and rows
    that nothing names, as stay. Raises FormatError.
    """
    changes, were = Changes(level), Changes(before)
    then = Living(before, were.peek)
    for lump in COMPACTED:
        records, old = changes.peek(lump), were.peek(lump)
        if records is None or old is None or _blank(records).sum() <= _blank(old).sum():
            continue
        living = Living(level, changes.peek)
        gaps = ~living.rows(lump) & _blank(records)
        gaps[np.flatnonzero(gaps)[: int((~then.rows(lump) & _blank(old)).sum())]] = False
        if lump in _PAIRS:
            gaps = np.repeat(gaps[: len(gaps) // 2 * 2].reshape(-1, 2).all(axis=1), 2)
        if not gaps.any() or len(gaps) < len(records) or _is_named(changes, lump, gaps):
            continue
        keeps = living.elsewhere(lump, len(records))
        keeps[:1] |= lump == LumpId.EDGES
        _put(changes, lump, *_closed(records, np.arange(len(records)), gaps, keeps, lump))
    for lump in (LumpId.TEXINFO, *_TEXTURES):
        used, was = Living(level, changes.peek).rows(lump), then.rows(lump)
        if lump in _TEXTURES:  # texinfos that nothing names do so, too
            used, was = used | named(changes.peek, lump, {}, len(used)), was | named(were.peek, lump, {}, len(was))
        more = int((~used).sum()) - int((~was).sum())
        _shorten(changes, lump, max(_end(used), len(used) - max(more, 0)))
    changes.apply()


def _shorten(changes: Changes, lump: LumpId, end: int) -> None:
    """Cut off what is behind the first `end` rows of a table, of texture names with their text."""
    table = changes.peek(lump)
    if table is None or end >= len(table):
        return
    if lump == LumpId.TEXDATA_STRING_TABLE:
        changes.names = changes.names.shortened(end)
    else:
        changes.set_table(lump, table[:end])


def _end(used: Bools) -> int:
    """The end of the last row that is used."""
    return int(np.flatnonzero(used)[-1]) + 1 if used.any() else 0


def _cut_textures(changes: Changes, were: Bools, names_were: Bools) -> None:
    """Cut off what an edit left at the ends of the tables of textures and of their names. were: named before it."""
    for lump, was in zip(_TEXTURES, (were, names_were), strict=True):
        table = changes.peek(lump)
        if table is None:
            return
        used = named(changes.peek, lump, {}, len(table))
        used |= Living(changes.level, changes.peek).elsewhere(lump, len(table))
        used[: len(was)] |= ~was  # rows that nothing named stay
        _shorten(changes, lump, _end(used))


def _blank(records: Records) -> Bools:
    """Which rows are all zeros: earlier edits may have wiped them."""
    return np.asarray(records.view(np.uint8).reshape(len(records), records.itemsize).max(axis=1, initial=0) == 0)


def _filled(changes: Changes, lump: LumpId, freed: Bools, now: Bools) -> tuple[Records, Ints, Bools] | None:
    """Move the rows that an edit put behind a lump's into those that it freed, bool[rows of before].

    Returns the rows as they are then, with gaps wiped; the new number of each row; which rows are gaps still. None
    where rows can't be moved. now: which rows are named.
    """
    records, count, unit = changes.table(lump), len(freed), 2 if lump in _PAIRS else 1
    usable = freed.copy()
    usable[:1] &= lump not in _NOT_FIRST
    runs = [run for run in RUNS if run.target == lump]
    if runs:
        found = _fresh_runs(changes, runs, count, len(records))
        if found is None:
            return None
        starts, counts = found
    else:
        starts = count + np.flatnonzero(now[count:])[::unit]
        counts = np.full(len(starts), unit, np.int64)
    moved, taken = _placed(starts, counts, usable, unit)
    end = count + int(counts[moved < 0].sum())
    moved[moved < 0] = count + ranges.starts(counts[moved < 0])[:-1]
    numbers = np.arange(len(records))
    numbers[ranges.flat(starts, counts)] = ranges.flat(moved, counts)
    made, gaps = np.zeros(end, records.dtype), np.zeros(end, np.bool_)
    gaps[:count] = freed & ~taken
    made[:count][~gaps[:count]] = records[:count][~gaps[:count]]
    made[ranges.flat(moved, counts)] = records[ranges.flat(starts, counts)]
    return made, numbers, gaps


def _is_named(changes: Changes, lump: LumpId, gaps: Bools) -> bool:
    """Whether runs of rows that nothing names still have gaps in them: then these have to stay."""
    runs = any(run.target == lump for run in RUNS)
    return runs and bool((named(changes.peek, lump, {}, len(gaps)) & gaps).any())


def _closed(made: Records, numbers: Ints, gaps: Bools, keeps: Bools, lump: LumpId) -> tuple[Records, Ints]:
    """Close gaps: rows of runs move up, of others the last ones move into them. keeps: bool[rows], which stay.

    numbers: of each row of before, its place in `made`. Returns the rows, and the numbers that they have then.
    """
    gaps = gaps & ~keeps
    then = np.arange(max(len(numbers), len(made)))
    then[: len(gaps)][gaps] = 0
    if any(run.target == lump for run in RUNS):
        kept = np.flatnonzero(~gaps)
        then[kept] = np.arange(len(kept))
    else:
        unit, length = 2 if lump in _PAIRS else 1, len(made) - int(gaps.sum())
        last = int(np.flatnonzero(keeps)[-1]) + 1 if keeps.any() else 0
        length = max(length, last + (-last) % unit)
        movers = length + np.flatnonzero(~gaps[length:])
        places = np.flatnonzero(gaps[:length])[: len(movers)]
        then[movers] = places
        made = made.copy()
        made[places] = made[movers]
        kept = np.arange(length)
    return made[kept], then[numbers]


def _put(changes: Changes, lump: LumpId, made: Records, numbers: Ints) -> None:
    """Write a lump's rows, and have all that names them follow. numbers: of each row of before."""
    changes.set_table(lump, made)
    tables = changes.tables_naming(lump)
    renumber(tables.get, lump, numbers)
    for run in RUNS:
        if run.target == lump and run.lump in tables:  # lists of nothing may begin at the table's end, but not behind
            first, _ = run.runs(tables[run.lump])
            behind = (first > len(made)) & (first <= len(numbers))
            run.put(tables[run.lump], np.where(behind, len(made), first))


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


def _placed(starts: Ints, counts: Ints, holes: Bools, unit: int) -> tuple[Ints, Bools]:
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
