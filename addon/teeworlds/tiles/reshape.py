# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces of four corners taken out of a mesh and added to it, all at once.

A `bmesh` would take a second for 300,000 faces; this fills the mesh anew from arrays within 15 to 30 ms. New memory is
what costs most: so one array is made after another, and what was read before isn't read again. (Blender could add to a
mesh instead. That takes no less time, and 5.2 writes beyond its arrays: docs/blender.md, section 5.)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import bpy
import numpy as np

from ....formats import face_rings
from ....formats.arrays import Array, Bools, Singles
from ...scene import attributes
from ...scene.attributes import KINDS, Domain, Kind
from ...scene.blender_types import elements_of
from ...scene.names import showable

_HIDING = frozenset({".hide_vert", ".hide_edge", ".hide_poly"})
"""Attributes that Blender makes, and whose values stay; others with such names are topology and the selection."""
_BY_CORNER = {"POINT": ".corner_vert", "EDGE": ".corner_edge"}
"""What says which point or edge a corner has."""

_DOMAINS: tuple[Domain, ...] = ("POINT", "EDGE", "CORNER", "FACE")
Layers = dict[str, tuple[Domain, Kind, Array]]
"""Attributes by name: of which elements, of which type, their values."""

_BLOCK = 1 << 13
"""Faces that are moved at a time, so that what is made on the way stays in the processor's cache."""


def reshape(
    mesh: bpy.types.Mesh,
    keep: Bools,
    positions: Singles,
    faces: Layers,
    uvs: Mapping[str, Array],
    known: dict[str, Array] | None = None,
) -> None:
    """Keep some faces of a mesh, and add others behind them. All have four corners, and vertices of their own then.

    keep: bool [f]. positions: float32 [4n, 3], corners of the new faces. faces: attributes of the new faces by name, as
    `meshes.build` takes them. uvs: float32 [4n, 2] by name. known: attributes that were read already, those of points
    by corner; each is taken out once it was used, so that what comes next finds memory that isn't new. What they have
    is lost; they may be longer, which makes room for the new faces. Attributes that the new faces aren't given are 0
    there; the selection, vertex groups and texts are lost. Materials stay.
    """
    kept = _Kept(keep, len(positions) // 4)
    layers = _layers(mesh, known if known is not None else {})
    corners = layers.pop("position")[2] if "position" in layers else np.zeros((0, 3), np.float32)
    points = kept.values("CORNER", corners, positions)
    del corners
    for name, (domain, kind, values) in faces.items():
        layers.setdefault(name, (domain, kind, np.zeros(len(keep), values.dtype)))
    active = mesh.uv_layers.active.name if mesh.uv_layers.active else ""
    maps = {layer.name: layers.pop(layer.name)[2] for layer in mesh.uv_layers if layer.name in layers}
    for name in uvs:
        maps.setdefault(name, np.zeros((4 * len(keep), 2), np.float32))
    mesh.clear_geometry()
    _fill(mesh, points)
    del points
    for name in list(maps):
        made = kept.values("CORNER", maps.pop(name), uvs.get(name)).reshape(-1)
        mesh.uv_layers.new(name=showable(name), do_init=False).uv.foreach_set("vector", made)
    if active in mesh.uv_layers:
        mesh.uv_layers.active = mesh.uv_layers[active]
    for name in list(layers):
        domain, kind, values = layers.pop(name)
        new = None
        if name in faces:
            _, kind, new = faces[name]
            values = values.astype(new.dtype, copy=False)
        attributes.create(mesh, name, domain, kind, kept.values(domain, values, new))
    mesh.update()


@dataclass(frozen=True)
class _Kept:
    """Which faces stay: their values go in front of those of the new ones."""

    keep: Bools
    added: int

    def values(self, domain: str, values: Array, new: Array | None = None) -> Array:
        """Those of corners (or of points, which become corners) or faces. new: of the new faces; None: zeros.

        Values that fit stay in their memory, with what is behind them: what `values` had is lost.
        """
        each = 1 if domain == "FACE" else 4
        count = int(np.count_nonzero(self.keep))
        rows = values[: len(values) // each * each].reshape(-1, each * int(np.prod(values.shape[1:], dtype=int)))
        faces, result = rows[: len(self.keep)], rows[: count + self.added]
        if count + self.added > len(rows):
            result = np.empty((count + self.added, rows.shape[1]), values.dtype)
        self._move(faces, result)
        result[count:] = 0 if new is None else new.reshape(self.added, faces.shape[1])
        return result.reshape(len(result) * each, *values.shape[1:])

    def _move(self, faces: Array, target: Array) -> None:
        """Put the values of the faces that stay into a target, which may be the same memory."""
        end = 0
        for start in range(0, len(faces), _BLOCK):
            block, keep = faces[start : start + _BLOCK], self.keep[start : start + _BLOCK]
            kept = block if keep.all() else block[keep]
            target[end : end + len(kept)] = kept
            end += len(kept)


def _layers(mesh: bpy.types.Mesh, known: dict[str, Array]) -> Layers:
    """The attributes of a mesh, but for its topology and selection; those of points and edges by corner. Takes out what
    is known.
    """
    found: Layers = {}
    for held in mesh.attributes:
        domain = next((one for one in _DOMAINS if one == held.domain), None)
        kind = next((one for one in KINDS if one == held.data_type), None)
        if domain is None or kind is None or (held.name.startswith(".") and held.name not in _HIDING):
            continue
        values = known.pop(held.name, None)
        if values is None:
            values = _read(mesh, held)
        if values is not None:
            found[held.name] = (domain, kind, values)
    return found


def _read(mesh: bpy.types.Mesh, held: bpy.types.Attribute) -> Array | None:
    """An attribute's values, those of points and edges by corner; None where they can't be read."""
    values, by_corner = attributes.read(mesh, held.name), _BY_CORNER.get(held.domain)
    owners = None if by_corner is None else attributes.read(mesh, by_corner)
    return values if values is None or owners is None else np.asarray(values[owners])


def _fill(mesh: bpy.types.Mesh, points: Singles) -> None:
    """Give an empty mesh faces with four corners that have a vertex and an edge each. points: their memory is used."""
    corners = len(points)
    if not corners:
        return
    mesh.vertices.add(corners)
    mesh.edges.add(corners)
    mesh.loops.add(corners)
    mesh.polygons.add(corners // 4)
    each = np.arange(corners, dtype=np.int32)
    edges = elements_of(mesh.attributes[".edge_verts"])
    attributes.write(mesh, "position", "POINT", "FLOAT_VECTOR", points)
    edges.foreach_set("value", face_rings.ring_edges(corners // 4, points.reshape(-1)).reshape(-1))
    attributes.write(mesh, ".corner_vert", "CORNER", "INT", each)
    attributes.write(mesh, ".corner_edge", "CORNER", "INT", each)
    attributes.set_face_starts(mesh, each[::4])
