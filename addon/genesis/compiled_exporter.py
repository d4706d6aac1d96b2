# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene to a compiled level: the original with what can be changed in place, all else refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from ...formats.binary import FormatError
from ...formats.genesis import CompiledLevel, Entity
from ...formats.genesis.compiled import ChunkId, geometry, pictures, surfaces
from ...formats.genesis.entities import numbers3
from ...formats.genesis.headers import DeclaredClasses
from ..scene.geometry import transforms
from ..scene.reports import Report, SceneError
from ..scene.work.progress import Steps, progress
from .classes.collect import define, edited_types
from .classes.types import known_types, own_types
from .context import ExportContext
from .entities.collect import collect_map_entity
from .lightmaps.collect import collect_lightmaps
from .map_exporter import OtherNames, match_entities
from .materials.build import SIDES
from .materials.collect_embedded import collect_pictures
from .models.collect import collect_map_model
from .parts.collect import collect_parts
from .parts.level import SceneLevel
from .surfaces.collect import REMEDY, collect_surfaces, was_moved
from .world.collect import collect_map_world

_NUMBERS = {"skyrotation": "speed", "skydrawscale": "draw_scale"}
"""Keys of the world, in lower case, and what of the sky says the same."""
NONE = -1


def merged(level: CompiledLevel | None, exporting: ExportContext) -> Steps[CompiledLevel]:
    """The level that the scene shows: the original with what was edited. Raises SceneError."""
    if level is None:
        raise SceneError(f"{exporting.collection.name} has no compiled level to write into: {REMEDY}")
    parts = collect_parts(exporting.collection, exporting.token, exporting.report)
    _refuse_models(level, parts)
    own = own_types(level, Report())
    edited = edited_types(exporting.collection, own) if own is not None else None
    defined = {each.name.lower(): each for each in edited} if edited is not None else own or {}
    types = known_types(DeclaredClasses()) | defined
    world_before = dict(level.entities[0].pairs) if level.entities else {}
    shown = list(level.model_owners)
    entity_of = match_entities(exporting, level, parts)
    if edited is not None:
        define(exporting, level, edited)
    for model in parts.models:
        entity = entity_of[id(model)]
        collect_map_model(exporting, model, entity, parts.root, OtherNames(level, entity))
    for part in parts.entities:
        entity = entity_of[id(part)]
        collect_map_entity(exporting, part, entity, parts.root, types, OtherNames(level, entity))
    collect_map_world(exporting, level.entities[0], parts.root)
    yield
    drawn = surfaces.of_level(level)
    shape = geometry.of_compiled(level, drawn)
    collecting: tuple[tuple[str, Callable[[], None]], ...] = (
        ("lightmaps", partial(collect_lightmaps, exporting, level, drawn)),
        ("surfaces", partial(collect_surfaces, exporting, level, drawn, shape, parts, shown)),
        ("textures", partial(collect_pictures, exporting, level)),
    )
    with progress(len(collecting)) as step:
        for title, collect in collecting:
            with progress(1, title):
                yield
                collect()
            step()
    yield
    _collect_sky(exporting, level, level.entities[0], world_before)
    exporting.report.count("models", len(level.models))
    exporting.report.count("entities", len(level.points))
    return level


def _refuse_models(level: CompiledLevel, parts: SceneLevel) -> None:
    """Raise SceneError where models are new, copied, moved or gone."""
    for model in parts.models:
        if model.record < 0 or model.copied:
            raise SceneError(f"{model.object.name} is a new model: {REMEDY}", [model.object])
        if transforms.changed_channels(model.object, parts.root):
            raise was_moved(model.object.name, model.object, parts)
    there = {model.record for model in parts.models}
    gone = [entity.name for number, entity in enumerate(level.entities) if entity.is_model and number not in there]
    if gone and level.entities:
        gone = [name for name in gone if name != level.entities[0].name] if level.entities[0].is_model else gone
    if gone:
        raise SceneError(f"the model {gone[0]} is gone: {REMEDY}")


def _collect_sky(exporting: ExportContext, level: CompiledLevel, world: Entity, before: dict[str, str]) -> None:
    """Write what the world's keys say of the sky where the engine looks for it. Raises SceneError."""
    table = level.table(ChunkId.SKY)
    changed = {key.lower(): value for key, value in world.pairs if before.get(key) != value}
    gone = {key.lower(): "" for key in before if key not in world}
    edited = {key: value for key, value in (gone | changed).items() if key.startswith("sky")}
    if not edited:
        return
    if not len(table):
        exporting.report.warn("the level has no sky to change: it was compiled without light")
        return
    sky = table.copy()
    known = {name.lower(): number for number, name in enumerate(pictures.names(level))}
    for side, name in enumerate(SIDES):
        if name.lower() in edited:
            texture = edited[name.lower()]
            if texture and texture.lower() not in known:
                level_name = exporting.collection.name
                raise SceneError(f"{level_name}: {name}: there is no texture {texture!r}, and a sky's can't be added")
            sky["textures"][0, side] = known[texture.lower()] if texture else NONE
    try:
        if edited.get("skyaxis"):
            sky["axis"][0] = numbers3(edited["skyaxis"])
        for key, name in _NUMBERS.items():
            if edited.get(key):
                sky[name][0] = np.float32(float(edited[key]))
    except (FormatError, ValueError) as error:
        raise SceneError(f"{exporting.collection.name}: the sky's keys have to be numbers: {error}") from error
    level.set_table(ChunkId.SKY, sky)
