# SPDX-License-Identifier: GPL-3.0-or-later
"""A small map where everything fits together, for edits: a room of two leafs that are parted at x = 0.

Its floor is two displacements; a wall has an overlay, all faces have lightmaps (one of them bumped), in LDR and HDR;
three props, two cubemaps with their files, a material that was patched for one of them, world lights.
"""

from collections.abc import Mapping

import numpy as np

from formats.source import Level, LumpId, new_level, read, write
from formats.source.entities.text import Entity
from formats.source.records import SurfaceFlag
from formats.source.tables import displacements as disp
from formats.source.tables import geometry, lights, overlays, props, tree

FLOOR_LEFT, FLOOR_RIGHT, CEILING_LEFT, CEILING_RIGHT, WEST, EAST, SOUTH_LEFT, SOUTH_RIGHT, NORTH_LEFT, NORTH_RIGHT = (
    range(10)
)
PLANES = [((0, 0, 1), 0), ((0, 0, 1), 128), ((1, 0, 0), -256), ((1, 0, 0), 256), ((0, 1, 0), -128), ((0, 1, 0), 128),
          ((1, 0, 0), 0), ((0, 0, 1), -16), ((1, 0, 0), -272)]  # fmt: skip
LEFT_LEAF, RIGHT_LEAF = 1, 2
SIDE = 5  # vertices of a displacement
FILES = {
    "materials/maps/room/dev/wall_10_20_30.vmt": b'"patch"\n{\n"replace"\n{\n"$envmap" "maps/room/c10_20_30"\n}\n}\n',
    "materials/maps/room/c10_20_30.vtf": b"ldr one",
    "materials/maps/room/c10_20_30.hdr.vtf": b"hdr one",
    "materials/maps/room/c50_60_70.vtf": b"ldr two",
    "sp_0.vhv": b"light of 0",
    "sp_1.vhv": b"light of 1",
    "sp_2.vhv": b"light of 2",
    "sp_hdr_2.vhv": b"hdr light of 2",
    "texelslighting_2.ppl": b"texels of 2",
}  # fmt: skip
PROP_FIELDS = {"origin": (-200, 0, 8), "lighting_origin": (-200, 0, 20), "solid": 6, "leaf_count": 1}


def rows(dtype, *values, **columns) -> np.ndarray:
    """Records of tuples, or of columns."""
    count = len(values) or max(len(column) for column in columns.values())
    made = np.zeros(count, dtype)
    for number, value in enumerate(values):
        made[number] = value
    for name, column in columns.items():
        made[name] = column
    return made


def _faces() -> tuple[list[tuple[int, list[tuple[int, int, int]]]], list[tuple[int, int, int]]]:
    """Plane and corners of each face, clockwise from the front; all corners."""
    planes = [0, 0, 3, 3, 4, 7, 8, 8, 11, 11]
    halves = [(-256, 0), (0, 256)]
    made = []
    for number, plane in enumerate(planes):
        left, right = halves[number % 2]
        if plane in (0, 3):
            z = 0 if plane == 0 else 128
            quad = [(left, -128, z), (right, -128, z), (right, 128, z), (left, 128, z)]
        elif plane in (4, 7):
            x = -256 if plane == 4 else 256
            quad = [(x, -128, 0), (x, 128, 0), (x, 128, 128), (x, -128, 128)]
        else:
            y = -128 if plane == 8 else 128
            quad = [(left, y, 0), (right, y, 0), (right, y, 128), (left, y, 128)]
        normal = np.array(PLANES[plane // 2][0]) * (1 if plane % 2 == 0 else -1)
        a, b, c = (np.array(point) for point in quad[:3])
        if np.cross(b - a, c - b) @ normal > 0:
            quad.reverse()
        made.append((plane, quad))
    return made, sorted({point for _, quad in made for point in quad})


def room(prop_version: int = 6, prop=props.PROP_V6) -> Level:
    """The map, as read from its bytes; its props have the record `prop`."""
    level = new_level(revision=3)
    faces, points = _faces()
    planes = [(sign * np.array(normal), sign * dist) for normal, dist in PLANES for sign in (1, -1)]
    level.set_table(LumpId.PLANES, rows(geometry.PLANE, normal=[p for p, _ in planes], dist=[d for _, d in planes]))
    level.set_table(LumpId.VERTEXES, rows(geometry.VERTEX, point=points))
    edges = [(0, 0)]
    for _, quad in faces:
        edges += [(points.index(quad[k]), points.index(quad[(k + 1) % 4])) for k in range(4)]
    level.set_table(LumpId.EDGES, rows(geometry.EDGE, v=edges))
    level.set_table(LumpId.SURFEDGES, rows(geometry.SURFEDGE, edge=range(1, len(edges))))

    bump = [4 if number == EAST else 1 for number in range(10)]  # lightmaps of 2 x 2 luxels, an average before them
    offsets = np.cumsum([0] + [4 + 16 * many for many in bump])
    drawn = rows(
        geometry.FACE,
        planenum=[plane for plane, _ in faces], side=[plane & 1 for plane, _ in faces], firstedge=np.arange(10) * 4,
        numedges=[4] * 10, texinfo=[0, 0, 0, 0, 1, 2, 1, 1, 1, 1], dispinfo=[0, 1] + [-1] * 8,
        styles=[(0, 255, 255, 255)] * 10, lightofs=offsets[:-1] + 4, lightmap_size=[(1, 1)] * 10,
        orig_face=range(10), surface_fog_volume_id=[-1] * 10,
    )  # fmt: skip
    for lump in (LumpId.FACES, LumpId.FACES_HDR, LumpId.ORIGINALFACES):
        level.set_table(lump, drawn)
    luxels = np.arange(int(offsets[-1]), dtype=np.uint8) % 100 + 60
    luxels[3::4] = 0
    level.set_bytes(LumpId.LIGHTING, luxels.tobytes())
    level.set_bytes(LumpId.LIGHTING_HDR, luxels.tobytes())

    flat, wall, nowhere = [(1, 0, 0, 5), (0, -1, 0, 7)], [(0.5, 0.5, 0, 1), (0, 0, -1, 2)], [(0, 0, 0, -99999.0)] * 2
    texinfos = [
        (flat, flat, 0, 0),
        (wall, wall, 0, 1),
        (wall, wall, SurfaceFlag.BUMPLIGHT, 1),
        (nowhere, nowhere, 0, 0),
    ]
    level.set_table(LumpId.TEXINFO, rows(geometry.TEXINFO, *texinfos))
    level.set_table(LumpId.TEXDATA, rows(geometry.TEXDATA, *[((0.5,) * 3, n, 64, 64, 64, 64) for n in range(2)]))
    level.set_bytes(LumpId.TEXDATA_STRING_DATA, b"dev/floor\0maps/room/dev/wall_10_20_30\0")
    level.set_table(LumpId.TEXDATA_STRING_TABLE, rows(geometry.TEXDATA_STRING, offset=[0, 10]))

    chain = [4, 7, 8, 11, 0, 3]  # what is behind one of the outer planes is solid
    nodes = [(plane, (n + 1, -1), (-256,) * 3, (256,) * 3, 0, 0, 0, b"") for n, plane in enumerate(chain)]
    nodes.append((12, (-1 - RIGHT_LEAF, -1 - LEFT_LEAF), (-256,) * 3, (256,) * 3, 0, 10, 0, b""))
    level.set_table(LumpId.NODES, rows(tree.NODE, *nodes))
    leafs = rows(
        tree.LEAF, contents=[1, 0, 0], cluster=[-1, 0, 1], mins=[(0, 0, 0), (-256, -128, 0), (0, -128, 0)],
        maxs=[(0, 0, 0), (0, 128, 128), (256, 128, 128)], numleafbrushes=[2, 0, 0], leaf_water_data_id=[-1] * 3,
    )  # fmt: skip
    level.set_table(LumpId.LEAFS, leafs)
    level.set_table(LumpId.LEAFBRUSHES, rows(tree.LEAFBRUSH, brush=[0, 1]))
    level.set_table(LumpId.BRUSHES, rows(geometry.BRUSH, (0, 6, 1), (6, 6, 1)))  # below the floor, behind the west wall
    sides = [(0, 0), (15, 0), (5, 0), (6, 0), (9, 0), (10, 0), (4, 1), (17, 1), (9, 1), (10, 1), (1, 1), (2, 1)]
    level.set_table(
        LumpId.BRUSHSIDES, rows(geometry.BRUSHSIDE, planenum=[p for p, _ in sides], texinfo=[t for _, t in sides])
    )
    level.set_table(LumpId.MODELS, rows(geometry.MODEL, ((-256, -128, 0), (256, 128, 128), (0, 0, 0), 0, 0, 10)))

    infos = rows(
        disp.DISPINFO, start_position=[(-256, -128, 0), (0, -128, 0)], disp_vert_start=[0, SIDE**2],
        disp_tri_start=[0, 32], power=[2, 2], map_face=[0, 1], pad=[b"\xcd\xcd"] * 2,
        allowed_verts=np.full((2, 10), 0xFFFFFFFF),
    )  # fmt: skip
    infos["edge_neighbors"]["neighbor"] = disp.NO_NEIGHBOR
    level.set_table(LumpId.DISPINFO, infos)
    level.set_table(LumpId.DISP_VERTS, rows(disp.DISPVERT, alpha=np.full(2 * SIDE**2, 10)))
    level.set_table(LumpId.DISP_TRIS, rows(disp.DISPTRI, tags=[2] * 64))
    level.set_bytes(LumpId.PHYSDISP, np.array([2, 3, 3], "<u2").tobytes() + b"hulls!")

    square = [(-16, -16, 1), (-16, 16, 0), (16, 16, 0), (16, -16, 0)]  # basis U is +x
    overlay = rows(overlays.OVERLAY, id=[4], texinfo=[3], face_count_and_render_order=[1], u=[(0, 1)], v=[(0, 1)],
                   uv_points=[square], origin=[(-100, 128, 64)], basis_normal=[(0, -1, 0)])  # fmt: skip
    overlay["faces"][0, 0] = NORTH_LEFT
    level.set_table(LumpId.OVERLAYS, overlay)
    level.set_table(LumpId.OVERLAY_FADES, rows(overlays.OVERLAY_FADE, (-1, 0)))
    level.set_table(LumpId.CUBEMAPS, rows(tree.CUBEMAP, ((10, 20, 30), 0, b""), ((50, 60, 70), 6, b"")))
    for lump in (LumpId.WORLDLIGHTS, LumpId.WORLDLIGHTS_HDR):
        lamps = rows(lights.WORLDLIGHT, origin=[(-100, 0, 100), (100, 0, 100)], intensity=[(9, 9, 9)] * 2,
                     cluster=[0, 1], type=[1, 1])  # fmt: skip
        level.set_table(lump, lamps)

    three = np.zeros(3, prop)
    for name, value in PROP_FIELDS.items():
        if name in (prop.names or ()):
            three[name] = value
    three["first_leaf"] = range(3)
    for name in ("pad", "unused"):  # whatever lay in the compiler's memory
        if name in (prop.names or ()):
            three[name] = np.frombuffer(bytes([0xCD]) * three.dtype[name].itemsize, three.dtype[name])[0]
    names = b"models/a.mdl".ljust(128, b"\0") + b"models/b.mdl\0".ljust(128, b"\xee")
    wide = "<i4" if prop_version >= 12 else "<u2"
    level.game_lumps.set_bytes(
        "sprp",
        b"".join((np.int32(2).tobytes(), names, np.int32(3).tobytes(), np.full(3, LEFT_LEAF, wide).tobytes(),
                  np.int32(3).tobytes(), three.tobytes())),
        prop_version,
    )  # fmt: skip
    for name, data in FILES.items():
        level.pak.put(name, data)
    level.entities[0].set("skyname", "sky")
    level.entities.append(Entity([("classname", "light"), ("origin", "0 0 100"), ("OnUser1", "a,Kill,,0,-1")]))
    level.entities.append(Entity([("classname", "info_target"), ("targetname", "a")]))
    return read(write(level))


def room_with_scales(version: int, scales: Mapping[int, tuple[float, float, float]]) -> Level:
    """The room as Vindictus has it, whose props of versions 6 and 7 have a list of scales: those of some, by number."""
    level = room(version, props.STATIC_PROPS[version, 60 if version == 6 else 64])
    listed = rows(props.PROP_SCALE, prop=list(scales), scale=list(scales.values()))
    assert level.static_props is not None
    level.static_props.scales = listed
    return read(write(level))


def with_normals(level: Level | None = None) -> Level:
    """The room with normals: all faces are flat, one row of VERTNORMALS for each."""
    level = room() if level is None else level
    faces, planes = level.table(LumpId.FACES), level.table(LumpId.PLANES)
    level.set_table(LumpId.VERTNORMALS, rows(geometry.VERTNORMAL, normal=planes["normal"][faces["planenum"]]))
    numbers = np.repeat(np.arange(len(faces)), faces["numedges"])
    level.set_table(LumpId.VERTNORMALINDICES, rows(geometry.VERTNORMALINDEX, normal=numbers))
    return read(write(level))
