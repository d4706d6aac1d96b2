# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows that an edit left behind are used again or taken out, so that maps don't grow from one edit to the next.

An edit puts new rows behind a table's, and what the old ones were for may have gone. Rows that nothing names any more,
but something did before the edit, are gaps: the edit's own rows are moved into them. Those that are left are closed,
or, where the rows of before have to keep their numbers, wiped for the next edit to use. Textures and their names, which
keep their numbers, go from the ends of their tables alone, until the whole of an export is swept.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Sequence

import numpy as np

from ... import ranges
from ...arrays import Bools, Ints, Records
from ..level import Level
from ..lumps import LumpId
from ..tables.references import RUNS, Run, is_per_leaf, named, renumber
from . import leaf_lumps
from .brush_tables import is_wiped
from .changes import Changes
from .living import Living

_TREE = (LumpId.NODES, LumpId.LEAFS)
"""Rows of edited models are used again by `brush_tables.slots`; their gaps are closed with all others."""
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
    LumpId.PRIMITIVES,
    LumpId.PRIMINDICES,
    LumpId.PRIMVERTS,
    LumpId.LEAF_AMBIENT_LIGHTING,
    LumpId.LEAF_AMBIENT_LIGHTING_HDR,
)
"""In this order: what names others first."""
_PAIRS = frozenset((LumpId.PLANES,))  # a plane and its opposite stay together
_NOT_FIRST = frozenset((LumpId.EDGES, LumpId.LEAFFACES, LumpId.LEAFBRUSHES))
"""Whose first row isn't used again: edge 0 cannot be walked backwards, leaf lists of nothing begin at 0."""
_TEXTURES = (LumpId.TEXDATA, LumpId.TEXDATA_STRING_TABLE)
_SAMPLES = (LumpId.LEAF_AMBIENT_LIGHTING, LumpId.LEAF_AMBIENT_LIGHTING_HDR)
_IN_ORDER = frozenset((*_TREE, *_TEXTURES, *(run.target for run in RUNS)))
"""Whose rows move up into gaps: those of lists have to, others were put in an order that says something."""


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
    lumps = [lump for lump in ((*_TREE, *COMPACTED) if closed else COMPACTED) if lump not in dense]
    lumps = [lump for lump in lumps if not is_per_leaf(changes.peek, lump)]
    rows = {lump: (changes.living_before.rows(lump), after.rows(lump)) for lump in lumps}
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
        freed = ~now[: len(was)] & (was | _blank(records[: len(was)], lump) if blanks and not closed else was)
        filled = _filled(changes, lump, freed, now)
        if filled is None:
            break  # of a damaged map: its rows still name what comes next
        made, numbers, gaps = filled
        if closed and not _is_named(changes, lump, gaps):
            made, numbers = _closed(made, numbers, gaps, _keeps(after, lump, len(made)), lump)
        else:
            gaps[:1] &= lump != LumpId.EDGES
            last = _end(~gaps)
            made = made[: last + (-last) % unit]
        _put(changes, lump, made, numbers)
        moved[lump] = numbers
    _cut_textures(changes, *textures)
    return moved


def sweep(level: Level, before: Level) -> None:
    """Close the gaps that edits of brush models left in a level's tables, and those of texinfos and textures that
    faces had, once nothing goes by the numbers of `before`, the level that was edited: that had as many blank rows, and
    rows that nothing names, as stay. Raises FormatError.
    """
    changes, were = Changes(level), Changes(before)
    then, living = Living(before, were.peek), Living(level, changes.peek)
    for lump in (*_TREE, *COMPACTED):
        records, old = changes.peek(lump), were.peek(lump)
        if records is None or old is None:
            continue
        if lump not in _TREE and _blank(records, lump).sum() <= _blank(old, lump).sum():
            continue  # all of those are there for nothing: none of them is an edit's
        gaps = ~living.rows(lump) & _blank(records, lump)
        gaps[np.flatnonzero(gaps)[: int((~then.rows(lump) & _blank(old, lump)).sum())]] = False
        if lump in _PAIRS:
            gaps = np.repeat(gaps[: len(gaps) // 2 * 2].reshape(-1, 2).all(axis=1), 2)
        if gaps.any() and len(gaps) == len(records) and not _is_named(changes, lump, gaps):
            _close(changes, lump, gaps, living)
            living = Living(level, changes.peek)
    for lump in (LumpId.TEXINFO, *_TEXTURES, *_SAMPLES):
        records, old = changes.peek(lump), were.peek(lump)
        if records is None or old is None or is_per_leaf(changes.peek, lump):
            continue
        used, was = living.rows(lump), then.rows(lump)
        if lump in _TEXTURES:  # texinfos that nothing names do so, too
            used, was = used | named(changes.peek, lump, {}, len(used)), was | named(were.peek, lump, {}, len(was))
        known = Counter(_keys(were, lump, np.flatnonzero(~was)))
        gaps = ~used
        for row, key in zip(np.flatnonzero(gaps).tolist(), _keys(changes, lump, np.flatnonzero(gaps)), strict=True):
            gaps[row] = not known[key]
            known[key] -= known[key] > 0
        if gaps.any():
            _close(changes, lump, gaps, living)
            living = Living(level, changes.peek)
    changes.apply()


def _close(changes: Changes, lump: LumpId, gaps: Bools, living: Living) -> None:
    """Take rows out of a table, bool[rows], that nothing names."""
    if gaps.any():
        rows = np.arange(len(gaps))
        _put(changes, lump, *_closed(rows, rows, gaps, _keeps(living, lump, len(gaps)), lump))


def _keeps(living: Living, lump: LumpId, count: int) -> Bools:
    """Which of a table's rows have to keep their numbers, bool[count]."""
    keeps = np.zeros(count, np.bool_) if lump == LumpId.LEAFS else living.elsewhere(lump, count)
    keeps[:1] |= lump == LumpId.EDGES
    return keeps


def _keys(changes: Changes, lump: LumpId, rows: Ints) -> Sequence[Hashable]:
    """What rows, int64[n], are known by: what they say, of names of textures the texts."""
    if lump == LumpId.TEXDATA_STRING_TABLE:
        names = changes.names.names if len(rows) else []
        return [names[row] for row in rows.tolist()]
    return [row.tobytes() for row in changes.table(lump)[rows]]


def _cut_textures(changes: Changes, were: Bools, names_were: Bools) -> None:
    """Cut off what an edit left at the ends of the tables of textures and of their names. were: named before it."""
    for lump, was in zip(_TEXTURES, (were, names_were), strict=True):
        table = changes.peek(lump)
        if table is None:
            return
        living = Living(changes.level, changes.peek)
        used = named(changes.peek, lump, {}, len(table)) | living.elsewhere(lump, len(table))
        used[: len(was)] |= ~was  # rows that nothing named stay
        _close(changes, lump, np.arange(len(table)) >= _end(used), living)


def _end(used: Bools) -> int:
    """The end of the last row that is used."""
    return int(np.flatnonzero(used)[-1]) + 1 if used.any() else 0


def _blank(records: Records, lump: LumpId) -> Bools:
    """Which rows are all zeros, of nodes and leafs as `wipe` leaves them: earlier edits may have done that."""
    if lump in _TREE:
        return is_wiped(records, lump)
    return np.asarray(records.view(np.uint8).reshape(len(records), records.itemsize).max(axis=1, initial=0) == 0)


def _filled(changes: Changes, lump: LumpId, freed: Bools, now: Bools) -> tuple[Ints, Ints, Bools] | None:
    """Move the rows that an edit put behind a lump's into those that it freed, bool[rows of before].

    Returns the rows as they are then, by their numbers of now, -1: blank ones; the new number of each row; which rows
    are gaps still. None where rows can't be moved. now: which rows are named.
    """
    total, count, unit = len(changes.table(lump)), len(freed), 2 if lump in _PAIRS else 1
    usable = freed.copy()
    usable[:1] &= lump not in _NOT_FIRST
    runs = [run for run in RUNS if run.target == lump]
    if runs:
        found = _fresh_runs(changes, runs, count, total)
        if found is None:
            return None
        starts, counts = found
    else:
        starts = count + np.flatnonzero(now[count:])[::unit]
        counts = np.full(len(starts), unit, np.int64)
    moved, taken = _placed(starts, counts, usable, unit)
    end = count + int(counts[moved < 0].sum())
    moved[moved < 0] = count + ranges.starts(counts[moved < 0])[:-1]
    numbers = np.arange(total)
    numbers[ranges.flat(starts, counts)] = ranges.flat(moved, counts)
    made, gaps = np.full(end, -1), np.zeros(end, np.bool_)
    gaps[:count] = freed & ~taken
    made[:count] = np.where(gaps[:count], -1, np.arange(count))
    made[ranges.flat(moved, counts)] = ranges.flat(starts, counts)
    return made, numbers, gaps


def _is_named(changes: Changes, lump: LumpId, gaps: Bools) -> bool:
    """Whether runs of rows that nothing names still have gaps in them: then these have to stay."""
    runs = any(run.target == lump for run in RUNS)
    return runs and bool((named(changes.peek, lump, {}, len(gaps)) & gaps).any())


def _closed(made: Ints, numbers: Ints, gaps: Bools, keeps: Bools, lump: LumpId) -> tuple[Ints, Ints]:
    """Close gaps: rows of lumps in _IN_ORDER move up, of others the last ones move into them. keeps: bool[rows], which
    stay.

    made: the rows, by their numbers of before. numbers: of each row of before, its place in `made`. Returns both as
    they are then.
    """
    gaps = gaps & ~keeps
    if lump in _IN_ORDER:
        gaps[: _end(keeps)] = False
    then = np.arange(max(len(numbers), len(made)))
    then[: len(gaps)][gaps] = 0
    if lump in _IN_ORDER:
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


def _put(changes: Changes, lump: LumpId, made: Ints, numbers: Ints) -> None:
    """Have a lump have other rows, by their numbers of before, -1: blank ones, and all that names them follow.

    numbers: the new number of each row of before.
    """
    beside = leaf_lumps.beside(changes) if lump == LumpId.LEAFS else []
    if lump == LumpId.TEXDATA_STRING_TABLE:
        changes.names = changes.names.taken(made)
    else:
        changes.set_table(lump, _taken(changes.table(lump), made))
    tables = changes.tables_naming(lump)
    renumber(tables.get, lump, numbers)
    for run in RUNS:
        if run.target == lump and run.lump in tables:  # lists of nothing may begin at the table's end, but not behind
            first, _ = run.runs(tables[run.lump])
            behind = (first > len(made)) & (first <= len(numbers))
            run.put(tables[run.lump], np.where(behind, len(made), first))
    if lump == LumpId.LEAFS:
        leaf_lumps.follow(changes, beside, made, numbers)


def _taken(records: Records, rows: Ints) -> Records:
    made = np.zeros(len(rows), records.dtype)
    made[rows >= 0] = records[rows[rows >= 0]]
    return made


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
