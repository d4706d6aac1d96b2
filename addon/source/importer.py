# SPDX-License-Identifier: GPL-3.0-or-later
"""A map to a scene: see `layout` for what becomes what. A part that can't be read is left out, and told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

import bpy
import numpy as np

from ...formats import source
from ...formats.binary import FormatError
from ...formats.source import LumpId
from ...formats.source.content import search_path
from ...formats.source.content.search_path import SearchPath, Source
from ..scene import identity, originals, stage
from ..scene.reports import Report, SceneError
from . import (
    brushes,
    clusters,
    content,
    displacements,
    entities,
    faces,
    layout,
    lightmaps,
    scene_reader,
    sky_box,
    view,
    world,
)
from .materials import Materials
from .settings import ImportSettings
from .site import Site
from .textures import Textures

_PATHS = ("game_directory", "fgd")
"""Settings that say where things are on this machine: they aren't kept in the scene."""
_MAPS = "maps"
_Made = TypeVar("_Made")


def import_level(
    context: bpy.types.Context, data: bytes, file: str | Path, settings: ImportSettings, report: Report
) -> bpy.types.Collection:
    """Build the scene of a map in a collection of its own, in the context's scene.

    file: the map's path or name: the collection is named after it, and a game's folder is looked for around it.
    Raises FormatError for bytes that are no map.
    """
    level, path = source.read(data, salvage=True), Path(file)
    scene = stage.scene_of(context)
    alone = stage.is_empty(scene)
    token = identity.new_token(data)
    collection = bpy.data.collections.new(layout.readable(path.stem))
    options = {key: value for key, value in asdict(settings).items() if key not in _PATHS}
    originals.attach(collection, layout.FORMAT, data, token, options, path.name)
    root = bpy.data.objects.new(collection.name, None)
    root.scale = (float(settings.scale),) * 3
    root.empty_display_size = 64.0
    identity.stamp(root, token, layout.ROOT, 0)
    collection.objects.link(root)
    files = content_of(level, path, settings, report)
    colors, numbers = _part(report, "colours of textures", lambda: named(level)) or ({}, {})
    materials = Materials(collection, token, Textures(files, report, token), colors, numbers)
    site = Site(level, collection, root, token, scene, settings, report, files, materials)
    _build(site, materials)
    scene_reader.remember(collection)
    for name, reason in sorted(files.unread.items()):
        report.warn(f"{name} can't be read: {reason}")
    scene.collection.children.link(collection)
    view.prepare_scene(context, site, alone)
    return collection


@np.errstate(all="ignore")  # hostile floats
def _build(site: Site, materials: Materials) -> None:
    """Make all parts: first the meshes, since each new one costs more the more objects there are."""
    report = site.report
    with suppress(FormatError):  # where none can be read, their own part tells
        if site.level.entities.unread is not None:
            report.warn(f"some entities are left out: {site.level.entities.unread}")
    baked = _part(report, "lightmaps", lambda: lightmaps.build(site))
    if baked is not None:
        materials.baked = baked.group
    elif site.settings.lightmaps != "none":
        materials.baked = lightmaps.fullbright(site)
    drawn = _part(report, "faces", lambda: faces.prepare(site, baked))
    sky = None
    if drawn is not None:
        made = _part(report, "models", lambda: world.build_meshes(site, drawn)) or []
        hills = _part(report, "displacements", lambda: displacements.build_meshes(site, drawn, baked))
        if site.settings.entities:
            sky = _part(report, "parts of the 3D skybox", lambda: sky_box.prepare(site, drawn, hills))
    entities.build(site, baked)
    if drawn is not None:
        world.place_world(site, made)
        if hills is not None:
            displacements.place(site, hills)
    if site.settings.brushes:
        brushes.place(site, _part(report, "brushes", lambda: brushes.build_meshes(site)) or [])
    if site.settings.leafs:
        boxes = _part(report, "clusters", lambda: clusters.build_mesh(site))
        if boxes is not None:
            clusters.place(site, boxes)
    world.place_rest(site)
    if sky is not None:
        _part(report, "parts of the 3D skybox", lambda: sky_box.place(site, sky))


def _part(report: Report, title: str, make: Callable[[], _Made]) -> _Made | None:
    """What `make` makes; None, and a warning, where it can't be read."""
    try:
        return make()
    except (FormatError, SceneError) as error:
        report.warn(f"{title} are left out: {error}")
        return None


def named(level: source.Level) -> tuple[dict[str, tuple[float, float, float]], dict[str, int]]:
    """The colours of textures by their names, and their numbers in the table of names."""
    names, texdata = level.texture_names.names, level.table(LumpId.TEXDATA)
    known = texdata[(texdata["name_string_table_id"] >= 0) & (texdata["name_string_table_id"] < len(names))]
    colors = np.nan_to_num(known["reflectivity"].astype(np.float64)).clip(0, 1).tolist()
    reflectivity = {names[n]: (r, g, b) for n, (r, g, b) in zip(known["name_string_table_id"], colors, strict=True)}
    return reflectivity, {name: number for number, name in reversed(list(enumerate(names)))}


class _PakSource:
    """A map's own files as a source of content."""

    def __init__(self, pak: source.Pak) -> None:
        self._pak = pak

    def read(self, name: str) -> bytes | None:
        return bytes(self._pak.read(name)) if name in self._pak else None


def content_of(level: source.Level, path: Path, settings: ImportSettings, report: Report) -> SearchPath:
    """Where content is looked for: the map's pak, the option's folder, the game around the map, the preferences'."""
    sources: list[Source] = []
    try:
        sources.append(_PakSource(level.pak))
    except FormatError as error:
        report.warn(f"the map's own files are left out: {error}")
    chosen = settings.game_directory
    for folder in dict.fromkeys(
        [*([Path(bpy.path.abspath(chosen))] if chosen else []), *_around(path), *content.GAME.folders()]
    ):
        sources.extend(search_path.of_game(folder))
    return SearchPath(sources)


def _around(path: Path) -> Iterator[Path]:
    """The game's folder that a map is in: "tf" of "tf/maps/x.bsp"."""
    for folder in path.absolute().parents:
        if folder.name.lower() == _MAPS and folder.parent != folder:
            yield folder.parent
            return
