"""The scene that a level is imported into: colours as they are, daylight, and a view that reaches over all of it."""

from __future__ import annotations

from typing import Any

import bpy

from ..scene import identity
from ..scene.reports import SceneError
from . import layout
from .site import Site

SKY = (0.55, 0.65, 0.8)
"""Linear colour of the light from all sides."""
SUN_STRENGTH = 2.5
SUN_ANGLES = (0.9, 0.0, 0.7)
SUN_HEIGHT = 150.0


def scene_of(context: bpy.types.Context) -> bpy.types.Scene:
    """The context's scene. Raises SceneError where there is none."""
    if context.scene is None:
        raise SceneError("there is no scene to work in")
    return context.scene


def is_empty(scene: bpy.types.Scene) -> bool:
    """Say whether a scene holds nothing but levels of ours."""
    return all(identity.stamped(obj) is not None for obj in scene.objects)


def prepare_scene(site: Site, alone: bool) -> None:
    """Make the scene show colours as they are, by daylight. alone: there is nothing else in it but levels of ours."""
    scene, settings = site.scene, _settings(site.scene)
    if alone:
        settings.view_transform = "Standard"
        settings.look, settings.exposure, settings.gamma = "None", 0.0, 1.0
        if scene.world is None:
            scene.world = _world()
        if not any(obj.type == "LIGHT" for obj in scene.objects):
            _sun(site)
    elif settings.view_transform not in ("Standard", "Raw"):
        site.report.warn(
            f"the scene holds other things, so its view transform {settings.view_transform} was left: it changes the "
            "ground's colours; Standard shows them right"
        )


def _settings(scene: bpy.types.Scene) -> Any:
    return scene.view_settings


def _sun(site: Site) -> None:
    """Add a light that shows the land's relief: for show only."""
    lamp: Any = bpy.data.lights.new("Sun", "SUN")
    lamp.energy = SUN_STRENGTH
    sun = site.object_of("Sun", layout.PREVIEW, data=lamp)
    sun.rotation_euler = SUN_ANGLES
    sun.location = (site.level.width / 2, site.level.height / 2, SUN_HEIGHT)


def _world() -> bpy.types.World:
    world: Any = bpy.data.worlds.new("Fable")
    world.color = SKY
    if bpy.app.version < (5, 0):  # from 5.0 on every world has nodes, and asking for them warns
        world.use_nodes = True
    background = next((node for node in world.node_tree.nodes if node.type == "BACKGROUND"), None)
    if background is not None:
        background.inputs["Color"].default_value = (*SKY, 1.0)
    made: bpy.types.World = world
    return made
