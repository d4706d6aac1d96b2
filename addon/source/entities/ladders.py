# SPDX-License-Identifier: GPL-3.0-or-later
"""Ladders that are no brush model: the box that the compiler made of one, or the way between the ends of another."""

from __future__ import annotations

import math
from collections.abc import Mapping

import bpy
import numpy as np

from ....formats.source.entities.entity_values import number
from ....formats.source.entities.text import ORIGIN, vector
from ...scene.names import showable
from ..props.boxes import boxes
from . import classes

_AXES = "xyz"
_THICK = 2.0


def shape(name: str, classname: str, values: Mapping[str, str]) -> bpy.types.Mesh | bpy.types.Curve | None:
    """What a ladder is like, from its entity's origin; None for one without a place, or what is no ladder.

    values: by key in small letters.
    """
    place = vector(values.get(ORIGIN)) or (0.0, 0.0, 0.0)
    if classname == classes.LADDER_BOX:
        keys = [[f"{end}.{axis}" for axis in _AXES] for end in ("mins", "maxs")]
        low, high = (np.array([number(values, key) for key in ends]) - place for ends in keys)
        there = all(key in values for ends in keys for key in ends)
        return boxes(name, low[None], high[None]) if there and np.isfinite(high - low).all() else None
    if classname != classes.LADDER_WAY:
        return None
    ends = [end for key in ("point0", "point1") if (end := vector(values.get(key))) and all(map(math.isfinite, end))]
    if len(ends) < 2:
        return None
    curve = bpy.data.curves.new(showable(name), "CURVE")
    curve.dimensions = "3D"
    spline = curve.splines.new("POLY")
    spline.points.add(1)
    for point, end in zip(spline.points, ends, strict=True):
        point.co = (*np.subtract(end, place), 1.0)
    curve.bevel_depth = _THICK
    return curve
