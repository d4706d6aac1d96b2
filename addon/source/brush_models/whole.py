# SPDX-License-Identifier: GPL-3.0-or-later
"""The brushes of an entity as a mesh: with the sides that compilers made no faces of, or made several of."""

from __future__ import annotations

import bpy
import numpy as np

from ....formats import convex_solids, ranges, surfaces
from ....formats.arrays import Floats, Ints
from ....formats.convex import planes
from ....formats.source import LumpId, geometry, vmf
from ....formats.source.edits import brush_models, brush_pieces
from ....formats.source.vmf.uv import size_of, uv_of
from ...scene.geometry import meshes
from ...scene.geometry.meshes import MeshData
from ...scene.kept import identity
from ...scene.reports import SceneError
from .. import layout
from ..brushes.collect import NODRAW
from ..context import ImportContext

_ON, _ALIKE = 0.1, 0.999
"""How near a face's corners are to its side, in units, and the cosine between the two."""


def closed(importing: ImportContext, obj: bpy.types.Object, own: bpy.types.Mesh) -> bpy.types.Mesh | None:
    """A mesh of the brushes that an entity of the map has, where its own one encloses nothing; None: that does.

    Faces that there are keep their materials and coordinates. Raises SceneError for a mesh that was reshaped, and
    FormatError.
    """
    entities, record = importing.level.entities, identity.record_of(obj, importing.token)
    model = entities[record].model if 0 <= record < len(entities) else None
    data = meshes.read(obj)
    if not model or _is_closed(data):
        return None
    pieces = brush_models.pieces(importing.level, model)
    found = brush_pieces.polygons(pieces)
    normals, dists = (np.concatenate(part) for part in zip(*((p.normals, p.dists) for p in pieces), strict=True))
    faces = _faces_of(data, normals, dists)
    if _is_reshaped(importing, own, data) or faces is None:
        raise SceneError(
            f"{obj.name}: it was reshaped, and sides of it that nobody sees aren't in its mesh: undo that, make it a "
            "brush of the world, and reshape it then",
            [obj],
        )
    counts = np.diff(found.first_corner)
    shown = np.flatnonzero(counts >= 3)
    corners = found.corners[ranges.flat(found.first_corner[shown], counts[shown])]
    points, sides = found.positions[corners], np.repeat(shown, counts[shown])
    texinfos = np.concatenate([piece.texinfos for piece in pieces])
    materials, uvs = _painted(importing, data, points, sides, faces, texinfos)
    used = list(dict.fromkeys(materials[side] for side in shown.tolist()))
    contents = np.repeat([piece.contents for piece in pieces], [len(piece.dists) for piece in pieces]).astype(np.uint32)
    mesh = meshes.build(
        obj.name,
        found.positions,
        corners,
        ranges.starts(counts[shown])[:-1],
        {layout.UV: uvs},
        {layout.CONTENTS: ("FACE", "INT", contents[shown].view(np.int32))},
        np.array([used.index(materials[side]) for side in shown.tolist()]),
        report=importing.report,
    )
    for material in used:
        mesh.materials.append(material)
    return mesh


def _is_closed(data: MeshData) -> bool:
    """Whether a mesh consists of convex solids."""
    starts = np.append(data.face_starts, len(data.corner_verts))
    try:
        convex_solids.solids(surfaces.surface(data.positions, data.corner_verts, starts))
    except surfaces.SurfaceError:
        return False
    return True


def _is_reshaped(importing: ImportContext, mesh: bpy.types.Mesh, data: MeshData) -> bool:
    """Whether a mesh has other faces than those of the map, or some whose corners aren't where they were."""
    ids = identity.read_ids(mesh, "FACE", importing.token).astype(np.int64)
    if not ids.all():
        return True
    before = geometry.polygons(importing.level)
    sizes, first = np.diff(before.first_corner)[ids - 1], before.first_corner[ids - 1]
    now = data.positions[data.corner_verts].astype(np.float64)
    was = before.positions[before.corners[ranges.flat(first, sizes)]].astype(np.float64)
    counts = np.diff(np.append(data.face_starts, len(data.corner_verts)))
    return max(_farthest(now, counts, was, sizes), _farthest(was, sizes, now, counts)) > _ON


def _farthest(points: Floats, counts: Ints, others: Floats, sizes: Ints) -> float:
    """How far any corner of polygons is from the nearest one of its polygon as another has it, along an axis.

    points: float64[sum of counts, 3], of one polygon after another. others, sizes: likewise. Infinite: there are none.
    """
    if not len(points):
        return 0.0
    mine = np.repeat(np.arange(len(counts)), counts)
    if not sizes[mine].all():
        return float("inf")
    pairs = ranges.flat(ranges.starts(sizes)[:-1][mine], sizes[mine])
    away = np.abs(np.repeat(points, sizes[mine], axis=0) - others[pairs]).max(axis=1)
    return float(np.minimum.reduceat(away, ranges.starts(sizes[mine])[:-1]).max())


def _faces_of(data: MeshData, normals: Floats, dists: Floats) -> Ints | None:
    """int64[sides]: the first face of a mesh on each side of solids, -1: none. None where a face is on no side."""
    points, corners = data.positions.astype(np.float64), data.corner_verts.astype(np.int64)
    starts = np.append(data.face_starts, len(corners)).astype(np.int64)
    looks = planes(points, corners, starts)[0]
    heights = np.abs(points[corners] @ normals.T - dists)
    off = np.maximum.reduceat(heights, starts[:-1], axis=0)
    lies = (off <= _ON) & (looks @ normals.T >= _ALIKE)
    if not lies.any(axis=1).all():
        return None
    return np.where(lies.any(axis=0), lies.argmax(axis=0), -1)


def _painted(
    importing: ImportContext, data: MeshData, points: Floats, sides: Ints, faces: Ints, texinfos: Ints
) -> tuple[dict[int, bpy.types.Material | None], Floats]:
    """The material of each side, and the coordinates of their corners: points float64[c, 3] of sides int64[c]."""
    level, sizes = importing.level, vmf.sizes(importing.level)
    table, names = level.table(LumpId.TEXINFO), level.texture_names.names
    texdata, uv = level.table(LumpId.TEXDATA)["name_string_table_id"], data.uv(layout.UV)
    starts = np.append(data.face_starts, len(data.corner_verts))
    materials: dict[int, bpy.types.Material | None] = {}
    made = np.zeros((len(points), 2))
    for side in np.unique(sides).tolist():
        own, face, texinfo = sides == side, int(faces[side]), int(texinfos[side])
        row = table[texinfo] if 0 <= texinfo < len(table) else None
        name = names[texdata[row["texdata"]]] if row is not None and row["texdata"] >= 0 else NODRAW
        size = size_of(name, sizes)
        slot = int(data.material_index[face]) if face >= 0 else -1
        materials[side] = (
            data.materials[slot] if 0 <= slot < len(data.materials) else importing.materials.of(name, size=size)
        )
        if face >= 0 and uv is not None:
            loops = np.arange(starts[face], starts[face + 1])
            known = data.positions[data.corner_verts[loops]].astype(np.float64)
            middle = known.mean(axis=0)
            flat = np.linalg.lstsq(np.column_stack([known - middle, np.ones(len(known))]), uv[loops], rcond=1e-9)[0]
            made[own] = np.column_stack([points[own] - middle, np.ones(int(own.sum()))]) @ flat
        elif row is not None:
            vectors = row["texture_vecs"].astype(np.float64)
            made[own] = uv_of(points[own] @ vectors[:, :3].T + vectors[:, 3], np.array([size]))
    return materials, made
