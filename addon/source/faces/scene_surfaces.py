# SPDX-License-Identifier: GPL-3.0-or-later
"""The polygons of a level's objects that show faces, and which face of the original each one is.

A polygon is a face while it has the face's number and goes around its very vertices. Faces of the world may be in any
of the world's objects, those of a brush model only in the object of that model: elsewhere they are new ones.

Objects of new brush entities show models that the map hasn't yet: these are numbered behind its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np

from ....formats import ranges
from ....formats.arrays import Floats, Integers, Ints, Singles
from ....formats.binary import FormatError
from ....formats.source import LumpId
from ....formats.source.entities import brush_classes
from ....formats.source.entities.text import CLASSNAME
from ....formats.source.faces.surface_edits import find
from ....formats.source.faces.surfaces import ModelFaces, Surfaces, model_faces, turns
from ...scene.geometry import meshes, transforms
from ...scene.geometry.meshes import MeshData
from ...scene.kept import identity
from ...scene.kept.instances import Instance
from ...scene.reports import SceneError, listed
from .. import layout
from ..collecting.scene_level import SceneLevel
from ..settings import REBUILD
from . import sides

NUMBERS = (layout.TEXINFO, layout.ORIGINAL_FACE, layout.SMOOTHING_GROUPS, layout.FLAGS)
"""The attributes of faces that say numbers."""
UNKNOWN = -(1 << 40)
NEAR = 8 * float(np.finfo(np.float32).eps)
"""How much of its size a number may differ from another and be the same: what Blender's rounding makes of it."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SceneSurfaces(Surfaces):
    """The surfaces of a level's objects, with what they look like."""

    instances: list[Instance]
    """[o]: the objects."""
    slots: list[bpy.types.Material | None]
    """The material slots of all objects."""
    slot: Ints
    """int64[p]: place in `slots`; -1: it has none."""
    uv: Singles
    """float32[c, 2]: places in the texture, v upwards."""
    light: Singles
    """float32[c, 2]: places in the lightmaps' images, v upwards; NaN without these."""
    numbers: dict[str, Ints]
    """int64[p] for each of NUMBERS: what polygons say; UNKNOWN where their mesh has no such attribute."""
    normals: Singles
    """float32[c, 3]: as they are shaded."""
    flat: Singles
    """float32[p, 3]: normals of the polygons themselves."""
    sources: dict[int, int]
    """Models that are to be added, by their numbers, ascending: the model of the map that each is a copy of in another
    shape, -1: of none."""
    others: list[tuple[Instance, int]]
    """Objects that show the very mesh of another one, which isn't read again, and which of `instances` has it."""

    @property
    def shown(self) -> dict[bpy.types.Object, int]:
        """The model that each object shows, -1: none."""
        places = [*enumerate(self.instances), *((place, instance) for instance, place in self.others)]
        return {instance.object: int(self.homes[place]) for place, instance in places}

    def refused(self, message: str, polygons: Ints, mend: str = "") -> SceneError:
        """An error about polygons int64[n], with them selected: those of meshes that aren't made by modifiers."""
        objects: dict[bpy.types.Object, None] = {}
        faces: dict[bpy.types.Object, Ints] = {}
        for number in np.unique(np.searchsorted(self.polygons, polygons, "right") - 1).tolist():
            obj = self.instances[number].object
            objects[obj] = None
            if not meshes.needs_evaluation(obj):
                inside = (polygons >= self.polygons[number]) & (polygons < self.polygons[number + 1])
                faces[obj] = polygons[inside] - self.polygons[number]
        return SceneError(message, objects, faces=faces, mend=mend)

    def named(self, polygons: Ints) -> str:
        """The names of the objects that polygons int64[n] are in, the first few."""
        return listed([self.instances[n].object.name for n in np.unique(self.owners[polygons]).tolist()])


def records(data: MeshData, domain: str, token: int) -> Ints:
    """Which records points or faces of a mesh are, int64[n], -1: new. token: of the import, or of its displacements."""
    if domain == "FACE":
        return data.ids("FACE", token).astype(np.int64) - 1
    ids, check = (data.attribute(name, "POINT") for name in (layout.VERTEX_ID, layout.VERTEX_CHECK))
    if ids is None or check is None or ids.dtype != np.int32 or check.dtype != np.int32:
        return np.full(len(data.positions), -1, np.int64)
    return identity.valid_ids(ids, check, token).astype(np.int64) - 1


def placed(positions: Singles, matrix: Floats) -> Floats:
    """Positions float32[n, 3] where a matrix float64[4, 4] puts them: the very same ones if that moves nothing."""
    wide = positions.astype(np.float64)
    if transforms.agree(matrix, np.eye(4)):
        return wide
    return np.asarray(wide @ matrix[:3, :3].T + matrix[:3, 3])


def turned(normals: Singles, matrix: Floats) -> Singles:
    """Normals float32[n, 3] as a matrix float64[4, 4] turns them: the very same ones if that moves nothing."""
    if transforms.agree(matrix, np.eye(4)):
        return normals
    made = normals.astype(np.float64) @ np.linalg.pinv(matrix[:3, :3])
    lengths = np.sqrt((made * made).sum(axis=1, keepdims=True))
    return np.divide(made, lengths, out=np.zeros_like(made), where=lengths > 0).astype(np.float32)


def read(scene: SceneLevel) -> SceneSurfaces | None:
    """The surfaces of a level; None where the import could make none. Raises SceneError for meshes without UVs."""
    try:
        stand_ins = sides.recall(scene.collection, scene.before)
    except FormatError:  # without their lumps, there are none to be found
        stand_ins = None
    original = model_faces(scene.before, stand_ins)
    if original is None:
        return None
    instances = [*scene.instances(layout.MODEL), *filter(scene.shows_model, scene.instances(layout.ENTITY))]
    if not instances and not scene.is_shown(layout.MODEL):
        return None
    surfaces = _SurfaceCollector(scene, original).read(instances)
    return _parted(surfaces) if scene.settings.geometry == REBUILD else surfaces


def _parted(surfaces: SceneSurfaces) -> SceneSurfaces:
    """Have objects that show a model again, and no longer in one shape, show models of their own."""
    if not surfaces.twins.any():
        return surfaces
    edits = find(surfaces)
    edited = np.zeros(len(surfaces.homes), np.bool_)
    edited[surfaces.owners[edits.faulty]] = edited[edits.short] = True
    first = np.concatenate([surfaces.homes[edited & ~surfaces.twins], surfaces.model_faces.models[edits.deleted]])
    homes, sources = surfaces.homes.copy(), dict(surfaces.sources)
    count = len(surfaces.model_faces.level.table(LumpId.MODELS)) + len(sources)
    for place in np.flatnonzero(surfaces.twins & (edited | np.isin(homes, first))).tolist():
        sources[count], homes[place] = int(homes[place]), count
        count += 1
    return replace(surfaces, homes=homes, sources=sources)


class _SurfaceCollector:
    def __init__(self, scene: SceneLevel, original: ModelFaces) -> None:
        self.scene, self.original = scene, original
        self.others: list[tuple[Instance, int]] = []
        self.first_added, self.added = max(len(scene.before.table(LumpId.MODELS)), 1), 0
        """The number of the first model that is to be added, and how many there are."""

    def read(self, instances: Iterable[Instance]) -> SceneSurfaces:
        """Read all objects but those that show the very mesh of another one, scaled alike."""
        used: list[Instance] = []
        data: list[MeshData] = []
        homes: list[int] = []
        faces: list[Ints] = []
        positions: list[Floats] = []
        known: dict[tuple[int, str, bytes], int] = {}
        for instance in instances:
            mesh = self.scene.mesh(instance.object, normals=True)
            own = records(mesh, "FACE", self.scene.token)
            own[own >= len(self.original.records)] = -1
            is_new = self.scene.is_new_model(instance)
            home = self.first_added + self.added if is_new else self._home(instance, own)
            matrix = self._matrix(instance.object, home)
            shown = instance.object.data
            if home > 0 and shown is not None and _is_all_of_its_looks(instance.object):
                shape = (-1 if is_new else home, shown.name, matrix.tobytes())
                if known.setdefault(shape, len(used)) != len(used):
                    self.others.append((instance, known[shape]))
                    continue
            self.added += is_new
            mesh.corner_normals = turned(mesh.corner_normals, matrix)
            mesh.face_normals = turned(mesh.face_normals, matrix)
            used.append(instance)
            data.append(mesh)
            homes.append(home)
            known_faces = np.flatnonzero(own >= 0)
            own[known_faces[self.original.models[own[known_faces]] != home]] = -1
            faces.append(own)
            positions.append(placed(mesh.positions, matrix))
        return self._joined(used, data, homes, faces, positions)

    def _home(self, instance: Instance, faces: Ints) -> int:
        """The model that an object shows: of a plain object its record, of an entity the one that it has, or gets."""
        if identity.kind_of(instance.object) == layout.MODEL:
            return instance.record
        entities = self.scene.before.entities
        if 0 <= instance.record < len(entities):
            return entities[instance.record].model or -1
        models = self.original.models[faces[faces >= 0]]
        models = models[models > 0]
        return int(np.bincount(models).argmax()) if len(models) else -1

    def _matrix(self, obj: bpy.types.Object, home: int) -> Floats:
        """What puts vertices where they are: of the world relative to the root; of brush models to the entity, which
        may turn.
        """
        matrix = self.scene.matrix(obj)
        if home != 0:
            left, sizes, right = np.linalg.svd(matrix[:3, :3])
            if np.linalg.det(left @ right) < 0:
                sizes[-1] = -sizes[-1]
            turns = home < self.first_added or obj.get(CLASSNAME) not in brush_classes.DIRECTED
            linear = right.T @ np.diag(sizes) @ right if turns else matrix[:3, :3]
            matrix = np.eye(4)
            if not turns or np.abs(sizes - 1).max() > NEAR:
                matrix[:3, :3] = linear
        return np.asarray(matrix, np.float64)

    def _joined(
        self,
        instances: list[Instance],
        data: list[MeshData],
        homes: list[int],
        faces: list[Ints],
        positions: list[Floats],
    ) -> SceneSurfaces:
        points = ranges.starts([len(mesh.positions) for mesh in data])
        sizes = _chain([mesh.face_sizes for mesh in data], np.int64)
        starts = ranges.starts(sizes)
        owner_of_corner = ranges.owners([len(mesh.corner_verts) for mesh in data])
        corners = _chain([mesh.corner_verts for mesh in data], np.int64) + points[owner_of_corner]
        vertices = _chain([records(mesh, "POINT", self.scene.token) for mesh in data], np.int64)
        vertices[vertices >= len(self.original.positions)] = -1
        vertices[np.repeat(np.array(homes, np.int64) >= self.first_added, np.diff(points))] = -1
        seen: set[int] = set()
        twins = np.zeros(len(instances), np.bool_)
        for number, home in enumerate(homes):
            twins[number] = home > 0 and home in seen
            seen.add(home)
        slots, slot = _slots(data)
        numbers = _chain(faces, np.int64)
        return SceneSurfaces(
            model_faces=self.original,
            homes=np.array(homes, np.int64),
            twins=twins,
            polygons=ranges.starts([len(mesh.face_starts) for mesh in data]),
            points=points,
            faces=numbers,
            turns=turns(self.original, numbers, starts, vertices[corners]),
            starts=starts,
            corners=corners,
            vertices=vertices,
            positions=np.concatenate([*positions, np.zeros((0, 3))]),
            instances=instances,
            slots=slots,
            slot=slot,
            uv=np.concatenate([*map(self._uv, instances, data, homes), np.zeros((0, 2), "f4")]),
            light=np.concatenate([*map(_light, data), np.zeros((0, 2), "f4")]),
            sources=dict.fromkeys(range(self.first_added, self.first_added + self.added), -1),
            others=self.others,
            numbers={name: _chain([_numbers(mesh, name) for mesh in data], np.int64) for name in NUMBERS},
            normals=np.concatenate([*(mesh.corner_normals for mesh in data), np.zeros((0, 3), "f4")]),
            flat=np.concatenate([*(mesh.face_normals for mesh in data), np.zeros((0, 3), "f4")]),
        )

    def _uv(self, instance: Instance, mesh: MeshData, home: int) -> Singles:
        """An object's UVs; of a new one those that it has, or 0."""
        uv = mesh.uv(layout.UV)
        if uv is None and home >= self.first_added:
            uv = mesh.uv()
            return np.zeros((len(mesh.corner_verts), 2), np.float32) if uv is None else uv
        if uv is None:
            if not len(mesh.corner_verts):
                return np.zeros((0, 2), np.float32)
            raise SceneError(f"{instance.object.name}: its UV map {layout.UV!r} is gone", [instance.object])
        return uv


def _is_all_of_its_looks(obj: bpy.types.Object) -> bool:
    """Whether all that an object shows is its mesh: others with the mesh show the same."""
    own = any(slot.link == "OBJECT" for slot in obj.material_slots)
    return not own and not meshes.needs_evaluation(obj)


def _chain(parts: Sequence[Integers], dtype: type[np.int64]) -> Ints:
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


def _numbers(mesh: MeshData, name: str) -> Ints:
    found = mesh.attribute(name, "FACE")
    if found is None or found.dtype != np.int32:
        return np.full(len(mesh.face_starts), UNKNOWN)
    return found.astype(np.int64)


def _light(mesh: MeshData) -> Singles:
    light = mesh.uv(layout.LIGHTMAP_UV)
    return np.full((len(mesh.corner_verts), 2), np.nan, np.float32) if light is None else light
