# SPDX-License-Identifier: GPL-3.0-or-later
"""A level to a scene: see `layout` for what becomes what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import bpy

from ...formats import ns2
from ...formats.ns2.names import meant
from ..preferences import ns2_directories
from ..scene import identity, originals, stage
from ..scene.reports import Report
from . import layout, level_settings
from .context import Site
from .entities import ambience
from .entities import build as entities
from .faces import build as geometry
from .layers import lists as layers
from .layers import visibility as view
from .settings import ImportSettings

_PATHS = ("game_directory",)
"""Settings that say where things are on this machine: they aren't kept in the scene."""
CONTENT = ("materials", "models")
"""Folders by which a folder is known as one with the game's content, or with that of a mod."""
GAMES = ("ns2", "core")
"""Folders of the game's directory that have content."""
ABOVE = 4
"""How many folders above the level's may be the game's."""


def import_level(
    context: bpy.types.Context, data: bytes, file: str | Path, settings: ImportSettings, report: Report
) -> bpy.types.Collection:
    """Build the scene of a level in a collection of its own, in the context's scene.

    file: the level's path or name: the collection is named after it, and content is looked for in the folders around
    it. Raises FormatError for bytes that are no level.
    """
    path = Path(file)
    return build_scene(context, ns2.read(data), data, path, settings, report)


def build_scene(
    context: bpy.types.Context,
    level: ns2.Level,
    data: bytes | None,
    path: Path,
    settings: ImportSettings,
    report: Report,
) -> bpy.types.Collection:
    """Build the scene of a level; `data`: the bytes that it was read from, None for one that was just made."""
    scene = stage.scene_of(context)
    alone = stage.is_empty(scene)
    token = identity.new_token(data)
    collection = bpy.data.collections.new(path.stem if path.suffix else path.name)
    options = {key: value for key, value in asdict(settings).items() if key not in _PATHS}
    file_name = path.name if data is not None else ""
    originals.attach(collection, layout.FORMAT, data, token, options, file_name)
    root = bpy.data.objects.new(collection.name, None)
    root.empty_display_size = 1.0
    identity.stamp(root, token, layout.ROOT, 0)
    site = _site(level, collection, root, token, scene, settings, report, path)
    collection.objects.link(root)
    level_settings.write(site)
    geometry.build(site, site.materials.of_level())
    if settings.entities:
        entities.build(site)
    _check_names(site)
    view.show(collection)
    scene.collection.children.link(collection)
    view.prepare_scene(context, site, alone)
    if alone and settings.entities:
        ambience.build(site)
    return collection


def _site(
    level: ns2.Level,
    collection: bpy.types.Collection,
    root: bpy.types.Object,
    token: identity.Token,
    scene: bpy.types.Scene,
    settings: ImportSettings,
    report: Report,
    path: Path,
) -> Site:
    """What the parts of the import share, with the collections of layers and groups."""
    layers.write(collection, level)
    layers.lists_of(collection).hide_undrawn = settings.invisible == "hide"  # shows all anew: before there is any
    placed = bpy.data.collections.new("Entities")
    identity.stamp(placed, token, layout.ENTITIES, 0)
    collection.children.link(placed)
    homes: dict[layers.Kind, dict[int, bpy.types.Collection]] = {"layers": {}, "groups": {}}
    for kind, found in homes.items():
        for each in getattr(level, kind):
            if each.id not in found:
                found[each.id] = layers.make_home(collection, kind, each.id, each.name)
        report.count(kind, len(getattr(level, kind)))
    return Site(
        level,
        collection,
        root,
        token,
        scene,
        settings,
        report,
        content_folders(path, settings.game_directory),
        placed,
        homes["layers"],
        homes["groups"],
    )


def content_folders(path: Path, chosen: str = "") -> tuple[Path, ...]:
    """Where content is looked for: around a file, in the folder that was chosen, in those of the preferences."""
    folders = [*_around(path), *([Path(bpy.path.abspath(chosen))] if chosen else []), *ns2_directories()]
    return tuple(dict.fromkeys(part for folder in folders for part in _with_games(folder)))


def _around(path: Path) -> Iterator[Path]:
    """The folders above a level that have content in them: a level lies in the maps of its game or mod."""
    for folder in list(path.parents)[:ABOVE]:
        if any((folder / name).is_dir() for name in CONTENT):
            yield folder


def _with_games(folder: Path) -> Iterator[Path]:
    """A folder, and those in it that have content when it is the game's own."""
    yield folder
    for name in GAMES:
        if (folder / name).is_dir():
            yield folder / name


def _check_names(site: Site) -> None:
    """Warn of names that look as if they should mean something to the game, but don't."""
    for kind, listed in (("layer", site.level.layers), ("group", site.level.groups)):
        for each in listed:
            wanted = meant(each.name, kind)
            if wanted is not None:
                site.report.warn(f"{kind} {each.name!r} means nothing to the game; {wanted!r} would")
