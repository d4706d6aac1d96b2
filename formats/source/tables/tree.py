# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of the BSP tree, its leafs, areas, water, cubemaps and old portals (source.md §2.1, §2.5)."""

from ..records import RGBE, VECTOR, record

NODE = record(
    ("planenum", "<i4"),
    ("children", "<i4", 2),  # in front of and behind the plane; negative: leaf -1 - child
    ("mins", "<i2", 3),
    ("maxs", "<i2", 3),
    ("firstface", "<u2"),
    ("numfaces", "<u2"),
    ("area", "<i2"),  # -1: leafs of several areas
    ("pad", "V2"),
    size=32,
)
#: Vindictus.
NODE_32 = record(
    ("planenum", "<i4"),
    ("children", "<i4", 2),
    ("mins", "<i4", 3),
    ("maxs", "<i4", 3),
    ("firstface", "<u4"),
    ("numfaces", "<u4"),
    ("area", "<i2"),
    ("pad", "V2"),
    size=48,
)
#: Strata, lump version 1.
NODE_FLOAT = record(
    ("planenum", "<i4"),
    ("children", "<i4", 2),
    ("mins", VECTOR),
    ("maxs", VECTOR),
    ("firstface", "<u4"),
    ("numfaces", "<u4"),
    ("area", "<i2"),
    ("pad", "V2"),
    size=48,
)

_LEAF = (
    ("contents", "<u4"),  # Contents
    ("cluster", "<i2"),  # -1: none, as of solid leafs
    ("area_flags", "<u2"),  # 9 bits area, 7 bits LeafFlag
    ("mins", "<i2", 3),
    ("maxs", "<i2", 3),
    ("firstleafface", "<u2"),
    ("numleaffaces", "<u2"),
    ("firstleafbrush", "<u2"),
    ("numleafbrushes", "<u2"),
    ("leaf_water_data_id", "<i2"),  # -1: not in water
)
LEAF = record(*_LEAF, ("pad", "V2"), size=32)
#: Version 0 of v19: with the light of its middle from +x, -x, +y, -y, +z, -z.
LEAF_AMBIENT = record(*_LEAF, ("cube", RGBE, 6), ("pad", "V2"), size=56)
#: Vindictus.
LEAF_32 = record(
    ("contents", "<u4"),
    ("cluster", "<i4"),
    ("area_flags", "<u4"),
    ("mins", "<i4", 3),
    ("maxs", "<i4", 3),
    ("firstleafface", "<u4"),
    ("numleaffaces", "<u4"),
    ("firstleafbrush", "<u4"),
    ("numleafbrushes", "<u4"),
    ("leaf_water_data_id", "<i4"),
    size=56,
)
#: Strata, lump version 2.
LEAF_FLOAT = record(
    ("contents", "<u4"),
    ("cluster", "<i4"),
    ("area_flags", "<u4"),  # 17 bits area, 15 bits LeafFlag
    ("mins", VECTOR),
    ("maxs", VECTOR),
    ("firstleafface", "<u4"),
    ("numleaffaces", "<u4"),
    ("firstleafbrush", "<u4"),
    ("numleafbrushes", "<u4"),
    ("leaf_water_data_id", "<i4"),
    size=56,
)

LEAFFACE = record(("face", "<u2"), size=2)
LEAFFACE_32 = record(("face", "<u4"), size=4)
LEAFBRUSH = record(("brush", "<u2"), size=2)
LEAFBRUSH_32 = record(("brush", "<u4"), size=4)
LEAFMINDISTTOWATER = record(("distance", "<u2"), size=2)  # one a leaf

LEAFWATERDATA = record(("surface_z", "<f4"), ("min_z", "<f4"), ("surface_texinfo", "<i2"), ("pad", "V2"), size=12)
#: Strata.
LEAFWATERDATA_32 = record(("surface_z", "<f4"), ("min_z", "<f4"), ("surface_texinfo", "<i4"), size=12)

AREA = record(("numareaportals", "<i4"), ("firstareaportal", "<i4"), size=8)
AREAPORTAL = record(
    ("portal_key", "<u2"),  # the entity's "portalnumber"
    ("otherarea", "<u2"),
    ("first_clip_portal_vert", "<u2"),
    ("clip_portal_verts", "<u2"),
    ("planenum", "<i4"),
    size=12,
)
AREAPORTAL_32 = record(
    ("portal_key", "<u4"),
    ("otherarea", "<u4"),
    ("first_clip_portal_vert", "<u4"),
    ("clip_portal_verts", "<u4"),
    ("planenum", "<i4"),
    size=20,
)
CLIPPORTALVERT = record(("point", VECTOR), size=12)

CUBEMAP = record(
    ("origin", "<i4", 3),  # the entity's, rounded; the pak's file is named after it
    ("size", "u1"),  # 2**(size - 1) pixels square; 0: the default
    ("pad", "V3"),
    size=16,
)

# ------------------------------------------------------------------------------- what v17 keeps of making visibility

PORTAL = record(
    ("firstportalvert", "<i4"),
    ("numportalverts", "<i4"),
    ("planenum", "<i4"),
    ("clusters", "<u2", 2),
    size=16,
)
CLUSTER = record(("firstportal", "<i4"), ("numportals", "<i4"), size=8)
PORTALVERT = record(("vertex", "<u2"), size=2)
CLUSTERPORTAL = record(("portal", "<u2"), size=2)

# ----------------------------------------------------------------------------------------------------------- occluders

OCCLUDER = record(
    ("flags", "<i4"),
    ("firstpoly", "<i4"),
    ("polycount", "<i4"),
    ("mins", VECTOR),
    ("maxs", VECTOR),
    size=36,
)
#: Version 2 of the lump.
OCCLUDER_V2 = record(
    ("flags", "<i4"),
    ("firstpoly", "<i4"),
    ("polycount", "<i4"),
    ("mins", VECTOR),
    ("maxs", VECTOR),
    ("area", "<i4"),
    size=40,
)
OCCLUDER_POLY = record(("firstvertexindex", "<i4"), ("vertexcount", "<i4"), ("planenum", "<i4"), size=12)
OCCLUDER_VERTEX = record(("vertex", "<i4"), size=4)  # of the lump VERTEXES
