# SPDX-License-Identifier: GPL-3.0-or-later
"""Lights, speakers, cameras and empties that say some of their entity's properties themselves, and back.

What an object's data say is kept as its `state` (numbers, see STATES): an entity's property follows where that differs
from the import's, and the property itself was not edited.

**Power of lights.** How Spark's light falls off is not published. Here it is taken to fall evenly from its intensity at
the light to 0 at its distance, and a white surface that it hits squarely with intensity 1 to be white. Blender's falls
with the square of the distance: a light's power is chosen so that both are equal half way, which makes it
intensity * (pi * distance) ** 2 / 2 watts. A spotlight's power is that of the point light that it is a part of.
Cones: of 984 spotlights of real levels none has an outer angle beyond 90 degrees, so it is measured from the middle:
Blender's spot_size is twice that, and spot_blend fades from the inner to the outer angle.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import bpy
import numpy as np
from bpy.types import Camera, Light, Speaker

from ....formats.arrays import Singles
from ...scene.blender_types import Lamp, Value, configure, lamp_of
from ...scene.kept import baselines
from ...scene.names import showable, storable
from .appearance import CAMERA, LIGHT_POINT, LIGHT_SPOT, SPEAKER, Appearance
from .classes import numbers

STATE = "entity_state"
"""Key of the baseline, on objects."""
LINKS = "levelwright_links"
"""On objects: which property is what of the data, as text "radius=distance intensity=intensity"."""
COLOR, POWER, REACH, SHADOW, SPECULAR, SPOT, BLEND = slice(0, 3), 3, 4, 5, 6, 7, 8
"""Of a light's state. A speaker's is volume, distances of full and no loudness, pitch; a camera's its angle; an
empty's its size."""

USUAL_INTENSITY = 5.0
"""That of lights in editor_setup.xml."""
USUAL_DISTANCE = 2.0
"""Metres: that of lights in editor_setup.xml."""
_NEW_POWER = 10.0
"""Watts of Blender's new lights: one that still has them becomes the editor's new light."""
_UNSET = 40.0
"""Metres: the distance of Blender's new lights, which is ignored until it is switched on."""
LIGHT_CLASSES = {"POINT": "light_point", "SPOT": "light_spot"}
"""Class of a new light of one of Blender's types."""

Values = Mapping[str, Value]


def power_of(distance: float) -> float:
    """Watts of a light of intensity 1."""
    return (math.pi * distance) ** 2 / 2


def distance_of(power: float) -> float:
    """Metres that a light of so many watts reaches at the usual intensity."""
    return math.sqrt(2 * max(power, 0.0) / USUAL_INTENSITY) / math.pi


def blend_of(inner: float, outer: float) -> float:
    """Blender's spot_blend of a cone's two angles, measured from the middle, radians."""
    rim = math.cos(min(outer, math.pi / 2))
    return min(max((math.cos(min(inner, outer)) - rim) / (1 - rim), 0.0), 1.0) if rim < 1 else 0.0


def inner_of(blend: float, outer: float) -> float:
    """The inverse of `blend_of`."""
    rim = math.cos(min(outer, math.pi / 2))
    return math.acos(min(max(rim + blend * (1 - rim), -1.0), 1.0))


def build(appearance: Appearance, name: str, values: Values) -> bpy.types.ID | None:
    """The data of an entity's object, as its properties say; None for empties. values: by the keys of properties."""
    made: bpy.types.ID | None = None
    if appearance.kind in (LIGHT_POINT, LIGHT_SPOT):
        made = light = bpy.data.lights.new(showable(name), "SPOT" if appearance.kind == LIGHT_SPOT else "POINT")
        light.use_custom_distance = True
        configure(light, shadow_soft_size=0.0)
    elif appearance.kind == SPEAKER:
        made = speaker = bpy.data.speakers.new(showable(name))
        speaker.attenuation = 1.0
    elif appearance.kind == CAMERA:
        made = camera = bpy.data.cameras.new(showable(name))
        camera.display_size = 0.5
    if made is not None:
        show(made, appearance, values)
    return made


def show(data: bpy.types.ID | None, appearance: Appearance, values: Values) -> None:
    """Make a light, speaker or camera what the properties say."""
    said = {tag: values.get(key) for tag, key in appearance.links.items()}
    if isinstance(data, Light):
        _show_light(lamp_of(data), said)
    elif isinstance(data, Speaker):
        data.volume = _number(said.get("volume"), 0.5)
        data.distance_reference = _number(said.get("min_distance"), 5.0)
        data.distance_max = _number(said.get("max_distance"), 12.0)
        data.pitch = 2.0 ** min(max(_number(said.get("pitch"), 0.0), -4.0), 4.0)
    elif isinstance(data, Camera):
        data.angle = math.radians(min(max(_number(said.get("fov"), 90.0), 1.0), 172.0))


def _show_light(light: Lamp, said: Values) -> None:
    distance = _number(said.get("radius"), 2.0)
    light.color = [max(one, 0.0) for one in numbers(_tuple(said.get("color")), 3) or (1.0, 1.0, 1.0)]
    light.energy = _number(said.get("intensity"), 5.0) * power_of(distance)
    light.cutoff_distance = distance
    light.use_shadow = bool(said.get("casts_shadows", True))
    light.specular_factor = float(bool(said.get("specular", True)))
    if isinstance(light, bpy.types.SpotLight):
        outer = _number(said.get("outer_angle"), math.radians(40.0))
        light.spot_size = 2 * outer
        light.spot_blend = blend_of(_number(said.get("inner_angle"), outer), outer)


def show_size(obj: bpy.types.Object, appearance: Appearance, values: Values) -> None:
    """Draw an empty in its shape, as large as it reaches."""
    obj.empty_display_type, size = appearance.shape
    radius = _number(values.get(appearance.links.get("radius", "")), 0.0)
    obj.empty_display_size = radius if 0 < radius < 1e6 else size


def _tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _number(value: object, default: float) -> float:
    found = numbers(value, 1)
    return found[0] if found is not None else default


def remember(obj: bpy.types.Object, appearance: Appearance) -> None:
    """Keep on an object what its data say, and of which properties; of an empty how large it is in any case."""
    if appearance.links or obj.type == "EMPTY":
        baselines.store(obj, STATE, state(obj))
    if appearance.links:
        obj[LINKS] = storable(" ".join(f"{tag}={key}" for tag, key in appearance.links.items() if " " not in key))


def state(obj: bpy.types.Object) -> Singles:
    """What an object's data say: float32[n], n by the type of the object."""
    data = obj.data
    said: tuple[float, ...] = ()
    if isinstance(data, Light):
        lamp = lamp_of(data)
        cone = (lamp.spot_size, lamp.spot_blend) if isinstance(lamp, bpy.types.SpotLight) else (0.0, 0.0)
        reach, shadow = lamp.cutoff_distance, float(lamp.use_shadow)
        said = (*lamp.color[:], lamp.energy, reach, shadow, lamp.specular_factor, *cone)
    elif isinstance(data, Speaker):
        said = (data.volume, data.distance_reference, data.distance_max, data.pitch)
    elif isinstance(data, Camera):
        said = (data.angle,)
    elif obj.type == "EMPTY":
        said = (obj.empty_display_size,)
    return np.array(said, np.float32)


def links_of(obj: bpy.types.Object) -> dict[str, str]:
    """Which property is what of an object's data, by the latter."""
    text = obj.get(LINKS)
    pairs = (part.partition("=") for part in text.split(" ")) if isinstance(text, str) else ()
    return {tag: key for tag, _, key in pairs if key}


def collect(
    obj: bpy.types.Object, values: Values, links: Mapping[str, str], fresh: bool
) -> tuple[dict[str, Value], list[str]]:
    """The properties that an object's data say otherwise than the import's did, with their new values; and what was
    edited of the data that no property says.

    values: what the properties say now. links: see `links_of`. fresh: say all, whatever the import made.
    """
    now, was = state(obj), baselines.load(obj, STATE)
    if was is None and not links:
        return {}, []
    if fresh or was is None or was.shape != now.shape:
        fresh = True
        was = np.full(now.shape, np.nan, np.float32)
        light = obj.data if isinstance(obj.data, Light) else None
        if light is not None and now[REACH] == _UNSET and not light.use_custom_distance:
            if now[POWER] == _NEW_POWER:
                now[POWER] = USUAL_INTENSITY * power_of(USUAL_DISTANCE)
            now[REACH] = distance_of(float(now[POWER]))
    edited: dict[str, Value] = {}
    if obj.type == "LIGHT":
        _collect_light(now, was, links, values, edited)
    elif obj.type == "SPEAKER":
        for place, tag in enumerate(("volume", "min_distance", "max_distance")):
            if now[place] != was[place]:
                edited[tag] = float(now[place])
        if now[3] != was[3]:
            edited["pitch"] = math.log2(float(now[3]))
    elif obj.type == "CAMERA" and now[0] != was[0]:
        edited["fov"] = math.degrees(float(now[0]))
    elif obj.type == "EMPTY" and now[0] != was[0]:
        edited["radius"] = float(now[0])
    lost = [] if fresh else [_TITLES.get(tag, tag.replace("_", " ")) for tag in edited if tag not in links]
    if obj.type == "LIGHT" and not fresh and now[SPECULAR] != was[SPECULAR] and now[SPECULAR] not in (0, 1):
        lost.append("a specular factor other than 0 and 1")
    return {links[tag]: value for tag, value in edited.items() if tag in links}, lost


_TITLES = {
    "radius": "how far it reaches",
    "casts_shadows": "whether it casts shadows",
    "specular": "its specular factor",
    "outer_angle": "the size of its cone",
    "inner_angle": "the blend of its cone",
    "intensity": "its power",
}
"""What edits of object's data are called that are not written."""


def _collect_light(
    now: Singles,
    was: Singles,
    links: Mapping[str, str],
    values: Values,
    edited: dict[str, Value],
) -> None:
    differs = now != was
    if differs[COLOR].any():
        edited["color"] = [float(one) for one in now[COLOR]]
    if differs[REACH]:
        edited["radius"] = float(now[REACH])
    if differs[POWER]:
        distance = edited.get("radius", _number(values.get(links.get("radius", "")), float(now[REACH])))
        power = power_of(distance)
        edited["intensity"] = float(now[POWER]) / power if power > 0 else 0.0
    for place, tag in ((SHADOW, "casts_shadows"), (SPECULAR, "specular")):
        if differs[place]:
            edited[tag] = bool(now[place] > 0)
    outer = float(now[SPOT]) / 2
    if not outer:
        return
    if differs[SPOT]:
        edited["outer_angle"] = outer
    inner = _number(values.get(links.get("inner_angle", "")), outer)
    if differs[BLEND]:
        edited["inner_angle"] = inner_of(float(now[BLEND]), outer)
    elif differs[SPOT] and inner > outer:
        edited["inner_angle"] = outer
