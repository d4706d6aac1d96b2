# SPDX-License-Identifier: GPL-3.0-or-later
"""Lights of entities, and the glow of those that are seen themselves."""

from __future__ import annotations

import bpy
import numpy as np

from ...scene.blender_types import lamp_of
from ...scene.geometry import meshes
from ...scene.kept import identity
from ...scene.media.materials import blended, shader
from ...scene.names import showable
from .. import layout
from ..context import ImportContext
from .kinds import LightAppearance, LightClass

NAME = "Glow"
RINGS, SECTORS = 8, 16
"""Of the sphere that a glow is."""


def build_light(name: str, kind: LightClass, shown: LightAppearance) -> bpy.types.Light:
    """Make the light of an entity."""
    light = lamp_of(bpy.data.lights.new(showable(name), kind.type))
    light.energy, light.color = shown.energy, shown.color
    if isinstance(light, bpy.types.SunLight):
        light.angle = 0.0
    elif not isinstance(light, bpy.types.AreaLight):
        light.use_custom_distance, light.cutoff_distance = True, shown.cutoff
        light.shadow_soft_size = 0.0
    if isinstance(light, bpy.types.SpotLight):
        light.spot_size, light.spot_blend = shown.spot_size, 0.0
    if kind.glows:
        light.diffuse_factor = light.specular_factor = 0.0
    made: bpy.types.Light = light
    return made


def add_glow(
    importing: ImportContext, light: bpy.types.Object, shown: LightAppearance, collection: bpy.types.Collection
) -> None:
    """Put a glow below an entity's light: made for show, never exported. It is as large as the light reaches."""
    obj = bpy.data.objects.new(f"{light.name} glow", _sphere(importing, collection))
    identity.stamp(obj, importing.token, layout.PREVIEW, -1)
    obj.parent = light
    obj.scale = (shown.cutoff / importing.settings.scale,) * 3
    obj.color = (*shown.color, 1.0)
    obj.hide_select = True
    for one in (obj, light):
        one.visible_diffuse = one.visible_glossy = one.visible_shadow = False
    collection.objects.link(obj)


def _sphere(importing: ImportContext, collection: bpy.types.Collection) -> bpy.types.Mesh:
    """The mesh that all glows in a collection share: a sphere of radius 1."""
    for child in collection.objects:
        if isinstance(child.data, bpy.types.Mesh) and child.data.get(NAME) is not None:
            return child.data
    across = np.pi * np.arange(1, RINGS) / RINGS
    around = 2 * np.pi * np.arange(SECTORS) / SECTORS
    rings = np.stack(
        [
            np.outer(np.sin(across), np.cos(around)),
            np.outer(np.sin(across), np.sin(around)),
            np.outer(np.cos(across), np.ones(SECTORS)),
        ],
        axis=-1,
    )
    points = np.concatenate([rings.reshape(-1, 3), [(0, 0, 1), (0, 0, -1)]]).astype(np.float32)
    number = np.arange(rings.shape[0] * SECTORS).reshape(-1, SECTORS)
    after = np.roll(number, -1, axis=1)
    quads = np.stack([number[:-1], number[1:], after[1:], after[:-1]], axis=-1).reshape(-1)
    top = np.stack([np.full(SECTORS, len(points) - 2), number[0], after[0]], axis=-1).reshape(-1)
    bottom = np.stack([np.full(SECTORS, len(points) - 1), after[-1], number[-1]], axis=-1).reshape(-1)
    sizes = np.repeat([4, 3], [len(quads) // 4, 2 * SECTORS])
    starts = np.cumsum(sizes) - sizes
    mesh = meshes.build(
        NAME, points, np.concatenate([quads, top, bottom]), starts, smooth=True, report=importing.report
    )
    mesh[NAME] = True
    mesh.materials.append(_material())
    return mesh


def _material() -> bpy.types.Material:
    """Light of the object's colour, the less the further from the middle, on top of what is behind it."""
    material = bpy.data.materials.new(NAME)
    nodes = shader(material)
    color = nodes.add("ShaderNodeObjectInfo").outputs["Color"]
    facing = nodes.add("ShaderNodeLayerWeight").outputs["Facing"]
    middle = nodes.math("POWER", nodes.math("SUBTRACT", 1.0, facing), 4.0)
    light = nodes.feed(nodes.add("ShaderNodeEmission"), Color=color, Strength=middle).outputs[0]
    sum_of = nodes.put("ShaderNodeAddShader", light)
    nodes.link(nodes.add("ShaderNodeBsdfTransparent").outputs[0], sum_of.inputs[1])
    nodes.link(sum_of.outputs[0], nodes.add("ShaderNodeOutputMaterial").inputs["Surface"])
    blended(material)
    return material
