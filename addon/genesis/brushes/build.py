# SPDX-License-Identifier: GPL-3.0-or-later
"""Brushes as mesh objects. All that can be is worked out for the whole level at once, in arrays; see `layout`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ....formats.genesis.editor_level import EditorBrush
from ....formats.genesis.geometry import LOOKS, Floats, Geometry, Ints, Look
from ....formats.genesis.records import BrushFlag, EditorBrushFlag
from ...scene import attributes, baselines, identity, meshes, properties
from ...scene.attributes import Kind
from ...scene.progress import progress
from .. import layout
from ..context import Site
from ..materials.build import Materials

_KINDS: dict[str, Kind] = {
    **layout.FACE_FIELDS,
    **layout.MAP_FIELDS,
    **layout.EDITOR_FIELDS,
    **dict.fromkeys((identity.ID, identity.CHECK, layout.BRUSH, layout.BRUSH_FLAGS), "INT"),
}
UNCLOSED_SHOWN = 8
"""Brushes that a warning about them names."""


@dataclass(frozen=True)
class Edges:
    """The edges of all brushes, one brush behind the other.

    vertices: int[e, 2]. of_corner: int[c], the edge from each corner to the next of its face. starts: int[b + 1].
    sound: bool[b], whether they are right: where more than two faces share one, or a face meets itself, Blender has to
    look.
    """

    vertices: Ints
    of_corner: Ints
    starts: Ints
    sound: NDArray[np.bool_]


@dataclass(frozen=True)
class Arrays:
    """The meshes of all brushes, one behind the other. Starts have one more element than there are things.

    positions: float32[v, 3], Blender's axes, relative to each brush's origin. vertex_starts: int32[b + 1]. corners:
    int32[c], vertices. corner_starts: int32[f + 1], of all faces of the file. drawn: int[d], the numbers of those with
    corners. drawn_starts: int[b + 1], in `drawn`. uvs: float32[c, 2]. origins: float32[b, 3]. edges: None where Blender
    shall find them.
    """

    positions: NDArray[np.float32]
    vertex_starts: NDArray[np.int32]
    corners: NDArray[np.int32]
    corner_starts: NDArray[np.int32]
    drawn: Ints
    drawn_starts: Ints
    uvs: NDArray[np.float32]
    origins: NDArray[np.float32]
    edges: Edges | None


def arrays(geometry: Geometry, sizes: Floats, apart: bool) -> Arrays:
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
    drawn = np.flatnonzero(np.diff(polygons.first_corner) > 0)
    return Arrays(
        points.astype(np.float32),
        polygons.first_vertex.astype(np.int32),
        polygons.corners.astype(np.int32),
        polygons.first_corner.astype(np.int32),
        drawn,
        np.searchsorted(drawn, geometry.first_face),
        geometry.uvs(sizes),
        origins.astype(np.float32),
        _edges(geometry) if apart else None,
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


def _edges(geometry: Geometry) -> Edges:
    """Find the edges of all brushes: half-edges with the same two vertices are one."""
    polygons = geometry.polygons
    corners, starts = polygons.corners, polygons.first_corner
    count = len(geometry.counts)
    vertices = len(polygons.positions)
    following = np.arange(1, len(corners) + 1)
    full = np.diff(starts) > 0
    following[starts[1:][full] - 1] = starts[:-1][full]
    ends = corners[following] if len(corners) else corners
    along = corners < ends
    span = int(np.abs(ends - corners).max(initial=0)) + 1
    keys = np.minimum(corners, ends) * span + np.abs(ends - corners)
    order = np.argsort(keys, kind="stable")
    ordered = keys.take(order)
    first = np.ones(len(keys), np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    firsts = np.flatnonzero(first)
    sizes = np.diff(firsts, append=len(keys))
    corner_edges = np.empty(len(keys), np.int64)
    corner_edges[order] = np.repeat(np.arange(len(firsts)), sizes)
    chosen = order.take(firsts)
    edges = np.empty((len(chosen), 2), np.int64)
    edges[:, 0], edges[:, 1] = corners.take(chosen), ends.take(chosen)
    brush_of_vertex = np.repeat(np.arange(count), np.diff(polygons.first_vertex))
    edge_brush = brush_of_vertex.take(edges[:, 0]) if len(edges) else np.empty(0, np.int64)
    edge_starts = np.concatenate([[0], np.cumsum(np.bincount(edge_brush, minlength=count))])
    # Sound: each edge is gone along at most once in each direction, and never from a vertex to itself; no face meets
    # a vertex twice.
    sound = np.ones(count, np.bool_)
    if len(firsts):
        forward = np.add.reduceat(along.take(order), firsts, dtype=np.int64)
        sound[edge_brush[(forward > 1) | (sizes - forward > 1) | (edges[:, 0] == edges[:, 1])]] = False
    owners = polygons.corner_face
    visits = np.sort(owners * max(vertices, 1) + corners)
    twice = visits[1:][visits[1:] == visits[:-1]] // max(vertices, 1)
    sound[geometry.brush_of_face[twice]] = False
    sound[geometry.brush_of_face[np.flatnonzero(full & (np.diff(starts) < 3))]] = False
    return Edges(edges, corner_edges, edge_starts, sound)


def texture_sizes(geometry: Geometry, materials: Materials) -> Floats:
    """Width and height of each face's texture, float64[f, 2]."""
    table = np.array([materials.pictures.size(name) for name in geometry.names], np.float64).reshape(-1, 2)
    return table[geometry.texture] if len(table) else np.empty((0, 2))


def keep_baselines(collection: bpy.types.Collection, made: Arrays) -> None:
    """Keep on the level's collection what the exporter compares meshes with."""
    for key, values in (
        (layout.POSITIONS, made.positions),
        (layout.VERTEX_STARTS, made.vertex_starts),
        (layout.CORNERS, made.corners),
        (layout.CORNER_STARTS, made.corner_starts),
        (layout.UVS, made.uvs),
        (layout.ORIGINS, made.origins),
    ):
        baselines.store(collection, key, values)


class MeshMaker:
    """Makes the meshes of a level's brushes. Mesh n is that of the brushes from starts[n] to starts[n + 1] - 1."""

    def __init__(self, site: Site, geometry: Geometry, made: Arrays, materials: Materials, starts: Ints) -> None:
        self.site = site
        self.arrays = made
        self.materials = materials
        self.names = geometry.names
        self.brushes = starts
        self.shared = bool((np.diff(starts) > 1).any())
        # As few steps as there can be for each mesh: everything it needs is a slice of these.
        drawn = made.drawn
        self.faces = made.drawn_starts[starts]
        corner_starts = np.append(made.corner_starts[drawn], len(made.corners)).astype(np.int32)
        self.corners = corner_starts[self.faces]
        self.vertices = made.vertex_starts[starts]
        face_counts, corner_counts = np.diff(self.faces), np.diff(self.corners)
        self.face_corner = _local(corner_starts[:-1], self.corners, face_counts)
        self.corner_vertex = _local(made.corners, self.vertices, corner_counts)
        if made.edges is not None:
            edge_counts = np.diff(made.edges.starts)
            self.edge_vertices = _local(made.edges.vertices, self.vertices, edge_counts)
            self.corner_edge = _local(made.edges.of_corner, made.edges.starts, corner_counts)
        ids = (drawn + 1).astype(np.int32)
        fields = geometry.fields
        if len(drawn) < len(geometry.faces):
            fields = {name: values[drawn] for name, values in fields.items()}
        fields = fields | {identity.ID: ids, identity.CHECK: identity.checks(site.token, ids)}
        if self.shared:
            of_brush = geometry.brush_of_face[drawn]
            fields[layout.BRUSH] = geometry.numbers[of_brush]
            fields[layout.BRUSH_FLAGS] = geometry.flags.view(np.int32)[of_brush]
        self.fields: list[tuple[str, Kind, NDArray[Any]]] = [
            (name, _KINDS[name], values.astype(attributes.LAYOUT[_KINDS[name]][1], copy=False))
            for name, values in fields.items()
        ]
        codes = geometry.texture[drawn] * LOOKS + geometry.look[drawn]
        mesh = np.repeat(np.arange(len(face_counts)), face_counts)
        span = len(geometry.names) * LOOKS + 1
        unique, slots = np.unique(mesh * span + codes, return_inverse=True)
        self.codes = (unique % span).tolist()
        self.first_code = np.searchsorted(unique, np.arange(len(starts)) * span)
        self.slots = (slots.reshape(-1) - np.repeat(self.first_code[:-1], face_counts)).astype(np.int32)

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
            uvs={layout.UV: self.arrays.uvs[corners]},
            attributes={name: ("FACE", kind, values[faces]) for name, kind, values in self.fields},
            material_index=self.slots[faces] if len(codes) > 1 else None,
            edges=self._edges(number, corners),
            report=self.site.report,
        )
        for code in codes:
            mesh.materials.append(self.materials.get(self.names[code // LOOKS], Look(code % LOOKS)))
        return mesh

    def _edges(self, number: int, corners: slice) -> tuple[NDArray[np.int32], NDArray[np.int32]] | None:
        """The edges of a mesh and those of its corners; None where Blender has to find them."""
        edges = self.arrays.edges
        if edges is None or not edges.sound[number]:
            return None
        here = slice(int(edges.starts[number]), int(edges.starts[number + 1]))
        return self.edge_vertices[here], self.corner_edge[corners]


def _local(values: NDArray[Any], starts: NDArray[Any], counts: Ints) -> NDArray[np.int32]:
    """Numbers counted from the start of the mesh that they are in."""
    offsets = np.repeat(starts[:-1], counts)
    local: NDArray[np.int32] = values - (offsets[:, None] if values.ndim > 1 else offsets)
    return local.astype(np.int32, copy=False)


@dataclass
class Place:
    """Where the objects of a row of brushes go. inverse: of the parent's place below the root, None for the root."""

    collection: bpy.types.Collection
    parent: bpy.types.Object
    inverse: Matrix | None = None


def one_each(count: int) -> Ints:
    """The starts of meshes of a brush each."""
    return np.arange(count + 1)


def shared(place_of: Ints) -> Ints:
    """The starts of meshes of up to SHARED neighbours that go to the same place."""
    ends = np.flatnonzero(np.diff(place_of, prepend=-1, append=-1))
    rows = [np.arange(first, last, layout.SHARED) for first, last in pairwise(ends)]
    return np.concatenate([*rows, [len(place_of)]]).astype(np.int64)


def build(site: Site, maker: MeshMaker, geometry: Geometry, places: list[Place], place_of: Ints) -> None:
    """Make the brushes of a `.map`, as many in an object as the maker's meshes have.

    place_of: int[b], the number in `places` of each brush.
    """
    kind, name = (layout.BRUSHES, "Brushes") if maker.shared else (layout.BRUSH, "Brush")
    starts = maker.brushes.tolist()
    # Blender keeps names sorted: names that come in order need no search for their place.
    digits = len(str(len(place_of)))
    titles = [f"{name} {first:0{digits}}" for first in starts[:-1]]
    # All meshes before the first object: giving a mesh a material looks through all objects of the .blend.
    made = [maker.make(title, number) for number, title in enumerate(titles)]
    with progress(len(place_of), "brushes") as step:
        for title, mesh, (first, last) in zip(titles, made, pairwise(starts), strict=True):
            obj = bpy.data.objects.new(title, mesh)
            if not maker.shared:
                write_flags(obj, int(geometry.flags[first]))
            identity.stamp(obj, site.token, kind, first)
            obj[layout.ORDER] = first
            put(obj, places[int(place_of[first])], maker.arrays.origins[first])
            step(last - first)
    site.report.count("brushes", len(place_of))


def put(obj: bpy.types.Object, place: Place, origin: NDArray[np.float32]) -> None:
    """Put a brush where it belongs: below its parent, at its origin below the root, in its collection."""
    anything: Any = obj
    anything.parent = place.parent
    if place.inverse is not None:
        anything.matrix_parent_inverse = place.inverse
    anything.location = origin.tolist()
    place.collection.objects.link(obj)


def write_flags(obj: bpy.types.Object, flags: int) -> None:
    """Give the object of a `.map`'s brush the properties of its flags."""
    _writer(flags)(obj)
    if is_see_through(flags):
        obj.display_type = "WIRE"
        obj.hide_render = True


@lru_cache(256)
def _writer(flags: int) -> Callable[[bpy.types.ID], None]:
    """What writes the properties: a level has few different flags."""
    return properties.writer(map_properties(flags))


def is_see_through(flags: int) -> bool:
    """Whether nothing of a brush with these flags, of a `.map`, is drawn by the engine."""
    if flags & int(BrushFlag.CLIP | BrushFlag.HINT):
        return True
    return bool(flags & BrushFlag.AREA) and not flags & BrushFlag.SOLID


_MAP_FLAGS = {one.name.lower(): int(one) for one in BrushFlag if one.name and not one.name.startswith("USER")}
_EDITOR_FLAGS = {one.name.lower(): int(one) for one in EditorBrushFlag if one.name}
_EDITOR_FLAGS["cut"] = _EDITOR_FLAGS.pop("subtract")
_EDITOR_FLAGS["hollow_cut"] = _EDITOR_FLAGS.pop("hollowcut")
_KNOWN_MAP = sum(_MAP_FLAGS.values())


def map_properties(flags: int) -> layout.BrushProperties:
    """The properties for the flags of a `.map` brush."""
    bits = {name: bool(flags & bit) for name, bit in _MAP_FLAGS.items()}
    return layout.BrushProperties(**bits, contents=flags >> 16 & 0xFFFF, other_flags=flags & 0xFFFF & ~_KNOWN_MAP)


def map_flags(values: layout.BrushProperties) -> int:
    """The flags that a `.map` brush with these properties has: the inverse of `map_properties`."""
    bits = sum(bit for name, bit in _MAP_FLAGS.items() if getattr(values, name))
    return bits | values.other_flags | values.contents << 16


def editor_properties(brush: EditorBrush) -> layout.EditorBrushProperties:
    """The properties of a `.3dt` brush."""
    flags = brush.flags & 0xFFFFFFFF
    bits = {name: bool(flags & bit) for name, bit in _EDITOR_FLAGS.items()}
    return layout.EditorBrushProperties(
        **bits, contents=flags >> 16, other_flags=0, brush_name=brush.name, hull_size=brush.hull_size
    )


def editor_flags(values: layout.EditorBrushProperties) -> int:
    """The flags that a `.3dt` brush with these properties has, unsigned."""
    return sum(bit for name, bit in _EDITOR_FLAGS.items() if getattr(values, name)) | values.contents << 16


def warn_of_unclosed(site: Site, geometry: Geometry) -> None:
    """Tell which brushes aren't closed: they were imported as they are, and go back unchanged."""
    numbers = geometry.numbers[~geometry.polygons.closed]
    if not len(numbers):
        return
    shown = ", ".join(map(str, numbers[:UNCLOSED_SHOWN])) + (", ..." if len(numbers) > UNCLOSED_SHOWN else "")
    site.report.warn(
        f"{len(numbers)} brushes are not closed, their planes enclose nothing: {shown}. They are shown as far as they "
        "go, and are written back as they are unless they are edited"
    )
