# SPDX-License-Identifier: GPL-3.0-or-later
"""The faces of a level as mesh objects: polygons, their attributes, and the baselines of all that."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import bpy
import numpy as np
from bpy.types import Mesh
from numpy.typing import ArrayLike

from ....formats import ns2
from ....formats.arrays import Bools, Indices, Int32s, Reals, Records, Singles
from ....formats.counting import number_of
from ....formats.ns2.editing import TEXTURE, ShownPolygons, show_mesh
from ....formats.ns2.polygons import Fault
from ...scene import attributes as mesh_attributes
from ...scene.attributes import Domain, Kind
from ...scene.geometry import meshes
from ...scene.kept import identity
from ...scene.work.progress import Steps, progress
from .. import layout
from ..context import ImportContext

NOT_SHOWN = {
    Fault.UNCHAINED: "faces whose edges are not one behind the other",
    Fault.TOO_FEW: "faces with fewer than three corners",
    Fault.TANGLED: "faces whose outline crosses itself",
    Fault.TOO_LARGE: "faces with too many corners",
    Fault.TWIN: "faces with the same vertices as another",
}


@dataclass(frozen=True, eq=False)
class FaceGeometry:
    """All p polygons of a level with c corners, e edges, and what of its n faces and v vertices they show."""

    positions: Singles
    """[v, 3], Blender's axes."""
    corners: Int32s
    """[c]: the vertex of each corner."""
    starts: Int32s
    """[p + 1]: the first corner of each polygon."""
    faces: Int32s
    """[p]: the face of each polygon."""
    corner_edges: Int32s
    """[c]: the edge from each corner to the next one."""
    edges: Int32s
    """[e, 2]: vertices."""
    smooth: Bools
    """[e]."""
    bridges: Bools
    """[e]."""
    uvs: Singles
    """[c, 2]."""
    materials: Int32s
    """[n]: numbers in the level's list; its length for one that isn't in it."""
    fields: dict[str, Int32s]
    """Attributes of faces that any of them has, [n] each."""
    vertex_groups: Int32s | None
    """[v], where the level has such groups."""
    edge_groups: Int32s | None
    """[e], where the level has such groups."""


def of_mesh(mesh: ns2.Mesh, loose_edges: bool = False) -> tuple[FaceGeometry, ShownPolygons]:
    """The geometry of a level's mesh, and its baselines. loose_edges: also edges that no polygon has.

    Raises FormatError for members, edges or groups that name what isn't there.
    """
    made = show_mesh(mesh, loose_edges)
    shown, numbers, groups = made.polygons, made.numbers, mesh.geometry_groups
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
    records = mesh.faces.records
    count = len(mesh.materials)
    geometry = FaceGeometry(
        positions=layout.to_blender(mesh.positions),
        corners=made.corners,
        starts=shown.starts,
        faces=shown.faces,
        corner_edges=made.corner_edges,
        edges=made.edges,
        smooth=smooth,
        bridges=made.bridges,
        uvs=shown.uvs,
        materials=np.where(records["material"] < count, records["material"], count).astype(np.int32),
        fields=_fields(mesh),
        vertex_groups=vertex_groups,
        edge_groups=edge_groups,
    )
    return geometry, shown


def _fields(mesh: ns2.Mesh) -> dict[str, Int32s]:
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


# -------------------------------------------------------------------------------------------------------------- objects


def build_faces(importing: ImportContext, materials: list[bpy.types.Material]) -> Steps[list[bpy.types.Object]]:
    """Make a level's faces, keep their baselines, and report what can't be shown."""
    mesh = importing.level.mesh
    geometry, shown = of_mesh(mesh, importing.settings.loose_edges)
    yield
    layout.keep_shown(importing.collection, shown)
    _report(importing, geometry, shown)
    parts = list(_parts(importing, geometry))
    made = []
    with progress(len(parts), "meshes of faces") as step:
        for name, chosen in parts:
            yield
            made.append(_mesh(importing, name, geometry, chosen, materials))
            step()
    objects = []
    for record, part in enumerate(made):
        obj = importing.object_of(part.name, layout.GEOMETRY, record, part)
        objects.append(obj)
    return objects


def _report(importing: ImportContext, geometry: FaceGeometry, shown: ShownPolygons) -> None:
    """Count what is shown, and what isn't."""
    report, faults = importing.report, np.bincount(shown.faults, minlength=len(Fault))
    mesh = importing.level.mesh
    report.count("faces", len(shown.faults) - int(faults[list(NOT_SHOWN)].sum()))
    holed = shown.faults[np.diff(mesh.faces.face_loops) > 1]
    report.count("faces with holes", int(np.count_nonzero(~np.isin(holed, list(NOT_SHOWN)))))
    for fault, what in NOT_SHOWN.items():
        if faults[fault]:
            report.left_out(what, int(faults[fault]))
    if faults[Fault.PARTLY]:
        report.note(f"{number_of(faults[Fault.PARTLY], 'faces are')} shown without parts that enclose nothing")
    passed = np.zeros(len(mesh.edges), np.bool_)
    passed[mesh.faces.members["edge"]] = True
    loose = int(np.count_nonzero(~passed))
    if loose and not importing.settings.loose_edges:
        report.note(f"{number_of(loose, 'edges')} without a face, kept but not shown")
    records = mesh.faces.records
    lost = _infinite(records["angle"], records["offset"], records["scale"])
    if lost:
        report.note(f"{number_of(lost, 'faces have')} texture parameters that aren't finite: UVs are 0 there")
    places = _infinite(geometry.positions)
    if places:
        report.warn(f"{number_of(places, 'vertices have')} coordinates that aren't finite: 0 is shown")


def _infinite(*values: Reals) -> int:
    """How many rows of these values [n] or [n, k] hold one that is no finite number."""
    finite = [np.isfinite(column) for each in values for column in np.atleast_2d(each.T)]
    return int(np.count_nonzero(~np.logical_and.reduce(finite)))


def _parts(importing: ImportContext, geometry: FaceGeometry) -> Iterator[tuple[str, Indices | None]]:
    """The names of the objects, and which polygons are in each: None for all of them."""
    split = importing.settings.split
    if split == "group":
        names = [layout.FACE_GROUP]
        listed = {each.id: each.name for each in importing.level.groups}
    else:
        names = [f"{layout.LAYERS}{word}" for word in range(8)]
        listed = {each.id: each.name for each in importing.level.layers}
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
    importing: ImportContext,
    name: str,
    geometry: FaceGeometry,
    chosen: Indices | None,
    materials: list[bpy.types.Material],
) -> bpy.types.Mesh:
    """Make the mesh of some polygons, with the vertices, edges and materials that they have."""
    faces, starts, corners, uvs = geometry.faces, geometry.starts, geometry.corners, geometry.uvs
    corner_edges = geometry.corner_edges
    kept_edges: slice | Indices = slice(None)
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
    layers: dict[str, tuple[Domain, Kind, ArrayLike]] = {}
    ids = (vertices + 1).astype(np.int32)
    layers[layout.VERTEX_ID] = ("POINT", "INT", ids)
    layers[layout.VERTEX_CHECK] = ("POINT", "INT", identity.checks(importing.token, ids))
    if geometry.vertex_groups is not None:
        layers[layout.VERTEX_GROUP] = ("POINT", "INT", geometry.vertex_groups[vertices])
    layers["sharp_face"] = ("FACE", "BOOLEAN", flat)
    for field, values in geometry.fields.items():
        layers[field] = ("FACE", "INT", values[faces])
    slots, index = materials, geometry.materials[faces]
    if chosen is not None:
        used, (index,) = _compressed(len(materials) + 1, index)
        slots = [materials[slot] for slot in used.tolist() if slot < len(materials)]
    mesh = meshes.build(
        name,
        geometry.positions.take(vertices, axis=0),
        corners,
        starts[:-1],
        {layout.UV: uvs},
        layers,
        index,
        smooth=True,
        report=importing.report,
        edges=(ends, corner_edges),
    )
    identity.write_ids(mesh, "FACE", faces + np.int32(1), importing.token)
    for material in slots:
        mesh.materials.append(material)
    if len(ends):
        touched = np.zeros(len(ends), np.bool_)
        touched[corner_edges[np.repeat(~flat, np.diff(starts))]] = True
        _write_edges(mesh, touched & ~smooth & ~geometry.bridges[kept_edges], geometry, kept_edges)
    made: bpy.types.Mesh = mesh
    return made


def remember_textures(obj: bpy.types.Object, records: Records) -> None:
    """Let the faces of an object that was just made say how their textures lie in the file that they came from, FACE
    records: they are no records of this level's.
    """
    mesh = obj.data
    ids = mesh_attributes.read(mesh, identity.ID, "FACE") if isinstance(mesh, Mesh) else None
    if not isinstance(mesh, Mesh) or ids is None:
        return
    for attribute, (name, place) in zip(layout.TEXTURES, TEXTURE, strict=True):
        values = records[name].reshape(len(records), -1)[ids - 1, place]
        mesh_attributes.create(mesh, attribute, "FACE", "FLOAT", np.where(np.isfinite(values), values, np.float32(0)))


def _compressed(count: int, *numbers: Int32s) -> tuple[Indices, list[Int32s]]:
    """Which of `count` things are named at all, ascending, and the numbers as places among those."""
    used = np.zeros(count, np.bool_)
    for each in numbers:
        used[each] = True
    kept = np.flatnonzero(used)
    if len(kept) == count:
        return kept, list(numbers)
    place = np.cumsum(used, dtype=np.int32) - np.int32(1)
    return kept, [place[each] for each in numbers]


def _any(corners: Bools, starts: Int32s) -> Bools:
    """Whether any corner of each polygon is set."""
    if not len(corners) or not corners.any():
        return np.zeros(len(starts) - 1, np.bool_)
    return np.asarray(np.logical_or.reduceat(corners, starts[:-1]), np.bool_)


def _write_edges(mesh: bpy.types.Mesh, sharp: Bools, geometry: FaceGeometry, kept: Indices | slice) -> None:
    """Write what edges have: attributes can only be made where the edges are there already."""
    if sharp.any():
        mesh_attributes.create(mesh, "sharp_edge", "EDGE", "BOOLEAN", sharp)
    bridges = geometry.bridges[kept]
    if bridges.any():
        mesh_attributes.create(mesh, layout.BRIDGE, "EDGE", "BOOLEAN", bridges)
    if geometry.edge_groups is not None:
        mesh_attributes.create(mesh, layout.EDGE_GROUP, "EDGE", "INT", geometry.edge_groups[kept])
