# SPDX-License-Identifier: GPL-3.0-or-later
"""func_ladder, whose brushes the compiler put into the world: an info_ladder is left of it, which says their box.

vbsp gives these brushes LADDER, whatever their textures.
"""

import numpy as np

from ...arrays import Floats, Ints
from ..entities.text import Entity
from ..level import Level
from ..records import Contents

CLASS, COMPILED_CLASS = "func_ladder", "info_ladder"
BOX_KEYS = tuple(f"{end}.{axis}" for end in ("mins", "maxs") for axis in "xyz")
"""Keys that the compiler adds."""

_SAME = 0.011  # units: the box has two decimals


def owners(level: Level, contents: Ints, low: Floats, high: Floats) -> Ints:
    """The info_ladder of each brush, its place among the entities, int64[brushes]; -1: none.

    contents, low, high: of the brushes, float64[brushes, 3] their boxes. An info_ladder has those LADDER brushes that
    lie in its box, if together they fill it from end to end; another one was an entity before, too.
    """
    found = np.full(len(contents), -1, np.int64)
    ladders = np.flatnonzero(contents & int(Contents.LADDER) > 0)
    if not len(ladders):
        return found
    for number, entity in enumerate(level.entities):
        box = _box(entity)
        if box is None:
            continue
        inside = ((low[ladders] >= box[0] - _SAME) & (high[ladders] <= box[1] + _SAME)).all(axis=1)
        own = ladders[inside & (found[ladders] < 0)]
        if not len(own):
            continue
        ends = np.array([low[own].min(axis=0), high[own].max(axis=0)])
        if np.abs(ends - box).max() <= _SAME:
            found[own] = number
    return found


def _box(entity: Entity) -> Floats | None:
    if entity.classname != COMPILED_CLASS:
        return None
    try:
        return np.array([float(entity.get(key) or "") for key in BOX_KEYS]).reshape(2, 3)
    except ValueError:
        return None
