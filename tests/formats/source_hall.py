# SPDX-License-Identifier: GPL-3.0-or-later
"""A hall of our own with brushes in it, for edits of the world: a new map, and a few solids that were put into it."""

from collections.abc import Sequence

import numpy as np

from formats.source import Level, LumpId, new_map, read, world, write
from formats.source.edits.brush_pieces import Piece
from formats.source.records import Contents

CRATE, STEP, CLIP, LADDER = range(6, 10)
"""The brushes in the hall, behind the six of its box."""
BOXES = {
    CRATE: ((128, 128, 0), (192, 192, 64)),
    STEP: ((-256, -64, 0), (-128, 64, 16)),
    CLIP: ((256, -64, 0), (272, 64, 128)),
    LADDER: ((-400, 200, 0), (-384, 232, 256)),
}
CONTENTS = {CRATE: Contents.SOLID, STEP: Contents.SOLID, CLIP: Contents.PLAYERCLIP, LADDER: Contents.LADDER}
FLOOR_TEXINFO, NODRAW_TEXINFO = 11, 0
"""Of sides that look up, and of ones that aren't drawn: see `new_map`."""


def box(low: Sequence[float], high: Sequence[float], texinfos: Sequence[int], contents: int = 1) -> Piece:
    """A box; texinfos: of the sides that look along -x, -y, -z, x, y, z."""
    normals = np.concatenate([-np.eye(3), np.eye(3)])
    dists = np.concatenate([-np.array(low, np.float64), np.array(high, np.float64)])
    return Piece(normals, dists, np.array(texinfos, np.int64), contents)


def hall() -> Level:
    """The map, as read from its bytes."""
    level = new_map.sky_box((1024.0, 1024.0, 512.0))
    table = level.table(LumpId.TEXINFO)
    drawn = table[:6].copy()  # the axes of each way, with the floor's material
    drawn["texdata"], drawn["flags"] = table["texdata"][FLOOR_TEXINFO], table["flags"][FLOOR_TEXINFO]
    level.set_table(LumpId.TEXINFO, np.concatenate([table, drawn]))
    first = len(table)
    made = []
    for number, (low, high) in BOXES.items():
        seen = CONTENTS[number] & Contents.SOLID
        texinfos = range(first, first + 6) if seen else range(6)
        made.append(box(low, high, texinfos, int(CONTENTS[number])))
    world.apply(level, world.WorldEdits(added=made))
    return read(write(level))


def without_faces(level: Level) -> Level:
    """A map in which nothing is drawn, as some are that consist of props."""
    for lump in (LumpId.FACES, LumpId.FACES_HDR, LumpId.ORIGINALFACES, LumpId.SURFEDGES, LumpId.LEAFFACES,
                 LumpId.LIGHTING, LumpId.LIGHTING_HDR, LumpId.FACEIDS, LumpId.VERTNORMALS, LumpId.VERTNORMALINDICES,
                 LumpId.DISPINFO):  # fmt: skip
        level.set_bytes(lump, b"")
    level.set_table(LumpId.EDGES, np.zeros_like(level.table(LumpId.EDGES)[:1]))
    for lump in (LumpId.MODELS, LumpId.NODES, LumpId.LEAFS):
        table = level.table(lump).copy()
        for name in {"firstface", "numfaces", "firstleafface", "numleaffaces"} & set(table.dtype.names or ()):
            table[name] = 0
        level.set_table(lump, table)
    return read(write(level))
