# SPDX-License-Identifier: GPL-3.0-or-later
"""Lumps that have a row for each leaf (source.md §2.5), where leafs come and go."""

from collections.abc import Iterable

import numpy as np

from ...arrays import Ints, Records
from ..level import Level
from ..lumps import LumpId
from ..tables.references import PER_LEAF, is_per_leaf
from .brush_tables import cut
from .changes import Changes, joined

_CUBES = (LumpId.LEAF_AMBIENT_LIGHTING, LumpId.LEAF_AMBIENT_LIGHTING_HDR)


def cube_lengths(level: Level) -> dict[LumpId, int]:
    """Those lumps of ambient light that have their own length for a version, as some compilers left it, and how long
    they are (source.md §2.5).
    """
    lengths = {lump: len(level.bytes_of(lump)) for lump in _CUBES}
    return {lump: length for lump, length in lengths.items() if length and level.version_of(lump) == length}


def keep_versions(level: Level, lengths: dict[LumpId, int]) -> None:
    """Have lumps of `cube_lengths` that had their length for a version have it again."""
    for lump in lengths:
        level.file.entries["version"][lump] = len(level.bytes_of(lump))


def extend(changes: Changes, count: int, old: Ints) -> None:
    """Have lumps with a row for each leaf have as many as there are leafs now: further ones like the model's last."""
    more = len(changes.table(LumpId.LEAFS)) - count
    for lump in beside(Changes(changes.level)) if more else ():
        table = changes.level.table(lump)
        changes.set_table(lump, joined(table, np.repeat(table[old[-1:]], more)))


def cut_leafs(changes: Changes, own: Ints) -> None:
    """Cut off leafs at the table's end that were a model's own, int64[n], with what has a row for each leaf."""
    props, count = changes.level.static_props, len(changes.level.table(LumpId.LEAFS))
    if not len(own) or (props is not None and len(props.leafs) and int(props.leafs["leaf"].max()) >= int(own.min())):
        return
    left = cut(changes, LumpId.LEAFS, own)
    for lump in beside(Changes(changes.level)) if left < count else ():
        changes.set_table(lump, changes.table(lump)[:left])


def beside(changes: Changes) -> list[LumpId]:
    """Lumps that have a row for each leaf, as both are now."""
    return [lump for lump in PER_LEAF if is_per_leaf(changes.peek, lump)]


def follow(changes: Changes, lumps: Iterable[LumpId], made: Ints, numbers: Ints) -> None:
    """Have all that goes by the numbers of leafs without being records that name them follow: lumps that had a row for
    each, and props, which the level gets with the rest.

    made: int64[leafs], the number that each leaf had. numbers: int64[leafs of before], the ones that they get.
    """
    for lump in lumps:
        table = changes.peek(lump)
        if table is not None:
            changes.set_table(lump, table[made])
    changes.then(lambda: _move_props(changes.level, numbers))


def _move_props(level: Level, numbers: Ints) -> None:
    """Have static and detail props be in leafs that have other numbers."""
    static, detail = level.static_props, level.detail_props
    if static is not None:
        static.leafs = _moved(static.leafs, numbers)
    if detail is not None:
        detail.details = _moved(detail.details, numbers)


def _moved(records: Records, numbers: Ints) -> Records:
    leafs = records["leaf"].astype(np.int64)
    known = (leafs >= 0) & (leafs < len(numbers))
    made = records.copy()
    made["leaf"] = np.where(known, numbers[np.where(known, leafs, 0)], leafs)
    return made
