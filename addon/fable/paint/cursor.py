# SPDX-License-Identifier: GPL-3.0-or-later
"""The circle that shows where the brush paints: Blender's views draw it, it is never part of the scene."""

from __future__ import annotations

import bpy
import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader
from mathutils import Vector

POINTS = 48
LIFT = 0.25
"""How far the circle lies over the ground, units."""
COLOR = (1.0, 0.9, 0.2, 1.0)


class Circle:
    """A circle about a place of the terrain; it is drawn until it is removed."""

    def __init__(self, terrain: bpy.types.Object, radius: float) -> None:
        self.terrain, self.radius = terrain, radius
        self.place: Vector | None = None
        self._handle: object = bpy.types.SpaceView3D.draw_handler_add(self._draw, (), "WINDOW", "POST_VIEW")

    def move(self, place: Vector | None) -> Vector | None:
        """Put the circle somewhere, or nowhere; returns the place."""
        self.place = place
        return place

    def ring(self) -> list[tuple[float, float, float]]:
        """The circle's points, in the world; none where it is nowhere."""
        if self.place is None:
            return []
        angles = np.linspace(0, 2 * np.pi, POINTS + 1)
        matrix = self.terrain.matrix_world
        x, y, z = self.place.x, self.place.y, self.place.z
        ring = [
            matrix @ Vector((x + self.radius * cos, y + self.radius * sin, z + LIFT))
            for cos, sin in zip(np.cos(angles).tolist(), np.sin(angles).tolist(), strict=True)
        ]
        return [(point.x, point.y, point.z) for point in ring]

    def _draw(self) -> None:
        ring = self.ring()
        if not ring:
            return
        shader = gpu.shader.from_builtin("UNIFORM_COLOR")
        batch = batch_for_shader(shader, "LINE_STRIP", {"pos": ring})
        shader.uniform_float("color", COLOR)
        gpu.state.line_width_set(2.0)
        batch.draw(shader)
        gpu.state.line_width_set(1.0)

    def remove(self) -> None:
        """Draw it no more."""
        if self._handle is not None:
            bpy.types.SpaceView3D.draw_handler_remove(self._handle, "WINDOW")
            self._handle = None
