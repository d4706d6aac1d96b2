# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes of brushes, with their faces' attributes and materials; worked out for the whole level at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ....formats import convex
from ....formats.arrays import Array, Floats, Int32s, Ints, Singles
from ....formats.convex import BrushEdges
from ....formats.genesis.geometry import APPEARANCES, FaceAppearance, Geometry
from ...scene import attributes
from ...scene.attributes import Kind
from ...scene.geometry import meshes
from ...scene.kept import baselines, identity
from ...scene.work.progress import Steps, progress
from .. import layout
from ..context import ImportContext
from ..materials.build import Materials

_KINDS: dict[str, Kind] = {
    **dict.fromkeys(layout.LIGHT_TYPES, "INT"),
    **layout.FACE_FIELDS,
    **layout.MAP_FIELDS,
    **layout.EDITOR_FIELDS,
    **dict.fromkeys((identity.ID, identity.CHECK, layout.BRUSH, layout.BRUSH_FLAGS), "INT"),
}

_SINGLE = float(np.finfo(np.float32).min), float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class MeshArrays:
    """The meshes of b brushes, one behind the other. Starts have one more element than there are things."""

    positions: Singles
    """[v, 3], Blender's axes, relative to each brush's origin."""
    vertex_starts: Int32s
    """[b + 1]."""
    corners: Int32s
    """[c]: the vertex of each corner."""
    corner_starts: Int32s
    """[f + 1], of all faces of the file."""
    with_corners: Ints
    """[n]: the numbers of the faces with corners; the others are in no mesh."""
    with_corners_starts: Ints
    """[b + 1], in `with_corners`."""
    uvs: Singles
    """[c, 2]."""
    origins: Singles
    """[b, 3]: where the object of each brush lies below the root, Blender's axes."""
    edges: BrushEdges | None
    """None where Blender shall find them."""


def mesh_arrays(geometry: Geometry, sizes: Floats, apart: bool) -> MeshArrays:
    """Work out the meshes. sizes: float64[f, 2], width and height of each face's texture.

    apart: each brush gets a mesh of its own, with its origin in its middle (see ORIGINS) and with edges: those of many
    small meshes are found sooner here, all at once, than by Blender, which is as quick as that at large meshes.
    """
    polygons = geometry.polygons
    points = layout.to_blender(polygons.positions)
    origins = np.zeros((len(geometry.counts), 3))
    if apart:
        origins = _origins(points, polygons.first_vertex)
        points -= np.repeat(origins, np.diff(polygons.first_vertex), axis=0)
    with_corners = np.flatnonzero(np.diff(polygons.first_corner) > 0)
    return MeshArrays(
        points.clip(*_SINGLE).astype(np.float32),
        polygons.first_vertex.astype(np.int32),
        polygons.corners.astype(np.int32),
        polygons.first_corner.astype(np.int32),
        with_corners,
        np.searchsorted(with_corners, geometry.first_face),
        geometry.uvs(sizes),
        origins.astype(np.float32),
        convex.edges(polygons, geometry.counts) if apart else None,
    )


def _origins(points: Floats, starts: Ints) -> Floats:
    """The middle of each brush's box, in whole units."""
    result = np.zeros((len(starts) - 1, 3))
    full = np.flatnonzero(np.diff(starts) > 0)
    if len(full):
        low = np.minimum.reduceat(points, starts[full])
        high = np.maximum.reduceat(points, starts[full])
        result[full] = np.round((low + high) / 2)
    return result + 0.0


def texture_sizes(geometry: Geometry, materials: Materials) -> Floats:
    """Width and height of each face's texture, float64[f, 2]."""
    table = np.array([materials.pictures.size(name) for name in geometry.names], np.float64).reshape(-1, 2)
    return table[geometry.texture] if len(table) else np.empty((0, 2))


def keep_baselines(collection: bpy.types.Collection, arrays: MeshArrays) -> None:
    """Keep on the level's collection what the exporter compares meshes with."""
    for key, values in (
        (layout.POSITIONS, arrays.positions),
        (layout.VERTEX_STARTS, arrays.vertex_starts),
        (layout.CORNERS, arrays.corners),
        (layout.CORNER_STARTS, arrays.corner_starts),
        (layout.UVS, arrays.uvs),
        (layout.ORIGINS, arrays.origins),
    ):
        baselines.store(collection, key, values)


@dataclass(frozen=True)
class CornerValues:
    """What corners have besides their UVs, for c corners of a level."""

    uvs: dict[str, Singles]
    """UV map -> [c, 2]."""
    vectors: dict[str, Singles]
    """FLOAT_VECTOR attribute -> [c, 3]."""


class MeshMaker:
    """Makes the meshes of a level's brushes. Mesh n is that of the brushes from starts[n] to starts[n + 1] - 1."""

    def __init__(
        self,
        importing: ImportContext,
        geometry: Geometry,
        arrays: MeshArrays,
        materials: Materials,
        starts: Ints,
        more: CornerValues | None = None,
    ) -> None:
        self.more = CornerValues({}, {}) if more is None else more
        self.importing = importing
        self.arrays = arrays
        self.materials = materials
        self.names = geometry.names
        self.brushes = starts
        self.shared = bool((np.diff(starts) > 1).any())
        # As few steps as there can be for each mesh: everything it needs is a slice of these.
        faces = arrays.with_corners
        self.faces = arrays.with_corners_starts[starts]
        corner_starts = np.append(arrays.corner_starts[faces], len(arrays.corners)).astype(np.int32)
        self.corners = corner_starts[self.faces]
        self.vertices = arrays.vertex_starts[starts]
        face_counts, corner_counts = np.diff(self.faces), np.diff(self.corners)
        self.face_corner = _local(corner_starts[:-1], self.corners, face_counts)
        self.corner_vertex = _local(arrays.corners, self.vertices, corner_counts)
        if arrays.edges is not None:
            edge_counts = np.diff(arrays.edges.starts)
            self.edge_vertices = _local(arrays.edges.vertices, self.vertices, edge_counts)
            self.corner_edge = _local(arrays.edges.of_corner, arrays.edges.starts, corner_counts)
        ids = (faces + 1).astype(np.int32)
        fields = geometry.fields
        if len(faces) < len(geometry.faces):
            fields = {name: values[faces] for name, values in fields.items()}
        fields = fields | {identity.ID: ids, identity.CHECK: identity.checks(importing.token, ids)}
        if self.shared:
            of_brush = geometry.brush_of_face[faces]
            fields[layout.BRUSH] = geometry.numbers[of_brush]
            fields[layout.BRUSH_FLAGS] = geometry.flags.view(np.int32)[of_brush]
        self.fields: list[tuple[str, Kind, Array]] = [
            (name, _KINDS[name], values.astype(attributes.LAYOUT[_KINDS[name]][1], copy=False))
            for name, values in fields.items()
        ]
        codes = geometry.texture[faces] * APPEARANCES + geometry.appearance[faces]
        mesh = np.repeat(np.arange(len(face_counts)), face_counts)
        span = len(geometry.names) * APPEARANCES + 1
        unique, slots = np.unique(mesh * span + codes, return_inverse=True)
        self.codes = (unique % span).tolist()
        self.first_code = np.searchsorted(unique, np.arange(len(starts)) * span)
        self.slots = (slots.reshape(-1) - np.repeat(self.first_code[:-1], face_counts)).astype(np.int32)

    def make_all(self, names: Sequence[str]) -> Steps[list[bpy.types.Mesh]]:
        """Make all meshes, of these names."""
        made = []
        with progress(len(names), "meshes of brushes") as step:
            for number, name in enumerate(names):
                made.append(self.make(name, number))
                yield step()
        return made

    def make(self, name: str, number: int) -> bpy.types.Mesh:
        """Make a mesh."""
        faces = slice(int(self.faces[number]), int(self.faces[number + 1]))
        corners = slice(int(self.corners[number]), int(self.corners[number + 1]))
        codes = self.codes[self.first_code[number] : self.first_code[number + 1]]
        mesh = meshes.build(
            name,
            self.arrays.positions[self.vertices[number] : self.vertices[number + 1]],
            self.corner_vertex[corners],
            self.face_corner[faces],
            uvs={layout.UV: self.arrays.uvs[corners]} | {key: uv[corners] for key, uv in self.more.uvs.items()},
            attributes={
                **{name: ("FACE", kind, values[faces]) for name, kind, values in self.fields},
                **{key: ("CORNER", "FLOAT_VECTOR", values[corners]) for key, values in self.more.vectors.items()},
            },
            material_index=self.slots[faces] if len(codes) > 1 else None,
            edges=self._edges(number, corners),
            report=self.importing.report,
        )
        for code in codes:
            mesh.materials.append(
                self.materials.get(self.names[code // APPEARANCES], FaceAppearance(code % APPEARANCES))
            )
        return mesh

    def _edges(self, number: int, corners: slice) -> tuple[Int32s, Int32s] | None:
        """The edges of a mesh and those of its corners; None where Blender has to find them."""
        edges = self.arrays.edges
        if edges is None or not edges.sound[number]:
            return None
        here = slice(int(edges.starts[number]), int(edges.starts[number + 1]))
        return self.edge_vertices[here], self.corner_edge[corners]


def _local(values: Array, starts: Array, counts: Ints) -> Int32s:
    """Numbers counted from the start of the mesh that they are in."""
    offsets = np.repeat(starts[:-1], counts)
    local: Int32s = values - (offsets[:, None] if values.ndim > 1 else offsets)
    return local.astype(np.int32, copy=False)
