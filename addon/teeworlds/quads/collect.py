# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects of a quad layer back to its records: the other way of `quads`.

Every face of the layer's object and of the mesh objects below it is a quad, wherever it lies. One that carries a
record's id keeps all of that record that the scene still shows: coordinates that float32 can't tell from the record's,
colours and texture coordinates of the same bits. A copy of a quad starts from the same record, so it differs only where
it was edited; a face without an id is new.

Draw order is depth: quads with a record are put in the order of their z (as the import made it: unchanged), new ones
come last. A pivot moves with its object and, in shared meshes, with a face that was moved as a whole.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields

import bpy
import numpy as np
import numpy.typing as npt

from ....formats import teeworlds
from ....formats.teeworlds import quads as quad_geometry
from ....formats.teeworlds.records import EnvelopeKind
from ...scene import identity, meshes, transforms
from ...scene.reports import SceneError
from .. import layout
from ..envelopes.collect import EnvelopeReader, Played
from ..layers.collect import LayerScene
from .build import COLOR_LIMIT, ENVELOPES, OFFSET, UNIT, corner_colors, corner_uvs

Quads = npt.NDArray[np.void]
Ints = npt.NDArray[np.int32]
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Singles = npt.NDArray[np.float32]

_TO_MAP = np.array((UNIT, -UNIT), np.float64)
_SURFACES = {"MESH", "CURVE", "SURFACE", "FONT", "META"}
_ROUNDING = 4 * float(np.finfo(np.float32).eps)
"""How far float32 coordinates lie off, at worst, as part of the largest number that made them."""
_TURNS = [np.roll(order, -start) for order in ((0, 1, 2, 3), (0, 3, 2, 1)) for start in range(4)]
"""The eight ways to go round a face; the first is the ring's."""
_WHOLE = np.array(((0, 1), (0, 0), (1, 0), (1, 1)), np.float32)
"""Texture coordinates of a mesh without any."""


def read(scene: LayerScene, layer: teeworlds.QuadLayer | None, envelopes: EnvelopeReader) -> Quads | None:
    """The quads of a layer, QUAD [n], envelopes numbered as `envelopes` exports them.

    `scene`: the layer's object; its depsgraph holds the objects below it too, if any must be evaluated. `layer`: the
    record that it was made of, as it was read; None for a new one. None where the record's quads can't be read, so that
    they stay as they are. Raises SceneError, with the faces, for faces that are no quads, and for coordinates that the
    file can't hold.
    """
    if scene.object.get(layout.STORAGE) == layout.KEPT:
        return None
    original: Quads = np.zeros(0, teeworlds.QUAD) if layer is None else layer.quads()
    parts = []
    for obj in (scene.object, *scene.object.children_recursive):
        stamp = identity.stamped(obj)
        if obj.type in _SURFACES and not (stamp is not None and stamp.kind == layout.PREVIEW):
            parts += _faces(obj, scene, original, envelopes)
    if not parts:
        return original[:0]
    faces = _Faces.joined([part for part, _ in parts])
    quads = _records(faces, original)
    for name in parts[0][1]:
        quads[name] = np.concatenate([references[name] for _, references in parts])
    order = np.lexsort((faces.ids, faces.depth, faces.ids == 0))
    return np.asarray(quads[order])


@dataclass
class _Faces:
    """Quads of the scene, a row each, corners in the order of the ring. Coordinates in file units, as floats."""

    places: list[tuple[bpy.types.Object, Ints]]  # the objects with the numbers of their faces
    ids: Ints  # the record's number + 1, 0 for none
    matrices: Floats  # [n, 2, 4]: from the object's coordinates to those of the group, in Blender units
    corners: Floats  # [n, 4, 2]
    depth: Floats
    uvs: Singles  # [n, 4, 2], as in Blender
    colors: Singles  # [n, 4, 4], as in Blender
    pivots: Floats  # [n, 2]
    pivot_known: Bools  # whether anything tells the pivot
    pivot_follows: Bools  # whether it moves with the face

    @classmethod
    def joined(cls, parts: list[_Faces]) -> _Faces:
        """All the quads of these."""
        arrays = [one.name for one in fields(cls)[1:]]
        return cls(
            [place for part in parts for place in part.places],
            *(np.concatenate([getattr(part, name) for part in parts]) for name in arrays),
        )

    def refuse(self, bad: Bools, message: str) -> None:
        """Raise SceneError for the quads where `bad` [n] is true."""
        if bad.any():
            ends = np.cumsum([len(numbers) for _, numbers in self.places])
            parts = zip(self.places, np.split(bad, ends[:-1]), strict=True)
            raise _error({obj: numbers[here] for (obj, numbers), here in parts if here.any()}, message)


def _error(faces: dict[bpy.types.Object, Ints], message: str) -> SceneError:
    selectable = {obj: numbers for obj, numbers in faces.items() if not meshes.needs_evaluation(obj)}
    return SceneError(f"{', '.join(obj.name for obj in faces)}: {message}", list(faces), selectable)


# -------------------------------------------------------------------------------------------------------------- objects


def _faces(
    obj: bpy.types.Object, scene: LayerScene, original: Quads, envelopes: EnvelopeReader
) -> list[tuple[_Faces, dict[str, Ints]]]:
    """The quads of one object, with their envelopes (fields of QUAD); nothing where it has no faces."""
    played = {kind: envelopes.played(obj, kind) for kind in ENVELOPES}
    moves = played[EnvelopeKind.POSITION] is not None
    attributes = [name for field in ENVELOPES.values() for name in (field, field + OFFSET)]
    data = meshes.read(obj, scene.depsgraph, [layout.COLOR, layout.PIVOT, *attributes])
    if not len(data.face_starts):
        return []
    ids = np.zeros(len(data.face_starts), np.int32) if scene.ids_token is None else data.ids("FACE", scene.ids_token)
    ids[ids > len(original)] = 0
    rings, numbers = _rings(obj, data)
    count, ids = len(numbers), ids[numbers]

    stored = data.attribute(layout.PIVOT, "FACE")
    in_layer = obj == scene.object or stored is not None
    shared = in_layer and not moves  # where an envelope turns the object, it turns about its origin
    # Without its strip an object keeps the deltas of the frame that was shown last.
    left = not shared and envelopes.shown(EnvelopeKind.POSITION, original["position_envelope"][ids[ids > 0] - 1]).any()
    matrix = _matrix(obj, scene, moves or bool(left))
    points = data.positions[data.corner_verts[rings]].astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]
    uvs, colors = data.uv(layout.UV), data.attribute(layout.COLOR, "CORNER")
    pivots = np.zeros((count, 3)) if stored is None or not shared else stored[numbers].astype(np.float64)
    faces = _Faces(
        places=[(obj, numbers)],
        ids=ids,
        matrices=np.repeat(matrix[None, :2], count, axis=0),
        corners=points[..., :2] * _TO_MAP,
        depth=points[..., 2].mean(axis=1),
        uvs=np.repeat(_WHOLE[None], count, axis=0) if uvs is None else uvs[rings],
        colors=np.ones((count, 4, 4), np.float32) if colors is None else colors[rings],
        pivots=(pivots @ matrix[:2, :3].T + matrix[:2, 3]) * _TO_MAP,
        pivot_known=(pivots != 0).any(axis=1) if shared else np.ones(count, np.bool_),
        pivot_follows=np.full(count, shared),
    )
    said = {name: values[numbers] for name in attributes if (values := data.attribute(name, "FACE")) is not None}
    return [(faces, _references(obj, ids, played, said, in_layer, original, envelopes))]


def _matrix(obj: bpy.types.Object, scene: LayerScene, moves: bool) -> Floats:
    """An object's transform relative to the group's root, float64 [4, 4], without what a position envelope adds."""
    if obj != scene.object:
        return np.asarray(scene.matrix @ transforms.compose(obj, scene.object, scene.depsgraph, deltas=not moves))
    if not moves:
        return scene.matrix
    still = np.linalg.solve(transforms.local(obj), transforms.local(obj, deltas=False))
    return np.asarray(scene.matrix @ still)


def _rings(obj: bpy.types.Object, data: meshes.MeshData) -> tuple[npt.NDArray[np.intp], Ints]:
    """The corners of each quad [n, 4] as numbers of the mesh's corners, and the number [n] of its (first) face.

    Two triangles with the same id (whatever level it is of) that share an edge are one quad, split along that edge.
    """
    ids = data.attribute(identity.ID, "FACE")
    sizes = data.face_sizes
    fours = np.flatnonzero(sizes == 4)
    rings = data.face_starts[fours][:, None] + np.arange(4)
    if len(fours) == len(sizes):
        return rings, fours.astype(np.int32)
    odd = set(np.flatnonzero(sizes != 4).tolist())
    halves: dict[int, list[int]] = {}
    for face in sorted(odd):
        if sizes[face] == 3 and ids is not None and ids[face]:
            halves.setdefault(int(ids[face]), []).append(face)
    found = []
    for faces in halves.values():  # mostly two; more where there are copies
        rings_of = {(a, b): ring for a in faces for b in faces if a < b and (ring := _joined_ring(data, a, b))}
        ends = Counter(face for pair in rings_of for face in pair)
        for pair, ring in rings_of.items():
            if ends[pair[0]] == ends[pair[1]] == 1:
                found.append((pair[0], ring))
                odd -= set(pair)
    if odd:
        count = "1 face isn't a quad" if len(odd) == 1 else f"{len(odd)} faces aren't quads"
        raise _error({obj: np.array(sorted(odd), np.int32)}, f"{count}: the game draws faces of four corners only")
    numbers = np.concatenate([fours, [face for face, _ in found]]).astype(np.int32)
    order = np.argsort(numbers)
    return np.concatenate([rings, [ring for _, ring in found]])[order], numbers[order]


def _joined_ring(data: meshes.MeshData, one: int, other: int) -> list[int] | None:
    """The corners round two triangles that share an edge, beginning on it; None if they don't, or wind otherwise."""
    first, second = (int(data.face_starts[face]) for face in (one, other))
    vertices = data.corner_verts
    for a in range(3):
        for b in range(3):
            here = [first + (a + step) % 3 for step in range(3)]
            there = [second + (b + step) % 3 for step in range(3)]
            if vertices[here[0]] == vertices[there[0]] and vertices[here[2]] == vertices[there[1]]:
                return [*here, there[2]]
    return None


def _references(
    obj: bpy.types.Object,
    ids: Ints,
    played: dict[EnvelopeKind, Played | None],
    said: dict[str, Ints],
    shared: bool,
    original: Quads,
    envelopes: EnvelopeReader,
) -> dict[str, Ints]:
    """The envelopes of an object's quads: what it plays or, in a shared mesh, what the faces' attributes say."""
    known = ids > 0
    result = {}
    for kind, field in ENVELOPES.items():
        numbers = said.get(field, np.zeros(len(ids), np.int32)) - 1
        offsets = said.get(field + OFFSET, np.zeros(len(ids), np.int32)).copy()
        wanted = numbers.copy(), offsets.copy()
        numbers[known], offsets[known] = (original[name][ids[known] - 1] for name in (field, field + OFFSET))
        if played[kind] is None and shared and field in said:
            try:
                result[field] = envelopes.renumbered(wanted[0], numbers)
            except SceneError as error:
                raise SceneError(f"{obj.name}: {error.message} (attribute {field} is 1 more)", [obj]) from error
            result[field + OFFSET] = wanted[1]
        else:
            result[field], result[field + OFFSET] = envelopes.assign(kind, played[kind], (numbers, offsets))
    return result


# -------------------------------------------------------------------------------------------------------------- records


def _records(faces: _Faces, original: Quads) -> Quads:
    """Points, colours and texture coordinates of quads as records, those of a record where the scene still shows it."""
    known = faces.ids > 0
    quads = np.zeros(len(known), teeworlds.QUAD)
    quads[known] = original[faces.ids[known] - 1]
    points = np.concatenate([quad_geometry.to_ring(quads["points"]), quads["points"][:, quad_geometry.PIVOT :]], axis=1)
    colors, uvs = quad_geometry.to_ring(quads["colors"]), quad_geometry.to_ring(quads["texcoords"])
    limits = _limits(points, faces)
    _turn(faces, quads, points, limits)
    old = known[:, None, None]

    places = np.concatenate([faces.corners, _pivots(faces, points, limits)[:, None]], axis=1)
    kept = old & (np.abs(places - points) <= limits)
    far = ~(kept | (np.abs(places) < 2**31)).all(axis=(1, 2))
    faces.refuse(far, "too far away: a map ends 65,536 tiles from its origin")
    points = np.where(kept, points, np.rint(places).astype(np.int64))
    quads["points"][:, : quad_geometry.PIVOT] = quad_geometry.to_file(points[:, :4])
    quads["points"][:, quad_geometry.PIVOT] = points[:, 4]

    shown = np.clip(np.rint(np.nan_to_num(faces.colors).astype(np.float64) * COLOR_LIMIT), 0, COLOR_LIMIT)
    colors = np.where(old & (faces.colors == corner_colors(quads)), colors, shown.astype(np.int32))
    quads["colors"] = quad_geometry.to_file(colors)

    places = faces.uvs.astype(np.float64) * (layout.FIXED, -layout.FIXED) + (0, layout.FIXED)
    kept = old & (faces.uvs == corner_uvs(quads))
    far = ~(kept | (np.abs(places) < 2**31)).all(axis=(1, 2))
    faces.refuse(far, "its texture coordinates are larger than a map can hold")
    uvs = np.where(kept, uvs, np.rint(places).astype(np.int64))
    quads["texcoords"] = quad_geometry.to_file(uvs)
    return quads


def _limits(points: Ints, faces: _Faces) -> Floats:
    """How far float32 coordinates of quads may lie off [n, 1, 1], in file units."""
    largest = np.maximum(np.abs(points.astype(np.float64)).max(axis=(1, 2)), np.abs(faces.corners).max(axis=(1, 2)))
    return np.asarray(np.maximum(0.5, _ROUNDING * largest)[:, None, None])


def _turn(faces: _Faces, quads: Quads, points: Ints, limits: Floats) -> None:
    """Let the corners begin where their record does, if they are the record's in another order (flipped normals)."""
    colors, uvs = corner_colors(quads), corner_uvs(quads)
    rest = np.flatnonzero(faces.ids)
    for turn in _TURNS:
        places, shades, cuts = (values[rest][:, turn] for values in (faces.corners, faces.colors, faces.uvs))
        same = (np.abs(places - points[rest, :4]) <= limits[rest]).all(axis=(1, 2))
        same &= (shades == colors[rest]).all(axis=(1, 2)) & (cuts == uvs[rest]).all(axis=(1, 2))
        hits = rest[same]
        faces.corners[hits], faces.colors[hits], faces.uvs[hits] = places[same], shades[same], cuts[same]
        rest = rest[~same]
        if not len(rest):
            return


def _pivots(faces: _Faces, points: Ints, limits: Floats) -> Floats:
    """Pivots [n, 2] in file units: where the scene has them, or moved with their face; new faces' are their middle."""
    known = faces.ids > 0
    # Where corners and pivot of the record would be, if nothing but the object had been moved.
    unedited = np.einsum("nij,nkj->nki", faces.matrices[:, :, :2], points / _TO_MAP) + faces.matrices[:, None, :, 3]
    unedited *= _TO_MAP
    pivots = np.where((known & ~faces.pivot_known)[:, None], unedited[:, 4], faces.pivots)  # joining objects loses them
    pivots = np.where((~known & ~faces.pivot_known)[:, None], faces.corners.mean(axis=1), pivots)
    shift = faces.corners - unedited[:, :4]
    as_one = (np.ptp(shift, axis=1) <= 2 * limits[:, 0]).all(axis=1)
    own = np.abs(pivots - unedited[:, 4]).max(axis=1) > limits[:, 0, 0]  # the pivot was edited by itself
    follows = known & faces.pivot_follows & as_one & ~own
    return np.asarray(pivots + np.where(follows[:, None], shift.mean(axis=1), 0.0))
