# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions and NLA strips back to envelopes and references to them: the other way of `build`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import bpy
import numpy as np

from ....formats import teeworlds
from ....formats.arrays import Bools, Int32s
from ....formats.teeworlds import curves
from ....formats.teeworlds.envelopes import period
from ....formats.teeworlds.items import cut
from ....formats.teeworlds.records import POINT, EnvelopeKind
from ...scene.fields import properties
from ...scene.geometry import transforms
from ...scene.kept import baselines, identity, originals
from ...scene.media import animation
from ...scene.reports import Report, SceneError
from .. import layout
from ..layout import read_properties
from . import own_keys
from .build import CHANNELS, FPS, ID_TYPES, KEYS, OWN, Channel, EnvelopeProperties, keys_of, strip_start

NAME_BYTES = 31
"""Of an envelope's name, as the file can hold it."""
_TAKEN = {
    True: "an envelope moves, turns on the screen, and colours",
    False: f"envelopes are keys on its delta location, delta rotation and property {layout.ENVELOPE_COLOR}",
}
"""By whether an object's own keys are taken: what is."""
SAME = 1 / 32
"""Frames by which a strip may be off its place: Blender moves strips a little when it leaves tweak mode."""


@dataclass(frozen=True)
class Played:
    """An envelope that a data-block plays."""

    number: int
    """In the exported level."""
    ahead: float
    """By how many frames it runs ahead."""

    def offsets(self, records: Int32s, lengths: Int32s, fps: float) -> Int32s:
        """The offsets (ms) for records with offsets `records` [n] of envelopes that repeat after `lengths` [n] ms: a
        strip that lies where the import put it leaves the record's.
        """
        offset = int(curves.milliseconds(self.ahead, fps))
        limit = SAME + abs(self.ahead) * 1e-6  # float32
        return np.array(
            [
                record if abs(self.ahead + strip_start(record, length, fps)) < limit else offset
                for record, length in zip(records.tolist(), lengths.tolist(), strict=True)
            ],
            np.int32,
        )


class EnvelopeTable:
    """The envelopes of a level in a scene, numbered as they will be exported: the original's in their order, without
    those whose action was deleted, then the scene's new ones.

    Ask for all references first (`assign`), while `level` is as it was read; then `apply` to it.
    """

    def __init__(
        self, collection: bpy.types.Collection, level: teeworlds.Level | None, fps: float, report: Report | None = None
    ) -> None:
        """level: the parsed original, None for a level made in Blender. fps: the scene's frame rate; that of the import
        goes before it. Raises SceneError for strips that the game can't play; tells the report of keys that it won't.
        """
        self.level = level
        envelopes = level.envelopes if level is not None else []
        held = originals.resources(collection, layout.ENVELOPE)
        imported = collection.get(originals.RESOURCES + layout.ENVELOPE) is not None
        self._actions = {number: action for number, action in held.items() if isinstance(action, bpy.types.Action)}
        rates = (baselines.load(action, FPS) for action in self._actions.values())
        self.fps = next((float(rate) for rate in rates if rate is not None), fps)
        self._keyed: dict[tuple[bpy.types.Action, EnvelopeKind, bool], bool] = {}
        self._served: dict[tuple[bpy.types.Action, EnvelopeKind], bool] = {}
        # By the numbers that records and properties name envelopes by: the original's, then further resources'.
        self._originals = len(envelopes)
        self._kinds = {number: envelope.kind for number, envelope in enumerate(envelopes)}
        self._lengths = {number: period(envelope.points) for number, envelope in enumerate(envelopes)}
        self._kept = [number for number in self._kinds if not imported or number in self._actions]
        self._table = {number: new for new, number in enumerate(self._kept)}
        # By action: an action may be the envelope of several kinds.
        self._new: list[tuple[bpy.types.Action, EnvelopeKind]] = []
        self._numbers = {
            (self._actions[number], self._kinds[number]): new
            for number, new in self._table.items()
            if number in self._actions
        }
        for number, action in self._actions.items():
            if number not in self._kinds:
                self._kinds[number] = _envelope_kind(action)
                self._table[number] = self._number(action, self._kinds[number])
        for obj in collection.all_objects:
            for kind in EnvelopeKind:
                self.played(obj.data if kind is EnvelopeKind.SOUND and obj.data is not None else obj, kind)
            if report is not None and (untaken := own_keys.untaken(obj)):
                why = _TAKEN[own_keys.takes_own_keys(obj)]
                report.warn(f"{obj.name}: keys on its {' and '.join(untaken)} are not exported: {why}")

    @property
    def count(self) -> int:
        """How many envelopes there are, so far."""
        return len(self._kept) + len(self._new)

    def played(self, id_block: bpy.types.ID, kind: EnvelopeKind) -> Played | None:
        """What envelope of a kind a data-block plays: of its strips the uppermost, or its active action.

        Raises SceneError for strips that are scaled or reversed: the game only shifts envelopes in time; and for keys
        on own channels beside an envelope.
        """
        data = getattr(id_block, "animation_data", None)  # not all kinds of data have it
        if data is None:
            return None
        own = own_keys.action_of(id_block, kind, self._has)
        if (
            data.action is not None
            and not data.use_tweak_mode
            and (data.action == own or self._serves(data.action, kind))
            and (data.action.get(properties.BASELINE) is not None or not own_keys.is_idle(data.action, kind))
        ):
            return Played(self._number(data.action, kind), 0.0)
        for track in reversed(data.nla_tracks):
            for strip in reversed(track.strips):
                if strip.action is None or not (strip.action == own or self._serves(strip.action, kind)):
                    continue
                if strip.scale != 1 or strip.use_reverse:
                    raise SceneError(
                        f"{id_block.name}: its strip {strip.name} is scaled or reversed; the game plays envelopes "
                        "only as they are. Move the action's keys instead",
                        [id_block] if isinstance(id_block, bpy.types.Object) else (),
                    )
                return Played(self._number(strip.action, kind), animation.strip_offset(strip))
        return None

    def rest(self, obj: bpy.types.Object) -> transforms.Values | None:
        """Location and rotation of an object without what its own keys add; None where none do."""
        return own_keys.rest(obj, self._has)

    def _has(self, action: bpy.types.Action, kind: EnvelopeKind, channels: tuple[Channel, ...]) -> bool:
        key = (action, kind, channels is OWN[kind])
        if key not in self._keyed:
            self._keyed[key] = own_keys.has(action, kind, channels)
        return self._keyed[key]

    def assign(
        self,
        kind: EnvelopeKind,
        played: Played | None,
        records: tuple[Int32s, Int32s],
        by_property: tuple[Int32s, Int32s] | None = None,
    ) -> tuple[Int32s, Int32s]:
        """The envelope numbers and offsets (ms), int32 [n] each, of records that one data-block stands for.

        played: what it plays. records: numbers and offsets of the original records, -1 and 0 for new ones.
        by_property: the same as the data-block's properties hold them, None where it has none. An edited strip decides,
        then an edited property. References that no strip was made for show nothing in Blender, and stay as they are.
        """
        numbers, offsets = records
        shown = self.shown(kind, numbers)
        same = self.renumbered(numbers)
        if played is None:
            strip_numbers, strip_offsets = np.where(shown, -1, same).astype(np.int32), offsets.astype(np.int32)
        else:
            lengths = np.array([self._lengths.get(number, 0) for number in numbers.tolist()], np.int32)
            strip_numbers = np.full(len(numbers), played.number, np.int32)
            strip_offsets = played.offsets(offsets, lengths, self.fps)
        if by_property is None:
            return strip_numbers, strip_offsets
        still = (strip_numbers == same) & (strip_offsets == offsets)
        return (
            np.where(still, self.renumbered(by_property[0], numbers), strip_numbers),
            np.where(still, by_property[1], strip_offsets).astype(np.int32),
        )

    def renumbered(self, numbers: Int32s, records: Int32s | None = None) -> Int32s:
        """Numbers of envelopes (the original's, and those of further resources) as the exported level has them: -1 for
        deleted ones. Numbers of no envelope stay, unless one of the new ones got that number: then they become -1.

        records: what the numbers were; one that was edited and names no envelope raises SceneError.
        """
        if records is not None:
            wrong = [int(one) for one in np.unique(numbers[numbers != records]) if one != -1 and one not in self._kinds]
            if wrong:
                raise SceneError(f"there is no envelope {wrong[0]}: the level has {len(self._kinds)}")
        distinct, places = np.unique(numbers, return_inverse=True)
        new = [
            self._table.get(number, -1 if number in self._kinds or 0 <= number < self.count else number)
            for number in distinct.tolist()
        ]
        return np.array(new, np.int32)[places]

    def shown(self, kind: EnvelopeKind, numbers: Int32s) -> Bools:
        """Which of these numbers, [n], name envelopes of the kind, so that the import made a strip for them."""
        return np.array([self._kinds.get(number) is kind for number in numbers.tolist()], np.bool_)

    def apply(self, level: teeworlds.Level) -> list[str]:
        """Make the level's envelopes those of the scene: change, remove, append. Returns what was changed, in words.

        Raises SceneError for F-curves that no envelope can hold, naming action and frame.
        """
        changed = []
        for number, action in self._actions.items():
            if number < self._originals and self._change(level.envelopes[number], action):
                changed.append(f"envelope {number} changed")
        removed = sorted(set(range(self._originals)) - set(self._kept), reverse=True)
        for number in removed:
            level.remove_envelope(number)
            changed.append(f"envelope {number} removed")
        for action, kind in self._new:
            level.envelopes.append(self._fresh(action, kind))
            changed.append(f"envelope {action.name} added")
        return changed

    def _serves(self, action: bpy.types.Action, kind: EnvelopeKind) -> bool:
        key = (action, kind)
        if key not in self._served:
            self._served[key] = serves(action, kind)
        return self._served[key]

    def _number(self, action: bpy.types.Action, kind: EnvelopeKind) -> int:
        key = (action, kind)
        if key not in self._numbers:
            self._numbers[key] = self.count
            self._new.append(key)
        return self._numbers[key]

    def _change(self, envelope: teeworlds.Envelope, action: bpy.types.Action) -> bool:
        before = (envelope.points, envelope.tangents)
        points, tangents = self._points(action, envelope.kind, *before)
        settings, edited = read_properties(action, EnvelopeProperties)
        if "envelope_kind" in edited:
            raise SceneError(f"action {action.name}: an envelope can't become one of another kind; make a new action")
        if "envelope_name" in edited:
            envelope.name = settings.envelope_name
        if "synchronized" in edited:
            envelope.synchronized = settings.synchronized
        if points is not before[0] or tangents is not before[1]:
            envelope.set_points(points, tangents)
            return True
        return bool({"envelope_name", "synchronized"} & edited)

    def _fresh(self, action: bpy.types.Action, kind: EnvelopeKind) -> teeworlds.Envelope:
        """A new envelope; one whose action is a copy of an imported one starts from that one's record."""
        stamp = identity.stamped(action)
        points, tangents = np.zeros(0, POINT), None
        name, synchronized = action.name, True
        if action.get(properties.BASELINE) is not None:
            settings, _ = read_properties(action, EnvelopeProperties)
            name, synchronized = settings.envelope_name, settings.synchronized
        if self.level is not None and stamp is not None and 0 <= stamp.record < self._originals:
            original = self.level.before.envelopes[stamp.record]
            if original.kind == kind:
                points, tangents = original.points, original.tangents
        points, tangents = self._points(action, kind, points, tangents)
        return teeworlds.Envelope.new(kind, cut(name, NAME_BYTES), points, tangents, synchronized)

    def _points(
        self, action: bpy.types.Action, kind: EnvelopeKind, points: curves.Points, tangents: curves.Points | None
    ) -> tuple[curves.Points, curves.Points | None]:
        """The points and tangents of an action, given those of its record."""
        channels = CHANNELS[kind]
        own = not own_keys.has(action, kind, channels) and own_keys.has(action, kind, OWN[kind])
        stored, rate = baselines.load(action, KEYS), baselines.load(action, FPS)
        built = None if stored is None else np.ascontiguousarray(stored).view(curves.KEY)[..., 0]
        if own or (built is not None and built.shape != (len(channels), len(points) + curves.leading_row(points))):
            built = None  # of another kind, or of a record that isn't here
        fps = float(rate) if rate is not None else self.fps
        found = [own_keys.find(action, kind, channel) for channel in (OWN if own else CHANNELS)[kind]]
        for curve in found:
            if curve is not None and any(not one.mute and one.type != "CYCLES" for one in curve.modifiers):
                raise SceneError(f"action {action.name}: its F-curves have modifiers; bake them into keys")
        keys = own_keys.keys(action, kind) if own else [keys_of(curve) for curve in found]
        if built is None or not all(curves.same_keys(*pair) for pair in zip(keys, built, strict=True)):
            keys = (
                [_or_rest(one, channel) for one, channel in zip(keys, channels, strict=True)]
                if any(map(len, keys))
                else keys
            )
        factors = [channel.factor for channel in channels]
        try:
            read = curves.read_points(keys, built, points if built is not None else points[:0], tangents, factors, fps)
        except curves.CurveError as error:
            raise SceneError(f"action {action.name}: {error}") from error
        if (read[0]["time"] < 0).any() and not (points["time"] < 0).any():
            raise SceneError(
                f"action {action.name}: keys before frame 0, where envelopes begin: to begin elsewhere move its strips"
            )
        return read


def _or_rest(keys: curves.Keys, channel: Channel) -> curves.Keys:
    """The keys of a channel; where it has none, one with the value that Blender then shows."""
    if len(keys):
        return keys
    keys = np.zeros(1, curves.KEY)
    keys["value"] = channel.rest * channel.factor
    keys["interpolation"] = curves.LINEAR_KEY
    return keys


def serves(action: bpy.types.Action, kind: EnvelopeKind) -> bool:
    """Say whether an action animates what envelopes of this kind animate (an empty one: what it is stamped as)."""
    slot = animation.slot(action, ID_TYPES[kind])
    if any(animation.find_fcurve(action, slot, channel.path, channel.axis) for channel in CHANNELS[kind]):
        return True
    return (
        action.get(properties.BASELINE) is not None and _envelope_kind(action) is kind and not animation.fcurves(action)
    )


def _envelope_kind(action: bpy.types.Action) -> EnvelopeKind:
    """What an action is an envelope of: as it says, or as its F-curves do."""
    if action.get(properties.BASELINE) is not None:
        return EnvelopeKind[read_properties(action, EnvelopeProperties)[0].envelope_kind]
    paths = {curve.data_path for curve in animation.fcurves(action)}
    kinds: Iterable[EnvelopeKind] = (kind for kind, channels in CHANNELS.items() if paths & {c.path for c in channels})
    return next(iter(kinds), EnvelopeKind.POSITION)
