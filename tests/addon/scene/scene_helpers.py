# SPDX-License-Identifier: GPL-3.0-or-later
"""Small scenes for the tests of addon/scene."""

from collections.abc import Iterator
from contextlib import contextmanager

import bpy
import numpy as np
from levelwright.addon.scene.geometry import meshes


def grid_arrays(n: int, size: float = 1.0, z: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Positions float32[(n+1)^2, 3] and corners int32[4 n^2] of n x n quads with shared vertices."""
    y, x = np.divmod(np.arange((n + 1) ** 2), n + 1)
    positions = np.column_stack([x * size, y * size, np.full(len(x), z)]).astype(np.float32)
    row, column = np.divmod(np.arange(n * n), n)
    first = row * (n + 1) + column
    corners = np.column_stack([first, first + 1, first + n + 2, first + n + 1]).astype(np.int32)
    return positions, corners.reshape(-1)


def grid(name: str, n: int, shared: bool, size: float = 1.0, z: float = 0.0) -> bpy.types.Mesh:
    """A mesh of n x n quads, face i at column i % n, row i // n."""
    positions, corners = grid_arrays(n, size, z)
    if not shared:
        positions, corners = positions[corners], np.arange(len(corners), dtype=np.int32)
    return meshes.build(name, positions, corners)


def link(obj: bpy.types.Object) -> bpy.types.Object:
    """Link an object to the scene."""
    bpy.context.scene.collection.objects.link(obj)
    return obj


def active(*objects: bpy.types.Object) -> None:
    """Select exactly these objects, the first one active."""
    bpy.context.view_layer.update()
    for obj in bpy.context.view_layer.objects:
        obj.select_set(obj in objects)
    bpy.context.view_layer.objects.active = objects[0]


@contextmanager
def edit(obj: bpy.types.Object, select: bool = True) -> Iterator[None]:
    """Edit mode with everything selected (or the selection as it is), for bpy.ops.mesh."""
    active(obj)
    bpy.ops.object.mode_set(mode="EDIT")
    if select:
        bpy.ops.mesh.select_all(action="SELECT")
    yield
    bpy.ops.object.mode_set(mode="OBJECT")
