# SPDX-License-Identifier: GPL-3.0-or-later
"""Quads taken out of the mesh that they share, so that each can be moved, turned, coloured and keyed by itself."""

from __future__ import annotations

import bmesh
import bpy
import numpy as np
import numpy.typing as npt

from ....formats.arrays import Bools, Int32s
from ...scene.attributes import Domain, Kind
from ...scene.geometry import meshes
from ...scene.kept import identity
from ...scene.names import showable
from ...scene.reports import SceneError
from .. import layout
from ..quads.build import ENVELOPES, OFFSET
from ..structure.parts import layer_above, let_undo_see, token_of
from .coloring import show_color

_FACE_VALUES = (identity.ID, identity.CHECK, *(f"{name}{end}" for name in ENVELOPES.values() for end in ("", OFFSET)))


def is_shared(obj: bpy.types.Object) -> bool:
    """Whether an object is a mesh that several quads of a layer share, so that none has a place of its own."""
    return isinstance(obj.data, bpy.types.Mesh) and obj.data.attributes.get(layout.PIVOT) is not None


def separate(level: bpy.types.Collection, obj: bpy.types.Object, chosen: Bools) -> list[bpy.types.Object]:
    """Make an object of each of the chosen faces [n] of a shared mesh, with its pivot as the origin, ready to be keyed.

    It is the same record as before: an export writes it as it was. Object mode. Raises SceneError for meshes with
    modifiers or shape keys.
    """
    if meshes.needs_evaluation(obj):
        raise SceneError(f"{obj.name}: apply its modifiers and shape keys before its quads become objects", [obj])
    names = [layout.COLOR, layout.PIVOT, *_FACE_VALUES]
    data = meshes.read(obj, None, names)
    layer = obj if identity.kind_of(obj) == layout.LAYER else layer_above(obj) or obj
    token = layout.element_token(token_of(level), identity.record_of(layer, token_of(level)))
    ids = data.ids("FACE", token)
    groups = _quads(chosen, data.face_sizes, data.attribute(identity.ID, "FACE"))
    made = []
    for faces in groups:
        mesh, origin = _mesh(data, faces, f"{layer.name} quad")
        title = f"{layer.name} quad {ids[faces[0]] - 1}" if ids[faces[0]] else f"{layer.name} quad"
        one = bpy.data.objects.new(showable(title), mesh)
        one.location, one.parent = origin, obj
        identity.stamp(one, token_of(level), layout.QUAD, int(ids[faces[0]]) - 1)
        for collection in obj.users_collection:
            collection.objects.link(one)
        for material in data.materials[:1]:
            mesh.materials.append(material)
        show_color(level, one)
        made.append(one)
    _delete(obj, np.concatenate([np.zeros(0, np.int32), *groups]))
    let_undo_see(level)
    return made


def _quads(chosen: Bools, sizes: Int32s, ids: Int32s | None) -> list[Int32s]:
    """The faces of each chosen quad: one, or both halves of one that is folded, which have the same id."""
    groups = [np.array([face], np.int32) for face in np.flatnonzero(chosen & (sizes != 3)).tolist()]
    halves = np.flatnonzero(chosen & (sizes == 3))
    if ids is not None:
        numbers = np.unique(ids[halves]).tolist()
        groups += [np.flatnonzero((ids == number) & (sizes == 3)).astype(np.int32) for number in numbers]
    return groups


def _mesh(data: meshes.MeshData, faces: Int32s, name: str) -> tuple[bpy.types.Mesh, tuple[float, float, float]]:
    """A mesh of a quad's faces about its pivot, and where that is; the middle where nothing tells the pivot."""
    corners = np.concatenate([np.arange(data.face_sizes[face]) + data.face_starts[face] for face in faces])
    vertices, places = np.unique(data.corner_verts[corners], return_inverse=True)
    points = data.positions[vertices].astype(np.float64)
    pivots = data.attribute(layout.PIVOT, "FACE")
    pivot = points.mean(axis=0) if pivots is None or not pivots[faces[0]].any() else pivots[faces[0]].astype(np.float64)
    origin = np.array((pivot[0], pivot[1], points[0, 2]))
    values: dict[str, tuple[Domain, Kind, npt.ArrayLike]] = {}
    for key in _FACE_VALUES:
        found = data.attribute(key, "FACE")
        if found is not None:
            values[key] = ("FACE", "INT", found[faces])
    colors, uvs = data.attribute(layout.COLOR, "CORNER"), data.uv(layout.UV)
    if colors is not None:
        values[layout.COLOR] = ("CORNER", "FLOAT_COLOR", colors[corners])
    sizes = data.face_sizes[faces]
    mesh = meshes.build(
        name,
        (points - origin).astype(np.float32),
        places.astype(np.int32),
        (np.cumsum(sizes) - sizes).astype(np.int32),
        uvs={} if uvs is None else {layout.UV: uvs[corners]},
        attributes=values,
        smooth=True,
    )
    return mesh, (float(origin[0]), float(origin[1]), float(origin[2]))


def _delete(obj: bpy.types.Object, faces: Int32s) -> None:
    """Delete faces of a mesh, with the vertices that nothing else has."""
    mesh = obj.data
    if not isinstance(mesh, bpy.types.Mesh) or not len(faces):
        return
    work = bmesh.new()
    work.from_mesh(mesh)
    work.faces.ensure_lookup_table()
    bmesh.ops.delete(work, geom=[work.faces[face] for face in faces.tolist()], context="FACES")
    work.to_mesh(mesh)
    work.free()
