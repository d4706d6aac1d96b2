# SPDX-License-Identifier: GPL-3.0-or-later
"""The scene that a map is imported into: colours as they are, some light from the sky, and a view over all of it."""

from __future__ import annotations

import bpy
import numpy as np

from ...formats.binary import FormatError
from ...formats.source import LumpId
from ..scene.kept import identity
from ..scene.view import stage
from . import layout
from .context import ImportContext
from .sky import build as sky

LIGHT = (0.3, 0.4, 0.5)
"""Linear colour of the light from all sides, for what no lightmap lights."""


def prepare_scene(context: bpy.types.Context, importing: ImportContext) -> None:
    """Make the scene and its windows show the map as it is."""
    stage.show_true_colors(importing.scene, importing.alone, importing.report)
    if not importing.alone:
        return
    _show_world(context, importing)
    try:
        world = importing.level.table(LumpId.MODELS)[:1]
        corners = np.concatenate([world["mins"], world["maxs"]]).astype(np.float64) * importing.scale
    except FormatError:  # the report has said it
        corners = np.zeros((0, 3))
    near = stage.NEAR_UNITS * importing.scale
    stage.look_at(context, importing.collection, corners, is_one_sided=True, near=near)


def _show_world(context: bpy.types.Context, importing: ImportContext) -> None:
    """Give the scene the map's sky, unless the world that it has is somebody's; and some light, where it has none."""
    if not stage.may_replace_world(importing.scene):
        return
    made = sky.build(importing, LIGHT)
    if made is not None:
        for space in stage.viewports(context, everywhere=True):
            space.shading.use_scene_world = True
    elif stage.lacks_world(importing.scene):
        made = stage.plain_world("Source", LIGHT)
    if made is not None:
        identity.stamp(made, importing.token, layout.SKY_WORLD, 0)
        importing.scene.world = made
