# SPDX-License-Identifier: GPL-3.0-or-later
"""Putting what is selected into layers and groups, and selecting what is in them: faces, in edit mode, and objects."""

from __future__ import annotations

from collections.abc import Callable

import bmesh
import bpy
import numpy as np

from ...scene import attributes
from ...scene.attributes import Domain
from ...scene.blender_types import mesh_of
from ...scene.geometry.edit_mode import edited_meshes
from ...scene.kept import identity
from ...scene.reports import SceneError
from .. import layout
from . import lists
from .build import make_home


def assign(context: bpy.types.Context, level: bpy.types.Collection, kind: lists.Kind, number: int, on: bool) -> int:
    """Put the selected faces of meshes in edit mode, and the selected entities, into a layer or group, or take them out
    of it. Returns how many changed. Raises SceneError for a layer that faces can't be in.
    """
    if kind == "layers" and number > 255:
        raise SceneError(f"layer {number}: a level's masks have bits for 0 to 255")
    changed = 0
    for obj in edited_meshes(context):
        changed += _change(obj, _attribute(kind, number), lambda was: _changed(was, kind, number, on))
    homes = lists.homes(level, kind)
    home = homes.get(number)
    if home is None:
        name = next(item.name for item in lists.entries(level, kind) if lists.unsigned(item.number) == number)
        home = make_home(level, kind, number, name)
    for obj in context.selected_objects:
        if obj.mode == "OBJECT" and is_entity(obj):
            changed += _move(level, obj, home, list(homes.values()) if kind == "groups" else [home], on)
    return changed


def select(context: bpy.types.Context, level: bpy.types.Collection, kind: lists.Kind, number: int) -> int:
    """Select also what is in a layer or group: faces of meshes in edit mode, or else objects. Returns how many."""
    edited = list(edited_meshes(context))
    found = 0
    for obj in edited:
        found += _select(obj, kind, number)
    home = lists.homes(level, kind).get(number)
    if edited or home is None or context.view_layer is None:
        return found
    shown = set(context.view_layer.objects)
    for obj in home.all_objects:
        if obj in shown and obj.visible_get():
            obj.select_set(True)
            found += 1
    return found


def is_entity(obj: bpy.types.Object) -> bool:
    """Say whether an object is one of a level's objects, and not its geometry, its root, or a part of another one."""
    return identity.kind_of(obj) in (None, layout.ENTITY)


def _attribute(kind: lists.Kind, number: int) -> str:
    return f"{layout.LAYERS}{number // 32}" if kind == "layers" else layout.FACE_GROUP


def _changed(was: int, kind: lists.Kind, number: int, on: bool) -> int:
    """The value of a face's attribute, once it is in, or out of, a layer or group."""
    if kind == "groups":
        return lists.signed(number) if on else (0 if lists.unsigned(was) == number else was)
    bit = 1 << number % 32
    word = lists.unsigned(was)
    return lists.signed(word | bit if on else word & ~bit)


def _change(obj: bpy.types.Object, name: str, changed: Callable[[int], int]) -> int:
    """Change an attribute of the selected faces of a mesh in edit mode: one a face, as few as an artist selects."""
    mesh = mesh_of(obj)
    working = bmesh.from_edit_mesh(mesh)
    layer = working.faces.layers.int.get(name) or working.faces.layers.int.new(name)
    count = 0
    for face in working.faces:
        if face.select:
            now = changed(face[layer])
            count += now != face[layer]
            face[layer] = now
    bmesh.update_edit_mesh(mesh, loop_triangles=False, destructive=False)
    return count


def _select(obj: bpy.types.Object, kind: lists.Kind, number: int) -> int:
    mesh = mesh_of(obj)
    working = bmesh.from_edit_mesh(mesh)
    layer = working.faces.layers.int.get(_attribute(kind, number))
    found = 0
    for face in working.faces if layer is not None else ():
        value = lists.unsigned(face[layer])
        if not face.hide and (value == number if kind == "groups" else value >> number % 32 & 1):
            face.select_set(True)
            found += 1
    bmesh.update_edit_mesh(mesh, loop_triangles=False, destructive=False)
    return found


def _move(
    level: bpy.types.Collection,
    obj: bpy.types.Object,
    home: bpy.types.Collection,
    rivals: list[bpy.types.Collection],
    on: bool,
) -> int:
    """Link an object to a collection and unlink it from its rivals, or take it out; it stays in one of the level's."""
    inside = obj.name in home.objects
    if inside == on:
        return 0
    for rival in rivals:
        if obj.name in rival.objects:
            rival.objects.unlink(obj)
    if on:
        home.objects.link(obj)
    rest = lists.entities_home(level)
    elsewhere = any(obj.name in other.objects for kind in lists.STAMPS for other in lists.homes(level, kind).values())
    if elsewhere and obj.name in rest.objects:
        rest.objects.unlink(obj)
    elif not elsewhere and not any(obj.name in other.objects for other in (level, rest)):
        rest.objects.link(obj)
    return 1


def take_out_all(level: bpy.types.Collection, kind: lists.Kind, number: int) -> None:
    """Take everything out of a layer or group that is going: elements of meshes, and objects. Raises SceneError in edit
    mode.
    """
    objects = [obj for obj in level.all_objects if isinstance(obj.data, bpy.types.Mesh)]
    edited = [obj for obj in objects if obj.mode == "EDIT"]
    if edited:
        raise SceneError("leave edit mode first", objects=edited)
    found = {obj.data for obj in objects if isinstance(obj.data, bpy.types.Mesh)}
    fields: list[tuple[str, Domain]] = [(_attribute(kind, number), "FACE")]
    if kind == "groups":
        fields += [(layout.VERTEX_GROUP, "POINT"), (layout.EDGE_GROUP, "EDGE")]
    for mesh in found:
        for name, domain in fields:
            values = attributes.read(mesh, name, domain)
            if values is None or values.dtype != np.int32:
                continue
            words = values.view(np.uint32)
            if kind == "groups":
                words[words == number] = 0
            else:
                words &= ~np.uint32(1 << number % 32)
            attributes.write(mesh, name, domain, "INT", values)
    home = lists.homes(level, kind).get(number)
    if home is not None:
        for obj in list(home.objects):
            _move(level, obj, home, [home], False)
        bpy.data.collections.remove(home)
