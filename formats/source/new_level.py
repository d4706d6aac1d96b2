# SPDX-License-Identifier: GPL-3.0-or-later
"""A map of our own, to be filled: what compilers write into every map, and no geometry yet."""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from .container.bsp_file import BspFile
from .container.game_lump import DETAIL_PROPS, STATIC_PROPS
from .entities.text import Entity
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


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch of the engine, by what its maps are like (source.md §2.1)."""

    version: int
    """Of the map."""
    lump_versions: Mapping[LumpId, int]
    """Of lumps; those that are not named have version 0."""
    version_first: bool = False
    """The order of numbers in the directory: that of Left 4 Dead 2."""
    props: int = _PROPS_VERSION
    """Version of the static props."""


_OLD = {LumpId.FACES: 1, LumpId.LIGHTING: 1, LumpId.OCCLUSION: 2}
_LEFT4DEAD = {**LUMP_VERSIONS, LumpId.WORLDLIGHTS: 1, LumpId.WORLDLIGHTS_HDR: 1}
BRANCHES: Mapping[str, Branch] = MappingProxyType(
    {
        "2013": Branch(VERSION, LUMP_VERSIONS),
        "2004": Branch(19, _OLD, props=5),
        "left4dead2": Branch(21, _LEFT4DEAD, version_first=True, props=9),
        "csgo": Branch(21, _LEFT4DEAD, props=10),
    }
)
"""By the names that options have for them, the usual one first."""


def new_level(revision: int = 1, branch: Branch = BRANCHES["2013"]) -> Level:
    """A map of a branch with a world entity, no props and an empty pak; its other lumps are empty tables.

    Fill the tables with `set_table`, in any order; `check` says what does not fit together.
    """
    header = bytearray(struct.pack("<4si", MAGIC, branch.version))
    size = len(header) + 16 * LUMPS + 4
    for lump in range(LUMPS):
        version = branch.lump_versions.get(LumpId(lump), 0)
        # An empty lump that lies behind the header tells which order of numbers this is.
        header += struct.pack("<4i", *((version, size, 0, 0) if branch.version_first else (0, 0, version, 0)))
    header += struct.pack("<i", revision)
    level = Level(BspFile(bytes(header)))
    level.entities.append(Entity([("mapversion", str(revision)), ("classname", "worldspawn")]))
    level.set_bytes(LumpId.OCCLUSION, bytes(12))
    level.set_bytes(LumpId.PHYSCOLLIDE, struct.pack("<4i", -1, -1, 0, 0))
    level.game_lumps.set_bytes(STATIC_PROPS, bytes(12), branch.props)
    level.game_lumps.set_bytes(DETAIL_PROPS, bytes(12), _DETAILS_VERSION)
    level.store()
    level.set_bytes(LumpId.PAKFILE, level.pak.encode())
    return level
