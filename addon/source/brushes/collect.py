# SPDX-License-Identifier: GPL-3.0-or-later
"""Brushes back: what was drawn in the collection of brushes, for an export as VMF and for edits of the world.

All meshes there count: those of the import, and new ones. What hangs together is a brush; copies of imported faces
belong to the entity, or the func_detail, that their brush does.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import bpy
import numpy as np

from ....formats import ranges, source
from ....formats.arrays import Int32s, Ints
from ....formats.source import vmf
from ....formats.source.records import Contents
from ....formats.source.vmf.uv import UNKNOWN_SIZE, texels_of
from ...scene.geometry import meshes
from ...scene.issues import mends
from ...scene.kept import baselines, identity
from ...scene.reports import Report, SceneError, listed
from .. import layout
from ..collecting.scene_level import SceneLevel
from ..materials.collect import TextureTable, image_of

LEFT_OUT = "brushes were edited, which is left out: in the map they stay"
"""What an export warns of that takes none, behind the objects' names."""
NODRAW = "tools/toolsnodraw"
_LONGEST = 40
"""Of polygons that have no material."""


@dataclass(frozen=True)
class _Part:
    """The polygons of one object: see `vmf.BrushPolygons`; counter-clockwise from outside."""

    object: bpy.types.Object
    polygons: vmf.BrushPolygons
    contents: Ints
    """int64[p]: what each polygon says that its brush contains, 32 bits; NO_CONTENTS: nothing."""
    materials: dict[str, tuple[bpy.types.Material | None, tuple[int, int]]]
    """By the names of polygons: what they are painted with, and its size in texels."""


NO_CONTENTS = -1


class SceneBrushes:
    """All polygons that are drawn in the collection of brushes."""

    def __init__(self, parts: list[_Part]) -> None:
        self.polygons = _joined(parts)
        self.contents = np.concatenate([part.contents for part in parts])
        """int64[p]: see `_Part`."""
        self.materials = {name: found for part in parts for name, found in part.materials.items()}
        """By the names of polygons: what they are painted with, and its size in texels."""
        self._objects = [part.object for part in parts]
        self._first = ranges.starts([len(part.contents) for part in parts])

    def matched(self, before: vmf.VmfSolids) -> vmf.CollectedBrushes:
        """What the polygons are as brushes. before: the original's. Raises SceneError, with the faces at fault."""
        try:
            return vmf.match(before, self.polygons)
        except vmf.BrushShapeError as error:
            mend = mends.TRIANGULATE if error.are_bent else layout.SPLIT_BRUSHES if error.are_concave else ""
            raise self.refused(f"a brush {error.message}", error.polygons, mend) from error

    def _faces(self, polygons: Ints) -> dict[bpy.types.Object, Ints]:
        """Polygons int64[n] as faces of their objects."""
        found = {}
        for obj, begin, end in zip(self._objects, self._first[:-1].tolist(), self._first[1:].tolist(), strict=True):
            own = polygons[(polygons >= begin) & (polygons < end)] - begin
            if len(own):
                found[obj] = own
        return found

    def named(self, polygons: Ints) -> str:
        """The names of the objects that polygons int64[n] are in, the first few."""
        return listed([obj.name for obj in self._faces(polygons)]) or self._objects[0].name

    def refused(self, message: str, polygons: Ints, mend: str = "") -> SceneError:
        """An error about polygons int64[n], with the faces of their objects selected, and the name of the first."""
        faces = self._faces(polygons)
        return SceneError(
            f"{self.named(polygons)}: {message}",
            faces,
            faces={obj: own for obj, own in faces.items() if not meshes.needs_evaluation(obj)},
            mend=mend,
        )


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


def apply(scene: SceneLevel, level: source.Level, made: vmf.Map, report: Report) -> vmf.Map:
    """A map with what was drawn in the place of its brushes; as it is, where none were imported and none drawn.

    level: the map as it is exported; made: that, taken apart. Raises SceneError, with the faces at fault, for what
    isn't a brush.
    """
    if not edited(scene):
        return made
    drawn, before = read(scene, level, report), vmf.of_level(scene.before).solids
    if drawn is None:
        return made.with_brushes(before, vmf.CollectedBrushes(np.zeros(0, np.int64), [], []))
    found = drawn.matched(before)
    if scene.is_shown(layout.BRUSHES):
        report.count("brushes as they were", len(found.kept))
    report.count("brushes drawn", len(found.solids))
    return made.with_brushes(before if scene.is_shown(layout.BRUSHES) else before.taken(np.zeros(0, np.int64)), found)


def read(scene: SceneLevel, level: source.Level, report: Report) -> SceneBrushes | None:
    """All that is drawn among the brushes; None where nothing is. level: the map as it is exported."""
    parts = list(_parts(scene, level, report))
    return SceneBrushes(parts) if parts else None


def objects(scene: SceneLevel) -> list[bpy.types.Object]:
    """The imported meshes of brushes, and all others in their collection that stand for nothing else."""
    found = [instance.object for instance in scene.instances(layout.BRUSHES)]
    for home in scene.collection.children_recursive:
        if identity.kind_of(home) == layout.GROUP and _is_home(home):
            found += [obj for obj in list(home.all_objects) if identity.kind_of(obj) is None]
    return [obj for obj in dict.fromkeys(found) if isinstance(obj.data, bpy.types.Mesh)]


def is_drawn(obj: bpy.types.Object) -> bool:
    """Whether an object is one of the imported meshes of brushes, or stands for nothing else in their collection."""
    if obj.type != "MESH" or identity.kind_of(obj) not in (None, layout.BRUSHES):
        return False
    return identity.kind_of(obj) is not None or any(map(_is_home, obj.users_collection))


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
        painted = _materials(obj, textures, sizes)
        places = np.clip(data.material_index, 0, len(painted) - 1)
        names = [painted[place][0] for place in places.tolist()]
        pixels = np.array([size for _, _, size in painted], np.int64)[places]
        texels = np.full((len(corners), 2), np.nan)
        if uv is not None:
            texels = texels_of(uv, np.repeat(pixels, counts, axis=0))
        if np.linalg.det(matrix[:3, :3]) < 0:  # mirrored: polygons run the other way round
            order = np.repeat(first[:-1] + first[1:] - 1, counts) - np.arange(len(corners))
            corners, texels = corners[order], texels[order]
        sides, brush, contents = (
            _numbers(data.attribute(name, "FACE"), len(counts)) for name in (layout.SIDE, layout.BRUSH, layout.CONTENTS)
        )
        yield _Part(
            obj,
            vmf.BrushPolygons(positions, corners, first, texels, brush - 1, sides - 1, names, vmf.is_detail(contents)),
            np.where(contents == 0, NO_CONTENTS, contents & 0xFFFFFFFF),
            {name: (material, size) for name, material, size in painted},
        )


def _numbers(values: Int32s | None, count: int) -> Ints:
    return np.zeros(count, np.int64) if values is None else values.astype(np.int64)


def _materials(
    obj: bpy.types.Object, textures: TextureTable, sizes: dict[str, tuple[int, int]]
) -> list[tuple[str, bpy.types.Material | None, tuple[int, int]]]:
    """Of each material slot, at least one: the name of its texture, the material, and its size in texels."""
    found: list[tuple[str, bpy.types.Material | None, tuple[int, int]]] = []
    for slot in obj.material_slots:
        material = slot.material
        if material is None or textures.is_nameless(material):
            found.append((NODRAW, None, UNKNOWN_SIZE))
            continue
        name = textures.name(material)
        size = sizes.get(name.lower())
        if size is None:
            image = None if identity.stamped(material) is not None else image_of(material)
            size = (image.size[0], image.size[1]) if image is not None else UNKNOWN_SIZE
        found.append((name, material, size))
    return found or [(NODRAW, None, UNKNOWN_SIZE)]


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


def title_of(contents: int) -> str:
    """What the object with the brushes of some contents is called: "PLAYERCLIP, DETAIL"."""
    names = [flag.name or "" for flag in Contents if flag & contents]
    return ", ".join(names)[:_LONGEST] or f"contents {contents:#x}"
