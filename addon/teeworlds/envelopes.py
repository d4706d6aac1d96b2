"""Envelopes as Blender actions, and actions back to envelopes (teeworlds-map-notes §3, §5).

One action an envelope, held by the level (resource ENVELOPE) and played through NLA strips: the strip repeats as the
game does (time modulo the last point's), and starts earlier by the time offset of what plays it. Slide a strip to
change the offset, choose another action in it to change the envelope, delete it to stop the motion.

    position    delta_location x, y (y up) and delta_rotation_euler z of objects, so that the location stays
                the record's
    colour      the property ENVELOPE_COLOR of objects, which materials multiply in
    sound       the volume of speakers

Frame 0 is time 0, at the frame rate that the scene had at import. See `curves` for keys.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy
import numpy as np
import numpy.typing as npt

from ...formats import teeworlds
from ...formats.teeworlds.envelopes import period
from ...formats.teeworlds.records import POINT, EnvelopeKind
from ..scene import animation, baselines, identity, originals, properties
from ..scene.reports import SceneError
from . import curves, layout

if TYPE_CHECKING:
    from collections.abc import Iterable

REPEATS = 1000
"""How often a strip repeats its envelope: Blender allows no more."""
FAR = 1_000_000
"""Frames; a strip that an offset would move further starts at the same phase of the envelope instead."""
KEYS, FPS = "keys", "fps"
"""Baselines on actions: the keys as they were built, int32 [channels, rows, words of KEY], and the frame rate."""

Ints = npt.NDArray[np.int32]


class Channel(NamedTuple):
    """The property that a channel animates, Blender units a file unit, and its value where no envelope is."""

    path: str
    axis: int
    factor: float
    rest: int


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
_ID_TYPES = {EnvelopeKind.POSITION: "OBJECT", EnvelopeKind.COLOR: "OBJECT", EnvelopeKind.SOUND: "SPEAKER"}
_LABELS = {EnvelopeKind.POSITION: "position", EnvelopeKind.COLOR: "colour", EnvelopeKind.SOUND: "sound"}


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


# --------------------------------------------------------------------------------------------------------------- import


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


def build(level: teeworlds.Level, collection: bpy.types.Collection, token: int, fps: float) -> Envelopes:
    """Make an action of every envelope of a level and let the level's collection hold them.

    token: the import's (`identity.new_token`). fps: the frame rate of the scene that the level is for.
    """
    actions = []
    for number, envelope in enumerate(level.envelopes):
        kind = envelope.kind
        action = _action(
            f"{number} {layout.readable(envelope.name)}".rstrip(), kind, envelope.points, envelope.tangents, fps
        )
        properties.write(action, EnvelopeProperties(envelope.name, kind.name, envelope.synchronized))
        identity.stamp(action, token, layout.ENVELOPE, number)
        originals.set_resource(collection, layout.ENVELOPE, number, action)
        actions.append(action)
    return Envelopes(actions, level, fps)


def _action(
    name: str, kind: EnvelopeKind, points: curves.Points, tangents: curves.Points | None, fps: float
) -> bpy.types.Action:
    action = animation.action(f"{name} ({_LABELS[kind]})", _ID_TYPES[kind])
    slot = animation.slot(action)
    keys = curves.build_keys(points, tangents, [channel.factor for channel in CHANNELS[kind]], fps)
    for channel, row in zip(CHANNELS[kind], keys, strict=True):
        curve = animation.fcurve(action, slot, channel.path, channel.axis)
        animation.set_keys(
            curve, row["frame"], row["value"], row["interpolation"], row["easing"], row["left"], row["right"]
        )
        row[:] = _keys(curve)  # Blender keeps handles a little longer than none
    baselines.store(action, KEYS, keys.view(np.int32).reshape(*keys.shape, curves.KEY.itemsize // 4))
    baselines.store(action, FPS, np.float64(fps))
    return action


def _keys(curve: bpy.types.FCurve | None) -> curves.Keys:
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
    slot: Any,
    length: int,
    offset: int,
    fps: float,
) -> None:
    """Play an action through a strip of a track of its own. The strip's own repeating is exact where the last key meets
    the first one; F-curve cycles show the last key there.
    """
    track = id_block.animation_data_create().nla_tracks.new()
    track.name = _LABELS[kind]
    strip = track.strips.new(action.name, 0, action)
    if slot is not None:
        strip.action_slot = slot
    strip.use_sync_length = True
    strip.action_frame_start = 0
    strip.action_frame_end = float(curves.frames(length, fps)) if length else 1.0
    strip.repeat = REPEATS
    strip.frame_start = _start(offset, length, fps)
    strip.extrapolation = "HOLD"
    strip.blend_type = "REPLACE"


def _start(offset: int, length: int, fps: float) -> float:
    """The frame at which a strip starts whose envelope (`length` ms) runs `offset` ms ahead."""
    start = -float(curves.frames(offset, fps))
    if length and (start > FAR or -start > min(FAR, float(curves.frames(length, fps)) * REPEATS / 2)):
        start = -float(curves.frames(math.fmod(offset, length), fps))
    return float(np.float32(start))


# --------------------------------------------------------------------------------------------------------------- export


@dataclass(frozen=True)
class Played:
    """An envelope that a data-block plays: its number in the exported level, and how far its strip was moved."""

    number: int
    start: float | None  # the frame where the strip starts, if its phase is as the import makes them
    offset: int  # ms

    def offsets(self, records: Ints, lengths: Ints, fps: float) -> Ints:
        """The offsets (ms) for records with offsets `records` [n] of envelopes of `lengths` [n] ms: a strip that lies
        where the import put it leaves the record's.
        """
        return np.array(
            [
                record if self.start is not None and _start(record, length, fps) == self.start else self.offset
                for record, length in zip(records.tolist(), lengths.tolist(), strict=True)
            ],
            np.int32,
        )


class EnvelopeReader:
    """The envelopes of a level in a scene, numbered as they will be exported: the original's in their order, without
    those whose action was deleted, then the scene's new ones.

    Ask for all references first (`assign`), while `level` is as it was read; then `apply` to it.
    """

    def __init__(self, collection: bpy.types.Collection, level: teeworlds.Level | None, fps: float) -> None:
        """level: the parsed original, None for a level made in Blender. fps: the scene's frame rate; that of the import
        goes before it. Raises SceneError for strips that the game can't play.
        """
        self.level = level
        envelopes = level.envelopes if level is not None else []
        held = originals.resources(collection, layout.ENVELOPE)
        imported = collection.get(originals.RESOURCES + layout.ENVELOPE) is not None
        self._actions = {number: action for number, action in held.items() if isinstance(action, bpy.types.Action)}
        rates = (baselines.load(action, FPS) for action in self._actions.values())
        self.fps = next((float(rate) for rate in rates if rate is not None), fps)
        self._served: dict[tuple[bpy.types.Action, EnvelopeKind], bool] = {}
        self._kept = [number for number in range(len(envelopes)) if not imported or number in self._actions]
        self._kinds = [envelope.kind for envelope in envelopes]
        self._lengths = np.array([period(envelope.points) for envelope in envelopes], np.int32)
        self._numbers: dict[tuple[bpy.types.Action, EnvelopeKind], int] = {
            (self._actions[number], self._kinds[number]): new
            for new, number in enumerate(self._kept)
            if number in self._actions
        }
        self._new: list[tuple[bpy.types.Action, EnvelopeKind]] = []
        for number, action in self._actions.items():  # of levels made in Blender, and those added to the level by hand
            if number >= len(envelopes):
                self._number(action, _kind_of(action))
        for obj in collection.all_objects:
            for kind in EnvelopeKind:
                self.played(obj.data if kind is EnvelopeKind.SOUND and obj.data is not None else obj, kind)

    @property
    def count(self) -> int:
        """How many envelopes there are, so far."""
        return len(self._kept) + len(self._new)

    def played(self, id_block: bpy.types.ID, kind: EnvelopeKind) -> Played | None:
        """What envelope of a kind a data-block plays: of its strips the uppermost, or its active action.

        Raises SceneError for strips that are scaled or reversed: the game only shifts envelopes in time.
        """
        data = getattr(id_block, "animation_data", None)  # not all kinds of data have it
        if data is None:
            return None
        if data.action is not None and not data.use_tweak_mode and self._serves(data.action, kind):
            return Played(self._number(data.action, kind), None, 0)
        for track in reversed(data.nla_tracks):
            for strip in reversed(track.strips):
                if strip.action is None or not self._serves(strip.action, kind):
                    continue
                if strip.scale != 1 or strip.use_reverse:
                    raise SceneError(
                        f"{id_block.name}: its strip {strip.name} is scaled or reversed; the game plays envelopes "
                        "only as they are. Move the action's keys instead",
                        [id_block] if isinstance(id_block, bpy.types.Object) else (),
                    )
                offset = curves.milliseconds(animation.strip_offset(strip), self.fps)
                start = strip.frame_start if strip.action_frame_start == 0 else None
                return Played(self._number(strip.action, kind), start, int(offset))
        return None

    def assign(
        self,
        kind: EnvelopeKind,
        played: Played | None,
        records: tuple[Ints, Ints],
        said: tuple[Ints, Ints] | None = None,
    ) -> tuple[Ints, Ints]:
        """The envelope numbers and offsets (ms), int32 [n] each, of records that one data-block stands for.

        played: what it plays. records: numbers and offsets of the original records, -1 and 0 for new ones. said: the
        same as the data-block's properties tell them, None where it has none. An edited strip decides, then an edited
        property. References that no strip was made for show nothing in Blender, and stay as they are.
        """
        numbers, offsets = records
        shown = self.shown(kind, numbers)
        same = self.renumbered(numbers)
        if played is None:
            strip_numbers, strip_offsets = np.where(shown, -1, same).astype(np.int32), offsets.astype(np.int32)
        else:
            lengths = np.where(shown, self._lengths[np.where(shown, numbers, 0)] if shown.any() else 0, 0)
            strip_numbers = np.full(len(numbers), played.number, np.int32)
            strip_offsets = played.offsets(offsets, lengths, self.fps)
        if said is None:
            return strip_numbers, strip_offsets
        still = (strip_numbers == same) & (strip_offsets == offsets)
        return (
            np.where(still, self.renumbered(said[0], numbers), strip_numbers),
            np.where(still, said[1], strip_offsets).astype(np.int32),
        )

    def renumbered(self, numbers: Ints, records: Ints | None = None) -> Ints:
        """Numbers of the original's envelopes as the exported level has them: -1 for deleted ones.

        Numbers of no envelope stay, unless one of the new ones got that number: then they become -1.
        records: what the numbers were; one that was edited and names no envelope raises SceneError.
        """
        old = len(self._kinds)
        table = np.full(old + 1, -1, np.int32)
        table[self._kept] = np.arange(len(self._kept))
        inside = (numbers >= 0) & (numbers < old)
        if records is not None:
            wrong = numbers[~inside & (numbers != records) & (numbers != -1)]
            if len(wrong):
                raise SceneError(f"there is no envelope {int(wrong[0])}: the level has {old}")
        outside = np.where((numbers >= 0) & (numbers < self.count), -1, numbers)
        return np.where(inside, table[np.where(inside, numbers, old)], outside).astype(np.int32)

    def apply(self, level: teeworlds.Level) -> list[str]:
        """Make the level's envelopes those of the scene: change, remove, append. Returns what was changed, in words.

        Raises SceneError for F-curves that no envelope can hold, naming action and frame.
        """
        changed = []
        for number, action in self._actions.items():
            if number < len(self._kinds) and self._change(level.envelopes[number], action):
                changed.append(f"envelope {number} changed")
        removed = sorted(set(range(len(self._kinds))) - set(self._kept), reverse=True)
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
            self._served[key] = _serves(action, kind)
        return self._served[key]

    def shown(self, kind: EnvelopeKind, numbers: Ints) -> npt.NDArray[np.bool_]:
        """Which of these numbers of the original's envelopes, [n], the import made a strip for."""
        right = np.array([one == kind for one in self._kinds] + [False])
        inside = (numbers >= 0) & (numbers < len(self._kinds))
        return np.asarray(right[np.where(inside, numbers, -1)])

    def _number(self, action: bpy.types.Action, kind: EnvelopeKind) -> int:
        key = (action, kind)
        if key not in self._numbers:
            self._numbers[key] = self.count
            self._new.append(key)
        return self._numbers[key]

    def _change(self, envelope: teeworlds.Envelope, action: bpy.types.Action) -> bool:
        before = (envelope.points, envelope.tangents)
        points, tangents = self._points(action, envelope.kind, *before)
        settings, edited = properties.read(action, EnvelopeProperties)
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
            settings, _ = properties.read(action, EnvelopeProperties)
            name, synchronized = settings.envelope_name, settings.synchronized
        if self.level is not None and stamp is not None and 0 <= stamp.record < len(self._kinds):
            original = self.level.before.envelopes[stamp.record]
            if original.kind == kind:
                points, tangents = original.points, original.tangents
        points, tangents = self._points(action, kind, points, tangents)
        return teeworlds.Envelope.new(kind, _cut(name), points, tangents, synchronized)

    def _points(
        self, action: bpy.types.Action, kind: EnvelopeKind, points: curves.Points, tangents: curves.Points | None
    ) -> tuple[curves.Points, curves.Points | None]:
        """The points and tangents of an action, given those of its record."""
        channels = CHANNELS[kind]
        stored, rate = baselines.load(action, KEYS), baselines.load(action, FPS)
        built = None if stored is None else np.ascontiguousarray(stored).view(curves.KEY)[..., 0]
        if built is not None and built.shape != (len(channels), len(points) + curves.leading_row(points)):
            built = None  # of another kind, or of a record that isn't here
        fps = float(rate) if rate is not None else self.fps
        found = [animation.find_fcurve(action, None, channel.path, channel.axis) for channel in channels]
        for curve in found:
            if curve is not None and any(not one.mute and one.type != "CYCLES" for one in curve.modifiers):
                raise SceneError(f"action {action.name}: its F-curves have modifiers; bake them into keys")
        keys = [_keys(curve) for curve in found]
        if built is None or not all(curves.same_keys(*pair) for pair in zip(keys, built, strict=True)):
            keys = (
                [_or_rest(one, channel) for one, channel in zip(keys, channels, strict=True)]
                if any(map(len, keys))
                else keys
            )
        factors = [channel.factor for channel in channels]
        try:
            return curves.read_keys(keys, built, points if built is not None else points[:0], tangents, factors, fps)
        except curves.CurveError as error:
            raise SceneError(f"action {action.name}: {error}") from error


def _or_rest(keys: curves.Keys, channel: Channel) -> curves.Keys:
    """The keys of a channel; where it has none, one with the value that Blender then shows."""
    if len(keys):
        return keys
    keys = np.zeros(1, curves.KEY)
    keys["value"] = channel.rest * channel.factor
    keys["interpolation"] = curves.LINEAR_KEY
    return keys


def _serves(action: bpy.types.Action, kind: EnvelopeKind) -> bool:
    """Say whether an action animates what envelopes of this kind animate (an empty one: what it is stamped as)."""
    if any(animation.find_fcurve(action, None, channel.path, channel.axis) for channel in CHANNELS[kind]):
        return True
    return action.get(properties.BASELINE) is not None and _kind_of(action) is kind and not animation.fcurves(action)


def _kind_of(action: bpy.types.Action) -> EnvelopeKind:
    """What an action is an envelope of: as it says, or as its F-curves do."""
    if action.get(properties.BASELINE) is not None:
        return EnvelopeKind[properties.read(action, EnvelopeProperties)[0].envelope_kind]
    paths = {curve.data_path for curve in animation.fcurves(action)}
    kinds: Iterable[EnvelopeKind] = (kind for kind, channels in CHANNELS.items() if paths & {c.path for c in channels})
    return next(iter(kinds), EnvelopeKind.POSITION)


def _cut(name: str, size: int = 31) -> str:
    """A name as the file can hold it."""
    return name.encode("utf-8", "surrogateescape")[:size].decode("utf-8", "ignore")
