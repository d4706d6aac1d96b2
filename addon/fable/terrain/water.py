# SPDX-License-Identifier: GPL-3.0-or-later
"""The water of a level as a surface, for show: where themes of water are painted, and how deep these are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import bpy

from ....formats.arrays import Singles
from ....formats.fable import water
from ....formats.fable.theme_weights import Weights
from ...scene.blender_types import mesh_of
from ...scene.geometry import meshes
from ...scene.kept import identity
from ...scene.level import first_of, root_of
from ...scene.media.materials import blended, shader
from .. import layout
from ..palettes import lists
from . import materials
from .heights import ground_heights, terrain_of

NAME, MATERIAL = "Water", "Fable water"
COLOR = (0.02, 0.09, 0.14, 0.7)
"""Linear colour of water, and how much of the ground it covers."""


def show_water(
    level: bpy.types.Collection, ground: Singles, weights: Weights, themes: Sequence[str], known: Mapping[str, float]
) -> None:
    """Make the surface of a level's water, in the place of the one that there is; none where there is no water.

    ground: heights of its cells, float32[rows, columns]. weights: of their themes. themes: the names of these, by slot.
    known: how deep themes are of which the game says it, units.
    """
    old = first_of(level, layout.WATER)
    depth = water.depths(themes, known)
    wet = bool(depth.any()) and min(ground.shape) > 1
    height, squares = water.surface(ground, weights, depth) if wet else (ground, None)
    if squares is None or not squares.any():
        if old is not None:
            bpy.data.batch_remove([one for one in (old, old.data) if one is not None])
        return
    points, corners = water.faces(height, squares)
    mesh = meshes.build(NAME, points, corners, smooth=True)
    mesh.materials.append(_material())
    if old is None:
        level.objects.link(_object(level, mesh))
        return
    before = old.data
    old.data = mesh
    if before is not None:
        bpy.data.batch_remove([before])


def refresh_water(context: bpy.types.Context, level: bpy.types.Collection) -> None:
    """Let a level's water follow what was sculpted and painted since. Raises SceneError for a terrain whose vertices
    aren't its cells.
    """
    ground = ground_heights(context, level)
    mesh = mesh_of(terrain_of(level))
    themes = lists.get(level).themes
    show_water(level, ground, materials.painted(context, level, mesh), themes, lists.depths(level))


def _object(level: bpy.types.Collection, mesh: bpy.types.Mesh) -> bpy.types.Object:
    made = bpy.data.objects.new(NAME, mesh)
    made.parent = root_of(level)
    made.hide_select = True  # one sculpts and paints what is below
    mark = identity.stamped(level)
    identity.stamp(made, mark.token if mark is not None else 0, layout.WATER, 0)
    return made


def _material() -> bpy.types.Material:
    """The material of water, made once for all levels."""
    if MATERIAL in bpy.data.materials:
        return bpy.data.materials[MATERIAL]
    made = bpy.data.materials.new(MATERIAL)
    made.diffuse_color = COLOR
    nodes = shader(made)
    surface = nodes.feed(
        nodes.add("ShaderNodeBsdfPrincipled"), Base_Color=(*COLOR[:3], 1.0), Roughness=0.15, Alpha=COLOR[3]
    )
    nodes.link(surface.outputs[0], nodes.add("ShaderNodeOutputMaterial").inputs["Surface"])
    blended(made)
    return made
