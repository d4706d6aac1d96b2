# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys on a quad's or a source's own location, rotation and colour, as animators set them, taken for envelopes.

An envelope adds to where a record is and turns it about its pivot. So a keyed location counts from what it is at frame
0, which is where the record lies; a keyed rotation is the envelope's, and the record isn't turned.
"""

from __future__ import annotations

from collections.abc import Callable

import bpy
import numpy as np

from ....formats.teeworlds import curves
from ....formats.teeworlds.records import EnvelopeKind
from ...scene.fields import properties
from ...scene.geometry.transforms import Values
from ...scene.kept.identity import ancestor, kind_of
from ...scene.media import animation
from ...scene.reports import SceneError
from .. import layout
from .build import CHANNELS, ID_TYPES, OWN, Channel, keys_of

PLACE = "location"
"""The path whose keys count from their value at frame 0."""


def takes_own_keys(id_block: bpy.types.ID) -> bool:
    """Whether keys on a data-block's own channels are an envelope: it is a quad, a mesh of quads, or a source."""
    if not isinstance(id_block, bpy.types.Object) or kind_of(id_block) == layout.PREVIEW:
        return False
    layer = id_block if kind_of(id_block) == layout.LAYER else ancestor(id_block, layout.LAYER)
    if layer is None or layer.get("tile_kind") is not None:
        return False
    return layer != id_block or isinstance(id_block.data, bpy.types.Mesh)


def find(action: bpy.types.Action, kind: EnvelopeKind, channel: Channel) -> bpy.types.FCurve | None:
    """The F-curve of a channel of a kind of envelopes; None where the action has none with keys."""
    curve = animation.find_fcurve(action, animation.slot(action, ID_TYPES[kind]), channel.path, channel.axis)
    return curve if curve is not None and len(curve.keyframe_points) else None


def has(action: bpy.types.Action, kind: EnvelopeKind, channels: tuple[Channel, ...]) -> bool:
    """Whether an action has keys on any of these channels that change something, or is a level's envelope.

    Blender keys all channels at once, also those that stay as they are.
    """
    held = action.get(properties.BASELINE) is not None
    curves_and_channels = ((find(action, kind, channel), channel) for channel in channels)
    return any(curve is not None and (held or _changes(curve, channel)) for curve, channel in curves_and_channels)


Asked = Callable[[bpy.types.Action, EnvelopeKind, tuple[Channel, ...]], bool]


def _changes(curve: bpy.types.FCurve, channel: Channel) -> bool:
    """Whether keys have another value than the one where nothing is keyed."""
    rest = curve.evaluate(0.0) if channel.path == PLACE else channel.rest * channel.factor
    return any(point.co[1] != rest for point in curve.keyframe_points)


def is_idle(action: bpy.types.Action, kind: EnvelopeKind) -> bool:
    """Whether an action has nothing that would be an envelope of a kind."""
    return not has(action, kind, CHANNELS[kind]) and not has(action, kind, OWN[kind])


def keys(action: bpy.types.Action, kind: EnvelopeKind) -> list[curves.Keys]:
    """The keys of an envelope's channels, KEY [n] each, that an action's keys on own channels stand for."""
    found = []
    for channel in OWN[kind]:
        curve = find(action, kind, channel)
        one = keys_of(curve)
        if curve is not None and channel.path == PLACE:
            for field in (one["value"], one["left"][:, 1], one["right"][:, 1]):
                field -= np.float32(curve.evaluate(0.0))
        found.append(one)
    return found


def action_of(id_block: bpy.types.ID, kind: EnvelopeKind, asked: Asked = has) -> bpy.types.Action | None:
    """The action whose keys on own channels are a data-block's envelope of a kind; None for none.

    asked: `has`, or what remembers its answers.
    Raises SceneError where further keys, on the channels of envelopes, would be another one.
    """
    data = getattr(id_block, "animation_data", None)
    if data is None:
        return None
    playing = [strip.action for track in reversed(data.nla_tracks) for strip in reversed(track.strips)]
    if data.action is not None and not data.use_tweak_mode:
        playing.insert(0, data.action)
    own = [action for action in playing if action is not None and asked(action, kind, OWN[kind])]
    if not own or not takes_own_keys(id_block):
        return None
    if any(action is not None and asked(action, kind, CHANNELS[kind]) for action in playing):
        what = "location or rotation" if kind is EnvelopeKind.POSITION else "colour"
        raise SceneError(
            f"{id_block.name}: it has an envelope, and keys on its own {what}; the game plays one: delete either the "
            "keys or the strip in the NLA editor",
            [id_block] if isinstance(id_block, bpy.types.Object) else (),
        )
    found: bpy.types.Action = own[0]
    return found


def rest(obj: bpy.types.Object, asked: Asked = has) -> Values | None:
    """Location and rotation of an object without what its own keys add: where its record is; None where none do.

    asked: as for `action_of`.
    """
    action = action_of(obj, EnvelopeKind.POSITION, asked)
    if action is None:
        return None
    values = {PLACE: [*obj.location[:]], "rotation_euler": [*obj.rotation_euler[:]]}
    for channel in OWN[EnvelopeKind.POSITION]:
        curve = find(action, EnvelopeKind.POSITION, channel)
        if curve is not None:
            values[channel.path][channel.axis] = curve.evaluate(0.0) if channel.path == PLACE else 0.0
    return {path: tuple(row) for path, row in values.items()}


def untaken(obj: bpy.types.Object) -> list[str]:
    """What of an object its own action moves, or colours, by channels that are no envelope's: "scale", ..."""
    data = obj.animation_data
    if data is None or data.action is None or data.use_tweak_mode:
        return []
    taken = {(one.path, one.axis) for each in OWN.values() for one in each} if takes_own_keys(obj) else set()
    found: dict[str, None] = {}
    for curve in animation.fcurves(data.action, animation.slot(data.action, "OBJECT")):
        name = next((one for one in ("location", "rotation", "scale", "color") if curve.data_path.startswith(one)), "")
        depth = curve.data_path == PLACE and curve.array_index == 2 and taken
        if name and not depth and (curve.data_path, curve.array_index) not in taken and (not taken or _moves(curve)):
            found[name.replace("color", "colour")] = None
    return list(found)


def _moves(curve: bpy.types.FCurve) -> bool:
    """Whether keys differ: Blender keys all axes at once, also those that stay."""
    return len({point.co[1] for point in curve.keyframe_points}) > 1


def remove(action: bpy.types.Action, kind: EnvelopeKind, channels: tuple[Channel, ...]) -> None:
    """Take the keys of these channels off an action, those of places with all their axes."""
    paths = {channel.path for channel in channels}
    slot = animation.slot(action, ID_TYPES[kind])
    for curve in animation.fcurves(action, slot):
        if curve.data_path in paths:
            animation.remove_fcurve(action, slot, curve)
