# SPDX-License-Identifier: GPL-3.0-or-later
"""The records of `.level` files as tables, and the numbers that mean something (ns2.md §2, §3).

Little endian, packed. Lengths are metres, Y is up, right-handed; angles are radians. Booleans are u32 0 or 1, except
the two bytes that versions from 9 on put behind vertices and edges.
"""

from enum import IntEnum

import numpy as np
import numpy.typing as npt

from ..arrays import Records

MAGIC = b"LVL"
VERSION = 10  # what the editor has written since 2013
NO_GROUP = 0xFFFFFFFF  # of objects and faces; objects of version 4 have 0
NO_MAPPING_GROUP = 0xFFFFFFFF
LAYER_FORMAT = 2  # what layer masks begin with from version 6 on
MASK_WORDS = 8  # a layer mask is 256 bits: bit k is the layer of id k


class ChunkId(IntEnum):
    """Chunks of a level; `LEVEL_ORDER` is the order in which the editor writes them."""

    OBJECT = 1  # one chunk an object
    MESH = 2
    LAYERS = 3
    VIEWPORTS = 4
    GROUPS = 5
    CUSTOM_COLORS = 6
    EDITOR_SETTINGS = 7


class MeshChunkId(IntEnum):
    """Chunks inside the mesh; `MESH_ORDER` is the order in which the editor writes them."""

    VERTICES = 1
    EDGES = 2
    FACES = 3
    MATERIALS = 4
    TRIANGLES = 5
    FACE_LAYERS = 6
    MAPPING_GROUPS = 7
    GEOMETRY_GROUPS = 8


LEVEL_ORDER = (2, 1, 3, 5, 4, 6, 7)
MESH_ORDER = (4, 1, 2, 3, 6, 7, 8, 5)


class PropertyType(IntEnum):
    """Types of the properties of objects."""

    STRING = 0
    BOOL = 1
    REAL = 2  # floats: so are the other types marked with *
    INTEGER = 3
    FILE_NAME = 4
    COLOR = 5  # * red, green, blue
    PERCENTAGE = 6  # * in no known level
    ANGLE = 7  # * one, or roll, pitch and yaw
    TIME = 8  # * in no known level
    DISTANCE = 9  # * metres: one, or a point
    CHOICE = 10


FLOAT_TYPES = frozenset({2, 5, 6, 7, 8, 9})
TEXT_TYPES = frozenset({0, 4})
INT_TYPES = frozenset({1, 3, 10})

VERTEX12 = np.dtype([("position", "<f4", (3,))])  # versions before 9
VERTEX13 = np.dtype([("position", "<f4", (3,)), ("flag", "u1")])  # flag: 0 or 1, means nothing that is known

EDGE8 = np.dtype([("vertices", "<u4", (2,))])  # versions before 9
EDGE9 = np.dtype([("vertices", "<u4", (2,)), ("smooth", "u1")])

# The fixed part of a face: behind it stand the number of inner loops, the border loop and the inner loops.
FACE = np.dtype(
    [
        ("angle", "<f4"),  # of the texture, radians
        ("offset", "<f4", (2,)),  # repeats
        ("scale", "<f4", (2,)),  # repeats a metre
        ("mapping_group", "<u4"),  # id, or NO_MAPPING_GROUP
        ("material", "<u4"),  # number in the list of materials
    ]
)

# One step of a loop: it starts at edge.vertices[flipped] and ends at edge.vertices[1 - flipped].
MEMBER = np.dtype([("flipped", "<u4"), ("edge", "<u4")])

MAPPING_GROUP = np.dtype(
    [
        ("id", "<u4"),  # unique, not dense
        ("angle", "<f4"),
        ("scale", "<f4", (2,)),  # before offset: a face has them the other way round
        ("offset", "<f4", (2,)),
        ("normal", "<f4", (3,)),
    ]
)

# Vertex numbers from the number of vertices on are ghosts; a normal's number that is the number of normals is none.
TRIANGLE3 = np.dtype([("vertices", "<u4", (3,))])  # versions before 9
TRIANGLE6 = np.dtype([("vertices", "<u4", (3,)), ("normals", "<u4", (3,))])


def new_vertices(positions: npt.ArrayLike, flag: int = 1) -> Records:
    """VERTEX13 records at `positions` [n, 3] (metres, level axes)."""
    points = np.asarray(positions, np.float32).reshape(-1, 3)
    vertices = np.zeros(len(points), VERTEX13)
    vertices["position"] = points
    vertices["flag"] = flag
    return vertices


def new_edges(vertices: npt.ArrayLike, smooth: npt.ArrayLike = 0) -> Records:
    """EDGE9 records between `vertices` [n, 2]."""
    pairs = np.asarray(vertices, np.uint32).reshape(-1, 2)
    edges = np.zeros(len(pairs), EDGE9)
    edges["vertices"] = pairs
    edges["smooth"] = smooth
    return edges


def new_faces(count: int) -> Records:
    """FACE [count] with the scale 1 repeat a metre, material 0 and no mapping group."""
    faces = np.zeros(count, FACE)
    faces["scale"] = 1
    faces["mapping_group"] = NO_MAPPING_GROUP
    return faces


def mask_of(layers: "list[int] | tuple[int, ...]") -> int:
    """The layer mask of layer ids. Raises ValueError for an id that has no bit."""
    mask = 0
    for layer in layers:
        if not 0 <= layer < 32 * MASK_WORDS:
            raise ValueError(f"layer id {layer}: masks have bits for 0 to {32 * MASK_WORDS - 1}")
        mask |= 1 << layer
    return mask


def layers_of(mask: int | None) -> list[int]:
    """The layer ids in a mask (None: in no layer), ascending."""
    return [layer for layer in range(32 * MASK_WORDS) if mask and mask >> layer & 1]
