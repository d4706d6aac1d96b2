# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of the scene back to the tree of brushes of a `.3dt`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ....formats.counting import number_of
from ....formats.genesis.editor_level import EditorBrush, Level3dt
from ....formats.genesis.geometry import Geometry
from ....formats.genesis.records import EditorBrushFlag
from ...scene.fields import properties
from ...scene.reports import SceneError
from .. import layout
from ..context import ExportContext
from ..faces.collect_editor import collect_editor_faces
from ..parts.level import SceneBrush
from ..parts.merging import Ids
from . import flags
from .build_editor import seen_changes
from .collect import BrushCollector, FoundBrush, brush_properties

Parent = tuple[EditorBrush, bool]
"""The record of a brush's parent, and whether that went to another model or group."""


class EditorBrushes:
    """Gives a `.3dt` its brushes."""

    def __init__(
        self,
        exporting: ExportContext,
        level: Level3dt,
        geometry: Geometry | None,
        collector: BrushCollector,
        models: Ids,
        groups: Ids,
    ) -> None:
        """geometry: of the original, None where there is none."""
        self.exporting = exporting
        self.level = level
        self.geometry = geometry
        self.collector = collector
        self.models = models
        self.groups = groups
        numbered = list(level.numbered_brushes())
        self.records = {number: brush for number, brush, _ in numbered}
        self.sides = [face for _, brush, _ in numbered if brush.children is None for face in brush.faces]
        self.kept: set[int] = set()  # numbers of brushes that are still there

    def write(self, brushes: list[SceneBrush], solids: Mapping[SceneBrush, list[FoundBrush]]) -> None:
        """Give the level the brushes of the scene. solids: what is in each that has a mesh.

        Raises SceneError for what no brush can be.
        """
        made = [one for brush in brushes for one in self._brushes(brush, solids, None)]
        for number, record in self.records.items():
            if number not in self.kept:
                self.exporting.note(f"brush {number} ({record.name}) removed")
        self.exporting.replace_list(self.level, "brushes", made)

    def _brushes(
        self, brush: SceneBrush, solids: Mapping[SceneBrush, list[FoundBrush]], parent: Parent | None
    ) -> list[EditorBrush]:
        """The records of an object."""
        if brush.children is None:
            return [self._leaf(found, parent) for found in solids[brush]]
        record = self.records.get(brush.record)
        owner = record is not None and record.children is not None and brush.record not in self.kept
        if record is None or record.children is None:
            made = EditorBrush(brush.object.name, int(EditorBrushFlag.SOLID), children=[])
        else:
            made = record if owner else replace(record, span=None, list_span=None)
        if owner:
            self.kept.add(brush.record)
        moved = self._settings(brush, made, owner, parent)
        children = [one for child in brush.children for one in self._brushes(child, solids, (made, moved))]
        if not children:
            self.exporting.note(f"brush {brush.object.name} has nothing left in it: removed")
            return []
        self.exporting.replace_list(made, "children", children)
        if not owner:
            self.exporting.note(f"brush {brush.object.name} is new ({number_of(len(children), 'brushes')} in it)")
        return [made]

    def _leaf(self, found: FoundBrush, parent: Parent | None) -> EditorBrush:
        """The record of a solid."""
        row = found.shape.brush
        number = -1 if row < 0 or self.geometry is None else int(self.geometry.numbers[row])
        record = self.records.get(number)
        if record is not None and found.owner:
            self.kept.add(number)
            self._settings(found.part, record, True, parent)
            if not self.collector.untouched(found):
                self._write_faces(found, record)
            return record
        made = EditorBrush(found.object.name) if record is None else replace(record, span=None, list_span=None)
        self._settings(found.part, made, False, parent)
        made.faces, _ = collect_editor_faces(
            found.shape, found.source, self.collector.faces, self.sides, self.level.version
        )
        self.exporting.note(f"brush {found.object.name} is new ({number_of(len(made.faces), 'faces')})")
        return made

    def _write_faces(self, found: FoundBrush, record: EditorBrush) -> None:
        faces, changes = collect_editor_faces(
            found.shape, found.source, self.collector.faces, self.sides, self.level.version
        )
        gone = len({id(one) for one in record.faces} - {id(one) for one in changes.kept})
        if gone:
            changes.counts["faces removed"] = gone
        self.exporting.replace_list(record, "faces", faces)
        reported = [number_of(count, what) for what, count in changes.counts.items() if count]
        if reported:
            self.exporting.note(f"brush {found.object.name} changed: {', '.join(reported)}")

    def _settings(self, brush: SceneBrush, made: EditorBrush, owner: bool, parent: Parent | None) -> bool:
        """Write a brush's name, flags, model and group; returns whether model or group are others than before.

        owner: `made` is the record that the object stands for; otherwise it was made for it.
        """
        obj = brush.object
        values, edited = brush_properties(obj, layout.EditorBrushProperties)
        seen = {name: now for name, now in seen_changes(obj).items() if name not in edited}
        values.hidden, values.locked = seen.get("hidden", values.hidden), seen.get("locked", values.locked)
        edited |= seen.keys()
        before = (made.name, made.flags, made.hull_size, made.model_id, made.group_id)
        written = obj.get(properties.BASELINE) is not None
        if "brush_name" in edited or (written and not owner):
            made.name = values.brush_name or obj.name
        if edited - {"brush_name", "hull_size"} or (written and not owner):
            made.flags = flags.editor_flags(values) | values.other_flags
        if "hull_size" in edited or (written and not owner):
            made.hull_size = values.hull_size
        becomes_hollow = values.hollow and ("hollow" in edited or not owner)
        if parent is None and brush.children is None and becomes_hollow:
            raise SceneError(
                f"{obj.name}: a hollow brush is an empty with two brushes in it, a shell and a cut; a mesh alone "
                "can't be one",
                [obj],
            )
        if parent is None:
            known = owner or brush.record >= 0
            made.model_id = self.models.of(brush.model, made.model_id if known else 0)
            made.group_id = self.groups.of(brush.group, made.group_id if known else 0)
        elif parent[1] or not owner:
            made.model_id, made.group_id = parent[0].model_id, parent[0].group_id
        after = (made.name, made.flags, made.hull_size, made.model_id, made.group_id)
        if owner and after != before:
            names = ("name", "flags", "hull size", "model", "group")
            changed = [name for name, one, other in zip(names, before, after, strict=True) if one != other]
            self.exporting.note(f"brush {obj.name} changed: {', '.join(changed)}")
        return before[3:] != after[3:]
