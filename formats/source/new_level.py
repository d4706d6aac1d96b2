# SPDX-License-Identifier: GPL-3.0-or-later
"""A map of our own, to be filled: what compilers write into every map, and no geometry yet."""

import struct

from .bsp_file import BspFile
from .entities import Entity
from .game_lump import DETAIL_PROPS, STATIC_PROPS
from .level import Level
from .lumps import LUMPS, MAGIC, LumpId

VERSION = 20
#: What compilers of 2013 write; lumps that are not named have version 0.
LUMP_VERSIONS = {
    LumpId.FACES: 1,
    LumpId.LIGHTING: 1,
    LumpId.OCCLUSION: 2,
    LumpId.LEAFS: 1,
    LumpId.LIGHTING_HDR: 1,
    LumpId.LEAF_AMBIENT_LIGHTING_HDR: 1,
    LumpId.LEAF_AMBIENT_LIGHTING: 1,
    LumpId.FACES_HDR: 1,
}
_PROPS_VERSION, _DETAILS_VERSION = 6, 4


def new_level(revision: int = 1) -> Level:
    """A map of version 20 with a world entity, no props and an empty pak; its other lumps are empty tables.

    Fill the tables with `set_table`, in any order; `check` says what does not fit together.
    """
    header = bytearray(struct.pack("<4si", MAGIC, VERSION))
    for lump in range(LUMPS):
        header += struct.pack("<4i", 0, 0, LUMP_VERSIONS.get(LumpId(lump), 0), 0)
    header += struct.pack("<i", revision)
    level = Level(BspFile(bytes(header)))
    level.entities.append(Entity([("mapversion", str(revision)), ("classname", "worldspawn")]))
    level.set_bytes(LumpId.OCCLUSION, bytes(12))
    level.set_bytes(LumpId.PHYSCOLLIDE, struct.pack("<4i", -1, -1, 0, 0))
    level.game_lumps.set_bytes(STATIC_PROPS, bytes(12), _PROPS_VERSION)
    level.game_lumps.set_bytes(DETAIL_PROPS, bytes(12), _DETAILS_VERSION)
    level.store()
    level.set_bytes(LumpId.PAKFILE, level.pak.encode())
    return level
