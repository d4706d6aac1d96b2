# SPDX-License-Identifier: GPL-3.0-or-later
"""Envelopes as Blender actions (teeworlds.md §3, §5); `collect` is the way back.

One action an envelope, held by the level (resource ENVELOPE) and played through NLA strips: the strip repeats as the
game does (time modulo the last point's), and starts earlier by the time offset of what plays it. Slide a strip to
change the offset, choose another action in it to change the envelope, delete it to stop the motion.

    position    delta_location x, y (y up) and delta_rotation_euler z of objects, so that the location stays
                the record's
    colour      the property ENVELOPE_COLOR of objects, which materials multiply in
    sound       the volume of speakers

Frame 0 is time 0, at the frame rate that the scene had at import. See `formats.teeworlds.curves` for keys.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import bpy
import numpy as np

from ....formats import teeworlds
from ....formats.teeworlds import curves
from ....formats.teeworlds.envelopes import period
from ....formats.teeworlds.records import EnvelopeKind
from ...scene.blender_types import Slot
from ...scene.fields import properties
from ...scene.kept import baselines, identity, originals
from ...scene.media import animation
from ...scene.media.animation import IdType
from ...scene.names import showable
from .. import layout
from ..context import ImportContext

REPEATS = 1000
"""How often a strip repeats its envelope: Blender allows no more."""
FAR = 1_000_000
"""Frames; a strip that an offset would move further starts at the same phase of the envelope instead."""
KEYS, FPS = "keys", "fps"
"""Baselines on actions: the keys as they were built, int32 [channels, rows, words of KEY], and the frame rate."""


class Channel(NamedTuple):
    """A channel of an envelope."""

    path: str
    """Of the property that it animates."""
    axis: int
    """Of that property."""
    factor: float
    """Blender units a file unit."""
    rest: int
    """The property's value where no envelope is, in file units."""


_LENGTH = 1 / (layout.FIXED * layout.TILE)
_DEGREE = math.pi / 180 / layout.FIXED
CHANNELS = {
    EnvelopeKind.POSITION: (
        Channel("delta_location", 0, _LENGTH, 0),
        Channel("delta_location", 1, -_LENGTH, 0),
        Channel("delta_rotation_euler", 2, -_DEGREE, 0),
    ),
    EnvelopeKind.COLOR: tuple(
        Channel(f'["{layout.ENVELOPE_COLOR}"]', index, 1 / layout.FIXED, layout.FIXED) for index in range(4)
    ),
    EnvelopeKind.SOUND: (Channel("volume", 0, 1 / layout.FIXED, layout.FIXED),),
}
OWN = {
    EnvelopeKind.POSITION: (
        Channel("location", 0, _LENGTH, 0),
        Channel("location", 1, -_LENGTH, 0),
        Channel("rotation_euler", 2, -_DEGREE, 0),
    ),
    EnvelopeKind.COLOR: tuple(Channel("color", index, 1 / layout.FIXED, layout.FIXED) for index in range(4)),
    EnvelopeKind.SOUND: (),
}
"""What animators key of quads and sources by themselves: see `own_keys`."""
ID_TYPES: dict[EnvelopeKind, IdType] = {
    EnvelopeKind.POSITION: "OBJECT",
    EnvelopeKind.COLOR: "OBJECT",
    EnvelopeKind.SOUND: "SPEAKER",
}
LABELS = {EnvelopeKind.POSITION: "position", EnvelopeKind.COLOR: "colour", EnvelopeKind.SOUND: "sound"}


@dataclass
class EnvelopeProperties:
    """On an envelope's action."""

    envelope_name: str = properties.setting("", "Name of the envelope, up to 31 bytes")
    envelope_kind: str = properties.setting(
        "POSITION", "What the envelope moves", choices=tuple(kind.name for kind in EnvelopeKind)
    )
    synchronized: bool = properties.setting(
        True, "Runs on the game's time instead of the time since the player joined; DDNet always does the first"
    )


def scene_fps(scene: bpy.types.Scene) -> float:
    """Frames a second of a scene."""
    return float(animation.frame_of(1.0, scene))


class Envelopes:
    """The actions of a level's envelopes (made by `build`), for the importer to play on what they move."""

    def __init__(self, actions: list[bpy.types.Action], level: teeworlds.Level, fps: float) -> None:
        self.actions = actions
        self.fps = fps
        self._kinds = [envelope.kind for envelope in level.envelopes]
        self._periods = [period(envelope.points) for envelope in level.envelopes]
        self._slots = [animation.slot(action) for action in actions]

    def moves(self, kind: EnvelopeKind, number: int) -> bool:
        """Say whether `number` (any int) names an envelope of this kind: others move nothing in Blender."""
        return 0 <= number < len(self.actions) and self._kinds[number] == kind

    def play(self, id_block: bpy.types.ID, kind: EnvelopeKind, number: int, offset: int) -> bool:
        """Play envelope `number` on a data-block, `offset` ms ahead; False where it names none of this kind.

        id_block: an object; for sound envelopes the speaker's data.
        """
        if not self.moves(kind, number):
            return False
        if kind is EnvelopeKind.COLOR and id_block.get(layout.ENVELOPE_COLOR) is None:
            id_block[layout.ENVELOPE_COLOR] = (1.0, 1.0, 1.0, 1.0)
        _strip(id_block, kind, self.actions[number], self._slots[number], self._periods[number], offset, self.fps)
        return True


def play_action(id_block: bpy.types.ID, kind: EnvelopeKind, action: bpy.types.Action, offset: int, fps: float) -> None:
    """Play an envelope's action on a data-block, `offset` ms ahead, again and again as the game does."""
    ends = [curve.range()[1] for curve in animation.fcurves(action, animation.slot(action, ID_TYPES[kind]))]
    length = int(curves.milliseconds(max(ends, default=0.0), fps))
    _strip(id_block, kind, action, animation.slot(action, ID_TYPES[kind]), length, offset, fps)


def build(importing: ImportContext, fps: float) -> Envelopes:
    """Make an action of every envelope of a level and let the level's collection hold them.

    fps: the frame rate of the scene that the level is for.
    """
    level = importing.level
    actions = []
    for number, envelope in enumerate(level.envelopes):
        kind = envelope.kind
        action = make_action(
            f"{number} {layout.readable(envelope.name)}".rstrip(), kind, envelope.points, envelope.tangents, fps
        )
        properties.write(action, EnvelopeProperties(envelope.name, kind.name, envelope.synchronized))
        identity.stamp(action, importing.token, layout.ENVELOPE, number)
        originals.set_resource(importing.collection, layout.ENVELOPE, number, action)
        actions.append(action)
    importing.report.count("envelopes", len(actions))
    return Envelopes(actions, level, fps)


def make_action(
    name: str, kind: EnvelopeKind, points: curves.Points, tangents: curves.Points | None, fps: float
) -> bpy.types.Action:
    """An action that is an envelope of these points (POINT [n], BEZIER [n] or None)."""
    action = animation.action(f"{name} ({LABELS[kind]})", ID_TYPES[kind])
    slot = animation.slot(action)
    keys = curves.build_keys(points, tangents, [channel.factor for channel in CHANNELS[kind]], fps)
    for channel, row in zip(CHANNELS[kind], keys, strict=True):
        curve = animation.fcurve(action, slot, channel.path, channel.axis)
        animation.set_keys(
            curve, row["frame"], row["value"], row["interpolation"], row["easing"], row["left"], row["right"]
        )
        row[:] = keys_of(curve)  # Blender keeps handles a little longer than none
    baselines.store(action, KEYS, keys.view(np.int32).reshape(*keys.shape, curves.KEY.itemsize // 4))
    baselines.store(action, FPS, np.float64(fps))
    return action


def keys_of(curve: bpy.types.FCurve | None) -> curves.Keys:
    """The keys of an F-curve, KEY [n]; none where there is no curve."""
    if curve is None:
        return np.zeros(0, curves.KEY)
    found = animation.read_keys(curve)
    keys = np.zeros(len(found), curves.KEY)
    for name, values in (
        ("frame", found.frames),
        ("value", found.values),
        ("interpolation", found.interpolation),
        ("easing", found.easing),
        ("left", found.left),
        ("right", found.right),
    ):
        keys[name] = values
    return keys


def _strip(
    id_block: bpy.types.ID,
    kind: EnvelopeKind,
    action: bpy.types.Action,
    slot: Slot | None,
    length: int,
    offset: int,
    fps: float,
) -> None:
    """Play an action through a strip of a track of its own. The strip's own repeating is exact where the last key meets
    the first one; F-curve cycles show the last key there.
    """
    track = id_block.animation_data_create().nla_tracks.new()
    track.name = showable(LABELS[kind])
    strip = track.strips.new(action.name, 0, action)
    if slot is not None:
        strip.action_slot = slot
    strip.use_sync_length = True
    strip.action_frame_start = 0
    strip.action_frame_end = float(curves.frames(length, fps)) if length else 1.0
    strip.repeat = REPEATS
    strip.frame_start = strip_start(offset, length, fps)
    strip.extrapolation = "HOLD"
    strip.blend_type = "REPLACE"


def strip_start(offset: int, length: int, fps: float) -> float:
    """The frame at which a strip starts whose envelope (`length` ms) runs `offset` ms ahead."""
    start = -float(curves.frames(offset, fps))
    if length and (start > FAR or -start > min(FAR, float(curves.frames(length, fps)) * REPEATS / 2)):
        start = -float(curves.frames(math.fmod(offset, length), fps))
    return float(np.float32(start))
