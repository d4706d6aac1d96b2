# SPDX-License-Identifier: GPL-3.0-or-later
"""Brushes back: what was drawn in the collection of brushes, for an export as VMF.

All meshes there count: those of the import, and new ones. What hangs together is a brush; copies of imported faces
belong to the entity, or the func_detail, that their brush does.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import bpy
import numpy as np
from numpy.typing import NDArray

from ....formats import ranges, source
from ....formats.source import vmf
from ....formats.source.vmf.uv import UNKNOWN_SIZE, texels_of
from ...scene import baselines, identity, meshes
from ...scene.reports import Report, SceneError, listed
from .. import layout
from ..collecting.scene_level import SceneLevel
from ..materials.collect import TextureTable, image_of

ONLY_VMF = "brushes were edited: only an export as VMF takes that, in the map they stay"
"""What an export as .bsp warns of, behind the objects' names."""
NODRAW = "tools/toolsnodraw"
"""Of polygons that have no material."""


@dataclass(frozen=True)
class _Part:
    """The polygons of one object: see `vmf.BrushPolygons`; counter-clockwise from outside."""

    object: bpy.types.Object
    polygons: vmf.BrushPolygons


def checksum(data: meshes.MeshData) -> int:
    """Of a mesh's points, faces, materials and texture coordinates."""
    uv = data.uv(layout.UV)
    parts = (data.positions, data.corner_verts, data.face_starts, data.material_index, uv)
    names = [None if one is None else one.get(layout.MATERIAL, one.name) for one in data.materials]
    total = zlib.crc32(repr(names).encode())
    for part in parts:
        total = zlib.crc32(b"" if part is None else np.ascontiguousarray(part).tobytes(), total)
    return total


def edited(scene: SceneLevel) -> list[str]:
    """The names of objects that were drawn, moved, copied or deleted among the brushes since they were imported."""
    known = baselines.load(scene.collection, layout.BRUSH_SUMS)
    sums = [] if known is None else known.tolist()
    instances = scene.instances(layout.BRUSHES)
    imported = {one.object for one in instances}
    found = [obj.name for obj in objects(scene) if obj not in imported]
    seen: set[int] = set()
    for one in instances:
        still = 0 <= one.record < len(sums) and one.record not in seen
        seen.add(one.record)
        if (
            not still
            or not np.array_equal(scene.matrix(one.object), np.eye(4))
            or checksum(scene.mesh(one.object)) != sums[one.record]
        ):
            found.append(one.object.name)
    names = scene.collection.get(layout.BRUSH_NAMES)
    titles = names.splitlines() if isinstance(names, str) else []
    gone = [number for number in range(len(sums)) if number not in seen]
    return found + [titles[number] if number < len(titles) else f"mesh {number} of brushes" for number in gone]


def warn_if_edited(scene: SceneLevel, _: source.Level, report: Report) -> None:
    """Warn that a compiled map can't have edited brushes."""
    names = edited(scene)
    if names:
        report.warn(f"{listed(names)}: {ONLY_VMF}")


def apply(scene: SceneLevel, level: source.Level, made: vmf.Map, report: Report) -> vmf.Map:
    """A map with what was drawn in the place of its brushes; as it is, where none were imported and none drawn.

    level: the map as it is exported; made: that, taken apart. Raises SceneError, with the faces at fault, for what
    isn't a brush.
    """
    if not edited(scene):
        return made
    parts = list(_parts(scene, level, report))
    before = vmf.of_level(scene.before).solids
    if not parts:
        return made.with_brushes(before, vmf.CollectedBrushes(np.zeros(0, np.int64), []))
    try:
        found = vmf.match(before, _joined(parts))
    except vmf.BrushShapeError as error:
        raise _refused(error, parts) from error
    if scene.is_shown(layout.BRUSHES):
        report.count("brushes as they were", len(found.kept))
    report.count("brushes drawn", len(found.solids))
    return made.with_brushes(before if scene.is_shown(layout.BRUSHES) else before.taken(np.zeros(0, np.int64)), found)


def objects(scene: SceneLevel) -> list[bpy.types.Object]:
    """The imported meshes of brushes, and all others in their collection that stand for nothing else."""
    found = [instance.object for instance in scene.instances(layout.BRUSHES)]
    for home in scene.collection.children_recursive:
        if identity.kind_of(home) == layout.GROUP and _is_home(home):
            found += [obj for obj in list(home.all_objects) if identity.kind_of(obj) is None]
    return [obj for obj in dict.fromkeys(found) if isinstance(obj.data, bpy.types.Mesh)]


def _is_home(collection: bpy.types.Collection) -> bool:
    """Whether a group is that of brushes: the only one whose objects are."""
    return collection.name.partition(".")[0] == layout.BRUSH_HOME


def _parts(scene: SceneLevel, level: source.Level, report: Report) -> Iterator[_Part]:
    textures, sizes = TextureTable(scene, level, report), vmf.sizes(scene.before)
    for obj in objects(scene):
        data = scene.mesh(obj)
        if not len(data.face_starts):
            continue
        matrix = np.asarray(scene.matrix(obj), np.float64)
        positions = data.positions.astype(np.float64)
        if not np.array_equal(matrix, np.eye(4)):
            positions = positions @ matrix[:3, :3].T + matrix[:3, 3]
        counts = data.face_sizes.astype(np.int64)
        first = ranges.starts(counts)
        corners = data.corner_verts.astype(np.int64)
        uv = data.uv(layout.UV) if data.uv(layout.UV) is not None else data.uv()
        names, pixels = _materials(obj, data.material_index, textures, sizes)
        texels = np.full((len(corners), 2), np.nan)
        if uv is not None:
            texels = texels_of(uv, np.repeat(pixels, counts, axis=0))
        if np.linalg.det(matrix[:3, :3]) < 0:  # mirrored: polygons run the other way round
            order = np.repeat(first[:-1] + first[1:] - 1, counts) - np.arange(len(corners))
            corners, texels = corners[order], texels[order]
        sides, brush, contents = (
            _numbers(data.attribute(name, "FACE"), len(counts)) for name in (layout.SIDE, layout.BRUSH, layout.CONTENTS)
        )
        detail = vmf.is_detail(contents)
        yield _Part(obj, vmf.BrushPolygons(positions, corners, first, texels, brush - 1, sides - 1, names, detail))


def _numbers(values: NDArray[np.int32] | None, count: int) -> NDArray[np.int64]:
    return np.zeros(count, np.int64) if values is None else values.astype(np.int64)


def _materials(
    obj: bpy.types.Object, slots: NDArray[np.int32], textures: TextureTable, sizes: dict[str, tuple[int, int]]
) -> tuple[list[str], NDArray[np.int64]]:
    """The name of each polygon's texture, and its size in texels, int64[p, 2]."""
    found: list[tuple[str, tuple[int, int]]] = []
    for slot in obj.material_slots:
        material = slot.material
        if material is None or textures.is_nameless(material):
            found.append((NODRAW, UNKNOWN_SIZE))
            continue
        name = textures.name(material)
        size = sizes.get(name.lower())
        if size is None:
            image = None if identity.stamped(material) is not None else image_of(material)
            size = (image.size[0], image.size[1]) if image is not None else UNKNOWN_SIZE
        found.append((name, size))
    found = found or [(NODRAW, UNKNOWN_SIZE)]
    places = np.clip(slots, 0, len(found) - 1)
    pixels = np.array([size for _, size in found], np.int64)
    return [found[place][0] for place in places.tolist()], pixels[places]


def _joined(parts: list[_Part]) -> vmf.BrushPolygons:
    """All polygons, one object's after another's; each object's points are its own."""
    polygons = [part.polygons for part in parts]
    points = ranges.starts([len(one.positions) for one in polygons])[:-1].tolist()
    return vmf.BrushPolygons(
        np.concatenate([one.positions for one in polygons]),
        np.concatenate([one.corners + start for one, start in zip(polygons, points, strict=True)]),
        ranges.starts(np.concatenate([np.diff(one.first_corner) for one in polygons])),
        np.concatenate([one.texels for one in polygons]),
        np.concatenate([one.brushes for one in polygons]),
        np.concatenate([one.sides for one in polygons]),
        [name for one in polygons for name in one.names],
        np.concatenate([one.detail for one in polygons]),
    )


def _refused(error: vmf.BrushShapeError, parts: list[_Part]) -> SceneError:
    """The error with the faces of the objects that it is about."""
    first = ranges.starts([len(part.polygons.first_corner) - 1 for part in parts])
    faces = {}
    for part, begin, end in zip(parts, first[:-1].tolist(), first[1:].tolist(), strict=True):
        own = error.polygons[(error.polygons >= begin) & (error.polygons < end)] - begin
        if len(own):
            faces[part.object] = own
    named = next(iter(faces)).name if faces else parts[0].object.name
    return SceneError(f"{named}: a brush {error.message}", faces=faces)
