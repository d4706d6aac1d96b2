# SPDX-License-Identifier: GPL-3.0-or-later
"""A world's map back from its scene: the maps whose levels were moved are, all else of its text stays."""

from __future__ import annotations

import bpy

from ....formats.counting import number_of
from ....formats.fable import wld
from ....formats.fable.records import ROOT_EDGE
from ...scene.kept import identity, originals
from ...scene.kept.identity import kind_of
from ...scene.level import needed_root
from ...scene.reports import Report, SceneError, listed
from .. import layout
from .maps import check, map_of, origin_of

EDGE = 8192
"""Units that a world reaches to, from 0 (fable.md §5)."""


def export_form(context: bpy.types.Context, collection: bpy.types.Collection, _settings: None, report: Report) -> bytes:
    """The bytes of a world's `.wld` with the maps where their levels now are; all else as it was.

    collection: the world's. Raises SceneError for another, or with the roots of levels that aren't on whole units, or
    are turned or scaled.
    """
    data = collection.get(layout.WORLD)
    mark = identity.stamped(collection)
    if not isinstance(data, bytes) or mark is None:
        raise SceneError(f"{collection.name} isn't a world: no .wld was opened as it")
    world = check(data)
    maps = world.maps
    placed: dict[int, tuple[tuple[int, int], bpy.types.Object]] = {}
    for level in originals.levels(context.scene):
        number = map_of(level, mark.token)
        if not 0 <= number < len(maps):
            if level in collection.children_recursive:
                report.left_out(f"level {level.name}, which the .wld doesn't have")
            continue
        root = needed_root(level)
        origin = origin_of(root)
        if placed.setdefault(number, (origin, root))[0] != origin:
            raise SceneError(f"{root.name} is the same map as {placed[number][1].name}", [root, placed[number][1]])
        if maps[number].origin != origin:
            _move(maps[number], origin, level, report)
    report.count("maps of the world", len(placed))
    return wld.write(world)


def _worlds(scene: bpy.types.Scene | None) -> list[bpy.types.Collection]:
    """The worlds of a scene."""
    found = scene.collection.children_recursive if scene is not None else []
    return [one for one in found if kind_of(one) == layout.WORLD_STAMP and isinstance(one.get(layout.WORLD), bytes)]


def choose(context: bpy.types.Context, name: str = "") -> bpy.types.Collection:
    """The world of this name, else the one that the active collection is in, else the scene's only one.

    Raises SceneError with the worlds that there are.
    """
    there = _worlds(context.scene)
    layer = context.view_layer.active_layer_collection if context.view_layer else None
    if not name and layer is not None:
        there = [one for one in there if layer.collection in (one, *one.children_recursive)] or there
    found = [one for one in there if not name or one.name == name]
    if len(found) != 1:
        which = f" named {name}" if name else ""
        names = f": {listed([one.name for one in there])}" if there else ""
        raise SceneError(f"the scene has {number_of(len(found), 'worlds') if found else 'no worlds'}{which}{names}")
    return found[0]


def _move(one: wld.WorldMap, origin: tuple[int, int], level: bpy.types.Collection, report: Report) -> None:
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
            f"{level.name}: its {number_of(len(creatures), 'creatures start', 'creature starts')} at places in the "
            "world (InitialPos): export the level, too, and they move along in its .tng"
        )
