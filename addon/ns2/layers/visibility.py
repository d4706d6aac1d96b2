# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a level is visible: layers and groups may be hidden, and what the game doesn't draw. It is for show only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import bmesh
import bpy
import numpy as np
from numpy.typing import NDArray

from ...scene import attributes, identity
from ...scene.attributes import Domain
from ...scene.blender_types import Modifier, NodeTree, Value
from ...scene.edit_mode import readable
from ...scene.materials import Nodes, node_group
from .. import layout
from . import lists

Mask = NDArray[np.bool_]


def geometry(collection: bpy.types.Collection) -> list[bpy.types.Object]:
    """The mesh objects that a level's faces were imported as."""
    return [obj for obj in collection.all_objects if obj.type == "MESH" and identity.kind_of(obj) == layout.GEOMETRY]


def hidden(collection: bpy.types.Collection) -> tuple[set[int], set[int]]:
    """The ids of the layers, and of the groups, of which nothing is to be seen."""
    held = lists.lists_of(collection)
    off = {lists.unsigned(item.number) for item in held.layers if not item.visible}
    undrawn = lists.UNDRAWN if held.hide_undrawn else frozenset()
    return off, {lists.unsigned(item.number) for item in held.groups if not item.visible or item.name in undrawn}


def colors(collection: bpy.types.Collection, kind: lists.Kind) -> dict[int, tuple[float, ...]]:
    """The colours of the layers, or groups, that have one, by their ids, in the order of the list: red, green, blue, 1.

    Transparent is none.
    """
    listed = lists.entries(collection, kind)
    return {lists.unsigned(item.number): (*item.color[:3], 1.0) for item in listed if item.color[3] > 0}


def show(collection: bpy.types.Collection) -> None:
    """Show and hide faces and objects as the lists of layers and groups say: whatever is in one that is hidden is.

    Objects also get the colour of the first of their layers that has one, or that of their group (ambient lights have
    their own): the viewport shows it where it shows objects' colours.
    """
    if len(collection.all_objects) < 2:
        return  # an import fills the lists when only the root is there: each entry of them asks for this
    off, groups = hidden(collection)
    for obj in geometry(collection):
        _show_faces(obj, off, groups)
    mask = sum(1 << number for number in off if number < 256)
    of_layers, of_all_groups = colors(collection, "layers"), colors(collection, "groups")
    appearances: dict[tuple[int, ...], tuple[bool, tuple[float, ...] | None]] = {}
    for obj, (own, of_groups) in lists.memberships(collection).items():
        key = (own, *of_groups)
        if key not in appearances:  # most objects are in the same layers as others
            found = [color for number, color in of_layers.items() if own >> number & 1]
            found += [of_all_groups[number] for number in of_groups if number in of_all_groups]
            appearances[key] = bool(own & mask) or not groups.isdisjoint(of_groups), found[0] if found else None
        gone, color = appearances[key]
        if obj.hide_viewport != gone:
            obj.hide_viewport = obj.hide_render = gone
        if color is not None and obj.get(layout.CLASS) != layout.AMBIENT_LIGHT:
            obj.color = color


def _show_faces(obj: bpy.types.Object, off: set[int], groups: set[int]) -> None:
    mesh: Value = obj.data
    with readable(obj) as plain:
        gone = hidden_faces(plain, off, groups)
    if mesh.is_editmode:
        working = bmesh.from_edit_mesh(mesh)
        for face, hide in zip(working.faces, gone.tolist(), strict=True):
            face.hide_set(hide)
        bmesh.update_edit_mesh(mesh, loop_triangles=False, destructive=False)
        return
    modifier: Modifier = obj.modifiers.get(layout.HIDING)
    if not gone.any() and modifier is None:
        return
    attributes.write(mesh, layout.HIDDEN, "FACE", "BOOLEAN", gone)
    _hide_elements(mesh, gone)
    mesh.update_tag()  # Blender 4.2 doesn't see that attributes were written
    if gone.any() and modifier is None:
        made: Modifier = obj.modifiers.new(layout.HIDING, "NODES")
        made.node_group = node_group("Levelwright hidden faces", 1, _build_hiding, "GeometryNodeTree")
    elif modifier is not None and not gone.any():
        obj.modifiers.remove(modifier)


def hidden_faces(mesh: bpy.types.Mesh, off: set[int], groups: set[int]) -> Mask:
    """Which faces of a mesh are in one of these layers or groups: bool[faces]. The mesh isn't in edit mode."""
    gone = np.zeros(len(mesh.polygons), np.bool_)
    for word in sorted({number // 32 for number in off}):
        bits = np.uint32(sum(1 << number % 32 for number in off if number // 32 == word))
        values = attributes.read(mesh, f"{layout.LAYERS}{word}", "FACE")
        if values is not None and values.dtype == np.int32:
            gone |= values.view(np.uint32) & bits != 0
    values = attributes.read(mesh, layout.FACE_GROUP, "FACE")
    if groups and values is not None and values.dtype == np.int32:
        gone |= np.isin(values.view(np.uint32), np.array(sorted(groups), np.uint32))
    return gone


def _hide_elements(mesh: bpy.types.Mesh, gone: Mask) -> None:
    """Hide faces in edit mode, with the edges and vertices that only they have."""
    starts = np.empty(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("loop_start", starts)
    corners = np.repeat(gone, np.diff(starts, append=np.int32(len(mesh.loops))))
    kinds: tuple[tuple[str, str, Domain, int], ...] = (
        (".hide_vert", ".corner_vert", "POINT", len(mesh.vertices)),
        (".hide_edge", ".corner_edge", "EDGE", len(mesh.edges)),
    )
    for name, of_corner, domain, count in kinds:
        elements = attributes.read(mesh, of_corner)
        hide = np.zeros(count, np.bool_)
        if elements is not None:
            hide[elements[corners]] = True
            hide[elements[~corners]] = False
        attributes.write(mesh, name, domain, "BOOLEAN", hide)
    attributes.write(mesh, ".hide_poly", "FACE", "BOOLEAN", gone)


def _build_hiding(nodes: Nodes) -> None:
    """Geometry nodes that take the HIDDEN faces away."""
    tree: NodeTree = nodes.tree
    tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    tree.is_modifier = True
    entry = nodes.add("NodeGroupInput")
    name = nodes.add("GeometryNodeInputNamedAttribute", data_type="BOOLEAN")
    name.inputs["Name"].default_value = layout.HIDDEN
    delete = nodes.add("GeometryNodeDeleteGeometry", domain="FACE", mode="ALL")
    leave = nodes.add("NodeGroupOutput")
    nodes.link(entry.outputs[0], delete.inputs["Geometry"])
    nodes.link(next(one for one in name.outputs if one.enabled), delete.inputs["Selection"])
    nodes.link(delete.outputs[0], leave.inputs[0])


@contextmanager
def nothing_hidden(collection: bpy.types.Collection) -> Iterator[None]:
    """Switch the hiding of faces off for a while: their objects are then read as they are, hidden faces too."""
    modifiers: list[Modifier] = [obj.modifiers.get(layout.HIDING) for obj in geometry(collection)]
    found = [modifier for modifier in modifiers if modifier is not None]
    were = [modifier.show_viewport for modifier in found]
    for modifier in found:
        modifier.show_viewport = False
    try:
        yield
    finally:
        for modifier, was in zip(found, were, strict=True):
            modifier.show_viewport = was
