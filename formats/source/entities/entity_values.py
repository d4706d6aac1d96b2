# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of entities as the engine takes them: keys in small letters, numbers, places and angles (source.md §2.12)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from .text import ANGLES, Entity, vector

ANGLE, UP, DOWN = "angle", -1.0, -2.0
"""The older key of entities that are turned about z alone, and its values that stand for straight up and down."""


def number(values: Mapping[str, str], key: str, default: float = 0.0) -> float:
    """A value as a number: what of it reads as one, as the engine's atof does; the default where there is none."""
    found = re.match(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)", values.get(key, ""), re.ASCII)
    made = float(found[1]) if found else default
    return made if abs(made) < float("inf") else default


def triple(values: Mapping[str, str], key: str) -> tuple[float, float, float]:
    """A value as three numbers, 0 where it is none."""
    found = vector(values.get(key))
    return found if found is not None and all(map(math.isfinite, found)) else (0.0, 0.0, 0.0)


def angles(values: Mapping[str, str]) -> tuple[float, float, float]:
    """Pitch, yaw and roll (degrees) of what is no light: `angles`; of an entity without, what the older key `angle`
    says: a yaw, straight up, or down (SDK: CBaseEntity::KeyValue).
    """
    if ANGLES in values or ANGLE not in values:
        return triple(values, ANGLES)
    angle = number(values, ANGLE)
    if angle < 0:
        return (-90.0 if int(angle) == UP else 90.0), 0.0, 0.0
    return 0.0, angle, 0.0


def by_key(entity: Entity) -> dict[str, str]:
    """The values of an entity by key in small letters; of keys that repeat the last, as in the game."""
    return {key.lower(): value for key, value in entity.pairs}
