# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces that share no vertices: whether faces are such, and their edges; and whether a mesh has quads alone."""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import NDArray

from .blender_types import Value

_BLOCK = 1 << 13  # faces that are worked on at a time, so that what is made on the way stays in the processor's cache
_RING = np.array((0, 1, 1, 2, 2, 3, 3, 0), np.int32)


def are_quads(mesh: bpy.types.Mesh) -> bool:
    """Say whether all faces of a mesh have four corners, by their triangles: where faces begin takes 25 ns a face."""
    count = len(mesh.polygons)
    if len(mesh.loops) != 4 * count:
        return False
    mesh.calc_loop_triangles()
    triangles: Value = mesh.loop_triangle_polygons
    if len(triangles) != 2 * count:
        return False
    owners = np.empty(2 * count, np.int32)
    triangles.foreach_get("value", owners)
    return bool((owners[::2] == owners[1::2]).all() and (np.diff(owners[::2]) == 1).all())


def ring_edges(count: int, room: NDArray[np.float32] | None = None) -> NDArray[np.int32]:
    """Return the edges of faces with four corners that have a vertex each, in order: int32[4 * count, 2], one from each
    corner to the next of its face.

    Those of a block of faces are those of the first block, with larger numbers. room: memory to put them into,
    float32[8 * count] or more.
    """
    edges = np.empty((count, 8), np.int32) if room is None else room[: 8 * count].view(np.int32).reshape(count, 8)
    first = 4 * np.arange(min(count, _BLOCK), dtype=np.int32)[:, None] + _RING
    for start in range(0, count, _BLOCK):
        block = edges[start : start + _BLOCK]
        np.add(first[: len(block)], np.int32(4 * start), out=block)
    return edges.reshape(-1, 2)


def share_nothing(corners: NDArray[np.int32] | None, starts: NDArray[np.int32], count: int) -> bool:
    """Say whether each of `count` vertices belongs to one corner, in order (corners None: yes), and faces have three
    corners or more.
    """
    if not len(starts) or (corners is not None and len(corners) != count):
        return False
    if count - int(starts[-1]) < 3 or int(np.diff(starts).min(initial=3)) < 3:
        return False
    return corners is None or np.array_equal(corners, np.arange(count, dtype=np.int32))


def edges_of_rings(corners: NDArray[np.int32], starts: NDArray[np.int32]) -> tuple[NDArray[np.int32], ...]:
    """Return the edges of faces that share no vertices: one from each corner to the next of its face.

    Such faces can't be wrong (no vertex twice, no face twice), so that validate(), which takes ten times as long to
    find the same edges, isn't needed. corners: the vertex of each corner, which is the corner's own number.
    """
    edges = np.empty((len(corners), 2), np.int32)
    edges[:, 0] = corners
    edges[:-1, 1] = corners[1:]
    edges[starts[1:] - 1, 1] = starts[:-1]
    edges[-1, 1] = starts[-1]
    return edges, corners
