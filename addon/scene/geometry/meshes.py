# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays to meshes and back, as fast as Blender allows.

Measured (blender.md §5): writing the attributes `position` and `.corner_vert` and one `validate()`, which
also makes the edges, takes 0.25-0.4 s for a million quads; `from_pydata` takes 2-3 s. `validate()` repairs bad corners
and drops bad faces, but unsorted face starts crash Blender: they are refused here, before Blender sees them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import bmesh
import bpy
import numpy as np
from bpy.types import Mesh
from numpy.typing import ArrayLike

from ....formats import face_rings, ranges
from ....formats.arrays import Array, Bools, Int32s, Singles
from ....formats.counting import number_of
from .. import attributes as mesh_attributes
from ..attributes import Domain, Kind
from ..blender_types import elements_of
from ..kept import identity
from ..names import showable
from ..reports import Report, SceneError

DROPPED = "levelwright_dropped"
"""Key, on a mesh, of the faces that `build` had to leave out."""
SURFACES = frozenset(("MESH", "CURVE", "SURFACE", "FONT", "META"))
"""Types of objects that may have faces."""
_SOURCE = "levelwright_source"
_SELECTED = ".select_edge"

InRoom: TypeAlias = Callable[[Singles], Singles]
"""What makes values in an array that is large enough for them, and returns them."""


def build(
    name: str,
    positions: ArrayLike,
    corner_verts: ArrayLike | None = None,
    face_starts: ArrayLike | None = None,
    uvs: Mapping[str, ArrayLike | InRoom] | None = None,
    attributes: Mapping[str, tuple[Domain, Kind, ArrayLike]] | None = None,
    material_index: ArrayLike | None = None,
    smooth: bool = False,
    report: Report | None = None,
    edges: tuple[ArrayLike, ArrayLike] | None = None,
    sound: bool = False,
) -> bpy.types.Mesh:
    """Make a mesh from arrays.

    positions: float32[n,3]. corner_verts: int32[c], the vertex of each face corner; None: every corner has a vertex of
    its own, in order. face_starts: int32[f], the first corner of each face, ascending from 0; None: every face has four
    corners. uvs: name -> float32[c,2], v up, or what makes them in memory that is there already: that of the positions,
    which are lost then. It is for large meshes of quads that share no vertices, where new memory costs as much as its
    contents.
    attributes: name -> (domain, type, values[count, width]), see attributes.LAYOUT. material_index: int32[f].
    smooth: shade smooth (faces are flat otherwise). edges: int32[e,2] vertices, and int32[c] the edge from each corner
    to the next of its face. sound: no face is one that Blender can't hold (`face_rings.unsound`). Who gives edges
    vouches for them and for that, too: finding both out takes most of the time that a small mesh does, the edges alone
    half of it.

    Faces that Blender can't hold (a vertex that doesn't exist, a vertex used twice, fewer than three corners, the same
    vertices as another face) are left out, and coordinates that aren't finite become 0; both are told to the report
    (without one, they raise SceneError). `dropped` says which faces were left out: their records are not deleted.
    Raises ValueError for arrays that don't fit together: that is the caller's mistake, not the level's.
    """
    made = _checked(positions, corner_verts, face_starts)
    maps, layers = dict(uvs or {}), dict(attributes or {})
    if material_index is not None:
        layers["material_index"] = ("FACE", "INT", material_index)
    if not smooth:
        layers["sharp_face"] = ("FACE", "BOOLEAN", np.ones(len(made.starts), np.bool_))
    mesh = _make(name, made)
    known, room = _known_edges(
        made, corner_verts is None, face_starts is None, any(map(callable, maps.values())), edges
    )
    _join(mesh, known, sound and made.is_safe)
    problems = made.problems
    if len(mesh.polygons) == len(made.starts):
        _fill(mesh, maps, layers, room)
    else:
        bpy.data.meshes.remove(mesh)
        mesh, lost = _without_lost(name, made, maps, layers)
        problems.append(
            f"{number_of(lost, 'faces were')} left out, for a face or a vertex that is there twice, or vertices "
            "beyond the end"
        )
    if problems and report is None:
        bpy.data.meshes.remove(mesh)
        raise SceneError(f"{name}: {'; '.join(problems)}")
    if report is not None:
        for problem in problems:
            report.warn(f"{name}: {problem}")
    return mesh


class _Arrays(NamedTuple):
    """Vertices and faces that are safe for Blender."""

    positions: Singles
    """float32[n, 3]."""
    corners: Int32s
    """int32[c], the vertex of each face corner."""
    starts: Int32s
    """int32[f], the first corner of each face."""
    is_safe: bool
    """Whether they are those that were given: else some faces have one vertex only."""
    problems: list[str]


def _checked(positions: ArrayLike, corner_verts: ArrayLike | None, face_starts: ArrayLike | None) -> _Arrays:
    """Arrays of a mesh: see `build`. What Blender must never see is replaced, and is a problem. Raises ValueError."""
    co = np.ascontiguousarray(positions, np.float32).reshape(-1, 3)
    if corner_verts is None:
        corners = np.arange(len(co), dtype=np.int32)
    else:
        corners = np.ascontiguousarray(corner_verts, np.int32).reshape(-1)
    starts, problems = _starts(face_starts, len(corners)), list[str]()
    if not _all_finite(co):
        bad = ~np.isfinite(co)
        problems.append(
            f"{number_of(int(bad.any(1).sum()), 'vertices have')} coordinates that aren't numbers: 0 is taken"
        )
        co = np.where(bad, np.float32(0), co)
    if corner_verts is None or not len(corners) or (int(corners.min()) >= 0 and int(corners.max()) < len(co)):
        return _Arrays(co, corners, starts, True, problems)
    # A face with all corners on one vertex is one that validate() removes.
    bad_faces = np.logical_or.reduceat((corners < 0) | (corners >= len(co)), starts)
    corners = np.where(np.repeat(bad_faces, np.diff(starts, append=len(corners))), np.int32(0), corners)
    return _Arrays(co if len(co) else np.zeros((1, 3), np.float32), corners, starts, False, problems)


def _known_edges(
    made: _Arrays, in_order: bool, of_four: bool, reuse: bool, given: tuple[ArrayLike, ArrayLike] | None
) -> tuple[tuple[Int32s, ...] | None, Singles | None]:
    """The edges of faces, given or of ones that share no vertices, and memory that UVs may be made in; None: they
    aren't known, or it is none.

    in_order: each corner has a vertex of its own. of_four: each face has four corners. reuse: positions, which Blender
    has by now, aren't needed any more.
    """
    if given is not None:
        return tuple(np.ascontiguousarray(part, np.int32) for part in given), None
    if in_order and of_four:
        room = made.positions.reshape(-1) if reuse else None
        return (face_rings.ring_edges(len(made.starts), room), made.corners), room
    if face_rings.share_nothing(None if in_order else made.corners, made.starts, len(made.positions)):
        return face_rings.edges_of_rings(made.corners, made.starts), None
    return None, None


def _without_lost(
    name: str,
    made: _Arrays,
    uvs: Mapping[str, ArrayLike | InRoom],
    layers: Mapping[str, tuple[Domain, Kind, ArrayLike]],
) -> tuple[bpy.types.Mesh, int]:
    """A mesh without the faces that Blender drops, and how many these are, whose numbers it has as DROPPED.

    That is rare, so only now it is found out which: the faces are numbered, as all attributes are cut.
    """
    numbers = np.arange(len(made.starts), dtype=np.int32)
    mesh = _make(name, made)
    _fill(mesh, uvs, {**layers, _SOURCE: ("FACE", "INT", numbers)})
    _join(mesh, None, sound=False)
    lost = np.setdiff1d(numbers, np.asarray(mesh_attributes.read(mesh, _SOURCE)))
    mesh.attributes.remove(mesh.attributes[_SOURCE])
    mesh[DROPPED] = lost.tolist()
    return mesh, len(lost)


def _all_finite(co: Singles) -> bool:
    """Say whether coordinates are numbers. Their sum is one only where all of them are, and needs no array of bools."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(co.sum())) or bool(np.isfinite(co).all())


def _make(name: str, made: _Arrays) -> bpy.types.Mesh:
    """The measured recipe: vertices and faces, which still need their edges."""
    co, corners, starts, *_ = made
    mesh = bpy.data.meshes.new(showable(name))
    mesh.vertices.add(len(co))
    mesh.loops.add(len(corners))
    mesh.polygons.add(len(starts))
    mesh_attributes.write(mesh, "position", "POINT", "FLOAT_VECTOR", co)
    if len(starts):
        mesh_attributes.write(mesh, ".corner_vert", "CORNER", "INT", corners)
        mesh_attributes.set_face_starts(mesh, starts)
    return mesh


def _join(mesh: bpy.types.Mesh, edges: tuple[Int32s, ...] | None, sound: bool) -> None:
    """Give a mesh its edges: see `build`; without them Blender finds them, and unless the faces are sound drops those
    that it can't hold.

    It looks through all attributes that there are by then: the fewer, the sooner it is done.
    """
    if edges is not None and len(edges[0]):
        mesh.edges.add(len(edges[0]))
        elements_of(mesh.attributes[".edge_verts"]).foreach_set("value", edges[0].reshape(-1))
        mesh_attributes.write(mesh, ".corner_edge", "CORNER", "INT", edges[1])
    elif sound and len(mesh.polygons):
        mesh.update(calc_edges=True)
        mesh.attributes.remove(mesh.attributes[_SELECTED])  # that they are new; validate() doesn't say so
    else:
        mesh.validate()


def _fill(
    mesh: bpy.types.Mesh,
    uvs: Mapping[str, ArrayLike | InRoom],
    layers: Mapping[str, tuple[Domain, Kind, ArrayLike]],
    room: Singles | None = None,
) -> None:
    """Write all attributes of a mesh that was just made; there is none where they don't fit. room: for UVs."""
    try:
        for name, given in uvs.items():
            if callable(given):
                given = given(np.empty(2 * len(mesh.loops), np.float32) if room is None else room)
            values = mesh_attributes.flat(given, np.float32, 2, len(mesh.loops), name)
            mesh.uv_layers.new(name=showable(name), do_init=False).uv.foreach_set("vector", values)
        for name, (domain, kind, layer_values) in layers.items():
            mesh_attributes.create(mesh, name, domain, kind, layer_values)
    except ValueError:
        bpy.data.meshes.remove(mesh)
        raise


def dropped(mesh: bpy.types.Mesh) -> Int32s:
    """Return the indices, in the arrays that `build` was given, of the faces it left out: int32[k], mostly none."""
    return np.array(mesh.get(DROPPED, ()), np.int32)


def _starts(face_starts: ArrayLike | None, corner_count: int) -> Int32s:
    """Return the face starts, int32[f], checked: unsorted ones would crash Blender."""
    if face_starts is None:
        if corner_count % 4:
            raise ValueError(f"{number_of(corner_count, 'corners')}: quads have four each")
        return np.arange(0, corner_count, 4, dtype=np.int32)
    starts = np.ascontiguousarray(face_starts, np.int32).reshape(-1)
    if len(starts) == 0:
        if corner_count:
            raise ValueError(f"{number_of(corner_count, 'corners')} without a face")
        return starts
    if starts[0] != 0 or starts[-1] >= corner_count or bool((starts[1:] <= starts[:-1]).any()):
        raise ValueError("face starts must ascend from 0 and end within the corners")
    return starts


@dataclass
class MeshData:
    """A mesh as arrays: positions float32[n,3], corner_verts int32[c], face_starts int32[f], and its attributes."""

    positions: Singles
    corner_verts: Int32s
    face_starts: Int32s
    uvs: dict[str, Singles] = field(default_factory=dict)
    attributes: dict[str, tuple[str, Array]] = field(default_factory=dict)
    """Name -> (domain, values)."""
    materials: list[bpy.types.Material | None] = field(default_factory=list)
    edges: Int32s = field(default_factory=lambda: np.zeros((0, 2), np.int32))
    """int32[e,2] vertices; only where asked for."""
    corner_edges: Int32s = field(default_factory=lambda: np.zeros(0, np.int32))
    """int32[c]: the edge from each corner to the next of its face; only where asked for."""
    corner_normals: Singles = field(default_factory=lambda: np.zeros((0, 3), np.float32))
    """float32[c, 3]: as the mesh is shaded; only where asked for."""
    face_normals: Singles = field(default_factory=lambda: np.zeros((0, 3), np.float32))
    """float32[f, 3]: of the faces themselves; only where asked for."""

    @property
    def face_sizes(self) -> Int32s:
        """Corners of each face, int32[f]."""
        return np.diff(self.face_starts, append=np.int32(len(self.corner_verts))).astype(np.int32, copy=False)

    @property
    def material_index(self) -> Int32s:
        """Material slot of each face, int32[f]."""
        found = self.attribute("material_index", "FACE")
        return found if found is not None else np.zeros(len(self.face_starts), np.int32)

    def uv(self, name: str | None = None) -> Singles | None:
        """UV of each corner, float32[c,2], v up; the first UV map without a name; None when there is none."""
        if name is None:
            return next(iter(self.uvs.values()), None)
        return self.uvs.get(name)

    def attribute(self, name: str, domain: Domain | None = None) -> Array | None:
        """Values of an attribute, [count] or [count, width]; None when there is none (or it is in another domain)."""
        found = self.attributes.get(name)
        if found is None or (domain is not None and found[0] != domain):
            return None
        return found[1]

    def ids(self, domain: Domain, token: int) -> Int32s:
        """Return the id of each element as `identity.read_ids` does: int32[count], 0 = new."""
        ids, check = self.attribute(identity.ID, domain), self.attribute(identity.CHECK, domain)
        if ids is None or check is None or ids.dtype != np.int32 or check.dtype != np.int32:
            count = {"POINT": len(self.positions), "FACE": len(self.face_starts), "CORNER": len(self.corner_verts)}
            return np.zeros(count[domain] if domain in count else len(self.edges), np.int32)
        return identity.valid_ids(ids, check, token)


def read(
    obj: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph | None = None,
    names: Iterable[str] | None = None,
    edges: bool = False,
    normals: bool = False,
) -> MeshData:
    """Return an object's mesh as arrays: evaluated if it has modifiers or shape keys, edits in progress included.

    depsgraph: as `evaluated.shown` gives it; needed if the object has modifiers, shape keys or isn't a mesh.
    names: read only these attributes (default: all that attributes.LAYOUT knows). edges: which there are, too.
    normals: those of corners and faces, too. The arrays are copies. Materials are those that are seen: of slots that
    are linked to the object, the object's.
    """
    data = _read_shape(obj, depsgraph, names, edges, normals)
    for number, slot in enumerate(obj.material_slots):
        if slot.link == "OBJECT" and number < len(data.materials):
            data.materials[number] = slot.material
    return data


def _read_shape(
    obj: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph | None,
    names: Iterable[str] | None,
    edges: bool,
    normals: bool,
) -> MeshData:
    if not needs_evaluation(obj):
        return _read(_mesh_of(obj), names, edges, normals)
    if depsgraph is None:
        raise ValueError(f"{obj.name} has modifiers or shape keys: reading it needs a depsgraph")
    evaluated = obj.evaluated_get(depsgraph)
    try:
        mesh: bpy.types.Mesh | None = evaluated.to_mesh(preserve_all_data_layers=True, depsgraph=depsgraph)
    except RuntimeError as error:
        if obj.type not in SURFACES:
            kind = obj.type.replace("_", " ").lower()
            raise SceneError(f"{obj.name}: a {kind} has no surface to export", objects=[obj]) from error
        mesh = None
    if mesh is None:  # a curve without points
        return MeshData(np.zeros((0, 3), np.float32), np.zeros(0, np.int32), np.zeros(0, np.int32))
    try:
        return _read(mesh, names, edges, normals)
    finally:
        evaluated.to_mesh_clear()


def _mesh_of(obj: bpy.types.Object) -> bpy.types.Mesh:
    """Return a mesh object's mesh, edits in progress included; raises SceneError for other objects."""
    if not isinstance(obj.data, Mesh):
        raise SceneError(f"{obj.name}: a mesh was expected, not {obj.type.replace('_', ' ').lower()}", objects=[obj])
    if obj.data.is_editmode:
        obj.update_from_editmode()
    return obj.data


def needs_evaluation(obj: bpy.types.Object) -> bool:
    """Say whether an object's shape isn't its mesh data: modifiers that are on, shape keys, or no mesh at all."""
    if not isinstance(obj.data, Mesh):
        return True
    return obj.data.shape_keys is not None or any(modifier.show_viewport for modifier in obj.modifiers)


def _read(mesh: bpy.types.Mesh, names: Iterable[str] | None, edges: bool = False, normals: bool = False) -> MeshData:
    if not mesh.is_editmode:
        return _read_attributes(mesh, names, edges, normals)
    plain = mesh.copy()  # attributes can't be read while the mesh is in edit mode; its copy isn't
    try:
        return _read_attributes(plain, names, edges, normals)
    finally:
        bpy.data.meshes.remove(plain)


def _read_attributes(mesh: bpy.types.Mesh, names: Iterable[str] | None, edges: bool, normals: bool) -> MeshData:
    starts = mesh_attributes.face_starts(mesh)
    positions = mesh_attributes.read(mesh, "position")
    corners = mesh_attributes.read(mesh, ".corner_vert")
    data = MeshData(
        positions if positions is not None else np.empty((0, 3), np.float32),
        corners if corners is not None else np.empty(0, np.int32),
        starts,
        materials=list(mesh.materials),
    )
    if edges:
        pairs, sides = mesh_attributes.read(mesh, ".edge_verts"), mesh_attributes.read(mesh, ".corner_edge")
        data.edges = pairs if pairs is not None else data.edges
        data.corner_edges = sides if sides is not None else data.corner_edges
    if normals:
        data.corner_normals, data.face_normals = normals_of(mesh)
    wanted = None if names is None else {*names, identity.ID, identity.CHECK, "material_index"}
    uv_names = {layer.name for layer in mesh.uv_layers}
    for attribute in mesh.attributes:
        name = attribute.name
        hidden = name == "position" or name.startswith(".")
        if hidden or (wanted is not None and name not in wanted and name not in uv_names):
            continue
        values = mesh_attributes.read(mesh, name)
        if values is None:
            continue
        if name in uv_names:
            data.uvs[name] = values
        else:
            data.attributes[name] = (attribute.domain, values)
    return data


def normals_of(mesh: bpy.types.Mesh) -> tuple[Singles, Singles]:
    """Return the normals of a mesh's corners and of its faces, float32[c, 3] and [f, 3]."""
    corners = np.empty((len(mesh.loops), 3), np.float32)
    faces = np.empty((len(mesh.polygons), 3), np.float32)
    mesh.corner_normals.foreach_get("vector", corners.reshape(-1))
    mesh.polygons.foreach_get("normal", faces.reshape(-1))  # `polygon_normals` go by custom normals
    return corners, faces


def select_faces(obj: bpy.types.Object, indices: ArrayLike) -> None:
    """Select exactly these faces of an object's mesh (int[k]), for the user to see what an error is about."""
    mesh = _mesh_of(obj)
    select = ranges.among(np.asarray(indices, np.int64), len(mesh.polygons))
    if mesh.is_editmode:
        _select_edited(mesh, "faces", select)
        return
    data = _read(mesh, ())
    vertices = np.zeros(len(data.positions), np.bool_)
    vertices[data.corner_verts[np.repeat(select, data.face_sizes)]] = True
    _select(mesh, vertices, select)


def select_points(obj: bpy.types.Object, indices: ArrayLike) -> None:
    """Select exactly these vertices of an object's mesh (int[k]), as `select_faces` does; and what lies between them.

    In edit mode, they show where vertices can be selected.
    """
    mesh = _mesh_of(obj)
    select = ranges.among(np.asarray(indices, np.int64), len(mesh.vertices))
    if mesh.is_editmode:
        _select_edited(mesh, "verts", select)
        return
    data = _read(mesh, ())
    whole = (
        np.logical_and.reduceat(select[data.corner_verts], data.face_starts) if len(data.face_starts) else select[:0]
    )
    _select(mesh, select, whole)


def _select_edited(mesh: bpy.types.Mesh, elements: str, select: Bools) -> None:
    edited = bmesh.from_edit_mesh(mesh)
    for element in (*edited.verts, *edited.edges, *edited.faces):
        element.select = False
    sequence: bmesh.types.BMVertSeq | bmesh.types.BMFaceSeq = getattr(edited, elements)
    sequence.ensure_lookup_table()
    for index in np.flatnonzero(select).tolist():
        sequence[index].select_set(True)
    if elements == "verts":
        edited.select_flush(True)
    bmesh.update_edit_mesh(mesh, loop_triangles=False, destructive=False)


def _select(mesh: bpy.types.Mesh, vertices: Bools, faces: Bools) -> None:
    edges = np.empty((len(mesh.edges), 2), np.int32)
    mesh.edges.foreach_get("vertices", edges.reshape(-1))
    mesh.vertices.foreach_set("select", vertices)
    mesh.edges.foreach_set("select", vertices[edges].all(1))
    mesh.polygons.foreach_set("select", faces)
    mesh.update()
