# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene laid over a `.3dt`: the tree of brushes, entities, models, groups, and what the level itself says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import bpy
import numpy as np

from ...formats import genesis
from ...formats.genesis import geometry
from ...formats.genesis.editor_level import (
    IDENTITY,
    SKY_SIDES,
    VERSION,
    EditorBrush,
    EditorEntity,
    EditorModel,
    Group,
    Level3dt,
    Sky,
)
from ...formats.genesis.entities import NAME
from ...formats.genesis.headers import Declared
from ...formats.genesis.records import EditorBrushFlag
from ...formats.genesis.upgrade import upgraded
from ..scene import originals, properties, transforms
from ..scene.reports import SceneError
from . import layout
from .brushes import build as brushes
from .brushes.build_editor import seen_changes
from .brushes.collect import BrushReader, FoundBrush, brush_properties
from .entities.build import known_types
from .entities.collect import MOVED, read_entity
from .faces import collect_editor as editor_faces
from .map_exporter import Scene, naming
from .motions import collect as motion_reader
from .scene_parts import Matrix, SceneBrush, SceneEntity, SceneGroup, SceneModel, matrix_of, read_scene

PATH_NAME = "PathInfo"
"""The name of the path of a model's motion in a `.3dt`."""


def lay(original: Level3dt | None, scene: Scene, options: Mapping[str, Any]) -> Level3dt:
    """The level that the scene says: the original with what was edited, or one made whole. Raises SceneError.

    A level of a version before 1.31 becomes one of 1.31, as when the editor saves it.
    """
    level = original if original is not None else genesis.new_level("3dt")
    if level.version < VERSION:
        was = level.version
        level = upgraded(level)
        _EditorExport(level, True, scene, options).run()
        if scene.changed:
            scene.note(f"version {was[0]}.{was[1]} became {level.version[0]}.{level.version[1]}")
        return level
    return _EditorExport(level, original is not None, scene, options).run()


class _EditorExport:
    def __init__(self, level: Level3dt, known: bool, scene: Scene, options: Mapping[str, Any]) -> None:
        self.level = level
        self.scene = scene
        self.report = scene.report
        self.scale = float(options.get("scale", layout.SCALE))
        numbered = list(layout.numbered_brushes(level))
        self.records = {number: brush for number, brush, _ in numbered}
        leaves = [(number, brush) for number, brush, _ in numbered if brush.children is None]
        self.geometry = geometry.of_editor(leaves) if known else None
        self.sides = [face for _, brush in leaves for face in brush.faces]
        self.token = scene.token if known else None
        self.found = read_scene(scene.collection, self.token, scene.report)
        self.reader = BrushReader(scene.collection, self.geometry, "3dt", self.token, scene.settings, scene.report)
        self.models: dict[int, EditorModel] = {}  # by id of SceneModel
        self.groups: dict[int, Group] = {}  # by id of SceneGroup
        self.old_models = {model.model_id for model in level.models}
        self.old_groups = {group.group_id for group in level.groups}
        self.types = known_types(Declared())
        self.kept: set[int] = set()  # numbers of brushes that are still there

    def run(self) -> Level3dt:
        """Lay the whole scene over the level."""
        poses: dict[int, Matrix] = {}

        def pose(brush: SceneBrush) -> Matrix | None:
            if brush.model is None:
                return None
            if id(brush.model) not in poses:
                time = self._model_properties(brush.model)[0].key_time
                poses[id(brush.model)] = motion_reader.pose(brush.model, time, self.scene.scene)
            return poses[id(brush.model)]

        solids = self.reader.read(self.scene.context, self.found, pose)
        self._write_groups()
        self._write_models()
        self._write_entities()
        made = [one for brush in self.found.brushes for one in self._brushes(brush, solids, None)]
        for number, brush in self.records.items():
            if number not in self.kept:
                self.scene.note(f"brush {number} ({brush.name}) removed")
        self._set_list(self.level, "brushes", made)
        self._write_level()
        for kind, count in (
            ("brushes", len(self.level.leaves())),
            ("models", len(self.level.models)),
            ("entities", len(self.level.entities)),
            ("groups", len(self.level.groups)),
        ):
            self.report.count(kind, count)
        return self.level

    def _set_list(self, owner: Any, name: str, values: list[Any]) -> None:
        before = getattr(owner, name)
        if before is None or len(before) != len(values) or any(a is not b for a, b in zip(before, values, strict=True)):
            setattr(owner, name, values)
            self.scene.changed = True

    # -------------------------------------------------------------------------------------------------------- brushes

    def _brushes(
        self, brush: SceneBrush, solids: dict[SceneBrush, list[FoundBrush]], parent: tuple[EditorBrush, bool] | None
    ) -> list[EditorBrush]:
        """The records of an object. parent: that of its parent, and whether that went to another model or group."""
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
            self.scene.note(f"brush {brush.object.name} has nothing left in it: removed")
            return []
        self._set_list(made, "children", children)
        if not owner:
            self.scene.note(f"brush {brush.object.name} is new ({len(children)} brushes in it)")
        return [made]

    def _leaf(self, found: FoundBrush, parent: tuple[EditorBrush, bool] | None) -> EditorBrush:
        row = found.shape.brush
        number = -1 if row < 0 or self.geometry is None else int(self.geometry.numbers[row])
        record = self.records.get(number)
        obj = found.scene.object
        if record is not None and found.owner:
            self.kept.add(number)
            self._settings(found.scene, record, True, parent)
            if not self.reader.untouched(found):
                self._write_faces(found, record)
            return record
        made = EditorBrush(obj.name) if record is None else replace(record, span=None, list_span=None)
        self._settings(found.scene, made, False, parent)
        made.faces = editor_faces.read(found, self.reader.faces, self.sides, self.level.version, self.report)[0]
        self.scene.note(f"brush {obj.name} is new ({len(made.faces)} faces)")
        return made

    def _write_faces(self, found: FoundBrush, record: EditorBrush) -> None:
        faces, changes = editor_faces.read(found, self.reader.faces, self.sides, self.level.version, self.report)
        gone = len({id(one) for one in record.faces} - {id(one) for one in changes.kept})
        if gone:
            changes.counts["faces removed"] = gone
        self._set_list(record, "faces", faces)
        told = [f"{count} {what}" for what, count in changes.counts.items() if count]
        if told:
            self.scene.note(f"brush {found.scene.object.name} changed: {', '.join(told)}")

    def _settings(
        self, brush: SceneBrush, made: EditorBrush, owner: bool, parent: tuple[EditorBrush, bool] | None
    ) -> bool:
        """Write a brush's name, flags, model and group; returns whether model or group are others than before."""
        obj = brush.object
        values, edited = brush_properties(obj, layout.EditorBrushProperties)
        if not isinstance(values, layout.EditorBrushProperties):
            raise TypeError("not a .3dt brush's properties")
        seen = {name: now for name, now in seen_changes(obj).items() if name not in edited}
        values.hidden, values.locked = seen.get("hidden", values.hidden), seen.get("locked", values.locked)
        edited |= seen.keys()
        before = (made.name, made.flags, made.hull_size, made.model_id, made.group_id)
        written = obj.get(properties.BASELINE) is not None
        flags = edited - {"brush_name", "hull_size"}
        if "brush_name" in edited or (written and not owner):
            made.name = values.brush_name or obj.name
        if flags or (written and not owner):
            made.flags = brushes.editor_flags(values) | values.other_flags
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
            made.model_id = self._model_id(brush, made.model_id if owner or brush.record >= 0 else 0)
            made.group_id = self._group_id(brush.group, made.group_id if owner or brush.record >= 0 else 0)
        elif parent[1] or not owner:
            made.model_id, made.group_id = parent[0].model_id, parent[0].group_id
        after = (made.name, made.flags, made.hull_size, made.model_id, made.group_id)
        if owner and after != before:
            names = ("name", "flags", "hull size", "model", "group")
            changed = [name for name, one, other in zip(names, before, after, strict=True) if one != other]
            self.scene.note(f"brush {obj.name} changed: {', '.join(changed)}")
        return before[3:] != after[3:]

    def _model_id(self, brush: SceneBrush, was: int) -> int:
        if brush.model is not None:
            return self.models[id(brush.model)].model_id
        return was if was not in self.old_models else 0

    def _group_id(self, group: SceneGroup | None, was: int) -> int:
        if group is not None:
            return self.groups[id(group)].group_id
        return was if was not in self.old_groups else 0

    # ------------------------------------------------------------------------------------- groups, models and entities

    def _write_groups(self) -> None:
        old = list(self.level.groups)
        kept: list[Group] = []
        new: list[Group] = []
        for part in self.found.groups:
            record = old[part.record] if 0 <= part.record < len(old) else None
            fresh = record is None or part.copy
            if record is None or part.copy:
                taken = [group.group_id for group in (*old, *new)]
                made = Group(part.collection.name, max(taken, default=-1) + 1)
                if record is not None:
                    made = replace(record, group_id=made.group_id, span=None)
                new.append(made)
            else:
                made = record
                kept.append(made)
            self.groups[id(part)] = made
            try:
                values, edited = properties.read(part.collection, layout.GroupProperties)
            except ValueError as error:
                raise SceneError(str(error)) from error
            if record is None and part.collection.get(properties.BASELINE) is not None:
                edited = frozenset(vars(values))
            if "group_name" in edited:
                made.name = values.group_name
            if "group_visible" in edited:
                made.visible = int(values.group_visible)
            if "group_locked" in edited:
                made.locked = int(values.group_locked)
            if "group_color" in edited:
                red, green, blue = values.group_color
                made.color = (red, green, blue)
            if fresh:
                self.scene.note(f"group {made.name} is new")
            elif edited:
                self.scene.note(f"group {made.name} changed: {', '.join(sorted(edited))}")
        result = []
        for group in old:
            if any(group is one for one in kept) or group.group_id == 0:  # the editor needs its first group
                result.append(group)
            else:
                self.scene.note(f"group {group.name} removed")
        self._set_list(self.level, "groups", [*result, *new])

    def _model_properties(self, model: SceneModel) -> tuple[layout.EditorModelProperties, frozenset[str]]:
        try:
            return properties.read(model.object, layout.EditorModelProperties)
        except ValueError as error:
            raise SceneError(str(error), [model.object]) from error

    def _write_models(self) -> None:
        old = list(self.level.models)
        kept: list[EditorModel] = []
        new: list[EditorModel] = []
        for part in self.found.models:
            record = old[part.record] if 0 <= part.record < len(old) else None
            if record is None or part.copy:
                number = max((one.model_id for one in (*old, *new)), default=0) + 1
                made = EditorModel(part.object.name, number)
                if record is not None:
                    made = replace(record, model_id=number, name=part.object.name, span=None)
                new.append(made)
                self.scene.note(f"model {part.object.name} is new")
            else:
                made = record
                kept.append(made)
            self.models[id(part)] = made
            with naming(part.object):
                changes = self._write_model(part, made, record is None or part.copy)
            if changes and made in kept:
                self.scene.note(f"model {part.object.name} changed: {', '.join(changes)}")
        for model in old:
            if not any(model is one for one in kept):
                self.scene.note(f"model {model.name} removed")
        self._set_list(self.level, "models", [*(one for one in old if any(one is two for two in kept)), *new])

    def _write_model(self, part: SceneModel, made: EditorModel, fresh: bool) -> list[str]:
        obj = part.object
        values, edited = self._model_properties(part)
        if part.record < 0 and obj.get(properties.BASELINE) is not None:
            edited = frozenset(vars(values))
        changes = []
        if "model_name" in edited:
            made.name = values.model_name
            changes.append("name")
        if "key_time" in edited:
            made.key_time = values.key_time
            changes.append("key time")
        matrix = matrix_of(obj, self.found.root, None)
        place = layout.from_blender(matrix[:3, 3])
        moved = fresh or bool(transforms.changed_channels(obj, self.found.root))
        if moved and np.abs(place - np.array(made.origin)).max() > MOVED:
            turned = made.transform[:9] if len(made.transform) == 12 else IDENTITY[:9]
            made.transform = (*turned, *(float(one) + 0.0 for one in place))
            changes.append("origin")
        motion = motion_reader.read_motion(part, made.motion, self.scene.scene, PATH_NAME, matrix, self.report)
        if motion is not made.motion:
            made.motion = motion
            changes.append("motion")
        return changes

    def _write_entities(self) -> None:
        old = list(self.level.entities)
        kept: list[EditorEntity] = []
        new: list[EditorEntity] = []
        for part in self.found.entities:
            record = old[part.record] if 0 <= part.record < len(old) else None
            fresh = record is None or part.copy
            if record is None or part.copy:
                made = EditorEntity() if record is None else replace(record, pairs=list(record.pairs), span=None)
                new.append(made)
                self.scene.note(f"entity {part.object.name} is new")
            else:
                made = record
                kept.append(made)
            edited = self._write_entity(part, made, fresh)
            if edited and not fresh:
                self.scene.note(f"entity {part.object.name} changed: {', '.join(edited)}")
        for number, entity in enumerate(old):
            if not any(entity is one for one in kept):
                self.scene.note(f"entity {number} ({entity.classname}, {entity.name}) removed")
        self._set_list(self.level, "entities", [*(one for one in old if any(one is two for two in kept)), *new])

    def _write_entity(self, part: SceneEntity, made: EditorEntity, fresh: bool) -> list[str]:
        obj = part.object
        with naming(obj):
            root = self.found.root
            depsgraph = self.scene.context.evaluated_depsgraph_get() if transforms.needs_evaluation(obj, root) else None
            matrix = matrix_of(obj, root, depsgraph)
            edited = read_entity(obj, made, fresh, matrix, root, self.types, self.scale, self.report)
        broken = [key for key in edited if set("\r\n") & set(made.get(key) or "")]
        if broken:
            raise SceneError(f"{obj.name}: property {broken[0]}: a value in a .3dt is one line", [obj])
        if part.copy and NAME not in edited and made.name:
            made.set(NAME, self._free_name(made))
        group = self._group_id(part.group, made.group_id)
        if group != made.group_id:
            made.group_id = group
            edited.append("group")
        return edited

    def _free_name(self, entity: EditorEntity) -> str:
        taken = {one.name.lower() for one in self.level.entities if one is not entity}
        taken |= {str(part.object.get(NAME)).lower() for part in self.found.entities if part.copy is False}
        number = 2
        while f"{entity.name}_{number}".lower() in taken:
            number += 1
        return f"{entity.name}_{number}"

    # ------------------------------------------------------------------------------------------------------- the level

    def _write_level(self) -> None:
        """Textures, headers, sky, and the editor's settings."""
        try:
            values, edited = properties.read(self.scene.collection, layout.EditorLevelProperties)
        except ValueError as error:
            raise SceneError(str(error)) from error
        level = self.level
        attributes = {
            "TextureLib": "texture_library",
            "HeadersDir": "headers_directory",
            "ActorsDir": "actors_directory",
            "PawnIni": "pawn_ini",
        }
        for key, attribute in attributes.items():
            if key in edited:
                setattr(level, attribute, getattr(values, key))
        if any(key.startswith("Sky") for key in edited):
            sky = level.sky = level.sky or Sky()
            x, y, z = values.SkyAxis
            if "SkyAxis" in edited:
                sky.axis = (x, y, z)
            if "SkyRotation" in edited:
                sky.speed = values.SkyRotation
            if "SkyDrawScale" in edited:
                sky.scale = values.SkyDrawScale
            for side, face in zip(SKY_SIDES, sky.faces, strict=False):
                if f"Sky{side}" in edited:
                    text = str(getattr(values, f"Sky{side}"))
                    face.apply, face.texture = int(bool(text) and not text.startswith("-")), text.removeprefix("-")
        if edited:
            self.scene.note(f"level changed: {', '.join(sorted(edited))}")
        held = originals.resources(self.scene.collection, layout.SETTINGS).get(0)
        if isinstance(held, bpy.types.Text):
            body = held.as_string()
            was = level.settings.replace("\r\n", "\n").replace("\0", "")
            if body.rstrip("\n") != was.rstrip("\n"):
                level.settings = body.rstrip("\n").replace("\n", level.newline) + level.newline
                self.scene.note("settings of the editor changed")
