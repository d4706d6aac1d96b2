# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene that a level is imported into: colours as in the game, and a little light where no lamp reaches."""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import ArrayLike

from ..scene.view import stage
from ..scene.view.spawns import Spawns
from .context import ImportContext

AMBIENT = 0.08
"""Light of the world, from all sides: the compiler adds so much, too (its MinLight)."""


SPAWNS = Spawns("classname", ("playerstart", "player_start", "startplace", "start"), 60.0)


def prepare_scene(context: bpy.types.Context, importing: ImportContext, points: ArrayLike, is_closed: bool) -> None:
    """Make the scene and its windows show the level as it is.

    points: float[n, 3], of the level's brushes. is_closed: from outside only walls are seen, so it is looked at from
    where players begin, if it says where that is.
    """
    scene = importing.scene
    stage.show_true_colors(scene, importing.alone, importing.report)
    if not importing.alone:
        return
    scene.frame_start = scene.frame_current = 0  # where motions begin, and brushes stand as in the file
    if stage.lacks_world(scene):
        scene.world = stage.plain_world("Genesis3D", (AMBIENT,) * 3)
    scale = importing.settings.scale
    stage.look_at(
        context, importing.collection, np.asarray(points) * scale, is_one_sided=True, near=stage.NEAR_UNITS * scale
    )
    if is_closed:
        look_from_start(context, importing.collection, importing.root)


def look_from_start(context: bpy.types.Context, collection: bpy.types.Collection, root: bpy.types.Object) -> None:
    """Let the viewports show a level that was just built from where players begin, if it says where that is."""
    start = SPAWNS.first(collection, root)
    if start is not None:
        for space in stage.viewports(context, everywhere=True):
            start.show(space)
