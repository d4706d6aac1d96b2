# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions of world models as actions."""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import ArrayLike

from ....formats.arrays import Floats, Singles
from ....formats.genesis import Interpolation, Motion, Track
from ...scene.blender_types import Slot
from ...scene.fields import properties
from ...scene.geometry import transforms
from ...scene.kept import baselines, identity
from ...scene.media import animation
from ...scene.names import showable
from .. import layout
from ..context import ImportContext

MARKER_NAME = 63
"""Bytes of a marker's name that Blender keeps."""
LAST_FRAME = 1048574
"""Of Blender's time."""
LOCATION = "location"
ROTATION = "rotation_quaternion"


def build_motion(importing: ImportContext, motion: Motion, record: int, moved: bpy.types.Object) -> bpy.types.Action:
    """Make the action of a motion's first path: it is the only one that moves a world model.

    record: that of the model. moved: the empty that the motion moves.

    The engine plays no other: its geWorld_ModelMotionSample, and every game whose source is known (GTest's doors and
    model controllers, Reality Factory's model manager), take path 0 of a model's motion and sample that; further paths
    are for the joints of actors. The editor writes one. Others stay in the level as they are.
    """
    action = animation.action(moved.name)
    slot = animation.slot(action)
    identity.stamp(action, importing.token, layout.MOTION, record)
    path = motion.paths[0] if motion.paths else None
    rotation, translation = (path.rotation, path.translation) if path else (None, None)
    if len(motion.paths) > 1:
        importing.report.left_out(
            "paths of motions beyond the first, which the game doesn't play (they stay in the level)",
            len(motion.paths) - 1,
        )
    written = layout.MotionProperties(motion_name=motion.name)
    if rotation is not None:
        written.rotation_interpolation, written.rotation_looped = int(rotation.interpolation), rotation.looped
        values = _shortest(layout.quaternion_to_blender(rotation.values))
        _set_track(importing.scene, action, slot, ROTATION, rotation, values)
    if translation is not None:
        written.translation_interpolation = int(translation.interpolation)
        written.translation_looped = translation.looped
        _set_track(importing.scene, action, slot, LOCATION, translation, layout.to_blender(translation.values))
    properties.write(action, written)
    for event in motion.events:
        frame, name = marker_of(event.text, float(animation.frame_of(event.time, importing.scene)))
        action.pose_markers.new(name).frame = frame
    animation.assign(moved, action, slot)
    return action


def marker_of(text: str, frame: float) -> tuple[int, str]:
    """The frame and the name of an event's marker. Markers lie on whole frames, as far out as Blender counts them."""
    near = round(min(max(frame, -LAST_FRAME), LAST_FRAME)) if frame == frame else 0
    return near, showable(text).encode()[:MARKER_NAME].decode("utf-8", "ignore")


def _shortest(values: Floats) -> Floats:
    """Rotations with the signs that let each turn to the next by the shorter way, as the engine does."""
    flips = np.sign((values[1:] * values[:-1]).sum(axis=1))
    flips[flips == 0] = 1
    signs: Floats = np.concatenate([[1.0], np.cumprod(flips)])[: len(values), None]
    return values * signs


def _set_track(
    scene: bpy.types.Scene,
    action: bpy.types.Action,
    slot: Slot | None,
    path: str,
    track: Track,
    values: Floats,
) -> None:
    """Key a track's values [k, 3] or [k, 4]; what the keys then are is kept for the exporter to compare with."""
    frames = np.asarray(animation.frame_of(track.times, scene), np.float64)
    order = np.argsort(frames, kind="stable")
    frames, values = frames[order], values[order]
    hermite = not track.is_rotation and track.interpolation != Interpolation.LINEAR
    for index in range(values.shape[1]):
        curve = animation.fcurve(action, slot, path, index)
        if hermite and len(frames):
            left, right = _handles(frames, values[:, index], track)
            number = animation.INTERPOLATION["BEZIER"]
            animation.set_keys(curve, frames, values[:, index], number, left=left, right=right)
        else:
            animation.set_keys(curve, frames, values[:, index], animation.INTERPOLATION["LINEAR"])
        keep_keys(action, curve)


def keep_keys(action: bpy.types.Action, curve: bpy.types.FCurve) -> None:
    """Keep a curve's keys as the import made them: float32[k, 2], frames and values."""
    baselines.store(action, baseline_key(curve), key_table(curve))


def baseline_key(curve: bpy.types.FCurve) -> str:
    """The name of a curve's baseline on its action."""
    return f"{curve.data_path} {curve.array_index}"


def key_table(curve: bpy.types.FCurve) -> Singles:
    """A curve's frames and values, float32[k, 2]."""
    keys = animation.read_keys(curve)
    return np.column_stack([keys.frames, keys.values])


def _handles(frames: Floats, values: Floats, track: Track) -> tuple[Floats, Floats]:
    """Bezier handles [k, 2] of the engine's Hermite curves: along the chord of the neighbours, or level."""
    slopes = np.zeros(len(frames))
    if track.interpolation == Interpolation.HERMITE and len(frames) > 1:
        times, points = frames, values
        if track.looped and len(frames) > 2:
            times = np.concatenate(
                [[frames[0] - frames[-1] + frames[-2]], frames, [frames[-1] + frames[1] - frames[0]]]
            )
            points = np.concatenate([[values[-2]], values, [values[1]]])
        else:
            times = np.concatenate([frames[:1], frames, frames[-1:]])
            points = np.concatenate([values[:1], values, values[-1:]])
        spans = times[2:] - times[:-2]
        with np.errstate(all="ignore"):
            slopes = np.where(spans > 0, (points[2:] - points[:-2]) / spans, 0.0)
    before = np.diff(frames, prepend=frames[0]) / 3
    after = np.diff(frames, append=frames[-1]) / 3
    left = np.column_stack([frames - before, values - slopes * before])
    right = np.column_stack([frames + after, values + slopes * after])
    return left, right


def pose_at(action: bpy.types.Action, frame: float) -> Floats:
    """Where a motion is at a frame, relative to its model: float64 [4, 4], in Blender's axes."""

    def channels(path: str, rest: ArrayLike) -> Floats:
        values = np.array(rest, np.float64)
        for index in range(len(values)):
            curve = animation.find_fcurve(action, animation.slot(action), path, index)
            if curve is not None and len(curve.keyframe_points):
                values[index] = curve.evaluate(frame)
        return values

    pose = np.eye(4)
    pose[:3, :3] = transforms.from_quaternion(channels(ROTATION, (1, 0, 0, 0)))
    pose[:3, 3] = channels(LOCATION, (0, 0, 0))
    return pose
