# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of maps that nothing names."""

from formats.source import Level, LumpId
from formats.source.edits.changes import Changes
from formats.source.edits.compaction import COMPACTED
from formats.source.edits.living import Living


def nameless(level: Level) -> dict[str, int]:
    """How many rows of the tables that edits of a world write nothing names. Of a pair of planes, one half is there
    for the other; edge 0 is nobody's.
    """
    living = Living(level, Changes(level).peek)
    lumps = (*COMPACTED, LumpId.BRUSHES, LumpId.NODES, LumpId.LEAFS, LumpId.TEXDATA, LumpId.TEXDATA_STRING_TABLE)
    found = {lump.name: int((~living.rows(lump)).sum()) for lump in lumps}
    pairs, edges = living.rows(LumpId.PLANES).reshape(-1, 2).any(axis=1), living.rows(LumpId.EDGES)[1:]
    return found | {LumpId.PLANES.name: 2 * int((~pairs).sum()), LumpId.EDGES.name: int((~edges).sum())}
