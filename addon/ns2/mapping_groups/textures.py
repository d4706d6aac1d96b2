# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces in mapping groups: which are in one, and their UVs as it says. Meshes may be in edit mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import bmesh
import bpy
import numpy as np

from ....formats.arrays import Bools, Floats, Indices, Int32s, Records, Singles
from ....formats.ns2.normals import face_normals
from ....formats.ns2.records import MAPPING_GROUP
from ....formats.ns2.texture_mapping import Mapping, coordinates, solve
from ....formats.ns2.walk import gather
from ...scene import attributes
from ...scene.blender_types import mesh_of
from ...scene.geometry import transforms
from ...scene.geometry.edit_mode import edited_meshes, readable
from ...scene.level import root_of
from .. import layout
from ..faces.objects import geometry
from .collect import FIELDS

if TYPE_CHECKING:
    from .properties import Ns2MappingGroup


def record_of(item: Ns2MappingGroup) -> Records:
    """An item of the list as a record: MAPPING_GROUP [1], in Spark's axes."""
    record = np.zeros(1, MAPPING_GROUP)
    record["id"] = item.number & 0xFFFFFFFF
    for name in FIELDS:
        value = np.array(getattr(item, name), np.float32)
        record[name] = layout.from_blender(value) if name == "normal" else value
    return record


def show(collection: bpy.types.Collection, item: Ns2MappingGroup) -> None:
    """Let the UVs of all faces that are in a group be what it says."""
    for obj in geometry(collection):
        if obj.type == "MESH":
            _lay(collection, obj, record_of(item), lambda mesh: _members(mesh) == item.number)


def assign(context: bpy.types.Context, collection: bpy.types.Collection, item: Ns2MappingGroup) -> int:
    """Put the selected faces of meshes in edit mode into a group, whose texture they get; returns how many."""
    changed = 0
    for obj in edited_meshes(context):
        changed += _change(obj, lambda face, _: bool(face.select), item.number)
        _lay(collection, obj, record_of(item), _selected)
    return changed


def take_out(context: bpy.types.Context, number: int) -> int:
    """Take the selected faces of meshes in edit mode out of a group; their textures stay. Returns how many."""
    return sum(_change(obj, lambda face, was: bool(face.select) and was == number, 0) for obj in edited_meshes(context))


def take_out_all(collection: bpy.types.Collection, number: int) -> None:
    """Take all faces of a level out of a group; their textures stay as they are."""
    for obj in geometry(collection):
        mesh = obj.data
        if not isinstance(mesh, bpy.types.Mesh):
            continue
        if mesh.is_editmode:
            _change(obj, lambda _, was: was == number, 0)
            continue
        values = _members(mesh)
        if (values == number).any():
            attributes.write(mesh, layout.MAPPING_GROUP, "FACE", "INT", np.where(values == number, 0, values))


def select(context: bpy.types.Context, number: int) -> int:
    """Select also the faces of meshes in edit mode that are in a group; returns how many."""
    found = 0
    for obj in edited_meshes(context):
        mesh = mesh_of(obj)
        working = bmesh.from_edit_mesh(mesh)
        layer = working.faces.layers.int.get(layout.MAPPING_GROUP)
        for face in working.faces if layer is not None else ():
            if face[layer] == number and not face.hide:
                face.select_set(True)
                found += 1
        bmesh.update_edit_mesh(mesh, loop_triangles=False, destructive=False)
    return found


def of_selected(context: bpy.types.Context, collection: bpy.types.Collection) -> Records | None:
    """A group, without an id, as the texture lies on the first selected face on which one does: MAPPING_GROUP [1]; None
    where none is selected in edit mode.
    """
    for obj in edited_meshes(context):
        with readable(obj) as mesh:
            chosen = np.flatnonzero(_selected(mesh))
            points, corners, starts, uvs = _shape(collection, obj, mesh)
        if uvs is None or not len(chosen):
            continue
        begins, own = gather(starts, chosen)
        corners = corners[own]
        normals = face_normals(points, corners, np.arange(len(begins)), begins)
        charts = np.repeat(np.arange(len(chosen)), np.diff(begins))
        found = solve(points[corners], normals, uvs[own], charts)
        records = np.zeros(len(chosen), MAPPING_GROUP)
        records["normal"], records["angle"] = normals, found.mapping.angle
        records["scale"], records["offset"] = found.mapping.scale, found.mapping.offset
        lies = found.found & records["scale"].all(axis=1)
        for name, width in FIELDS.items():
            lies &= np.isfinite(records[name].reshape(-1, width)).all(axis=1)
        if lies.any():
            first: Records = records[lies][:1]
            return first
    return None


def _lay(
    collection: bpy.types.Collection,
    obj: bpy.types.Object,
    group: Records,
    chosen: Callable[[bpy.types.Mesh], Bools],
) -> None:
    """Give the chosen faces of a mesh the UVs that a group gives. Where an object is by constraints isn't looked at."""
    with readable(obj) as mesh:
        which = chosen(mesh)
        if not which.any():
            return
        points, corners, starts, uvs = _shape(collection, obj, mesh)
    own = np.repeat(which, np.diff(starts))
    mapping = Mapping(group["angle"], group["scale"], group["offset"])
    made = coordinates(points[corners[own]], group["normal"], mapping, np.zeros(int(own.sum()), np.intp))
    uvs = np.zeros((len(corners), 2), np.float32) if uvs is None else uvs
    with np.errstate(over="ignore", invalid="ignore"):
        uvs[own] = made
    uvs[~np.isfinite(uvs)] = 0
    data = mesh_of(obj)
    if not data.is_editmode:
        layer = data.uv_layers.get(layout.UV) or data.uv_layers.new(name=layout.UV, do_init=False)
        layer.uv.foreach_set("vector", uvs.reshape(-1))
        data.update_tag()
        return
    working = bmesh.from_edit_mesh(data)
    loops = working.loops.layers.uv
    uv_layer = loops.get(layout.UV) or loops.new(layout.UV)
    working.faces.ensure_lookup_table()
    for number in np.flatnonzero(which).tolist():
        own_uvs = uvs[starts[number] : starts[number + 1]].tolist()
        for loop, uv in zip(working.faces[number].loops, own_uvs, strict=True):
            loop[uv_layer].uv = uv
    bmesh.update_edit_mesh(data, loop_triangles=False, destructive=False)


def _shape(
    collection: bpy.types.Collection, obj: bpy.types.Object, mesh: bpy.types.Mesh
) -> tuple[Floats, Indices, Indices, Singles | None]:
    """Positions [v, 3] below the level's root in Spark's axes, the vertex of each corner, where faces start, UVs."""
    positions, corners = attributes.read(mesh, "position"), attributes.read(mesh, ".corner_vert")
    if positions is None or corners is None:
        positions, corners = np.zeros((0, 3), np.float32), np.zeros(0, np.int32)
    root = root_of(collection)
    if not transforms.needs_evaluation(obj, root):
        matrix = transforms.seen(obj, root)
        positions = positions.astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]
    starts = attributes.face_starts(mesh)
    uvs = attributes.read(mesh, layout.UV, "CORNER")
    points = layout.from_blender(positions.astype(np.float64))
    return points, corners.astype(np.intp), np.append(starts, len(corners)).astype(np.intp), uvs


def _members(mesh: bpy.types.Mesh) -> Int32s:
    """The group of each face, int32[faces]: 0 for none."""
    values = attributes.read(mesh, layout.MAPPING_GROUP, "FACE")
    return np.zeros(len(mesh.polygons), np.int32) if values is None else values.astype(np.int32)


def _selected(mesh: bpy.types.Mesh) -> Bools:
    """Which faces are selected, bool[faces]."""
    selected = np.zeros(len(mesh.polygons), np.bool_)
    mesh.polygons.foreach_get("select", selected)
    return selected


def _change(obj: bpy.types.Object, chosen: Callable[[bmesh.types.BMFace, int], bool], number: int) -> int:
    """Put the chosen faces of a mesh in edit mode into a group, by its id; returns how many weren't in it."""
    mesh = mesh_of(obj)
    working = bmesh.from_edit_mesh(mesh)
    layers = working.faces.layers.int
    layer = layers.get(layout.MAPPING_GROUP) or layers.new(layout.MAPPING_GROUP)
    count = 0
    for face in working.faces:
        if face[layer] != number and chosen(face, face[layer]):
            face[layer] = number
            count += 1
    bmesh.update_edit_mesh(mesh, loop_triangles=False, destructive=False)
    return count
