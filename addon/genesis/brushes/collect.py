# SPDX-License-Identifier: GPL-3.0-or-later
"""Brush objects back to brushes: whose record each is, what of it changed, and what that makes of its record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import bpy
import numpy as np

from ....formats.genesis import Brush
from ....formats.genesis.geometry import Geometry
from ....formats.genesis.records import BrushFlag, FaceArray
from ...scene import evaluated, meshes, properties, transforms
from ...scene.progress import progress
from ...scene.reports import Report, SceneError
from .. import layout
from ..faces.collect import FaceReader, MeshFaces, checked_name
from ..scene_parts import Matrix, SceneBrush, SceneLevel, matrix_of, place_of
from ..settings import ExportSettings
from ..shapes.collect import Shape, ShapeReader, load_baseline
from . import build as brushes


@dataclass(eq=False)
class FoundBrush:
    """A solid of the scene. owner: it is the record that its shape names; otherwise a copy of it, or new."""

    scene: SceneBrush
    shape: Shape
    source: MeshFaces
    owner: bool = False

    @property
    def order(self) -> tuple[float, str]:
        """What orders it among its neighbours."""
        return place_of(self.scene.object)


class BrushReader:
    """Reads the brushes of a level. geometry: of its original; None where there is none."""

    def __init__(
        self,
        collection: bpy.types.Collection,
        geometry: Geometry | None,
        kind: str,
        token: int | None,
        settings: ExportSettings,
        report: Report,
    ) -> None:
        self.geometry = geometry
        self.report = report
        self.baseline = load_baseline(collection, geometry) if geometry is not None else None
        self.shapes = ShapeReader(geometry, self.baseline, token, settings.split_concave)
        self.faces = FaceReader(geometry, kind, settings, report)
        self._rows = {} if geometry is None else {int(one): row for row, one in enumerate(geometry.numbers)}

    def row_of(self, record: int) -> int:
        """The number, in the geometry, of the brush with a stamp's record; -1: none."""
        return self._rows.get(record, -1)

    def read(
        self, context: bpy.types.Context, level: SceneLevel, pose: Callable[[SceneBrush], Matrix | None]
    ) -> dict[SceneBrush, list[FoundBrush]]:
        """The solids in each brush object with a mesh. pose: of the motion above a brush, see `matrix_of`.

        Raises SceneError for what no brush can be.
        """
        leaves = [brush for brush in level.all_brushes() if brush.children is None]
        found: dict[SceneBrush, list[FoundBrush]] = {}
        with _evaluation(context, level, leaves) as depsgraph, progress(len(leaves), "brushes") as step:
            for brush in leaves:
                obj = brush.object
                mesh = meshes.read(obj, depsgraph)
                records = self.shapes.records(mesh)
                if self.baseline is not None:
                    same, uv_same = self.baseline.same(mesh, records)
                else:
                    same = uv_same = np.zeros(len(records), np.bool_)
                matrix = matrix_of(obj, level.root, depsgraph, pose(brush))
                row = self.row_of(brush.record)
                shapes = self.shapes.read(obj, mesh, row, matrix, records, same)
                source = self.faces.look_at(obj, mesh, records, uv_same, same & ~uv_same)
                found[brush] = [FoundBrush(brush, shape, source) for shape in shapes]
                step()
        _find_owners([one for several in found.values() for one in several], self.row_of)
        return found

    def untouched(self, found: FoundBrush) -> bool:
        """Whether nothing of a brush's geometry and faces differs from its record."""
        return found.owner and self.faces.untouched(found.shape, found.source)

    def map_faces(self, found: FoundBrush) -> FaceArray:
        """The records of a brush's faces."""
        read = self.faces.read(found.shape, found.source)
        for side, name in enumerate(read.names):
            if read.renamed[side] or found.shape.records[side] < 0:
                face = int(found.shape.faces[side])
                read.faces["tex_name"][side] = np.void(checked_name(name, found.scene.object, face))
        return read.faces


def _find_owners(found: list[FoundBrush], row_of: Callable[[int], int]) -> None:
    """Of several solids with one record the one that is most like it is it."""
    best: dict[int, tuple[tuple[bool, bool, bool, float], FoundBrush]] = {}
    for one in found:
        shape = one.shape
        if shape.brush < 0:
            continue
        at_home = row_of(one.scene.record) == shape.brush
        rank = (shape.move is not None or not shape.whole, not shape.whole, not at_home, shape.distance)
        if shape.brush not in best or rank < best[shape.brush][0]:
            best[shape.brush] = (rank, one)
    for _, one in best.values():
        one.owner = True


@contextmanager
def _evaluation(
    context: bpy.types.Context, level: SceneLevel, leaves: list[SceneBrush]
) -> Iterator[bpy.types.Depsgraph | None]:
    """A depsgraph with all that modifiers, shape keys or constraints act on; None where they act on nothing."""
    acted_on = [
        brush.object
        for brush in leaves
        if transforms.needs_evaluation(brush.object, level.root) or meshes.needs_evaluation(brush.object)
    ]
    if not acted_on:
        yield None
        return
    above = [level.root] if level.root is not None else []
    parents = [obj.parent for obj in acted_on if obj.parent is not None]
    with evaluated.shown(context, [*above, *parents, *acted_on]) as depsgraph:
        yield depsgraph


def map_flags_of(found: FoundBrush, record: Brush | None) -> int:
    """The flags of a `.map` brush: its record's, unless its properties were edited.

    Raises SceneError for properties that are no flags.
    """
    obj = found.scene.object
    shared = found.source.mesh.attribute(layout.BRUSH_FLAGS, "FACE")
    if shared is not None and shared.dtype == np.int32 and len(found.shape.faces) and found.shape.faces[0] >= 0:
        return int(shared[int(found.shape.faces[0])]) & 0xFFFFFFFF
    values, changed = brush_properties(obj, layout.BrushProperties)
    if record is not None and not changed:
        return record.flags
    if record is None and obj.get(properties.BASELINE) is None:
        return brushes.map_flags(values) if changed else int(BrushFlag.SOLID)
    return brushes.map_flags(values)


def brush_properties(
    obj: bpy.types.Object, cls: type[layout.BrushProperties]
) -> tuple[layout.BrushProperties, frozenset[str]]:
    """A brush's properties, and which were edited; raises SceneError for values that are none."""
    try:
        return properties.read(obj, cls)
    except ValueError as error:
        raise SceneError(str(error), [obj]) from error


def describe(found: FoundBrush, before: FaceArray | None, first: int, after: FaceArray, flags: bool) -> str:
    """What changed of a brush, in words. first: the number of the first of the faces that it had before."""
    name = found.scene.object.name
    if before is None:
        return f"brush {name} is new ({len(after)} faces)"
    left = set(range(len(before)))
    counts = Counter({"faces added": 0})
    for record, face in zip(found.shape.records.tolist(), after, strict=True):
        number = record - first
        if number not in left:
            counts["faces added"] += 1
            continue
        left.remove(number)
        for what, fields in _PARTS.items():
            counts[what] += any(before[number][one].tobytes() != face[one].tobytes() for one in fields)
    counts["faces removed"] = len(left)
    parts = [f"{count} {what}" for what, count in counts.items() if count]
    if flags:
        parts.append("flags")
    return f"brush {name} changed: {', '.join(parts) or 'its place'}"


_PARTS = {
    "planes": ("normal", "dist"),
    "texture placements": ("u_vec", "v_vec", "draw_scale_x", "draw_scale_y", "offset_x", "offset_y"),
    "faces' properties": ("flags", "mip_map_bias", "alpha", "face_light", "reflective_scale", "tex_name"),
}
