# SPDX-License-Identifier: GPL-3.0-or-later
"""What both ways need of a world: the maps of a `.wld`, and where a level lies in it."""

from __future__ import annotations

from collections.abc import Sequence

import bpy

from ....formats.binary import FormatError
from ....formats.fable import wld
from ...scene.reports import SceneError
from .. import layout
from ..parts import kind_of

ENDING = ".wld"


def check(data: bytes) -> wld.World:
    """Return the world of a `.wld`. Raises FormatError, also for a text without maps."""
    world = wld.read(data)
    if not world.maps:
        raise FormatError("has no maps", "world")
    return world


def root_of(level: bpy.types.Collection) -> bpy.types.Object:
    """The root empty of a level, which lies where the level does. Raises SceneError unless there is one."""
    found: Sequence[bpy.types.Object] = [obj for obj in level.objects if kind_of(obj) == layout.ROOT]
    if len(found) != 1:
        raise SceneError(f"{level.name} has {len(found)} root empties, so nothing says where it is", found)
    return found[0]
