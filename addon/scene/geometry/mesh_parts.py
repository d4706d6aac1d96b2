# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of meshes as meshes of their own: loose parts, brushes of many, sets of these."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ....formats import linked, ranges
from ....formats.arrays import Array, Integers, Singles
from ..attributes import Kind
from . import meshes
from .meshes import MeshData

_KINDS: dict[tuple[str, int], Kind] = {
    ("f", 1): "FLOAT",
    ("f", 2): "FLOAT2",
    ("f", 3): "FLOAT_VECTOR",
    ("f", 4): "FLOAT_COLOR",
    ("i", 1): "INT",
    ("b", 1): "BOOLEAN",
}
"""The kind of an attribute, by the kind of its numbers and how many there are of each face."""
_STEPS = 4096
"""Of the largest side of a shape: by less than one the points of equal shapes may differ."""


@dataclass(frozen=True, slots=True, eq=False)
class MeshPart:
    """Some faces of a mesh."""

    data: MeshData
    faces: Integers
    """int64[f], in their order."""

    @property
    def corners(self) -> Integers:
        """int64[c]: the places of their corners, face after face."""
        return ranges.flat(self.data.face_starts[self.faces], self.data.face_sizes[self.faces])

    @property
    def vertices(self) -> Integers:
        """int64[v]: the vertices that they have, each once."""
        return np.asarray(np.unique(self.data.corner_verts[self.corners]), np.int64)

    @property
    def box(self) -> tuple[Singles, Singles]:
        """The lowest and the highest coordinates, float32[3] each."""
        points = self.data.positions[self.vertices]
        return points.min(axis=0), points.max(axis=0)

    @property
    def slots(self) -> Integers:
        """int64[f]: the material slots that they show, 0 where there are none."""
        last = max(len(self.data.materials) - 1, 0)
        return np.clip(self.data.material_index[self.faces], 0, last).astype(np.int64)

    @property
    def materials(self) -> list[bpy.types.Material]:
        """What they are painted with, what most faces have first."""
        numbers, counts = np.unique(self.slots, return_counts=True)
        order = numbers[np.argsort(-counts, kind="stable")].tolist()
        found = [self.data.materials[number] for number in order if number < len(self.data.materials)]
        return [one for one in found if one is not None]

    def shape_key(self) -> str:
        """What parts have in common that look the same, wherever they are: hexadecimal."""
        points = self.data.positions[self.data.corner_verts[self.corners]]
        low, high = self.box
        rounded = np.rint((points - low) * (_STEPS / max(float((high - low).max()), 1e-6))).astype(np.int64)
        names = "|".join([size_of(low, high), *(material.name for material in self.materials)])
        sizes = self.data.face_sizes[self.faces].astype(np.int64)
        return f"{zlib.crc32(names.encode(), zlib.crc32(rounded.tobytes() + sizes.tobytes())):08x}"


def size_of(low: Array, high: Array) -> str:
    """How large a box is, for names: "64 x 32 x 8". low, high: [3]."""
    return " x ".join(f"{size:.4g}" for size in np.asarray(high - low).tolist())


def whole(data: MeshData) -> MeshPart:
    """All faces of a mesh."""
    return MeshPart(data, np.arange(len(data.face_starts)))


def loose(data: MeshData) -> list[MeshPart]:
    """The parts of a mesh that share no vertex with one another, in the order of their first faces."""
    counts = data.face_sizes.astype(np.int64)
    if not len(counts):
        return []
    owners = ranges.owners(counts)
    first_face = np.full(len(data.positions), len(counts), np.int64)
    np.minimum.at(first_face, data.corner_verts, owners)
    others = first_face[data.corner_verts]
    label = linked.components(len(counts), np.append(owners, others), np.append(others, owners))
    order = np.argsort(label, kind="stable")
    cuts = np.flatnonzero(np.diff(label[order])) + 1
    return [MeshPart(data, faces) for faces in np.split(order, cuts)]


def build(name: str, parts: Sequence[MeshPart], keep: Collection[str] = (), smooth: bool = False) -> bpy.types.Mesh:
    """Make a mesh of parts, about the middle of all of them, on whole numbers; with their UVs and materials.

    keep: the attributes of faces that are kept, too. All parts have the same UV maps and attributes, or 0.
    """
    lows, highs = zip(*(part.box for part in parts), strict=True)
    middle = np.rint((np.min(lows, axis=0) + np.max(highs, axis=0)) / 2)
    sizes = np.concatenate([part.data.face_sizes[part.faces] for part in parts])
    vertices = [part.vertices for part in parts]
    firsts = ranges.starts([len(one) for one in vertices])
    corners = [
        np.searchsorted(own, part.data.corner_verts[part.corners]) + first
        for part, own, first in zip(parts, vertices, firsts[:-1].tolist(), strict=True)
    ]
    slots, materials = _slots(parts)
    mesh = meshes.build(
        name,
        np.concatenate([part.data.positions[own] for part, own in zip(parts, vertices, strict=True)]) - middle,
        np.concatenate(corners),
        ranges.starts(sizes)[:-1],
        uvs={title: np.concatenate([_uv(part, title) for part in parts]) for title in parts[0].data.uvs},
        attributes={title: ("FACE", *made) for title in keep if (made := _attribute(parts, title)) is not None},
        material_index=slots if len(materials) > 1 else None,
        smooth=smooth,
    )
    for material in materials:
        mesh.materials.append(material)
    return mesh


def _uv(part: MeshPart, title: str) -> Singles:
    found = part.data.uv(title)
    return np.zeros((len(part.corners), 2), np.float32) if found is None else found[part.corners]


def _attribute(parts: Sequence[MeshPart], title: str) -> tuple[Kind, Array] | None:
    """An attribute of the faces of all parts, and its kind; None where one of them has none."""
    found = [part.data.attribute(title, "FACE") for part in parts]
    values = [one[part.faces] for one, part in zip(found, parts, strict=True) if one is not None]
    if len(values) < len(parts):
        return None
    joined = np.concatenate(values)
    return _KINDS[joined.dtype.kind, 1 if joined.ndim == 1 else joined.shape[1]], joined


def _slots(parts: Sequence[MeshPart]) -> tuple[Integers, list[bpy.types.Material | None]]:
    """The slot of each face, and the materials of the slots: those that faces have, each once."""
    numbers: dict[bpy.types.Material | None, int] = {}
    found = []
    for part in parts:
        there = part.data.materials or [None]
        used, own = np.unique(part.slots, return_inverse=True)
        table = np.array([numbers.setdefault(there[slot], len(numbers)) for slot in used.tolist()], np.int64)
        found.append(table[own.reshape(-1)])
    return np.concatenate(found), [one for one in numbers if one is not None or len(numbers) > 1]
