# SPDX-License-Identifier: GPL-3.0-or-later
"""A level to a scene: see `layout` for what becomes what."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import bpy
import numpy as np

from ...formats import fable
from ...formats.binary import FormatError
from ...formats.counting import number_of
from ...formats.fable import theme_weights, water
from ...formats.fable.geometry import finite_heights
from ...formats.fable.map_versions import NEWEST
from ..scene.disk import content_folders
from ..scene.fields import properties
from ..scene.fields.properties import INT32
from ..scene.reports import Report
from ..scene.work.progress import Steps, Stepwise, progress
from . import content, layout, view
from .context import ImportContext
from .game_map.build import build_game_map
from .navigation.build import build_navigation
from .palettes import lists
from .palettes.build import build_palettes
from .settings import ImportSettings
from .terrain.build import build_terrain
from .terrain.installed import find_game
from .terrain.materials import build_material
from .terrain.pictures import ThemePictures, choices
from .terrain.water import show_water
from .things.build import build_things


@Stepwise
def import_level(
    context: bpy.types.Context, data: bytes, file: str | Path, settings: ImportSettings, report: Report
) -> Steps[bpy.types.Collection]:
    """Build the scene of a level in a collection of its own, in the context's scene.

    file: the level's path or name: the collection is named after it, and the `.tng` is looked for beside it.
    Raises FormatError for bytes that aren't a level.
    """
    path = Path(file)
    parts = _beside(path, report) if settings.things else {}
    return (yield from build_scene.steps(context, fable.read(data), data, path, settings, report, parts))


@Stepwise
def build_scene(
    context: bpy.types.Context,
    level: fable.Level,
    data: bytes | None,
    path: Path,
    settings: ImportSettings,
    report: Report,
    parts: Mapping[str, bytes] | None = None,
    pictures: Mapping[str, bpy.types.Image] | None = None,
) -> Steps[bpy.types.Collection]:
    """Build the scene of a level; `data`: the bytes that it was read from, None for one that was just made. parts: the
    bytes of the files beside it, by name. pictures: what its themes are known to look like, by theme.
    """
    options = {"map_version": level.map_version}
    importing = ImportContext.begin(
        context, layout.FORMAT, level, data, path, settings, report, display_size=8.0, options=options, parts=parts
    )
    counter, version = int(level.map_header["thing_uid_counter"]), min(level.map_version, NEWEST)
    values = layout.LevelProperties(counter, level.checksum or 0, version)
    properties.write(importing.collection, values)
    with progress(4) as part:
        with progress(1, "ground"):
            yield from _build_ground(importing, build_palettes(importing), pictures or {})
        part()
        build_game_map(importing)
        yield part()
        if settings.navigation:
            with progress(1, "navigation"):
                yield from build_navigation(importing)
        part()
        if settings.things:
            yield from build_things(importing)
    _count_brushes(importing)
    collection = importing.finish()
    view.prepare_scene(context, importing)
    return collection


def _count_brushes(importing: ImportContext) -> None:
    """Tell of script brushes, which stay as they are: no known level has any (fable.md §2.5)."""
    try:
        count = int(importing.level.brush_header()["brush_count"])
    except FormatError:
        return
    if count:
        importing.collection[layout.SCRIPT_BRUSHES] = min(count, INT32[-1])
        importing.report.note(f"{number_of(count, 'script brushes stay')} as they are: what is in them isn't known")


def _build_ground(importing: ImportContext, names: lists.Palettes, known: Mapping[str, bpy.types.Image]) -> Steps[None]:
    """Make the terrain, with its weight layers and its material, and the water on it."""
    layers = names.layers()
    blend = theme_weights.of_cells(importing.level.cells, np.array([bool(layer) for layer in layers]))
    yield
    ground = build_terrain(importing, layers, blend)
    yield
    lists.name_layers(importing.collection)
    sources = _sources(importing, known)
    lists.put_shown(importing.collection, sources.chosen, sources.game.depths)
    build_material(importing, ground, names, blend, sources)
    yield
    if water.depths(names.themes, sources.game.depths).any():
        ground_heights = finite_heights(importing.level.cells)
        show_water(importing.collection, ground_heights, blend, names.themes, sources.game.depths)


def _sources(importing: ImportContext, known: Mapping[str, bpy.types.Image]) -> ThemePictures:
    """Where the pictures of themes are looked for."""
    settings, report = importing.settings, importing.report
    own = [*content_folders.named(settings.textures_directory), *content.THEMES.folders()]
    game = find_game([*content_folders.named(settings.game_directory), *content.GAME.folders()], report)
    return ThemePictures(content_folders.reach(own, report), game, choices(), known, importing.pixels)


def _beside(path: Path, report: Report) -> dict[str, bytes]:
    """The bytes of the `.tng` beside a level, by its name; capitals don't matter."""
    reach = content_folders.reach([path.parent], report)
    found = reach.find(path.stem + layout.TNG)
    return {} if found is None else {found.name: reach.read(found)}
