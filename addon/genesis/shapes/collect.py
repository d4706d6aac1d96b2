# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes back to the shapes of brushes: which solids an object holds, which brush each was, which planes stay.

Nothing is computed that needn't be: faces whose corners are bit for bit where the import put them have their record's
plane, and so do faces that only grew or shrank within it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np

from ....formats import convex, convex_solids, surfaces
from ....formats.arrays import Bools, Floats, Ints
from ....formats.genesis.geometry import Geometry
from ....formats.genesis.records import WORLD_BOUND
from ...scene.geometry import transforms
from ...scene.geometry.meshes import MeshData
from ...scene.issues import mends
from ...scene.kept import identity
from ...scene.reports import SceneError
from .. import layout
from .baseline import Baseline, corner_steps

Matrix = Floats

IN_PLANE, ROUNDING = 1e-3, 4e-7
"""Units, and share of the largest coordinate: how far corners may be off their record's plane and leave it as it is."""
_MENDS = {"bent": mends.TRIANGULATE, "inverted": mends.TURN_OUTWARD}
FLAT = 1e-9
"""What is left of a unit cube that is scaled to nothing along some axis."""
_AXES = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])
"""Blender's axes to Genesis', as `layout.from_blender`."""


@dataclass
class Shape:
    """A solid as the scene shows it, with k sides, in the level's axes (y up) and units."""

    brush: int
    """The number, in the geometry, of the brush that it is or was copied from; -1: new."""
    whole: bool
    """Whether its mesh is what the import made of the brush."""
    move: Matrix | None
    """What became of the whole brush, None if it stands where the import put it."""
    distance: float
    """How far its middle is from the record's."""
    records: Ints
    """[k]: the face of the original that each side is or was copied from, -1: none."""
    faces: Ints
    """[k]: the mesh's face that each side goes by; -1: a record's face that has no polygon."""
    normals: Floats
    """[k, 3]: of the sides' planes, of length 1."""
    dists: Floats
    """[k]: dot(normal, P) of the points of each side."""
    kept: Bools
    """[k]: whether the record's plane stays as it is."""
    inside: Bools
    """[k]: cuts through a concave solid."""
    rings: list[Floats]
    """Corners of each side, counter-clockwise seen from outside; empty for a brush that is as it was."""
    others: list[list[int]] = field(default_factory=list)
    """[k]: further faces of the mesh in the same plane."""
    matrix: Matrix = field(default_factory=lambda: np.eye(4))
    """Where its object is below the root, in Blender's axes."""


class ShapeCollector:
    """Collects shapes of objects. geometry, baseline: of the original; both None where there is none."""

    def __init__(
        self, geometry: Geometry | None, baseline: Baseline | None, token: int | None, split: bool = False
    ) -> None:
        self.geometry = geometry
        self.baseline = baseline
        self.token = token
        self.split = split
        if geometry is not None and baseline is not None:
            counts = np.bincount(geometry.brush_of_face, baseline.with_polygon(), len(geometry.counts))
            self._polygons = counts.astype(np.int64)
            self._owner = geometry.brush_of_face
            self._first = np.cumsum(geometry.counts) - geometry.counts

    def first_face(self, brush: int) -> int:
        """The number of a brush's first face."""
        return int(self._first[brush])

    def without_polygons(self) -> set[int]:
        """The brushes of the original none of whose faces has a polygon."""
        return set() if self.geometry is None else set(np.flatnonzero(self._polygons == 0).tolist())

    def records(self, mesh: MeshData) -> Ints:
        """The face of the original that each face of a mesh is, -1: none."""
        if self.geometry is None or self.token is None:
            return np.full(len(mesh.face_starts), -1, np.int64)
        records = mesh.ids("FACE", self.token).astype(np.int64) - 1
        return np.where(records < len(self.geometry.faces), records, -1)

    def collect(
        self,
        obj: bpy.types.Object,
        mesh: MeshData,
        brush: int,
        matrix: Matrix,
        records: Ints,
        same: Bools,
        reach: float = 0.0,
    ) -> list[Shape]:
        """The solids in an object's mesh.

        brush: the number, in the geometry, of what the object is; -1: new. matrix: where it is below the root, in
        Blender's axes, and reach as `reach_of` says. records, same: of each face, see `records` and `Baseline.same`.
        Raises SceneError, with the faces at fault, for what no brush can be.
        """
        move = self._move(brush, matrix, reach)
        if move is not None or not same.all():
            _check_places(obj, mesh, matrix)
        shapes = []
        left = np.ones(len(records), np.bool_)
        for number, faces in self._whole(brush, records, same):
            left[faces] = False
            shapes.append(self._intact(number, faces, move))
        if left.any() or not shapes:
            shapes += self._rebuilt(obj, mesh, np.flatnonzero(left), matrix, move, records)
        held = {shape.brush for shape in shapes}
        new = [shape for shape in shapes if shape.brush < 0]
        if brush >= 0 and brush not in held and len(new) == 1:
            new[0].brush = brush  # all of its faces are new, but it still is that brush
        for shape in shapes:
            shape.matrix = matrix
        return shapes

    def _move(self, brush: int, matrix: Matrix, reach: float) -> Matrix | None:
        """What happened to an object since the import, in the level's axes; None for nothing."""
        start = np.eye(4)
        if brush >= 0 and self.baseline is not None:
            start[:3, 3] = self.baseline.origins[brush]
        if brush >= 0 and transforms.agree(matrix, start, reach):
            return None
        start[:3, 3] = -start[:3, 3]
        return np.asarray(_AXES @ matrix @ start @ _AXES.T)

    def _whole(self, brush: int, records: Ints, same: Bools) -> list[tuple[int, Ints]]:
        """The brushes all of whose faces are as they were, each with its faces in the mesh."""
        if self.geometry is None or self.baseline is None:
            return []
        if brush >= 0 and not len(records) and not self._polygons[brush]:
            return [(brush, np.empty(0, np.int64))]
        chosen = np.flatnonzero(same)
        _, first = np.unique(records[chosen], return_index=True)
        chosen = chosen[first]
        owners = self._owner[records[chosen]]
        counts = np.bincount(owners, minlength=len(self._polygons))
        complete = (counts == self._polygons) & (counts > 0)
        chosen, owners = chosen[complete[owners]], owners[complete[owners]]
        # Records ascend, and so do their brushes.
        starts = np.flatnonzero(np.diff(owners, prepend=-1))
        return [(int(owners[start]), faces) for start, faces in zip(starts, np.split(chosen, starts[1:]), strict=False)]

    def _intact(self, brush: int, faces: Ints, move: Matrix | None) -> Shape:
        """A brush whose mesh is as it was, wherever it is now: its planes are the records', moved with it."""
        geometry: Any = self.geometry
        records = np.arange(self._first[brush], self._first[brush] + geometry.counts[brush])
        normals = geometry.faces["normal"][records].astype(np.float64)
        dists = geometry.faces["dist"][records].astype(np.float64)
        shape_faces = np.full(len(records), -1, np.int64)
        baseline: Any = self.baseline
        shape_faces[baseline.with_polygon()[records]] = faces
        rings = [self._record_ring(record) for record in records.tolist()] if move is not None else []
        distance = 0.0
        if move is not None:
            normals, dists = convex.moved_planes(normals, dists, move)
            middle = self._middle(brush)
            distance = float(np.linalg.norm(move[:3, :3] @ middle + move[:3, 3] - middle))
            rings = [ring @ move[:3, :3].T + move[:3, 3] for ring in rings]
            if np.linalg.det(move[:3, :3]) < 0:
                rings = [ring[::-1] for ring in rings]
        count = len(records)
        kept = np.full(count, move is None)
        inside = np.zeros(count, np.bool_)
        others: list[list[int]] = [[] for _ in range(count)]
        return Shape(brush, True, move, distance, records, shape_faces, normals, dists, kept, inside, rings, others)

    def _record_ring(self, face: int) -> Floats:
        polygons: Any = self.geometry.polygons if self.geometry is not None else None
        return np.asarray(
            polygons.positions[polygons.corners[polygons.first_corner[face] : polygons.first_corner[face + 1]]]
        )

    def _middle(self, brush: int) -> Floats:
        """The middle of a brush of the original."""
        geometry: Any = self.geometry
        polygons = geometry.polygons
        vertices = polygons.positions[polygons.first_vertex[brush] : polygons.first_vertex[brush + 1]]
        return np.asarray(vertices.mean(axis=0) if len(vertices) else np.zeros(3))

    def _rebuilt(
        self,
        obj: bpy.types.Object,
        mesh: MeshData,
        faces: Ints,
        matrix: Matrix,
        move: Matrix | None,
        records: Ints,
    ) -> list[Shape]:
        """The solids that some of a mesh's faces bound."""
        of, records = self._surface(mesh, faces, matrix, move, records[faces])
        try:
            found = convex_solids.solids(of, self.split)
        except surfaces.SurfaceError as error:
            at_fault = {obj: faces[error.faces].astype(np.int32)} if len(error.faces) else {}
            hint = " (exported with Split concave, it becomes several)" if error.splits and not self.split else ""
            message = f"{obj.name} can't be a brush: {error.message}{hint}"
            raise SceneError(message, [obj], at_fault, mend=_MENDS.get(error.flaw, "")) from error
        return [self._shape(solid, of, faces, records, move) for solid in found]

    def _surface(
        self, mesh: MeshData, faces: Ints, matrix: Matrix, move: Matrix | None, records: Ints
    ) -> tuple[surfaces.Surface, Ints]:
        """Faces where they are now, with the planes of their records where they still lie in them."""
        sizes = mesh.face_sizes.astype(np.int64)[faces]
        steps, owners = corner_steps(sizes)
        if np.linalg.det(matrix[:3, :3]) < 0:  # mirrored: the other way round
            steps = sizes[owners] - 1 - steps
        corners = mesh.corner_verts[mesh.face_starts[faces].astype(np.int64)[owners] + steps].astype(np.int64)
        local = mesh.positions.astype(np.float64)
        positions = layout.from_blender(local @ matrix[:3, :3].T + matrix[:3, 3])
        first_corner = np.concatenate([[0], np.cumsum(sizes)])
        of = surfaces.surface(positions, corners, first_corner)
        known = records >= 0
        if self.geometry is None or not known.any():
            return of, records
        was = self.geometry.faces[np.where(known, records, 0)]
        normals, dists = was["normal"].astype(np.float64), was["dist"].astype(np.float64)
        for moved in (None, move):
            if moved is not None:
                normals, dists = convex.moved_planes(normals, dists, moved)
            elif move is None and of.known.any():
                break
            lies = known & ~of.known & _lies_in(of, normals, dists)
            of.normals[lies], of.dists[lies] = normals[lies], dists[lies]
            of.known[lies] = True
        return of, records

    def _shape(
        self, solid: convex_solids.Solid, of: surfaces.Surface, faces: Ints, records: Ints, move: Matrix | None
    ) -> Shape:
        """A solid as a shape: sides of records in the file's order, then new ones, cuts last."""
        leads = np.array([side.faces[0] for side in solid])
        inside = np.array([side.inside for side in solid])
        side_records = self._once(np.where(inside, -1, records[leads]), leads, of)
        brush = self._brush_of(side_records)
        own = np.zeros(len(solid), np.bool_)
        if brush >= 0:
            known = side_records >= 0
            own[known] = self._owner[side_records[known]] == brush
        order = np.lexsort((np.arange(len(solid)), np.where(own, side_records, 0), ~own, inside))
        solid = [solid[number] for number in order]
        leads, inside, side_records = leads[order], inside[order], side_records[order]
        normals = np.array([side.normal for side in solid])
        dists = np.array([side.dist for side in solid])
        kept = np.zeros(len(solid), np.bool_)
        if self.geometry is not None:
            known = (side_records >= 0) & of.known[leads]
            was = self.geometry.faces[np.where(known, side_records, 0)]
            kept = known & (was["normal"] == normals).all(axis=1) & (was["dist"] == dists)
        polygons = convex.from_planes(normals, dists, [len(solid)])
        rings = []
        for number, side in enumerate(solid):
            corners = polygons.corners[polygons.first_corner[number] : polygons.first_corner[number + 1]]
            alone = len(side.faces) == 1 and not side.inside and not self.split
            rings.append(of.ring(side.faces[0]) if alone else polygons.positions[corners])
        middle = np.concatenate(rings).mean(axis=0)
        distance = float(np.linalg.norm(middle - self._middle(brush))) if brush >= 0 else 0.0
        others = [[] if side.inside else faces[side.faces[1:]].tolist() for side in solid]
        return Shape(
            brush, False, move, distance, side_records, faces[leads], normals, dists, kept, inside, rings, others
        )

    def _once(self, records: Ints, leads: Ints, of: surfaces.Surface) -> Ints:
        """Records of a solid's sides, each once: Blender gives new faces those of the faces that they were made from.

        The side in the record's plane keeps it, or else the one that faces as it did most nearly.
        """
        if self.geometry is None or not (records >= 0).any():
            return records
        was = self.geometry.faces["normal"][np.where(records >= 0, records, 0)].astype(np.float64)
        turned = 1 - (was * of.normals[leads]).sum(axis=1)
        keeps = identity.nearest_instances(records + 1, np.where(of.known[leads], -1.0, turned))
        return np.where(keeps, records, -1)

    def _brush_of(self, records: Ints) -> int:
        """The brush that most of these faces belong to, -1: none."""
        known = records[records >= 0]
        return int(np.bincount(self._owner[known]).argmax()) if len(known) else -1


def _check_places(obj: bpy.types.Object, mesh: MeshData, matrix: Matrix) -> None:
    """Raise SceneError, with the vertices at fault, for a mesh that is flattened, or is out of the world."""
    linear = matrix[:3, :3]
    with np.errstate(all="ignore"):
        size = np.abs(np.linalg.det(linear / np.linalg.norm(linear, axis=0)))
        if not size > FLAT:
            raise SceneError(f"{obj.name} can't be a brush: its scale is 0, infinite or NaN", [obj])
        positions = mesh.positions.astype(np.float64) @ linear.T + matrix[:3, 3]
        out = np.flatnonzero(~(np.abs(positions) <= WORLD_BOUND).all(axis=1)).astype(np.int32)
    if len(out):
        raise SceneError(
            f"{obj.name} can't be a brush: {len(out)} of its vertices are out of the world, which ends at "
            f"{WORLD_BOUND} units",
            [obj],
            points={obj: out},
        )


def _lies_in(of: surfaces.Surface, normals: Floats, dists: Floats) -> Bools:
    """Which faces lie in these planes, [f]."""
    owners = of.corner_face
    points = of.positions[of.corners]
    off = np.abs((points * normals[owners]).sum(axis=1) - dists[owners])
    worst, largest = np.zeros(len(dists)), np.zeros(len(dists))
    np.maximum.at(worst, owners, off)
    np.maximum.at(largest, owners, np.abs(points).max(axis=1, initial=0.0))
    facing = (of.normals * normals).sum(axis=1) > 0.5
    return np.asarray((worst <= IN_PLANE + ROUNDING * largest) & facing)
