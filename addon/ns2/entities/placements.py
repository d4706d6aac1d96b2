# SPDX-License-Identifier: GPL-3.0-or-later
"""Where entities are: origin, angles and scale as the location, rotation and scale of their objects, and back.

A channel that is as the import made it leaves its property as it is, bit for bit; one that was edited is written from
the channel itself. Only where the object hangs on something else (a parent, delta channels, a constraint) is its place
composed and taken apart.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence

import bpy
import numpy as np

from ....formats import ns2
from ....formats.arrays import Floats
from ....formats.ns2.entity_classes import ANGLES, ORIGIN, PLACED
from ...scene.blender_types import Value
from ...scene.geometry import transforms
from ...scene.kept import baselines
from .. import layout
from .custom_properties import LOCATION, ROTATION, SCALE

Matrix = Floats
TURN: Matrix = np.array([[0, 0, -1], [-1, 0, 0], [0, 1, 0]], np.float64)
"""What turns a Blender spotlight or camera, which look along their -z, along the x that is an entity's front."""
KEPT = "entity_angles"
"""Baseline, on objects whose rotation isn't their angles (see TURN): those angles, float64[3]."""
AXES = (2, 0, 1)
"""Spark's y, z, x of Blender's x, y, z: `layout.to_blender` of a scale."""
_NEAR = 8 * float(np.finfo(np.float32).eps)
TURNED = 2e-6
"""How far rotations that were composed may be off and be the same."""
SHEARED = 1e-3
_OWN = frozenset((transforms.LOCATION, transforms.ROTATION, transforms.SCALE))
_CHAIN = frozenset((transforms.PARENT, transforms.DELTA))


def build(obj: bpy.types.Object, said: Mapping[str, Value]) -> None:
    """Put an object where the channels say, by their keys; what isn't finite is 0 (of a scale, 1).

    Angles are roll, pitch and yaw: Blender's Euler angles about x, y and z, in that order.
    """
    origin = said.get(LOCATION)
    if origin is not None:
        obj.location = [origin[axis] if math.isfinite(origin[axis]) else 0.0 for axis in AXES]
    angles = said.get(ROTATION)
    euler = [angle if math.isfinite(angle) else 0.0 for angle in angles] if angles is not None else [0.0] * 3
    obj.rotation_mode = "XYZ"
    if is_turned(obj):
        obj.rotation_euler = euler_of(rotation_of(euler) @ TURN)
        baselines.store(obj, KEPT, np.array(euler, np.float64))
    else:
        obj.rotation_euler = euler
    scale = said.get(SCALE)
    if scale is not None:
        obj.scale = [scale[axis] if math.isfinite(scale[axis]) else 1.0 for axis in AXES]


def is_turned(obj: bpy.types.Object) -> bool:
    """Whether an object looks along its own -z, so that TURN is a part of its rotation."""
    return obj.type == "CAMERA" or (isinstance(obj.data, bpy.types.Light) and obj.data.type == "SPOT")


def rotation_of(angles: Sequence[float]) -> Floats:
    """Roll, pitch and yaw as a rotation in Blender's axes, float64[3, 3]: first about x, then y, then z."""
    (cx, sx), (cy, sy), (cz, sz) = ((np.cos(angle), np.sin(angle)) for angle in np.asarray(angles, np.float64))
    return np.array(
        [
            [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx],
            [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx],
            [-sy, cy * sx, cy * cx],
        ]
    )


def euler_of(rotation: Floats) -> tuple[float, float, float]:
    """The inverse of `rotation_of`; of what looks straight up or down, without roll."""
    pitch = np.arctan2(-rotation[2, 0], np.hypot(rotation[0, 0], rotation[1, 0]))
    if np.hypot(rotation[0, 0], rotation[1, 0]) > 1e-7:
        roll, yaw = np.arctan2(rotation[2, 1], rotation[2, 2]), np.arctan2(rotation[1, 0], rotation[0, 0])
    else:
        roll, yaw = 0.0, np.arctan2(-rotation[0, 1], rotation[1, 1])
    return float(roll), float(pitch), float(yaw)


def collect(
    obj: bpy.types.Object,
    entity: ns2.Entity,
    channels: Mapping[str, int],
    root: bpy.types.Object | None,
    depsgraph: bpy.types.Depsgraph | None,
    fresh: bool,
    sized: list[str],
) -> bool:
    """Write an entity's place as far as its object says another one; whether that changed anything.

    channels: the places of the properties that are channels. fresh: the entity's values are no one's; all are written.
    sized: gets the names of objects whose scale there is no property for. Raises ValueError for what can't be.
    """
    found = transforms.changed_channels(obj, root)
    changed = _OWN if fresh else found & _OWN
    if fresh and transforms.ROTATION not in found and baselines.load(obj, KEPT) is not None:
        changed -= {transforms.ROTATION}
    composed = bool(found & _CHAIN) or transforms.needs_evaluation(obj, root)
    if not (changed or composed):
        return False
    seen: dict[str, Matrix] = {}
    exact: set[str] = set()
    if composed:
        seen = _taken_apart(transforms.seen(obj, root, depsgraph), obj)
    else:
        exact = {LOCATION, SCALE} | ({ROTATION} if _has_angles(obj) else set())
        if transforms.LOCATION in changed:
            seen[LOCATION] = layout.from_blender(np.array(obj.location, np.float64))
        if transforms.SCALE in changed:
            seen[SCALE] = layout.from_blender(np.array(obj.scale, np.float64))
        if transforms.ROTATION in changed:
            seen[ROTATION] = _angles(obj)
    values: dict[str, Matrix] = {}
    for key, one in seen.items():
        value = one if key in exact else _other(key, one, entity, channels)
        if value is not None:
            values[key] = value
    if SCALE in values and channels.get(SCALE) is None and np.abs(np.array(values[SCALE]) - 1).max() > 1e-4:
        sized.append(obj.name)
    return _write(entity, channels, values)


def start_of(obj: bpy.types.Object, channel: str) -> tuple[float, ...]:
    """What a new entity's property of a channel begins with: what the object's own channel says, or was made of."""
    if channel == LOCATION:
        return tuple(layout.from_blender(np.array(obj.location, np.float64)).tolist())
    if channel == SCALE:
        return tuple(layout.from_blender(np.array(obj.scale, np.float64)).tolist())
    kept = baselines.load(obj, KEPT) if is_turned(obj) else None
    return tuple(np.array(obj.rotation_euler if kept is None else kept, np.float64).tolist())


def _has_angles(obj: bpy.types.Object) -> bool:
    """Whether an object's channel is roll, pitch and yaw."""
    return obj.rotation_mode == "XYZ" and not is_turned(obj)


def _angles(obj: bpy.types.Object) -> Matrix:
    """Roll, pitch and yaw of an object's own rotation."""
    if _has_angles(obj):
        return np.array(obj.rotation_euler, np.float64)
    linear = transforms.local(obj, deltas=False)[:3, :3]
    scale = np.array(obj.scale, np.float64)
    if not scale.all():
        raise ValueError("its scale is 0, so it has no direction")
    return _angles_of(obj, linear / scale)


def _angles_of(obj: bpy.types.Object, rotation: Matrix) -> Matrix:
    return np.array(euler_of(rotation @ TURN.T if is_turned(obj) else rotation))


def _taken_apart(matrix: Matrix, obj: bpy.types.Object) -> dict[str, Matrix]:
    """Origin, angles and scale of a transform. Mirrored axes are those that the object's own scale mirrors."""
    linear = matrix[:3, :3]
    lengths = np.linalg.norm(linear, axis=0)
    if not (lengths > 1e-9).all():
        raise ValueError("its scale is 0, so it has no direction")
    axes = linear / lengths
    if np.abs(axes.T @ axes - np.eye(3)).max() > SHEARED:
        raise ValueError("it is sheared, which an entity can't be")
    signs = np.where(np.array(obj.scale) < 0, -1.0, 1.0)
    if np.linalg.det(axes) * signs.prod() < 0:
        signs = -signs
    scale = lengths * signs
    if is_turned(obj):
        scale = np.ones(3)
    return {
        LOCATION: layout.from_blender(matrix[:3, 3]),
        ROTATION: _angles_of(obj, linear / (lengths * signs)),
        SCALE: layout.from_blender(scale),
    }


def _other(key: str, seen: Matrix, entity: ns2.Entity, channels: Mapping[str, int]) -> Matrix | None:
    """A value that was worked out, with the entity's own numbers where it differs from those by rounding only; None
    where all do.
    """
    was = _value(entity, channels.get(key))
    if was is None:
        was = np.ones(3) if key == SCALE else np.zeros(3)
    was = np.where(np.isfinite(was), was, 1.0 if key == SCALE else 0.0)
    near = np.abs(seen - was) <= (TURNED if key == ROTATION else _NEAR * max(float(np.abs(was).max()), 1.0))
    if near.all():
        return None
    if key == ROTATION and np.abs(rotation_of(seen.tolist()) - rotation_of(was.tolist())).max() < TURNED:
        return None
    return np.where(near, was, seen)


def _value(entity: ns2.Entity, at: int | None) -> Matrix | None:
    if at is None:
        return None
    value = entity.properties[at].value
    return np.array(value, np.float64)


def _write(entity: ns2.Entity, channels: Mapping[str, int], values: Mapping[str, Matrix]) -> bool:
    changed = False
    for key, name in ((LOCATION, ORIGIN), (ROTATION, ANGLES), (SCALE, "")):
        if key not in values:
            continue
        numbers = tuple(float(np.float32(one)) for one in values[key])
        if not np.isfinite(numbers).all():
            raise ValueError("its place is beyond what 32-bit floats can hold")
        at = channels.get(key)
        if at is not None:
            before = entity.properties[at]
            entity.properties[at] = before.with_value(numbers)
            changed |= entity.properties[at] != before
        elif name and any(numbers):
            kind, _ = PLACED[name]
            entity.properties.append(ns2.Property(name, int(kind), 3, struct.pack("<3f", *numbers)))
            changed = True
    return changed
