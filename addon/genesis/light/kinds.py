# SPDX-License-Identifier: GPL-3.0-or-later
"""Entities that are lights: how Blender shows them, and what an edited light says of its entity."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import bpy

from ..values import Property, as_property

INTENSITY, COLOR, ARC = "light", "color", "arc"
_WHITE = 255.0


@dataclass(frozen=True)
class Kind:
    """What a class of lights is in Blender, and the keys that say how it looks ("": it has no such key).

    brightness: at its place, 255 is white; of a class without one it is that. reach: units; of one without, as far as
    it is bright. glows: it is seen itself, and lights nothing.
    """

    type: Literal["POINT", "SPOT", "SUN"]
    brightness: str = ""
    reach: str = ""
    arc: str = ""
    color: str = COLOR
    default: float = 150.0
    glows: bool = False


KINDS = {
    "light": Kind("POINT", INTENSITY),
    "spotlight": Kind("SPOT", INTENSITY, arc=ARC),
    "sunlight": Kind("SUN", INTENSITY),
    "dynamiclight": Kind("POINT", reach="MaxRadius", color="Color", default=300.0),
    "foglight": Kind("POINT", "Brightness", "Radius", color="Color", glows=True),
    "corona": Kind("POINT", reach="MaxRadius", color="Color", default=20.0, glows=True),
}
"""Class in lower case -> what it is. The compiler knows the first two, and that of Reality Factory the third; the games
make the others, by the typedefs that GTest and its followers share (DynLight.h, corona.h, Genvs.h)."""
COMPILED: dict[str, str] = {kind.type: name for name, kind in KINDS.items() if name in ("light", "spotlight")}
"""Type of a Blender light -> class of a new one."""
TYPES = dict.fromkeys((INTENSITY, ARC, "brightness", "radius", "maxradius"), "float") | {COLOR: "color"}
"""Key in lower case -> the type of its values."""


@dataclass(frozen=True)
class Look:
    """What a light is in Blender: power (W; a sun's W/m2), colour 0..1, reach (m), angle of a spotlight's cone."""

    energy: float
    color: tuple[float, float, float]
    cutoff: float
    spot_size: float


def look(kind: Kind, values: Mapping[str, Any], scale: float) -> Look:
    """How a light looks. values: by key in lower case. scale: metres a unit; Blender doesn't scale lights with parents.

    The compiler lets light fall linearly from its brightness (255 is white) to 0 at its reach. Blender's falls with the
    square of the distance: the power is chosen so that both are equal half way.
    """
    brightness = max(_number(values.get(kind.brightness.lower()), kind.default), 0.0) if kind.brightness else _WHITE
    reach = max(_number(values.get(kind.reach.lower()), kind.default), 0.0) if kind.reach else brightness
    rgb = values.get(COLOR)
    channels = [float(one) / _WHITE for one in rgb] if isinstance(rgb, list | tuple) and len(rgb) == 3 else [1.0] * 3
    arc = min(max(_number(values.get(ARC), 45.0), 0.5), 90.0)
    energy = brightness * _power(kind, reach, scale)
    return Look(energy, (channels[0], channels[1], channels[2]), reach * scale, math.radians(2 * arc))


def _power(kind: Kind, reach: float, scale: float) -> float:
    """The power of a light of brightness 1."""
    return math.pi / _WHITE if kind.type == "SUN" else (math.pi * reach * scale) ** 2 / (2 * _WHITE)


def brightness_of(kind: Kind, energy: float, cutoff: float, scale: float) -> float:
    """The brightness of a light of this power: the inverse of `look`. cutoff: metres, of a kind with a reach."""
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


def kind_of(classname: str) -> Kind | None:
    """What a class of lights is; None for a class that is none."""
    return KINDS.get(classname.lower())


def told(pairs: Sequence[tuple[str, str]]) -> dict[str, Property]:
    """What an entity's pairs say of its light, by key in lower case, whether or not its class is known."""
    return {key.lower(): as_property(TYPES.get(key.lower(), "string"), text) for key, text in reversed(pairs)}


def build(name: str, kind: Kind, shown: Look) -> bpy.types.Light:
    """Make the light of an entity."""
    light: Any = bpy.data.lights.new(name, kind.type)
    light.energy, light.color = shown.energy, shown.color
    if kind.type == "SUN":
        light.angle = 0.0
    else:
        light.use_custom_distance, light.cutoff_distance = True, shown.cutoff
        light.shadow_soft_size = 0.0
    if kind.type == "SPOT":
        light.spot_size, light.spot_blend = shown.spot_size, 0.0
    if kind.glows:
        light.diffuse_factor = light.specular_factor = 0.0
    made: bpy.types.Light = light
    return made


def _number(value: Any, default: float) -> float:
    return float(value) if isinstance(value, int | float) else default
