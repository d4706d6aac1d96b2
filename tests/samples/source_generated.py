# SPDX-License-Identifier: GPL-3.0-or-later
"""A Source map made on the spot for benchmarks: as big as wanted, the same for the same arguments."""

from __future__ import annotations

import struct

import numpy as np

from formats import source
from formats.source import LumpId, new_level
from formats.source.content import vvd
from formats.source.records import NO_STYLE
from formats.source.tables import geometry
from tests.formats import source_model_bytes as model_bytes

MATERIALS, MAPPINGS = 8, 16
"""How many materials the faces have, and in how many ways the texture of each lies."""
VERSION, EDGES_VERSION, FACES_VERSION = 25, 1, 2
"""Of Strata, whose maps may have more than 65536 vertices."""


def ground(side: int) -> bytes:
    """A waved floor of side x side faces with four corners each, of several materials and smoothing groups."""
    header = bytearray(source.write(new_level()))
    struct.pack_into("<i", header, 4, VERSION)
    for lump, version in ((LumpId.EDGES, EDGES_VERSION), (LumpId.FACES, FACES_VERSION)):
        struct.pack_into("<i", header, 8 + 16 * lump + 8, version)
    level = source.read(bytes(header))

    y, x = (axis.ravel() for axis in np.mgrid[0 : side + 1, 0 : side + 1])
    vertices = np.zeros(len(x), geometry.VERTEX)
    vertices["point"] = np.column_stack([x * 16, y * 16, (x * 7 + y * 13) % 32])
    level.set_table(LumpId.VERTEXES, vertices)
    point = np.arange(len(x)).reshape(side + 1, side + 1)
    across = np.column_stack([point[:, :-1].ravel(), point[:, 1:].ravel()])
    along = np.column_stack([point[:-1].ravel(), point[1:].ravel()])
    edges = np.zeros(1 + len(across) + len(along), geometry.EDGE_32)
    edges["v"][1:] = np.concatenate([across, along])
    level.set_table(LumpId.EDGES, edges)
    number = np.arange(1, 1 + len(across)).reshape(side + 1, side)
    beside = np.arange(1 + len(across), len(edges)).reshape(side, side + 1)
    loops = np.stack([beside[:, :-1], number[1:], -beside[:, 1:], -number[:-1]], axis=2)  # with the clock
    surfedges = np.zeros(loops.size, geometry.SURFEDGE)
    surfedges["edge"] = loops.ravel()
    level.set_table(LumpId.SURFEDGES, surfedges)

    planes = np.zeros(2, geometry.PLANE)
    planes["normal"] = [(0, 0, 1), (0, 0, -1)]
    level.set_table(LumpId.PLANES, planes)
    faces = np.zeros(side * side, geometry.FACE_STRATA)
    faces["firstedge"], faces["numedges"] = np.arange(side * side) * 4, 4
    faces["texinfo"] = np.arange(side * side) // 50 % (MATERIALS * MAPPINGS)
    faces["dispinfo"] = faces["lightofs"] = faces["orig_face"] = -1
    faces["styles"], faces["smoothing_groups"] = NO_STYLE, 1 + np.arange(side * side) // 1000 % 4
    level.set_table(LumpId.FACES, faces)
    models = np.zeros(1, geometry.MODEL)
    models["numfaces"] = len(faces)
    level.set_table(LumpId.MODELS, models)

    texinfos = np.zeros(MATERIALS * MAPPINGS, geometry.TEXINFO)
    scale = 1 + np.arange(len(texinfos)) // MATERIALS / 4
    texinfos["texture_vecs"][:, 0, 0] = texinfos["texture_vecs"][:, 1, 1] = scale
    texinfos["texdata"] = np.arange(len(texinfos)) % MATERIALS
    level.set_table(LumpId.TEXINFO, texinfos)
    names = [f"generated/ground_{number}".encode("ascii") + b"\0" for number in range(MATERIALS)]
    texdata = np.zeros(MATERIALS, geometry.TEXDATA)
    texdata["reflectivity"], texdata["name_string_table_id"] = 0.4, np.arange(MATERIALS)
    texdata["width"] = texdata["height"] = 256
    level.set_table(LumpId.TEXDATA, texdata)
    level.set_bytes(LumpId.TEXDATA_STRING_DATA, b"".join(names))
    table = np.zeros(MATERIALS, geometry.TEXDATA_STRING)
    table["offset"] = np.cumsum([0, *map(len, names[:-1])])
    level.set_table(LumpId.TEXDATA_STRING_TABLE, table)
    return source.write(level)


def model(size: int) -> dict[str, bytes]:
    """A model of about so many bytes of vertices, as its three files by their endings: a strip of squares that turns.

    As many meshes as it takes: each has up to 60,000 vertices, since triangles have numbers of 16 bits.
    """
    vertex, group = 48, 60000
    meshes = max(size // (vertex * group), 1) if size >= vertex * group else 1
    count = meshes * group if size >= vertex * group else max(size // vertex // 4 * 4, 4)
    each = count // meshes
    parts = [[[(0, number * each, each) for number in range(meshes)]]]
    corners = np.array([0, 1, 2, 0, 2, 3])
    indices = (np.arange(each // 4)[:, None] * 4 + corners).ravel().astype("<u2").tobytes()
    turn = np.arange(count) // 4 / 50
    vertices = np.zeros(count, vvd.VERTEX)
    vertices["weights"][:, 0], vertices["bone_count"] = 1, 1
    side = np.array([[0, 0], [0, 1], [1, 1], [1, 0]])[np.arange(count) % 4]
    vertices["position"] = np.column_stack([np.cos(turn) * (8 + side[:, 0]), np.sin(turn) * 8, turn + side[:, 1]])
    vertices["normal"], vertices["uv"] = (0, 0, 1), side
    head = model_bytes.vvd([])
    head = head[:16] + struct.pack("<8i", *[count] * 8) + head[48:64]
    return {
        ".mdl": model_bytes.mdl(parts),
        ".vvd": head + vertices.tobytes(),
        ".dx90.vtx": model_bytes.vtx_of_lists(meshes, each, indices),
    }


def props(count: int, models: int, size: int = 200_000, lit: bool = False) -> bytes:
    """A map of so many static props, in turn of so many models of about so many bytes, which are in its pak. lit: each
    with light of its own in its vertices.
    """
    level = new_level()
    files = model(size)
    for number in range(models):
        for ending, data in files.items():
            level.pak.put(f"models/m{number}{ending}", data)
    vertices = struct.unpack_from("<i", files[".vvd"], 16)[0]
    light = model_bytes.vhv([(0, [(number % 256, 128, 64) for number in range(vertices)])]) if lit else b""
    for number in range(count if lit else 0):
        level.pak.put(f"sp_{number}.vhv", light)
    names = b"".join(f"models/m{number}.mdl".encode().ljust(128, b"\0") for number in range(models))
    lump = struct.pack("<i", models) + names + struct.pack("<ii", 0, count)
    for number in range(count):
        x, y = number % 40 * 64.0, number // 40 * 64.0
        lump += struct.pack("<6f3HBBHH2f3ff", x, y, 0, 0, number % 360, 0, number % models, 0, 0, 6, 0, 0, 0, -1, 0,
                            x, y, 0, 1.0)  # fmt: skip
    level.game_lumps.set_bytes("sprp", lump, 5)
    return source.write(level)
