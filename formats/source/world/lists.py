# SPDX-License-Identifier: GPL-3.0-or-later
"""The lists of leafs, LEAFBRUSHES and LEAFFACES, written anew with no row to spare (source.md §2.5)."""

from collections.abc import Mapping, Sequence

import numpy as np

from ... import ranges
from ...arrays import Ints
from ..edits.brush_tables import held
from ..edits.changes import Changes
from ..lumps import LumpId

_NAMES = {
    LumpId.LEAFBRUSHES: ("firstleafbrush", "numleafbrushes", "brush"),
    LumpId.LEAFFACES: ("firstleafface", "numleaffaces", "face"),
}


def of_leafs(changes: Changes, lump: LumpId) -> tuple[Ints, Ints]:
    """What leafs list, int64[n], the first leaf's first; and where each one's list begins, int64[leafs + 1]."""
    first, many, field = _NAMES[lump]
    leafs, table = changes.table(LumpId.LEAFS), changes.table(lump)
    counts = leafs[many].astype(np.int64)
    return table[field].astype(np.int64)[ranges.flat(leafs[first], counts)], ranges.starts(counts)


def put(changes: Changes, lump: LumpId, lists: Mapping[int, Sequence[int]]) -> None:
    """Give some leafs other lists; those of all others stay, in their order, and move up.

    Raises FormatError for numbers that fields cannot hold.
    """
    if not lists:
        return
    first, many, field = _NAMES[lump]
    leafs, table = changes.table(LumpId.LEAFS), changes.table(lump)
    starts, counts = leafs[first].astype(np.int64), leafs[many].astype(np.int64)
    order = np.argsort(starts, kind="stable")
    fresh = np.array([number for each in lists.values() for number in each], np.int64)
    sizes = np.array([len(each) for each in lists.values()], np.int64)
    which = np.array(list(lists), np.int64)
    starts[which], counts[which] = len(table) + ranges.starts(sizes)[:-1], sizes
    everything = np.concatenate([table[field].astype(np.int64), fresh])
    listed = everything[ranges.flat(starts[order], counts[order])]
    made = np.zeros(len(listed), table.dtype)
    held(made, field, slice(None), listed)
    changes.set_table(lump, made)
    starts[order] = ranges.starts(counts[order])[:-1]
    held(leafs, first, slice(None), starts)
    held(leafs, many, slice(None), counts)
