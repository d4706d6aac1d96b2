# SPDX-License-Identifier: GPL-3.0-or-later
"""Where objects were put, in the map's numbers: only what was moved gets others, and these as short as they can be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import bpy
import numpy as np

from ....formats.arrays import Floats
from ....formats.source.numbers import DIGITS, nearly, single, turned
from ....formats.source.placed.orientation import angles_of
from ...scene.geometry import transforms
from ...scene.reports import SceneError
from .scene_level import SceneLevel

_SAME_UNITS, _SAME_PART = 1e-3, 1e-6
"""What such numbers may differ by from those of an object that wasn't moved."""


@dataclass(frozen=True, eq=False)
class Placement:
    """Where an object that was moved is."""

    object: bpy.types.Object
    """The object."""
    exact: bool
    """Whether its own channels say where: the numbers that it wasn't moved by are those of the import, bit for bit."""
    matrix: Floats
    """float64[4, 4]: relative to the root, units."""

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
        obj = self.object
        if not self.exact or obj.rotation_mode != "XYZ":
            return None
        turned = obj.rotation_euler
        return turned.x, turned.y, turned.z

    def origin(self, was: Sequence[float]) -> tuple[float, ...]:
        """The place, with the numbers of `was` where they are still right."""
        return tuple(self._unit(old, new) for old, new in zip(was, self.location.tolist(), strict=True))

    def _unit(self, was: float, now: float) -> float:
        if self.exact:
            return was if single(was) == single(now) else now
        return was if abs(now - was) <= _SAME_UNITS + _SAME_PART * abs(was) else round(now, DIGITS)

    def angles(self, was: Sequence[float]) -> tuple[float, ...]:
        """Pitch, yaw and roll in degrees, with the numbers of `was` where they are still right."""
        if self.euler is not None:
            roll, pitch, yaw = self.euler
            return tuple(turned(old, new) for old, new in zip(was, (pitch, yaw, roll), strict=True))
        return nearly(was, angles_of(self.rotation))


def place_of(scene: SceneLevel, obj: bpy.types.Object, deltas: bool = True) -> Placement | None:
    """Where an object is that was moved; None for one that is where the import put it. deltas: see `SceneLevel`.

    Raises SceneError for one that is nowhere, and for edited delta channels that are ignored.
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
    own = transforms.local(obj, False)  # with delta channels, the others don't say where
    exact = not transforms.needs_evaluation(obj, scene.root) and obj.parent == scene.root
    matrix = scene.matrix(obj, deltas)
    return _checked(Placement(obj, exact and np.array_equal(own, matrix), matrix))


def _checked(place: Placement) -> Placement:
    if not np.isfinite(place.matrix).all():
        raise SceneError(f"{place.object.name}: its place is NaN or infinite", [place.object])
    return place
