# SPDX-License-Identifier: GPL-3.0-or-later
"""The room of `source_room` with a door in it: model 1, a box that its entity places, with all that a compiler makes.

Its tree is one that no compiler would make, a node and two leafs, so that the box needs more of both.
"""

import numpy as np

from formats.source import Level, LumpId, PhysModel, read, write
from formats.source.collision import physcollide_build
from formats.source.collision.physcollide_surface import Hull
from formats.source.entities.text import Entity
from formats.source.tables import geometry, tree
from tests.formats.source_room import room, rows

LOW, HIGH = (-4, -24, 0), (4, 24, 96)
MASS = "64.000000"


def box(low, high) -> np.ndarray:
    """The corners of a box, float64[6, 4, 3]: the sides -x, +x, -y, +y, -z, +z, clockwise seen from outside."""
    sides = []
    for axis in range(3):
        for end in (low, high):
            u, v = (axis + 1) % 3, (axis + 2) % 3
            ring = []
            for a, b in ((low, low), (low, high), (high, high), (high, low)):
                point = [0.0, 0.0, 0.0]
                point[axis], point[u], point[v] = end[axis], a[u], b[v]
                ring.append(point)
            sides.append(ring if end is high else ring[::-1])
    return np.array(sides, np.float64)


def with_door(level: Level | None = None, drawn: bool = True, classname: str = "func_door") -> Level:
    """The room with the door, as read from its bytes. drawn: whether it has faces; triggers have none."""
    level = room() if level is None else level

    def append(lump, records) -> int:
        old = level.table(lump)
        level.set_table(lump, np.concatenate([old, records.astype(old.dtype)]))
        return len(old)

    pairs = [(sign * np.eye(3)[axis], sign * end[axis]) for axis in range(3) for end in (LOW, HIGH) for sign in (1, -1)]
    planes = append(
        LumpId.PLANES,
        rows(geometry.PLANE, normal=[n for n, _ in pairs], dist=[d for _, d in pairs], type=np.arange(12) // 4),
    )
    numbers = planes + np.array([1, 2, 5, 6, 9, 10])  # those that look outwards
    corners = box(LOW, HIGH)
    points, used = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    first_vertex = append(LumpId.VERTEXES, rows(geometry.VERTEX, point=points))
    rings = used.reshape(6, 4) + first_vertex
    ends = np.stack([rings, np.roll(rings, -1, axis=1)], axis=2).reshape(-1, 2)
    first_edge = append(LumpId.EDGES, rows(geometry.EDGE, v=ends))
    surfedges = append(LumpId.SURFEDGES, rows(geometry.SURFEDGE, edge=first_edge + np.arange(24)))
    lit = level.table(LumpId.FACES)[8]
    made = np.zeros(6, level.table(LumpId.FACES).dtype)
    made[:] = lit
    made["planenum"], made["side"], made["on_node"] = numbers, numbers & 1, 1
    made["firstedge"] = surfedges + 4 * np.arange(6)
    made["orig_face"] = len(level.table(LumpId.ORIGINALFACES)) + np.arange(6)
    made["area"] = [48 * 96, 48 * 96, 8 * 96, 8 * 96, 8 * 48, 8 * 48]
    count = 6 if drawn else 0
    faces = len(level.table(LumpId.FACES))
    for lump in (LumpId.FACES, LumpId.FACES_HDR, LumpId.ORIGINALFACES):
        append(lump, made[:count])
    total = len(level.table(LumpId.FACES))
    level.set_table(LumpId.FACEIDS, rows(geometry.FACEID, hammer_face_id=np.arange(total) + 100))
    level.set_table(LumpId.VERTNORMALS, rows(geometry.VERTNORMAL, normal=[(0, 0, 1)]))
    corners_of_faces = int(level.table(LumpId.FACES)["numedges"].sum())
    level.set_table(LumpId.VERTNORMALINDICES, np.zeros(corners_of_faces, geometry.VERTNORMALINDEX))

    sides = append(
        LumpId.BRUSHSIDES, rows(geometry.BRUSHSIDE, planenum=numbers, texinfo=np.full(6, 1), dispinfo=np.zeros(6))
    )
    brush = append(LumpId.BRUSHES, rows(geometry.BRUSH, (sides, 6, 1)))
    leaf_brush = append(LumpId.LEAFBRUSHES, rows(tree.LEAFBRUSH, brush=[brush]))
    leaf_face = append(LumpId.LEAFFACES, rows(tree.LEAFFACE, face=faces + np.arange(count)))
    leafs = rows(
        tree.LEAF, contents=[0, 1], cluster=[-1, -1], mins=[LOW, LOW], maxs=[HIGH, HIGH], leaf_water_data_id=[-1, -1],
        numleaffaces=[count, 0], firstleafface=[leaf_face, 0], numleafbrushes=[0, 1], firstleafbrush=[0, leaf_brush],
    )  # fmt: skip
    leaf = append(LumpId.LEAFS, leafs)
    node = append(
        LumpId.NODES,
        rows(tree.NODE, (int(numbers[1]), (-1 - leaf, -2 - leaf), LOW, HIGH, faces, count, 0, b"")),
    )
    model = append(LumpId.MODELS, rows(geometry.MODEL, (LOW, HIGH, (0, 0, 0), node, faces, count)))
    level.set_table(LumpId.LEAFMINDISTTOWATER, rows(tree.LEAFMINDISTTOWATER, distance=np.full(leaf + 2, 65535)))
    shrunk = box(np.array(LOW) + 0.5, np.array(HIGH) - 0.5)
    level.physcollide.models.append(PhysModel(model, [physcollide_build.build([hull_of(shrunk, brush)])], keys(MASS)))
    level.entities.append(
        Entity([("classname", classname), ("model", f"*{model}"), ("origin", "32 0 0"), ("targetname", "door")])
    )
    return read(write(level))


def with_trigger(level: Level | None = None) -> Level:
    """The room with a trigger in the door's place: the same without faces."""
    return with_door(level, drawn=False, classname="trigger_multiple")


def with_doors() -> Level:
    """The room with two doors in one place, models 1 and 2."""
    return with_door(with_door())


def hull_of(sides: np.ndarray, brush: int = 0) -> Hull:
    """The hull of a box's sides, as `box` has them."""
    points, used = np.unique(sides.reshape(-1, 3), axis=0, return_inverse=True)
    rings = used.reshape(-1, 4)[:, ::-1]
    return Hull(points, np.concatenate([rings[:, [0, 1, 2]], rings[:, [0, 2, 3]]]), brush)


def keys(mass: str) -> bytes:
    """The key-values that compilers write."""
    return f'solid {{\n"index" "0"\n"mass" "{mass}"\n"surfaceprop" "wood"\n"volume" "31255.000000"\n}}\n\0'.encode()
