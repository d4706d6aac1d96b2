# SPDX-License-Identifier: GPL-3.0-or-later
"""Where players begin: a camera at their eyes, or a view from there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import bpy
from mathutils import Matrix, Vector

from ..blender_types import always
from ..geometry import transforms
from ..kept import identity
from . import stage

LENS = 18.0
"""Millimetres, of a picture 36 wide: the 90 degrees that games show."""
_VIEW_SENSOR = 72.0
"""Millimetres: what a 3D view shows through a lens is as wide as through a camera's with such a sensor."""
_STEP = 3.0
"""Times the height of the eyes: how far ahead lies what a view turns about."""
_AHEAD = {
    "X": Matrix(((0.0, 0.0, -1.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0))),
    "Y": Matrix(((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))),
}
"""A camera (looking along its -z, its y up) that looks along an object's x, or its y; the object's z up."""


@dataclass(frozen=True, slots=True)
class Spawn:
    """A place where players begin."""

    name: str
    camera: Matrix
    """A camera at their eyes, in the world; without any scale."""
    reach: float
    """Metres: how high their eyes are; in a flat level how wide the picture is that they see."""
    is_flat: bool = False
    """Whether all of it is seen from straight above."""

    def show(self, space: bpy.types.SpaceView3D) -> None:
        """Let a 3D view look from there."""
        region = always(space.region_3d)
        place, turned, _ = self.camera.decompose()
        region.view_rotation = turned
        region.view_perspective = "ORTHO" if self.is_flat else "PERSP"
        if self.is_flat:
            region.view_distance = self.reach * space.lens / _VIEW_SENSOR
            region.view_location = (place.x, place.y, 0.0)
        else:
            region.view_distance = _STEP * self.reach
            region.view_location = place + turned @ Vector((0.0, 0.0, -region.view_distance))


@dataclass(frozen=True, slots=True)
class Spawns:
    """How a game's spawns are known: those of an earlier word come first."""

    key: str
    """The property that has an entity's class."""
    words: tuple[str, ...]
    """One of them is in the class, in small letters."""
    eyes: float
    """How far above the spawn a player's eyes are, in the level's units."""
    ahead: Literal["X", "Y"] = "X"
    """The axis of a spawn's object that points to where players look."""

    def find(self, collection: bpy.types.Collection) -> list[bpy.types.Object]:
        """Return the spawns of a level: by their words, then by their records."""
        found = [
            (rank, identity.stamped(obj), obj)
            for obj in collection.all_objects
            if isinstance(name := obj.get(self.key), str) and (rank := _rank(name.lower(), self.words)) is not None
        ]
        ranked = [(rank, mark.record if mark is not None else -1, obj.name, obj) for rank, mark, obj in found]
        return [obj for *_, obj in sorted(ranked, key=lambda each: each[:3])]

    def places(self, context: bpy.types.Context, collection: bpy.types.Collection) -> list[Spawn]:
        """Return where players begin in a level, the first first."""
        stage.view_layer_of(context).update()
        return [self._place(obj, obj.matrix_world) for obj in self.find(collection)]

    def first(self, collection: bpy.types.Collection, root: bpy.types.Object) -> Spawn | None:
        """Return the first place of a level that was just built: Blender hasn't worked out yet where objects are."""
        found = self.find(collection)[:1]
        return (
            self._place(found[0], root.matrix_basis @ Matrix(transforms.seen(found[0], root).tolist()))
            if found
            else None
        )

    def _place(self, obj: bpy.types.Object, place: Matrix) -> Spawn:
        turned = (place.to_quaternion().to_matrix() @ _AHEAD[self.ahead]).to_4x4()
        scale = max(1e-3, *map(float, place.to_scale()[:]))
        return Spawn(obj.name, Matrix.Translation(place @ Vector((0.0, 0.0, self.eyes))) @ turned, self.eyes * scale)

    def __call__(
        self, context: bpy.types.Context, collection: bpy.types.Collection, _aspect: float
    ) -> bpy.types.Object | None:
        """Put a camera at the first spawn, and make it the scene's; None where there is no spawn."""
        places = self.places(context, collection)
        return camera_at(context, places[0]) if places else None


def _rank(name: str, words: Iterable[str]) -> int | None:
    return next((rank for rank, word in enumerate(words) if word in name), None)


def camera_at(context: bpy.types.Context, spawn: Spawn) -> bpy.types.Object:
    """Make a camera the scene's that looks from a spawn."""
    scene = stage.scene_of(context)
    data = bpy.data.cameras.new("Spawn")
    data.lens, data.sensor_width = LENS, 36.0
    data.clip_start, data.clip_end = spawn.reach / 64.0, 2e3 * spawn.reach
    camera = bpy.data.objects.new("Spawn", data)
    camera.matrix_world = spawn.camera
    scene.collection.objects.link(camera)
    scene.camera = camera
    made: bpy.types.Object = camera
    return made
