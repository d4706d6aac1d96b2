# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of lights and of ambient light (source.md §2.5, §2.6, §2.9)."""

from ..records import RGBE, VECTOR, record

_SHINE = (("origin", VECTOR), ("intensity", VECTOR), ("normal", VECTOR))
_FALLOFF = (
    ("style", "<i4"),
    ("stopdot", "<f4"),  # cosine where a spotlight's penumbra begins
    ("stopdot2", "<f4"),  # and where it ends
    ("exponent", "<f4"),
    ("radius", "<f4"),  # where it is cut off; 0: nowhere
    ("constant_attn", "<f4"),  # 1 / (constant + linear * distance + quadratic * distance**2)
    ("linear_attn", "<f4"),
    ("quadratic_attn", "<f4"),
    ("flags", "<i4"),  # 1: is in the ambient cubes
    ("texinfo", "<i4"),
    ("owner", "<i4"),  # the entity that it belongs to
)
#: Version 0. `type`: EmitType.
WORLDLIGHT = record(*_SHINE, ("cluster", "<i4"), ("type", "<i4"), *_FALLOFF, size=88)
#: Version 1: Left 4 Dead and later.
WORLDLIGHT_V1 = record(
    *_SHINE, ("shadow_cast_offset", VECTOR), ("cluster", "<i4"), ("type", "<i4"), *_FALLOFF, size=100
)
#: Version 2: Strata. Mode: static, specular, bounce, dynamic.
WORLDLIGHT_V2 = record(
    *_SHINE,
    ("shadow_cast_offset", VECTOR),
    ("cluster", "<i4"),
    ("type", "<i4"),
    ("mode", "u1"),
    ("pad", "V3"),
    *_FALLOFF,
    size=104,
)

#: Light from +x, -x, +y, -y, +z, -z at a point of a leaf, which x, y and z tell in 255ths of its bounds.
LEAF_AMBIENT_LIGHTING = record(("cube", RGBE, 6), ("x", "u1"), ("y", "u1"), ("z", "u1"), ("pad", "V1"), size=28)
#: Before there were several points a leaf: one cube a leaf, and the lump's version is its length (source.md §2.5).
LEAF_AMBIENT_CUBE = record(("cube", RGBE, 6), size=24)
LEAF_AMBIENT_INDEX = record(("count", "<u2"), ("first", "<u2"), size=4)  # one a leaf
LEAF_AMBIENT_INDEX_32 = record(("count", "<u4"), ("first", "<u4"), size=8)

#: The first Xbox, in the place of the ambient indices: images of many faces' lightmaps; and which of them each face is
#: in, where, and its mean colour.
LIGHTMAP_PAGE = record(("pixels", "u1", (128, 256)), ("palette", RGBE, 256), size=33792)
LIGHTMAP_PAGE_INFO = record(("page", "u1"), ("offset", "u1", 2), ("pad", "V1"), ("average", RGBE), size=8)

MAP_FLAGS = record(("flags", "<u4"), size=4)  # one LevelFlag
