# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the tiles of a layer's mesh lie in the layer."""

from __future__ import annotations

import bpy
import numpy as np

from ....formats.arrays import Floats, Ints
from ....formats.teeworlds.stamps import Rectangle
from ...scene.geometry import meshes, transforms
from ...scene.kept.identity import ancestor
from .. import layout


def matrix_of(layer: bpy.types.Object) -> Floats:
    """A layer's transform in its group, float64 [4, 4]. Raises SceneError where a constraint moves it."""
    above = ancestor(layer, layout.GROUP)
    return transforms.compose(layer, above)


def cells_of(layer: bpy.types.Object, selected: bool = False) -> Ints:
    """Column and row of the faces of a layer that is a mesh, int64 [n, 2]. selected: of the selected ones only."""
    mesh = layer.data
    if not isinstance(mesh, bpy.types.Mesh) or not len(mesh.polygons):
        return np.zeros((0, 2), np.int64)
    chosen = np.ones(len(mesh.polygons), np.bool_)
    if selected:
        mesh.polygons.foreach_get("select", chosen)
    data = meshes.read(layer, names=())
    middle = np.add.reduceat(data.positions[data.corner_verts], data.face_starts) / data.face_sizes[:, None]
    matrix = matrix_of(layer)
    places = middle[chosen] @ matrix[:2, :3].T + matrix[:2, 3]
    cells: Ints = np.floor(places * (1, -1)).astype(np.int64)
    return cells


def selected_region(layer: bpy.types.Object) -> Rectangle | None:
    """The smallest rectangle with all selected tiles of a layer; None where none is, or it is no mesh of tiles."""
    if layer.get(layout.STORAGE) != layout.MESH:
        return None
    cells = cells_of(layer, selected=True)
    if not len(cells):
        return None
    (left, top), (right, bottom) = cells.min(axis=0).tolist(), cells.max(axis=0).tolist()
    return left, top, right + 1 - left, bottom + 1 - top
