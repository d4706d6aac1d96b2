# SPDX-License-Identifier: GPL-3.0-or-later
"""Brushes in Blender that are cut apart: where others are taken out of them, and where they aren't convex.

What is cut stays what it was for: sides keep their numbers, attributes, materials and textures, and all pieces the
number of their brush.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import bmesh
import bpy
import numpy as np
from bmesh.types import BMesh, BMFace
from mathutils import Matrix

from ....formats import convex, convex_solids, surfaces
from ....formats.arrays import Floats, Singles
from ....formats.source import vmf
from ....formats.source.vmf.uv import size_of, uv_of
from ...scene.blender_types import Value
from ...scene.reports import SceneError
from .. import layout

_THIN = 0.1
"""Units: pieces that are thinner are none."""
_TOOLS = "tools/"


@dataclass(frozen=True, slots=True)
class _Side:
    """A side of a piece."""

    normal: Floats
    dist: float
    like: BMFace
    """The face that it is a part of, or has the attributes of where a cut made it."""
    is_cut: bool = False
    material: bpy.types.Material | None = None
    """Of a cut; None: that of `like`."""


_Piece = list[_Side]


class Cutter:
    """What cuts the brushes of one mesh.

    place: from the mesh to the map's units; sizes: of textures, in texels; spared: numbers of brushes that aren't cut.
    """

    def __init__(
        self, obj: bpy.types.Object, place: Matrix, sizes: dict[str, tuple[int, int]], spared: Container[int] = ()
    ) -> None:
        self._obj, self._mesh, self._place, self._sizes = obj, _mesh(obj), np.array(place, np.float64), sizes
        self._spared = spared

    def split(self, only_selected: bool = False) -> int:
        """Make convex brushes of those that aren't; the number of these. only_selected: of those with such a face.

        Raises SceneError, with the faces that no solid can be made of.
        """
        with _form(self._mesh) as form:
            parts = [part for part in _parts(form) if not only_selected or any(face.select for face in part)]
            made = [(part, pieces) for part in parts if len(pieces := self._pieces(part)) > 1]
            self._draw(form, made)
        return len(made)

    def take_out(self, others: Iterable[bpy.types.Object], depsgraph: bpy.types.Depsgraph) -> int:
        """Take other meshes out of the brushes; the number of brushes that they reach into. Raises SceneError."""
        cutters = [cutter for other in others for cutter in self._cutters(other, depsgraph)]
        made: list[tuple[list[BMFace], list[_Piece]]] = []
        with _form(self._mesh) as form:
            brush = form.faces.layers.int.get(layout.BRUSH)
            for part in _parts(form):
                if brush is not None and part[0][brush] - 1 in self._spared:
                    continue
                near = [cutter for cutter in cutters if _meet(_corners(part), cutter.corners)]
                if not near:
                    continue
                whole = pieces = self._pieces(part)
                for cutter in near:
                    pieces = [rest for piece in pieces for rest in _without(piece, cutter.planes, self._body(part))]
                if len(pieces) != len(whole) or any(one is not two for one, two in zip(pieces, whole, strict=True)):
                    made.append((part, pieces))
            self._draw(form, made)
        return len(made)

    def _pieces(self, part: list[BMFace]) -> list[_Piece]:
        """The convex pieces of what hangs together. Raises SceneError."""
        try:
            found = convex_solids.solids(_surface(part), split=True)
        except surfaces.SurfaceError as error:
            faces = np.array([part[number].index for number in error.faces.tolist()], np.int32)
            raise SceneError(
                f"{self._obj.name}: a brush can't be cut: {error.message}", [self._obj], {self._obj: faces}
            ) from error
        return [[_Side(side.normal, side.dist, part[side.faces[0]], side.inside) for side in one] for one in found]

    def _cutters(self, other: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Iterator[_Cutter]:
        """The convex pieces of another object, in this one's coordinates. Raises SceneError."""
        form = bmesh.new()
        try:
            form.from_object(other, depsgraph)
            move = self._obj.matrix_world.inverted_safe() @ other.matrix_world
            form.transform(move)
            if move.determinant() < 0:
                bmesh.ops.reverse_faces(form, faces=form.faces[:])
            faces = form.faces[:]
            found = convex_solids.solids(_surface(faces), split=True)
            painted = [_material(other, face.material_index) for face in faces]
        except surfaces.SurfaceError as error:
            raise SceneError(f"{other.name} can't cut: {error.message}", [other]) from error
        finally:
            form.free()
        for solid in found:
            planes = [(side.normal, side.dist, None if side.inside else painted[side.faces[0]]) for side in solid]
            shape = convex.from_planes(np.array([one[0] for one in planes]), np.array([one[1] for one in planes]),
                                       [len(planes)])  # fmt: skip
            yield _Cutter(planes, shape.positions)

    def _draw(self, form: BMesh, made: Sequence[tuple[list[BMFace], list[_Piece]]]) -> None:
        """Put pieces in the place of the parts that they were cut from."""
        number, uv = form.faces.layers.int.get(layout.SIDE), form.loops.layers.uv.get(layout.UV)
        own = [form.faces.layers.int.get(name) for name in (layout.BRUSH, layout.CONTENTS)]
        for part, pieces in made:
            same = [
                (layer, next((face[layer] for face in part if face[layer]), 0)) for layer in own if layer is not None
            ]
            for piece in pieces:
                shape = _shape(piece)
                vertices = [form.verts.new(point) for point in shape.positions.tolist()]
                for place, side in enumerate(piece):
                    ring = shape.corners[shape.first_corner[place] : shape.first_corner[place + 1]]
                    if len(ring) < 3:
                        continue
                    face = form.faces.new([vertices[corner] for corner in ring.tolist()], side.like)
                    for layer, value in same:
                        face[layer] = value
                    if side.is_cut and number is not None:
                        face[number] = 0
                    if side.material is not None:
                        face.material_index = self._slot(side.material)
                    if uv is not None:
                        places = self._uvs(side, shape.positions[ring], face, uv).tolist()
                        for loop, at in zip(face.loops, places, strict=True):
                            loop[uv].uv = at
            bmesh.ops.delete(form, geom=part, context="FACES")
        form.normal_update()

    def _uvs(self, side: _Side, points: Floats, face: BMFace, uv: Value) -> Floats | Singles:
        """Where the texture of a side lies at points: as on its face, or, on a cut, along the map's axes."""
        if not side.is_cut:
            corners = np.array([loop.vert.co for loop in side.like.loops], np.float64)
            known = np.array([loop[uv].uv for loop in side.like.loops], np.float64)
            middle = corners.mean(axis=0)
            flat = np.linalg.lstsq(np.column_stack([corners - middle, np.ones(len(corners))]), known, rcond=1e-9)[0]
            return np.asarray(np.column_stack([points - middle, np.ones(len(points))]) @ flat)
        name = _name(_material(self._obj, face.material_index))
        turn = self._place[:3, :3]
        normal = turn @ side.normal
        vectors = vmf.standard((normal / np.linalg.norm(normal))[None])[0]
        texels = (points @ turn.T + self._place[:3, 3]) @ vectors[:, :3].T + vectors[:, 3]
        return uv_of(texels, np.array([size_of(name, self._sizes)]))

    def _body(self, part: Sequence[BMFace]) -> BMFace:
        """The face whose attributes and material cuts get: the largest, of those without tool textures if there are."""

        def order(face: BMFace) -> tuple[bool, float]:
            return not _name(_material(self._obj, face.material_index)).startswith(_TOOLS), face.calc_area()

        return max(part, key=order)

    def _slot(self, material: bpy.types.Material) -> int:
        """The place of a material on the mesh, which gets it."""
        slots = [slot.material for slot in self._obj.material_slots]
        if material not in slots:
            self._mesh.materials.append(material)
            return len(slots)
        return slots.index(material)


@dataclass(frozen=True, slots=True)
class _Cutter:
    """A convex solid that is taken out of others: planes with materials, and corners float64[n, 3]."""

    planes: list[tuple[Floats, float, bpy.types.Material | None]]
    corners: Floats


def _without(
    piece: _Piece, planes: Iterable[tuple[Floats, float, bpy.types.Material | None]], body: BMFace
) -> list[_Piece]:
    """What of a piece isn't behind all of some planes; the piece itself, where nothing is."""
    made, rest = [], piece
    for normal, dist, material in planes:
        before = [*rest, _Side(-normal, -dist, body, True, material)]
        if _reaches(before, normal, dist):
            made.append(before)
        rest = [*rest, _Side(normal, dist, body, True, material)]
        if not _reaches(rest, -normal, -dist):
            return [piece]
    return made


def _reaches(piece: _Piece, normal: Floats, dist: float) -> bool:
    """Whether a piece has more than a sliver before a plane."""
    shape = _shape(piece)
    return bool(shape.closed.all() and len(shape.positions) and (shape.positions @ normal - dist).max() > _THIN)


def _shape(piece: _Piece) -> convex.Polygons:
    return convex.from_planes(np.array([s.normal for s in piece]), np.array([s.dist for s in piece]), [len(piece)])


def _meet(one: Floats, other: Floats) -> bool:
    """Whether the boxes around points overlap."""
    return bool((one.min(axis=0) < other.max(axis=0)).all() and (other.min(axis=0) < one.max(axis=0)).all())


def _corners(part: Iterable[BMFace]) -> Floats:
    return np.array([vertex.co for face in part for vertex in face.verts], np.float64)


def _parts(form: BMesh) -> Iterator[list[BMFace]]:
    """What hangs together."""
    seen: set[BMFace] = set()
    for first in form.faces:
        if first in seen:
            continue
        seen.add(first)
        part, stack = [], [first]
        while stack:
            face = stack.pop()
            part.append(face)
            fresh = {near for vertex in face.verts for near in vertex.link_faces} - seen
            seen |= fresh
            stack += fresh
        yield sorted(part, key=lambda face: face.index)


def _surface(faces: Sequence[BMFace]) -> surfaces.Surface:
    numbers: dict[bmesh.types.BMVert, int] = {}
    corners = [numbers.setdefault(vertex, len(numbers)) for face in faces for vertex in face.verts]
    starts = np.cumsum([0, *(len(face.verts) for face in faces)])
    return surfaces.surface(np.array([vertex.co for vertex in numbers], np.float64), corners, starts)


def _material(obj: bpy.types.Object, place: int) -> bpy.types.Material | None:
    slots = obj.material_slots
    return slots[min(place, len(slots) - 1)].material if len(slots) else None


def _name(material: bpy.types.Material | None) -> str:
    return "" if material is None else str(material.get(layout.MATERIAL, material.name)).lower()


def _mesh(obj: bpy.types.Object) -> bpy.types.Mesh:
    if not isinstance(obj.data, bpy.types.Mesh):
        raise SceneError(f"{obj.name}: it is no mesh", [obj])
    return obj.data


@contextmanager
def _form(mesh: bpy.types.Mesh) -> Iterator[BMesh]:
    """A mesh to change, which may be in Edit Mode."""
    if mesh.is_editmode:
        form = bmesh.from_edit_mesh(mesh)
        form.faces.index_update()
        yield form
        bmesh.update_edit_mesh(mesh)
        return
    form = bmesh.new()
    try:
        form.from_mesh(mesh)
        yield form
        form.to_mesh(mesh)
    finally:
        form.free()
    mesh.update()
