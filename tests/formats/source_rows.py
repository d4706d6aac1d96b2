# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows of maps that nothing names."""

import numpy as np

from formats.source import Level, LumpId
from formats.source.edits.changes import Changes
from formats.source.edits.compaction import COMPACTED
from formats.source.edits.living import Living
from formats.source.edits.new_light import lumps


def nameless(level: Level) -> dict[str, int]:
    """How many rows of the tables that edits of a world write nothing names. Of a pair of planes, one half is there
    for the other; edge 0 is nobody's.
    """
    living = Living(level, Changes(level).peek)
    lumps = (*COMPACTED, LumpId.BRUSHES, LumpId.NODES, LumpId.LEAFS, LumpId.TEXDATA, LumpId.TEXDATA_STRING_TABLE)
    found = {lump.name: int((~living.rows(lump)).sum()) for lump in lumps}
    pairs, edges = living.rows(LumpId.PLANES).reshape(-1, 2).any(axis=1), living.rows(LumpId.EDGES)[1:]
    return found | {LumpId.PLANES.name: 2 * int((~pairs).sum()), LumpId.EDGES.name: int((~edges).sum())}


def unlit_bytes(level: Level) -> list[int]:
    """How many bytes of each lump of light are no face's."""
    found = []
    for lump, blocks in (pair for lighted in lumps(level).values() for pair in lighted.items()):
        steps = np.zeros(len(level.bytes_of(lump)) + 1, np.int64)
        np.add.at(steps, blocks.offset - blocks.header, 1)
        np.add.at(steps, blocks.offset + blocks.size, -1)
        found.append(int((np.cumsum(steps[:-1]) <= 0).sum()))
    return found
