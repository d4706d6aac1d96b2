# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the cells that a layer was made with lie in it now: it tells where air has gone, which no face stands for."""

from __future__ import annotations

import bpy

from ....formats.teeworlds.tile_faces import Moved
from .. import layout

_NUMBERS = 6


def moved(layer: bpy.types.Object) -> Moved | None:
    """How the cells of a layer were moved since it was made; None where they weren't."""
    numbers: list[float] = getattr(layer.get(layout.MOVED), "to_list", list)()
    if len(numbers) != _NUMBERS:
        return None
    across, down, left, top, right, bottom = map(int, numbers)
    return Moved(across, down, (max(left, 0), max(top, 0), right, bottom))


def move(layer: bpy.types.Object, by: tuple[int, int], before: tuple[int, int], after: tuple[int, int]) -> None:
    """Note that a layer of one width and height becomes one of another, its cells moved by columns and rows."""
    if layer.get(layout.MOVED) is None and by == (0, 0) and before[0] <= after[0] and before[1] <= after[1]:
        return  # an export adds cells at the right and below by itself
    now = (moved(layer) or Moved(0, 0, (0, 0, *before))).within(before).further(*by, after)
    layer[layout.MOVED] = [now.across, now.down, *now.part]
