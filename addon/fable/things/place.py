# SPDX-License-Identifier: GPL-3.0-or-later
"""Things on the ground: dropped onto it, moved along with it, and new ones of the kinds that there are."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
import numpy as np

from ....formats.arrays import Singles
from ....formats.fable.geometry import sample_ground
from ...scene.fields import properties
from ...scene.geometry import transforms
from ...scene.kept import identity, originals
from ...scene.kept.identity import kind_of
from ...scene.level import needed_root, root_of
from ...scene.names import showable
from ...scene.reports import SceneError
from ...scene.view import stage
from .. import layout
from ..terrain.heights import followed_heights, ground_heights, remember_heights
from ..worlds.maps import map_move

DEFINITION = "DefinitionType"
_NOTHING = "NULL"


def things_of(level: bpy.types.Collection) -> list[bpy.types.Object]:
    """The things of a level, new ones included."""
    return [obj for obj in level.all_objects if obj.type == "EMPTY" and _is_thing(obj)]


def _is_thing(obj: bpy.types.Object) -> bool:
    return kind_of(obj) == layout.THING or (kind_of(obj) is None and obj.get(DEFINITION) is not None)


def _standing(level: bpy.types.Collection, objects: Iterable[bpy.types.Object]) -> list[bpy.types.Object]:
    """Those things that stand on the ground by themselves: what has another parent than the root moves with that."""
    root = root_of(level)
    return [obj for obj in objects if obj.parent in (None, root) and not transforms.needs_evaluation(obj, root)]


def _places(level: bpy.types.Collection, objects: list[bpy.types.Object]) -> Singles:
    """Where things are below the root, float64[n, 3]."""
    root = root_of(level)
    made: Singles = np.array([transforms.seen(obj, root)[:3, 3] for obj in objects]).reshape(-1, 3)
    return made


def follow_ground(context: bpy.types.Context, level: bpy.types.Collection) -> int:
    """Let all things keep their height above the ground since they last followed it; how many moved. Raises SceneError.

    The first time, the ground is that of the imported file; of a level made in Blender it is the ground as it is now.
    """
    now = ground_heights(context, level)
    before = followed_heights(level, now.shape)
    count = 0
    if before is not None:
        objects = _standing(level, things_of(level))
        at = _places(level, objects)
        x, y = at[:, 0], at[:, 1]
        for obj, rise in zip(objects, (sample_ground(now, x, y) - sample_ground(before, x, y)).tolist(), strict=True):
            if rise:
                obj.location.z += rise
                count += 1
    remember_heights(level, now)
    return count


def drop(context: bpy.types.Context, level: bpy.types.Collection, objects: Iterable[bpy.types.Object]) -> int:
    """Put those of the objects that are things of the level onto the ground; how many. Raises SceneError."""
    own = set(things_of(level))
    chosen = _standing(level, [obj for obj in objects if obj in own])
    at = _places(level, chosen)
    z = sample_ground(ground_heights(context, level), at[:, 0], at[:, 1])
    for obj, rise in zip(chosen, (z - at[:, 2]).tolist(), strict=True):
        if rise:
            obj.location.z += rise
    return len(chosen)


# ---------------------------------------------------------------------------------------------------------- new things


def definitions(context: bpy.types.Context) -> dict[str, bpy.types.Object]:
    """A thing of each kind and definition that the scene's Fable levels have, those of the active level first."""
    levels = [one for one in originals.levels(context.scene) if originals.format_of(one) == layout.FORMAT]
    active = originals.level_of(context)
    found: dict[str, bpy.types.Object] = {}
    for level in sorted(levels, key=lambda one: one != active):
        for obj in things_of(level):
            found.setdefault(f"{obj.get(layout.NEW_THING, 'Object')} {obj.get(DEFINITION, '-')}", obj)
    return dict(sorted(found.items()))


def add_thing(context: bpy.types.Context, level: bpy.types.Collection, definition: str) -> bpy.types.Object:
    """Make a thing like the first one of a definition, at the 3D cursor, on the ground. Raises SceneError."""
    model = definitions(context).get(definition)
    if model is None:
        raise SceneError(f"no level of the scene has a thing {definition!r}")
    root = needed_root(level)
    ground = ground_heights(context, level)
    cursor = np.linalg.solve(transforms.compose(root), np.array([*stage.scene_of(context).cursor.location[:], 1.0]))
    rows, columns = ground.shape
    if not (0 <= cursor[0] <= columns - 1 and 0 <= cursor[1] <= rows - 1):
        raise SceneError("the 3D cursor isn't over the level: put it where the thing shall be (Shift and right button)")
    made = model.copy()
    foreign = model not in set(things_of(level))
    if foreign:
        identity.unstamp(made)
    made.parent = root
    made.location = (cursor[0], cursor[1], float(sample_ground(ground, cursor[0], cursor[1])))
    made.name = showable(str(made.get(DEFINITION, made.name)))
    if made.get("ScriptName") is not None:
        properties.put(made, "ScriptName", _NOTHING)
    move = map_move(level, root)
    if foreign and move is not None and made.get("InitialPosX") is not None:
        place = made.location  # in the world as the .wld has it: the export adds how far the map was moved
        start = (place.x + move.origin[0], place.y + move.origin[1], place.z)
        for axis, value in zip("XYZ", start, strict=True):
            properties.put(made, f"InitialPos{axis}", float(value))
    _home(context, level).objects.link(made)
    return made


def _home(context: bpy.types.Context, level: bpy.types.Collection) -> bpy.types.Collection:
    """The collection that new things go into: that of the active thing, else the first section, else *Things*."""
    homes = [one for one in level.children_recursive if kind_of(one) in (layout.THING_SECTION, layout.THINGS)]
    sections = [one for one in homes if kind_of(one) == layout.THING_SECTION]
    active = context.active_object
    around = [one for one in sections if active is not None and active.name in one.objects]
    found = next(iter([*around, *sections, *homes]), None)
    if found is None:
        raise SceneError(f"{level.name} has no collection for things")
    return found
