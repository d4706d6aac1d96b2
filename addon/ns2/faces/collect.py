# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects with a level's faces as one mesh: arrays with Spark's axes, and the records that their elements are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np

from ....formats.arrays import Array, Bools, Indices, Singles
from ....formats.counting import number_of
from ....formats.ns2.editing import EditedMesh
from ....formats.ns2.editing.edited import Words
from ....formats.ns2.records import MASK_WORDS, NO_GROUP
from ...scene.attributes import Domain
from ...scene.geometry import meshes, transforms
from ...scene.geometry.meshes import MeshData
from ...scene.kept import identity, originals
from ...scene.level import root_of
from ...scene.reports import Report, SceneError, listed
from .. import layout
from ..layers import lists
from .objects import geometry, readable
from .other_levels import OtherLevels

SHARP_EDGE, SHARP_FACE = "sharp_edge", "sharp_face"
"""Blender's own attributes."""
_ROUNDING = 8 * float(np.finfo(np.float32).eps)
"""Of coordinates and of where the object is."""
_LAYERS = tuple(f"{layout.LAYERS}{word}" for word in range(MASK_WORDS))
_NAMES = (
    *_LAYERS,
    layout.VERTEX_GROUP,
    layout.EDGE_GROUP,
    layout.FACE_GROUP,
    layout.MAPPING_GROUP,
    layout.VERTEX_ID,
    layout.VERTEX_CHECK,
    layout.BRIDGE,
    SHARP_EDGE,
    SHARP_FACE,
)


@dataclass(slots=True, eq=False)
class CollectedMesh(EditedMesh):
    """All geometry of a level, whatever objects it is in: positions are below the level's root."""

    palette: list[bpy.types.Material | None]
    """What the numbers in `materials` mean."""
    firsts: Indices
    """[objects + 1]: the first polygon of each object."""
    objects: list[bpy.types.Object]

    def owners(self, polygons: Indices) -> list[bpy.types.Object]:
        """The objects that polygons are in."""
        numbers = np.searchsorted(self.firsts, polygons, side="right") - 1
        return [self.objects[number] for number in np.unique(numbers).tolist()]

    def error(self, message: str, polygons: Indices) -> SceneError:
        """An error about polygons, which get selected."""
        objects = self.owners(polygons)
        named = listed([obj.name for obj in objects])
        return SceneError(f"{named}: {message}", objects, faces=self.by_object(polygons))

    def by_object(self, polygons: Indices) -> dict[bpy.types.Object, Indices]:
        """Polygons as faces of the objects that they are in; without those that modifiers made."""
        owners = np.searchsorted(self.firsts, polygons, side="right") - 1
        selected: dict[bpy.types.Object, Indices] = {}
        for number in np.unique(owners).tolist():
            obj, first = self.objects[number], self.firsts[number]
            mesh = obj.data
            # What modifiers made can't be selected.
            if isinstance(mesh, bpy.types.Mesh) and len(mesh.polygons) == self.firsts[number + 1] - first:
                selected[obj] = polygons[owners == number] - first
        return selected


def collect_faces(
    context: bpy.types.Context,
    collection: bpy.types.Collection,
    original: originals.Original | None,
    report: Report,
) -> CollectedMesh:
    """The meshes of a level as one. Raises SceneError."""
    others = OtherLevels.of(collection)
    root = root_of(collection)
    objects = geometry(collection)
    with readable(context, collection, objects, root) as depsgraph:
        found = collect_mesh(objects, root, original.token if original is not None else None, depsgraph, others)
    for other in others.levels:
        if other.lost:
            report.warn(
                f"of {other.name}, {number_of(other.lost, 'faces were')} in layers or groups that {collection.name} "
                "hasn't"
            )
    _tell_without_uv_map(found, report)
    _put_into_homes(found, lists.memberships(collection))
    return found


def _tell_without_uv_map(found: CollectedMesh, report: Report) -> None:
    """Warn of objects with faces of the level that have no UV map any more."""
    ends = found.starts[found.firsts].tolist()
    for number, obj in enumerate(found.objects):
        known = found.faces[found.firsts[number] : found.firsts[number + 1]] >= 0
        if known.any() and np.isnan(found.uvs[ends[number] : ends[number + 1]]).all():
            report.warn(f"{obj.name}: without a UV map, its textures stay as they were", [obj])


def _put_into_homes(found: CollectedMesh, memberships: lists.Memberships) -> None:
    """Let the faces of objects in collections of layers and groups be in those, too. Raises SceneError."""
    for number, obj in enumerate(found.objects):
        mask, groups = memberships.get(obj, (0, []))
        if len(groups) > 1:
            raise SceneError(f"{obj.name} is in the collections of several groups: faces can be in one only", [obj])
        own = slice(*found.firsts[number : number + 2])
        found.layers[own] |= np.frombuffer(mask.to_bytes(4 * MASK_WORDS, "little"), "<u4")
        if groups:
            of_object = found.face_groups[own]
            of_object[of_object == NO_GROUP] = groups[0]


def collect_mesh(
    objects: Sequence[bpy.types.Object],
    root: bpy.types.Object | None,
    token: int | None,
    depsgraph: bpy.types.Depsgraph | None,
    others: OtherLevels | None = None,
) -> CollectedMesh:
    """Read the meshes of objects, with their modifiers and transforms. token: the level's, None where no id counts.

    depsgraph: as `evaluated.shown` gives it, where objects need evaluation. others: levels whose faces may have come
    here. Raises SceneError for what isn't finite.
    """
    if not objects:
        return no_mesh()
    palette: dict[bpy.types.Material | None, int] = {}
    parts = [_read(obj, root, token, depsgraph, palette, others) for obj in objects]
    points = _begins([len(part.positions) for part in parts])
    edges = _begins([len(part.edges) for part in parts])
    corners = _begins([len(part.corners) for part in parts])
    joined: dict[str, Array] = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in EditedMesh.__slots__
        if name not in ("starts", "edges", "corners", "sides")
    }
    return CollectedMesh(
        edges=np.concatenate([part.edges + at for part, at in zip(parts, points, strict=False)]),
        corners=np.concatenate([part.corners + at for part, at in zip(parts, points, strict=False)]),
        sides=np.concatenate([part.sides + at for part, at in zip(parts, edges, strict=False)]),
        starts=np.concatenate(
            [*(part.starts[:-1] + at for part, at in zip(parts, corners, strict=False)), corners[-1:]]
        ),
        **joined,
        palette=list(palette),
        firsts=_begins([len(part.faces) for part in parts]),
        objects=list(objects),
    )


def no_mesh() -> CollectedMesh:
    """No geometry."""
    return _arrays(MeshData(np.zeros((0, 3), np.float32), np.zeros(0, np.int32), np.zeros(0, np.int32)), None, {})


def _begins(sizes: list[int]) -> Indices:
    return np.concatenate([np.zeros(1, np.intp), np.cumsum(np.array(sizes, np.intp))])


def _read(
    obj: bpy.types.Object,
    root: bpy.types.Object | None,
    token: int | None,
    depsgraph: bpy.types.Depsgraph | None,
    palette: dict[bpy.types.Material | None, int],
    others: OtherLevels | None,
) -> CollectedMesh:
    data = meshes.read(obj, depsgraph, (*_NAMES, *layout.TEXTURES), edges=True)
    for name in _NAMES:
        values = data.attribute(name)
        if values is not None and (values.ndim != 1 or values.dtype not in (np.int32, np.bool_)):
            raise SceneError(f"{obj.name}: attribute {name} must hold one whole number an element", [obj])
    _refuse_uvs(obj, data)
    part = _arrays(data, token, palette)
    if others is not None:
        others.adopt(part, data)
    matrix = transforms.seen(obj, root, depsgraph)
    if not np.array_equal(matrix, np.eye(4)):
        points = data.positions.astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]
        with np.errstate(over="ignore", invalid="ignore"):  # what isn't finite is refused below
            part.positions = layout.from_blender(points.astype(np.float32))
            part.rounding = _ROUNDING * (np.abs(data.positions).max(axis=1) + np.abs(matrix[:3, 3]).max())
            if np.linalg.det(matrix[:3, :3]) < 0:
                _turn(part)
    if not np.isfinite(part.positions).all():
        bad = np.flatnonzero(~np.isfinite(part.positions).all(axis=1))
        raise SceneError(
            f"{obj.name}: {number_of(len(bad), 'vertices have')} coordinates that aren't finite",
            [obj],
            points={obj: bad},
        )
    part.objects = [obj]
    return part


def _refuse_uvs(obj: bpy.types.Object, data: MeshData) -> None:
    """Raise SceneError for UVs that are no numbers: no import makes them, and no texture lies so."""
    uvs = data.uv(layout.UV)
    if uvs is None or np.isfinite(uvs).all():
        return
    corners = np.flatnonzero(~np.isfinite(uvs).all(axis=1))
    bad = np.unique(np.searchsorted(data.face_starts, corners, "right") - 1)
    raise SceneError(
        f"{obj.name}: {number_of(len(bad), 'faces have')} UVs that aren't finite",
        faces={} if meshes.needs_evaluation(obj) else {obj: bad},
        objects=[obj],
    )


def _turn(part: CollectedMesh) -> None:
    """Let polygons run the other way round, from the same first corner: mirrored ones show the side that they did."""
    starts, sizes = part.starts[:-1], np.diff(part.starts)
    begin, size = np.repeat(starts, sizes), np.repeat(sizes, sizes)
    place = np.arange(len(part.corners)) - begin
    corners = begin + (size - place) % size
    part.sides = part.sides[begin + size - 1 - place]
    part.corners, part.uvs = part.corners[corners], part.uvs[corners]


def _arrays(data: MeshData, token: int | None, palette: dict[bpy.types.Material | None, int]) -> CollectedMesh:
    count, edge_count = len(data.face_starts), len(data.edges)
    corners, sides = data.corner_verts.astype(np.intp), data.corner_edges.astype(np.intp)
    starts = np.append(data.face_starts, len(corners)).astype(np.intp)
    sharp = _flags(data, SHARP_EDGE, "EDGE", edge_count)
    sharp[sides[np.repeat(_flags(data, SHARP_FACE, "FACE", count), np.diff(starts))]] = True
    uvs = data.uv(layout.UV)
    uvs = data.uv() if uvs is None else uvs
    numbers = [palette.setdefault(each and each.original, len(palette)) for each in data.materials or [None]]
    slots = data.material_index.clip(0, len(numbers) - 1)
    zeros = np.zeros(count, np.int32)
    raw, textures = data.attribute(identity.ID, "FACE"), _textures(data, count)
    layers = [data.attribute(name, "FACE") for name in _LAYERS]
    return CollectedMesh(
        layout.from_blender(data.positions),
        np.zeros(len(data.positions)),
        _none(data.positions) if token is None else layout.vertex_ids(data, token).astype(np.intp) - 1,
        _groups(data, layout.VERTEX_GROUP, "POINT", len(data.positions)),
        data.edges.astype(np.intp),
        ~sharp,
        _flags(data, layout.BRIDGE, "EDGE", edge_count),
        _groups(data, layout.EDGE_GROUP, "EDGE", edge_count),
        starts,
        corners,
        sides,
        np.full((len(corners), 2), np.nan, np.float32) if uvs is None else uvs,
        _none(data.face_starts) if token is None else data.ids("FACE", token).astype(np.intp) - 1,
        np.array(numbers, np.intp)[slots],
        np.stack([zeros if each is None else each for each in layers], axis=1).astype(np.int32).view(np.uint32),
        _groups(data, layout.FACE_GROUP, "FACE", count),
        _groups(data, layout.MAPPING_GROUP, "FACE", count),
        textures,
        (np.zeros(count, np.int32) if raw is None else raw).astype(np.int32) + textures[:, 1:3].any(axis=1) == 0,
        list(palette),
        _begins([count]),
        [],
    )


def _textures(data: MeshData, count: int) -> Singles:
    """What TEXTURES say, float32[count, 5]: 0 where one of them is absent, or another kind of attribute."""
    found = [data.attribute(name, "FACE") for name in layout.TEXTURES]
    made = np.zeros((count, len(found)), np.float32)
    for column, values in zip(made.T, found, strict=True):
        if values is not None and values.ndim == 1 and values.dtype == np.float32:
            column[:] = values
    made[~np.isfinite(made).all(axis=1)] = 0
    return made


def _none(elements: Array) -> Indices:
    """No records."""
    return np.full(len(elements), -1, np.intp)


def _flags(data: MeshData, name: str, domain: Domain, count: int) -> Bools:
    found = data.attribute(name, domain)
    return np.zeros(count, np.bool_) if found is None else found.astype(np.bool_)


def _groups(data: MeshData, name: str, domain: Domain, count: int) -> Words:
    found = data.attribute(name, domain)
    return layout.group_ids(np.zeros(count, np.int32) if found is None else found.astype(np.int32))
