# SPDX-License-Identifier: GPL-3.0-or-later
"""Lumps that have a row for each leaf (source.md §2.5), where leafs come and go."""

import numpy as np

from ...arrays import Ints
from ..level import Level
from ..lumps import LumpId
from .brush_tables import cut
from .changes import Changes, joined

_CUBES = (LumpId.LEAF_AMBIENT_LIGHTING, LumpId.LEAF_AMBIENT_LIGHTING_HDR)
PER_LEAF = (*_CUBES, LumpId.LEAF_AMBIENT_INDEX, LumpId.LEAF_AMBIENT_INDEX_HDR, LumpId.LEAFMINDISTTOWATER)
"""Lumps that may have a row for each leaf: see `is_per_leaf`."""


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
    for lump in PER_LEAF if more else ():
        if is_per_leaf(changes.level, lump, count):
            table = changes.level.table(lump)
            changes.set_table(lump, joined(table, np.repeat(table[old[-1:]], more)))


def cut_leafs(changes: Changes, own: Ints) -> None:
    """Cut off leafs at the table's end that were a model's own, int64[n], with what has a row for each leaf."""
    props, count = changes.level.static_props, len(changes.level.table(LumpId.LEAFS))
    if not len(own) or (props is not None and len(props.leafs) and int(props.leafs["leaf"].max()) >= int(own.min())):
        return
    left = cut(changes, LumpId.LEAFS, own)
    for lump in PER_LEAF if left < count else ():
        if is_per_leaf(changes.level, lump, count):
            changes.set_table(lump, changes.table(lump)[:left])


def is_per_leaf(level: Level, lump: LumpId, count: int) -> bool:
    """Whether a lump has a row for each of `count` leafs: not where it has samples, which an index counts."""
    table = None if level.layout(lump).dtype is None else level.table(lump)
    if table is None or len(table) != count or not count:
        return False
    return lump not in _CUBES or "x" not in (table.dtype.names or ())
