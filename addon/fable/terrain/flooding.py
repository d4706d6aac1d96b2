# SPDX-License-Identifier: GPL-3.0-or-later
"""Water that is filled into hollows of the ground: themes of water, as deep as it takes to be level."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Vector

from ....formats.arrays import Indices, Singles
from ....formats.counting import number_of
from ....formats.fable import water
from ....formats.fable.theme_weights import FULL
from ...scene.blender_types import mesh_of
from ...scene.fields import declared
from ...scene.interface.sidebar import LevelOperator
from ...scene.names import showable
from ...scene.reports import SceneError
from ...scene.view import stage
from ..palettes import lists
from ..palettes.edit import add
from . import materials
from .heights import ground_heights, terrain_of
from .water import refresh_water


def fill(context: bpy.types.Context, level: bpy.types.Collection, place: Vector, family: str) -> int:
    """Fill the hollow below a place with water up to it, and return how many cells that covers.

    place: in the world. family: one of `water.FAMILIES`; its themes are added to the palette where they aren't in it.
    Raises SceneError where there is no hollow, or too deep a one.
    """
    terrain = terrain_of(level)
    mesh = mesh_of(terrain)
    if mesh.is_editmode:
        raise SceneError("Leave Edit Mode of the terrain first")
    ground = ground_heights(context, level)
    x, y, z = (terrain.matrix_world.inverted() @ place)[:]
    row, column = round(y), round(x)
    if not (0 <= row < ground.shape[0] and 0 <= column < ground.shape[1]):
        raise SceneError("The 3D cursor is outside of the level: put it over a hollow, as high as water shall stand")
    wet = water.basin(ground, row, column, z)
    if not wet.any():
        raise SceneError("The 3D cursor is in the ground: put it over a hollow, as high as water shall stand")
    depth, deepest = (z - ground)[wet], max(water.ladder(family).values())
    if depth.max() > deepest:
        raise SceneError(f"The water would be {depth.max():.1f} units deep: its themes have {deepest:g} at most")
    _paint(level, terrain, np.flatnonzero(wet), depth, family)
    materials.refresh(context, level)
    refresh_water(context, level)
    return int(np.count_nonzero(wet))


def _paint(level: bpy.types.Collection, terrain: bpy.types.Object, cells: Indices, depth: Singles, family: str) -> None:
    """Give cells the themes that make water so deep, in the place of theirs. Raises SceneError for a full palette."""
    steps = water.ladder(family)
    lower, share = water.blend(depth, list(steps.values()))
    upper = np.rint(share * FULL).astype(np.int64)
    of_steps = {
        name: np.where(lower == number, FULL - upper, 0) + np.where(lower + 1 == number, upper, 0)
        for number, name in enumerate(steps)
    }
    needed = {name: amounts for name, amounts in of_steps.items() if amounts.any()}
    known = lists.get(level).themes
    for name in (name for name in needed if name not in known):  # a full palette refuses them
        add(level, "themes", name)
    for group in terrain.vertex_groups:
        group.remove(cells.tolist())
    for name, amounts in needed.items():
        group = terrain.vertex_groups[showable(_layer_of(level, name))]
        for amount in np.unique(amounts[amounts > 0]).tolist():
            group.add(cells[amounts == amount].tolist(), amount / FULL, "REPLACE")


def _layer_of(level: bpy.types.Collection, theme: str) -> str:
    names = lists.get(level)
    return names.layers()[names.themes.index(theme)]


class LEVELWRIGHT_OT_fable_fill_water(LevelOperator):
    """Fill the hollow below the 3D cursor with water, as high as the cursor is: themes of water are painted there, as
    deep as it takes to be level
    """

    bl_idname = "levelwright.fable_fill_water"
    bl_label = "Fill Water"

    family: str = declared.menu(
        name="Kind",
        description="What the water is painted with",
        items=[(name, name.replace("_", " ").title(), f"{name}_0, ...") for name in water.FAMILIES],
    )

    def change(self, context: bpy.types.Context, level: bpy.types.Collection) -> None:
        """Paint it."""
        place = stage.scene_of(context).cursor.location.copy()
        count = fill(context, level, place, self.family)
        self.report({"INFO"}, f"{number_of(count, 'cells are')} under water")


CLASSES = (LEVELWRIGHT_OT_fable_fill_water,)
