# SPDX-License-Identifier: GPL-3.0-or-later
"""The faces of a level as mesh objects: polygons, their attributes, and the baselines of all that."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ....formats import ns2
from ....formats.ns2.polygons import Fault, Polygons, polygons
from ....formats.ns2.texture_coordinates import texture_coordinates
from ...scene import attributes as mesh_attributes
from ...scene import identity, meshes
from ...scene.attributes import Domain, Kind
from .. import layout
from ..context import Site

Ints = NDArray[np.int32]
Mask = NDArray[np.bool_]

NOT_SHOWN = {
    Fault.UNCHAINED: "faces whose edges are not one behind the other",
    Fault.TOO_FEW: "faces with fewer than three corners",
    Fault.TANGLED: "faces whose outline crosses itself",
    Fault.TOO_LARGE: "faces with too many corners",
    Fault.TWIN: "faces with the same vertices as another",
}


@dataclass(frozen=True, eq=False)
class Geometry:
    """All polygons of a level, and what of its faces, edges and vertices their elements show.

    p polygons with c corners, v vertices and n faces of the file, e edges of the scene. corners: the vertex of each
    corner, corner_edges: its edge. edges: vertices. fields: attributes of the file's faces [n] that any of them has.
    """

    positions: NDArray[np.float32]  # [v, 3], Blender's axes
    corners: Ints
    starts: Ints  # [p + 1]
    faces: Ints  # [p]
    corner_edges: Ints
    edges: Ints  # [e, 2]
    smooth: Mask  # [e]
    bridges: Mask  # [e]
    uvs: NDArray[np.float32]
    materials: Ints  # [n]
    fields: dict[str, Ints]
    vertex_groups: Ints | None
    edge_groups: Ints | None  # [e]


def of_mesh(mesh: ns2.Mesh, loose_edges: bool = False) -> tuple[Geometry, layout.Shown]:
    """The geometry of a level's mesh, and its baselines. loose_edges: also edges that no polygon has.

    Raises FormatError for members, edges or groups that name what isn't there.
    """
    faces, positions = mesh.faces, mesh.positions
    corners, ends = mesh.member_vertices()
    made = polygons(positions, corners, faces.face_loops, faces.loop_members, ends)
    vertices = corners[made.members]
    uvs = texture_coordinates(mesh, positions, corners, made)
    edges, corner_edges, numbers, bridges = _edges(mesh, made, vertices, loose_edges)
    groups = mesh.geometry_groups
    real = numbers >= 0
    smooth = np.zeros(len(numbers), np.bool_)
    smooth[real] = mesh.smooth[numbers[real]]
    edge_groups = None
    if len(groups.edges.members):
        edge_groups = np.zeros(len(numbers), np.int32)
        of_file = layout.group_values(groups.edges.assignment(len(mesh.edges)))
        edge_groups[real] = of_file[numbers[real]]
    vertex_groups = None
    if len(groups.vertices.members):
        vertex_groups = layout.group_values(groups.vertices.assignment(len(mesh.vertices)))
    shown = layout.Shown(
        made.faces.astype(np.int32),
        made.starts.astype(np.int32),
        made.members.astype(np.int32),
        made.bridges,
        uvs,
        made.faults,
    )
    records = faces.records
    count = len(mesh.materials)
    materials = np.where(records["material"] < count, records["material"], count).astype(np.int32)
    geometry = Geometry(
        layout.to_blender(positions),
        vertices.astype(np.int32),
        shown.starts,
        shown.faces,
        corner_edges,
        edges,
        smooth,
        bridges,
        uvs,
        materials,
        _fields(mesh),
        vertex_groups,
        edge_groups,
    )
    return geometry, shown


def _fields(mesh: ns2.Mesh) -> dict[str, Ints]:
    """The attributes of faces that any face has: name -> int32[n]."""
    masks = mesh.face_layers.masks
    found = {
        f"{layout.LAYERS}{word}": np.ascontiguousarray(masks[:, word]).view(np.int32)
        for word in range(masks.shape[1])
        if len(masks) == len(mesh.faces) and masks[:, word].any()
    }
    mapping = mesh.faces.records["mapping_group"]
    if (mapping != ns2.NO_MAPPING_GROUP).any():
        found[layout.MAPPING_GROUP] = layout.group_values(np.ascontiguousarray(mapping))
    groups = mesh.geometry_groups.faces
    if len(groups.members):
        found[layout.FACE_GROUP] = layout.group_values(groups.assignment(len(mesh.faces)))
    return found


def _edges(
    mesh: ns2.Mesh, made: Polygons, vertices: NDArray[np.intp], loose: bool
) -> tuple[Ints, Ints, NDArray[np.intp], Mask]:
    """The edges of the scene: their vertices [e, 2], that of each corner [c], the file's edge of each or -1 [e], and
    which are bridges [e]. Blender holds one edge between two vertices: a bridge may be an edge of the file, too.
    """
    pairs = mesh.edge_vertices
    of_corner = mesh.faces.members["edge"][made.members].astype(np.intp)
    used = np.zeros(len(pairs), np.bool_)
    used[of_corner[~made.bridges]] = True
    if loose:
        used |= pairs[:, 0] != pairs[:, 1]
    shown_by = layout.edge_numbers(pairs, used)
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


# -------------------------------------------------------------------------------------------------------------- objects


def build(site: Site, materials: list[bpy.types.Material]) -> list[bpy.types.Object]:
    """Make a level's faces, keep their baselines, and tell the report what can't be shown."""
    mesh = site.level.mesh
    geometry, shown = of_mesh(mesh, site.settings.loose_edges)
    layout.keep_shown(site.collection, shown)
    _tell(site, geometry, shown)
    parts = list(_parts(site, geometry))
    made = [_mesh(site, name, geometry, chosen, materials) for name, chosen in parts]
    objects = []
    for record, part in enumerate(made):
        obj = site.object_of(part.name, layout.GEOMETRY, record, part)
        objects.append(obj)
    return objects


def _tell(site: Site, geometry: Geometry, shown: layout.Shown) -> None:
    """Count what is shown, and what isn't."""
    report, faults = site.report, np.bincount(shown.faults, minlength=len(Fault))
    mesh = site.level.mesh
    report.count("faces", len(shown.faults) - int(faults[list(NOT_SHOWN)].sum()))
    holed = shown.faults[np.diff(mesh.faces.face_loops) > 1]
    report.count("of them with holes", int(np.count_nonzero(~np.isin(holed, list(NOT_SHOWN)))))
    for fault, what in NOT_SHOWN.items():
        if faults[fault]:
            report.left_out(what, int(faults[fault]))
    if faults[Fault.PARTLY]:
        report.note(f"{faults[Fault.PARTLY]} faces are shown without parts that enclose nothing")
    passed = np.zeros(len(mesh.edges), np.bool_)
    passed[mesh.faces.members["edge"]] = True
    loose = int(np.count_nonzero(~passed))
    if loose and not site.settings.loose_edges:
        report.note(f"{loose} edges belong to no face: they are kept, but not shown")
    records = mesh.faces.records
    lost = _infinite(records["angle"], records["offset"], records["scale"])
    if lost:
        report.note(f"{lost} faces have textures that lie nowhere (no numbers): their UVs are 0")
    places = _infinite(geometry.positions)
    if places:
        report.warn(f"{places} vertices have coordinates that aren't numbers: they lie at 0")


def _infinite(*values: NDArray[np.floating[Any]]) -> int:
    """How many rows of these values [n] or [n, k] hold one that is no finite number."""
    finite = [np.isfinite(column) for each in values for column in np.atleast_2d(each.T)]
    return int(np.count_nonzero(~np.logical_and.reduce(finite)))


def _parts(site: Site, geometry: Geometry) -> Iterator[tuple[str, NDArray[np.intp] | None]]:
    """The names of the objects, and which polygons are in each: None for all of them."""
    split = site.settings.split
    if split == "group":
        names = [layout.FACE_GROUP]
        listed = {each.id: each.name for each in site.level.groups}
    else:
        names = [f"{layout.LAYERS}{word}" for word in range(8)]
        listed = {each.id: each.name for each in site.level.layers}
    columns = [geometry.fields[name][geometry.faces] for name in names if name in geometry.fields]
    if split == "none" or not columns or not len(geometry.faces):
        yield "Geometry", None
        return
    kinds, which = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    order = np.argsort(which.reshape(-1), kind="stable")
    words = [name.rsplit("_", 1)[-1] for name in names if name in geometry.fields]
    for kind, chosen in zip(
        kinds.view(np.uint32).tolist(), np.split(order, np.cumsum(np.bincount(which.reshape(-1)))[:-1]), strict=True
    ):
        if split == "group":
            ids = [kind[0]] if kind[0] else []
        else:
            ids = [
                32 * int(word) + bit
                for word, value in zip(words, kind, strict=True)
                for bit in range(32)
                if value >> bit & 1
            ]
        yield f"Geometry: {', '.join(listed.get(one, str(one)) for one in ids) or 'no ' + split}", chosen


def _mesh(
    site: Site,
    name: str,
    geometry: Geometry,
    chosen: NDArray[np.intp] | None,
    materials: list[bpy.types.Material],
) -> bpy.types.Mesh:
    """Make the mesh of some polygons, with the vertices, edges and materials that they have."""
    faces, starts, corners, uvs = geometry.faces, geometry.starts, geometry.corners, geometry.uvs
    corner_edges = geometry.corner_edges
    kept_edges: Any = slice(None)
    if chosen is not None:
        faces = faces[chosen]
        sizes = np.diff(starts)[chosen]
        own = np.repeat(starts[chosen] - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
        corners, uvs, corner_edges = corners[own], uvs[own], corner_edges[own]
        kept_edges, (corner_edges,) = _compressed(len(geometry.edges), corner_edges)
    vertices, (corners, ends) = _compressed(len(geometry.positions), corners, geometry.edges[kept_edges])

    smooth = geometry.smooth[kept_edges]
    flat = ~_any(smooth[corner_edges], starts)
    if not flat.all():  # the parts of a face with holes are shaded alike
        rounded = np.zeros(len(geometry.materials), np.bool_)
        rounded[faces[~flat]] = True
        flat = ~rounded[faces]
    layers: dict[str, tuple[Domain, Kind, Any]] = {}
    ids = (vertices + 1).astype(np.int32)
    layers[layout.VERTEX_ID] = ("POINT", "INT", ids)
    layers[layout.VERTEX_CHECK] = ("POINT", "INT", identity.checks(site.token, ids))
    if geometry.vertex_groups is not None:
        layers[layout.VERTEX_GROUP] = ("POINT", "INT", geometry.vertex_groups[vertices])
    layers["sharp_face"] = ("FACE", "BOOLEAN", flat)
    for field, values in geometry.fields.items():
        layers[field] = ("FACE", "INT", values[faces])
    slots, index = materials, geometry.materials[faces]
    if chosen is not None:
        used, (index,) = _compressed(len(materials) + 1, index)
        slots = [materials[slot] for slot in used.tolist() if slot < len(materials)]
    mesh: Any = meshes.build(
        name,
        geometry.positions.take(vertices, axis=0),
        corners,
        starts[:-1],
        {layout.UV: uvs},
        layers,
        index,
        smooth=True,
        report=site.report,
        edges=(ends, corner_edges),
    )
    identity.write_ids(mesh, "FACE", faces + np.int32(1), site.token)
    for material in slots:
        mesh.materials.append(material)
    if len(ends):
        touched = np.zeros(len(ends), np.bool_)
        touched[corner_edges[np.repeat(~flat, np.diff(starts))]] = True
        _write_edges(mesh, touched & ~smooth & ~geometry.bridges[kept_edges], geometry, kept_edges)
    made: bpy.types.Mesh = mesh
    return made


def _compressed(count: int, *numbers: Ints) -> tuple[NDArray[np.intp], list[Ints]]:
    """Which of `count` things are named at all, ascending, and the numbers as places among those."""
    used = np.zeros(count, np.bool_)
    for each in numbers:
        used[each] = True
    kept = np.flatnonzero(used)
    if len(kept) == count:
        return kept, list(numbers)
    place = np.cumsum(used, dtype=np.int32) - np.int32(1)
    return kept, [place[each] for each in numbers]


def _any(corners: Mask, starts: Ints) -> Mask:
    """Whether any corner of each polygon is set."""
    if not len(corners) or not corners.any():
        return np.zeros(len(starts) - 1, np.bool_)
    return np.asarray(np.logical_or.reduceat(corners, starts[:-1]), np.bool_)


def _write_edges(mesh: bpy.types.Mesh, sharp: Mask, geometry: Geometry, kept: NDArray[np.intp] | slice) -> None:
    """Write what edges have: attributes can only be made where the edges are there already."""
    if sharp.any():
        mesh_attributes.create(mesh, "sharp_edge", "EDGE", "BOOLEAN", sharp)
    bridges = geometry.bridges[kept]
    if bridges.any():
        mesh_attributes.create(mesh, layout.BRIDGE, "EDGE", "BOOLEAN", bridges)
    if geometry.edge_groups is not None:
        mesh_attributes.create(mesh, layout.EDGE_GROUP, "EDGE", "INT", geometry.edge_groups[kept])
