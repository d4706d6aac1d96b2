# SPDX-License-Identifier: GPL-3.0-or-later
"""What both ways need of a world: the maps of a `.wld`, and where a level lies in it."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from ....formats.binary import FormatError
from ....formats.fable import wld
from ...scene.geometry import transforms
from ...scene.kept import identity
from ...scene.reports import SceneError
from .. import layout

ENDING = ".wld"
LEVEL_ENDING = ".lev"
NEAR = 1e-3
"""Units by which a level may be beside a whole one and count as on it: Blender keeps single precision."""
Place = tuple[int, int]


def check(data: bytes) -> wld.World:
    """Return the world of a `.wld`. Raises FormatError, also for a text without maps."""
    world = wld.read(data)
    if not world.maps:
        raise FormatError("has no maps", "world")
    return world


@dataclass(frozen=True, slots=True)
class MapMove:
    """Where a level was moved to in its world."""

    origin: Place
    """Where the `.wld` has its map."""
    by: Place
    """How far it is from there, units; (0, 0) where it wasn't moved."""


def map_of(level: bpy.types.Collection, token: int) -> int:
    """The number of a level's map in the world with this token; -1 for none."""
    text = level.get(layout.MAP)
    parts = text.split(" ") if isinstance(text, str) else []
    return int(parts[0]) if len(parts) == 2 and parts[0].isdecimal() and parts[1] == str(token) else -1


def origin_of(root: bpy.types.Object) -> Place:
    """Where a level's root lies. Raises SceneError where no map can: turned, scaled, or beside whole units."""
    matrix = transforms.compose(root)
    if np.abs(matrix[:3, :3] - np.eye(3)).max() > 1e-6:
        raise SceneError(f"{root.name} is turned or scaled: maps can only be moved in the world", [root])
    place = matrix[:3, 3]
    x, y = round(float(place[0])), round(float(place[1]))
    if np.abs(place - (x, y, 0)).max() > NEAR:
        where = ", ".join(f"{one:g}" for one in place)
        raise SceneError(f"{root.name} is at {where}: maps lie on whole units, at height 0", [root])
    return x, y


def map_move(level: bpy.types.Collection, root: bpy.types.Object | None) -> MapMove | None:
    """How a level was moved in the world that it was opened with; None for a level of none. Raises SceneError."""
    if root is None or level.get(layout.MAP) is None:
        return None
    for world in bpy.data.collections:
        data, mark = world.get(layout.WORLD), identity.stamped(world)
        if mark is None or mark.kind != layout.WORLD_STAMP or not isinstance(data, bytes):
            continue
        number = map_of(level, mark.token)
        maps = check(data).maps if number >= 0 else []
        origin = maps[number].origin if number < len(maps) else None
        if origin is not None:
            now = origin_of(root)
            return MapMove(origin, (now[0] - origin[0], now[1] - origin[1]))
    return None
