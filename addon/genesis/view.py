# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene that a level is imported into: colours as in the game, and a little light where no lamp reaches."""

from __future__ import annotations

import bpy
import numpy as np
from numpy.typing import ArrayLike

from ..scene import stage
from .context import ImportContext

AMBIENT = 0.08
"""Light of the world, from all sides: the compiler adds so much, too (its MinLight)."""


def prepare_scene(context: bpy.types.Context, importing: ImportContext, points: ArrayLike) -> None:
    """Make the scene and its windows show the level as it is.

    points: float[n, 3], of the level's brushes.
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
