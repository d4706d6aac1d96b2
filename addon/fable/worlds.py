# SPDX-License-Identifier: GPL-3.0-or-later
"""A world's map (`.wld`): its levels at their places, and those that were moved back into its text.

The world is a collection, stamp "world", with the bytes of the `.wld` (WORLD) and its file's name (WORLD_NAME); those
of its levels that were opened lie in it. A level's collection has MAP: the number of its map among the world's, and the
world's token. Its root empty lies at MapX, MapY; nothing else of a map is edited in Blender.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...formats.binary import FormatError
from ...formats.fable import wld
from ...formats.fable.records import ROOT_EDGE
from ..scene import identity, images, originals, transforms
from ..scene.baselines import put_bytes
from ..scene.reports import Report, SceneError
from . import layout
from .scene_reader import kind_of, listed
from .settings import WorldSettings

ENDING = ".wld"
STAMP = "world"
WORLD, WORLD_NAME, MAP = "levelwright_world", "levelwright_world_name", "levelwright_map"
EDGE = 8192
"""Units that a world reaches to, from 0 (fable.md §5)."""
NEAR = 1e-3
"""Units by which a level may be beside a whole one and count as on it: Blender keeps single precision."""


@dataclass(frozen=True, slots=True)
class Place:
    """A map whose level's file is there. number: among the world's maps. origin: where it lies, units."""

    number: int
    file: Path
    origin: tuple[int, int]


def read(data: bytes) -> wld.World:
    """Read a `.wld`. Raises FormatError, also for a text without maps."""
    world = wld.read(data)
    if not world.maps:
        raise FormatError("has no maps", "world")
    return world


def places(data: bytes, path: Path, settings: WorldSettings, report: Report) -> list[Place]:
    """The maps of a world to be opened. Files that are missing are named in the report.

    Raises FormatError for bytes that are no `.wld`, and SceneError where none of its levels is there.
    """
    world = read(data)
    folders = [path.parent]
    if settings.levels_directory:
        folders.insert(0, Path(bpy.path.abspath(settings.levels_directory)))
    found = []
    for number, each in _chosen(world, settings.maps):
        named = each.level_name or ""
        file = images.find_file(named, folders) or images.find_file(_base(named), folders)
        origin = each.origin
        if file is None:
            report.missing("levels", _base(named) or f"of map {each.number}")
        elif origin is None:
            report.warn(f"map {each.number}, {_base(named)}, has no place in the world: it is left out")
        else:
            found.append(Place(number, file, origin))
    if not found:
        raise SceneError(f"{path.name}: none of its levels is there: {listed(report.missing_names.get('levels', []))}")
    return found


def _chosen(world: wld.World, names: str) -> list[tuple[int, wld.Map]]:
    """The maps of these names, or of regions of these names, with their numbers; all of them for none."""
    maps = list(enumerate(world.maps))
    wanted = {name.strip().lower() for name in names.split(",") if name.strip()}
    if not wanted:
        return maps
    regions = {(region.block.get("RegionName") or "").lower(): region.contains for region in world.regions}
    told = {name: {name, *(one.lower() for one in regions.get(name, ()))} for name in wanted}
    by_name = {number: {_base(one.level_name or "").rpartition(".")[0].lower(), (one.script_name or "").lower()}
               for number, one in maps}  # fmt: skip
    unknown = [name for name, meant in told.items() if not any(meant & known for known in by_name.values())]
    if unknown:
        raise SceneError(f"the world has no map and no region called {listed(sorted(unknown))}")
    meant = set().union(*told.values())
    return [(number, one) for number, one in maps if meant & by_name[number]]


def _base(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


def build(
    context: bpy.types.Context, path: Path, data: bytes, levels: Mapping[Place, bpy.types.Collection], report: Report
) -> bpy.types.Collection:
    """Put levels that were just imported at their places, in a collection of the world, and return that."""
    scene = context.scene
    if scene is None:
        raise SceneError("there is no scene to open a world in")
    token = identity.new_token(data)
    collection = bpy.data.collections.new(path.stem)
    identity.stamp(collection, token, STAMP, 0)
    put_bytes(collection, WORLD, data)
    collection[WORLD_NAME] = path.name
    for place, level in levels.items():
        level[MAP] = f"{place.number} {int(token)}"
        root: Any = _root(level)
        root.location = (*place.origin, 0.0)
        scene.collection.children.unlink(level)
        collection.children.link(level)
    scene.collection.children.link(collection)
    report.count("maps of the world", len(levels))
    return collection


def import_form(
    context: bpy.types.Context,
    data: bytes,
    file: Path,
    settings: WorldSettings,
    import_levels: Callable[[Sequence[Path]], list[bpy.types.Collection]],
    report: Report,
) -> bpy.types.Collection:
    """Open the levels of a world at their places, and return the world's collection.

    import_levels: opens the levels in these files. Files that are missing are named in the report. Raises FormatError
    for bytes that are no `.wld`, SceneError where none of its levels is there, and what `import_levels` raises.
    """
    found = places(data, file, settings, report)
    made = import_levels([place.file for place in found])
    return build(context, file, data, dict(zip(found, made, strict=True)), report)


def export_form(context: bpy.types.Context, collection: bpy.types.Collection, _: None, report: Report) -> bytes:
    """The bytes of a world's `.wld` with the maps where their levels now are. Raises as `apply` does."""
    return apply(context, collection, report)


def worlds(scene: bpy.types.Scene | None) -> list[bpy.types.Collection]:
    """The worlds of a scene."""
    found = scene.collection.children_recursive if scene is not None else []
    return [one for one in found if kind_of(one) == STAMP and isinstance(one.get(WORLD), bytes)]


def choose(context: bpy.types.Context, name: str = "") -> bpy.types.Collection:
    """The world of this name, else the one that the active collection is in, else the scene's only one.

    Raises SceneError with the worlds that there are.
    """
    there = worlds(context.scene)
    layer = context.view_layer.active_layer_collection if context.view_layer else None
    if not name and layer is not None:
        there = [one for one in there if layer.collection in (one, *one.children_recursive)] or there
    found = [one for one in there if not name or one.name == name]
    if len(found) != 1:
        which = f" named {name}" if name else ""
        raise SceneError(f"the scene has {len(found) or 'no'} worlds{which}: {listed([one.name for one in there])}")
    return found[0]


def apply(context: bpy.types.Context, collection: bpy.types.Collection, report: Report) -> bytes:
    """The bytes of a world's `.wld` with the maps where their levels now are; all else as it was.

    Raises SceneError, with the roots of levels that aren't on whole units, or are turned or scaled.
    """
    data = collection.get(WORLD)
    mark = identity.stamped(collection)
    if not isinstance(data, bytes) or mark is None:
        raise SceneError(f"{collection.name} is no world: no .wld was opened as it")
    world = read(data)
    maps = world.maps
    placed: dict[int, tuple[tuple[int, int], bpy.types.Object]] = {}
    for level in originals.levels(context.scene):
        number = _map_of(level, mark.token)
        if not 0 <= number < len(maps):
            if level in collection.children_recursive:
                report.left_out(f"level {level.name}, which the .wld doesn't know")
            continue
        root = _root(level)
        origin = _origin(root)
        if placed.setdefault(number, (origin, root))[0] != origin:
            raise SceneError(f"{root.name} is the same map as {placed[number][1].name}", [root, placed[number][1]])
        if maps[number].origin != origin:
            _move(maps[number], origin, level, report)
    report.count("maps of the world", len(placed))
    return wld.write(world)


def _map_of(level: bpy.types.Collection, token: int) -> int:
    text = level.get(MAP)
    parts = text.split(" ") if isinstance(text, str) else []
    return int(parts[0]) if len(parts) == 2 and parts[0].isdecimal() and parts[1] == str(token) else -1


def _root(level: bpy.types.Collection) -> bpy.types.Object:
    found: Sequence[bpy.types.Object] = [obj for obj in level.objects if kind_of(obj) == layout.ROOT]
    if len(found) != 1:
        raise SceneError(f"{level.name} has {len(found)} root empties, so nothing says where it is", found)
    return found[0]


def _origin(root: bpy.types.Object) -> tuple[int, int]:
    matrix = transforms.compose(root)
    if np.abs(matrix[:3, :3] - np.eye(3)).max() > 1e-6:
        raise SceneError(f"{root.name} is turned or scaled: maps can only be moved in the world", [root])
    place = matrix[:3, 3]
    x, y = round(float(place[0])), round(float(place[1]))
    if np.abs(place - (x, y, 0)).max() > NEAR:
        where = ", ".join(f"{one:g}" for one in place)
        raise SceneError(f"{root.name} is at {where}: maps lie on whole units, at height 0", [root])
    return x, y


def _move(one: wld.Map, origin: tuple[int, int], level: bpy.types.Collection, report: Report) -> None:
    """Write where a map is now."""
    old, one.origin = one.origin, origin
    report.note(f"{level.name}: moved from {old} to {origin}")
    if any(value % ROOT_EDGE for value in origin):
        report.warn(f"{level.name} lies at {origin}: the game's maps lie on multiples of {ROOT_EDGE}")
    if any(not 0 <= value < EDGE for value in origin):
        report.warn(f"{level.name} lies at {origin}: the game's world goes from 0 to {EDGE}")
    creatures = [obj for obj in level.all_objects if obj.get("InitialPosX") is not None]
    if creatures:
        report.warn(
            f"{level.name}: the places where its {len(creatures)} creatures start (InitialPos) are in the world: they "
            "still tell the old ones"
        )
