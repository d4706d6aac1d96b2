# SPDX-License-Identifier: GPL-3.0-or-later
"""What both ways need of a world: the maps of a `.wld`, and where a level lies in it."""

from __future__ import annotations

import bpy

from ....formats.binary import FormatError
from ....formats.fable import wld
from ...scene.level import root_of as level_root
from ...scene.reports import SceneError

ENDING = ".wld"


def check(data: bytes) -> wld.World:
    """Return the world of a `.wld`. Raises FormatError, also for a text without maps."""
    world = wld.read(data)
    if not world.maps:
        raise FormatError("has no maps", "world")
    return world


def root_of(level: bpy.types.Collection) -> bpy.types.Object:
    """The root empty of a level, which lies where the level does. Raises SceneError unless there is one."""
    root = level_root(level)
    if root is None:
        raise SceneError(f"{level.name} has no root empty, so nothing says where it is")
    return root
