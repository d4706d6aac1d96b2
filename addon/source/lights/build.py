# SPDX-License-Identifier: GPL-3.0-or-later
"""Lights as the compiler left them: those of entities, and those that it made of bright textures and of the sky."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from functools import cache
from typing import Literal, get_type_hints

import bpy
import numpy as np
from bpy.types import Light

from ....formats import source
from ....formats.arrays import Floats, Records
from ....formats.source import LumpId
from ....formats.source.numbers import doubles
from ....formats.source.records import EmitType
from ...scene.blender_types import lamp_of
from ...scene.fields import properties
from ...scene.fields.properties import setting
from ...scene.geometry import transforms
from ...scene.kept import baselines, identity
from ...scene.names import showable
from ...scene.work.progress import Steps
from .. import layout
from ..context import ImportContext
from . import lamps

HOME = "Compiled Lights"
INTENSITY = "intensity"
"""Key: light along red, green and blue, linear, at a distance of 1 of a light that falls with its square."""
_TITLES = ("surface", "point", "spot", "sky", "quake", "ambient")
_KINDS: dict[int, Literal["POINT", "SPOT", "SUN"]] = {
    EmitType.POINT: "POINT",
    EmitType.QUAKELIGHT: "POINT",
    EmitType.SPOTLIGHT: "SPOT",
    EmitType.SKYLIGHT: "SUN",
}
LAMPS = ("POINT", "SUN", "SPOT", "AREA")
"""Types of Blender's lights, as `shape_of` numbers them."""


@dataclass
class LightProperties:
    """On compiled lights, besides INTENSITY. Versions have some of these fields."""

    type: int = setting(1, "What shines: 0 a surface, 1 a point, 2 a spot, 3 the sun, 4 a quake's point, 5 the sky")
    style: int = setting(0, "How it flickers, and what switches it: 0 always shines")
    cluster: int = setting(-1, "Cluster of visibility that it is in; -1: none")
    owner: int = setting(0, "Number of the entity that it moves with; 0: none")
    texinfo: int = setting(-1, "Texinfo of the surface that shines; -1: none")
    flags: int = setting(0, "Bits: 1 is in the ambient cubes")
    mode: int = setting(0, "0 static, 1 specular, 2 bounce, 3 dynamic", 0, 255)
    stopdot: float = setting(0.0, "Cosine of the angle to its axis where a spotlight's penumbra begins", -1, 1)
    stopdot2: float = setting(0.0, "Cosine of the angle to its axis where a spotlight's penumbra ends", -1, 1)
    exponent: float = setting(0.0, "How fast a spotlight fades from its axis to the edge of its cone")
    radius: float = setting(0.0, "Units from where on it lights nothing; 0: it has no end")
    constant_attn: float = setting(0.0, "Light is divided by constant + linear d + quadratic d * d")
    linear_attn: float = setting(0.0, "Light is divided by constant + linear d + quadratic d * d")
    quadratic_attn: float = setting(0.0, "Light is divided by constant + linear d + quadratic d * d")
    shadow_cast_offset: tuple[float, float, float] = setting((0.0, 0.0, 0.0), "Units from it to where shadows begin")


@cache
def properties_of(fields: tuple[str, ...]) -> type:
    """LightProperties with these fields alone: those of a version's records."""
    types = get_type_hints(LightProperties)
    parts = [
        (one.name, types[one.name], dataclasses.field(default=one.default, metadata=one.metadata))
        for one in dataclasses.fields(LightProperties)
        if one.name in fields
    ]
    return dataclasses.make_dataclass("LightProperties", parts)


def prepare(importing: ImportContext) -> Steps[None]:
    """Read the lights; what is returned makes the objects, in a hidden collection. Raises FormatError."""
    records = importing.level.table(shown_lump(importing.level))
    return _place(importing, records)


def shown_lump(level: source.Level) -> LumpId:
    """Of the two lists of lights the one that is shown. Raises FormatError."""
    return LumpId.WORLDLIGHTS if len(level.table(LumpId.WORLDLIGHTS)) else LumpId.WORLDLIGHTS_HDR


def _place(importing: ImportContext, records: Records) -> Steps[None]:
    if not len(records):
        return
    home = importing.group(HOME)
    home.hide_viewport = home.hide_render = True
    width = len(str(len(records)))
    turns = _turns(doubles(records["normal"])).tolist()
    places = doubles(records["origin"]).tolist()
    kind_of = properties_of(records.dtype.names or ())
    shown_fields = [one.name for one in properties.fields(kind_of)]
    shades, shapes = [], []
    for number, record in enumerate(records):
        kind = int(record["type"])
        title = _TITLES[kind] if 0 <= kind < len(_TITLES) else "unknown"
        name = f"Compiled {title} {number:0{width}}"
        obj = bpy.data.objects.new(showable(name), light_of(name, record, importing.scale))
        obj.parent = importing.root
        identity.stamp(obj, importing.token, layout.WORLDLIGHT, number)
        obj.location, obj.rotation_euler = places[number], turns[number]
        obj.empty_display_size = 8.0
        obj[INTENSITY] = record[INTENSITY].tolist()
        properties.write(obj, kind_of(**{key: record[key].tolist() for key in shown_fields}))
        shades.append(shade_of(obj.data))
        shapes.append(shape_of(obj.data))
        transforms.remember_new(obj)
        home.objects.link(obj)
        yield
    baselines.store(importing.collection, layout.SHADES, np.array(shades, np.float32))
    baselines.store(importing.collection, layout.SHAPES, np.array(shapes, np.float32))
    importing.report.count("compiled lights", len(records))


def shade_of(data: bpy.types.ID | None) -> tuple[float, float, float, float]:
    """The colour and power of an object's data; all 0 of what is no light."""
    if not isinstance(data, Light):
        return 0.0, 0.0, 0.0, 0.0
    red, green, blue = data.color[:]
    return red, green, blue, lamp_of(data).energy


def shape_of(data: bpy.types.ID | None) -> tuple[float, float, float, float]:
    """Of an object's data that is a light, its number in LAMPS, the angle and blend of its cone, and the metres from
    where on it lights nothing (0: it has no end); -1 and 0 of what is none.
    """
    if not isinstance(data, Light):
        return -1.0, 0.0, 0.0, 0.0
    light = lamp_of(data)
    size, edge = (light.spot_size, light.spot_blend) if isinstance(light, bpy.types.SpotLight) else (0.0, 0.0)
    return LAMPS.index(light.type), size, edge, light.cutoff_distance if light.use_custom_distance else 0.0


def _turns(normals: Floats) -> Floats:
    """float64[n, 3]: the Euler angles (XYZ) that turn -z to each direction."""
    x, y, z = normals.T
    pitch = np.arctan2(z, np.hypot(x, y))
    return np.stack([np.pi / 2 + pitch, np.zeros(len(x)), np.arctan2(y, x) - np.pi / 2], axis=1)


def light_of(name: str, record: np.void, scale: float) -> bpy.types.Light | None:
    """The light of a record, as `lamps` translates those of entities: intensities are 1 for white here.

    Light of a surface falls as that of a point on it, and with the cosine to its normal: a spotlight of 180 degrees.
    None for what shines from everywhere.
    """
    kind = int(record["type"])
    if kind not in _KINDS and kind != EmitType.SURFACE:
        return None
    color, brightness = lamps.shade(*(max(float(one), 0.0) for one in doubles(record["intensity"])))
    if kind == EmitType.SKYLIGHT:
        return lamps.build(name, "SUN", lamps.LampAppearance(math.pi * brightness, color))
    reference = lamps.REFERENCE
    fall = float(record["constant_attn"]) + reference * (
        float(record["linear_attn"]) + reference * float(record["quadratic_attn"])
    )
    if kind == EmitType.SURFACE:
        fall = reference * reference  # their records have none of these numbers
    energy = lamps.power(brightness / fall if fall > 0 else 0.0, reference * scale)
    cutoff = max(float(record["radius"]), 0.0) * scale
    if kind == EmitType.SURFACE:
        return lamps.build(name, "SPOT", lamps.LampAppearance(energy, color, cutoff, math.pi, 1.0))
    if kind != EmitType.SPOTLIGHT:
        return lamps.build(name, "POINT", lamps.LampAppearance(energy, color, cutoff))
    inner, outer = (min(max(float(record[key]), 0.0), 1.0) for key in ("stopdot", "stopdot2"))
    appearance = lamps.LampAppearance(energy, color, cutoff, 2 * math.acos(outer), lamps.blend(inner, outer))
    return lamps.build(name, "SPOT", appearance)
