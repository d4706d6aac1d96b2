# SPDX-License-Identifier: GPL-3.0-or-later
"""Where objects are, relative to their level's root, exactly: from channels and parent inverses, in float64.

`matrix_world` is never used for this: it is stale or zero in excluded collections, and decomposing it loses negative
scales. Only what channels can't say (constraints, parents other than whole objects) is taken from the evaluated scene:
such an object is exported where Blender shows it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping

import bpy
import numpy as np
from bpy.types import Curve

from ....formats import matrices
from ....formats.arrays import Floats
from ..kept import identity
from ..kept.baselines import put_bytes
from ..reports import SceneError

BASELINE = "levelwright_transform"
Matrix = Floats
Values = Mapping[str, tuple[float, ...]]
"""Values of channels by their names: "location", "rotation_euler"."""

LOCATION, ROTATION, SCALE, DELTA, PARENT = "location", "rotation", "scale", "delta", "parent"
"""What `changed_channels` tells of; PARENT also stands for any change further up the chain."""

_CHANNELS = struct.Struct("<3f3f4f10s10f16f?")
"""location, scale, rotation values, rotation mode, deltas, parent inverse, whether deltas count."""
_LOCATION, _SCALE, _ROTATION, _MODE = slice(0, 3), slice(3, 6), slice(6, 10), 10
_DELTA_LOCATION, _DELTA_ROTATION, _DELTA_SCALE = slice(11, 14), slice(14, 18), slice(18, 21)
_INVERSE, _WITH_DELTAS = slice(21, 37), 37
_NEW = struct.Struct("<10f")
"""What of these is set on new objects."""
_REST_OF_NEW = _CHANNELS.pack(*(0.0,) * 10, b"XYZ", *(0.0,) * 7, *(1.0,) * 3, *np.eye(4).ravel().tolist(), True)[
    _NEW.size :
]
_PARENT_OF_NEW = "OBJECT  "
"""What the name of its parent begins with: it hangs on the whole of it, not on a bone."""


def remember(obj: bpy.types.Object, deltas: bool = True) -> None:
    """Keep an object's channels and parent as the import made them (call it last).

    deltas: False where delta channels are animated for show (envelopes, parallax): they then count for nothing.
    """
    parent = _parent_key(obj).encode("utf-8", "surrogateescape")
    put_bytes(obj, BASELINE, _CHANNELS.pack(*_channels(obj, deltas)) + parent)


def remember_delta(obj: bpy.types.Object) -> None:
    """Keep an object's delta location alone as what an import made of it: it lifts the object for show."""
    stored = obj.get(BASELINE)
    if isinstance(stored, bytes) and len(stored) >= _CHANNELS.size:
        values = list(_CHANNELS.unpack_from(stored))
        values[_DELTA_LOCATION] = obj.delta_location[:]
        put_bytes(obj, BASELINE, _CHANNELS.pack(*values) + stored[_CHANNELS.size :])


def remember_new(obj: bpy.types.Object) -> None:
    """Do what `remember` does, in half its time (3 of 6 us), for an object that was just made.

    Of its channels none but location, scale and rotation_euler were set, and of its parent none but the object.
    """
    own = _NEW.pack(*obj.location[:], *obj.scale[:], *obj.rotation_euler[:], 0.0)
    parent = obj.parent
    key = "" if parent is None else f"{_PARENT_OF_NEW}{_who(parent)}"
    put_bytes(obj, BASELINE, own + _REST_OF_NEW + key.encode("utf-8", "surrogateescape"))


def unchanged(obj: bpy.types.Object, root: bpy.types.Object | None = None) -> bool:
    """Say whether the object and its parents, up to the root, are where the import put them, bit for bit."""
    return not changed_channels(obj, root)


def changed_channels(obj: bpy.types.Object, root: bpy.types.Object | None = None) -> frozenset[str]:
    """Return which of location, rotation, scale, delta, parent differ from the import's; all, if it kept nothing.

    "parent" means that the chain differs: another parent or parent inverse, or a parent that moved. The root (default:
    the first parent stamped "root") isn't part of the chain: moving the level edits nothing. Changing only the
    rotation mode, with the same rotation, is no change. Where "parent" and "delta" are absent, a record's location,
    rotation or scale is exported from its channel; otherwise from `compose`.
    """
    own = _own_changes(obj)
    if any(_own_changes(parent) for parent in _ancestors(obj, root)):
        own.add(PARENT)
    return frozenset(own)


def _own_changes(obj: bpy.types.Object) -> set[str]:
    stored = obj.get(BASELINE)
    if not isinstance(stored, bytes) or len(stored) < _CHANNELS.size:
        return {LOCATION, ROTATION, SCALE, DELTA, PARENT}
    was = _CHANNELS.unpack_from(stored)
    now = _CHANNELS.unpack(_CHANNELS.pack(*_channels(obj, was[_WITH_DELTAS])))
    changed = set()
    for channel, *parts in ((LOCATION, _LOCATION), (SCALE, _SCALE), (DELTA, _DELTA_LOCATION, _DELTA_SCALE)):
        if any(_bits(was[part]) != _bits(now[part]) for part in parts):
            changed.add(channel)
    for channel, part in ((ROTATION, _ROTATION), (DELTA, _DELTA_ROTATION)):
        if not _same_rotation(was[_MODE], was[part], now[_MODE], now[part]):
            changed.add(channel)
    if _bits(was[_INVERSE]) != _bits(now[_INVERSE]) or stored[_CHANNELS.size :] != _parent_key(obj).encode(
        "utf-8", "surrogateescape"
    ):
        changed.add(PARENT)
    return changed


def _bits(values: tuple[float, ...]) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)


def _same_rotation(old_mode: bytes, old: tuple[float, ...], new_mode: bytes, new: tuple[float, ...]) -> bool:
    """Say whether two rotations are the same: bit for bit in one mode; in two, as Blender converts between them."""
    if old_mode == new_mode:
        return _bits(old) == _bits(new)
    before, after = (_rotation(mode.rstrip(b"\0").decode(), v) for mode, v in ((old_mode, old), (new_mode, new)))
    return bool(np.abs(before - after).max() < 1e-6)


def _channels(obj: bpy.types.Object, deltas: bool) -> tuple[object, ...]:
    mode = obj.rotation_mode
    delta: tuple[float, ...] = (0.0,) * 10
    if deltas:
        delta = (*obj.delta_location[:], *_padded(_delta_rotation(obj, mode)), *obj.delta_scale[:])
    rows = obj.matrix_parent_inverse
    inverse = (*rows[0][:], *rows[1][:], *rows[2][:], *rows[3][:])
    rotation = _padded(_rotation_values(obj, mode))
    return (*obj.location[:], *obj.scale[:], *rotation, mode.encode(), *delta, *inverse, deltas)


def _padded(values: tuple[float, ...]) -> tuple[float, ...]:
    return values if len(values) == 4 else (*values, 0.0)


def _rotation_values(obj: bpy.types.Object, mode: str) -> tuple[float, ...]:
    if mode == "QUATERNION":
        return obj.rotation_quaternion[:]
    if mode == "AXIS_ANGLE":
        return obj.rotation_axis_angle[:]
    return obj.rotation_euler[:]


def _delta_rotation(obj: bpy.types.Object, mode: str) -> tuple[float, ...]:
    """Blender has no delta in axis and angle: objects in that mode use none."""
    if mode == "QUATERNION":
        return obj.delta_rotation_quaternion[:]
    if mode == "AXIS_ANGLE":
        return (0.0, 0.0, 0.0)
    return obj.delta_rotation_euler[:]


def _parent_key(obj: bpy.types.Object) -> str:
    """Return what names the parent: its stamp, so that renaming it changes nothing, or its name if it has none."""
    parent = obj.parent
    if parent is None:
        return ""
    return f"{obj.parent_type} {obj.parent_bone} {_who(parent)}"


def _who(parent: bpy.types.Object) -> str:
    mark = identity.stamped(parent)
    return f"{mark.kind} {mark.record} {mark.token}" if mark else f"name {parent.name}"


def _ancestors(obj: bpy.types.Object, root: bpy.types.Object | None) -> Iterator[bpy.types.Object]:
    """The object's parents, nearest first, without the root and what is above it."""
    parent = obj.parent
    while parent is not None and parent != root:
        mark = identity.stamped(parent)
        if root is None and mark is not None and mark.kind == identity.ROOT:
            return
        yield parent
        parent = parent.parent


def needs_evaluation(obj: bpy.types.Object, root: bpy.types.Object | None = None) -> bool:
    """Say whether channels don't tell where the object is: a constraint acts on it or a parent, or its parent is a
    bone, a vertex or a path rather than a whole object.
    """
    return any(_is_driven_elsewhere(one) for one in (obj, *_ancestors(obj, root)))


def _is_driven_elsewhere(obj: bpy.types.Object) -> bool:
    if any(not constraint.mute and constraint.influence > 0 for constraint in obj.constraints):
        return True
    parent = obj.parent
    if parent is None:
        return False
    follows_path = isinstance(parent.data, Curve) and parent.data.use_path
    return obj.parent_type not in {"OBJECT", "ARMATURE", "LATTICE"} or follows_path


def compose(
    obj: bpy.types.Object,
    root: bpy.types.Object | None = None,
    depsgraph: bpy.types.Depsgraph | None = None,
    deltas: bool = True,
    at: Values | None = None,
) -> Matrix:
    """Return the object's transform relative to the root, float64[4,4].

    root: default is the first parent stamped "root"; without one, the world. deltas: False leaves the delta channels
    out (of the parents too), where they are animated for show. at: as for `local`, of the object alone.
    depsgraph: as `evaluated.shown` gives it, holding object and root; needed only if `needs_evaluation`.
    """
    result = np.eye(4)
    for one in (obj, *_ancestors(obj, root)):
        result = _to_parent(one, depsgraph, deltas, at if one is obj else None) @ result
    return result


def seen(
    obj: bpy.types.Object,
    root: bpy.types.Object | None,
    depsgraph: bpy.types.Depsgraph | None = None,
    deltas: bool = True,
) -> Matrix:
    """As `compose`; but what isn't below the root, as new objects are, is where it is seen from there."""
    matrix = compose(obj, root, depsgraph, deltas)
    if root is None or is_below(obj, root):
        return matrix
    return np.asarray(matrices.inverse(compose(root, None, depsgraph)) @ matrix, np.float64)


def is_below(obj: bpy.types.Object, above: bpy.types.Object) -> bool:
    """Whether an object is another one, or has it among its parents."""
    one: bpy.types.Object | None = obj
    while one is not None and one != above:
        one = one.parent
    return one is not None


def _to_parent(obj: bpy.types.Object, depsgraph: bpy.types.Depsgraph | None, deltas: bool, at: Values | None) -> Matrix:
    """Return the object's transform relative to its parent (or the world): evaluated only if channels don't tell."""
    parent = obj.parent
    if not _is_driven_elsewhere(obj):
        own = local(obj, deltas, at)
        return own if parent is None else np.array(obj.matrix_parent_inverse, np.float64) @ own
    if depsgraph is None:
        raise SceneError(f"{obj.name}: a constraint or a bone moves it, so it must be evaluated", objects=[obj])
    world = np.array(obj.evaluated_get(depsgraph).matrix_world, np.float64)
    if parent is None:
        return world
    above = np.array(parent.evaluated_get(depsgraph).matrix_world, np.float64)
    return np.asarray(matrices.inverse(above) @ world, np.float64)


def local(obj: bpy.types.Object, deltas: bool = True, at: Values | None = None) -> Matrix:
    """Return the object's own channels as a matrix, float64[4,4]: what `matrix_basis` is, without its rounding.

    at: the values of "location" and "rotation_euler" to take for the object's own, which animation may have moved.
    """
    mode, given = obj.rotation_mode, at or {}
    euler = mode not in ("QUATERNION", "AXIS_ANGLE")
    turned = given.get("rotation_euler") if euler else None
    rotation = _rotation(mode, _rotation_values(obj, mode) if turned is None else turned)
    scale = np.array(obj.scale, np.float64)
    location = np.array(given.get("location", obj.location), np.float64)
    if deltas:
        rotation = _rotation(_delta_mode(mode), _delta_rotation(obj, mode)) @ rotation
        scale = scale * np.array(obj.delta_scale, np.float64)
        location = location + np.array(obj.delta_location, np.float64)
    matrix = np.eye(4)
    matrix[:3, :3] = rotation * scale
    matrix[:3, 3] = location
    return matrix


def _delta_mode(mode: str) -> str:
    return "XYZ" if mode == "AXIS_ANGLE" else mode


def _rotation(mode: str, values: tuple[float, ...]) -> Matrix:
    """Return the float64[3,3] rotation of a Blender rotation mode's values (w first; angle first; Euler in x, y, z)."""
    if mode == "QUATERNION":
        return from_quaternion(np.array(values, np.float64))
    if mode == "AXIS_ANGLE":
        angle, axis = values[0], np.array(values[1:4], np.float64)
        length = float(np.linalg.norm(axis))
        if length == 0.0:
            return np.eye(3)
        return from_quaternion(np.array([np.cos(angle / 2), *(np.sin(angle / 2) * axis / length)]))
    result = np.eye(3)
    for axis_name in mode:
        index = "XYZ".index(axis_name)
        result = _about(index, values[index]) @ result
    return result


def _about(axis: int, angle: float) -> Matrix:
    cos, sin = np.cos(np.float64(angle)), np.sin(np.float64(angle))
    one, other = (axis + 1) % 3, (axis + 2) % 3
    matrix = np.eye(3)
    matrix[one, one] = matrix[other, other] = cos
    matrix[one, other], matrix[other, one] = -sin, sin
    return matrix


def from_quaternion(quaternion: Matrix) -> Matrix:
    """Return the rotation that a quaternion says (w, x, y, z, of any length), float64[3, 3]; of zeros none."""
    length = float(np.linalg.norm(quaternion))
    if length == 0.0:
        return np.eye(3)
    w, x, y, z = quaternion / length
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def agree(one: Matrix, other: Matrix, reach: float = 0.0) -> bool:
    """Say whether two transforms differ by no more than Blender's float32 rounding (after parenting with the
    transform kept, for example): then the record that one of them came from is still right.

    reach: the largest number in the transforms that they were made of, where that is more than what is left.
    """
    size = np.maximum(np.abs(one), np.abs(other))
    linear = float(size[:3, :3].max(initial=0.0))
    offset = max(float(size[:3, 3].max(initial=0.0)), linear, reach)
    tolerance = np.full((4, 4), 8 * np.finfo(np.float32).eps) * linear
    tolerance[:3, 3] = 8 * np.finfo(np.float32).eps * offset
    return bool((np.abs(one - other) <= tolerance)[:3].all())
