# SPDX-License-Identifier: GPL-3.0-or-later
"""The rooms of `source_lit_rooms` with displacements on sides of brushes: two on the crate, one on the beam."""

import numpy as np

from formats.source import Level, LumpId, check, read, write
from formats.source.collision import physcollide
from formats.source.edits.changes import Changes
from formats.source.tables import displacements as disp
from formats.source.world.face_rows import put_lists
from tests.formats.source_lit_rooms import lit_rooms
from tests.formats.source_room import rows
from tests.formats.source_rooms import BEAM, CRATE

E = LumpId
TOP, SIDE, OTHER = 0, 1, 2
"""The displacements: on the crate's top, on its side that looks along x, and on the beam's top."""
BESIDE, ABOVE = 1, 5  # sides of brushes of the rooms: along x, along z
VERTS, TRIS = 25, 32
HULLS = [b"top", b"side!", b"beam"]
SAMPLES = [8, 12, 16]  # bytes


def face_of(level: Level, brush: int, side: int) -> int:
    """The one face on a side."""
    plane = level.table(E.BRUSHSIDES)["planenum"][6 * brush + side]
    return int(np.flatnonzero(level.table(E.FACES)["planenum"] == plane)[0])


def displaced_rooms() -> Level:
    """The map, as read from its bytes."""
    level = lit_rooms()
    faces = [face_of(level, CRATE, ABOVE), face_of(level, CRATE, BESIDE), face_of(level, BEAM, ABOVE)]
    for lump in (E.FACES, E.FACES_HDR):
        table = level.table(lump).copy()
        table["dispinfo"][faces] = range(3)
        level.set_table(lump, table)
    first = level.table(E.FACES)["firstedge"][faces]
    starts = level.table(E.EDGES)["v"][level.table(E.SURFEDGES)["edge"][first], 0]
    infos = rows(
        disp.DISPINFO, start_position=level.table(E.VERTEXES)["point"][starts], map_face=faces, power=[2] * 3,
        disp_vert_start=np.arange(3) * VERTS, disp_tri_start=np.arange(3) * TRIS, pad=[b"\xcd\xcd"] * 3,
        allowed_verts=np.full((3, 10), 0xFFFFFFFF),
        lightmap_sample_position_start=np.cumsum([0, *SAMPLES[:2]]), lightmap_alpha_start=np.cumsum([0, *SAMPLES[:2]]),
    )  # fmt: skip
    edges, corners = infos["edge_neighbors"], infos["corner_neighbors"]
    edges["neighbor"] = disp.NO_NEIGHBOR
    for one, other, edge in ((TOP, SIDE, 0), (SIDE, TOP, 2), (TOP, OTHER, 1), (OTHER, TOP, 3)):
        edges["neighbor"][one, edge, 0] = other
    corners["neighbors"][TOP, 0], corners["count"][TOP, 0] = (OTHER, SIDE, 7, 7), 2
    corners["neighbors"][OTHER, 2], corners["count"][OTHER, 2] = (TOP, 7, 7, 7), 1
    level.set_table(E.DISPINFO, infos)
    random = np.random.default_rng(1)
    ways = random.normal(size=(3 * VERTS, 3))
    ways /= np.sqrt((ways * ways).sum(axis=1, keepdims=True))
    verts = rows(disp.DISPVERT, vec=ways, dist=random.uniform(0, 4, 3 * VERTS), alpha=np.arange(3 * VERTS))
    level.set_table(E.DISP_VERTS, verts)
    level.set_table(E.DISP_TRIS, rows(disp.DISPTRI, tags=np.arange(3 * TRIS)))
    bytes_of = np.repeat(np.arange(3, dtype=np.uint8), SAMPLES).tobytes()
    level.set_bytes(E.DISP_LIGHTMAP_SAMPLE_POSITIONS, bytes_of)
    level.set_bytes(E.DISP_LIGHTMAP_ALPHAS, bytes_of)
    level.set_bytes(E.PHYSDISP, physcollide.encode_displacements(list(HULLS), "<"))
    _unlist(level, faces)
    overlay = level.table(E.OVERLAYS).copy()
    overlay["faces"][0, :2] = 0, faces[TOP]
    level.set_table(E.OVERLAYS, overlay)
    made = read(write(level))
    assert check(made) == []
    return made


def _unlist(level: Level, faces: list[int]) -> None:
    """Have no leaf list displaced faces, as compilers leave them out."""
    changes, leafs = Changes(level), level.table(E.LEAFS)
    listed = level.table(E.LEAFFACES)["face"]
    lists = [listed[row["firstleafface"] :][: row["numleaffaces"]] for row in leafs]
    lists = [own[~np.isin(own, faces)] for own in lists]
    put_lists(changes, np.array([len(own) for own in lists]), np.concatenate(lists).astype(np.int64))
    changes.apply()
