# SPDX-License-Identifier: GPL-3.0-or-later
"""Surfaces back to a compiled level: how textures lie, flags and light. Other shapes are refused."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ....formats import ranges
from ....formats.arrays import Bools, Ints, Singles
from ....formats.counting import number_of
from ....formats.genesis import CompiledLevel
from ....formats.genesis.compiled import ChunkId, edits, geometry, pictures
from ....formats.genesis.compiled.surfaces import DrawnFaces
from ....formats.genesis.geometry import Geometry
from ....formats.genesis.records import texture_field
from ...scene.geometry import meshes, transforms
from ...scene.geometry.meshes import MeshData
from ...scene.kept import identity
from ...scene.kept.identity import ancestor, kind_of, record_of
from ...scene.media import images
from ...scene.reports import SceneError, naming
from .. import layout
from ..brushes.collect import evaluation
from ..context import ExportContext
from ..faces.collect import FaceCollector, MeshFaces, SideRecords
from ..lightmaps import build as lightmaps
from ..motions.collect import Poses
from ..parts.level import SceneBrush, SceneLevel
from ..parts.placement import matrix_of, reach_of
from ..shapes.baseline import load_baseline
from ..shapes.collect import Shape

REMEDY = (
    "a compiled level takes no other shapes: decompile it (export it as .map or .3dt, or import it with Compiled "
    "levels: Brushes), and compile that"
)


@dataclass(frozen=True)
class FoundSurfaces:
    """An object with faces of the level."""

    object: bpy.types.Object
    mesh: MeshData
    records: Ints
    """[f]: the place in `DrawnFaces` of each."""
    faces: MeshFaces


def collect_surfaces(
    exporting: ExportContext,
    level: CompiledLevel,
    drawn: DrawnFaces,
    shape: Geometry,
    parts: SceneLevel,
    shown: list[int],
) -> None:
    """Write what was edited of a level's faces. shape: of the original. shown: the models that the import made.

    Raises SceneError, naming objects and faces, for other shapes, and for what textures can't do.
    """
    _refuse_brushes(exporting, parts)
    found = _find(exporting, drawn, shape, parts, shown)
    collector = FaceCollector(shape, "map", exporting.settings, exporting.report)
    for each in found:
        touched = _touched(each.faces)
        if len(touched):
            _place(exporting, level, drawn, collector, each, touched)
        _light_corners(exporting, level, drawn, shape, each)
    exporting.report.count("faces", len(drawn.numbers))


def _refuse_brushes(exporting: ExportContext, parts: SceneLevel) -> None:
    """Raise SceneError for objects with faces that the level hasn't got; those without are left out, and named."""
    added = parts.all_brushes()
    with evaluation(exporting.context, parts, added) as depsgraph:
        for brush in added:
            obj = brush.object
            if brush.children is None and not len(meshes.read(obj, depsgraph).face_starts):
                exporting.report.left_out(f"object {obj.name!r} (it has no faces)")
            else:
                raise SceneError(f"{obj.name}: {REMEDY}", [obj])


def _find(
    exporting: ExportContext, drawn: DrawnFaces, shape: Geometry, parts: SceneLevel, shown: list[int]
) -> list[FoundSurfaces]:
    """The objects of the level's faces. Raises SceneError where their shapes were edited."""
    collection, token = exporting.collection, exporting.token
    objects = [obj for obj in collection.all_objects if kind_of(obj) == layout.SURFACES]
    baseline = load_baseline(collection, shape)
    collector = FaceCollector(shape, "map", exporting.settings, exporting.report)
    models = {part.object: part for part in parts.models}
    poses = Poses(exporting.scene, lambda _: 0.0)
    above = [ancestor(obj, layout.MODEL) for obj in objects]
    stand_ins = [
        SceneBrush(obj, -1, models.get(model) if model is not None else None)
        for obj, model in zip(objects, above, strict=True)
    ]
    found = []
    with evaluation(exporting.context, parts, stand_ins) as depsgraph:
        for obj, brush in zip(objects, stand_ins, strict=True):
            pose = poses.of(brush)
            matrix = matrix_of(obj, parts.root, depsgraph, pose)
            if not transforms.agree(matrix, np.eye(4), reach_of(obj, pose)):
                raise was_moved(_chain(obj), obj, parts)
            mesh = meshes.read(obj, depsgraph)
            records = mesh.ids("FACE", token or 0).astype(np.int64) - 1
            records[records >= len(drawn.numbers)] = -1
            same, uv_same = baseline.same(mesh, records)
            _refuse_edited(obj, same & (records >= 0))
            strange = drawn.model[records] != record_of(obj, token)
            if strange.any():
                _refuse(obj, strange, "come from another model")
            faces = collector.compare(obj, mesh, records, uv_same, ~uv_same)
            found.append(FoundSurfaces(obj, mesh, records, faces))
    collector.tell_of_missing()
    _refuse_missing(exporting, drawn, baseline.with_polygon() & np.isin(drawn.model, shown), found)
    return found


def was_moved(name: str, obj: bpy.types.Object, parts: SceneLevel) -> SceneError:
    """The refusal of an object that isn't where the import put it. name: what it is called."""
    if parts.root is None:
        return SceneError(
            f"the level's root empty was deleted, which all of it lay below: so {name} isn't where it was. Undo that",
            [obj],
        )
    return SceneError(f"{name} was moved: {REMEDY}", [obj])


def _chain(obj: bpy.types.Object) -> str:
    """An object, and what of the level it is below: any of these may have been moved."""
    above = obj.parent
    names = []
    while above is not None and kind_of(above) not in (None, identity.ROOT):
        names.append(above.name)
        above = above.parent
    return obj.name + (f" (or what it is below: {', '.join(names)})" if names else "")


def _refuse(obj: bpy.types.Object, at_fault: Bools, what: str) -> None:
    numbers = np.flatnonzero(at_fault).astype(np.int32)
    raise SceneError(f"{obj.name}: {number_of(len(numbers), f'faces {what}')}: {REMEDY}", [obj], {obj: numbers})


def _refuse_edited(obj: bpy.types.Object, same: Bools) -> None:
    if not same.all():
        _refuse(obj, ~same, "were reshaped or added")


def _refuse_missing(exporting: ExportContext, drawn: DrawnFaces, needed: Bools, found: list[FoundSurfaces]) -> None:
    """Raise SceneError where faces are there twice, or some of those that are needed, bool[f], aren't there."""
    counts = np.zeros(len(drawn.numbers), np.int64)
    for each in found:
        np.add.at(counts, each.records, 1)
        twice = counts[each.records] > 1
        if twice.any():
            _refuse(each.object, twice, "are there twice")
    gone = np.flatnonzero(needed & (counts == 0))
    if len(gone):
        home = next(
            (each.object for each in found if record_of(each.object, exporting.token) in drawn.model[gone]), None
        )
        name, objects = (exporting.collection.name, []) if home is None else (home.name, [home])
        raise SceneError(f"{name}: {number_of(len(gone), 'faces are')} gone: {REMEDY}", objects)


def _touched(faces: MeshFaces) -> Ints:
    """The faces of a mesh that look otherwise than their records."""
    touched = ~faces.uv_same | faces.renamed
    for differs in faces.edited.values():
        touched |= differs
    return np.flatnonzero(touched)


def _place(
    exporting: ExportContext,
    level: CompiledLevel,
    drawn: DrawnFaces,
    collector: FaceCollector,
    found: FoundSurfaces,
    touched: Ints,
) -> None:
    """Write how the touched faces of an object look."""
    obj, records = found.object, found.records[touched]
    before = geometry.records(level, drawn)[records]
    count = len(touched)
    shape = Shape(
        0, False, None, 0.0, records, touched,
        before["normal"].astype(np.float64), before["dist"].astype(np.float64),
        np.ones(count, np.bool_), np.zeros(count, np.bool_), [], [[] for _ in range(count)],
    )  # fmt: skip
    sides = collector.collect(shape, found.faces)
    other = (before["flags"] ^ sides.faces["flags"]) & edits.LIT_OTHERWISE != 0
    if other.any():
        at_fault = np.zeros(len(found.records), np.bool_)
        at_fault[touched[other]] = True
        _refuse(obj, at_fault, "have flags that say where their light is, which only compiling can change")
    numbers = _textures(level, found, touched, sides)
    if (sides.faces.tobytes(), numbers.tobytes()) == (before.tobytes(), _numbers(level, drawn, records).tobytes()):
        return
    with naming(obj):
        edits.put_faces(level, drawn, records, sides.faces, numbers)
    exporting.note(f"{obj.name} changed: {number_of(count, 'faces look', 'face looks')} otherwise")


def _numbers(level: CompiledLevel, drawn: DrawnFaces, records: Ints) -> Ints:
    """The numbers of faces' textures."""
    return np.asarray(level.table(ChunkId.TEXINFOS)["texture"][drawn.texinfo[records]], np.int64)


def _textures(level: CompiledLevel, found: FoundSurfaces, touched: Ints, sides: SideRecords) -> Ints:
    """The numbers of sides' textures; what the level hasn't got is added, of the picture in the face's material."""
    known = {name.lower(): number for number, name in reversed(list(enumerate(pictures.names(level))))}
    numbers = np.zeros(len(touched), np.int64)
    for side, (face, name) in enumerate(zip(touched.tolist(), sides.names, strict=True)):
        if name.lower() not in known:
            slot = min(int(found.mesh.material_index[face]), max(len(found.mesh.materials) - 1, 0))
            material = found.mesh.materials[slot] if found.mesh.materials else None
            known[name.lower()] = _added(level, found.object, name, material)
        numbers[side] = known[name.lower()]
        if sides.renamed[side]:
            sides.faces["tex_name"][side] = level.table(ChunkId.TEXTURES)["name"][numbers[side]]
    return numbers


def _added(level: CompiledLevel, obj: bpy.types.Object, name: str, material: bpy.types.Material | None) -> int:
    """Add a texture; returns its number. Raises SceneError where nothing says what it looks like."""
    tree = material.node_tree if material is not None else None
    shown = (getattr(node, "image", None) for node in (tree.nodes if tree is not None else ()))
    image = next((one for one in shown if one is not None and min(one.size) > 0), None)
    if image is None or images.is_placeholder(image):
        raise SceneError(
            f"{obj.name}: the level has no texture {name!r}, and the material has no picture of it to add", [obj]
        )
    try:
        texture_field(name)
    except ValueError as error:
        raise SceneError(f"{obj.name}: {error}", [obj]) from error
    with naming(obj):
        return pictures.add(level, name, images.to_rgba(image))


def _light_corners(
    exporting: ExportContext, level: CompiledLevel, drawn: DrawnFaces, shape: Geometry, found: FoundSurfaces
) -> None:
    """Write the light of corners where it was edited, and tell of it on faces with a lightmap."""
    now = found.mesh.attribute(layout.VERTEX_LIGHT, "CORNER")
    if now is None or now.shape != (len(found.mesh.corner_verts), 3):
        exporting.report.warn(
            f"{found.object.name}: attribute {layout.VERTEX_LIGHT} is gone, or is of another type: what it told stays "
            "as it was",
            [found.object],
        )
        return
    sizes = np.diff(drawn.starts)
    owners = ranges.owners(sizes)
    at_corners = geometry.vertex_lit(shape.faces) & bool(len(level.table(ChunkId.VERTEX_LIGHT)))
    was = lightmaps.vertex_light(level, drawn, at_corners, owners)[
        ranges.flat(drawn.starts[found.records], sizes[found.records])
    ]
    steps = ranges.owners(found.mesh.face_sizes)
    differs = np.zeros(len(found.records), np.bool_)
    differs[steps[(_bits(now) != _bits(was)).any(axis=1)]] = True
    lost = int((differs & ~at_corners[found.records]).sum())
    if lost:
        exporting.report.left_out(f"light at the corners of faces of {found.object.name} that a lightmap lights", lost)
    chosen = np.flatnonzero(differs & at_corners[found.records])
    if len(chosen):
        values = now[ranges.flat(found.mesh.face_starts[chosen], found.mesh.face_sizes[chosen])]
        if not np.isfinite(values).all():
            _refuse(found.object, differs, "have light that is NaN or infinite")
        edits.put_vertex_light(level, drawn, found.records[chosen], values)
        exporting.note(f"{found.object.name} changed: light at the corners of {number_of(len(chosen), 'faces')}")


def _bits(values: Singles) -> NDArray[np.uint32]:
    return np.ascontiguousarray(values, np.float32).view(np.uint32)
