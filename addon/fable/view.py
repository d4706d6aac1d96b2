# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene that a level is imported into: colours as they are, daylight, and a view that reaches over all of it."""

from __future__ import annotations

import bpy

from ...formats.fable.geometry import finite_heights
from ..scene.blender_types import lamp_of
from ..scene.view import stage, startup
from . import layout
from .context import ImportContext

SKY = (0.55, 0.65, 0.8)
"""Linear colour of the light from all sides."""
SUN_STRENGTH = 2.5
SUN_ANGLES = (0.9, 0.0, 0.7)
SUN_HEIGHT = 150.0


def prepare_scene(context: bpy.types.Context, importing: ImportContext) -> None:
    """Make the scene and its windows show the level as it is, by daylight, where nothing else but levels is in it."""
    scene, level, alone = importing.scene, importing.level, importing.alone
    stage.show_true_colors(scene, alone, importing.report)
    if not alone:
        return
    _sculpt_up_and_down(scene)
    if stage.lacks_world(scene):
        scene.world = stage.plain_world("Fable", SKY)
    if not any(obj.type == "LIGHT" and not startup.is_untouched(obj) for obj in scene.objects):
        _sun(importing)
    ground = finite_heights(level.cells)
    if ground.size:
        corners = [(0.0, 0.0, ground.min()), (level.width, level.height, ground.max())]
        stage.look_at(context, importing.collection, corners)


def _sculpt_up_and_down(scene: bpy.types.Scene) -> None:
    """Let Blender's brushes move vertices along z alone: most push along the ground's normal, and cells stay where they
    are.
    """
    sculpt = scene.tool_settings.sculpt
    if sculpt is not None:  # scenes have it once they were sculpted in, those of startup files at once
        sculpt.lock_x = sculpt.lock_y = True


def _sun(importing: ImportContext) -> None:
    """Add a light that shows the land's relief: for show only."""
    lamp = lamp_of(bpy.data.lights.new("Sun", "SUN"))
    lamp.energy = SUN_STRENGTH
    sun = importing.object_of("Sun", layout.PREVIEW, data=lamp)
    sun.rotation_euler = SUN_ANGLES
    sun.location = (importing.level.width / 2, importing.level.height / 2, SUN_HEIGHT)
