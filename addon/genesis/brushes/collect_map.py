# SPDX-License-Identifier: GPL-3.0-or-later
"""Solids of the scene back to the brushes of a `.map`'s entities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from ....formats.arrays import Ints
from ....formats.counting import number_of
from ....formats.genesis import Brush, Entity, MapLevel
from ....formats.genesis.geometry import Geometry
from ....formats.genesis.records import BrushFlag, FaceArray
from ...scene.fields import properties
from ...scene.kept.identity import kind_of
from ...scene.reports import naming
from .. import layout
from ..context import ExportContext
from . import flags
from .collect import BrushCollector, FoundBrush, brush_properties


class MapBrushes:
    """Gives the entities of a `.map` their brushes."""

    def __init__(
        self,
        exporting: ExportContext,
        level: MapLevel,
        geometry: Geometry | None,
        was_in: Ints,
        collector: BrushCollector,
    ) -> None:
        """Make it before the level's entities change. geometry: of the original, None where there is none.

        was_in: int[b], the entity of each brush of the original.
        """
        self.exporting = exporting
        self.level = level
        self.geometry = geometry
        self.was_in = was_in
        self.collector = collector
        self.records = [brush for entity in level.entities for brush in entity.brushes]
        self.before = list(level.entities)

    def write(self, found: list[FoundBrush], entity_of: Mapping[int, Entity]) -> None:
        """Give each entity its brushes, in the order of the scene. entity_of: by id() of SceneModel.

        Raises SceneError for what no brush can be.
        """
        rows: dict[int, list[tuple[tuple[float, str, int], Brush]]] = {id(one): [] for one in self.level.entities}
        kept: set[int] = set()
        for number, one in enumerate(found):
            entity = self._entity(one, entity_of)
            own = self.collector.row_of(one.part.record)
            order, name = one.order
            if one.shape.brush >= 0 and one.shape.brush != own and own >= 0:
                order = float(one.shape.brush)
            brush = self._brush(one)
            if one.owner:
                kept.add(one.shape.brush)
            rows[id(entity)].append(((order, name, number), brush))
        for number in self._unseen(found) - kept:
            entity = self.before[int(self.was_in[number])]
            if id(entity) in rows:
                rows[id(entity)].append(((float(number), "", 0), self.records[number]))
                kept.add(number)
        for number in sorted(set(range(len(self.records))) - kept):
            self.exporting.note(f"brush {number} removed")
        for entity in self.level.entities:
            brushes = [brush for _, brush in sorted(rows[id(entity)], key=lambda row: row[0])]
            self.exporting.replace_list(entity, "brushes", brushes)

    def _unseen(self, found: list[FoundBrush]) -> set[int]:
        """The brushes without any polygon, which meshes of many brushes can't show: nobody deleted those."""
        if not any(kind_of(one.object) == layout.BRUSHES for one in found):
            return set()
        return self.collector.shapes.without_polygons()

    def _entity(self, found: FoundBrush, entity_of: Mapping[int, Entity]) -> Entity:
        """The entity that a brush belongs to: its model, or the one that it was in if that is none."""
        if found.part.model is not None:
            return entity_of[id(found.part.model)]
        if found.shape.brush >= 0:
            was = self.before[int(self.was_in[found.shape.brush])]
            if not was.is_model and any(was is one for one in self.level.entities):
                return was
        return self.level.entities[0]

    def _brush(self, found: FoundBrush) -> Brush:
        """A brush's record, changed in place, or a new one."""
        row = found.shape.brush
        record = self.records[row] if row >= 0 else None
        now = _flags_of(found, record)
        if record is not None and self.collector.untouched(found):
            if now != record.flags:
                record.flags = now
                self.exporting.note(f"brush {found.object.name} changed: flags")
            return record
        with naming(found.object):
            faces = self.collector.map_faces(found)
        if record is None or not found.owner or self.geometry is None:
            self.exporting.note(f"brush {found.object.name} is new ({number_of(len(faces), 'faces')})")
            return Brush(now, faces)
        same = record.faces.tobytes() == faces.tobytes()
        if not same or now != record.flags:
            first = int(self.geometry.first_face[row])
            self.exporting.note(_changes(found, record.faces, first, faces, now != record.flags))
        record.flags = now
        if not same:
            record.faces = faces
        return record


def _flags_of(found: FoundBrush, record: Brush | None) -> int:
    """The flags of a `.map` brush: its record's, unless its properties were edited.

    Raises SceneError for properties that are not flags.
    """
    obj = found.object
    shared = found.source.mesh.attribute(layout.BRUSH_FLAGS, "FACE")
    if shared is not None and shared.dtype == np.int32 and len(found.shape.faces) and found.shape.faces[0] >= 0:
        return int(shared[int(found.shape.faces[0])]) & 0xFFFFFFFF
    values, changed = brush_properties(obj, layout.BrushProperties)
    if record is not None and not changed:
        return record.flags
    if record is None and obj.get(properties.BASELINE) is None:
        return flags.map_flags(values) if changed else int(BrushFlag.SOLID)
    return flags.map_flags(values)


def _changes(found: FoundBrush, before: FaceArray, first: int, after: FaceArray, flags_changed: bool) -> str:
    """What changed of a brush, in words. first: the number of the first of the faces that it had before."""
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
    parts = [number_of(count, what) for what, count in counts.items() if count]
    if flags_changed:
        parts.append("flags")
    return f"brush {found.object.name} changed: {', '.join(parts) or 'its place'}"


_PARTS = {
    "planes": ("normal", "dist"),
    "texture placements": ("u_vec", "v_vec", "draw_scale_x", "draw_scale_y", "offset_x", "offset_y"),
    "faces with other properties": ("flags", "mip_map_bias", "alpha", "face_light", "reflective_scale", "tex_name"),
}
