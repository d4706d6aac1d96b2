# SPDX-License-Identifier: GPL-3.0-or-later
"""A world's map to a scene: its levels are imported, each at its place, into a collection of the world."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import bpy

from ....formats.binary import FormatError
from ....formats.fable import wld
from ...scene.disk import content_folders
from ...scene.kept import identity
from ...scene.kept.baselines import put_bytes
from ...scene.level import needed_root
from ...scene.names import showable
from ...scene.reports import Report, SceneError, listed
from ...scene.view import stage
from ...scene.work.progress import Steps
from .. import layout
from ..settings import WorldSettings
from .maps import LEVEL_ENDING, check

FARTHEST = 1 << 24
"""Units: Blender's single precision has no whole ones beyond. The game's world reaches to 8192."""
ImportLevels = Callable[[Sequence[Path]], Steps[list[bpy.types.Collection]]]
"""Imports levels from their files, and returns the collection of each."""


@dataclass(frozen=True, slots=True)
class LevelPlacement:
    """A map of a world whose level's file is there."""

    number: int
    """Its place among the world's maps."""
    file: Path
    """The level's file."""
    origin: tuple[int, int]
    """Where it lies in the world, units."""


def import_form(
    context: bpy.types.Context,
    data: bytes,
    file: Path,
    settings: WorldSettings,
    import_levels: ImportLevels,
    report: Report,
) -> Steps[bpy.types.Collection]:
    """Open the levels of a world at their places, and return the world's collection, linked to the scene.

    data: the bytes of the `.wld`. file: its path. import_levels: imports levels into the scene. Files that are missing
    are named in the report. Raises FormatError naming the file, SceneError where no level is there or chosen, and what
    `import_levels` raises; what was made until then stays.
    """
    try:
        world = check(data)
    except FormatError as error:
        raise error.in_file(file) from error
    placements = _placements(world, file, settings, report)
    levels = yield from import_levels([placement.file for placement in placements])
    token = identity.new_token(data)
    collection = bpy.data.collections.new(showable(file.stem))
    identity.stamp(collection, token, layout.WORLD_STAMP, 0)
    put_bytes(collection, layout.WORLD, data)
    collection[layout.WORLD_NAME] = showable(file.name)
    scene = stage.scene_of(context)
    for placement, level in zip(placements, levels, strict=True):
        level[layout.MAP] = f"{int(placement.number)} {int(token)}"
        root = needed_root(level)
        root.location = (*placement.origin, 0.0)
        scene.collection.children.unlink(level)
        collection.children.link(level)
    scene.collection.children.link(collection)
    report.count("maps of the world", len(levels))
    return collection


def _placements(world: wld.World, path: Path, settings: WorldSettings, report: Report) -> list[LevelPlacement]:
    """The maps to be opened whose files are there. Raises SceneError where there are none."""
    reach = content_folders.reach([*content_folders.named(settings.levels_directory), path.parent], report)
    found: dict[Path, LevelPlacement] = {}
    for number, each in _chosen(world, settings.maps):
        name = each.level_name or ""
        names = dict.fromkeys([name, wld.base_name(name)] if name.lower().endswith(LEVEL_ENDING) else [])
        file = next((there for one in names if (there := reach.find(one)) is not None), None)
        origin = each.origin
        if file is None:
            report.missing("levels", wld.base_name(name) or f"of map {each.number}")
        elif origin is None or max(map(abs, origin)) > FARTHEST:
            report.warn(f"map {each.number}, {wld.base_name(name)}, has no place in the world: it is left out")
        elif file in found:  # or a short text could have one level opened thousands of times
            report.warn(f"map {each.number} has the level of another one, {wld.base_name(name)}: it is left out")
        else:
            reach.size(file)
            found[file] = LevelPlacement(number, file, origin)
    if not found:
        raise SceneError(f"{path.name}: none of its levels is there: {listed(report.missing_names.get('levels', []))}")
    return list(found.values())


def _chosen(world: wld.World, names: str) -> list[tuple[int, wld.WorldMap]]:
    """The maps of these names, or of regions of these names, with their numbers; all of them for none."""
    maps = list(enumerate(world.maps))
    wanted = {name.strip().lower() for name in names.split(",") if name.strip()}
    if not wanted:
        return maps
    regions = {(region.block.get("RegionName") or "").lower(): region.contains for region in world.regions}
    meant_by = {name: {name, *(one.lower() for one in regions.get(name, ()))} for name in wanted}
    by_name = {number: {wld.base_name(one.level_name or "").rpartition(".")[0].lower(), (one.script_name or "").lower()}
               for number, one in maps}  # fmt: skip
    unknown = [name for name, meant in meant_by.items() if not any(meant & known for known in by_name.values())]
    if unknown:
        raise SceneError(f"the world has no map and no region called {listed(sorted(unknown))}")
    meant = set().union(*meant_by.values())
    return [(number, one) for number, one in maps if meant & by_name[number]]
