# SPDX-License-Identifier: GPL-3.0-or-later
"""Lights as the compiler left them: those of entities, and those that it made of bright textures and of the sky."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import bpy
import numpy as np
from numpy.typing import NDArray

from ....formats import source
from ....formats.source import LumpId
from ....formats.source.numbers import doubles
from ....formats.source.records import Records
from ...scene import baselines, identity, transforms
from ...scene.blender_types import Value
from ...scene.names import showable
from .. import layout
from ..context import ImportContext
from . import lamps

HOME = "Compiled Lights"
INTENSITY = "intensity"
NUMBERS = ("style", "cluster", "owner")
"""Fields of the records that are properties, besides INTENSITY."""
_SURFACE, _POINT, _SPOT, _SKY, _QUAKE, _AMBIENT = range(6)
"""EmitTypes (bspfile.h)."""
_TITLES = ("surface", "point", "spot", "sky", "quake", "ambient")
_KINDS: dict[int, Literal["POINT", "SPOT", "SUN"]] = {_POINT: "POINT", _QUAKE: "POINT", _SPOT: "SPOT", _SKY: "SUN"}


def prepare(importing: ImportContext) -> Callable[[], None]:
    """Read the lights; what is returned makes the objects, in a hidden collection. Raises FormatError."""
    records = importing.level.table(shown_lump(importing.level))
    return lambda: _place(importing, records)


def shown_lump(level: source.Level) -> LumpId:
    """Of the two lists of lights the one that is shown. Raises FormatError."""
    return LumpId.WORLDLIGHTS if len(level.table(LumpId.WORLDLIGHTS)) else LumpId.WORLDLIGHTS_HDR


def _place(importing: ImportContext, records: Records) -> None:
    if not len(records):
        return
    home = importing.group(HOME)
    home.hide_viewport = home.hide_render = True
    width = len(str(len(records)))
    turns = _turns(doubles(records["normal"])).tolist()
    places = doubles(records["origin"]).tolist()
    shades = []
    for number, record in enumerate(records):
        kind = int(record["type"])
        title = _TITLES[kind] if 0 <= kind < len(_TITLES) else "unknown"
        name = f"Compiled {title} {number:0{width}}"
        light = _light(name, record, importing.scale) if kind in _KINDS or kind == _SURFACE else None
        obj = bpy.data.objects.new(showable(name), light)
        obj.parent = importing.root
        identity.stamp(obj, importing.token, layout.WORLDLIGHT, number)
        obj.location, obj.rotation_euler = places[number], turns[number]
        obj.empty_display_size = 8.0
        obj[INTENSITY] = record[INTENSITY].tolist()
        for key in NUMBERS:
            obj[key] = int(record[key])
        shades.append(shade_of(obj))
        transforms.remember_new(obj)
        home.objects.link(obj)
    baselines.store(importing.collection, layout.SHADES, np.array(shades, np.float32))
    importing.report.count("compiled lights", len(records))


def shade_of(obj: bpy.types.Object) -> tuple[float, float, float, float]:
    """The colour and power of an object's light; all 0 of one that is none."""
    if not isinstance(obj.data, bpy.types.Light):
        return 0.0, 0.0, 0.0, 0.0
    light: Value = obj.data
    return (*light.color, light.energy)


def _turns(normals: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64[n, 3]: the Euler angles (XYZ) that turn -z to each direction."""
    x, y, z = normals.T
    pitch = np.arctan2(z, np.hypot(x, y))
    return np.stack([np.pi / 2 + pitch, np.zeros(len(x)), np.arctan2(y, x) - np.pi / 2], axis=1)


def _light(name: str, record: np.void, scale: float) -> bpy.types.Light:
    """The light of a record, as `lamps` translates those of entities: intensities are 1 for white here.

    Light of a surface falls as that of a point on it, and with the cosine to its normal: a spotlight of 180 degrees.
    """
    kind = int(record["type"])
    color, brightness = lamps.shade(*(max(float(one), 0.0) for one in doubles(record["intensity"])))
    if kind == _SKY:
        return lamps.build(name, "SUN", lamps.LampAppearance(math.pi * brightness, color))
    reference = lamps.REFERENCE
    fall = float(record["constant_attn"]) + reference * (
        float(record["linear_attn"]) + reference * float(record["quadratic_attn"])
    )
    if kind == _SURFACE:
        fall = reference * reference  # their records have none of these numbers
    energy = lamps.power(brightness / fall if fall > 0 else 0.0, reference * scale)
    cutoff = max(float(record["radius"]), 0.0) * scale
    if kind == _SURFACE:
        return lamps.build(name, "SPOT", lamps.LampAppearance(energy, color, cutoff, math.pi, 1.0))
    if kind != _SPOT:
        return lamps.build(name, "POINT", lamps.LampAppearance(energy, color, cutoff))
    inner, outer = (min(max(float(record[key]), 0.0), 1.0) for key in ("stopdot", "stopdot2"))
    appearance = lamps.LampAppearance(energy, color, cutoff, 2 * math.acos(outer), lamps.blend(inner, outer))
    return lamps.build(name, "SPOT", appearance)
