# SPDX-License-Identifier: GPL-3.0-or-later
"""Vertex groups as arrays. Blender gives weights to Python a vertex at a time; geometry nodes give them all at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import bpy
import numpy as np

from ....formats.arrays import Singles
from .. import attributes
from ..blender_types import always, configure, expect, mesh_of, set_default
from . import evaluated, meshes

AT_ONCE = 16
"""Groups that are made attributes at a time: a million vertices take 64 MB."""
_NAME = "levelwright_weight_{}"


def read(
    context: bpy.types.Context,
    obj: bpy.types.Object,
    depsgraph: bpy.types.Depsgraph | None = None,
    names: Sequence[str] | None = None,
) -> Iterator[tuple[str, Singles]]:
    """Give the name of each vertex group and its weights, float32[vertices], 0 where a vertex isn't in it.

    The vertices are those of `meshes.read` (which tells about depsgraph): evaluated, and as they are edited just now.
    names: only these; those that the object hasn't got are left out.
    """
    wanted = [group.name for group in obj.vertex_groups if names is None or group.name in names]
    if not wanted:
        return
    with _plain_mesh(obj, depsgraph) as mesh:
        for start in range(0, len(wanted), AT_ONCE):
            yield from _weights(context, mesh, wanted[start : start + AT_ONCE])


@contextmanager
def _plain_mesh(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph | None) -> Iterator[bpy.types.Mesh]:
    """Give a mesh in object mode that looks as the object does; it's a copy only where it has to be."""
    mesh = obj.data
    if isinstance(mesh, bpy.types.Mesh) and not mesh.is_editmode and not meshes.needs_evaluation(obj):
        yield mesh
        return
    if meshes.needs_evaluation(obj):
        if depsgraph is None:
            raise ValueError(f"{obj.name} has modifiers or shape keys: reading it needs a depsgraph")
        shown = obj.evaluated_get(depsgraph)
        copy = bpy.data.meshes.new_from_object(shown, preserve_all_data_layers=True, depsgraph=depsgraph)
    else:
        obj.update_from_editmode()
        copy = mesh_of(obj).copy()
    try:
        yield copy
    finally:
        bpy.data.meshes.remove(copy)


def _weights(context: bpy.types.Context, mesh: bpy.types.Mesh, names: Sequence[str]) -> list[tuple[str, Singles]]:
    """Read some groups of a mesh, through an object that exists only for this."""
    reader = bpy.data.objects.new("levelwright weights", mesh)
    tree = _reader(names)
    try:
        modifier = expect(bpy.types.NodesModifier, reader.modifiers.new("weights", "NODES"))
        modifier.node_group = tree
        with evaluated.shown(context, [reader]) as depsgraph:
            shown = reader.evaluated_get(depsgraph)
            made = shown.to_mesh(preserve_all_data_layers=True, depsgraph=depsgraph)
            found = []
            for number, name in enumerate(names):
                values = attributes.read(made, _NAME.format(number), "POINT")
                found.append((name, np.zeros(len(made.vertices), np.float32) if values is None else values))
            shown.to_mesh_clear()
            return found
    finally:
        bpy.data.objects.remove(reader)
        bpy.data.node_groups.remove(tree)


def _reader(names: Sequence[str]) -> bpy.types.GeometryNodeTree:
    """Make nodes that store vertex groups, which a field of their name gives, as attributes of points."""
    tree = expect(bpy.types.GeometryNodeTree, bpy.data.node_groups.new("levelwright weights", "GeometryNodeTree"))
    nodes, link = tree.nodes, tree.links.new
    interface = always(tree.interface)
    interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    socket = nodes.new("NodeGroupInput").outputs[0]
    for number, name in enumerate(names):
        weight = nodes.new("GeometryNodeInputNamedAttribute")
        configure(weight, data_type="FLOAT")
        set_default(weight.inputs["Name"], name)
        store = nodes.new("GeometryNodeStoreNamedAttribute")
        configure(store, data_type="FLOAT", domain="POINT")
        set_default(store.inputs["Name"], _NAME.format(number))
        link(socket, store.inputs["Geometry"])
        found = next(one for one in weight.outputs if one.enabled and one.type == "VALUE")
        link(found, next(one for one in store.inputs if one.enabled and one.name == "Value"))
        socket = store.outputs["Geometry"]
    link(socket, nodes.new("NodeGroupOutput").inputs[0])
    return tree
