# SPDX-License-Identifier: GPL-3.0-or-later
"""The solids in brush objects: whose record each is, and what of it differs from that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import bpy
import numpy as np

from ....formats.genesis.geometry import Geometry
from ....formats.genesis.records import FaceArray
from ...scene.fields import properties
from ...scene.geometry import evaluated, meshes, transforms
from ...scene.kept.identity import kind_of
from ...scene.reports import SceneError, listed
from ...scene.work.progress import Steps, progress
from .. import layout
from ..context import ExportContext
from ..faces.collect import FaceCollector, MeshFaces
from ..materials.collect import checked_name
from ..parts.level import SceneBrush, SceneLevel
from ..parts.placement import Matrix, matrix_of, order_of, reach_of
from ..shapes.baseline import load_baseline
from ..shapes.collect import Shape, ShapeCollector
from .flags import named_twice

Properties = TypeVar("Properties", bound=layout.BrushProperties)


@dataclass(eq=False)
class FoundBrush:
    """A solid of the scene."""

    part: SceneBrush
    """The object that it is in."""
    shape: Shape
    source: MeshFaces
    """The faces of the object's mesh."""
    owner: bool = False
    """Whether it is the record that its shape names; otherwise it is a copy of that, or new."""

    @property
    def object(self) -> bpy.types.Object:
        """The object that it is in."""
        return self.part.object

    @property
    def order(self) -> tuple[float, str]:
        """What orders it among its neighbours."""
        return order_of(self.object)


class BrushCollector:
    """Collects the brushes of a level from its scene."""

    def __init__(
        self,
        exporting: ExportContext,
        geometry: Geometry | None,
        kind: str,
    ) -> None:
        """geometry: of the original; None where there is none. kind: of the file that the level is ("map", "3dt")."""
        self.report = exporting.report
        self.baseline = load_baseline(exporting.collection, geometry) if geometry is not None else None
        self.shapes = ShapeCollector(geometry, self.baseline, exporting.token, exporting.settings.split_concave)
        self.faces = FaceCollector(geometry, kind, exporting.settings, exporting.report)
        self._rows = {} if geometry is None else {int(one): row for row, one in enumerate(geometry.numbers)}

    def row_of(self, record: int) -> int:
        """The number, in the geometry, of the brush with a stamp's record; -1: none."""
        return self._rows.get(record, -1)

    def collect(
        self, context: bpy.types.Context, level: SceneLevel, pose: Callable[[SceneBrush], Matrix | None]
    ) -> Steps[dict[SceneBrush, list[FoundBrush]]]:
        """The solids in each brush object with a mesh. pose: of the motion above a brush, see `matrix_of`.

        Raises SceneError for what no brush can be.
        """
        leaves = [brush for brush in level.all_brushes() if brush.children is None]
        found: dict[SceneBrush, list[FoundBrush]] = {}
        smooth: list[str] = []
        with evaluation(context, level, leaves) as depsgraph, progress(len(leaves), "brushes") as step:
            for brush in leaves:
                obj = brush.object
                mesh = meshes.read(obj, depsgraph)
                if not len(mesh.face_starts) and kind_of(obj) is None:
                    self.report.left_out(f"object {obj.name!r} (it has no faces)")
                    found[brush] = []
                    yield step()
                    continue
                records = self.shapes.records(mesh)
                if self.baseline is not None:
                    same, uv_same = self.baseline.same(mesh, records)
                else:
                    same = uv_same = np.zeros(len(records), np.bool_)
                posed = pose(brush)
                matrix, reach = matrix_of(obj, level.root, depsgraph, posed), reach_of(obj, posed)
                row = self.row_of(brush.record)
                shapes = self.shapes.collect(obj, mesh, row, matrix, records, same, reach)
                source = self.faces.compare(obj, mesh, records, uv_same, same & ~uv_same)
                found[brush] = [FoundBrush(brush, shape, source) for shape in shapes]
                flat = mesh.attribute("sharp_face", "FACE")
                if row >= 0 and len(records) and (flat is None or not flat.all()):
                    smooth.append(obj.name)
                yield step()
        self.faces.tell_of_missing()
        if smooth:
            self.report.warn(f"{listed(smooth)}: smooth shading isn't written: faces are lit as their flags say")
        _find_owners([one for several in found.values() for one in several], self.row_of)
        return found

    def untouched(self, found: FoundBrush) -> bool:
        """Whether nothing of a brush's geometry and faces differs from its record."""
        return found.owner and self.faces.untouched(found.shape, found.source)

    def map_faces(self, found: FoundBrush) -> FaceArray:
        """The records of a brush's faces."""
        sides = self.faces.collect(found.shape, found.source)
        for side, name in enumerate(sides.names):
            if sides.renamed[side] or found.shape.records[side] < 0:
                face = int(found.shape.faces[side])
                sides.faces["tex_name"][side] = np.void(checked_name(name, found.object, face))
        return sides.faces


def _find_owners(found: list[FoundBrush], row_of: Callable[[int], int]) -> None:
    """Of several solids with one record the one that is most like it is it."""
    best: dict[int, tuple[tuple[bool, bool, bool, float], FoundBrush]] = {}
    for one in found:
        shape = one.shape
        if shape.brush < 0:
            continue
        at_home = row_of(one.part.record) == shape.brush
        rank = (shape.move is not None or not shape.whole, not shape.whole, not at_home, shape.distance)
        if shape.brush not in best or rank < best[shape.brush][0]:
            best[shape.brush] = (rank, one)
    for _, one in best.values():
        one.owner = True


@contextmanager
def evaluation(
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


def brush_properties(obj: bpy.types.Object, cls: type[Properties]) -> tuple[Properties, frozenset[str]]:
    """A brush's properties, and which were edited; raises SceneError for values of a wrong type."""
    try:
        values, edited = properties.read(obj, cls)
    except ValueError as error:
        raise SceneError(str(error), [obj]) from error
    twice = named_twice(values)
    if "other_flags" in edited and twice:
        raise SceneError(f"{obj.name}: property other_flags: {twice:#x} have properties of their own", [obj])
    return values, edited


def tell_orders(exporting: ExportContext, brushes: Iterable[SceneBrush], was: Callable[[int], int | None]) -> None:
    """Note which brushes were given another place in the order. was: the place of a record; None for one unknown."""
    for brush in brushes:
        before = was(brush.record) if brush.record >= 0 else None
        now, _ = order_of(brush.object)
        if before is not None and now != before:
            exporting.note(f"brush {brush.object.name} changed: its order is {now:g}, it was {before}")
