# SPDX-License-Identifier: GPL-3.0-or-later
"""Which classes of entities are lights, and what their keys are in Blender's lights."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ..classes.values import Property, as_property

INTENSITY, COLOR, ARC = "light", "color", "arc"
_WHITE = 255.0


@dataclass(frozen=True)
class LightClass:
    """What a class of lights is in Blender, and the keys that say how it looks ("": it has no such key)."""

    type: Literal["POINT", "SPOT", "SUN"]
    brightness: str = ""
    """Key of the brightness at its place, 255 is white; a class without one is white there."""
    reach: str = ""
    """Key of how far it shines, units; a class without one shines as many units far as it is bright."""
    arc: str = ""
    """Key of half the angle of a spotlight's cone, degrees."""
    color: str = COLOR
    """Key of the colour, 0..255."""
    default: float = 150.0
    """Brightness, or reach, of an entity that says nothing."""
    glows: bool = False
    """Whether it is seen itself, and lights nothing."""


LIGHT_CLASSES = {
    "light": LightClass("POINT", INTENSITY),
    "spotlight": LightClass("SPOT", INTENSITY, arc=ARC),
    "sunlight": LightClass("SUN", INTENSITY),
    "dynamiclight": LightClass("POINT", reach="MaxRadius", color="Color", default=300.0),
    "foglight": LightClass("POINT", "Brightness", "Radius", color="Color", glows=True),
    "corona": LightClass("POINT", reach="MaxRadius", color="Color", default=20.0, glows=True),
}
"""Class in lower case -> what it is. The compiler knows the first two, and that of Reality Factory the third; the games
make the others, by the typedefs that GTest and its followers share (DynLight.h, corona.h, Genvs.h)."""
COMPILED: dict[str, str] = {kind.type: name for name, kind in LIGHT_CLASSES.items() if name in ("light", "spotlight")}
"""Type of a Blender light -> class of a new one."""
TYPES = dict.fromkeys((INTENSITY, ARC, "brightness", "radius", "maxradius"), "float") | {COLOR: "color"}
"""Key in lower case -> the type of its values."""


@dataclass(frozen=True)
class LightAppearance:
    """What a light is in Blender."""

    energy: float
    """Power, W; a sun's, W/m2."""
    color: tuple[float, float, float]
    """0..1."""
    cutoff: float
    """Reach, metres."""
    spot_size: float
    """Angle of a spotlight's cone, radians."""


def appearance(kind: LightClass, values: Mapping[str, object], scale: float) -> LightAppearance:
    """How a light looks. values: by key in lower case. scale: metres a unit; Blender doesn't scale lights with parents.

    The compiler lets light fall linearly from its brightness (255 is white) to 0 at its reach. Blender's falls with the
    square of the distance: the power is chosen so that both are equal half way.
    """
    brightness = max(_number(values.get(kind.brightness.lower()), kind.default), 0.0) if kind.brightness else _WHITE
    reach = max(_number(values.get(kind.reach.lower()), kind.default), 0.0) if kind.reach else brightness
    rgb = values.get(COLOR)
    channels = (
        [max(float(one) / _WHITE, 0.0) for one in rgb] if isinstance(rgb, list | tuple) and len(rgb) == 3 else [1.0] * 3
    )
    arc = min(max(_number(values.get(ARC), 45.0), 0.5), 90.0)
    energy = brightness * _power(kind, reach, scale)
    return LightAppearance(energy, (channels[0], channels[1], channels[2]), reach * scale, math.radians(2 * arc))


def _power(kind: LightClass, reach: float, scale: float) -> float:
    """The power of a light of brightness 1."""
    return math.pi / _WHITE if kind.type == "SUN" else (math.pi * reach * scale) ** 2 / (2 * _WHITE)


def brightness_of(kind: LightClass, energy: float, cutoff: float, scale: float) -> float:
    """The brightness of a light of this power: the inverse of `appearance`. cutoff: metres, of a kind with a reach."""
    if kind.reach or kind.type == "SUN":
        power = _power(kind, cutoff / scale, scale)
        return max(energy, 0.0) / power if power > 0 else 0.0
    return float((max(energy, 0.0) / _power(kind, 1.0, scale)) ** (1 / 3))


def color_of(color: tuple[float, float, float]) -> list[int]:
    """The `color` of a Blender light's colour."""
    return [round(channel * _WHITE) for channel in color]


def arc_of(spot_size: float) -> float:
    """The `arc` of a Blender spotlight's angle, degrees."""
    return math.degrees(spot_size) / 2


def class_of(classname: str) -> LightClass | None:
    """What a class of lights is; None for one that is not a light."""
    return LIGHT_CLASSES.get(classname.lower())


def light_values(pairs: Sequence[tuple[str, str]]) -> dict[str, Property]:
    """What an entity's pairs say of its light, by key in lower case, whether or not its class is known."""
    return {key.lower(): as_property(TYPES.get(key.lower(), "string"), text) for key, text in reversed(pairs)}


def _number(value: object, default: float) -> float:
    return float(value) if isinstance(value, int | float) else default
