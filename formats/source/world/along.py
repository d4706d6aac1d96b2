# SPDX-License-Identifier: GPL-3.0-or-later
"""Displacements that lie on brushes which are taken away or moved: they go along (source.md §4.8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from ... import matrices, ranges
from ...arrays import Bools, Floats, Ints, Records
from .. import geometry
from ..collision import physcollide
from ..edits.brush_tables import held, plane_numbers, vector_numbers
from ..edits.changes import Changes
from ..edits.texture_vectors import share
from ..faces import displacements
from ..faces.displacements import Displacements
from ..geometry import Polygons
from ..lumps import LumpId
from ..tables.displacements import NO_NEIGHBOR, NO_NEIGHBOR_32
from ..tables.references import has, renumber
from . import face_rows, owned
from .rings import FlatRings
from .types import Carved, Change, WorldEdits, WorldError

_RIGID = 1e-4
_SAME = 1e-9
_LUXELS = (
    (LumpId.DISP_LIGHTMAP_SAMPLE_POSITIONS, "lightmap_sample_position_start"),
    (LumpId.DISP_LIGHTMAP_ALPHAS, "lightmap_alpha_start"),
)
"""Lumps of bytes, and what says where a displacement's begin: they reach to where the next one's do."""


@dataclass(frozen=True, slots=True, eq=False)
class Displaced:
    """What goes along, by the numbers of before."""

    gone: Ints
    """int64[n], displacements that are taken away, ascending."""
    moved: Mapping[int, tuple[Floats, int]] = field(default_factory=dict)
    """Of each that moves, how (float64[4, 4]) and the plane that it then is on."""
    covered: Mapping[tuple[int, int], list[Floats]] = field(default_factory=dict)
    """By brush and side (a row of BRUSHSIDES), the faces beneath displacements, float64[n, 3], where they are then: no
    other face is drawn there."""
    lost: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """int64[n], faces that are taken away."""
    left: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    """int64[n], faces that have left their place."""

    def __bool__(self) -> bool:
        return len(self.gone) > 0 or len(self.moved) > 0


def find(changes: Changes, edits: WorldEdits, carved: Carved, polygons: Polygons) -> Displaced:
    """What goes along with brushes. polygons: of the faces of before.

    Raises WorldError for brushes that have another shape, or were scaled or mirrored.
    """
    level = changes.level
    if not len(level.bytes_of(LumpId.DISPINFO)) or not len(carved.removed):
        return Displaced(np.zeros(0, np.int64))
    found = owned.displaced(level)
    faces = level.table(LumpId.DISPINFO)["map_face"].astype(np.int64)
    gone: list[int] = []
    moved: dict[int, tuple[Floats, int]] = {}
    covered: dict[tuple[int, int], list[Floats]] = {}
    bad: dict[int, list[int]] = {}
    for brush in carved.removed.tolist():
        change = edits.changed[brush]
        for number, row in found.get(brush, np.zeros((0, 2), np.int64)).tolist():
            if change.shape is None:
                gone.append(number)
                continue
            side, move = _side_now(changes, brush, row, change), _rigid(changes, brush, change)
            if side is None or move is None:
                bad.setdefault(brush, []).append(number)
                continue
            ring = _placed(owned.rings_of(polygons, faces[[number]]).listed()[0], move)
            covered.setdefault((brush, row), []).append(ring)
            if not np.array_equal(move, np.eye(4)):
                shape = carved.shapes[brush]
                plane = plane_numbers(changes, shape.normals[side : side + 1], shape.dists[side : side + 1])
                moved[number] = move, int(plane[0])
    if bad:
        numbers = ", ".join(map(str, sorted({number for each in bad.values() for number in each})))
        raise WorldError(
            f"displacements lie on it ({numbers}), which can't be reshaped with it: move or turn it as a whole, or "
            "delete it, and they go along",
            changed=list(bad),
        )
    taken = np.unique(np.array(gone, np.int64))
    return Displaced(taken, moved, covered, faces[taken], faces[np.array(sorted(moved), np.int64)])


def put(changes: Changes, displaced: Displaced, polygons: Polygons) -> None:
    """Have displacements go along; faces that are to go are still there, without displacements. Raises FormatError."""
    if not displaced:
        return
    grids = displacements.displacements(changes.level, polygons)
    for number, (move, plane) in displaced.moved.items():
        _move(changes, grids, number, move)
        _move_face(changes, polygons, int(grids.faces[number]), move, plane)
    _part(changes.table(LumpId.DISPINFO), displaced)
    if len(displaced.gone):
        _drop(changes, grids, displaced.gone)


# ------------------------------------------------------------------------------------------------------ what goes along


def _side_now(changes: Changes, brush: int, row: int, change: Change) -> int | None:
    """Which side of a brush's new shape an old one is, None: it has gone."""
    rows = owned.side_rows(changes, brush)
    sides = np.arange(len(rows)) if change.sides is None else change.sides
    there = np.flatnonzero((sides >= 0) & (sides < len(rows)))
    same = there[rows[sides[there]] == row]
    return int(same[0]) if len(same) and change.shape is not None and same[0] < len(change.shape.dists) else None


def _rigid(changes: Changes, brush: int, change: Change) -> Floats | None:
    """How a brush was moved or turned, the identity where its planes are those that they were; None: otherwise."""
    if change.move is not None:
        turn = change.move[:3, :3]
        rigid = np.abs(turn @ turn.T - np.eye(3)).max() <= _RIGID and np.linalg.det(turn) > 0
        return change.move if rigid else None
    rows, shape = owned.side_rows(changes, brush), change.shape
    if shape is None or change.sides is None or sorted(change.sides.tolist()) != list(range(len(rows))):
        return None
    level = changes.level
    planes = level.table(LumpId.PLANES)[level.table(LumpId.BRUSHSIDES)["planenum"][rows[change.sides]]]
    same = (shape.normals.astype(np.float32) == planes["normal"]).all()
    return np.eye(4) if same and (shape.dists.astype(np.float32) == planes["dist"]).all() else None


def _placed(points: Floats, move: Floats) -> Floats:
    return np.asarray(points.astype(np.float64) @ move[:3, :3].T + move[:3, 3])


# ----------------------------------------------------------------------------------------------------------- what moves


def _move(changes: Changes, grids: Displacements, number: int, move: Floats) -> None:
    """Have a displacement begin elsewhere, and its vertices go the ways that they went, turned."""
    infos, verts = changes.table(LumpId.DISPINFO), changes.table(LumpId.DISP_VERTS)
    infos["start_position"][number] = _placed(infos["start_position"][[number]], move)[0]
    if np.abs(move[:3, :3] - np.eye(3)).max() > _SAME:
        rows = slice(int(grids.first_vertex[number]), int(grids.first_vertex[number] + grids.counts[number]))
        verts["vec"][rows] = verts["vec"][rows].astype(np.float64) @ move[:3, :3].T


def _move_face(changes: Changes, polygons: Polygons, face: int, move: Floats, plane: int) -> None:
    """Have the face beneath a displacement lie elsewhere, with its light, its texture and its normals."""
    first, end = polygons.first_corner[face : face + 2]
    ring = FlatRings.of([_placed(polygons.positions[polygons.corners[first:end]], move)])
    edges = face_rows.surfedges(changes, ring)
    texinfo = _texinfo(changes, int(changes.level.table(geometry.drawn_faces(changes.level))["texinfo"][face]), move)
    originals = changes.peek(LumpId.ORIGINALFACES)
    for table in face_rows.tables(changes):
        fields = {"planenum": plane, "side": plane & 1, "firstedge": edges}
        for name, value in (fields | {"texinfo": texinfo}).items():
            held(table, name, face, value)
        original = int(table["orig_face"][face])
        alone = np.count_nonzero(table["orig_face"] == original) == 1
        if originals is not None and 0 <= original < len(originals) and alone:
            for name, value in fields.items():
                held(changes.table(LumpId.ORIGINALFACES), name, original, value)
    numbers = geometry.normal_numbers(changes.level, polygons)
    if numbers is not None:
        own = changes.table(LumpId.VERTNORMALS)["normal"][numbers[first:end]].astype(np.float64) @ move[:3, :3].T
        found = vector_numbers(changes, LumpId.VERTNORMALS, own)
        held(changes.table(LumpId.VERTNORMALINDICES), "normal", slice(int(first), int(end)), found)


def _texinfo(changes: Changes, old: int, move: Floats) -> int:
    """The texinfo that looks, where it was moved to, as an old one did."""
    table = changes.table(LumpId.TEXINFO)
    if not 0 <= old < len(table):
        return old
    rows = table[[old]]
    for name in ("texture_vecs", "lightmap_vecs"):
        rows[name] = rows[name].astype(np.float64) @ matrices.inverse(move)
    return int(share(changes, rows, np.array([old]))[0])


# ----------------------------------------------------------------------------------------------- neighbours and numbers


def _part(infos: Records, displaced: Displaced) -> None:
    """Have displacements that don't go together be no neighbours, in place."""
    company = np.zeros(len(infos), np.int64)
    company[displaced.gone] = -1
    ways: list[Floats] = []
    for number, (move, _) in displaced.moved.items():
        way = next((n for n, each in enumerate(ways) if np.abs(each - move).max() <= _SAME), len(ways))
        ways += [move] if way == len(ways) else []
        company[number] = way + 1
    edges = infos["edge_neighbors"]["neighbor"]
    edges[_parted(edges, company)] = _no_neighbor(edges)
    corners = infos["corner_neighbors"]
    names, counts = corners["neighbors"], corners["count"]
    bad = _parted(names, company) & (np.arange(names.shape[2]) < counts[:, :, None])
    for number, corner in np.argwhere(bad.any(axis=2)).tolist():
        used = int(counts[number, corner])
        kept = names[number, corner, :used][~bad[number, corner, :used]]
        names[number, corner, : len(kept)] = kept
        names[number, corner, len(kept) : used] = _no_neighbor(names)
        counts[number, corner] = len(kept)


def _parted(names: Ints, company: Ints) -> Bools:
    there = names < len(company)
    own = company.reshape(-1, 1, 1)
    return np.asarray(there & (company[np.where(there, names, 0)] != own))


def _no_neighbor(names: Ints) -> int:
    return NO_NEIGHBOR if names.dtype.itemsize == 2 else NO_NEIGHBOR_32


def _drop(changes: Changes, grids: Displacements, gone: Ints) -> None:
    """Take displacements out of all lumps that have something for each."""
    infos = changes.table(LumpId.DISPINFO)
    stays = np.ones(len(infos), np.bool_)
    stays[gone] = False
    now = np.where(stays, np.cumsum(stays) - 1, -1)
    blends = changes.peek(LumpId.DISP_MULTIBLEND)
    having = None if blends is None or not len(blends) else displacements.blended(grids, len(blends))
    if blends is not None and having is not None:
        changes.set_table(LumpId.DISP_MULTIBLEND, blends[stays[grids.owner[having]] | (grids.owner[having] < 0)])
    _cut(changes, LumpId.DISP_VERTS, "disp_vert_start", ranges.flat(grids.first_vertex[gone], grids.counts[gone]))
    quads = (grids.edge[gone] - 1) ** 2
    if changes.peek(LumpId.DISP_TRIS) is not None and has(infos, "disp_tri_start"):
        _cut(changes, LumpId.DISP_TRIS, "disp_tri_start", ranges.flat(grids.first_triangle[gone], 2 * quads))
    for lump, name in _LUXELS:
        _cut_bytes(changes, lump, name, stays)
    hulls = changes.level.physdisp
    if hulls:
        kept = [hull for hull, stay in zip(hulls, stays.tolist(), strict=False) if stay]
        order, version = changes.level.byte_order, changes.level.version_of(LumpId.PHYSDISP)
        data = physcollide.encode_displacements(kept, order, version) if kept and len(hulls) == len(stays) else b""
        changes.set_bytes(LumpId.PHYSDISP, data)
    renumber(changes.tables_naming(LumpId.DISPINFO).get, LumpId.DISPINFO, now)
    left = infos[stays]
    for names in (left["edge_neighbors"]["neighbor"], left["corner_neighbors"]["neighbors"]):
        there = names < len(now)
        follows = np.where(there, now[np.where(there, names, 0)], -1)
        names[there] = np.where(follows >= 0, follows, _no_neighbor(names))[there]
    changes.set_table(LumpId.DISPINFO, left)


def _cut(changes: Changes, lump: LumpId, name: str, rows: Ints) -> None:
    """Take rows out of a table, and have displacements begin where theirs are then."""
    infos, table = changes.table(LumpId.DISPINFO), changes.table(lump)
    rows = np.unique(rows[rows < len(table)])
    changes.set_table(lump, np.delete(table, rows))
    held(infos, name, slice(None), infos[name] - np.searchsorted(rows, infos[name]))


def _cut_bytes(changes: Changes, lump: LumpId, name: str, stays: Bools) -> None:
    """Take the bytes of displacements that don't stay out of a lump."""
    infos, data = changes.table(LumpId.DISPINFO), np.frombuffer(changes.level.bytes_of(lump), np.uint8)
    if not len(data) or not has(infos, name):
        return
    first = infos[name].astype(np.int64)
    starts = np.unique(np.append(first[(first >= 0) & (first < len(data))], len(data)))
    alone = ~stays & (first >= 0) & (first < len(data)) & ~np.isin(first, first[stays])
    begins = np.unique(first[alone])
    rows = ranges.flat(begins, starts[np.searchsorted(starts, begins, side="right")] - begins)
    changes.set_bytes(lump, np.delete(data, rows).tobytes())
    held(infos, name, slice(None), first - np.searchsorted(rows, first))
