# SPDX-License-Identifier: GPL-3.0-or-later
"""Where players begin, and a camera at their eyes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import bpy
from mathutils import Matrix, Vector

from . import identity, stage

LENS = 18.0
"""Millimetres, of a picture 36 wide: the 90 degrees that games show."""
_AHEAD = Matrix(((0.0, 0.0, -1.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
"""A camera (looking along its -z, its y up) that looks along an object's x, the object's z up."""


@dataclass(frozen=True, slots=True)
class Spawns:
    """How a game's spawns are known: those of an earlier word come first."""

    key: str
    """The property that has an entity's class."""
    words: tuple[str, ...]
    """One of them is in the class, in small letters."""
    eyes: float
    """How far above the spawn a player's eyes are, in the level's units."""

    def find(self, collection: bpy.types.Collection) -> bpy.types.Object | None:
        """Return the first spawn of a level, by its record; None where players begin nowhere."""
        found = [
            (rank, identity.stamped(obj), obj)
            for obj in collection.all_objects
            if isinstance(name := obj.get(self.key), str) and (rank := _rank(name.lower(), self.words)) is not None
        ]
        ranked = [(rank, mark.record if mark is not None else -1, obj.name, obj) for rank, mark, obj in found]
        return min(ranked, key=lambda each: each[:3])[3] if ranked else None

    def __call__(
        self, context: bpy.types.Context, collection: bpy.types.Collection, _aspect: float
    ) -> bpy.types.Object | None:
        """Put a camera at the first spawn, and make it the scene's; None where there is no spawn."""
        spawn = self.find(collection)
        if spawn is None:
            return None
        stage.view_layer_of(context).update()
        return camera_at(context, spawn.matrix_world, self.eyes)


def _rank(name: str, words: Iterable[str]) -> int | None:
    return next((rank for rank, word in enumerate(words) if word in name), None)


def camera_at(context: bpy.types.Context, place: Matrix, eyes: float) -> bpy.types.Object:
    """Make a camera the scene's that looks along a place's x from `eyes` above it, in the place's units."""
    scene = stage.scene_of(context)
    data = bpy.data.cameras.new("Spawn")
    data.lens, data.sensor_width = LENS, 36.0
    scale = max(1e-3, *map(float, place.to_scale()[:]))
    data.clip_start, data.clip_end = scale, 1e5 * scale
    camera = bpy.data.objects.new("Spawn", data)
    turned = (place.to_quaternion().to_matrix() @ _AHEAD).to_4x4()
    camera.matrix_world = Matrix.Translation(place @ Vector((0.0, 0.0, eyes))) @ turned
    scene.collection.objects.link(camera)
    scene.camera = camera
    made: bpy.types.Object = camera
    return made
