# SPDX-License-Identifier: GPL-3.0-or-later
"""A map to a scene: see `layout` for what becomes what."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import bpy

from ...formats import teeworlds
from ...formats.binary import FormatError
from ..scene import identity, originals, properties, stage
from ..scene.progress import progress
from ..scene.reports import Report
from . import content, envelopes, groups, images, layout, quads, sounds, tiles, view
from .layout import LevelProperties
from .materials import Materials
from .settings import ImportSettings
from .site import Site


def import_level(
    context: bpy.types.Context, data: bytes, file: str | Path, settings: ImportSettings, report: Report
) -> bpy.types.Collection:
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
    return build_scene(context, level, data, file, settings, report)


def build_scene(
    context: bpy.types.Context,
    level: teeworlds.Level,
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
    collection = bpy.data.collections.new(path.stem if path.suffix == ".map" else path.name)
    options = {key: value for key, value in asdict(settings).items() if key != "mapres_directory"}
    originals.attach(collection, "teeworlds", data, token, options, path.name if data is not None else "")
    _write_level(level, collection, token)
    _build(level, collection, token, _folders(context, path, settings), scene, settings, report)
    view.show_physics(collection, settings.physics)
    scene.collection.children.link(collection)
    view.prepare_scene(scene, alone, images.is_seven(level), report)
    if settings.game_view:
        view.view_as_game(scene, collection, *view.spawn(level))
    view.prepare_windows(context, collection)
    return collection


def _folders(context: bpy.types.Context, path: Path, settings: ImportSettings) -> list[Path]:
    """Where external images are looked for."""
    named = [Path(bpy.path.abspath(settings.mapres_directory))] if settings.mapres_directory else []
    beside = [path.parent, path.parent / "mapres", path.parent.parent / "mapres"] if path.parent.parts else []
    return [*named, *beside, *content.MAPRES.folders(context)]


def _write_level(level: teeworlds.Level, collection: bpy.types.Collection, token: int) -> None:
    """Put what isn't drawn on the level's collection: who made it, and the server settings as a text block."""
    identity.stamp(collection, token, layout.LEVEL, 0)
    info = level.info
    if info is not None:
        texts = (info.author, info.map_version, info.credits, info.license)
        properties.write(collection, LevelProperties(*(text or "" for text in texts)))
    else:
        properties.write(collection, LevelProperties())
    settings = info.settings if info is not None else []
    if settings:
        text = make_settings_text(collection, token)
        text.write("".join(f"{layout.readable(line)}\n" for line in settings))


def make_settings_text(collection: bpy.types.Collection, token: int) -> bpy.types.Text:
    """Make the text block that holds a level's server settings, a line a command, still empty."""
    text = bpy.data.texts.new(f"{collection.name} settings")
    identity.stamp(text, token, layout.SETTINGS, 0)
    originals.set_resource(collection, layout.SETTINGS, 0, text)
    return text


@dataclass
class _Tiles:
    """A tile layer on its way: what can be shown of it, and whether as a plane."""

    source: tiles.TileSource
    plane: bool = False


def _build(
    level: teeworlds.Level,
    collection: bpy.types.Collection,
    token: int,
    folders: list[Path],
    scene: bpy.types.Scene,
    settings: ImportSettings,
    report: Report,
) -> None:
    """Make everything in the level's collection."""
    root = bpy.data.objects.new(collection.name, None)
    root.empty_display_size = 2.0
    identity.stamp(root, token, layout.ROOT, 0)
    collection.objects.link(root)
    pictures = images.build(level, collection, token, folders, report)
    materials = Materials(collection.name, pictures)
    actions = envelopes.build(level, collection, token, envelopes.scene_fps(scene))
    report.count("envelopes", len(level.envelopes))
    held = sounds.build_sounds(level, collection, token, folders, report)
    prepared = _prepare_tiles(level, settings, report)
    game = level.game_layer
    number = 0
    with progress(sum(len(group.layers) for group in level.groups), "layers") as step:
        for group_number, group in enumerate(level.groups):
            is_game = game is not None and group is game[0]
            made = groups.build(group, group_number, is_game, collection, root, token)
            for order, layer in enumerate(group.layers):
                site = Site(number, order, made, materials, actions, token, report)
                if isinstance(layer, teeworlds.TileLayer):
                    one = prepared.pop(number)
                    tiles.build(layer, site, one.source, one.plane)
                elif isinstance(layer, teeworlds.QuadLayer):
                    quads.build(layer, site)
                elif isinstance(layer, teeworlds.SoundLayer):
                    sounds.build(layer, site, held)
                else:
                    report.left_out("layers of unknown kinds (they stay in the map)")
                number += 1
                step()
    report.count("groups", len(level.groups))


def _prepare_tiles(level: teeworlds.Level, settings: ImportSettings, report: Report) -> dict[int, _Tiles]:
    """Read all tile layers, by number, and decide which are too big for a face a tile."""
    layers = {
        number: layer for number, _, _, layer in layout.numbered_layers(level) if isinstance(layer, teeworlds.TileLayer)
    }
    prepared = {number: _Tiles(tiles.source(layer)) for number, layer in layers.items()}
    counts = [one.source.count for one in prepared.values()]
    planes = tiles.choose_planes(counts, settings.large_layer, layout.LARGE_MAP)
    for (number, one), plane in zip(prepared.items(), planes, strict=True):
        one.plane = plane
        if plane:
            name = layout.readable(layers[number].name) or one.source.kind.title()
            report.warn(
                f"layer {number} {name!r} has {one.source.count:,} tiles: it became a plane that shows an image "
                f"of them, to be edited by painting (a layer may have {settings.large_layer:,} faces, a map "
                f"{layout.LARGE_MAP:,})"
            )
    return prepared
