# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces of four corners taken out of a mesh and added to it, all at once: the mesh is filled anew from arrays.

A `bmesh` would take a second for 300,000 faces; this takes some hundredths.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import bpy
import numpy as np
import numpy.typing as npt

from ....formats.arrays import Array
from ...scene import attributes
from ...scene.attributes import LAYOUT, Domain, Kind
from ...scene.blender_types import Attribute
from ...scene.names import showable

_TOPOLOGY = frozenset({"position", ".corner_vert", ".corner_edge", ".edge_verts"})


def reshape(
    mesh: bpy.types.Mesh,
    keep: npt.NDArray[np.bool_],
    positions: npt.NDArray[np.float32],
    faces: Mapping[str, tuple[Domain, Kind, Array]],
    uvs: Mapping[str, Array],
) -> None:
    """Keep some faces of a mesh, and add others behind them. All faces have four corners, and end up with vertices of
    their own.

    keep: bool [f]. positions: float32 [4n, 3], corners of the new faces. faces: attributes of the new faces by name, as
    `meshes.build` takes them. uvs: float32 [4n, 2] by name. Attributes of points, corners and faces that the new faces
    aren't given are 0 there; those of edges, the selection and vertex groups are lost. Materials stay.
    """
    corner_verts = _read(mesh, ".corner_vert")
    in_order = len(corner_verts) == len(mesh.vertices) and bool((np.diff(corner_verts) == 1).all())
    carried = _Carried(keep, None if in_order else corner_verts, len(positions) // 4)
    points = carried.values("POINT", _read(mesh, "position").reshape(-1, 3))
    count, added = len(points) // 4, len(positions) // 4
    points[4 * (count - added) :] = positions
    layers = carried.layers(mesh)
    for name, (domain, kind, values) in faces.items():
        if name not in layers:
            layers[name] = (domain, kind, np.zeros(count, values.dtype))
        layers[name][2][count - added :] = values
    active = mesh.uv_layers.active.name if mesh.uv_layers.active else ""
    maps = {layer.name: layers.pop(layer.name)[2] for layer in mesh.uv_layers if layer.name in layers}
    maps |= {name: np.zeros((4 * count, 2), np.float32) for name in uvs if name not in maps}
    for name, values in uvs.items():
        maps[name][4 * (count - added) :] = values
    mesh.clear_geometry()
    _fill(mesh, points)
    for name, values in maps.items():
        mesh.uv_layers.new(name=showable(name), do_init=False).uv.foreach_set("vector", values.reshape(-1))
    if active in mesh.uv_layers:
        mesh.uv_layers.active = mesh.uv_layers[active]
    for name, (domain, kind, values) in layers.items():
        attributes.create(mesh, name, domain, kind, values)
    mesh.update()


def _read(mesh: bpy.types.Mesh, name: str) -> Array:
    values = attributes.read(mesh, name)
    return np.zeros(0, np.int32 if name == ".corner_vert" else np.float32) if values is None else values


@dataclass(frozen=True)
class _Carried:
    """Which elements stay: their values go in front of zeros for the new ones."""

    keep: npt.NDArray[np.bool_]
    corner_verts: Array | None
    """None where each corner has a vertex of its own, in order."""
    added: int

    def values(self, domain: str, values: Array) -> Array:
        """Those of points, corners or faces; points become corners."""
        if domain == "POINT" and self.corner_verts is not None:
            values = values[self.corner_verts]
        each = 1 if domain == "FACE" else 4
        faces = values.reshape(len(self.keep), each * int(np.prod(values.shape[1:], dtype=int)))
        count = int(np.count_nonzero(self.keep))
        result = np.empty((count + self.added, faces.shape[1]), values.dtype)
        if count == len(faces):
            result[:count] = faces
        else:
            np.compress(self.keep, faces, axis=0, out=result[:count])
        result[count:] = 0
        return result.reshape(len(result) * each, *values.shape[1:])

    def layers(self, mesh: bpy.types.Mesh) -> dict[str, tuple[Domain, Kind, Array]]:
        """The attributes of a mesh, but for those of edges and those that Blender makes."""
        found: dict[str, tuple[Domain, Kind, Array]] = {}
        for attribute in mesh.attributes:
            held: Attribute = attribute
            lost = held.domain not in ("POINT", "CORNER", "FACE") or held.data_type not in LAYOUT
            if not lost and held.name not in _TOPOLOGY and not held.name.startswith("."):
                values = attributes.read(mesh, held.name)
                if values is not None:
                    found[held.name] = (held.domain, held.data_type, self.values(held.domain, values))
        return found


def _fill(mesh: bpy.types.Mesh, points: npt.NDArray[np.float32]) -> None:
    """Give an empty mesh faces with four corners that have a vertex and an edge each."""
    corners = len(points)
    if not corners:
        return
    mesh.vertices.add(corners)
    mesh.edges.add(corners)
    mesh.loops.add(corners)
    mesh.polygons.add(corners // 4)
    each = np.arange(corners, dtype=np.int32)
    ends = np.empty((corners // 4, 4, 2), np.int32)
    ends[..., 0] = each.reshape(-1, 4)
    ends[:, :3, 1], ends[:, 3, 1] = ends[:, 1:, 0], ends[:, 0, 0]
    edges: Attribute = mesh.attributes[".edge_verts"]
    attributes.write(mesh, "position", "POINT", "FLOAT_VECTOR", points)
    edges.data.foreach_set("value", ends.reshape(-1))
    attributes.write(mesh, ".corner_vert", "CORNER", "INT", each)
    attributes.write(mesh, ".corner_edge", "CORNER", "INT", each)
    mesh.polygons.foreach_set("loop_start", each[::4].copy())
