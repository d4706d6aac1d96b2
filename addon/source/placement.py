# SPDX-License-Identifier: GPL-3.0-or-later
"""Where objects were put, in the map's numbers: only what was moved gets others, and these as short as they can be."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ..scene import transforms
from ..scene.reports import SceneError
from .scene_level import SceneLevel

Floats = NDArray[np.float64]

_DIGITS = 4
"""Behind the point, of numbers that come from several transforms one after another."""
_SAME_UNITS, _SAME_DEGREES, _SAME_PART, _SAME_TURN = 1e-3, 1e-2, 1e-6, 1e-5
"""What such numbers may differ by from those of an object that wasn't moved."""


@dataclass(frozen=True, eq=False)
class Placement:
    """Where an object that was moved is. exact: its own channels tell, so that the numbers that it wasn't moved by are
    still those that the import gave it, bit for bit.
    """

    object: bpy.types.Object
    exact: bool
    matrix: Floats  # [4, 4], relative to the root

    @cached_property
    def location(self) -> Floats:
        """float64[3], units."""
        return np.array(self.object.location, np.float64) if self.exact else self.matrix[:3, 3]

    @cached_property
    def scale(self) -> Floats:
        """float64[3]; negative where it is mirrored."""
        if self.exact:
            return np.array(self.object.scale, np.float64)
        linear = self.matrix[:3, :3]
        lengths: Floats = np.linalg.norm(linear, axis=0)
        return -lengths if np.linalg.det(linear) < 0 else lengths

    @cached_property
    def rotation(self) -> Floats:
        """float64[3, 3]."""
        linear = self.matrix[:3, :3]
        scale = np.where(self.scale != 0, self.scale, 1.0)
        return np.asarray(linear / scale)

    @property
    def euler(self) -> tuple[float, float, float] | None:
        """Its rotation (XYZ, radians) where the object has it so."""
        obj: Any = self.object
        if not self.exact or obj.rotation_mode != "XYZ":
            return None
        x, y, z = obj.rotation_euler
        return x, y, z

    def origin(self, was: Sequence[float]) -> tuple[float, ...]:
        """The place, with the numbers of `was` where they are still right."""
        return tuple(self._unit(old, new) for old, new in zip(was, self.location.tolist(), strict=True))

    def _unit(self, was: float, now: float) -> float:
        if self.exact:
            return was if _single(was) == _single(now) else now
        return was if abs(now - was) <= _SAME_UNITS + _SAME_PART * abs(was) else round(now, _DIGITS)

    def angles(self, was: Sequence[float]) -> tuple[float, ...]:
        """Pitch, yaw and roll in degrees, with the numbers of `was` where they are still right."""
        if self.euler is not None:
            roll, pitch, yaw = self.euler
            return tuple(turned(old, new) for old, new in zip(was, (pitch, yaw, roll), strict=True))
        return nearly(was, angles_of(self.rotation))


def place_of(scene: SceneLevel, obj: bpy.types.Object, deltas: bool = True) -> Placement | None:
    """Where an object is that was moved; None for one that is where the import put it. deltas: as of `compose`.

    Raises SceneError for one that is nowhere, and for delta channels that count for nothing and were edited.
    """
    changed = transforms.changed_channels(obj, scene.root)
    moved = transforms.needs_evaluation(obj, scene.root)
    if not changed and not moved:
        return None
    if not deltas and transforms.DELTA in changed and obj.get(transforms.BASELINE) is not None:
        raise SceneError(f"{obj.name}: its delta location only lifts it for show: move it by its location", [obj])
    relative = {transforms.PARENT, transforms.DELTA} if deltas else {transforms.PARENT}
    exact = not moved and not relative & changed
    return _checked(Placement(obj, exact, transforms.local(obj, deltas) if exact else scene.matrix(obj, deltas)))


def here(scene: SceneLevel, obj: bpy.types.Object, deltas: bool = True) -> Placement:
    """Where an object is, moved or not. Raises SceneError for one that is nowhere."""
    own = transforms.local(obj, deltas)
    exact = not transforms.needs_evaluation(obj, scene.root) and obj.parent == scene.root
    matrix = scene.matrix(obj, deltas)
    return _checked(Placement(obj, exact and np.array_equal(own, matrix), matrix))


def _checked(place: Placement) -> Placement:
    if not np.isfinite(place.matrix).all():
        raise SceneError(f"{place.object.name}: where it is is no number", [place.object])
    return place


def turned(was: float, now: float) -> float:
    """An angle in degrees: `was`, if the float32 `now` (radians) is what the import makes of it."""
    return was if _single(math.radians(was)) == _single(now) else degrees(now)


def degrees(radians: float) -> float:
    """The shortest number of degrees that is this float32 of radians."""
    exact = math.degrees(radians)
    for digits in range(8):
        short = round(exact, digits)
        if _single(math.radians(short)) == _single(radians):
            return short
    return exact


def nearly(was: Sequence[float], now: Sequence[float]) -> tuple[float, ...]:
    """Angles in degrees that come from a matrix, with those of `was` where they are the same but for rounding."""
    return tuple(
        old if abs((new - old + 180) % 360 - 180) < _SAME_DEGREES else 180 - (180 - round(new, _DIGITS)) % 360
        for old, new in zip(was, now, strict=True)
    )


def angles_of(rotation: Floats) -> tuple[float, float, float]:
    """Pitch, yaw and roll in degrees of a rotation float64[3, 3]: turns about x, then y, then z."""
    flat = math.hypot(rotation[0, 0], rotation[1, 0])
    pitch = math.atan2(-rotation[2, 0], flat)
    if flat < 1e-6:  # it looks straight up or down: the roll is part of the yaw
        yaw, roll = math.atan2(-rotation[0, 1], rotation[1, 1]), 0.0
    else:
        yaw, roll = math.atan2(rotation[1, 0], rotation[0, 0]), math.atan2(rotation[2, 1], rotation[2, 2])
    return math.degrees(pitch), math.degrees(yaw), math.degrees(roll)


def same(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether numbers are the same as float32, which Blender's are."""
    return all(_single(a) == _single(b) for a, b in zip(one, other, strict=True))


def same_rotation(rotation: Floats, euler: Sequence[float]) -> bool:
    """Whether a rotation float64[3, 3] is that of Euler angles (XYZ, radians), but for rounding."""
    made = np.eye(3)
    for axis, angle in enumerate(euler):
        one, other = (axis + 1) % 3, (axis + 2) % 3
        turn = np.eye(3)
        turn[one, one] = turn[other, other] = math.cos(angle)
        turn[one, other], turn[other, one] = -math.sin(angle), math.sin(angle)
        made = turn @ made
    return bool(np.abs(rotation - made).max() < _SAME_TURN)


def text(value: float) -> str:
    """A number as short as it can be as a float32, without an exponent."""
    if not math.isfinite(value):
        raise ValueError(f"{value} is no place")
    return np.format_float_positional(np.float32(value) + np.float32(0), trim="-")


def merged(old: str | None, was: Sequence[float], now: Sequence[float]) -> str:
    """The text of several numbers: those that didn't change stay as they are written in `old`."""
    parts = (old or "").split()
    if len(parts) != len(now):
        parts = [text(value) for value in was]
    return " ".join(
        part if before == after else text(after) for part, before, after in zip(parts, was, now, strict=True)
    )


def _single(value: float) -> np.float32:
    with np.errstate(over="ignore"):
        return np.float32(value)
