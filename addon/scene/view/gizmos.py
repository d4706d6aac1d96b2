# SPDX-License-Identifier: GPL-3.0-or-later
"""How large the marks are drawn that Blender draws for spotlights and speakers, where levels say nothing of it.

Blender draws a spotlight's cone 10 m long and a speaker 1 m large, times their scale: in a level of hundreds of lights
nothing else is seen, and in one whose unit is an inch a speaker is a dot. Delta scale is theirs alone: it belongs to no
record, and changes neither light nor sound (blender.md §8.1). Point lights are drawn as large as an icon; a probe's or
an empty's size is its own setting.
"""

from __future__ import annotations

import bpy
import numpy as np
from mathutils.kdtree import KDTree
from numpy.typing import ArrayLike

SMALLEST, LARGEST = 0.25, 1.5
"""Metres."""
SHARE = 0.3
"""Of the way to the nearest other one: so many stand apart from each other."""
_NATURAL = {"SPOT": 10.0, "SPEAKER": 1.0}
"""Metres that Blender draws them large without any scale, by the type of the light or the object."""


def size_among(points: ArrayLike) -> float:
    """Return how large (metres) things at these places (float[n, 3], metres) are drawn to stand apart."""
    found = np.asarray(points, np.float64).reshape(-1, 3)
    found = found[np.isfinite(found).all(axis=1)]
    if len(found) < 2:
        return LARGEST
    tree = KDTree(len(found))
    for number, point in enumerate(found.tolist()):
        tree.insert(point, number)
    tree.balance()
    nearest = [tree.find_n(point, 2)[1][2] for point in found.tolist()]
    return float(np.clip(SHARE * np.median(nearest), SMALLEST, LARGEST))


def draw(obj: bpy.types.Object, size: float, scale: float = 1.0) -> bool:
    """Have a spotlight or a speaker drawn so large (metres); False for what is neither. scale: metres a unit.

    Its delta scale is set: a baseline of its transform has to be kept after that.
    """
    kind = obj.data.type if isinstance(obj.data, bpy.types.Light) else obj.type
    natural = _NATURAL.get(kind)
    if natural is None:
        return False
    obj.delta_scale = (size / natural / scale,) * 3
    return True
