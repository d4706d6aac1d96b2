# SPDX-License-Identifier: GPL-3.0-or-later
"""Selected edges of meshes in edit mode: smooth or hard, and bridges."""

from __future__ import annotations

import bmesh
import bpy
import numpy as np

from ...scene import attributes
from ...scene.blender_types import mesh_of
from ...scene.geometry.edit_mode import edited_meshes, readable
from .. import layout


def set_smooth(context: bpy.types.Context, smooth: bool) -> int:
    """Make the selected edges of meshes in edit mode smooth or hard, as the game shows them; returns how many.

    An edge is smooth if it isn't sharp and no face at it is flat (see `layout`): the other edges of faces that stop
    being flat become sharp.
    """
    changed = 0
    for obj in edited_meshes(context):
        mesh = mesh_of(obj)
        bridges = _bridges(obj) if smooth else set[int]()
        working = bmesh.from_edit_mesh(mesh)
        working.edges.index_update()
        edges = [edge for edge in working.edges if edge.select and edge.link_faces]
        for edge in edges:
            if smooth:
                for face in edge.link_faces:
                    _round(face, bridges)
            edge.smooth = smooth
        changed += len(edges)
        bmesh.update_edit_mesh(mesh, loop_triangles=False, destructive=False)
    return changed


def _bridges(obj: bpy.types.Object) -> set[int]:
    """The numbers of a mesh's bridges, in edit mode: attributes can't be read there, but in its copy."""
    with readable(obj) as mesh:
        found = attributes.read(mesh, layout.BRIDGE, "EDGE")
    return set() if found is None else set(np.flatnonzero(found).tolist())


def _round(face: bmesh.types.BMFace, bridges: set[int]) -> None:
    """Stop a face from being flat, with all its edges hard: but for bridges, which are inside of it, and so are the
    other parts of the face beyond them.
    """
    waiting = [face]
    while waiting:
        part = waiting.pop()
        if part.smooth:
            continue
        part.smooth = True
        for edge in part.edges:
            if edge.index in bridges:
                waiting += edge.link_faces
            else:
                edge.smooth = False


def mark_bridges(context: bpy.types.Context, on: bool) -> int:
    """Make selected edges, in edit mode, bridges or edges: faces on both sides of a bridge are one face of the level.

    Returns how many edges there were.
    """
    count = 0
    objects = list(context.objects_in_mode_unique_data)
    bpy.ops.object.mode_set(mode="OBJECT")  # edit mode of Blender 4.2 has no access to booleans
    try:
        for obj in objects:
            mesh = mesh_of(obj)
            selected = np.zeros(len(mesh.edges), np.bool_)
            mesh.edges.foreach_get("select", selected)
            bridges = attributes.read(mesh, layout.BRIDGE, "EDGE")
            if bridges is None:
                bridges = np.zeros(len(selected), np.bool_)
            attributes.write(mesh, layout.BRIDGE, "EDGE", "BOOLEAN", np.where(selected, on, bridges.astype(np.bool_)))
            count += int(selected.sum())
    finally:
        bpy.ops.object.mode_set(mode="EDIT")
    return count
