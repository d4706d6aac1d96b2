# SPDX-License-Identifier: GPL-3.0-or-later
"""Adding and removing themes, atmospheres and sounds; they are renamed in the lists themselves.

A slot, or a sound's number, is a place in its list, and cells name it: places are never exchanged. What no cell has can
be removed: a theme or atmosphere leaves its slot empty, of sounds (the file knows no gaps) the later ones move up, on
the game map too.
"""

import bpy
import numpy as np

from ....formats.counting import number_of
from ....formats.fable import palette_name
from ....formats.fable.records import MAX_SOUNDS, PALETTE_SLOTS
from ...scene import attributes
from ...scene.blender_types import mesh_of
from ...scene.geometry import vertex_groups
from ...scene.kept import originals
from ...scene.level import first_of
from ...scene.reports import SceneError
from .. import layout
from . import lists

SOUNDS_OF_GAME_MAP = 3
"""Version of maps from which on the game map tells the sounds."""
FIRST_SLOT = {"themes": 2, "atmospheres": 1}
"""Slot 0 is none; the ground's slot 1 is INVALID_THEME_STANDIN in all levels."""


def add(level: bpy.types.Collection, kind: lists.List, name: str) -> int:
    """Add a name to a list, and return its slot or number. Raises SceneError for a name that is there, or can't be."""
    try:
        palette_name(name)
    except ValueError as error:
        raise SceneError(f"that can't be a name: {error}") from None
    names = lists.get(level)
    there = getattr(names, kind)
    if not name or name in there:
        raise SceneError(f"there is a {name!r} already" if name else "a name is needed")
    if kind == "sounds":
        if len(there) >= MAX_SOUNDS:
            raise SceneError(f"a level has {MAX_SOUNDS} sounds at most")
        there.append(name)
        place = len(there)
    else:
        used = names.used_themes if kind == "themes" else names.used_atmospheres
        free = [slot for slot in range(FIRST_SLOT[kind], PALETTE_SLOTS) if slot not in used]
        if not free:
            raise SceneError(f"all {PALETTE_SLOTS} slots are taken")
        place = free[0]
        used.add(place)
        there[place] = name
    _put(level, names)
    return place


def remove(context: bpy.types.Context, level: bpy.types.Collection, kind: lists.List, place: int) -> None:
    """Remove the name of a slot, or of a sound's number. Raises SceneError if cells have it."""
    terrain, game_map = (first_of(level, one) for one in (layout.TERRAIN, layout.GAME_MAP))
    names = lists.get(level)
    if kind == "sounds":
        of_cells = originals.options_of(level).get("map_version", SOUNDS_OF_GAME_MAP) < SOUNDS_OF_GAME_MAP
        holder, attribute = (terrain, "old_sound") if of_cells else (game_map, "sound")
        _refuse_used(holder, {attribute: None}, place)
        _move_up(holder, attribute, place)
        del names.sounds[place - 1]
    elif kind == "themes":
        _refuse_used(terrain, {f"theme_{n}": n for n in (1, 2, 3)}, place)
        _refuse_painted(context, terrain, names.layers()[place])
        names.themes[place] = ""
        names.used_themes.discard(place)
    else:
        _refuse_used(game_map, {f"atmosphere_{n}": n for n in (1, 2, 3)}, place)
        names.atmospheres[place] = ""
        names.used_atmospheres.discard(place)
    _put(level, names)


def _put(level: bpy.types.Collection, names: lists.Palettes) -> None:
    """Put the lists back, with the weight layers of the themes: a removed theme's layer goes."""
    held = lists.of(level)
    was = {item.slot: item.layer for item in held.themes}
    terrain = first_of(level, layout.TERRAIN)
    lists.put(level, names)
    for item in held.themes:
        item.layer = was.pop(item.slot, "")
    groups = terrain.vertex_groups if terrain is not None else None
    for layer in was.values():
        if groups is not None and layer in groups:
            groups.remove(groups[layer])
    lists.name_layers(level)


def _refuse_used(obj: bpy.types.Object | None, names: dict[str, int | None], place: int) -> None:
    """Raise SceneError if elements of a mesh have a number in one of these attributes. names: attribute -> which of the
    three it is: numbers whose strength is 0 aren't used.
    """
    if obj is None:
        return
    mesh = mesh_of(obj)
    first, second = (attributes.read(mesh, f"strength_{n}") for n in (1, 2))
    for name, part in names.items():
        values = attributes.read(mesh, name)
        if values is None:
            continue
        found = values == place
        if part is not None and first is not None and second is not None:
            found &= (first, second, 255 - first - second)[part - 1] > 0
        if found.any():
            raise SceneError(f"{number_of(np.count_nonzero(found), 'cells have')} it", objects=[obj])


def _refuse_painted(context: bpy.types.Context, terrain: bpy.types.Object | None, layer: str) -> None:
    """Raise SceneError if a theme is painted anywhere."""
    if terrain is None:
        return
    for _, values in vertex_groups.read(context, terrain, names=[layer]):
        painted = np.count_nonzero(values >= 0.5 / 255)
        if painted:
            raise SceneError(f"it is painted on {number_of(painted, 'cells')}", objects=[terrain])


def _move_up(obj: bpy.types.Object | None, attribute: str, place: int) -> None:
    """Let numbers above `place` be one less."""
    mesh = mesh_of(obj) if obj is not None else None
    values = attributes.read(mesh, attribute) if mesh is not None else None
    if mesh is not None and values is not None:
        attributes.rewrite(mesh, attribute, values - (values > place))
