"""Brushes as mesh objects. All that can be is worked out for the whole level at once, in arrays; see `layout`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ...formats.genesis import textures
from ...formats.genesis.editor_level import EditorBrush
from ...formats.genesis.records import BrushFlag, EditorBrushFlag
from ..scene import attributes, baselines, identity, meshes, properties
from ..scene.progress import progress
from . import layout
from .geometry import LOOKS, Floats, Geometry, Ints, Look
from .materials import Materials
from .site import Site

_KINDS = layout.FACE_FIELDS | layout.MAP_FIELDS | layout.EDITOR_FIELDS
UNCLOSED_SHOWN = 8
"""Brushes that a warning about them names."""


@dataclass(frozen=True)
class Arrays:
    """The meshes of all brushes, one behind the other. Starts have one more element than there are things.

    positions: float32[v, 3], Blender's axes, relative to each brush's origin. vertex_starts: int[b + 1]. corners:
    int[c], vertices. corner_starts: int[f + 1], of all faces of the file; those of drawn ones: face_starts int[d].
    drawn: int[d], the numbers of the faces with corners. drawn_starts: int[b + 1], in `drawn`. uvs: float32[c, 2].
    edges: int[e, 2]; corner_edges: int[c]; edge_starts: int[b + 1]. sound: bool[b], whether the edges are right: where
    more than two faces share one, or a face meets itself, Blender has to look. origins: float32[b, 3].
    """

    positions: NDArray[np.float32]
    vertex_starts: Ints
    corners: Ints
    corner_starts: Ints
    drawn: Ints
    drawn_starts: Ints
    uvs: NDArray[np.float32]
    edges: Ints
    corner_edges: Ints
    edge_starts: Ints
    sound: NDArray[np.bool_]
    origins: NDArray[np.float32]


def arrays(geometry: Geometry, sizes: NDArray[np.float64], centred: bool) -> Arrays:
    """Work out the meshes. sizes: float64[f, 2], width and height of each face's texture. centred: see ORIGINS."""
    polygons = geometry.polygons
    points = layout.to_blender(polygons.positions)
    count = len(geometry.counts)
    origins = _origins(points, polygons.first_vertex) if centred else np.zeros((count, 3))
    brush_of_vertex = np.repeat(np.arange(count), np.diff(polygons.first_vertex))
    drawn = np.flatnonzero(np.diff(polygons.first_corner) > 0)
    per_brush = np.bincount(geometry.brush_of_face[drawn], minlength=count)
    with np.errstate(all="ignore"):
        uvs = textures.to_uv(geometry.texels(), sizes[polygons.corner_face]).astype(np.float32)
    uvs[~np.isfinite(uvs)] = 0  # scales of 0
    edges, corner_edges, edge_starts, sound = _edges(geometry)
    return Arrays(
        (points - origins[brush_of_vertex]).astype(np.float32),
        polygons.first_vertex,
        polygons.corners,
        polygons.first_corner,
        drawn,
        np.concatenate([[0], np.cumsum(per_brush)]),
        uvs,
        edges,
        corner_edges,
        edge_starts,
        sound,
        origins.astype(np.float32),
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


def _edges(geometry: Geometry) -> tuple[Ints, Ints, Ints, NDArray[np.bool_]]:
    """Edges [e, 2], the edge of each corner [c], starts [b + 1], and of which brushes they are sound [b]."""
    polygons = geometry.polygons
    corners, starts = polygons.corners, polygons.first_corner
    count = len(geometry.counts)
    vertices = len(polygons.positions)
    following = np.arange(1, len(corners) + 1)
    full = np.diff(starts) > 0
    following[starts[1:][full] - 1] = starts[:-1][full]
    ends = corners[following] if len(corners) else corners
    low, high = np.minimum(corners, ends), np.maximum(corners, ends)
    keys = low * max(vertices, 1) + high
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    first = np.ones(len(keys), np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    numbers = np.cumsum(first) - 1
    corner_edges = np.empty(len(keys), np.int64)
    corner_edges[order] = numbers
    chosen = order[first]
    edges = np.column_stack([corners[chosen], ends[chosen]])
    brush_of_vertex = np.repeat(np.arange(count), np.diff(polygons.first_vertex))
    edge_brush = brush_of_vertex[edges[:, 0]] if len(edges) else np.empty(0, np.int64)
    edge_starts = np.concatenate([[0], np.cumsum(np.bincount(edge_brush, minlength=count))])
    # Sound: each edge is gone along at most once in each direction, and never from a vertex to itself; no face meets
    # a vertex twice.
    forward = np.bincount(corner_edges, corners < ends, len(edges))
    backward = np.bincount(corner_edges, corners > ends, len(edges))
    sound = np.ones(count, np.bool_)
    sound[edge_brush[(forward > 1) | (backward > 1) | (forward + backward == 0)]] = False
    owners = polygons.corner_face
    visits = np.sort(owners * max(vertices, 1) + corners)
    twice = visits[1:][visits[1:] == visits[:-1]] // max(vertices, 1)
    sound[geometry.brush_of_face[twice]] = False
    sound[geometry.brush_of_face[np.flatnonzero(full & (np.diff(starts) < 3))]] = False
    return edges, corner_edges, edge_starts, sound


def texture_sizes(geometry: Geometry, materials: Materials) -> Floats:
    """Width and height of each face's texture, float64[f, 2]."""
    table = np.array([materials.pictures.size(name) for name in geometry.names], np.float64).reshape(-1, 2)
    return table[geometry.texture] if len(table) else np.empty((0, 2))


def keep_baselines(collection: bpy.types.Collection, made: Arrays) -> None:
    """Keep on the level's collection what the exporter compares meshes with."""
    for key, values in (
        (layout.POSITIONS, made.positions),
        (layout.VERTEX_STARTS, made.vertex_starts.astype(np.int32)),
        (layout.CORNERS, made.corners.astype(np.int32)),
        (layout.CORNER_STARTS, made.corner_starts.astype(np.int32)),
        (layout.UVS, made.uvs),
        (layout.ORIGINS, made.origins),
    ):
        baselines.store(collection, key, values)


class MeshMaker:
    """Makes the meshes of brushes, or of several in one, of a level's arrays."""

    def __init__(self, site: Site, geometry: Geometry, made: Arrays, materials: Materials) -> None:
        self.site = site
        self.arrays = made
        self.materials = materials
        self.geometry = geometry
        drawn = made.drawn
        # As few copies as there can be: every brush's part of these is one slice.
        self.fields = {
            name: np.ascontiguousarray(values[drawn], attributes.LAYOUT[_KINDS[name]][1])
            for name, values in geometry.fields.items()
        }
        self.ids = (drawn + 1).astype(np.int32)
        self.codes = geometry.texture[drawn] * LOOKS + geometry.look[drawn]
        self.face_starts = made.corner_starts[drawn]
        self.corners = made.corners.astype(np.int32)
        self.corner_edges = made.corner_edges.astype(np.int32)
        self.edges = made.edges.astype(np.int32)
        self.checks = identity.checks(site.token, self.ids)

    def make(self, name: str, first: int, last: int) -> bpy.types.Mesh:
        """Make the mesh of the brushes first to last - 1."""
        made = self.arrays
        start, end = int(made.drawn_starts[first]), int(made.drawn_starts[last])
        vertex, vertex_end = int(made.vertex_starts[first]), int(made.vertex_starts[last])
        corner = int(self.face_starts[start]) if end > start else 0
        corner_end = int(made.corner_starts[made.drawn[end - 1] + 1]) if end > start else 0
        layers: dict[str, Any] = {
            name: ("FACE", _KINDS[name], values[start:end]) for name, values in self.fields.items()
        }
        layers[identity.ID] = ("FACE", "INT", self.ids[start:end])
        layers[identity.CHECK] = ("FACE", "INT", self.checks[start:end])
        if last - first > 1:
            of_brush = np.repeat(np.arange(first, last), np.diff(made.drawn_starts[first : last + 1]))
            layers[layout.BRUSH] = ("FACE", "INT", self.geometry.numbers[of_brush].astype(np.int32))
            layers[layout.BRUSH_FLAGS] = ("FACE", "INT", self.geometry.flags.view(np.int32)[of_brush])
        codes, slots = _slots(self.codes[start:end])
        edges = None
        if made.sound[first:last].all():
            edge, edge_end = int(made.edge_starts[first]), int(made.edge_starts[last])
            edges = self.edges[edge:edge_end] - np.int32(vertex), self.corner_edges[corner:corner_end] - np.int32(edge)
        mesh = meshes.build(
            name,
            made.positions[vertex:vertex_end],
            self.corners[corner:corner_end] - np.int32(vertex),
            (self.face_starts[start:end] - corner).astype(np.int32),
            uvs={layout.UV: made.uvs[corner:corner_end]},
            attributes=layers,
            material_index=slots,
            edges=edges,
            report=self.site.report,
        )
        for code in codes:
            look = Look(code % LOOKS)
            mesh.materials.append(self.materials.get(self.geometry.names[code // LOOKS], look))
        return mesh


def _slots(codes: Ints) -> tuple[list[int], NDArray[np.int32] | None]:
    """The material codes of a mesh, and the slot of each face; None where all have the first."""
    if len(codes) == 0:
        return [], None
    if bool((codes == codes[0]).all()):
        return [int(codes[0])], None
    unique, slots = np.unique(codes, return_inverse=True)
    return unique.tolist(), slots.reshape(-1).astype(np.int32)


@dataclass
class Place:
    """Where the objects of a row of brushes go. inverse: of the parent's place below the root, None for the root."""

    collection: bpy.types.Collection
    parent: bpy.types.Object
    inverse: Matrix | None = None


def build_map(site: Site, maker: MeshMaker, places: list[Place], place_of: Ints) -> None:
    """Make the brushes of a `.map`. place_of: int[b], the number in `places` of each brush."""
    objects = _Templates(site, layout.BrushProperties)
    count = len(place_of)
    with progress(count, "brushes") as step:
        for number, place in enumerate(place_of.tolist()):
            flags = int(maker.geometry.flags[number])
            obj = objects.make(f"Brush {number}", maker.make(f"Brush {number}", number, number + 1), flags)
            identity.stamp(obj, site.token, layout.BRUSH, number)
            obj[layout.ORDER] = number
            put(obj, places[place], maker.arrays.origins[number])
            step()
    site.report.count("brushes", count)


def build_shared(site: Site, maker: MeshMaker, places: list[Place], place_of: Ints) -> None:
    """Make the brushes of a level with very many of them: up to SHARED neighbours an object."""
    count = len(place_of)
    rows = np.flatnonzero(np.diff(place_of, prepend=-1, append=-1))
    with progress(count, "brushes") as step:
        for first, last in zip(rows[:-1].tolist(), rows[1:].tolist(), strict=True):
            for start in range(first, last, layout.SHARED):
                end = min(start + layout.SHARED, last)
                number = int(maker.geometry.numbers[start])
                name = f"Brushes {number}"
                obj = bpy.data.objects.new(name, maker.make(name, start, end))
                identity.stamp(obj, site.token, layout.BRUSHES, number)
                obj[layout.ORDER] = number
                put(obj, places[int(place_of[start])], np.zeros(3, np.float32))
                step(end - start)
    site.report.count("brushes", count)


def put(obj: bpy.types.Object, place: Place, origin: NDArray[np.float32]) -> None:
    """Put a brush where it belongs: below its parent, at its origin below the root, in its collection."""
    anything: Any = obj
    anything.parent = place.parent
    if place.inverse is not None:
        anything.matrix_parent_inverse = place.inverse
    anything.location = origin.tolist()
    place.collection.objects.link(obj)


class _Templates:
    """Objects with the properties for brush flags: copying one is much quicker than giving each its properties."""

    def __init__(self, site: Site, cls: type[layout.BrushProperties]) -> None:
        self.site = site
        self.cls = cls
        self._made: dict[int, bpy.types.Object] = {}

    def make(self, name: str, mesh: bpy.types.Mesh, flags: int) -> bpy.types.Object:
        """Make the object of a brush with these flags."""
        template = self._made.get(flags)
        if template is None:
            obj = self._made[flags] = bpy.data.objects.new(name, mesh)
            properties.write(obj, map_properties(flags))
            if is_see_through(flags):
                obj.display_type = "WIRE"
                obj.hide_render = True
            return obj
        obj = template.copy()
        obj.name = name
        obj.data = mesh
        return obj


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
