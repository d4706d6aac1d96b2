"""Arrays to meshes and back, as fast as Blender allows.

Measured (blender-platform-notes §5): writing the attributes `position` and `.corner_vert` and one `validate()`, which
also makes the edges, takes 0.25-0.4 s for a million quads; `from_pydata` takes 2-3 s. `validate()` repairs bad corners
and drops bad faces, but unsorted face starts crash Blender: they are refused here, before Blender sees them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import bpy
import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import identity
from .reports import Report, SceneError

AttributeType = Literal[
    "FLOAT", "INT", "BOOLEAN", "INT8", "FLOAT_VECTOR", "FLOAT_COLOR", "BYTE_COLOR", "FLOAT2", "INT32_2D", "QUATERNION"
]

LAYOUT: dict[str, tuple[str, type[np.generic], int]] = {
    "FLOAT": ("value", np.float32, 1),
    "INT": ("value", np.int32, 1),
    "BOOLEAN": ("value", np.bool_, 1),
    "INT8": ("value", np.int8, 1),
    "FLOAT_VECTOR": ("vector", np.float32, 3),
    "FLOAT2": ("vector", np.float32, 2),
    "INT32_2D": ("value", np.int32, 2),
    "QUATERNION": ("value", np.float32, 4),
    "FLOAT_COLOR": ("color", np.float32, 4),
    "BYTE_COLOR": ("color_srgb", np.float32, 4),
}
"""Attribute type -> name that `foreach_set` wants, the exact dtype (any other is 40 times slower), numbers each."""

SOURCE_FACE = ".source_face"


def build(
    name: str,
    positions: ArrayLike,
    corner_verts: ArrayLike,
    face_starts: ArrayLike | None = None,
    uvs: Mapping[str, ArrayLike] | None = None,
    attributes: Mapping[str, tuple[identity.Domain, AttributeType, ArrayLike]] | None = None,
    material_index: ArrayLike | None = None,
    smooth: bool = False,
    report: Report | None = None,
) -> bpy.types.Mesh:
    """Make a mesh from arrays.

    positions: float32[n,3]. corner_verts: int32[c], the vertex of each face corner. face_starts: int32[f], the first
    corner of each face, ascending from 0; None: every face has four corners. uvs: name -> float32[c,2], v up.
    attributes: name -> (domain, type, values), values[count, width] in the type's dtype (LAYOUT). material_index:
    int32[f]. smooth: shade smooth (new faces are flat otherwise).

    Faces that Blender can't hold (a corner beyond the vertices, a vertex used twice, fewer than three corners, the
    same corners as another face) are left out, and numbers that aren't finite become 0; both are told to the report
    (without one, they raise SceneError). Data of the faces that stay keeps belonging to them.
    Raises ValueError for arrays that don't fit together: that is the caller's mistake, not the level's.
    """
    co = np.ascontiguousarray(positions, np.float32).reshape(-1, 3)
    corners = np.ascontiguousarray(corner_verts, np.int32).reshape(-1)
    starts = _starts(face_starts, len(corners))
    problems: list[str] = []
    # A sum is finite unless a number isn't (or it overflows, which then only costs the exact test).
    with np.errstate(over="ignore", invalid="ignore"):
        finite = bool(np.isfinite(co.sum()))
    if not finite and not np.isfinite(co).all():
        bad = ~np.isfinite(co)
        problems.append(f"{int(bad.any(1).sum())} vertices have coordinates that aren't numbers; they lie at 0")
        co = np.where(bad, np.float32(0), co)
    if len(corners) and (int(corners.min()) < 0 or int(corners.max()) >= len(co)):
        # Left as they are, such corners would be drawn from memory that isn't the mesh's if validate() ever missed one.
        bad_corner = (corners < 0) | (corners >= len(co))
        bad_faces = np.logical_or.reduceat(bad_corner, starts)
        problems.append(f"{int(bad_faces.sum())} faces use vertices that don't exist; they were left out")
        # A face that uses one vertex twice is dropped by validate().
        corners = np.where(np.repeat(bad_faces, np.diff(starts, append=len(corners))), np.int32(0), corners)
        co = co if len(co) else np.zeros((1, 3), np.float32)

    mesh = bpy.data.meshes.new(name)
    mesh.vertices.add(len(co))
    mesh.loops.add(len(corners))
    mesh.polygons.add(len(starts))
    mesh.attributes["position"].data.foreach_set("vector", co.reshape(-1))
    if len(starts):
        corner_vert = mesh.attributes.get(".corner_vert") or mesh.attributes.new(".corner_vert", "INT", "CORNER")
        corner_vert.data.foreach_set("value", corners)
        mesh.polygons.foreach_set("loop_start", starts)
    for uv_name, uv in (uvs or {}).items():
        layer = mesh.uv_layers.new(name=uv_name, do_init=False)
        layer.uv.foreach_set("vector", _flat(uv, np.float32, 2, len(corners), uv_name))
    for attribute_name, (domain, kind, values) in (attributes or {}).items():
        set_attribute(mesh, attribute_name, domain, kind, values)
    if material_index is not None:
        set_attribute(mesh, "material_index", "FACE", "INT", material_index)
    if not smooth and len(starts):
        set_attribute(mesh, "sharp_face", "FACE", "BOOLEAN", np.ones(len(starts), np.bool_))
    mesh.validate()
    dropped = len(starts) - len(mesh.polygons)
    if dropped and not any("left out" in problem for problem in problems):
        problems.append(f"{dropped} faces use a vertex twice or repeat another face; they were left out")
    for problem in problems:
        if report is None:
            bpy.data.meshes.remove(mesh)
            raise SceneError(f"{name}: {problem}")
        report.warn(f"{name}: {problem}")
    return mesh


def _starts(face_starts: ArrayLike | None, corner_count: int) -> NDArray[np.int32]:
    """Return the face starts, int32[f], checked: unsorted ones would crash Blender."""
    if face_starts is None:
        if corner_count % 4:
            raise ValueError(f"{corner_count} corners don't make quads")
        return np.arange(0, corner_count, 4, dtype=np.int32)
    starts = np.ascontiguousarray(face_starts, np.int32).reshape(-1)
    if len(starts) == 0:
        if corner_count:
            raise ValueError(f"{corner_count} corners belong to no face")
        return starts
    if starts[0] != 0 or starts[-1] >= corner_count or bool((starts[1:] <= starts[:-1]).any()):
        raise ValueError("face starts must ascend from 0 and end within the corners")
    return starts


def _flat(values: ArrayLike, dtype: type[np.generic], width: int, count: int, name: str) -> NDArray[Any]:
    array = np.ascontiguousarray(values, dtype).reshape(-1)
    if len(array) != count * width:
        raise ValueError(f"{name}: {len(array)} numbers for {count} elements of {width}")
    return array


def set_attribute(
    mesh: bpy.types.Mesh, name: str, domain: identity.Domain, kind: AttributeType, values: ArrayLike
) -> None:
    """Write a whole attribute, replacing one of the same name. values: see LAYOUT."""
    attribute = mesh.attributes.get(name)
    if attribute is not None and (attribute.domain != domain or attribute.data_type != kind):
        mesh.attributes.remove(attribute)
        attribute = None
    attribute = attribute or mesh.attributes.new(name, kind, domain)
    field_name, dtype, width = LAYOUT[kind]
    attribute.data.foreach_set(field_name, _flat(values, dtype, width, len(attribute.data), name))


@dataclass
class MeshData:
    """A mesh as arrays: positions float32[n,3], corner_verts int32[c], face_starts int32[f], and its attributes."""

    positions: NDArray[np.float32]
    corner_verts: NDArray[np.int32]
    face_starts: NDArray[np.int32]
    uvs: dict[str, NDArray[np.float32]] = field(default_factory=dict)
    attributes: dict[str, tuple[str, NDArray[Any]]] = field(default_factory=dict)
    """Name -> (domain, values)."""
    materials: list[bpy.types.Material | None] = field(default_factory=list)

    @property
    def face_sizes(self) -> NDArray[np.int32]:
        """Corners of each face, int32[f]."""
        return np.diff(self.face_starts, append=np.int32(len(self.corner_verts))).astype(np.int32, copy=False)

    def uv(self, name: str | None = None) -> NDArray[np.float32] | None:
        """UV of each corner, float32[c,2], v up; the first UV map without a name; None when there is none."""
        if name is None:
            return next(iter(self.uvs.values()), None)
        return self.uvs.get(name)

    def attribute(self, name: str, domain: str | None = None) -> NDArray[Any] | None:
        """Values of an attribute, [count] or [count, width]; None when there is none (or it is in another domain)."""
        found = self.attributes.get(name)
        if found is None or (domain is not None and found[0] != domain):
            return None
        return found[1]

    def ids(self, domain: identity.Domain, token: int) -> NDArray[np.int32]:
        """Return `identity.read_ids` of the mesh that was read, int32[count], 0 = new."""
        id_, check = self.attribute(identity.ID, domain), self.attribute(identity.CHECK, domain)
        if id_ is None or check is None or id_.dtype != np.int32 or check.dtype != np.int32:
            count = {"POINT": len(self.positions), "FACE": len(self.face_starts), "CORNER": len(self.corner_verts)}
            return np.zeros(count.get(domain, 0), np.int32)
        return identity.valid_ids(id_, check, token)

    @property
    def material_index(self) -> NDArray[np.int32]:
        """Material slot of each face, int32[f]."""
        found = self.attribute("material_index", "FACE")
        return found if found is not None else np.zeros(len(self.face_starts), np.int32)


def read(
    obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph | None = None, names: Iterable[str] | None = None
) -> MeshData:
    """Return an object's mesh as arrays: evaluated if it has modifiers or shape keys, edits in progress included.

    depsgraph: as `evaluated.shown` gives it; needed if the object has modifiers, shape keys or isn't a mesh.
    names: read only these attributes (default: all that LAYOUT knows). The arrays are copies.
    """
    if obj.type == "MESH" and obj.mode == "EDIT":
        obj.update_from_editmode()
    if not needs_evaluation(obj):
        return _read(obj.data, names)
    if depsgraph is None:
        raise ValueError(f"{obj.name} has modifiers or shape keys: reading it needs a depsgraph")
    evaluated = obj.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh(preserve_all_data_layers=True, depsgraph=depsgraph)
    if mesh is None:
        raise SceneError(f"{obj.name}: an object of type {obj.type.title()} has no surface to export", objects=[obj])
    try:
        return _read(mesh, names)
    finally:
        evaluated.to_mesh_clear()


def needs_evaluation(obj: bpy.types.Object) -> bool:
    """Say whether an object's shape isn't its mesh data: modifiers that are on, shape keys, or no mesh at all."""
    if obj.type != "MESH":
        return True
    mesh = obj.data
    return mesh.shape_keys is not None or any(modifier.show_viewport for modifier in obj.modifiers)


def _read(mesh: bpy.types.Mesh, names: Iterable[str] | None) -> MeshData:
    positions = np.empty((len(mesh.vertices), 3), np.float32)
    corners = np.empty(len(mesh.loops), np.int32)
    starts = np.empty(len(mesh.polygons), np.int32)
    if len(positions):
        mesh.attributes["position"].data.foreach_get("vector", positions.reshape(-1))
    if len(corners):
        mesh.attributes[".corner_vert"].data.foreach_get("value", corners)
        mesh.polygons.foreach_get("loop_start", starts)
    data = MeshData(positions, corners, starts, materials=list(mesh.materials))
    wanted = None if names is None else {*names, identity.ID, identity.CHECK, "material_index"}
    uv_names = {layer.name for layer in mesh.uv_layers}
    for attribute in mesh.attributes:
        name = attribute.name
        if name == "position" or name.startswith(".") or attribute.data_type not in LAYOUT:
            continue
        if name not in uv_names and wanted is not None and name not in wanted:
            continue
        field_name, dtype, width = LAYOUT[attribute.data_type]
        values = np.empty((len(attribute.data), width) if width > 1 else len(attribute.data), dtype)
        attribute.data.foreach_get(field_name, values.reshape(-1))
        if name in uv_names:
            data.uvs[name] = values
        else:
            data.attributes[name] = (attribute.domain, values)
    return data


def select_faces(obj: bpy.types.Object, indices: ArrayLike) -> None:
    """Select exactly these faces of an object's mesh (int[k]), for the user to see what an error is about."""
    mesh = obj.data
    if obj.mode == "EDIT":
        obj.update_from_editmode()
    faces = np.asarray(indices, np.int64)
    data = _read(mesh, ())
    select = np.zeros(len(data.face_starts), np.bool_)
    select[faces[(faces >= 0) & (faces < len(select))]] = True
    corners = np.repeat(select, data.face_sizes)
    vertices = np.zeros(len(data.positions), np.bool_)
    vertices[data.corner_verts[corners]] = True
    edges = np.empty((len(mesh.edges), 2), np.int32)
    mesh.edges.foreach_get("vertices", edges.reshape(-1))
    mesh.vertices.foreach_set("select", vertices)
    mesh.edges.foreach_set("select", vertices[edges].all(1))
    mesh.polygons.foreach_set("select", select)
    mesh.update()
