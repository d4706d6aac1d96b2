# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions, keys, NLA strips and drivers, the same in Blender 4.2 (no action slots) to 5.2 (no `action.fcurves`).

Times are frames as floats; `frame_of` and `time_of` convert with the scene's frame rate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

import bpy
import numpy as np
from numpy.typing import ArrayLike

from ....formats.arrays import Floats, Int32s, Singles
from ..blender_types import Slot, always, expect
from ..names import showable

if TYPE_CHECKING:
    # No version of Blender has both.
    FCurves = bpy.types.ActionFCurves | bpy.types.ActionChannelbagFCurves
Times = TypeVar("Times", float, Floats)
"""A time, or several."""


IdType = Literal["OBJECT", "MATERIAL", "SPEAKER"]
"""What actions of ours are for."""


class Animated(Protocol):
    """A data-block that may have actions and strips."""

    @property
    def animation_data(self) -> bpy.types.AnimData | None:
        """Where they are."""


SLOTS = "slots" in bpy.types.Action.bl_rna.properties
ENDLESS = 1_000_000.0
"""Frames that a looping strip lasts (Blender's last frame is 1,048,574)."""


def _numbers(prop: str) -> dict[str, int]:
    enum = expect(bpy.types.EnumProperty, bpy.types.Keyframe.bl_rna.properties[prop])
    return {item.identifier: item.value for item in enum.enum_items}


INTERPOLATION = _numbers("interpolation")
"""Name -> number of a key's interpolation: CONSTANT, LINEAR, BEZIER, CUBIC, ..."""
EASING = _numbers("easing")
"""Name -> number of a key's easing: AUTO, EASE_IN, EASE_OUT, EASE_IN_OUT."""
HANDLE = _numbers("handle_left_type")
"""Name -> number of a handle's type: FREE, VECTOR, ALIGNED, AUTO, AUTO_CLAMPED."""


def frame_of(seconds: Times, scene: bpy.types.Scene) -> Times:
    """Return the frame (float) of a time in seconds from frame 0. Works on numbers and arrays."""
    return seconds * (scene.render.fps / scene.render.fps_base)


def time_of(frame: Times, scene: bpy.types.Scene) -> Times:
    """Return the time in seconds of a frame."""
    return frame / (scene.render.fps / scene.render.fps_base)


def action(name: str, id_type: IdType = "OBJECT") -> bpy.types.Action:
    """Make an action for data-blocks of a type ("OBJECT", "MATERIAL", ...), with the one slot it needs."""
    made = bpy.data.actions.new(showable(name))
    if SLOTS:
        made.slots.new(id_type, name)
        made.layers.new("Layer").strips.new(type="KEYFRAME")
    else:
        made.id_root = id_type
    return made


def slot(of: bpy.types.Action, id_type: str | None = None) -> Slot | None:
    """Return an action's first slot (for data-blocks of a type); None in Blender 4.2, which has no slots."""
    if not SLOTS:
        return None
    return next((one for one in of.slots if id_type is None or one.target_id_type in (id_type, "UNSPECIFIED")), None)


def _channels(of: bpy.types.Action, in_slot: Slot | None, ensure: bool) -> FCurves | None:
    """Return the F-curve collection of an action (and slot), or None."""
    if not SLOTS:
        return of.fcurves
    in_slot = in_slot or slot(of)
    if in_slot is None:
        return None
    for layer in of.layers:
        for strip_ in layer.strips:
            bag = expect(bpy.types.ActionKeyframeStrip, strip_).channelbag(in_slot, ensure=ensure)
            if bag is not None:
                return bag.fcurves
    if not ensure:
        return None
    layer = of.layers[0] if len(of.layers) else of.layers.new("Layer")
    made = expect(bpy.types.ActionKeyframeStrip, layer.strips.new(type="KEYFRAME"))
    return made.channelbag(in_slot, ensure=True).fcurves


def fcurves(of: bpy.types.Action, in_slot: Slot | None = None) -> list[bpy.types.FCurve]:
    """Return an action's F-curves (of one slot; default the first)."""
    return list(_channels(of, in_slot, ensure=False) or ())


def fcurve(of: bpy.types.Action, in_slot: Slot | None, path: str, index: int = 0) -> bpy.types.FCurve:
    """Return the action's F-curve of a data path and array index, made when there is none. in_slot: from `slot`."""
    curves = _channels(of, in_slot, ensure=True)
    if curves is None:
        raise ValueError(f"{of.name} has no slot for curves")
    curve: bpy.types.FCurve = curves.find(path, index=index) or curves.new(path, index=index)
    return curve


def find_fcurve(of: bpy.types.Action, in_slot: Slot | None, path: str, index: int = 0) -> bpy.types.FCurve | None:
    """Return the action's F-curve of a data path and array index, or None."""
    curves = _channels(of, in_slot, ensure=False)
    return None if curves is None else curves.find(path, index=index)


def remove_fcurve(of: bpy.types.Action, in_slot: Slot | None, curve: bpy.types.FCurve) -> None:
    """Remove an F-curve of an action (and slot)."""
    curves = _channels(of, in_slot, ensure=False)
    if curves is not None:
        curves.remove(curve)


@dataclass
class Keys:
    """Keys as arrays of one length."""

    frames: Singles
    """float32[k]."""
    values: Singles
    """float32[k]."""
    interpolation: Int32s
    """int32[k], numbers of INTERPOLATION."""
    easing: Int32s
    """int32[k], numbers of EASING."""
    left: Singles
    """float32[k, 2], handles: frame, value."""
    right: Singles
    """float32[k, 2]."""
    left_type: Int32s
    """int32[k], numbers of HANDLE."""
    right_type: Int32s
    """int32[k]."""

    def __len__(self) -> int:
        return len(self.frames)


def set_keys(
    curve: bpy.types.FCurve,
    frames: ArrayLike,
    values: ArrayLike,
    interpolation: ArrayLike | int = 1,
    easing: ArrayLike | int = 0,
    left: ArrayLike | None = None,
    right: ArrayLike | None = None,
    left_type: ArrayLike | int = 0,
    right_type: ArrayLike | int = 0,
) -> None:
    """Replace a curve's keys. frames ascending, values: float[k]; interpolation, easing: numbers, one for all or [k].

    left, right: float[k,2] handles as (frame, value); without them the handles lie on the keys. Handle types are FREE
    unless said otherwise: Blender keeps such handles as they are given.
    """
    co = np.column_stack([np.asarray(frames, np.float32), np.asarray(values, np.float32)])
    count = len(co)
    if bool((co[1:, 0] < co[:-1, 0]).any()):
        raise ValueError("frames must ascend")
    points = curve.keyframe_points
    points.clear()
    points.add(count)
    points.foreach_set("co", co.reshape(-1))
    for name, numbers in (
        ("interpolation", interpolation),
        ("easing", easing),
        ("handle_left_type", left_type),
        ("handle_right_type", right_type),
    ):
        points.foreach_set(name, np.ascontiguousarray(np.broadcast_to(numbers, count), np.int32))
    for name, handle in (("handle_left", left), ("handle_right", right)):
        given = co if handle is None else np.ascontiguousarray(handle, np.float32).reshape(count, 2)
        points.foreach_set(name, given.reshape(-1))
    if bool((co[1:, 0] != co[:-1, 0]).all()):
        curve.update()  # merges keys on one frame, so not where there are some: steps without time between them


def read_keys(curve: bpy.types.FCurve) -> Keys:
    """Return a curve's keys as arrays (copies)."""
    points = curve.keyframe_points
    count = len(points)

    def pairs(name: str) -> Singles:
        array = np.empty((count, 2), np.float32)
        points.foreach_get(name, array.reshape(-1))
        return array

    def numbers(name: str) -> Int32s:
        array = np.empty(count, np.int32)
        points.foreach_get(name, array)
        return array

    co = pairs("co")
    return Keys(
        np.ascontiguousarray(co[:, 0]),
        np.ascontiguousarray(co[:, 1]),
        numbers("interpolation"),
        numbers("easing"),
        pairs("handle_left"),
        pairs("handle_right"),
        numbers("handle_left_type"),
        numbers("handle_right_type"),
    )


def loop(curve: bpy.types.FCurve) -> None:
    """Let a curve repeat for ever, before its first key and after its last."""
    if not any(modifier.type == "CYCLES" for modifier in curve.modifiers):
        curve.modifiers.new("CYCLES")


def assign(id_block: bpy.types.ID, of: bpy.types.Action, in_slot: Slot | None = None) -> None:
    """Make an action the data-block's active one."""
    data = id_block.animation_data_create()
    data.action = of
    if SLOTS:
        data.action_slot = in_slot or slot(of)


def strip(
    id_block: bpy.types.ID, of: bpy.types.Action, in_slot: Slot | None = None, offset: float = 0.0, looping: bool = True
) -> bpy.types.NlaStrip:
    """Play an action on a data-block through an NLA strip of its own track; frame 0 shows the action's frame `offset`.

    looping: the strip goes on without end; the curves' `loop` repeats them. Actions are shared: each data-block plays
    the same one at its own offset.
    """
    data = id_block.animation_data_create()
    track = data.nla_tracks.new()
    track.name = showable(of.name)
    made = track.strips.new(of.name, 0, of)
    if SLOTS:
        made.action_slot = in_slot or slot(of)
    made.use_sync_length = False
    length = ENDLESS if looping else max(1.0, float(of.frame_range[1]) - offset)
    made.action_frame_end = offset + length
    made.action_frame_start = offset
    made.frame_start = 0.0
    made.extrapolation = "HOLD"
    made.blend_type = "REPLACE"
    return made


def strip_offset(of: bpy.types.NlaStrip) -> float:
    """Return the action's frame that a strip shows at frame 0: also after it was moved, trimmed or scaled."""
    return float(of.action_frame_start) - float(of.frame_start) / (float(of.scale) or 1.0)


def strips(id_block: Animated) -> list[bpy.types.NlaStrip]:
    """Return a data-block's NLA strips with an action, that aren't muted, track by track."""
    data = id_block.animation_data
    if data is None:
        return []
    return [
        one
        for track in data.nla_tracks
        if not track.mute
        for one in track.strips
        if one.action is not None and not one.mute
    ]


def drive(
    id_block: bpy.types.ID,
    path: str,
    index: int,
    expression: str,
    variables: Mapping[str, tuple[bpy.types.ID, str]] | Sequence[tuple[str, bpy.types.ID, str]],
) -> bpy.types.FCurve:
    """Drive a property by a simple expression (arithmetic, min, max, clamp: these run without Python being allowed).

    variables: name -> (data-block, data path), such as (scene, "camera.location[0]"). Replaces an older driver.
    Raises ValueError for an expression that isn't simple.
    """
    id_block.driver_remove(path, index)
    curve = expect(bpy.types.FCurve, id_block.driver_add(path, index))
    driver = always(curve.driver)
    driver.type = "SCRIPTED"
    named = [(n, *v) for n, v in variables.items()] if isinstance(variables, Mapping) else variables
    for name, source, source_path in named:
        variable = driver.variables.new()
        variable.name = showable(name)
        variable.type = "SINGLE_PROP"
        target = variable.targets[0]
        target.id_type = source.id_type
        target.id = source
        target.data_path = source_path
    driver.expression = expression
    if not driver.is_simple_expression:
        id_block.driver_remove(path, index)
        raise ValueError(f"{expression}: not a simple expression, Blender would ask to allow Python")
    return curve
