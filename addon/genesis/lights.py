"""Entities that are lights: how Blender shows them, and what an edited light says of its entity."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import bpy

from .values import Property, plain

KINDS: dict[str, Literal["POINT", "SPOT"]] = {"light": "POINT", "spotlight": "SPOT"}
"""Class in lower case -> type of the Blender light. The editor and the compiler know these two."""

INTENSITY, COLOR, ARC = "light", "color", "arc"
"""Keys: how far the light reaches, units, which also is its brightness at its place; 0..255; degrees from the axis."""
_WHITE = 255.0


@dataclass(frozen=True)
class Look:
    """What a light is in Blender: power (W), colour 0..1, reach (m), angle of a spotlight's cone (rad)."""

    energy: float
    color: tuple[float, float, float]
    cutoff: float
    spot_size: float


def look(values: Mapping[str, Any], scale: float) -> Look:
    """How a light with these values looks. scale: metres a unit; Blender doesn't scale lights with their parent.

    The compiler lets light fall linearly from its intensity (255 is white) to 0 at as many units away. Blender's falls
    with the square of the distance: the power is chosen so that both are equal half way.
    """
    intensity = _number(values.get(INTENSITY), 150.0)
    reach = max(intensity, 0.0) * scale
    energy = (math.pi * reach) ** 2 * max(intensity, 0.0) / (2 * _WHITE)
    rgb = values.get(COLOR)
    channels = [float(one) / _WHITE for one in rgb] if isinstance(rgb, list | tuple) and len(rgb) == 3 else [1.0] * 3
    arc = min(max(_number(values.get(ARC), 45.0), 0.5), 90.0)
    return Look(energy, (channels[0], channels[1], channels[2]), reach, math.radians(2 * arc))


def intensity_of(energy: float, scale: float) -> float:
    """The intensity of a light of this power: the inverse of `look`."""
    cubed = max(energy, 0.0) * 2 * _WHITE / (math.pi * scale) ** 2
    return float(cubed ** (1 / 3))


def color_of(color: tuple[float, float, float]) -> list[int]:
    """The `color` of a Blender light's colour."""
    return [round(channel * _WHITE) for channel in color]


def arc_of(spot_size: float) -> float:
    """The `arc` of a Blender spotlight's angle, degrees."""
    return math.degrees(spot_size) / 2


def build(name: str, classname: str, values: Mapping[str, Property], scale: float) -> bpy.types.Light | None:
    """Make the light of an entity; None for a class that is none."""
    kind = KINDS.get(classname.lower())
    if kind is None:
        return None
    light: Any = bpy.data.lights.new(name, kind)
    shown = look({key.lower(): plain(value) for key, value in values.items()}, scale)
    light.energy, light.color = shown.energy, shown.color
    light.use_custom_distance, light.cutoff_distance = True, shown.cutoff
    light.shadow_soft_size = 0.0
    if kind == "SPOT":
        light.spot_size, light.spot_blend = shown.spot_size, 0.0
    made: bpy.types.Light = light
    return made


def _number(value: Any, default: float) -> float:
    return float(value) if isinstance(value, int | float) else default
