# SPDX-License-Identifier: GPL-3.0-or-later
"""A level to a scene: see `layout` for what becomes what."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from numpy.typing import ArrayLike

from ...formats import genesis
from ...formats.genesis import geometry, upgrade
from ...formats.genesis.editor_level import SKY_SIDES, VERSION, EditorBrush, Level3dt
from ...formats.genesis.geometry import Geometry
from ...formats.genesis.map_file import MapLevel
from ..scene import identity, originals, properties, stage
from ..scene.reports import Report, SceneError
from . import game_headers, layout, values, view
from .brushes import build as brushes
from .brushes import build_editor as editor_brushes
from .brushes.build import Place
from .context import Site
from .entities import build as entities
from .materials import library
from .materials.build import SIDES, Materials
from .models import build as models
from .models.build import Model
from .preview import compiled as preview
from .preview import live as live_preview
from .settings import ImportSettings

WORLD_CLASS = "worldspawn"
_PATHS = ("texture_library", "headers_directory")
"""Settings that say where things are on this machine: they aren't kept in the scene."""


def import_level(
    context: bpy.types.Context, data: bytes, file: str | Path, settings: ImportSettings, report: Report
) -> bpy.types.Collection:
    """Build the scene of a level, `.map` or `.3dt` as its bytes say, in a collection of its own in the context's scene.

    file: the level's path or name: the collection is named after it, and the texture library is looked for beside it.
    Raises FormatError for bytes that are no level.
    """
    return build_scene(context, genesis.read(data), data, file, settings, report)


def build_scene(
    context: bpy.types.Context,
    level: genesis.Level,
    data: bytes | None,
    file: str | Path,
    settings: ImportSettings,
    report: Report,
) -> bpy.types.Collection:
    """Build the scene of a level; `data`: the bytes that it was read from, None for one that was just made."""
    path = Path(file)
    scene = stage.scene_of(context)
    alone = stage.is_empty(scene)
    token = identity.new_token(data)
    collection = bpy.data.collections.new(path.stem if path.suffix else path.name)
    options = {key: value for key, value in asdict(settings).items() if key not in _PATHS}
    options[layout.KIND] = level.kind
    originals.attach(collection, layout.FORMAT, data, token, options, path.name if data is not None else "")
    root: Any = bpy.data.objects.new(collection.name, None)
    root.empty_display_size = 64.0
    root.scale = (settings.scale,) * 3
    identity.stamp(root, token, layout.ROOT, 0)
    collection.objects.link(root)
    site = Site(level, collection, root, token, scene, settings, report)
    points: ArrayLike = ()
    if isinstance(level, MapLevel):
        points = _build_map(site, level, path).polygons.positions
    elif isinstance(level, Level3dt):
        points = _build_editor(site, level, path).polygons.positions
    scene.collection.children.link(collection)
    view.prepare_scene(context, site, alone, points)
    return collection


def _build_map(site: Site, level: MapLevel, path: Path) -> Geometry:
    """Make everything of a `.map`, and return the shape of its brushes."""
    own = entities.own_types(level, site.report)
    types = _types(site, "", path) | own
    world = level.world or genesis.Entity()
    typed = {
        key: values.as_property(layout.WORLD_TYPES.get(key, "string"), text)
        for key, text in entities.shown_pairs(world)
    }
    entities.write(site.collection, typed, WORLD_CLASS, types)
    sky = {side: texture for side in SIDES if (texture := world.get(side))}
    materials = _materials(site, world.get("TextureLib") or "", sky, path)
    shape, entity_of = geometry.of_map(level)
    places = {0: Place(site.collection_of("World", layout.WORLD), site.root)}
    numbers = {id(entity): number for number, entity in enumerate(level.entities)}
    all_models = site.collection_of("Models", layout.MODELS) if level.models else None
    for entity in level.models:
        number = numbers[id(entity)]
        name = layout.readable(entity.name) or f"Model {number}"
        home = site.collection_of(name, layout.MODEL_COLLECTION, number, all_models)
        origin = entity.origin or (0.0, 0.0, 0.0)
        about = Model(number, entity.name, origin, entity.motion, layout.ModelProperties(entity.name))
        places[number] = models.build(site, about, home, home)
    owners = sorted(places)
    # Brushes of entities that can't have any are the world's, for the compiler too: they move with nothing.
    place_of = np.zeros(len(level.entities), np.int64)
    place_of[owners] = np.arange(len(owners))
    rows = [places[owner] for owner in owners]
    _build_brushes(site, shape, materials, rows, place_of[entity_of])
    points = site.collection_of("Entities", layout.ENTITIES)
    for entity in level.points:
        entities.build(site, entity, numbers[id(entity)], types, points)
    if own:
        _hold_text(site, layout.TYPEDEFS, "types", entities.header_of(own))
    return shape


def _types(site: Site, named: str, path: Path) -> entities.Types:
    """The classes that the game's headers declare; how they call brushes' contents is kept. named: HeadersDir."""
    declared = game_headers.find(site.settings.headers_directory, named, path.parent, site.report)
    game_headers.keep_contents(site.collection, declared)
    return entities.known_types(declared)


def _build_brushes(site: Site, shape: Geometry, materials: Materials, places: list[Place], place_of: Any) -> None:
    """Make the brushes of a `.map`, one or many an object."""
    many = len(shape.counts) > site.settings.many_brushes
    made = brushes.arrays(shape, brushes.texture_sizes(shape, materials), apart=not many)
    brushes.keep_baselines(site.collection, made)
    brushes.warn_of_unclosed(site, shape)
    starts = brushes.shared(place_of) if many else brushes.one_each(len(place_of))
    maker = brushes.MeshMaker(site, shape, made, materials, starts)
    if many:
        site.report.warn(
            f"{len(shape.counts):,} brushes, and more than {site.settings.many_brushes:,} are too many objects: up to "
            f"{layout.SHARED} share one, in which the face attribute {layout.BRUSH!r} tells them apart"
        )
    brushes.build(site, maker, shape, places, place_of)


def _build_editor(site: Site, level: Level3dt, path: Path) -> Geometry:
    """Make everything of a `.3dt`, and return the shape of its brushes."""
    if level.version < VERSION:
        level = upgrade.upgraded(level)
    types = _types(site, level.headers_directory, path)
    _write_editor_level(site, level)
    materials = _materials(site, level.texture_library, _sky(level), path)
    leaves = [(number, brush) for number, brush, _ in layout.numbered_brushes(level) if brush.children is None]
    shape = geometry.of_editor(leaves)
    made = brushes.arrays(shape, brushes.texture_sizes(shape, materials), apart=True)
    brushes.keep_baselines(site.collection, made)
    maker = brushes.MeshMaker(site, shape, made, materials, brushes.one_each(len(leaves)))
    groups = _build_groups(site, level)
    parents: dict[int, Place] = {}
    all_models = site.collection_of("Models", layout.MODELS) if level.models else site.collection
    for record, each in enumerate(level.models):
        written = layout.EditorModelProperties(each.name, each.key_time)
        about = Model(record, each.name, each.origin, each.motion, written, each.key_time)
        parents.setdefault(each.model_id, models.build(site, about, all_models, site.collection))

    def place_of(brush: EditorBrush) -> Place:
        home = groups.get(brush.group_id, site.collection)
        place = parents.get(brush.model_id) if brush.model_id else None
        return Place(home, site.root) if place is None else Place(home, place.parent, place.inverse)

    editor_brushes.build(site, level, maker, shape.numbers, place_of)
    for record, entity in enumerate(level.entities):
        entities.build(site, entity, record, types, groups.get(entity.group_id, site.collection))
    if site.settings.preview_cuts == "csg":
        preview.build(site.collection, level, materials)
    elif site.settings.preview_cuts == "boolean":
        live_preview.build(site.collection, site.report)
    return shape


def _build_groups(site: Site, level: Level3dt) -> dict[int, bpy.types.Collection]:
    """Make a collection for each group; returns them by the groups' ids."""
    groups: dict[int, bpy.types.Collection] = {}
    for record, group in enumerate(level.groups):
        made = site.collection_of(f"Group: {layout.readable(group.name)}", layout.GROUP, record)
        red, green, blue = group.color
        written = layout.GroupProperties(group.name, bool(group.visible), bool(group.locked), (red, green, blue))
        properties.write(made, written)
        groups.setdefault(group.group_id, made)
    site.report.count("groups", len(level.groups))
    return groups


def _write_editor_level(site: Site, level: Level3dt) -> None:
    """Put what the level itself says on its collection, and its editor settings in a text."""
    written = layout.EditorLevelProperties(
        level.texture_library, level.headers_directory, level.actors_directory, level.pawn_ini
    )
    if level.sky is not None:
        written.SkyAxis = level.sky.axis
        written.SkyRotation, written.SkyDrawScale = level.sky.speed, level.sky.scale
        for side, face in zip(SKY_SIDES, level.sky.faces, strict=False):
            setattr(written, f"Sky{side}", face.texture if face.apply else f"-{face.texture}")
    properties.write(site.collection, written)
    if level.settings:
        _hold_text(site, layout.SETTINGS, "settings", level.settings)


def _sky(level: Level3dt) -> dict[str, str]:
    """The texture of each side of the sky that has one."""
    sides = level.sky.faces if level.sky else []
    named = {f"Sky{side}": face.texture for side, face in zip(SKY_SIDES, sides, strict=False) if face.apply}
    return {side: name for side, name in named.items() if name}


def _hold_text(site: Site, kind: str, title: str, body: str) -> None:
    text = bpy.data.texts.new(f"{site.collection.name} {title}")
    text.write(body.replace("\r\n", "\n").replace("\0", ""))
    identity.stamp(text, site.token, kind, 0)
    originals.set_resource(site.collection, kind, 0, text)


def _materials(site: Site, named: str, sky: dict[str, str], path: Path) -> Materials:
    """The materials of a level whose texture library is called `named`."""
    pictures = library.Pictures(site, library.find(site, named, path))
    return Materials(site, pictures, sky)


def materials_again(
    context: bpy.types.Context, collection: bpy.types.Collection, level: Level3dt, report: Report
) -> Materials:
    """The materials of a level that was imported: those that it holds, and new ones for what has none yet."""
    info = originals.describe(collection)
    root = next((obj for obj in collection.objects if _is_root(obj)), None)
    if info is None or root is None:
        raise SceneError(f"{collection.name} has no root empty")
    scene = stage.scene_of(context)
    settings = ImportSettings(**{key: info.options[key] for key in ("scale", "lighting") if key in info.options})
    site = Site(level, collection, root, info.token, scene, settings, report)
    pictures = library.Pictures(site, library.find(site, level.texture_library, Path(bpy.data.filepath)))
    made = Materials(site, pictures, _sky(level))
    made.adopt(originals.resources(collection, layout.MATERIAL).values())
    return made


def _is_root(obj: bpy.types.Object) -> bool:
    mark = identity.stamped(obj)
    return mark is not None and mark.kind == layout.ROOT
