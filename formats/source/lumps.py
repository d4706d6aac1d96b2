# SPDX-License-Identifier: GPL-3.0-or-later
"""The lumps of a map and the forms of its header (source.md "Lump types", source.md §2.1)."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

import numpy as np

MAGIC, MAGIC_BIG_ENDIAN = b"VBSP", b"PSBV"
VERSIONS = frozenset(range(17, 28)) | {42}
LUMPS, MANY_LUMPS = 64, 128
MANY_LUMPS_VERSION, EXTRA_INT_VERSION = 42, 27
DARK_MESSIAH_MINOR = 4  # the high word of its version


class LumpId(IntEnum):
    """The lumps, by the engine's names. Numbers that branches of the engine use for different things name them all."""

    ENTITIES = 0
    PLANES = 1
    TEXDATA = 2
    VERTEXES = 3
    VISIBILITY = 4
    NODES = 5
    TEXINFO = 6
    FACES = 7
    LIGHTING = 8
    OCCLUSION = 9
    LEAFS = 10
    FACEIDS = 11
    EDGES = 12
    SURFEDGES = 13
    MODELS = 14
    WORLDLIGHTS = 15
    LEAFFACES = 16
    LEAFBRUSHES = 17
    BRUSHES = 18
    BRUSHSIDES = 19
    AREAS = 20
    AREAPORTALS = 21
    PORTALS = 22  # FACEBRUSHES in CS:GO, PROPCOLLISION in Left 4 Dead 2
    CLUSTERS = 23  # FACEBRUSHLIST in CS:GO, PROPHULLS in Left 4 Dead 2
    PORTALVERTS = 24  # FAKEENTITIES in Tactical Intervention, PROPHULLVERTS in Left 4 Dead 2
    CLUSTERPORTALS = 25  # PROPTRIS in Left 4 Dead 2
    DISPINFO = 26
    ORIGINALFACES = 27
    PHYSDISP = 28
    PHYSCOLLIDE = 29
    VERTNORMALS = 30
    VERTNORMALINDICES = 31
    DISP_LIGHTMAP_ALPHAS = 32
    DISP_VERTS = 33
    DISP_LIGHTMAP_SAMPLE_POSITIONS = 34
    GAME_LUMP = 35
    LEAFWATERDATA = 36
    PRIMITIVES = 37
    PRIMVERTS = 38
    PRIMINDICES = 39
    PAKFILE = 40
    CLIPPORTALVERTS = 41
    CUBEMAPS = 42
    TEXDATA_STRING_DATA = 43
    TEXDATA_STRING_TABLE = 44
    OVERLAYS = 45
    LEAFMINDISTTOWATER = 46
    FACE_MACRO_TEXTURE_INFO = 47
    DISP_TRIS = 48
    PHYSCOLLIDESURFACE = 49  # PROP_BLOB in Left 4 Dead 2
    WATEROVERLAYS = 50
    LEAF_AMBIENT_INDEX_HDR = 51  # LIGHTMAPPAGES before v20
    LEAF_AMBIENT_INDEX = 52  # LIGHTMAPPAGEINFOS before v20
    LIGHTING_HDR = 53
    WORLDLIGHTS_HDR = 54
    LEAF_AMBIENT_LIGHTING_HDR = 55
    LEAF_AMBIENT_LIGHTING = 56
    XZIPPAKFILE = 57
    FACES_HDR = 58
    MAP_FLAGS = 59
    OVERLAY_FADES = 60
    OVERLAY_SYSTEM_LEVELS = 61
    PHYSLEVEL = 62
    DISP_MULTIBLEND = 63


def lump_name(lump: int) -> str:
    """What messages call a lump: "lump 7 (FACES)"."""
    return f"lump {int(lump)} ({LumpId(lump).name})" if lump < LUMPS else f"lump {int(lump)}"


#: An entry of the directory, whatever its form in the file. `size`: what the lump decompresses to, 0 where it isn't
#: compressed.
ENTRY = np.dtype([(name, "i8") for name in ("offset", "length", "version", "size")])


@dataclass(frozen=True, slots=True)
class HeaderForm:
    """Where the directory of lumps lies in the header and what its entries look like."""

    byte_order: Literal["<", ">"]
    lumps: int = LUMPS
    directory: int = 8  # its offset
    version_first: bool = False  # the order of Left 4 Dead 2: version, offset, length

    @property
    def columns(self) -> list[int]:
        """Where the numbers of an entry stand, in the order of ENTRY."""
        return [1, 2, 0, 3] if self.version_first else [0, 1, 2, 3]

    @property
    def revision(self) -> int:
        """Offset of the map's revision, behind the directory."""
        return self.directory + 16 * self.lumps

    @property
    def size(self) -> int:
        """Bytes of the header."""
        return self.revision + 4
