# SPDX-License-Identifier: GPL-3.0-or-later
"""A level to a scene: see `layout` for what becomes what."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
from numpy.typing import ArrayLike

from ...formats import genesis
from ...formats.arrays import Ints
from ...formats.counting import number_of
from ...formats.genesis import CompiledLevel, geometry, upgrade
from ...formats.genesis.compiled import decompile, surfaces
from ...formats.genesis.editor_level import VERSION, EditorBrush, Level3dt
from ...formats.genesis.geometry import Geometry
from ...formats.genesis.level import EntityLevel
from ...formats.genesis.map_file import MapLevel
from ..scene.names import showable
from ..scene.reports import Report
from ..scene.work.progress import Steps, Stepwise, progress
from . import layout, view
from .brushes import contents
from .brushes.build import build_brushes, one_each, shared, warn_of_unclosed
from .brushes.build_editor import build_editor_brushes
from .classes import headers, kept
from .classes.types import Types, known_types, own_types
from .context import Destination, ImportContext
from .entities.build import build_entity
from .faces.build import MeshMaker, keep_baselines, mesh_arrays, texture_sizes
from .groups.build import build_groups
from .materials import embedded, library
from .materials.build import SIDES, Materials, materials_of, sky_of
from .materials.library import Pictures
from .models.build import WorldModel, build_model
from .preview import compiled, live
from .settings import ImportSettings
from .surfaces.build import build_surfaces
from .world.build import build_editor_level, build_map_world, hold_types

ROOT_SIZE = 64.0
"""Units: how large the root empty is drawn."""


@Stepwise
def import_level(
    context: bpy.types.Context, data: bytes, file: str | Path, settings: ImportSettings, report: Report
) -> Steps[bpy.types.Collection]:
    """Build the scene of a level, of the kind that its bytes say, in a collection of its own in the context's scene.

    file: the level's path or name: the collection is named after it, and the texture library is looked for beside it.
    Raises FormatError for bytes that are not a level.
    """
    level = genesis.read(data)
    if isinstance(level, CompiledLevel) and settings.compiled == "brushes":
        return (yield from decompiled.steps(context, level, file, settings, report))
    return (yield from build_scene.steps(context, level, data, file, settings, report))


@Stepwise
def decompiled(
    context: bpy.types.Context, level: CompiledLevel, file: str | Path, settings: ImportSettings, report: Report
) -> Steps[bpy.types.Collection]:
    """Build the scene of the `.map` that a compiled level is decompiled to, with the textures that it holds.

    file: the compiled level's path or name. Raises FormatError.
    """
    with progress(1, "brushes recovered"):
        made, left_out = yield from decompile.to_map.steps(level)
    for what in left_out:
        report.left_out(what)
    report.note("decompiled: what the compiler filled beyond the walls is solid, and names of brushes are lost")
    data = genesis.write(made)
    name = Path(file).with_suffix(".map")
    return (yield from build_scene.steps(context, genesis.read(data), data, name, settings, report, level))


@Stepwise
def build_scene(
    context: bpy.types.Context,
    level: genesis.Level,
    data: bytes | None,
    file: str | Path,
    settings: ImportSettings,
    report: Report,
    compiled_from: CompiledLevel | None = None,
) -> Steps[bpy.types.Collection]:
    """Build the scene of a level; `data`: the bytes that it was read from, None for one that was just made.

    compiled_from: the compiled level that it was made of, which has its textures.
    """
    importing = ImportContext.begin(
        context,
        layout.FORMAT,
        level,
        data,
        file,
        settings,
        report,
        display_size=ROOT_SIZE,
        scale=settings.scale,
        options={layout.KIND: level.kind},
    )
    points: ArrayLike = ()
    if isinstance(level, MapLevel):
        points = (yield from _build_map(importing, level, compiled_from)).polygons.positions
    elif isinstance(level, Level3dt):
        points = (yield from _build_editor(importing, level)).polygons.positions
    elif isinstance(level, CompiledLevel):
        points = (yield from _build_compiled(importing, level)).polygons.positions
    collection = importing.finish()
    view.prepare_scene(context, importing, points, not isinstance(level, CompiledLevel))
    return collection


def _build_map(importing: ImportContext, level: MapLevel, compiled_from: CompiledLevel | None) -> Steps[Geometry]:
    """Make everything of a `.map`, and return the shape of its brushes."""
    world, types = _build_world(importing, level)
    if compiled_from is not None:
        embedded.keep_library(importing, compiled_from)
        pictures: Pictures = embedded.EmbeddedPictures(importing, compiled_from, held=False)
    else:
        pictures = Pictures(importing, library.find(importing, world.get("TextureLib") or ""))
    materials = Materials(importing, pictures, _sky_of_world(world))
    shape, entity_of = geometry.of_map(level)
    destinations = _build_models(importing, level)
    owners = sorted(destinations)
    # Brushes of entities that can't have any are the world's, for the compiler too: they move with nothing.
    row_of = np.zeros(max(len(level.entities), 1), np.int64)  # a level without any has no world, and nothing in it
    row_of[owners] = np.arange(len(owners))
    rows = [destinations[owner] for owner in owners]
    with progress(2) as part:
        yield from _build_map_brushes(importing, shape, materials, rows, row_of[entity_of])
        part()
        yield from _build_points(importing, level, types)
    return shape


def _build_compiled(importing: ImportContext, level: CompiledLevel) -> Steps[Geometry]:
    """Make everything of a `.bsp`, and return the shape of its surfaces."""
    world, types = _build_world(importing, level)
    materials = Materials(importing, embedded.EmbeddedPictures(importing, level), _sky_of_world(world))
    destinations = _build_models(importing, level)
    of_model = {model: destinations[owner] for model, owner in level.model_owners.items()}
    with progress(2) as part:
        with progress(1, "surfaces"):
            shape = yield from build_surfaces(importing, level, surfaces.of_level(level), materials, of_model)
        part()
        yield from _build_points(importing, level, types)
    return shape


def _build_world(importing: ImportContext, level: EntityLevel) -> tuple[genesis.Entity, Types]:
    """Show what a level with entities says of itself; returns its world, and the classes that are known."""
    own = own_types(level, importing.report)
    types = _types(importing, "") | (own or {})
    world = level.world or genesis.Entity()
    build_map_world(importing, world, types)
    hold_types(importing, own)
    return world, types


def _sky_of_world(world: genesis.Entity) -> dict[str, str]:
    return {side: texture for side in SIDES if (texture := world.get(side))}


def _build_points(importing: ImportContext, level: EntityLevel, types: Types) -> Steps[None]:
    """Make the point entities."""
    numbers = {id(entity): number for number, entity in enumerate(level.entities)}
    points = importing.collection_of("Entities", layout.ENTITIES)
    with progress(len(level.points), "entities") as step:
        for entity in level.points:
            build_entity(importing, entity, numbers[id(entity)], types, points)
            yield step()


def _build_models(importing: ImportContext, level: EntityLevel) -> dict[int, Destination]:
    """Make the world's collection and the empties of models; returns where brushes of each of those entities go."""
    destinations = {0: Destination(importing.collection_of("World", layout.WORLD), importing.root)}
    numbers = {id(entity): number for number, entity in enumerate(level.entities)}
    all_models = importing.collection_of("Models", layout.MODELS) if level.models else None
    for entity in level.models:
        number = numbers[id(entity)]
        name = showable(entity.name) or f"Model {number}"
        home = importing.collection_of(name, layout.MODEL_COLLECTION, number, all_models)
        origin = entity.origin or (0.0, 0.0, 0.0)
        about = WorldModel(number, entity.name, origin, entity.motion, layout.ModelProperties(entity.name))
        destinations[number] = build_model(importing, about, home, home)
    return destinations


def _types(importing: ImportContext, named: str) -> Types:
    """The classes that the game's headers declare; a `.3dt` keeps them, and any level how they call brushes' contents.

    named: HeadersDir.
    """
    declared = headers.find(importing.settings.headers_directory, named, importing.path.parent, importing.report)
    contents.keep(importing.collection, declared)
    if isinstance(importing.level, Level3dt):
        kept.keep(importing.collection, declared)
    return known_types(declared)


def _build_map_brushes(
    importing: ImportContext,
    shape: Geometry,
    materials: Materials,
    destinations: list[Destination],
    row_of: Ints,
) -> Steps[None]:
    """Make the brushes of a `.map`, one or many an object. row_of: int[b], the number of each brush's destination."""
    limit = importing.settings.many_brushes
    many = len(shape.counts) > limit
    arrays = mesh_arrays(shape, texture_sizes(shape, materials), apart=not many)
    keep_baselines(importing.collection, arrays)
    warn_of_unclosed(importing, shape)
    starts = shared(row_of) if many else one_each(len(row_of))
    maker = MeshMaker(importing, shape, arrays, materials, starts)
    if many:
        importing.report.warn(
            f"{number_of(len(shape.counts), 'brushes')}, and more than {limit:,} are too many objects: up to "
            f"{layout.SHARED} share one, in which the face attribute {layout.BRUSH!r} tells them apart"
        )
    yield from build_brushes(importing, maker, shape, destinations, row_of)


def _build_editor(importing: ImportContext, level: Level3dt) -> Steps[Geometry]:
    """Make everything of a `.3dt`, and return the shape of its brushes."""
    if level.version < VERSION:
        level = upgrade.upgraded(level)
    types = _types(importing, level.headers_directory)
    build_editor_level(importing, level)
    materials = materials_of(importing, level.texture_library, sky_of(level))
    leaves = [(number, brush) for number, brush, _ in level.numbered_brushes() if brush.children is None]
    shape = geometry.of_editor(leaves)
    arrays = mesh_arrays(shape, texture_sizes(shape, materials), apart=True)
    keep_baselines(importing.collection, arrays)
    maker = MeshMaker(importing, shape, arrays, materials, one_each(len(leaves)))
    groups = build_groups(importing, level)
    models: dict[int, Destination] = {}
    all_models = importing.collection_of("Models", layout.MODELS) if level.models else importing.collection
    for record, each in enumerate(level.models):
        written = layout.EditorModelProperties(each.name, each.key_time)
        about = WorldModel(record, each.name, each.origin, each.motion, written, each.key_time)
        models.setdefault(each.model_id, build_model(importing, about, all_models, importing.collection))

    def destination_of(brush: EditorBrush) -> Destination:
        home = groups.get(brush.group_id, importing.collection)
        model = models.get(brush.model_id) if brush.model_id else None
        return Destination(home, importing.root) if model is None else Destination(home, model.parent, model.inverse)

    with progress(2) as part:
        yield from build_editor_brushes(importing, level, maker, shape.numbers, destination_of)
        part()
        with progress(len(level.entities), "entities") as step:
            for record, entity in enumerate(level.entities):
                build_entity(importing, entity, record, types, groups.get(entity.group_id, importing.collection))
                yield step()
    if importing.settings.preview_cuts == "csg":
        yield from compiled.build(importing.collection, level, materials)
    elif importing.settings.preview_cuts == "boolean":
        live.build(importing.collection, importing.report)
    return shape
