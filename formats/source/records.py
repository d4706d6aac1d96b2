# SPDX-License-Identifier: GPL-3.0-or-later
"""What the records of Source maps are made of: vectors, colours, flags (source.md §2).

The records of the lumps are in `tables`. All are little-endian; `tables.layouts` turns the bytes for `PSBV` files.
Fields keep the names of the format's own structs, in small letters and without `m_`. Units are Hammer's, z is up.
"""

from enum import IntEnum, IntFlag
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Dtype = np.dtype[Any]
Field = tuple[str, npt.DTypeLike] | tuple[str, npt.DTypeLike, int | tuple[int, ...]]
"""Of a record, as `np.dtype` takes it: name, type, and how many where it is several."""
Fields = tuple[Field, ...]
ByteOrder = Literal["<", ">"]  # of a file: ">" on consoles

VECTOR: Dtype = np.dtype(("<f4", 3))

#: ColorRGBExp32: linear light is rgb * 2**exponent / 255.
RGBE: Dtype = np.dtype([("rgb", "u1", 3), ("exponent", "i1")])

#: color32.
RGBA: Dtype = np.dtype(("u1", 4))

NO_STYLE = 255  # of a face's styles


def record(*fields: Field, size: int) -> Dtype:
    """A packed record of `fields`, `size` bytes long: a table that does not add up fails when it is imported."""
    dtype: Dtype = np.dtype(list(fields))
    if dtype.itemsize != size:
        raise ValueError(f"{fields[0][0]}...: {dtype.itemsize} bytes, {size} are meant")
    return dtype


class SurfaceFlag(IntFlag):
    """Flags of a texinfo (bspflags.h: SURF_)."""

    LIGHT = 0x1
    SKY2D = 0x2  # draws only the 2D sky
    SKY = 0x4
    WARP = 0x8  # turbulent water
    TRANS = 0x10
    NOPORTAL = 0x20
    TRIGGER = 0x40
    NODRAW = 0x80
    HINT = 0x100
    SKIP = 0x200
    NOLIGHT = 0x400
    BUMPLIGHT = 0x800  # four lightmaps instead of one: flat, and one for each vector of the bump basis
    NOSHADOWS = 0x1000
    NODECALS = 0x2000
    NOCHOP = 0x4000
    HITBOX = 0x8000


class Contents(IntFlag):
    """What fills a brush or a leaf (bspflags.h: CONTENTS_)."""

    SOLID = 0x1
    WINDOW = 0x2
    AUX = 0x4
    GRATE = 0x8  # bullets and sight pass
    SLIME = 0x10
    WATER = 0x20
    BLOCKLOS = 0x40
    OPAQUE = 0x80
    TESTFOGVOLUME = 0x100
    UNUSED = 0x200
    BLOCKLIGHT = 0x400
    TEAM1 = 0x800
    TEAM2 = 0x1000
    IGNORE_NODRAW_OPAQUE = 0x2000
    MOVEABLE = 0x4000
    AREAPORTAL = 0x8000
    PLAYERCLIP = 0x10000
    MONSTERCLIP = 0x20000
    CURRENT_0 = 0x40000
    CURRENT_90 = 0x80000
    CURRENT_180 = 0x100000
    CURRENT_270 = 0x200000
    CURRENT_UP = 0x400000
    CURRENT_DOWN = 0x800000
    ORIGIN = 0x1000000
    MONSTER = 0x2000000
    DEBRIS = 0x4000000
    DETAIL = 0x8000000
    TRANSLUCENT = 0x10000000
    LADDER = 0x20000000
    HITBOX = 0x40000000


class LeafFlag(IntFlag):
    """Flags of a leaf: the upper bits of `area_flags`."""

    SKY = 0x1  # sees the 3D sky
    RADIAL = 0x2  # lost portals to radial visibility
    SKY2D = 0x4


class LevelFlag(IntFlag):
    """Flags of a map: the lump MAP_FLAGS."""

    BAKED_STATIC_PROP_LIGHTING_NONHDR = 0x1
    BAKED_STATIC_PROP_LIGHTING_HDR = 0x2
    LIGHTMAP_ALPHA = 0x4  # a byte a luxel behind the lightmaps
    BAKED_STATIC_PROP_LIGHTING_3 = 0x8
    LIGHTMAP_ALPHA_3 = 0x10  # four of them
    BAKED_STATIC_PROP_LIGHTING_3_NO_SUN = 0x20
    LIGHTSTYLES_WITH_CSM = 0x40  # they stand behind each style, not behind the last


class DispTriTag(IntFlag):
    """Tags of a displacement's triangle. Seen are WALKABLE and BUILDABLE alone (source.md §2.2)."""

    SURFACE = 0x1
    WALKABLE = 0x2
    BUILDABLE = 0x4
    SURFPROP1 = 0x8
    SURFPROP2 = 0x10
    REMOVE = 0x20


class DispInfoFlag(IntFlag):
    """Flags of a displacement: its `min_tess`, where the highest bit says that it holds flags (source.md §2.2)."""

    NO_PHYSICS_COLL = 0x2
    NO_HULL_COLL = 0x4
    NO_RAY_COLL = 0x8
    HAS_MULTIBLEND = 0x40000000
    IS_FLAGS = 0x80000000


class EmitType(IntEnum):
    """What kind of light a world light is."""

    SURFACE = 0
    POINT = 1
    SPOTLIGHT = 2
    SKYLIGHT = 3  # the sun
    QUAKELIGHT = 4
    SKYAMBIENT = 5


class StaticPropFlag(IntFlag):
    """Flags of a static prop (gamebspfile.h: STATIC_PROP_)."""

    FADES = 0x1
    USE_LIGHTING_ORIGIN = 0x2
    NO_DRAW = 0x4  # set at run time
    IGNORE_NORMALS = 0x8
    NO_SHADOW = 0x10
    SCREEN_SPACE_FADE = 0x20  # from version 10 of 76 bytes on: marked for fast reflection
    NO_PER_VERTEX_LIGHTING = 0x40
    NO_SELF_SHADOWING = 0x80
    NO_PER_TEXEL_LIGHTING = 0x100  # only in records with flags of 32 bits


class StaticPropFlagEx(IntFlag):
    """Further flags of a static prop: `flags_ex`."""

    DISABLE_SHADOW_DEPTH = 0x1
    DISABLE_CSM = 0x2
    ENABLE_LIGHT_BOUNCE = 0x4
    COLOR_TINT = 0x8  # Strata


class Solidity(IntEnum):
    """How a static prop collides: its `solid`."""

    NONE = 0
    BSP = 1
    BBOX = 2
    OBB = 3
    OBB_YAW = 4
    CUSTOM = 5
    VPHYSICS = 6
