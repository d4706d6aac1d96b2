# SPDX-License-Identifier: GPL-3.0-or-later
"""The polygons of a level's objects that show faces, and which face of the original each one is.

A polygon is a face while it bears the face's number and goes around its very vertices. Faces of the world may be in any
of the world's objects, those of a brush model only in the object of that model: elsewhere they are new ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ....formats import source
from ....formats.binary import FormatError
from ....formats.source import LumpId, geometry, ranges
from ....formats.source.geometry import Polygons
from ...scene import identity, meshes, transforms
from ...scene.meshes import MeshData
from ...scene.reports import SceneError
from .. import layout
from ..scene_level import Bearer, SceneLevel, shows_faces

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

NEAR = 8 * float(np.finfo(np.float32).eps)
"""How much of its size a number may differ from another and be the same: what Blender's rounding makes of it."""
_LEAST_CORNERS = 3


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """The drawn faces of the original, f of them. models: int64[f], the model of each, -1: none. drawable: bool[f], of
    which the import made polygons. positions: float32[v, 3] of VERTEXES, as they are in meshes.
    """

    level: source.Level
    records: NDArray[Any]
    polygons: Polygons
    models: Ints
    drawable: Bools
    positions: NDArray[np.float32]

    def corners(self, faces: Ints) -> tuple[Ints, Ints]:
        """The corners of faces int64[n], as Blender has them: places in `polygons.corners`, and where each face's
        start, int64[n + 1].
        """
        first = self.polygons.first_corner[faces]
        counts = self.polygons.first_corner[faces + 1] - first
        owners, starts = ranges.owners(counts), ranges.starts(counts)
        local = np.arange(len(owners)) - starts[owners]
        return first[owners] + (counts[owners] - local) % np.maximum(counts[owners], 1), starts


@dataclass(frozen=True, slots=True, eq=False)
class Surfaces:
    """The polygons p, corners c and vertices v of all objects o, one after another.

    homes: of each object the model that it shows, -1: none that is known. twins: bool[o], objects that show a brush
    model again that another one before them shows. polygons, points, materials: int64[o + 1], where each object's
    polygons, vertices and slots of `slots` start. faces: int64[p], the face that each polygon bears, -1: it is new.
    turns: int64[p], by how many corners it is turned against its face; -1: it isn't around the face's vertices.
    starts: int64[p + 1]. corners: int64[c], vertices. slot: int64[p], place in `slots`, -1: it has none. vertices:
    int64[v], numbers in VERTEXES, -1: new. positions: float64[v, 3], relative to the root, or to the entity. uv, light:
    float32[c, 2], v upwards: places in the texture, and in the lightmaps' images, NaN without these.
    """

    drawn: Drawn
    bearers: list[Bearer]
    homes: Ints
    twins: Bools
    polygons: Ints
    points: Ints
    faces: Ints
    turns: Ints
    starts: Ints
    corners: Ints
    slots: list[bpy.types.Material | None]
    slot: Ints
    vertices: Ints
    positions: Floats
    uv: NDArray[np.float32]
    light: NDArray[np.float32]

    @property
    def owners(self) -> Ints:
        """int64[p]: the object of each polygon."""
        return ranges.owners(np.diff(self.polygons))

    @property
    def kept(self) -> Ints:
        """int64[n]: the polygons that are faces as they were, each face once, whatever became of its looks."""
        whole = np.flatnonzero((self.turns >= 0) & ~self.twins[self.owners])
        return whole[np.unique(self.faces[whole], return_index=True)[1]]

    def refused(self, message: str, polygons: Ints) -> SceneError:
        """An error about polygons int64[n], with them selected: those of meshes that aren't made by modifiers."""
        objects: dict[bpy.types.Object, None] = {}
        faces: dict[bpy.types.Object, Ints] = {}
        for number in np.unique(np.searchsorted(self.polygons, polygons, "right") - 1).tolist():
            obj = self.bearers[number].object
            objects[obj] = None
            if not meshes.needs_evaluation(obj):
                inside = (polygons >= self.polygons[number]) & (polygons < self.polygons[number + 1])
                faces[obj] = polygons[inside] - self.polygons[number]
        return SceneError(message, objects, faces=faces)

    def named(self, polygons: Ints) -> str:
        """The names of the objects that polygons int64[n] are in, the first few."""
        names = [self.bearers[n].object.name for n in np.unique(self.owners[polygons]).tolist()]
        return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def records(data: MeshData, domain: str, token: int) -> Ints:
    """Which records points or faces of a mesh are, int64[n], -1: new. token: of the import, or of its displacements."""
    if domain == "FACE":
        return data.ids("FACE", token).astype(np.int64) - 1
    ids, check = (data.attribute(name, "POINT") for name in (layout.VERTEX_ID, layout.VERTEX_CHECK))
    if ids is None or check is None or ids.dtype != np.int32 or check.dtype != np.int32:
        return np.full(len(data.positions), -1, np.int64)
    return identity.valid_ids(ids, check, token).astype(np.int64) - 1


def placed(positions: NDArray[np.float32], matrix: Floats) -> Floats:
    """Positions float32[n, 3] where a matrix float64[4, 4] puts them: the very same ones if that moves nothing."""
    wide = positions.astype(np.float64)
    if transforms.agree(matrix, np.eye(4)):
        return wide
    return np.asarray(wide @ matrix[:3, :3].T + matrix[:3, 3])


def drawn_faces(level: source.Level) -> Drawn | None:
    """The faces that the import makes polygons of; None for maps where it can't, as their lumps don't fit together."""
    try:
        records, polygons = level.table(geometry.drawn_faces(level)), geometry.readable_polygons(level)
        models = level.table(LumpId.MODELS)
    except FormatError:
        return None
    first, counts = models["firstface"].astype(np.int64), models["numfaces"].astype(np.int64)
    if ((first < 0) | (counts < 0) | (first + counts > len(records))).any():
        return None
    of = np.full(len(records), -1, np.int64)
    of[ranges.flat(first, counts)[::-1]] = ranges.owners(counts)[::-1]
    drawable = (np.diff(polygons.first_corner) >= _LEAST_CORNERS) & (records["dispinfo"] < 0) & (of >= 0)
    finite = np.isfinite(polygons.positions)
    return Drawn(level, records, polygons, of, drawable, np.where(finite, polygons.positions, np.float32(0)))


def read(scene: SceneLevel) -> Surfaces | None:
    """The surfaces of a level; None where the import could make none. Raises SceneError for meshes without UVs."""
    drawn = drawn_faces(scene.before)
    if drawn is None:
        return None
    bearers = [*scene.bearers(layout.MODEL), *(b for b in scene.bearers(layout.ENTITY) if shows_faces(b.object))]
    if not bearers and not scene.is_shown(layout.MODEL):
        return None
    return _Reader(scene, drawn).read(bearers)


class _Reader:
    def __init__(self, scene: SceneLevel, drawn: Drawn) -> None:
        self.scene, self.drawn = scene, drawn

    def read(self, bearers: Iterable[Bearer]) -> Surfaces:
        """Read all objects but those that show, unedited by what is their own, the very mesh of another one."""
        used: list[Bearer] = []
        data: list[MeshData] = []
        homes: list[int] = []
        faces: list[Ints] = []
        positions: list[Floats] = []
        known: set[tuple[int, str]] = set()
        for bearer in bearers:
            mesh = self.scene.mesh(bearer.object)
            own = records(mesh, "FACE", self.scene.token)
            own[own >= len(self.drawn.records)] = -1
            home = self._home(bearer, own)
            places = self._positions(bearer.object, mesh, home)
            if home > 0 and bearer.object.data is not None and not meshes.needs_evaluation(bearer.object):
                again = (home, bearer.object.data.name)
                own_look = any(slot.link == "OBJECT" for slot in bearer.object.material_slots)
                if np.array_equal(places, mesh.positions):
                    if again in known and not own_look:
                        continue
                    known.add(again)
            used.append(bearer)
            data.append(mesh)
            homes.append(home)
            own[(own >= 0) & (self.drawn.models[own] != home)] = -1
            faces.append(own)
            positions.append(places)
        return self._joined(used, data, homes, faces, positions)

    def _home(self, bearer: Bearer, faces: Ints) -> int:
        """The model that an object shows: of a plain object its record, of an entity the one that it has."""
        mark = identity.stamped(bearer.object)
        if mark is not None and mark.kind == layout.MODEL:
            return bearer.record
        entities = self.scene.before.entities
        if 0 <= bearer.record < len(entities):
            return entities[bearer.record].model or -1
        models = self.drawn.models[faces[faces >= 0]]
        models = models[models > 0]
        return int(np.bincount(models).argmax()) if len(models) else -1

    def _positions(self, obj: bpy.types.Object, mesh: MeshData, home: int) -> Floats:
        """Where vertices are: of the world relative to the root; of brush models to the entity, which may turn."""
        matrix = self.scene.matrix(obj)
        if home != 0:
            left, sizes, right = np.linalg.svd(matrix[:3, :3])
            if np.linalg.det(left @ right) < 0:
                sizes[-1] = -sizes[-1]
            matrix = np.eye(4)
            if np.abs(sizes - 1).max() > NEAR:
                matrix[:3, :3] = right.T @ np.diag(sizes) @ right
        return placed(mesh.positions, matrix)

    def _joined(
        self,
        bearers: list[Bearer],
        data: list[MeshData],
        homes: list[int],
        faces: list[Ints],
        positions: list[Floats],
    ) -> Surfaces:
        points = ranges.starts([len(mesh.positions) for mesh in data])
        sizes = _chain([mesh.face_sizes for mesh in data], np.int64)
        starts = ranges.starts(sizes)
        owner_of_corner = ranges.owners([len(mesh.corner_verts) for mesh in data])
        corners = _chain([mesh.corner_verts for mesh in data], np.int64) + points[owner_of_corner]
        vertices = _chain([records(mesh, "POINT", self.scene.token) for mesh in data], np.int64)
        vertices[vertices >= len(self.drawn.positions)] = -1
        seen: set[int] = set()
        twins = np.zeros(len(bearers), np.bool_)
        for number, home in enumerate(homes):
            twins[number] = home > 0 and home in seen
            seen.add(home)
        slots, slot = _slots(data)
        borne = _chain(faces, np.int64)
        return Surfaces(
            self.drawn,
            bearers,
            np.array(homes, np.int64),
            twins,
            ranges.starts([len(mesh.face_starts) for mesh in data]),
            points,
            borne,
            _turns(self.drawn, borne, starts, vertices[corners]),
            starts,
            corners,
            slots,
            slot,
            vertices,
            np.concatenate([*positions, np.zeros((0, 3))]),
            np.concatenate([*(_uv(b, mesh) for b, mesh in zip(bearers, data, strict=True)), np.zeros((0, 2), "f4")]),
            np.concatenate([*map(_light, data), np.zeros((0, 2), "f4")]),
        )


def _chain(parts: Sequence[NDArray[Any]], dtype: type[np.int64]) -> Ints:
    return np.asarray(np.concatenate([*parts, np.zeros(0, dtype)]), dtype)


def _slots(data: list[MeshData]) -> tuple[list[bpy.types.Material | None], Ints]:
    """All material slots, and of each polygon the place of its slot; -1 where its object has none."""
    slots: list[bpy.types.Material | None] = []
    places = []
    for mesh in data:
        index = mesh.material_index.astype(np.int64).clip(0, max(len(mesh.materials) - 1, 0))
        places.append(index + len(slots) if mesh.materials else np.full(len(index), -1, np.int64))
        slots += mesh.materials
    return slots, _chain(places, np.int64)


def _uv(bearer: Bearer, mesh: MeshData) -> NDArray[np.float32]:
    uv = mesh.uv(layout.UV)
    if uv is None:
        if not len(mesh.corner_verts):
            return np.zeros((0, 2), np.float32)
        raise SceneError(f"{bearer.object.name}: its UV map {layout.UV!r} is gone", [bearer.object])
    return uv


def _light(mesh: MeshData) -> NDArray[np.float32]:
    light = mesh.uv(layout.LIGHTMAP_UV)
    return np.full((len(mesh.corner_verts), 2), np.nan, np.float32) if light is None else light


def _turns(drawn: Drawn, faces: Ints, starts: Ints, vertices: Ints) -> Ints:
    """By how many corners each polygon is turned against its face, -1 where it has others. vertices: of corners."""
    turns = np.full(len(faces), -1, np.int64)
    counts = np.diff(starts)
    wanted = np.diff(drawn.polygons.first_corner)
    left = np.flatnonzero((faces >= 0) & (counts == wanted[faces] if len(wanted) else faces >= 0))
    turn = 0
    while len(left):
        sources, first = drawn.corners(faces[left])
        owners = ranges.owners(np.diff(first))
        local = np.arange(len(owners)) - first[owners]
        there = vertices[starts[left][owners] + (local + turn) % counts[left][owners]]
        other = np.bincount(owners, there != drawn.polygons.corners[sources], len(left)) > 0
        turns[left[~other]] = turn
        turn += 1
        left = left[other]
        left = left[counts[left] > turn]
    return turns
