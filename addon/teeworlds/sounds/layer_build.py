# SPDX-License-Identifier: GPL-3.0-or-later
"""Sound layers to speakers (teeworlds.md §3, §5); `layer_collect` is the way back.

A sound layer is an empty with a speaker below it for each source. All that a source has but its place is in
SourceProperties on the speaker's object; outlines below it show its shape in its size. A circle's radius is also the
speaker's largest distance, and the part of it that `falloff` tells the distance up to which it is heard in full: with
attenuation 1 and the scene's distance model Linear Clamped Blender fades between them as the game does. Blender has no
rectangles: their largest distance is half their larger side.

Position envelopes move the speaker's object, sound envelopes the speaker's volume.
"""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from ....formats import teeworlds
from ....formats.binary import FormatError
from ....formats.teeworlds.records import EnvelopeKind, SourceShape
from ...scene.fields import properties
from ...scene.geometry import meshes
from ...scene.kept import baselines
from ...scene.media import animation
from ...scene.names import showable
from .. import layout
from ..layout import FIXED, TILE, SoundLayerProperties
from ..structure.placement import LayerPlacement
from .build import LevelSounds

UNIT = FIXED * TILE
"""Units of the file's lengths per Blender unit."""
ELEMENT = "element_token"
"""Baseline on a source's object: `layout.element_token`, by which its stamp's record is one of its layer."""
_CORNERS = 64


@dataclass
class SourceProperties:
    """On the speaker objects of sources."""

    shape: str = properties.setting(
        "CIRCLE", "Where the source is heard", choices=tuple(shape.name for shape in SourceShape)
    )
    radius: int = properties.setting(1500, "Circle: how far it is heard, px (32 to a tile)", 0, 2**31 - 1)
    width: float = properties.setting(2000.0, "Rectangle: its width in px (32 to a tile)", 0.0, 2.0**21)
    height: float = properties.setting(1000.0, "Rectangle: its height in px (32 to a tile)", 0.0, 2.0**21)
    falloff: int = properties.setting(
        80, "Which part of the radius or rectangle is heard in full, 255 = all; from there on it fades", 0, 255
    )
    looping: bool = properties.setting(True, "Starts again when it ends")
    panning: bool = properties.setting(True, "Comes from the side where the source is")
    delay: int = properties.setting(0, "Seconds before it starts", 0, 2**31 - 1)


def shown_source(source: np.void) -> SourceProperties:
    """The properties that show a SOURCE record. Numbers out of their limits show as the nearest: the record keeps them.

    The two sizes of the other shape are Blender's to remember: they have the defaults.
    """
    shape = SourceShape.RECTANGLE if source["shape"] == SourceShape.RECTANGLE else SourceShape.CIRCLE
    values = SourceProperties(
        shape=shape.name,
        falloff=min(max(int(source["falloff"]), 0), 255),
        looping=bool(source["looping"]),
        panning=bool(source["panning"]),
        delay=max(int(source["delay"]), 0),
    )
    if shape is SourceShape.CIRCLE:
        values.radius = max(int(source["width"]), 0)
    else:
        values.width, values.height = (max(int(source[name]), 0) / FIXED for name in ("width", "height"))
    return values


def distances(source: SourceProperties) -> tuple[float, float]:
    """The speaker's largest distance, and that up to which it is heard in full, as Blender rounds them."""
    circle = source.shape == SourceShape.CIRCLE.name
    reach = (source.radius if circle else max(source.width, source.height) / 2) / TILE
    return float(np.float32(reach)), float(np.float32(reach * source.falloff / 255))


def build(layer: teeworlds.SoundLayer, placement: LayerPlacement, sounds: LevelSounds) -> bpy.types.Object:
    """Make the empty of a sound layer, and below it a speaker for each source."""
    name = f"{placement.number} {layout.readable(layer.name) or 'Sounds'}"
    obj = bpy.data.objects.new(showable(name), None)
    try:
        sources, obj[layout.STORAGE] = layer.sources(), layout.MESH
    except FormatError as error:
        sources, obj[layout.STORAGE] = np.zeros(0, teeworlds.SOURCE), layout.KEPT
        placement.report.warn(f"layer {name!r} shows no sources: {error}")
    properties.write(obj, SoundLayerProperties(layer.name, layer.detail, layer.sound))
    placement.place(obj)
    outlines = {shape: _outline_mesh(shape) for shape in SourceShape} if len(sources) else {}
    for number, source in enumerate(sources):
        speaker = build_source(f"{name} source {number}", source, placement, sounds.block(layer.sound), outlines)
        placement.place_below(speaker, obj, layout.SOURCE, number)
        baselines.store(speaker, ELEMENT, np.int32(placement.element_token))
    placement.report.count("sound layers")
    placement.report.count("sound sources", len(sources))
    return obj


def add_source(
    layer: bpy.types.Object,
    place: tuple[float, float],
    shape: SourceShape,
    placement: LayerPlacement,
    sounds: LevelSounds,
) -> bpy.types.Object:
    """Give a sound layer's object a new source at a place of it, in tiles, y up: the speaker."""
    source = np.zeros(1, teeworlds.SOURCE)[0]
    values = SourceProperties()
    source["shape"], source["falloff"], source["looping"], source["panning"] = shape, values.falloff, True, True
    source["x"], source["y"] = round(place[0] * UNIT), round(-place[1] * UNIT)
    sizes = (values.radius, 0) if shape is SourceShape.CIRCLE else (values.width * FIXED, values.height * FIXED)
    source["width"], source["height"] = (int(size) for size in sizes)
    source["position_envelope"] = source["sound_envelope"] = -1
    number = sum(child.type == "SPEAKER" for child in layer.children_recursive)
    outlines = {one: _outline_mesh(one) for one in SourceShape}
    held = sounds.block(int(layer["sound"]))
    speaker = build_source(f"{layer.name} source {number}", source, placement, held, outlines)
    placement.place_below(speaker, layer, layout.SOURCE, layout.NEW)
    return speaker


def build_source(
    name: str,
    source: np.void,
    placement: LayerPlacement,
    sound: bpy.types.Sound | None,
    outlines: dict[SourceShape, bpy.types.Mesh],
) -> bpy.types.Object:
    """Make the speaker of a SOURCE record, with outlines of these meshes below it."""
    speaker = _speaker(name, source, placement, sound)
    for shape, mesh in outlines.items():
        _outline(speaker, shape, placement, mesh)
    return speaker


def _speaker(name: str, source: np.void, placement: LayerPlacement, sound: bpy.types.Sound | None) -> bpy.types.Object:
    data = bpy.data.speakers.new(showable(name))
    data.sound = sound
    data.attenuation = 1.0
    obj = bpy.data.objects.new(showable(name), data)
    obj.location = (int(source["x"]) / UNIT, -int(source["y"]) / UNIT, 0.0)
    values = shown_source(source)
    properties.write(obj, values)
    data.distance_max, data.distance_reference = distances(values)
    for kind, target, key in (
        (EnvelopeKind.POSITION, obj, "position_envelope"),
        (EnvelopeKind.SOUND, data, "sound_envelope"),
    ):
        placement.envelopes.play(target, kind, int(source[key]), int(source[f"{key}_offset"]))
    return obj


def _outline_mesh(shape: SourceShape) -> bpy.types.Mesh:
    """The outline of a shape: a circle of radius 1, or a square of side 1."""
    corners = _CORNERS if shape is SourceShape.CIRCLE else 4
    angles = (np.arange(corners) + 0.5) * (2 * np.pi / corners)
    size = 1.0 if shape is SourceShape.CIRCLE else np.sqrt(0.5)
    ring = np.stack([np.cos(angles) * size, np.sin(angles) * size, np.zeros(corners)], axis=-1)
    return meshes.build(f"Sound {shape.name.lower()}", ring, np.arange(corners), [0])


def _outline(speaker: bpy.types.Object, shape: SourceShape, placement: LayerPlacement, mesh: bpy.types.Mesh) -> None:
    """Show a shape below a speaker, as large as its properties say and only if it is the speaker's."""
    obj = bpy.data.objects.new(showable(f"{speaker.name} {shape.name.lower()}"), mesh)
    obj.display_type = "WIRE"
    obj.hide_render = obj.hide_select = True
    placement.place_below(obj, speaker, layout.PREVIEW, -1)
    keys = ("radius", "radius") if shape is SourceShape.CIRCLE else ("width", "height")
    for axis, key in enumerate(keys):
        animation.drive(obj, "scale", axis, f"size / {TILE}", {"size": (speaker, f'["{key}"]')})
    shown = {"shape": (speaker, '["shape"]')}
    animation.drive(obj, "hide_viewport", -1, f"shape != {shape.value}", shown)
