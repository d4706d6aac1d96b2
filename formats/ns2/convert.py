# SPDX-License-Identifier: GPL-3.0-or-later
"""Saving levels of older versions as version 10 (ns2.md §2, §3)."""

from dataclasses import replace

import numpy as np

from ..binary import FormatError
from .blank import WHITE, new_pathing
from .faces import FaceLayers
from .level import Level
from .mesh import Mesh
from .objects import Entity, no_group
from .rebuild import triangles_of
from .records import NO_GROUP, TRIANGLE6, VERSION, new_edges, new_vertices
from .triangles import Triangles


def as_v10(level: Level) -> Level:
    """The same level as the editor of version 10 would save it; `level` stays as it is.

    Vertices, edges and triangles get the fields that they lack, masks of version 4 their 256 bits, layers without ids
    their numbers as ids. Triangles that use ghost vertices, which version 10 has not, are made anew, with those of all
    other faces. Missing editor settings are the editor's own. Raises FormatError for what can't be decoded.
    """
    result = Level(VERSION, level.written())
    if level.version == VERSION:
        return result
    result.mesh = _mesh(level.mesh)
    result.entities = [_entity(entity, level.version) for entity in level.entities]
    result.layers = [replace(layer) for layer in level.layers]
    result.custom_colors = list(level.custom_colors) or [WHITE] * 16
    settings = [replace(each, properties=list(each.properties)) for each in level.editor_settings]
    result.editor_settings = settings or [new_pathing()]
    return result


def _mesh(old: Mesh) -> Mesh:
    mesh = Mesh(VERSION, old.written())
    flags = old.vertices["flag"] if "flag" in (old.vertices.dtype.names or ()) else 1
    vertices = new_vertices(old.positions)
    vertices["flag"] = flags
    mesh.vertices = vertices
    mesh.edges = new_edges(old.edges["vertices"], old.smooth)
    mesh.face_layers = _face_layers(old.face_layers)
    mesh.mapping_groups = old.mapping_groups
    mesh.geometry_groups = old.geometry_groups
    if old.triangles is not None:
        mesh.triangles = triangles_of(mesh) if len(old.triangles.ghosts) else _triangles(old.triangles)
    return mesh


def _face_layers(old: FaceLayers) -> FaceLayers:
    if old.masks.shape[1] != 2:
        return old
    strange = np.flatnonzero(old.masks[:, 1])
    if len(strange):
        face = int(strange[0])
        raise FormatError(f"{old.masks[face, 1]} stands where 0 does in all known levels", f"layers of face {face}")
    new = FaceLayers.none(len(old.has))
    new.masks[:, 0] = old.masks[:, 0]
    return FaceLayers.of(new.masks)


def _triangles(old: Triangles) -> Triangles:
    if old.triangles.dtype == TRIANGLE6:
        return old
    table = np.zeros(len(old.triangles), TRIANGLE6)  # normals 0: with none in the list that is none
    table["vertices"] = old.triangles["vertices"]
    return Triangles(old.ghosts, old.normals, old.face_triangles, table)


def _entity(entity: Entity, version: int) -> Entity:
    new = entity.copy()
    if version <= 4:
        new.layers = entity.layers or None
    if entity.group == no_group(version):
        new.group = NO_GROUP
    return new
