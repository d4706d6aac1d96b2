# SPDX-License-Identifier: GPL-3.0-or-later
"""What leafs have in lumps of their own: ambient light, and how far away water is (source.md §2.5, §4)."""

from __future__ import annotations

import numpy as np

from ... import ranges
from ...arrays import Ints, Records
from ..edits.brush_tables import held
from ..edits.changes import Changes
from ..level import Level
from ..lumps import LumpId
from ..tables.references import has
from .types import Carved

INDICES = {
    LumpId.LEAF_AMBIENT_LIGHTING: LumpId.LEAF_AMBIENT_INDEX,
    LumpId.LEAF_AMBIENT_LIGHTING_HDR: LumpId.LEAF_AMBIENT_INDEX_HDR,
}
_MOST = 16
"""Samples that compilers give a leaf."""
_BYTES = 255.0
_BESIDE = 1.0
"""Units that a sample may lie outside of a leaf's box: a byte of it is no less in large leafs."""


def put(changes: Changes, carved: Carved) -> None:
    """Have a row for each leaf in the lumps that have one, as the leafs are now. Raises FormatError."""
    count = len(changes.level.table(LumpId.LEAFS))
    for lump in (LumpId.LEAFMINDISTTOWATER, *INDICES):
        table = changes.peek(lump)
        if table is not None and len(table) == count and not has(table, "x"):
            changes.set_table(lump, table[carved.like])
    for lighting, index in INDICES.items():
        rows = changes.peek(index)
        if rows is not None and len(rows) == count and has(rows, "first", "count") and has(changes.peek(lighting), "x"):
            _samples(changes, carved, lighting, index)


def lengths(level: Level) -> dict[LumpId, int]:
    """Lumps of light that have their length for a version (source.md §2.5): what `keep_lengths` takes."""
    sizes = {lump: len(level.bytes_of(lump)) for lump in INDICES}
    return {lump: size for lump, size in sizes.items() if size and level.version_of(lump) == size}


def keep_lengths(level: Level, known: dict[LumpId, int]) -> None:
    """Have these lumps' new lengths for their versions."""
    for lump in known:
        level.file.entries["version"][lump] = len(level.bytes_of(lump))


def _samples(changes: Changes, carved: Carved, lighting: LumpId, index: LumpId) -> None:
    """Give leafs that are new or opened those samples of the ones they are like that lie in them, else the nearest."""
    level = changes.level
    old, rows = level.table(lighting), level.table(index)
    leafs = changes.table(LumpId.LEAFS)
    other = np.arange(len(leafs)) >= len(rows)
    other[carved.opened] = True
    owners = np.flatnonzero(other)
    if not len(owners):
        return
    sources = carved.like[owners]
    counts = rows["count"].astype(np.int64)
    known = rows["first"].astype(np.int64) + counts <= len(old)
    counts = np.where(known, counts, 0)
    places = ranges.flat(rows["first"][sources], counts[sources])
    given = ranges.owners(counts[sources])
    chosen, byte = _fitting(level, leafs, old, sources[given], owners[given], places)
    same = np.flatnonzero(~other)
    own = counts[carved.like[same]]
    numbers = np.concatenate([ranges.flat(rows["first"][carved.like[same]], own), places[chosen]])
    leaf = np.concatenate([np.repeat(same, own), owners[given][chosen]])
    made = old[numbers]
    for axis, name in enumerate("xyz"):
        made[name][len(made) - len(chosen) :] = byte[:, axis]
    order = np.argsort(leaf, kind="stable")
    changes.set_table(lighting, made[order])
    sizes = np.bincount(leaf, minlength=len(leafs))
    table = np.zeros(len(leafs), rows.dtype)
    held(table, "count", slice(None), sizes)
    starts = np.zeros(len(leafs), np.int64)  # of leafs without samples, what stood there
    starts[same] = np.minimum(rows["first"][carved.like[same]], len(made))
    held(table, "first", slice(None), np.where(sizes > 0, ranges.starts(sizes)[:-1], starts))
    changes.set_table(index, table)


def _fitting(
    level: Level, leafs: Records, old: Records, sources: Ints, owners: Ints, places: Ints
) -> tuple[Ints, Ints]:
    """Which samples leafs get, and where in their boxes: int64[n] and int64[n, 3].

    sources, owners, places: of each sample that could be, the leaf that it was of, the one that it may be of, its row.
    """
    before = level.table(LumpId.LEAFS)[sources]
    share = np.column_stack([old[name][places] for name in "xyz"]).astype(np.float64) / _BYTES
    mins, maxs = before["mins"].astype(np.float64), before["maxs"].astype(np.float64)
    points = mins + share * (maxs - mins)
    low, high = leafs["mins"][owners].astype(np.float64), leafs["maxs"][owners].astype(np.float64)
    away = np.abs(points - points.clip(low, np.maximum(low, high))).max(axis=1, initial=0)
    order = np.lexsort([away, owners])
    rank = np.arange(len(order)) - np.searchsorted(owners[order], owners[order])
    chosen = order[(rank == 0) | ((away[order] <= _BESIDE) & (rank < _MOST))]
    size = np.maximum(high - low, 1e-6)[chosen]
    placed = (points[chosen].clip(low[chosen], np.maximum(low, high)[chosen]) - low[chosen]) / size
    return chosen, np.rint(placed * _BYTES).astype(np.int64)
