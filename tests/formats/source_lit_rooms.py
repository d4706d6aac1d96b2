# SPDX-License-Identifier: GPL-3.0-or-later
"""The rooms of `source_rooms` with all that is drawn: faces, light, an overlay, ambient light, normals."""

from collections.abc import Iterator

import numpy as np

from formats.source import Level, LumpId, read, write
from formats.source.records import SurfaceFlag
from formats.source.tables import geometry, lights, overlays, tree
from tests.formats.source_room import rows
from tests.formats.source_rooms import BEAM, BRUSHES, CRATE, EAST, ROOMS, rooms

E = LumpId
BUMPED, GLASS = 3, 4  # texinfos behind those of walls across x, y and z
LUXEL = 16.0  # units
SWITCHED = 32  # a style
Point = tuple[int, int, int]


def _rectangle(low: Point, high: Point, axis: int, ahead: bool) -> list[Point]:
    """A rectangle across an axis, clockwise seen from where it looks."""
    u, v = (axis + 1) % 3, (axis + 2) % 3
    corners = []
    for a, b in ((0, 0), (0, 1), (1, 1), (1, 0)):
        point = list(low)
        point[u], point[v] = (low, high)[a][u], (low, high)[b][v]
        corners.append(tuple(point))
    return corners if ahead else corners[::-1]


def drawn() -> Iterator[tuple[int, bool, list[Point]]]:
    """All faces: the axis, whether they look along it, and the corners. The floor of the east room goes round the
    crate, as of one that is part of the tree.
    """
    for room, (low, high) in enumerate(ROOMS):
        for axis in range(3):
            for end in (0, 1):
                at = [list(low), list(high)]
                at[0][axis] = at[1][axis] = (low, high)[end][axis]
                if (room, axis, end) == (EAST, 2, 0):
                    yield from _around(low, high)
                else:
                    yield axis, end == 0, _rectangle(tuple(at[0]), tuple(at[1]), axis, end == 0)
    for brush in (CRATE, BEAM):
        low, high = BRUSHES[brush]
        for axis in range(3):
            for end in (0, 1):
                if (axis, end) != (2, 0):
                    at = [list(low), list(high)]
                    at[0][axis] = at[1][axis] = (low, high)[end][axis]
                    yield axis, end == 1, _rectangle(tuple(at[0]), tuple(at[1]), axis, end == 1)


def _around(low: Point, high: Point) -> Iterator[tuple[int, bool, list[Point]]]:
    (x, y, _), (east, north, _) = BRUSHES[CRATE]
    for box in (
        ((low[0], low[1], 0), (x, high[1], 0)), ((east, low[1], 0), (high[0], high[1], 0)),
        ((x, low[1], 0), (east, y, 0)), ((x, north, 0), (east, high[1], 0)),
    ):  # fmt: skip
        yield 2, True, _rectangle(*box, 2, True)


def lit_rooms() -> Level:
    """The map, as read from its bytes."""
    level = rooms()
    _textures(level)
    faces = list(drawn())
    _faces(level, faces)
    _leafs(level, faces)
    return read(write(level))


def _textures(level: Level) -> None:
    vectors = [[(0, 1, 0, 0), (0, 0, -1, 0)], [(1, 0, 0, 0), (0, 0, -1, 0)], [(1, 0, 0, 0), (0, -1, 0, 0)]]
    made = [(v, np.array(v) / LUXEL, 0, 0) for v in vectors]
    made.append((vectors[2], np.array(vectors[2]) / LUXEL, int(SurfaceFlag.BUMPLIGHT), 0))
    made.append((vectors[1], np.array(vectors[1]) / LUXEL, int(SurfaceFlag.TRANS), 0))
    level.set_table(E.TEXINFO, rows(geometry.TEXINFO, *made))
    sides = level.table(E.BRUSHSIDES).copy()
    sides["texinfo"] = np.abs(level.table(E.PLANES)["normal"][sides["planenum"]]).argmax(axis=1)
    level.set_table(E.BRUSHSIDES, sides)


def _faces(level: Level, faces: list[tuple[int, bool, list[Point]]]) -> None:
    planes = level.table(E.PLANES)
    points = sorted({point for _, _, ring in faces for point in ring})
    level.set_table(E.VERTEXES, rows(geometry.VERTEX, point=points))
    edges = [(0, 0)] + [
        (points.index(ring[k]), points.index(ring[(k + 1) % 4])) for _, _, ring in faces for k in range(4)
    ]
    level.set_table(E.EDGES, rows(geometry.EDGE, v=edges))
    level.set_table(E.SURFEDGES, rows(geometry.SURFEDGE, edge=range(1, len(edges))))
    made = np.zeros(len(faces), geometry.FACE)
    for number, (axis, ahead, ring) in enumerate(faces):
        normal = np.eye(3)[axis] * (1 if ahead else -1)
        same = (planes["normal"] == normal).all(axis=1) & (planes["dist"] == np.array(ring[0]) @ normal)
        made["planenum"][number] = int(np.flatnonzero(same)[0])
        made["texinfo"][number] = axis
    made["side"], made["numedges"], made["firstedge"] = made["planenum"] & 1, 4, np.arange(len(faces)) * 4
    made["dispinfo"] = made["surface_fog_volume_id"] = -1
    made["orig_face"] = np.arange(len(faces))
    made["texinfo"][1] = BUMPED if faces[1][0] == 2 else made["texinfo"][1]
    made["styles"] = (0, 255, 255, 255)
    made["styles"][0, 1] = SWITCHED
    corners = np.array([ring for _, _, ring in faces], np.float64)
    vectors = level.table(E.TEXINFO)["lightmap_vecs"].astype(np.float64)[made["texinfo"]]
    placed = np.einsum("fki,fsi->fks", corners, vectors[:, :, :3])
    low, high = np.floor(placed.min(axis=1)), np.ceil(placed.max(axis=1))
    made["lightmap_mins"], made["lightmap_size"] = low, high - low
    luxels = (made["lightmap_size"] + 1).prod(axis=1)
    styles = (made["styles"] != 255).sum(axis=1)
    sizes = 4 * styles * (1 + luxels * np.where(made["texinfo"] == BUMPED, 4, 1))
    made["lightofs"] = np.cumsum(sizes) - sizes + 4 * styles
    for lump, seed in ((E.LIGHTING, 1), (E.LIGHTING_HDR, 2)):
        light = np.random.default_rng(seed).integers(1, 200, int(sizes.sum()), np.uint8)
        light[3::4] = 0
        level.set_bytes(lump, light.tobytes())
    for lump in (E.FACES, E.FACES_HDR, E.ORIGINALFACES):
        level.set_table(lump, made)
    level.set_table(E.FACEIDS, rows(geometry.FACEID, hammer_face_id=range(1, len(faces) + 1)))
    normals = planes["normal"][made["planenum"]]
    level.set_table(E.VERTNORMALS, rows(geometry.VERTNORMAL, normal=normals))
    level.set_table(E.VERTNORMALINDICES, rows(geometry.VERTNORMALINDEX, normal=np.repeat(np.arange(len(faces)), 4)))
    models = level.table(E.MODELS).copy()
    models["numfaces"] = len(faces)
    level.set_table(E.MODELS, models)
    overlay = rows(overlays.OVERLAY, id=[4], texinfo=[0], face_count_and_render_order=[2], u=[(0, 1)], v=[(0, 1)],
                   uv_points=[[(-8, -8, 0), (-8, 8, 1), (8, 8, 0), (8, -8, 0)]], origin=[(-256, 0, 64)],
                   basis_normal=[(1, 0, 0)])  # fmt: skip
    overlay["faces"][0, :2] = 0, len(faces) - 1
    level.set_table(E.OVERLAYS, overlay)


def _leafs(level: Level, faces: list[tuple[int, bool, list[Point]]]) -> None:
    """Lists of faces, ambient light at two points of each leaf, and how far water is."""
    leafs = level.table(E.LEAFS).copy()
    listed: list[int] = []
    for leaf in range(len(leafs)):
        first = len(listed)
        low, high = leafs["mins"][leaf], leafs["maxs"][leaf]
        for number, (axis, ahead, ring) in enumerate(faces) if not leafs["contents"][leaf] else ():
            bottom, top = np.min(ring, axis=0), np.max(ring, axis=0)
            u, v = (axis + 1) % 3, (axis + 2) % 3
            meets = all(bottom[n] < high[n] and low[n] < top[n] for n in (u, v))
            if meets and low[axis] < bottom[axis] + (0.5 if ahead else -0.5) < high[axis]:
                listed.append(number)
        leafs["firstleafface"][leaf] = 0 if leafs["contents"][leaf] else first
        leafs["numleaffaces"][leaf] = len(listed) - first
    level.set_table(E.LEAFS, leafs)
    level.set_table(E.LEAFFACES, rows(tree.LEAFFACE, face=listed))
    empty = leafs["contents"] == 0
    counts = np.where(empty, 2, 0)
    index = rows(lights.LEAF_AMBIENT_INDEX, count=counts, first=np.where(empty, np.cumsum(counts) - counts, 0))
    samples = np.zeros(int(counts.sum()), lights.LEAF_AMBIENT_LIGHTING)
    samples["x"], samples["y"], samples["z"] = np.tile([64, 192], len(samples) // 2), 128, 100
    samples["cube"]["rgb"] = np.arange(len(samples))[:, None, None]
    for lump, number in ((E.LEAF_AMBIENT_LIGHTING, E.LEAF_AMBIENT_INDEX),
                         (E.LEAF_AMBIENT_LIGHTING_HDR, E.LEAF_AMBIENT_INDEX_HDR)):  # fmt: skip
        level.set_table(lump, samples)
        level.file.entries["version"][lump] = 1
        level.set_table(number, index)
    level.set_table(E.LEAFMINDISTTOWATER, rows(tree.LEAFMINDISTTOWATER, distance=np.arange(len(leafs))))
