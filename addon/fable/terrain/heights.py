# SPDX-License-Identifier: GPL-3.0-or-later
"""How high the ground of a scene's level lies, for tools that put something on it."""

from __future__ import annotations

import bpy
import numpy as np

from ....formats import fable
from ....formats.arrays import Singles
from ....formats.binary import FormatError
from ....formats.fable.geometry import finite_heights
from ...scene.geometry import evaluated, meshes, transforms
from ...scene.kept import identity, originals
from ...scene.kept.baselines import put_bytes
from ...scene.level import only, root_of
from ...scene.reports import Report, SceneError
from .. import layout
from ..settings import ExportSettings
from .collect import TerrainMesh


def terrain_of(level: bpy.types.Collection) -> bpy.types.Object:
    """The terrain of a level. Raises SceneError where it is gone, or there are several."""
    terrain = only(level, layout.TERRAIN)
    if terrain is None:
        raise SceneError(f"{level.name!r} has no terrain: its object was deleted")
    return terrain


def ground_heights(context: bpy.types.Context, level: bpy.types.Collection) -> Singles:
    """The heights of a level's cells as the scene has them, float32[rows, columns], modifiers and shape keys included.

    Raises SceneError for a terrain whose vertices aren't its cells.
    """
    terrain, root = terrain_of(level), root_of(level)
    mark = identity.stamped(terrain)
    token = mark.token if mark is not None else 0
    if not meshes.needs_evaluation(terrain) and not transforms.needs_evaluation(terrain, root):
        return TerrainMesh(context, terrain, root, token, ExportSettings(), None, Report()).heights()
    with evaluated.shown(context, [terrain, *filter(None, [root])]) as depsgraph:
        return TerrainMesh(context, terrain, root, token, ExportSettings(), depsgraph, Report()).heights()


def followed_heights(level: bpy.types.Collection, shape: tuple[int, ...]) -> Singles | None:
    """The heights that things stood on when they last followed the ground, float32 of this shape; None where nobody
    knows: a level that was made in Blender, before they first did.
    """
    held = terrain_of(level).get(layout.FOLLOWED)
    if isinstance(held, bytes) and len(held) == 4 * int(np.prod(shape)):
        return np.frombuffer(held, np.float32).reshape(shape).copy()
    original = originals.find(level)
    try:
        cells = fable.read(original.data).cells if original is not None else None
    except FormatError:
        return None
    return finite_heights(cells) if cells is not None and cells.shape == shape else None


def remember_heights(level: bpy.types.Collection, heights: Singles) -> None:
    """Keep the heights that things stand on now."""
    terrain = terrain_of(level)
    if terrain.get(layout.FOLLOWED) is not None:
        del terrain[layout.FOLLOWED]
    put_bytes(terrain, layout.FOLLOWED, heights.astype(np.float32).tobytes())
