# SPDX-License-Identifier: GPL-3.0-or-later
"""What both ways need of a world: the maps of a `.wld`, and where a level lies in it."""

from __future__ import annotations

from ....formats.binary import FormatError
from ....formats.fable import wld

ENDING = ".wld"
LEVEL_ENDING = ".lev"


def check(data: bytes) -> wld.World:
    """Return the world of a `.wld`. Raises FormatError, also for a text without maps."""
    world = wld.read(data)
    if not world.maps:
        raise FormatError("has no maps", "world")
    return world
