# SPDX-License-Identifier: GPL-3.0-or-later
"""The chunks of compiled levels and their records (genesis.md §4.1, §4.2).

Lengths are units of one inch, y up; a plane holds dot(normal, P) == dist. Numbers of records count from 0; a child
below 0 is a leaf (of NODE) or contents (of CLIP_NODE), counted -1, -2, ...
"""

from enum import IntEnum

import numpy as np

VERSION = 15
MAGIC = b"GBSP\0"
END = 0xFFFF  # the type of the chunk that ends a file


class ChunkId(IntEnum):
    """What a chunk holds: its type."""

    HEADER = 0
    MODELS = 1
    NODES = 2
    CLIP_NODES = 3
    LEAFS = 4
    CLUSTERS = 5
    AREAS = 6
    AREA_PORTALS = 7
    LEAF_SIDES = 8
    PORTALS = 9
    PLANES = 10
    FACES = 11
    LEAF_FACES = 12
    VERTEX_INDICES = 13
    VERTICES = 14
    VERTEX_LIGHT = 15
    ENTITIES = 16
    TEXINFOS = 17
    TEXTURES = 18
    TEXTURE_DATA = 19
    LIGHT_DATA = 20
    VISIBILITY = 21
    SKY = 22
    PALETTES = 23
    MOTIONS = 24


_VECTOR = ("<f4", (3,))

HEADER = np.dtype(
    [
        ("magic", "S8"),  # "GBSP", NULs behind it
        ("version", "<i4"),  # 15
        ("time", "<u2", (8,)),  # when it was compiled: year, month, weekday, day, hour, minute, second, milliseconds
    ]
)
MODEL = np.dtype(
    [
        ("root_node", "<i4"),  # of NODES; below 0: a leaf
        ("root_clip_node", "<i4"),  # of CLIP_NODES
        ("mins", *_VECTOR),
        ("maxs", *_VECTOR),
        ("origin", *_VECTOR),  # the middle
        ("first_face", "<i4"),
        ("num_faces", "<i4"),
        ("first_leaf", "<i4"),
        ("num_leafs", "<i4"),
        ("first_cluster", "<i4"),  # -1: a model has none
        ("num_clusters", "<i4"),
        ("areas", "<i4", (2,)),  # what a door is between; 0: none
        ("motion", "<u4"),  # a pointer of the compiler's: without meaning
    ]
)
NODE = np.dtype(
    [
        ("children", "<i4", (2,)),  # in front of the plane (on it, too) and behind
        ("num_faces", "<i4"),
        ("first_face", "<i4"),
        ("plane", "<i4"),
        ("mins", *_VECTOR),
        ("maxs", *_VECTOR),
    ]
)
CLIP_NODE = np.dtype([("children", "<i4", (2,)), ("plane", "<i4")])
LEAF = np.dtype(
    [
        ("contents", "<u4"),  # BrushFlag of all brushes in it; 0: air
        ("mins", *_VECTOR),
        ("maxs", *_VECTOR),
        ("first_face", "<i4"),  # of LEAF_FACES
        ("num_faces", "<i4"),
        ("first_portal", "<i4"),
        ("num_portals", "<i4"),
        ("cluster", "<i4"),  # -1: solid
        ("area", "<i4"),
        ("first_side", "<i4"),  # of LEAF_SIDES; -1: of what blocks nothing
        ("num_sides", "<i4"),
    ]
)
CLUSTER = np.dtype([("visibility", "<i4")])  # where its row of bits begins in VISIBILITY; -1: it sees all
AREA = np.dtype([("num_portals", "<i4"), ("first_portal", "<i4")])  # of AREA_PORTALS
AREA_PORTAL = np.dtype([("model", "<i4"), ("area", "<i4")])  # the door, and the area behind it
LEAF_SIDE = np.dtype([("plane", "<i4"), ("side", "<i4")])  # side 1: the plane turned round, so that it points out
PORTAL = np.dtype([("origin", *_VECTOR), ("leaf", "<i4")])
PLANE = np.dtype([("normal", *_VECTOR), ("dist", "<f4"), ("type", "<i4")])  # type 0 to 2: along x, y, z; 3 to 5: nearly
FACE = np.dtype(
    [
        ("first_vertex", "<i4"),  # of VERTEX_INDICES
        ("num_vertices", "<i4"),
        ("plane", "<i4"),
        ("side", "<i4"),  # 1: it faces against the plane's normal
        ("texinfo", "<i4"),
        ("light_offset", "<i4"),  # of LIGHT_DATA; -1: none
        ("light_width", "<i4"),  # luxels
        ("light_height", "<i4"),
        ("light_types", "u1", (4,)),  # of its lightmaps; 255: no more. 0 is the light that doesn't change
    ]
)
INDEX = np.dtype([("index", "<i4")])
VECTOR = np.dtype([("x", "<f4"), ("y", "<f4"), ("z", "<f4")])
TEXINFO = np.dtype(
    [
        ("u_vec", *_VECTOR),  # texels: U = dot(P, u_vec) / draw_scale_x + offset_x; luxels: dot(P, u_vec) / 16
        ("v_vec", *_VECTOR),
        ("offset_x", "<f4"),
        ("offset_y", "<f4"),
        ("draw_scale_x", "<f4"),
        ("draw_scale_y", "<f4"),
        ("flags", "<i4"),  # FaceFlag
        ("face_light", "<f4"),
        ("reflective_scale", "<f4"),
        ("alpha", "<f4"),
        ("mip_map_bias", "<f4"),
        ("texture", "<i4"),
    ]
)
TEXTURE = np.dtype(
    [
        ("name", "V32"),
        ("flags", "<u4"),  # 1: of the sky
        ("width", "<i4"),
        ("height", "<i4"),
        ("offset", "<i4"),  # of TEXTURE_DATA
        ("palette", "<i4"),
    ]
)
SKY = np.dtype(
    [
        ("axis", *_VECTOR),
        ("speed", "<f4"),
        ("textures", "<i4", (6,)),  # left, right, top, bottom, front, back; below 0: none
        ("draw_scale", "<f4"),
    ]
)
PALETTE = np.dtype([("rgb", "u1", (256, 3))])
BYTE = np.dtype("u1")

RECORDS: dict[ChunkId, np.dtype] = {  # type: ignore[type-arg]
    ChunkId.HEADER: HEADER,
    ChunkId.MODELS: MODEL,
    ChunkId.NODES: NODE,
    ChunkId.CLIP_NODES: CLIP_NODE,
    ChunkId.LEAFS: LEAF,
    ChunkId.CLUSTERS: CLUSTER,
    ChunkId.AREAS: AREA,
    ChunkId.AREA_PORTALS: AREA_PORTAL,
    ChunkId.LEAF_SIDES: LEAF_SIDE,
    ChunkId.PORTALS: PORTAL,
    ChunkId.PLANES: PLANE,
    ChunkId.FACES: FACE,
    ChunkId.LEAF_FACES: INDEX,
    ChunkId.VERTEX_INDICES: INDEX,
    ChunkId.VERTICES: VECTOR,
    ChunkId.VERTEX_LIGHT: VECTOR,
    ChunkId.ENTITIES: BYTE,
    ChunkId.TEXINFOS: TEXINFO,
    ChunkId.TEXTURES: TEXTURE,
    ChunkId.TEXTURE_DATA: BYTE,
    ChunkId.LIGHT_DATA: BYTE,
    ChunkId.VISIBILITY: BYTE,
    ChunkId.SKY: SKY,
    ChunkId.PALETTES: PALETTE,
    ChunkId.MOTIONS: BYTE,
}

NO_LIGHT_TYPE = 255
MAX_LIGHT_TYPES = 4
LUXEL = 16  # units of u_vec and v_vec a luxel
MIPS = 4
