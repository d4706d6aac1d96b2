# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene laid over a `.map`: entities, world models and their motions, brushes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np

from ...formats import genesis
from ...formats.binary import FormatError
from ...formats.genesis import Brush, Entity, MapLevel, geometry
from ...formats.genesis.entities import CLASSNAME, MODEL, NAME, ORIGIN
from ...formats.genesis.headers import Declared
from ...formats.genesis.map_file import HAS_MOTION
from ...formats.genesis.motion import PATH_NAME, Motion
from ...formats.genesis.text import fixed
from ..scene import properties, transforms
from ..scene.reports import Report, SceneError
from . import layout
from .brushes.collect import BrushReader, FoundBrush, describe, map_flags_of
from .entities.build import known_types, own_types
from .entities.collect import MOVED, read_entity, read_pairs
from .motions import collect as motion_reader
from .scene_parts import Matrix, SceneBrush, SceneEntity, SceneModel, matrix_of, read_scene
from .settings import ExportSettings


@dataclass
class Scene:
    """One export. token: the level's, None where there is no original. changed: anything differs from it."""

    context: bpy.types.Context
    collection: bpy.types.Collection
    token: int | None
    settings: ExportSettings
    report: Report
    changed: bool = field(default=False)

    @property
    def scene(self) -> bpy.types.Scene:
        """Blender's scene; raises SceneError where there is none."""
        if self.context.scene is None:
            raise SceneError("there is no scene to export from")
        return self.context.scene

    def note(self, what: str) -> None:
        """Tell of something that changed."""
        self.changed = True
        self.report.note(what)


def lay(original: MapLevel | None, scene: Scene, options: Mapping[str, Any]) -> MapLevel:
    """The level that the scene says: the original with what was edited, or one made whole. Raises SceneError."""
    level = original if original is not None else genesis.new_level("map")
    return _MapExport(level, original is not None, scene, float(options.get("scale", layout.SCALE))).run()


class _MapExport:
    def __init__(self, level: MapLevel, known: bool, scene: Scene, scale: float) -> None:
        self.level = level
        self.scene = scene
        self.scale = scale
        self.report = scene.report
        shape, owners = geometry.of_map(level) if known else (None, np.empty(0, np.int64))
        self.geometry = shape
        self.token = scene.token if known else None
        self.was_in = owners
        self.records = [brush for entity in level.entities for brush in entity.brushes]
        self.before = list(level.entities)
        self.found = read_scene(scene.collection, self.token, scene.report)
        self.reader = BrushReader(scene.collection, self.geometry, "map", self.token, scene.settings, scene.report)
        self.types = known_types(Declared()) | own_types(level, Report())
        self.entity_of: dict[int, Entity] = {}  # by id of SceneModel and SceneEntity

    def run(self) -> MapLevel:
        """Lay the whole scene over the level."""
        scene = self.scene
        poses: dict[int, Matrix] = {}

        def pose(brush: SceneBrush) -> Matrix | None:
            if brush.model is None:
                return None
            if id(brush.model) not in poses:
                poses[id(brush.model)] = motion_reader.pose(brush.model, 0.0, scene.scene)
            return poses[id(brush.model)]

        self._structure()
        found = self.reader.read(scene.context, self.found, pose)
        for model in self.found.models:
            self._write_model(model)
        for entity in self.found.entities:
            self._write_entity(entity)
        self._write_brushes([one for several in found.values() for one in several])
        self._write_world()
        self.report.count("brushes", sum(len(entity.brushes) for entity in self.level.entities))
        self.report.count("models", len(self.level.models))
        self.report.count("entities", len(self.level.points))
        return self.level

    def _structure(self) -> None:
        """Give the level the models and entities of the scene: the original's in their places, new ones behind them."""
        kept: dict[int, Entity] = {}
        new_models: list[Entity] = []
        new_points: list[Entity] = []
        parts: list[SceneModel | SceneEntity] = [*self.found.models, *self.found.entities]
        for part in parts:
            is_model = isinstance(part, SceneModel)
            template = self.before[part.record] if 0 <= part.record < len(self.before) else None
            if template is not None and not part.copy:
                kept[part.record] = self.entity_of[id(part)] = template
                continue
            made = Entity()
            if template is not None:
                made = Entity(list(template.pairs), flags=template.flags, motion=template.motion)
            elif is_model:
                made.pairs = [(CLASSNAME, MODEL), (NAME, part.object.name), (ORIGIN, "")]
            self.entity_of[id(part)] = made
            (new_models if is_model else new_points).append(made)
            self.scene.note(f"{'model' if is_model else 'entity'} {part.object.name} is new")
        entities: list[Entity] = []
        for number, entity in enumerate(self.before):
            if number == 0 or entity.is_typedef or number in kept:
                entities.append(entity)
            else:
                what = "model" if entity.is_model else "entity"
                self.scene.note(f"{what} {number} ({entity.classname}, {entity.name}) removed")
        places = [number for number, entity in enumerate(entities) if number == 0 or entity.is_model]
        entities[places[-1] + 1 : places[-1] + 1] = new_models
        places = [number for number, entity in enumerate(entities) if number == 0 or not entity.is_typedef]
        entities[places[-1] + 1 : places[-1] + 1] = new_points
        self.level.entities = entities

    def _write_model(self, model: SceneModel) -> None:
        entity = self.entity_of[id(model)]
        obj = model.object
        fresh = model.record < 0 or model.copy
        with naming(obj):
            try:
                values, edited = properties.read(obj, layout.ModelProperties)
            except ValueError as error:
                raise SceneError(str(error), [obj]) from error
            changes = []
            if "model_name" in edited or (fresh and values.model_name):
                entity.set(NAME, values.model_name)
                changes.append("name")
            if model.copy and "model_name" not in edited:
                entity.set(NAME, self._free_name(entity.name or obj.name, entity))
            matrix = matrix_of(obj, self.found.root, None)
            place = layout.from_blender(matrix[:3, 3])
            was = entity.origin
            moved = fresh or bool(transforms.changed_channels(obj, self.found.root))
            if moved and (was is None or np.abs(place - np.array(was)).max() > MOVED):
                entity.set(ORIGIN, " ".join(fixed(float(one) + 0.0) for one in place))
                changes.append("origin")
            before = entity.motion
            motion = motion_reader.read_motion(model, before, self.scene.scene, PATH_NAME, matrix, self.report)
            if motion is not before:
                entity.motion = motion
                entity.flags = HAS_MOTION if motion is not None and _moves(motion) else 0
                entity.motion = motion if entity.flags else None
                changes.append("motion")
            if changes and not fresh:
                self.scene.note(f"model {obj.name} changed: {', '.join(changes)}")

    def _free_name(self, name: str, own: Entity) -> str:
        """A name that no other entity has: entities refer to models by it."""
        taken = {entity.name.lower() for entity in self.level.entities if entity is not own}
        number = 2
        made = name
        while made.lower() in taken:
            made = f"{name}_{number}"
            number += 1
        return made

    def _write_entity(self, part: SceneEntity) -> None:
        entity = self.entity_of[id(part)]
        obj = part.object
        fresh = part.record < 0 or part.copy
        with naming(obj):
            matrix = matrix_of(obj, self.found.root, self._depsgraph(obj))
            edited = read_entity(obj, entity, fresh, matrix, self.found.root, self.types, self.scale, self.report)
            if part.copy and entity.name and NAME not in edited:
                entity.set(NAME, self._free_name(entity.name, entity))
        if edited and not fresh:
            self.scene.note(f"entity {obj.name} changed: {', '.join(edited)}")

    def _depsgraph(self, obj: bpy.types.Object) -> bpy.types.Depsgraph | None:
        if not transforms.needs_evaluation(obj, self.found.root):
            return None
        return self.scene.context.evaluated_depsgraph_get()

    def _write_brushes(self, found: list[FoundBrush]) -> None:
        """Give each entity its brushes, in the order of the scene."""
        rows: dict[int, list[tuple[tuple[float, str, int], Brush]]] = {id(one): [] for one in self.level.entities}
        kept: set[int] = set()
        for number, one in enumerate(found):
            entity = self._entity(one)
            own = self.reader.row_of(one.scene.record)
            order, name = one.order
            if one.shape.brush >= 0 and one.shape.brush != own and own >= 0:
                order = float(one.shape.brush)
            brush = self._brush(one)
            if one.owner:
                kept.add(one.shape.brush)
            rows[id(entity)].append(((order, name, number), brush))
        for number in sorted(set(range(len(self.records))) - kept):
            self.scene.note(f"brush {number} removed")
        for entity in self.level.entities:
            brushes = [brush for _, brush in sorted(rows[id(entity)], key=lambda row: row[0])]
            same = len(brushes) == len(entity.brushes) and all(
                one is other for one, other in zip(brushes, entity.brushes, strict=True)
            )
            if not same:
                self.scene.changed = True
                entity.brushes = brushes

    def _entity(self, found: FoundBrush) -> Entity:
        """The entity that a brush belongs to: its model, or the one that it was in if that is none."""
        if found.scene.model is not None:
            return self.entity_of[id(found.scene.model)]
        if found.shape.brush >= 0:
            was = self.before[int(self.was_in[found.shape.brush])]
            if not was.is_model and any(was is one for one in self.level.entities):
                return was
        return self.level.entities[0]

    def _brush(self, found: FoundBrush) -> Brush:
        """A brush's record, changed in place, or a new one."""
        row = found.shape.brush
        record = self.records[row] if row >= 0 else None
        flags = map_flags_of(found, record)
        if record is not None and self.reader.untouched(found):
            if flags != record.flags:
                record.flags = flags
                self.scene.note(f"brush {found.scene.object.name} changed: flags")
            return record
        with naming(found.scene.object):
            faces = self.reader.map_faces(found)
        if record is None or not found.owner or self.geometry is None:
            self.scene.note(describe(found, None, 0, faces, False))
            return Brush(flags, faces)
        same = record.faces.tobytes() == faces.tobytes()
        if not same or flags != record.flags:
            first = int(self.reader.shapes.first_face(row))
            self.scene.note(describe(found, record.faces, first, faces, flags != record.flags))
        record.flags = flags
        if not same:
            record.faces = faces
        return record

    def _write_world(self) -> None:
        edited = read_pairs(self.scene.collection, self.level.entities[0], whole=self.token is not None)
        if edited:
            self.scene.note(f"world changed: {', '.join(edited)}")


def _moves(motion: Motion) -> bool:
    """Whether a motion has more than one key: else the editor writes none."""
    tracks = [track for path in motion.paths for track in (path.rotation, path.translation) if track is not None]
    return any(len(track.times) > 1 for track in tracks)


@contextmanager
def naming(obj: bpy.types.Object) -> Iterator[None]:
    """Turn what the library refuses into an error that names the object."""
    try:
        yield
    except FormatError as error:
        raise SceneError(f"{obj.name}: {error.message}", [obj]) from error
