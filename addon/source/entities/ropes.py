# SPDX-License-Identifier: GPL-3.0-or-later
"""Ropes: curves from each end to the next one, hanging as far as their slack lets them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import bpy
import numpy as np

from ....formats.source.entities.entity_values import by_key, number
from ....formats.source.entities.text import ORIGIN, TARGETNAME, Entity, vector
from ....formats.source.placed.ropes import hanging
from ...scene.names import showable

_FUDGE = 100.0
"""The engine takes so many units off every rope's slack (SDK: rope_shared.h, ROPESLACK_FUDGEFACTOR)."""
_RIGID = "2"
_NEXT = "nextkey"
_MATERIAL = "cable/cable"

Point = tuple[float, float, float]


def targets(entities: Sequence[Mapping[str, str]]) -> dict[str, Point]:
    """Where the entities are that ropes lead to, by their names in small letters; of equal ones the first.

    entities: the values of each by key in small letters.
    """
    goals = {values[_NEXT].lower() for values in entities if values.get(_NEXT)}
    places: dict[str, Point] = {}
    for values in entities if goals else ():
        name = values.get(TARGETNAME, "").lower()
        place = vector(values.get(ORIGIN)) if name in goals else None
        if place is not None:
            places.setdefault(name, place)
    return places


def curve_of(name: str, entity: Entity, places: Mapping[str, Point]) -> bpy.types.Curve | None:
    """The curve of a rope, from the entity's own origin; None for one that leads nowhere."""
    values = by_key(entity)
    goal = places.get(values.get(_NEXT, "").lower())
    start = entity.origin
    if goal is None or start is None or not all(map(math.isfinite, (*goal, *start))):
        return None
    slack = 0.0 if values.get("type") == _RIGID else number(values, "slack") - _FUDGE
    points = hanging(np.subtract(goal, start), slack)
    curve = bpy.data.curves.new(showable(name), "CURVE")
    curve.dimensions = "3D"
    spline = curve.splines.new("POLY")
    spline.points.add(len(points) - 1)
    spline.points.foreach_set("co", np.column_stack([points, np.ones(len(points))]).astype(np.float32).ravel())
    curve.bevel_depth = max(number(values, "width", 2.0), 0.0) / 2
    curve.bevel_resolution = 1
    return curve


def material_of(values: Mapping[str, str]) -> str:
    """The material of a rope, as `SearchPath.material` wants it. values: by key in small letters."""
    name = values.get("ropematerial", "").replace("\\", "/").lower().strip("/")
    return name.removesuffix(".vmt") or _MATERIAL
