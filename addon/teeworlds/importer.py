# SPDX-License-Identifier: GPL-3.0-or-later
"""A map to a scene: see `layout` for what becomes what."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import bpy

from ...formats import teeworlds
from ...formats.binary import FormatError
from ...formats.counting import number_of
from ...formats.reach import AllowedFolders
from ...formats.teeworlds.camera import spawn
from ...formats.teeworlds.profiles import is_seven
from ..scene.disk import content_folders
from ..scene.reports import Report
from ..scene.work.progress import Steps, Stepwise, progress
from . import content, info, layout
from .context import ImportContext
from .envelopes import build as envelopes
from .images import build as images
from .materials.build import Materials
from .quads import build as quads
from .settings import ImportSettings
from .sounds import build as sounds
from .sounds import layer_build as sound_layers
from .structure import group_build as groups
from .structure.placement import LayerPlacement
from .tiles import build as tiles
from .view import game_view as view


@Stepwise
def import_level(
    context: bpy.types.Context, data: bytes, file: str | Path, settings: ImportSettings, report: Report
) -> Steps[bpy.types.Collection]:
    """Build the scene of a map, in a collection of its own that is linked to the context's scene.

    file: the map's path or name: the collection is named after it, and images are looked for beside it.
    Raises FormatError for bytes that are no map, and for maps from before 0.4, whose content is another one.
    """
    level = teeworlds.read(data)
    if level.era == teeworlds.PRE_0_4:
        raise FormatError(
            "a map from before Teeworlds 0.4 (2007): it holds a collision map and entities instead of groups and "
            "layers, and there is nothing in it that could be shown",
            reading="the map's items",
        )
    return (yield from build_scene.steps(context, level, data, file, settings, report))


@Stepwise
def build_scene(
    context: bpy.types.Context,
    level: teeworlds.Level,
    data: bytes | None,
    file: str | Path,
    settings: ImportSettings,
    report: Report,
) -> Steps[bpy.types.Collection]:
    """Build the scene of a level; `data`: the bytes that it was read from, None for one that was just made."""
    reach, folders = _content(context, Path(file), is_seven(level), settings, report)
    importing = ImportContext.begin(
        context,
        layout.FORMAT,
        level,
        data,
        file,
        settings,
        report,
        display_size=2.0,
        reach=reach,
        folders=folders,
    )
    info.build(level, importing.collection, importing.token)
    yield from _build(importing)
    view.show_physics(importing.collection, settings.physics)
    collection = importing.finish()
    view.prepare_scene(importing.scene, importing.alone, is_seven(level), report)
    if settings.game_view:
        view.view_as_game(importing.scene, collection, *spawn(level))
    if importing.alone:
        view.prepare_windows(context, collection)
    return collection


def _content(
    context: bpy.types.Context, path: Path, seven: bool, settings: ImportSettings, report: Report
) -> tuple[AllowedFolders, list[Path]]:
    """Where external images and sounds are looked for, see `ImportContext`."""
    named, usual = content_folders.named(settings.mapres_directory), content.mapres_folders(seven, context)
    around = content_folders.around(path)
    reach = content_folders.reach([*named, *around, *(folder.parent for folder in around), *usual], report)
    mapres = [reach.folder(folder, content.MAPRES.holds) for one in around for folder in (one, one.parent)]
    return reach, [*named, *around, *(folder for folder in mapres if folder), *usual]


@dataclass
class _Tiles:
    """A tile layer on its way."""

    source: tiles.TileSource
    """What can be shown of it."""
    plane: bool = False
    """Whether it becomes a plane with an image of the tiles."""


def _build(importing: ImportContext) -> Steps[None]:
    """Make everything in the level's collection: first what layers share, then the groups with their layers."""
    collection, token = importing.collection, importing.token
    with progress(4) as part:
        materials = Materials(collection.name, (yield from images.build(importing)), token)
        part()
        actions = envelopes.build(importing, envelopes.scene_fps(importing.scene))
        level_sounds = yield from sounds.build(importing)
        part()
        prepared = yield from _prepare_tiles(importing)
        part()
        yield from _build_groups(importing, materials, actions, level_sounds, prepared)


def _build_groups(
    importing: ImportContext,
    materials: Materials,
    actions: envelopes.Envelopes,
    level_sounds: sounds.LevelSounds,
    prepared: dict[int, _Tiles],
) -> Steps[None]:
    """Make the groups with their layers. prepared: what tile layers show, by their numbers."""
    level, collection, token, report = importing.level, importing.collection, importing.token, importing.report
    game = level.game_layer
    number = 0
    with progress(sum(len(group.layers) for group in level.groups), "layers") as step:
        for group_number, group in enumerate(level.groups):
            is_game = game is not None and group is game[0]
            made = groups.build(group, group_number, is_game, collection, importing.root, token)
            for order, layer in enumerate(group.layers):
                placement = LayerPlacement(token, report, number, order, made, materials, actions)
                if isinstance(layer, teeworlds.TileLayer):
                    one = prepared.pop(number)
                    tiles.build(layer, placement, one.source, one.plane)
                elif isinstance(layer, teeworlds.QuadLayer):
                    quads.build(layer, placement)
                elif isinstance(layer, teeworlds.SoundLayer):
                    sound_layers.build(layer, placement, level_sounds)
                else:
                    report.left_out("layers of unknown kinds, kept in the map", 1)
                number += 1
                yield step()
    report.count("groups", len(level.groups))


def _prepare_tiles(importing: ImportContext) -> Steps[dict[int, _Tiles]]:
    """Read all tile layers, by number, and decide which are too big for a face a tile, and which even for an image."""
    settings, report = importing.settings, importing.report
    layers = {
        number: layer
        for number, _, _, layer in layout.numbered_layers(importing.level)
        if isinstance(layer, teeworlds.TileLayer)
    }
    prepared: dict[int, _Tiles] = {}
    with progress(len(layers), "tiles of layers") as step:
        for number, layer in layers.items():
            prepared[number] = _Tiles(tiles.source(layer))
            yield step()
    counts = [one.source.count for one in prepared.values()]
    planes = tiles.choose_planes(counts, settings.large_layer, layout.LARGE_MAP)
    for (number, one), plane in zip(prepared.items(), planes, strict=True):
        one.plane = plane
        if plane:
            try:
                importing.pixels.spend(tiles.pixel_count(one.source), "pixels of its tiles")
            except FormatError as error:
                one.source = tiles.TileSource(one.source.kind, None, why=error.message)
                continue
            name = layout.readable(layers[number].name) or one.source.kind.title()
            report.warn(
                f"layer {number} {name!r} has {number_of(one.source.count, 'tiles')}: it became a plane that shows an "
                "image of them, to be edited by painting (a layer may have "
                f"{number_of(settings.large_layer, 'faces')}, a map {layout.LARGE_MAP:,})"
            )
    return prepared
