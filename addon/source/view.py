"""The scene that a map is imported into: colours as they are, some light from the sky, and a view over all of it."""

from __future__ import annotations

import bpy
import numpy as np

from ...formats.binary import FormatError
from ...formats.source import LumpId
from ..scene import stage
from .site import Site

SKY = (0.3, 0.4, 0.5)
"""Linear colour of the light from all sides, for what no lightmap lights."""


def prepare_scene(context: bpy.types.Context, site: Site, alone: bool) -> None:
    """Make the scene and its windows show the map as it is. alone: nothing else is in it but levels of ours."""
    stage.show_true_colors(site.scene, alone, site.report)
    if not alone:
        return
    if site.scene.world is None:
        site.scene.world = stage.plain_world("Source", SKY)
    try:
        world = site.level.table(LumpId.MODELS)[:1]
        corners = np.concatenate([world["mins"], world["maxs"]]).astype(np.float64) * site.scale
    except FormatError:  # the report has said it
        corners = np.zeros((0, 3))
    stage.look_at(context, corners)
