# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of displacements (source.md §2.2, §2.9).

A displacement of power p has (2**p + 1)**2 vertices and 2 * 4**p triangles. What nobody uses of a record, invalid
neighbours and pads among it, is whatever lay in the compiler's memory: patch fields, never build a record anew.
"""

from ..records import VECTOR, Fields, record

NO_NEIGHBOR = 0xFFFF
NO_NEIGHBOR_32 = 0xFFFFFFFF
MIN_POWER, MAX_POWER = 2, 4

DISP_SUB_NEIGHBOR = record(
    ("neighbor", "<u2"),  # a dispinfo; NO_NEIGHBOR: none
    ("orientation", "u1"),  # quarter turns counter-clockwise
    ("span", "u1"),  # 0: corner to corner, 1: corner to middle, 2: middle to corner
    ("neighbor_span", "u1"),
    ("pad", "V1"),
    size=6,
)
DISP_SUB_NEIGHBOR_32 = record(
    ("neighbor", "<u4"),
    ("orientation", "u1"),
    ("span", "u1"),
    ("neighbor_span", "u1"),
    ("pad", "V1"),
    size=8,
)
DISP_CORNER_NEIGHBORS = record(("neighbors", "<u2", 4), ("count", "u1"), ("pad", "V1"), size=10)
DISP_CORNER_NEIGHBORS_32 = record(("neighbors", "<u4", 4), ("count", "u1"), ("pad", "V3"), size=20)

_NEIGHBORS = (
    ("edge_neighbors", DISP_SUB_NEIGHBOR, (4, 2)),  # left, top, right, bottom; two halves of each
    ("corner_neighbors", DISP_CORNER_NEIGHBORS, 4),  # lower left, upper left, upper right, lower right
    ("allowed_verts", "<u4", 10),  # a bit a vertex: whether the neighbours' powers leave it active
)
_NEIGHBORS_32 = (
    ("edge_neighbors", DISP_SUB_NEIGHBOR_32, (4, 2)),
    ("corner_neighbors", DISP_CORNER_NEIGHBORS_32, 4),
    ("allowed_verts", "<u4", 10),
)
_VERT_START: Fields = (
    ("start_position", VECTOR),  # near the corner of the face that comes first
    ("disp_vert_start", "<i4"),
)
_TRI_START: Fields = (*_VERT_START, ("disp_tri_start", "<i4"))
_SHAPE: Fields = (
    ("power", "<i4"),
    ("min_tess", "<u4"),  # 0, or from v20 on a DispInfoFlag
    ("smoothing_angle", "<f4"),
    ("contents", "<u4"),
)
_MAP_FACE: Fields = (("map_face", "<u2"), ("pad", "V2"))
_LIGHTMAP: Fields = (
    ("lightmap_alpha_start", "<i4"),
    ("lightmap_sample_position_start", "<i4"),  # bytes into the lump of sample positions
)

DISPINFO = record(*_TRI_START, *_SHAPE, *_MAP_FACE, *_LIGHTMAP, *_NEIGHBORS, size=176)
#: v17 of Half-Life 2's beta: triangles have no tags yet.
DISPINFO_17 = record(*_VERT_START, *_SHAPE, *_MAP_FACE, *_LIGHTMAP, *_NEIGHBORS, size=172)
#: v22 of Dota 2's beta.
DISPINFO_22 = record(*_TRI_START, *_SHAPE, *_MAP_FACE, *_LIGHTMAP, ("unknown", "<i4"), *_NEIGHBORS, size=180)
#: v23 of Dota 2's beta.
DISPINFO_23 = record(
    *_TRI_START,
    *_SHAPE,
    ("unknown_contents", "<i4"),
    *_MAP_FACE,
    *_LIGHTMAP,
    ("unknown", "<i4"),
    *_NEIGHBORS,
    size=184,
)
#: Strata, lump version 1.
DISPINFO_STRATA = record(*_TRI_START, *_SHAPE, ("map_face", "<u4"), *_LIGHTMAP, *_NEIGHBORS_32, size=232)
#: Vindictus: the angle stands before the word that is 0 or flags elsewhere.
DISPINFO_32 = record(
    *_TRI_START,
    ("power", "<i4"),
    ("smoothing_angle", "<f4"),
    ("min_tess", "<u4"),
    ("contents", "<u4"),
    ("map_face", "<u4"),
    *_LIGHTMAP,
    *_NEIGHBORS_32,
    size=232,
)

DISPVERT = record(
    ("vec", VECTOR),  # direction from the flat surface; 0 where dist is
    ("dist", "<f4"),
    ("alpha", "<f4"),  # blend of the two textures: 0..255, but not always
    size=20,
)
DISPTRI = record(("tags", "<u2"), size=2)  # DispTriTag
DISPLIGHTMAPALPHA = record(("alpha", "u1"), size=1)  # one a luxel; up to v19
DISPLIGHTMAPSAMPLEPOSITION = record(("value", "u1"), size=1)  # lighting.sample_positions reads them

#: A vertex of a displacement with four textures (Alien Swarm, CS:GO).
DISPMULTIBLEND = record(("multiblend", "<f4", 4), ("alphablend", "<f4", 4), ("colors", VECTOR, 4), size=80)
