# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene to a `.map`: entities, world models and their motions, brushes, merged into the original."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from ...formats import genesis
from ...formats.genesis import Entity, MapLevel, geometry
from ...formats.genesis.entities import CLASSNAME, MODEL, NAME, ORIGIN
from ...formats.genesis.headers import DeclaredClasses
from ...formats.genesis.level import EntityLevel
from ..scene.reports import Report
from ..scene.work.progress import Steps
from .brushes.collect import BrushCollector, tell_orders
from .brushes.collect_map import MapBrushes
from .classes.collect import define, edited_types
from .classes.types import known_types, own_types
from .context import ExportContext
from .entities.collect import collect_map_entity
from .models.collect import collect_map_model
from .motions.collect import Poses
from .parts.collect import collect_parts
from .parts.level import SceneEntity, SceneLevel, SceneModel
from .parts.merging import Merging
from .world.collect import collect_map_world


def merged(original: MapLevel | None, exporting: ExportContext) -> Steps[MapLevel]:
    """The level that the scene shows: the original with what was edited, or a new one. Raises SceneError."""
    level = original if original is not None else genesis.new_level("map")
    known, was_in = geometry.of_map(level) if original is not None else (None, np.empty(0, np.int64))
    parts = collect_parts(exporting.collection, exporting.token, exporting.report)
    own = own_types(level, Report())
    edited = edited_types(exporting.collection, own) if own is not None else None
    defined = {each.name.lower(): each for each in edited} if edited is not None else own or {}
    types = known_types(DeclaredClasses()) | defined
    collector = BrushCollector(exporting, known, "map")
    brushes = MapBrushes(exporting, level, known, was_in, collector)
    entity_of = match_entities(exporting, level, parts)
    if edited is not None:
        define(exporting, level, edited)
    solids = yield from collector.collect(exporting.context, parts, Poses(exporting.scene, lambda _: 0.0).of)
    for model in parts.models:
        entity = entity_of[id(model)]
        collect_map_model(exporting, model, entity, parts.root, OtherNames(level, entity))
    yield
    for part in parts.entities:
        entity = entity_of[id(part)]
        collect_map_entity(exporting, part, entity, parts.root, types, OtherNames(level, entity))
    yield
    tell_orders(exporting, parts.all_brushes(), lambda record: record)
    brushes.write([one for several in solids.values() for one in several], entity_of)
    yield
    collect_map_world(exporting, level.entities[0], parts.root)
    exporting.report.count("brushes", sum(len(entity.brushes) for entity in level.entities))
    exporting.report.count("models", len(level.models))
    exporting.report.count("entities", len(level.points))
    return level


def match_entities(exporting: ExportContext, level: EntityLevel, parts: SceneLevel) -> dict[int, Entity]:
    """Give a level the models and entities of the scene: the original's where they were, new ones behind them.

    Returns the entity of each by id() of SceneModel and SceneEntity.
    """
    if not level.entities:
        level.entities.append(Entity())  # the world, without which there is no place for others
    merging = Merging(level.entities)
    entity_of: dict[int, Entity] = {}
    new_models: list[Entity] = []
    new_points: list[Entity] = []
    both: list[SceneModel | SceneEntity] = [*parts.models, *parts.entities]
    for part in both:
        is_model = isinstance(part, SceneModel)
        pairs = [(CLASSNAME, MODEL), (NAME, part.object.name), (ORIGIN, "")] if is_model else []
        entity, fresh = merging.record_of(part, partial(_new_entity, pairs))
        entity_of[id(part)] = entity
        if fresh:
            (new_models if is_model else new_points).append(entity)
            exporting.note(f"{'model' if is_model else 'entity'} {part.object.name} is new")
    for number, entity in merging.removed():
        if number == 0 or entity.is_typedef:
            merging.keep(number)
        else:
            what = "model" if entity.is_model else "entity"
            exporting.note(f"{what} {number} ({entity.classname}, {entity.name}) removed")
    entities = merging.kept()
    last = max(number for number, entity in enumerate(entities) if number == 0 or entity.is_model)
    entities[last + 1 : last + 1] = new_models
    last = max(number for number, entity in enumerate(entities) if number == 0 or not entity.is_typedef)
    entities[last + 1 : last + 1] = new_points
    level.entities = entities
    return entity_of


def _new_entity(pairs: list[tuple[str, str]], example: Entity | None) -> Entity:
    """An entity with these pairs, or one like an example, without its brushes."""
    return Entity(pairs) if example is None else Entity(list(example.pairs), flags=example.flags, motion=example.motion)


@dataclass(frozen=True, slots=True)
class OtherNames:
    """The names of all other entities than `own`, in lower case: entities refer to models and to one another by them.

    Looked through only where it is asked, as few entities are new: each of all would take the square of their number.
    """

    level: EntityLevel
    own: Entity

    def __contains__(self, name: object) -> bool:
        return any(entity is not self.own and entity.name.lower() == name for entity in self.level.entities)
