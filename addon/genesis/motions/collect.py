# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions back to motions: keys, events and how the engine goes from key to key; what nobody edited keeps its bytes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import bpy
import numpy as np

from ....formats.arrays import Floats
from ....formats.genesis import Event, Motion, Path, Track
from ....formats.genesis.motion import PATH_NAME
from ...scene.fields import properties
from ...scene.kept import baselines
from ...scene.media import animation
from ...scene.reports import Report, SceneError
from .. import layout
from ..parts.level import SceneBrush, SceneModel
from ..parts.placement import Matrix
from . import build

SAME_RATE = 1e-3
"""Share by which frame rates differ that are not the same."""
STRAIGHT = 1e-5
"""What of a model's matrix is no turn and no scale, but rounding."""
_PATHS = {build.ROTATION: (1.0, 0.0, 0.0, 0.0), build.LOCATION: (0.0, 0.0, 0.0)}
"""Channels of a motion's empty -> their values at rest."""


def action_of(model: SceneModel) -> bpy.types.Action | None:
    """The action that a model's motion is; None for a model that stays."""
    data = model.motion.animation_data if model.motion is not None else None
    return data.action if data is not None else None


def collect_motion(
    model: SceneModel,
    before: Motion | None,
    scene: bpy.types.Scene,
    path_name: str,
    matrix: Matrix,
    report: Report,
) -> Motion | None:
    """The motion that a model's action says: `before`, as it is, if nothing of it was edited.

    path_name: the name of a new motion's path. matrix: where the model is below the root; where it is turned or scaled,
    so is the way that it takes. Raises SceneError, naming the action, for what no motion can hold.
    """
    motion = _collect(model, before, scene, path_name, report)
    if motion is None or np.abs(matrix[:3, :3] - np.eye(3)).max() <= STRAIGHT:
        return motion
    axes = layout.from_blender(np.eye(3))
    paths = [_turned(path, axes.T @ matrix[:3, :3].T @ axes, model.object) for path in motion.paths]
    return replace(motion, paths=paths)


def _turned(path: Path, turn: Floats, obj: bpy.types.Object) -> Path:
    """A path after a transform of its model; turn: [3, 3], for rows, in the level's axes."""
    rotation, translation = path.rotation, path.translation
    if translation is not None:
        translation = replace(translation, values=translation.values @ turn + 0.0)
    if rotation is not None and rotation.values[:, 1:].any():
        size = np.linalg.det(turn)
        axes = turn / np.cbrt(size) if size else turn  # axes of rotations are mirrored the other way round
        if np.abs(axes @ axes.T - np.eye(3)).max() > SAME_RATE:
            raise SceneError(f"{obj.name}: its scale differs between the axes, but it turns in its motion", [obj])
        values = np.column_stack([rotation.values[:, 0], rotation.values[:, 1:] @ axes + 0.0])
        rotation = replace(rotation, values=values, axis=None)
    return Path(rotation, translation)


def _collect(
    model: SceneModel, before: Motion | None, scene: bpy.types.Scene, path_name: str, report: Report
) -> Motion | None:
    action = action_of(model)
    if action is None:
        return None
    if model.motion is not None and animation.strips(model.motion):
        report.warn(f"{model.motion.name}: NLA strips are not exported, a motion is the keys of its own action")
    try:
        settings, edited = properties.read(action, layout.MotionProperties)
    except ValueError as error:
        raise SceneError(str(error), [model.object]) from error
    if before is None and action.get(properties.BASELINE) is not None:
        edited = frozenset(vars(settings))
    path = before.paths[0] if before is not None and before.paths else Path()
    rate = _rate(action, path, scene)
    rotation = _track(action, build.ROTATION, path.rotation, rate)
    translation = _track(action, build.LOCATION, path.translation, rate)
    if rotation is not path.rotation or translation is not path.translation:
        rotation, translation = _same_times(action, rotation, translation, path, rate)
    rotation = _interpolated(rotation, settings.rotation_interpolation, settings.rotation_looped, edited, "rotation")
    translation = _interpolated(
        translation,
        _interpolation(action, translation, settings, edited),
        settings.translation_looped,
        edited,
        "translation",
    )
    events = _events(action, before, rate)
    name = settings.motion_name if "motion_name" in edited or before is None else before.name
    if before is not None:
        same = rotation is path.rotation and translation is path.translation and events is before.events
        if same and name == before.name:
            return before
        paths = [Path(rotation, translation), *before.paths[1:]]
        return replace(before, paths=paths, events=events, name=name)
    if rotation is None and translation is None and not events:
        return None
    return Motion([Path(rotation, translation)], [path_name or PATH_NAME], events, name)


class Poses:
    """Where the motions of models are when their brushes stand as the file has them, each worked out once."""

    def __init__(self, scene: bpy.types.Scene, key_time_of: Callable[[SceneModel], float]) -> None:
        """key_time_of: the time in its motion at which a model's brushes stand so, seconds."""
        self.scene = scene
        self.key_time_of = key_time_of
        self._made: dict[int, Matrix] = {}

    def of(self, brush: SceneBrush) -> Matrix | None:
        """The pose of the motion above a brush; None for a brush of no model."""
        model = brush.model
        if model is None:
            return None
        if id(model) not in self._made:
            self._made[id(model)] = _pose(model, self.key_time_of(model), self.scene)
        return self._made[id(model)]


def _pose(model: SceneModel, key_time: float, scene: bpy.types.Scene) -> Matrix:
    """Where a model's motion is at a time in seconds, float64 [4, 4] in Blender's axes."""
    action = action_of(model)
    if action is None:
        return np.eye(4)
    return build.pose_at(action, float(animation.frame_of(key_time, scene)))


def _rate(action: bpy.types.Action, path: Path, scene: bpy.types.Scene) -> float:
    """Frames a second: those of the import, whatever the scene's are now."""
    now = float(animation.frame_of(1.0, scene))
    for name, track in ((build.ROTATION, path.rotation), (build.LOCATION, path.translation)):
        built = baselines.load(action, f"{name} 0")
        if track is not None and built is not None and len(built) == len(track.times) and len(built):
            last, frame = float(track.times.max()), float(built[-1, 0])
            if last > 0 and abs(frame / last - now) > now * SAME_RATE:
                return round(frame / last, 3)
    return now


def _curves(action: bpy.types.Action, path: str) -> list[bpy.types.FCurve | None]:
    return [animation.find_fcurve(action, animation.slot(action), path, index) for index in range(len(_PATHS[path]))]


def _track(action: bpy.types.Action, path: str, before: Track | None, rate: float) -> Track | None:
    """The keys of a path's curves; `before` if they are those that the import made of it."""
    curves = _curves(action, path)
    if all(curve is None or not len(curve.keyframe_points) for curve in curves):
        return None
    if before is not None and all(
        curve is not None and baselines.same(action, build.baseline_key(curve), build.key_table(curve))
        for curve in curves
    ):
        return before
    _refuse_modifiers(action, curves)
    frames = np.unique(
        np.concatenate([animation.read_keys(curve).frames for curve in curves if curve is not None])
    ).astype(np.float64)
    return _sampled(action, path, frames, before, rate)


def _sampled(action: bpy.types.Action, path: str, frames: Floats, before: Track | None, rate: float) -> Track:
    """A track with keys at these frames; those that are the import's say what its record says."""
    curves = _curves(action, path)
    values = np.tile(np.array(_PATHS[path]), (len(frames), 1))
    for index, curve in enumerate(curves):
        if curve is not None and len(curve.keyframe_points):
            values[:, index] = [curve.evaluate(frame) for frame in frames.tolist()]
    rotates = path == build.ROTATION
    if rotates:
        lengths = np.linalg.norm(values, axis=1, keepdims=True)
        result = layout.quaternion_from_blender(values / np.where(lengths > 0, lengths, 1.0))
        result[lengths[:, 0] == 0] = (1, 0, 0, 0)
    else:
        result = layout.from_blender(values)
    times = frames / rate
    built = (baselines.load(action, f"{path} {index}") for index in range(len(curves)))
    tables = [one for one in built if one is not None and before is not None and len(one) == len(before.times)]
    if before is not None and len(tables) == len(curves):
        order = np.argsort(before.times, kind="stable")
        old = {float(frame): number for number, frame in enumerate(tables[0][:, 0].tolist())}
        for number, frame in enumerate(frames.astype(np.float32).tolist()):
            place = old.get(frame)
            if place is None:
                continue
            times[number] = before.times[order[place]]
            if all(np.float32(values[number, index]) == table[place, 1] for index, table in enumerate(tables)):
                result[number] = before.values[order[place]]
    template = before or Track(times, result, 1)
    axis = before.axis if before is not None and rotates else None
    made = Track(times, result + 0.0, template.interpolation, template.looped, axis)
    if axis is not None and made.hinge() is None:
        made.axis = None
    return made


def _same_times(
    action: bpy.types.Action, rotation: Track | None, translation: Track | None, path: Path, rate: float
) -> tuple[Track | None, Track | None]:
    """Both tracks with keys at the same times, as the editor wants them, unless the original's had not."""
    was = (
        path.rotation is None
        or path.translation is None
        or not np.array_equal(path.rotation.times, path.translation.times)
    )
    if was and (path.rotation is not None or path.translation is not None):
        return rotation, translation
    tables = [
        animation.read_keys(curve).frames
        for name in _PATHS
        for curve in _curves(action, name)
        if curve is not None and len(curve.keyframe_points)
    ]
    if not tables:
        return rotation, translation
    frames = np.unique(np.concatenate(tables)).astype(np.float64)
    return (
        _sampled(action, build.ROTATION, frames, path.rotation, rate),
        _sampled(action, build.LOCATION, frames, path.translation, rate),
    )


def _refuse_modifiers(action: bpy.types.Action, curves: list[bpy.types.FCurve | None]) -> None:
    if any(curve is not None and any(not one.mute for one in curve.modifiers) for curve in curves):
        raise SceneError(f"action {action.name}: its F-curves have modifiers; bake them into keys")


def _interpolation(
    action: bpy.types.Action, track: Track | None, settings: layout.MotionProperties, edited: frozenset[str]
) -> int:
    """How a translation is interpolated: as its property says if that was edited, else as its keys are.

    Raises SceneError for keys that are interpolated in several ways, or in one that the engine has not.
    """
    if track is None or "translation_interpolation" in edited:
        return settings.translation_interpolation
    kinds = set()
    for curve in _curves(action, build.LOCATION):
        if curve is not None and len(curve.keyframe_points) > 1:
            kinds |= set(animation.read_keys(curve).interpolation[:-1].tolist())
    linear, bezier = animation.INTERPOLATION["LINEAR"], animation.INTERPOLATION["BEZIER"]
    if not kinds or kinds == {bezier}:
        return track.interpolation or int(bool(kinds))
    if kinds == {linear}:
        return 0
    raise SceneError(
        f"action {action.name}: the keys of its location are not all linear, or all Bezier, as a motion's are"
    )


def _interpolated(
    track: Track | None, interpolation: int, looped: bool, edited: frozenset[str], name: str
) -> Track | None:
    """A track with what its properties say."""
    if track is None:
        return None
    if f"{name}_interpolation" not in edited and name == "rotation":
        interpolation = track.interpolation
    if f"{name}_looped" not in edited:
        looped = track.looped
    if (track.interpolation, track.looped) == (interpolation, looped):
        return track
    return replace(track, interpolation=interpolation, looped=looped)


def _events(action: bpy.types.Action, before: Motion | None, rate: float) -> list[Event]:
    """The markers of an action as events: the record's where they stand as the import put them."""
    markers = sorted(((marker.frame, marker.name) for marker in action.pose_markers), key=lambda one: one[0])
    was = list(before.events) if before is not None else []
    markers_of_events = [build.marker_of(event.text, event.time * rate) for event in was]
    if before is not None and sorted(markers_of_events) == sorted(markers):
        return before.events
    events = []
    for frame, name in markers:
        if (frame, name) in markers_of_events:
            number = markers_of_events.index((frame, name))
            markers_of_events[number] = (-1, "")
            events.append(was[number])
            continue
        # A marker that was only moved keeps its text, which may be longer than a marker's name.
        number = next((number for number, (_, text) in enumerate(markers_of_events) if text == name and name), -1)
        text = was[number].text if number >= 0 else name
        events.append(Event(frame / rate, text))
    return events
