# SPDX-License-Identifier: GPL-3.0-or-later
"""A level to a scene: see `layout` for what becomes what."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import bpy

from ...formats import ns2
from ...formats.ns2.names import meant
from ..scene import identity, originals, stage
from ..scene.reports import Report
from . import layout
from .content import content_folders
from .context import ImportContext
from .entities import ambience
from .entities.build import build_entities
from .faces.build import build_faces
from .layers import lists, visibility
from .layers.build import build_lists, make_home
from .level_settings import build_settings
from .materials.build import Materials
from .settings import ImportSettings

_PATHS = ("game_directory",)
"""Settings that say where things are on this machine: they aren't kept in the scene."""


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
    importing = _context(level, collection, root, token, scene, settings, report, path)
    collection.objects.link(root)
    build_settings(importing)
    materials = Materials(importing)
    build_faces(importing, materials.of_level())
    if settings.entities:
        build_entities(importing, materials)
    _check_names(importing)
    visibility.show(collection)
    scene.collection.children.link(collection)
    stage.show_true_colors(scene, alone, report)
    if alone:
        stage.look_at(context, layout.to_blender(level.mesh.positions))
        if settings.entities:
            ambience.build(importing)
    return collection


def _context(
    level: ns2.Level,
    collection: bpy.types.Collection,
    root: bpy.types.Object,
    token: identity.Token,
    scene: bpy.types.Scene,
    settings: ImportSettings,
    report: Report,
    path: Path,
) -> ImportContext:
    """What the parts of the import share, with the collections of layers and groups."""
    build_lists(collection, level)
    lists.lists_of(collection).hide_undrawn = settings.invisible == "hide"  # shows all anew: before there is any
    placed = bpy.data.collections.new("Entities")
    identity.stamp(placed, token, layout.ENTITIES, 0)
    collection.children.link(placed)
    homes: dict[lists.Kind, dict[int, bpy.types.Collection]] = {"layers": {}, "groups": {}}
    for kind, found in homes.items():
        for each in getattr(level, kind):
            if each.id not in found:
                found[each.id] = make_home(collection, kind, each.id, each.name)
        report.count(kind, len(getattr(level, kind)))
    return ImportContext(
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


def _check_names(importing: ImportContext) -> None:
    """Warn of names that look as if they should mean something to the game, but don't."""
    for kind, listed in (("layer", importing.level.layers), ("group", importing.level.groups)):
        for each in listed:
            wanted = meant(each.name, kind)
            if wanted is not None:
                importing.report.warn(f"{kind} {each.name!r} means nothing to the game; {wanted!r} would")
