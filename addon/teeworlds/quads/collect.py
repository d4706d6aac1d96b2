# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects of a quad layer back to its records: the other way of `build`.

Every face of the layer's object and of the mesh objects below it is a quad, wherever it lies. One that carries a
record's id keeps all of that record that the scene still shows: coordinates that float32 can't tell from the record's,
colours and texture coordinates of the same bits. A copy of a quad starts from the same record, so it differs only where
it was edited; a face without an id is new.

Draw order is depth: quads with a record are put in the order of their z (as the import made it: unchanged), new ones
come last. A pivot moves with its object and, in shared meshes, with a face that was moved as a whole.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import bpy
import numpy as np

from ....formats import matrices, teeworlds
from ....formats.arrays import Floats, Indices, Int32s, Records, Singles
from ....formats.counting import number_of
from ....formats.teeworlds.quad_faces import QuadError, QuadFaces, draw_order, read_quads
from ....formats.teeworlds.records import EnvelopeKind
from ...scene.attributes import whole_numbers
from ...scene.geometry import meshes, transforms
from ...scene.issues import mends
from ...scene.kept import identity
from ...scene.kept.identity import kind_of
from ...scene.reports import SceneError
from .. import layout
from ..envelopes.collect import EnvelopeTable, Played
from ..images.collect import ImageTable
from ..layout import QuadLayerProperties
from ..structure.collect import SURFACES
from ..structure.layer_collect import SceneLayer, tell_of_missing, write_common
from .build import ENVELOPES, OFFSET

Quads = Records

_WHOLE = np.array(((0, 1), (0, 0), (1, 0), (1, 1)), np.float32)
"""Texture coordinates of a mesh without any."""


def collect(scene: SceneLayer, layer: teeworlds.QuadLayer, envelopes: EnvelopeTable) -> Quads | None:
    """The quads of a layer, QUAD [n], envelopes numbered as `envelopes` exports them.

    `scene`: the layer's object; its depsgraph holds the objects below it too, if any must be evaluated. `layer`: its
    record, as it was read. None where the record's quads can't be read, so that they stay as they are. Raises
    SceneError, with the faces, for faces that are no quads, and for coordinates that the file can't hold.
    """
    if scene.object.get(layout.STORAGE) == layout.KEPT:
        return None
    original: Quads = np.zeros(0, teeworlds.QUAD) if scene.new else layer.quads()
    parts = []
    for obj in scene.parts:
        if obj.type in SURFACES and kind_of(obj) != layout.PREVIEW:
            parts += _faces(obj, scene, original, envelopes)
    if not parts:
        return original[:0]
    faces = QuadFaces.joined(part.faces for part in parts)
    try:
        quads = read_quads(faces, original)
    except QuadError as error:
        rows = np.split(error.rows, np.cumsum([len(part.numbers) for part in parts])[:-1])
        bad = {part.object: part.numbers[here] for part, here in zip(parts, rows, strict=True) if here.any()}
        raise _error(bad, error.message) from error
    for name in parts[0].references:
        quads[name] = np.concatenate([part.references[name] for part in parts])
    return np.asarray(quads[draw_order(faces)])


def write(scene: SceneLayer, layer: teeworlds.QuadLayer, quads: Quads | None, image_table: ImageTable) -> None:
    """Write into a layer's record what was edited of it; `quads`: what `collect` returned.

    Raises SceneError, or FormatError for a name that is too long.
    """
    values, changed = scene.properties(QuadLayerProperties)
    write_common(scene, layer, values, changed)
    if quads is not None:
        layer.set_quads(quads)
    layer.image = image_table.of_layer(scene.object, scene.parts, layer, values.image, "image" in changed, scene.new)


@dataclass(frozen=True)
class _Part:
    """The quads of one object."""

    object: bpy.types.Object
    numbers: Int32s
    """[n]: of the faces in the object's mesh."""
    faces: QuadFaces
    references: dict[str, Int32s]
    """[n] each: the envelopes and their offsets, by the fields of QUAD."""


def _error(faces: dict[bpy.types.Object, Int32s], message: str, mend: str = "") -> SceneError:
    selectable = {obj: numbers for obj, numbers in faces.items() if not meshes.needs_evaluation(obj)}
    return SceneError(f"{', '.join(obj.name for obj in faces)}: {message}", list(faces), selectable, mend=mend)


def _faces(obj: bpy.types.Object, scene: SceneLayer, original: Quads, envelopes: EnvelopeTable) -> list[_Part]:
    """The quads of one object; nothing where it has no faces."""
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

    stored = _stored_pivots(obj, data)
    in_layer = obj == scene.object or stored is not None
    shared = in_layer and not moves  # where an envelope turns the object, it turns about its origin
    # Without its strip an object keeps the deltas of the frame that was shown last.
    left = not shared and envelopes.shown(EnvelopeKind.POSITION, original["position_envelope"][ids[ids > 0] - 1]).any()
    matrix = _matrix(obj, scene, moves or bool(left), envelopes.rest(obj))
    points = data.positions[data.corner_verts[rings]].astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]
    uvs, colors = data.uv(layout.UV), _stored_colors(obj, data)
    pivots = np.zeros((count, 3)) if stored is None or not shared else stored[numbers].astype(np.float64)
    faces = QuadFaces(
        ids=ids,
        matrices=np.repeat(matrix[None, :2], count, axis=0),
        corners=points[..., :2],
        depth=points[..., 2].mean(axis=1),
        uvs=np.repeat(_WHOLE[None], count, axis=0) if uvs is None else uvs[rings],
        colors=np.ones((count, 4, 4), np.float32) if colors is None else colors[rings],
        pivots=pivots @ matrix[:2, :3].T + matrix[:2, 3],
        pivot_known=(pivots != 0).any(axis=1) if shared else np.ones(count, np.bool_),
        pivot_follows=np.full(count, shared),
    )
    face_values = {
        name: whole_numbers(obj, name, *data.attributes[name])[numbers]
        for name in attributes
        if name in data.attributes
    }
    if (ids > 0).any():
        tell_of_missing(scene, obj, attributes, face_values)
    return [_Part(obj, numbers, faces, _references(obj, ids, played, face_values, in_layer, original, envelopes))]


def _stored_colors(obj: bpy.types.Object, data: meshes.MeshData) -> Singles | None:
    """The colour of each corner, float32 [c, 4], wherever nodes or a conversion put it; None where there is none."""
    domain, values = data.attributes.get(layout.COLOR, ("CORNER", None))
    if values is None:
        return None
    if values.dtype == np.float32 and values.ndim == 2 and values.shape[1] == 4:
        if domain == "CORNER":
            return values
        if domain == "POINT":
            return np.asarray(values[data.corner_verts])
        if domain == "FACE":
            return np.repeat(values, data.face_sizes, axis=0)
    raise SceneError(f"{obj.name}: attribute {layout.COLOR} must hold a colour for each corner", [obj])


def _stored_pivots(obj: bpy.types.Object, data: meshes.MeshData) -> Singles | None:
    """The pivot of each face, float32 [f, 3]; None where there is none."""
    domain, values = data.attributes.get(layout.PIVOT, ("FACE", None))
    if values is not None and (domain != "FACE" or values.ndim != 2 or values.shape[1] != 3):
        raise SceneError(f"{obj.name}: attribute {layout.PIVOT} must hold a vector for each face", [obj])
    return values


def _matrix(obj: bpy.types.Object, scene: SceneLayer, moves: bool, rest: transforms.Values | None) -> Floats:
    """An object's transform relative to the group's root, float64 [4, 4], without what a position envelope adds."""
    if obj != scene.object:
        return np.asarray(
            scene.matrix @ transforms.compose(obj, scene.object, scene.depsgraph, deltas=not moves, at=rest)
        )
    if not moves:
        return scene.matrix
    still = matrices.inverse(transforms.local(obj)) @ transforms.local(obj, deltas=False, at=rest)
    return np.asarray(scene.matrix @ still)


def _rings(obj: bpy.types.Object, data: meshes.MeshData) -> tuple[Indices, Int32s]:
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
        count = number_of(len(odd), "faces aren't quads", "face isn't a quad")
        at_fault = {obj: np.array(sorted(odd), np.int32)}
        raise _error(at_fault, f"{count}: the game draws faces of four corners only", mends.JOIN_TRIANGLES)
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
    ids: Int32s,
    played: dict[EnvelopeKind, Played | None],
    face_values: dict[str, Int32s],
    shared: bool,
    original: Quads,
    envelopes: EnvelopeTable,
) -> dict[str, Int32s]:
    """The envelopes of an object's quads: what it plays or, in a shared mesh, what the faces' attributes say."""
    known = ids > 0
    result = {}
    for kind, field in ENVELOPES.items():
        numbers = face_values.get(field, np.zeros(len(ids), np.int32)) - 1
        offsets = face_values.get(field + OFFSET, np.zeros(len(ids), np.int32)).copy()
        wanted = numbers.copy(), offsets.copy()
        numbers[known], offsets[known] = (original[name][ids[known] - 1] for name in (field, field + OFFSET))
        if played[kind] is None and shared and field in face_values:
            try:
                result[field] = envelopes.renumbered(wanted[0], numbers)
            except SceneError as error:
                raise SceneError(f"{obj.name}: {error.message} (attribute {field} is 1 more)", [obj]) from error
            result[field + OFFSET] = wanted[1]
        else:
            given = (wanted[0], wanted[1]) if field in face_values and known.all() else None
            result[field], result[field + OFFSET] = envelopes.assign(kind, played[kind], (numbers, offsets), given)
    return result
