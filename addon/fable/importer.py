# SPDX-License-Identifier: GPL-3.0-or-later
"""A level to a scene: see `layout` for what becomes what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import bpy
import numpy as np

from ...formats import fable
from ..scene import identity, images, originals, properties, stage
from ..scene.reports import Report
from . import content, game_map, layout, materials, navigation, palettes, terrain, things, view, weights
from .settings import ImportSettings
from .site import Site

_PATHS = ("textures_directory",)
"""Settings that say where things are on this machine: they aren't kept in the scene."""


def import_level(
    context: bpy.types.Context, data: bytes, file: str | Path, settings: ImportSettings, report: Report
) -> bpy.types.Collection:
    """Build the scene of a level in a collection of its own, in the context's scene.

    file: the level's path or name: the collection is named after it, and the `.tng` is looked for beside it.
    Raises FormatError for bytes that are no level.
    """
    path = Path(file)
    parts = _beside(path) if settings.things else {}
    return build_scene(context, fable.read(data), data, path, settings, report, parts)


def build_scene(
    context: bpy.types.Context,
    level: fable.Level,
    data: bytes | None,
    path: Path,
    settings: ImportSettings,
    report: Report,
    parts: Mapping[str, bytes] | None = None,
) -> bpy.types.Collection:
    """Build the scene of a level; `data`: the bytes that it was read from, None for one that was just made. parts: the
    bytes of the files beside it, by name.
    """
    scene = stage.scene_of(context)
    alone = stage.is_empty(scene)
    token = identity.new_token(data)
    collection = bpy.data.collections.new(path.stem if path.suffix else path.name)
    options = {key: value for key, value in asdict(settings).items() if key not in _PATHS}
    options["map_version"] = level.map_version
    file_name = path.name if data is not None else ""
    originals.attach(collection, layout.FORMAT, data, token, options, file_name, parts)
    root = bpy.data.objects.new(collection.name, None)
    root.empty_display_size = 8.0
    identity.stamp(root, token, layout.ROOT, 0)
    collection.objects.link(root)
    site = Site(level, collection, root, token, scene, settings, report, parts or {})
    properties.write(
        collection, layout.LevelProperties(int(level.map_header["thing_uid_counter"]), level.checksum or 0)
    )
    names = palettes.of_level(level)
    palettes.write(collection, names)
    _build_ground(site, names)
    game_map.build(site)
    if settings.navigation:
        navigation.build(site)
    if settings.things:
        things.build(site)
    scene.collection.children.link(collection)
    view.prepare_scene(context, site, alone)
    return collection


def _build_ground(site: Site, names: palettes.Palettes) -> None:
    """Make the terrain, with its weight layers and its material."""
    layers = names.layers()
    blend = weights.of_cells(site.level.cells, np.array([bool(layer) for layer in layers]))
    ground = terrain.build(site, layers, blend)
    palettes.name_layers(site.collection)
    chosen = site.settings.textures_directory
    folders = [Path(bpy.path.abspath(chosen))] if chosen else []
    materials.build(site, ground, names, blend, [*folders, *content.THEMES.folders()])


def _beside(path: Path) -> dict[str, bytes]:
    """The bytes of the `.tng` beside a level, by its name; capitals don't matter."""
    name = path.stem + layout.TNG
    if not path.parent.is_dir():
        return {}
    found = images.find_file(name, [path.parent])
    return {} if found is None else {found.name: found.read_bytes()}
