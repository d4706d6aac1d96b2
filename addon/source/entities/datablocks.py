# SPDX-License-Identifier: GPL-3.0-or-later
"""Lights, speakers and cameras of entities: what was set in Blender becomes the keys that it was made of.

What the import set is kept beside each object, so that nothing is recomputed to tell what was edited.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import bpy
import numpy as np
from bpy.types import Camera, Light

from ....formats.source import numbers
from ....formats.source.entities.entity_values import number
from ....formats.source.entities.text import CLASSNAME
from ...scene.blender_types import lamp_of
from ...scene.kept import baselines
from ..lights import lamps

_SET = "data"
_LIGHT = ("red", "green", "blue", "energy", "cutoff", "spot_size", "spot_blend", "spread")
_MOST = 255.0
_WHITE = "255 255 255 255"
_GAMMA = 2.2


def remember(obj: bpy.types.Object) -> None:
    """Keep what the data of an entity's object is set to."""
    values = _values(obj)
    if values:
        baselines.store(obj, _SET, np.array(values, np.float32))


def edited(obj: bpy.types.Object, values: Mapping[str, str], scale: float, hdr: bool) -> dict[str, str]:
    """The keys of an entity whose light, speaker or camera was set to something else, with their new values; of a new
    light those that it has not.

    values: the entity's own, by key in small letters. scale: metres a unit. hdr: whether lights show what they are in
    HDR. Raises ValueError for a light that is brighter now and that its own keys leave dark.
    """
    was = baselines.load(obj, _SET)
    now = _values(obj)
    if was is None and isinstance(obj.data, Light):
        return _of_new_light(obj.data, now, values, scale, hdr)
    if was is None or len(was) != len(now):  # it is new, or has data of another kind
        return {}
    changed = [not numbers.same([a], [b]) for a, b in zip(was.tolist(), now, strict=True)]
    if not any(changed):
        return {}
    if isinstance(obj.data, Light):
        set_now = dict(zip(_LIGHT, changed, strict=True))
        if obj.data.type != lamps.kind_of(values.get(CLASSNAME, "")):  # what lights of that type have is none of its
            set_now |= dict.fromkeys(("spot_size", "spot_blend", "spread"), False)
        return _of_light(was.tolist(), now, set_now, values, scale, hdr)
    if isinstance(obj.data, Camera):
        return {"fov": numbers.text(round(math.degrees(now[0]), 3))}
    reach, loud = changed
    found = {"radius": numbers.text(round(now[0] / scale, 3))} if reach else {}
    return found | ({"health": numbers.text(round(now[1] * 10, 3))} if loud else {})


def _values(obj: bpy.types.Object) -> list[float]:
    """What the keys are shown as, of an object that has such data."""
    data = obj.data
    if isinstance(data, bpy.types.Light):
        lamp = lamp_of(data)
        cutoff = lamp.cutoff_distance if lamp.use_custom_distance else 0.0
        size, edge = (lamp.spot_size, lamp.spot_blend) if isinstance(lamp, bpy.types.SpotLight) else (0.0, 0.0)
        spread = lamp.angle if isinstance(lamp, bpy.types.SunLight) else 0.0
        return [*lamp.color[:], lamp.energy, cutoff, size, edge, spread]
    if isinstance(data, bpy.types.Camera):
        return [data.angle]
    return [data.distance_max, data.volume] if isinstance(data, bpy.types.Speaker) else []


def _of_new_light(
    light: bpy.types.Light, now: Sequence[float], values: Mapping[str, str], scale: float, hdr: bool
) -> dict[str, str]:
    if light.type != lamps.kind_of(values.get(CLASSNAME, "")):
        return {}
    lacking = {
        "energy": not values.get(lamps.color_key(values, hdr)),
        "cutoff": now[4] > 0 and not {"_distance", "_zero_percent_distance"} & values.keys(),
        "spot_size": light.type == "SPOT" and "_cone" not in values,
        "spread": now[7] > 0 and "sunspreadangle" not in values,
    }
    return _of_light([0.0] * len(now), now, dict.fromkeys(_LIGHT, False) | lacking, values, scale, hdr)


def _of_light(
    was: Sequence[float],
    now: Sequence[float],
    changed: Mapping[str, bool],
    values: Mapping[str, str],
    scale: float,
    hdr: bool,
) -> dict[str, str]:
    found: dict[str, str] = {}
    colored = any(changed[name] for name in ("red", "green", "blue"))
    if colored or changed["energy"]:
        key = lamps.color_key(values, hdr)
        color = np.clip(now[:3], 0, None)
        most = float(color.max())
        channels = (_MOST * (color / (most or 1.0)) ** (1 / _GAMMA)).round().astype(int).tolist()
        parts = values.get(key, "").split()
        if was[3] == 0:
            white = lamps.appearance(values.get(CLASSNAME, ""), {**values, key: _WHITE}, scale, hdr).energy
            if not white:
                raise ValueError(f"its other keys leave it dark, so nothing says how bright it is: edit its {key}")
            level = now[3] / white * most * _MOST
        elif colored or len(parts) not in (3, 4):
            level = lamps.light_color(values.get(key, ""))[1] * most * (now[3] / was[3]) * _MOST
        else:  # the colour stays as it is written
            channels = parts[:3]
            level = (number({key: parts[3]}, key) if len(parts) == 4 else _MOST) * now[3] / was[3]
        found[key] = " ".join([*map(str, channels), numbers.text(round(level, 3))])
    if changed["cutoff"]:
        key = "_zero_percent_distance" if number(values, "_zero_percent_distance") > 0 else "_distance"
        found[key] = numbers.text(round(now[4] / scale, 3))
    if changed["spot_size"] or changed["spot_blend"]:
        outer = math.degrees(now[5]) / 2
        if changed["spot_size"]:
            found["_cone"] = numbers.text(round(outer, 3))
        cosine = math.cos(math.radians(outer))
        inner = math.degrees(math.acos(min(cosine + now[6] * (1 - cosine), 1.0)))
        found["_inner_cone"] = numbers.text(round(inner, 3))
    if changed["spread"]:
        found["sunspreadangle"] = numbers.text(round(math.degrees(now[7]), 3))
    return found
