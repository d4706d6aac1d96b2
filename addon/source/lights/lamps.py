# SPDX-License-Identifier: GPL-3.0-or-later
"""Entities that are lights: how Blender shows them.

vrad gives a point in the direction of a light, 100 units away from it, the light's colour times its brightness / 255
(1 is what a white wall needs to look white), and less farther away: as 1 / (constant + linear d + quadratic d^2), or by
two distances where half and nothing of it is left (SDK: lightmap.cpp, ParseLightGeneric). Blender's lights always fall
with the square of the distance: they are as bright as vrad's at 100 units, or at the distance where half is left, so
that quadratic lights are the same everywhere. A white wall that a light of power P (W) shines on from r metres looks
P / (4 pi^2 r^2) bright, one in a sun of strength S looks S / pi bright.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import bpy

from ....formats import source
from ....formats.binary import FormatError
from ....formats.source import LumpId
from ....formats.source.entities.entity_values import ANGLE, DOWN, UP, by_key, number, triple
from ....formats.source.entities.text import ANGLES
from ...scene.blender_types import lamp_of
from ...scene.names import showable

REFERENCE = 100.0
"""Units: where a light has its brightness."""
_HDR = "_lighthdr"
SUN = "light_environment"
KINDS: dict[str, Literal["POINT", "SPOT", "SUN"]] = {
    "light": "POINT",
    "light_dynamic": "SPOT",
    "light_spot": "SPOT",
    "light_glspot": "SPOT",
    SUN: "SUN",
    "light_directional": "SUN",
}


@dataclass(frozen=True)
class LampAppearance:
    """What a light is in Blender."""

    energy: float
    """Watts; of a sun watts a square metre."""
    color: tuple[float, float, float]
    """Linear, 0 to 1."""
    cutoff: float = 0.0
    """Metres from where on it lights nothing; 0: it has no end."""
    spot_size: float = 0.0
    """Radians, all of the cone."""
    spot_blend: float = 0.0
    """0 to 1: the penumbra's share of the cone."""
    spread: float = 0.0
    """Radians that a sun is wide."""


def kind_of(classname: str) -> Literal["POINT", "SPOT", "SUN"] | None:
    """What a class of lights is; None for a class that is none."""
    return KINDS.get(classname.lower())


def appearance(classname: str, values: Mapping[str, str], scale: float, hdr: bool = False) -> LampAppearance:
    """How a light looks. values: by key in small letters. scale: metres a unit; Blender doesn't scale lights.

    The colour and brightness are those of `_light`; for HDR, those of `_lightHDR` times `_lightscaleHDR`, where it has
    any: "-1 -1 -1 1" stands for none (SDK: LightForKey).
    """
    key = color_key(values, hdr)
    color, brightness = light_color(values.get(key, ""))
    if key == _HDR:
        brightness *= max(number(values, "_lightscalehdr", 1.0), 0.0)
    if kind_of(classname) == "SUN":
        spread = math.radians(min(max(number(values, "sunspreadangle"), 0.0), 180.0))
        return LampAppearance(math.pi * brightness, color, spread=spread)
    half = number(values, "_fifty_percent_distance")
    distance, share = (half, 0.5) if half > 0 else (REFERENCE, 1.0)
    energy = power(brightness * share, distance * scale)
    cutoff = max(number(values, "_distance"), number(values, "_zero_percent_distance"), 0.0) * scale
    if kind_of(classname) == "POINT":
        return LampAppearance(energy, color, cutoff)
    outer = math.radians(min(max(number(values, "_cone", 45.0), 0.5), 90.0))
    inner = math.radians(min(max(number(values, "_inner_cone", 30.0), 0.0), math.degrees(outer)))
    return LampAppearance(energy, color, cutoff, 2 * outer, blend(math.cos(inner), math.cos(outer)))


def shows_hdr(level: source.Level, lightmaps: object) -> bool:
    """Whether lights are shown as they are in HDR: where these lightmaps were chosen, and can be read."""
    try:
        return lightmaps == "hdr" and len(level.bytes_of(LumpId.LIGHTING_HDR)) > 0
    except FormatError:
        return False


def color_key(values: Mapping[str, str], hdr: bool) -> str:
    """The key, in small letters, that says the colour and brightness of a light. Arguments as of `look`."""
    high = values.get(_HDR, "")
    return _HDR if hdr and high.strip() and "-" not in high else "_light"


def power(brightness: float, distance: float) -> float:
    """The power of a point light that makes a white wall at a distance (m) look so bright."""
    return 4 * math.pi**2 * distance**2 * brightness


def blend(inner: float, outer: float) -> float:
    """Blender's blend of a spot light whose penumbra goes from one cosine to the other."""
    return min(max((inner - outer) / (1 - outer), 0.0), 1.0) if outer < 1 else 0.0


def light_color(text: str) -> tuple[tuple[float, float, float], float]:
    """The colour (linear, the largest channel is 1) and the brightness (linear, 1: white) of "r g b brightness".

    Colours are in gamma space, brightness is not; one number is grey (SDK: LightForString).
    """
    numbers = []
    for part in text.split()[:4]:
        try:
            numbers.append(max(float(part), 0.0))
        except ValueError:
            break
    if not numbers or not all(map(math.isfinite, numbers)):
        return (1.0, 1.0, 1.0), 0.0
    rgb = numbers[:3] if len(numbers) >= 3 else numbers[:1] * 3
    red, green, blue = ((channel / 255) ** 2.2 for channel in rgb)
    color, most = shade(red, green, blue)
    return color, most * (numbers[3] / 255 if len(numbers) == 4 else 1.0)


def shade(red: float, green: float, blue: float) -> tuple[tuple[float, float, float], float]:
    """Linear light as a colour whose largest channel is 1, and its brightness."""
    most = max(red, green, blue)
    return ((red / most, green / most, blue / most), most) if most > 0 else ((1.0, 1.0, 1.0), 0.0)


def direction(values: Mapping[str, str], angles: tuple[float, float, float]) -> tuple[float, float]:
    """Pitch and yaw (degrees) of where vrad lets a light shine. values: by key in small letters. angles: its own.

    `pitch`, where there is one, replaces that of the angles, and both are upwards for lights; -90 shines down.
    """
    pitch = number(values, "pitch") or angles[0]
    angle = number(values, ANGLE)
    if angle in (UP, DOWN):
        return (90.0 if angle == UP else -90.0), 0.0
    return pitch, angle or angles[1]


def rotation(values: Mapping[str, str], angles: tuple[float, float, float]) -> tuple[float, float, float]:
    """The Euler angles (XYZ, radians) of a light: it shines along Blender's -z. Arguments as of `direction`."""
    pitch, yaw = direction(values, angles)
    return math.radians(90 + pitch), 0.0, math.radians(yaw - 90)


def sun(level: source.Level) -> tuple[float, float, float] | None:
    """Where a map's sun is seen, as a direction of length 1; None without one."""
    try:
        found = next((one for one in level.entities if one.classname.lower() == SUN), None)
    except FormatError:  # the entities' own part of the import reports that
        found = None
    if found is None:
        return None
    values = by_key(found)
    pitch, yaw = (math.radians(angle) for angle in direction(values, triple(values, ANGLES)))
    return -math.cos(pitch) * math.cos(yaw), -math.cos(pitch) * math.sin(yaw), -math.sin(pitch)


def build(name: str, kind: Literal["POINT", "SPOT", "SUN"], shown: LampAppearance) -> bpy.types.Light:
    """Make the light of an entity."""
    light = lamp_of(bpy.data.lights.new(showable(name), kind))
    light.energy, light.color = shown.energy, shown.color
    if isinstance(light, bpy.types.SunLight):
        light.angle = shown.spread
    elif not isinstance(light, bpy.types.AreaLight):
        light.shadow_soft_size = 0.0
        light.use_custom_distance, light.cutoff_distance = shown.cutoff > 0, shown.cutoff or light.cutoff_distance
    if isinstance(light, bpy.types.SpotLight):
        light.spot_size, light.spot_blend = shown.spot_size, shown.spot_blend
    made: bpy.types.Light = light
    return made
