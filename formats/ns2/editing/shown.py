# SPDX-License-Identifier: GPL-3.0-or-later
"""A level's mesh as polygons, edges and vertices that an editor of polygons can show (ns2.md §3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ... import ranges
from ...arrays import Bools, Bytes, Indices, Int32s, Singles
from ..mesh import Mesh
from ..polygons import Polygons, polygons
from ..records import NO_GROUP
from ..texture_coordinates import texture_coordinates


@dataclass(frozen=True, slots=True)
class ShownPolygons:
    """The p polygons with c corners that the n faces of a mesh are shown as, in the order of the faces."""

    faces: Int32s
    """[p]: the face of each polygon, ascending."""
    starts: Int32s
    """[p + 1]: the first corner of each polygon."""
    members: Int32s
    """[c]: the member of a loop that starts at the corner: `Mesh.corners[members]` are the vertices."""
    bridges: Bools
    """[c]: the edge from the corner to the next one is a bridge; else it is the member's."""
    uvs: Singles
    """[c, 2]: v upwards; what isn't finite is 0."""
    faults: Bytes
    """[n]: `polygons.Fault` of every face."""

    @classmethod
    def none(cls) -> ShownPolygons:
        """Those of a mesh without faces."""
        return cls(
            np.zeros(0, np.int32),
            np.zeros(1, np.int32),
            np.zeros(0, np.int32),
            np.zeros(0, np.bool_),
            np.zeros((0, 2), np.float32),
            np.zeros(0, np.uint8),
        )


@dataclass(frozen=True, slots=True, eq=False)
class ShownMesh:
    """All polygons of a mesh with c corners, and the e edges that are shown."""

    polygons: ShownPolygons
    corners: Int32s
    """[c]: the vertex of each corner."""
    corner_edges: Int32s
    """[c]: the shown edge from each corner to the next one."""
    edges: Int32s
    """[e, 2]: vertices."""
    numbers: Indices
    """[e]: the edge of the mesh that each is, -1: a bridge only."""
    bridges: Bools
    """[e]: polygons of one face are cut along it. It may be an edge of the mesh as well."""


def show_mesh(mesh: Mesh, loose_edges: bool = False) -> ShownMesh:
    """The polygons and edges of a mesh. loose_edges: also edges that no polygon has.

    Raises FormatError for members, edges or groups that name what isn't there.
    """
    faces, positions = mesh.faces, mesh.positions
    corners, ends = mesh.member_vertices()
    made = polygons(positions, corners, faces.face_loops, faces.loop_members, ends)
    vertices = corners[made.members]
    uvs = texture_coordinates(mesh, positions, corners, made)
    edges, corner_edges, numbers, bridges = _edges(mesh, made, vertices, loose_edges)
    shown = ShownPolygons(
        made.faces.astype(np.int32),
        made.starts.astype(np.int32),
        made.members.astype(np.int32),
        made.bridges,
        uvs,
        made.faults,
    )
    return ShownMesh(shown, vertices.astype(np.int32), corner_edges, edges, numbers, bridges)


def groups_shown(ids: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Ids of groups as they can be told apart where 0 means none: NO_GROUP for 0, too."""
    return np.where(ids == 0, np.uint32(NO_GROUP), ids)


def _edges(mesh: Mesh, made: Polygons, vertices: Indices, loose: bool) -> tuple[Int32s, Int32s, Indices, Bools]:
    """The edges that are shown: their vertices [e, 2], that of each corner [c], the mesh's edge of each or -1 [e], and
    which are bridges [e]. There is one edge between two vertices: a bridge may be an edge of the mesh, too.
    """
    pairs = mesh.edge_vertices
    of_corner = mesh.faces.members["edge"][made.members].astype(np.intp)
    used = np.zeros(len(pairs), np.bool_)
    used[of_corner[~made.bridges]] = True
    if loose:
        used |= pairs[:, 0] != pairs[:, 1]
    shown_by = edge_numbers(pairs, used)
    shown = np.zeros(len(pairs), np.bool_)
    shown[shown_by[used]] = True
    numbers = np.flatnonzero(shown)
    index = np.cumsum(shown, dtype=np.int32) - np.int32(1)
    corner_edges = index[shown_by][of_corner]
    edges = pairs.take(numbers, axis=0)
    cuts = np.flatnonzero(made.bridges)
    if len(cuts):
        after = np.arange(1, len(vertices) + 1)
        after[made.starts[1:] - 1] = made.starts[:-1]
        size = len(mesh.vertices) + 1
        ends = np.sort(np.stack([vertices[cuts], vertices[after[cuts]]], axis=1), axis=1)
        keys = np.concatenate([edges.min(axis=1) * size + edges.max(axis=1), ends[:, 0] * size + ends[:, 1]])
        _, first, which = np.unique(keys, return_index=True, return_inverse=True)
        first = first[which.reshape(-1)[len(edges) :]]  # the edge, or the first cut, between the same vertices
        extra, place = np.unique(first[first >= len(edges)], return_inverse=True)
        first[first >= len(edges)] = len(edges) + place.reshape(-1)
        corner_edges[cuts] = first
        numbers = np.concatenate([numbers, np.full(len(extra), -1, np.intp)])
        bridges = np.zeros(len(numbers), np.bool_)
        bridges[first] = True
        edges = np.concatenate([edges, ends[extra - len(edges)]])
    else:
        bridges = np.zeros(len(numbers), np.bool_)
    return edges.astype(np.int32), corner_edges, numbers, bridges


def edge_numbers(pairs: Indices, used: Bools) -> Indices:
    """For each edge of a mesh, [e], the one that shows it: the lowest number between the same two vertices, of those
    that are `used` (bool[e]: polygons pass them); -1 for edges between vertices that no used edge joins.

    pairs: `Mesh.edge_vertices`, [e, 2].
    """
    one, other = pairs.T
    keys = np.minimum(one, other) * (pairs.max(initial=0) + 1) + np.maximum(one, other)
    ordered = np.sort(keys)
    if not (ordered[1:] == ordered[:-1]).any():
        return np.where(used, np.arange(len(keys)), -1)
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(ranges.firsts(ordered))
    result = np.full(len(keys), -1, np.intp)
    if len(keys):
        lowest = np.minimum.reduceat(np.where(used, np.arange(len(keys)), len(keys))[order], starts)
        lowest[lowest == len(keys)] = -1
        result[order] = np.repeat(lowest, np.diff(starts, append=len(keys)))
    return result
