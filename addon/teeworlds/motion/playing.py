# SPDX-License-Identifier: GPL-3.0-or-later
"""Envelopes made in Blender, and which data-blocks play them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import bpy
import numpy as np

from ....formats.teeworlds import curves
from ....formats.teeworlds.items import cut
from ....formats.teeworlds.records import POINT, Curve, EnvelopeKind
from ...scene.fields import properties
from ...scene.kept import identity, originals
from ...scene.kept.identity import kind_of
from ...scene.media import animation
from ...scene.reports import SceneError
from .. import layout
from ..envelopes import own_keys
from ..envelopes.build import (
    CHANNELS,
    ID_TYPES,
    OWN,
    Channel,
    EnvelopeProperties,
    keys_of,
    make_action,
    play_action,
)
from ..envelopes.collect import NAME_BYTES, serves
from ..layout import NEW, read_properties
from ..structure.parts import layer_above, next_record, tile_kind, token_of
from .coloring import show_color

LENGTH = 1000
"""Ms after which a new envelope begins again."""


def envelopes(level: bpy.types.Collection) -> dict[int, bpy.types.Action]:
    """The envelopes that a level holds, by record."""
    held = originals.resources(level, layout.ENVELOPE)
    return {record: action for record, action in held.items() if isinstance(action, bpy.types.Action)}


def kind_of_envelope(action: bpy.types.Action) -> EnvelopeKind:
    """What a level's envelope moves."""
    return EnvelopeKind[read_properties(action, EnvelopeProperties)[0].envelope_kind]


def new_envelope(level: bpy.types.Collection, kind: EnvelopeKind, name: str, fps: float) -> bpy.types.Action:
    """Add an envelope that changes nothing yet: a key at its beginning, one at its end, after a second."""
    points = np.zeros(2, POINT)
    points["time"], points["curve"] = (0, LENGTH), Curve.LINEAR
    points["value"][:, : len(CHANNELS[kind])] = [channel.rest for channel in CHANNELS[kind]]
    action = make_action(name or "Envelope", kind, points, None, fps)
    _hold(level, action, kind, name)
    return action


def _hold(level: bpy.types.Collection, action: bpy.types.Action, kind: EnvelopeKind, name: str) -> None:
    properties.write(action, EnvelopeProperties(cut(name, NAME_BYTES), kind.name, True))
    identity.stamp(action, token_of(level), layout.ENVELOPE, NEW)
    originals.set_resource(level, layout.ENVELOPE, next_record(level, layout.ENVELOPE), action)


def player(obj: bpy.types.Object, kind: EnvelopeKind) -> bpy.types.ID:
    """What of an object plays envelopes of a kind. Raises SceneError where nothing does."""
    if kind is EnvelopeKind.SOUND:
        if isinstance(obj.data, bpy.types.Speaker):
            return obj.data
        raise SceneError(f"{obj.name}: only sound sources have a volume", [obj])
    layer = obj if kind_of(obj) == layout.LAYER else layer_above(obj)
    tiles = layer is not None and tile_kind(layer) == "TILES" and obj == layer
    source = obj.type == "SPEAKER"
    quads = own_keys.takes_own_keys(obj) and not source
    if not (quads or (source if kind is EnvelopeKind.POSITION else tiles)):
        what = "quads and sound sources" if kind is EnvelopeKind.POSITION else "quads and layers of tiles"
        raise SceneError(f"{obj.name}: only {what} have a {kind.name.lower()} envelope", [obj])
    return obj


def use(
    level: bpy.types.Collection, objects: Iterable[bpy.types.Object], action: bpy.types.Action, offset: int, fps: float
) -> None:
    """Let objects play one of a level's envelopes, `offset` ms ahead, instead of what they play of its kind.

    Raises SceneError, before anything is changed, for objects that none of this kind moves.
    """
    kind = kind_of_envelope(action)
    players = [(obj, player(obj, kind)) for obj in objects]
    for obj, id_block in players:
        stop(id_block, kind)
        if kind is EnvelopeKind.COLOR:
            show_color(level, obj)
        play_action(id_block, kind, action, offset, fps)


def stop(id_block: bpy.types.ID, kind: EnvelopeKind) -> bool:
    """Let a data-block play no envelope of a kind, and be as it is without one. Says whether it played any."""
    data = getattr(id_block, "animation_data", None)
    if data is None:
        return False
    before = data.action, sum(len(track.strips) for track in data.nla_tracks)
    if data.action is not None and serves(data.action, kind):
        data.action = None
    for track in list(data.nla_tracks):
        for strip in list(track.strips):
            if strip.action is not None and serves(strip.action, kind):
                track.strips.remove(strip)
        if not track.strips:
            data.nla_tracks.remove(track)
    changed = (data.action, sum(len(track.strips) for track in data.nla_tracks)) != before
    if changed:
        _to_rest(id_block, kind)
    return changed


def _to_rest(id_block: bpy.types.ID, kind: EnvelopeKind) -> None:
    """Give a data-block the values that it has without an envelope."""
    for channel in CHANNELS[kind]:
        value = channel.rest * channel.factor
        if channel.path == "volume":
            setattr(id_block, channel.path, value)
        elif channel.path.startswith("["):
            held = id_block.get(layout.ENVELOPE_COLOR)
            if held is not None:
                held[channel.axis] = value
        else:
            getattr(id_block, channel.path)[channel.axis] = value


def players_of(level: bpy.types.Collection, action: bpy.types.Action) -> Iterator[bpy.types.Object]:
    """The objects of a level that play an action, themselves or by their speaker."""
    for obj in level.all_objects:
        if any(_plays(id_block, action) for id_block in (obj, obj.data) if id_block is not None):
            yield obj


def _plays(id_block: bpy.types.ID, action: bpy.types.Action) -> bool:
    data = getattr(id_block, "animation_data", None)
    if data is None:
        return False
    return data.action == action or any(strip.action == action for track in data.nla_tracks for strip in track.strips)


def remove(level: bpy.types.Collection, record: int) -> None:
    """Remove an envelope for good; what plays it stands still. Raises SceneError without it."""
    action = envelopes(level).get(record)
    if action is None:
        raise SceneError(f"{level.name} has no envelope {record}")
    kind = kind_of_envelope(action)
    for obj in list(players_of(level, action)):
        stop(player(obj, kind), kind)
    originals.set_resource(level, layout.ENVELOPE, record, None)
    bpy.data.actions.remove(action)


def adopt(level: bpy.types.Collection, obj: bpy.types.Object, fps: float) -> list[bpy.types.Action]:
    """Make envelopes of the level of an object's keys: on its own location, rotation and colour, or on the channels of
    envelopes; on the volume of its speaker.

    The object plays them again and again, as in the game; it goes where it is at frame 0. Only its active action's
    keys: what plays by strips is left alone. Raises SceneError for own keys beside an envelope.
    """
    made = []
    for kind in EnvelopeKind:
        id_block = obj.data if kind is EnvelopeKind.SOUND else obj
        data = getattr(id_block, "animation_data", None)
        if id_block is None or data is None or data.action is None or data.use_tweak_mode:
            continue
        action: bpy.types.Action = data.action
        own = own_keys.action_of(id_block, kind) == action
        given = action.get(properties.BASELINE) is None and own_keys.has(action, kind, CHANNELS[kind])
        if not (own or given):
            continue
        keys = own_keys.keys(action, kind) if own else [keys_of(own_keys.find(action, kind, c)) for c in CHANNELS[kind]]
        envelope = _action_of(f"{obj.name} {kind.name.lower()}", kind, keys)
        _hold(level, envelope, kind, obj.name)
        if own and kind is EnvelopeKind.POSITION:
            for path, values in (own_keys.rest(obj) or {}).items():
                setattr(obj, path, values)
        _forget(id_block, action, kind, OWN[kind] if own else CHANNELS[kind])
        if kind is EnvelopeKind.COLOR:
            obj.color = (1.0, 1.0, 1.0, 1.0)
            show_color(level, obj)
        play_action(id_block, kind, envelope, 0, fps)
        made.append(envelope)
    return made


def _action_of(name: str, kind: EnvelopeKind, keys: list[curves.Keys]) -> bpy.types.Action:
    """An action on the channels of envelopes, of keys a channel."""
    action = animation.action(name, ID_TYPES[kind])
    for channel, row in zip(CHANNELS[kind], keys, strict=True):
        if len(row):
            curve = animation.fcurve(action, animation.slot(action), channel.path, channel.axis)
            animation.set_keys(
                curve, row["frame"], row["value"], row["interpolation"], row["easing"], row["left"], row["right"]
            )
    return action


def _forget(
    id_block: bpy.types.ID, action: bpy.types.Action, kind: EnvelopeKind, channels: tuple[Channel, ...]
) -> None:
    """Take the keys of these channels off a data-block's action; it goes when nothing is left in it."""
    own_keys.remove(action, kind, channels)
    data = getattr(id_block, "animation_data", None)
    if data is not None and not animation.fcurves(action, animation.slot(action, ID_TYPES[kind])):
        data.action = None
        if not action.users:
            bpy.data.actions.remove(action)
