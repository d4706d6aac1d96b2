"""The scene that a map is imported into: colours as they are, some light from the sky, and a view over all of it."""

from __future__ import annotations

from typing import Any

import bpy

from ..scene import identity
from ..scene.reports import SceneError
from .site import Site

SKY = (0.3, 0.4, 0.5)
"""Linear colour of the light from all sides, for what no lightmap lights."""


def scene_of(context: bpy.types.Context) -> bpy.types.Scene:
    """The context's scene. Raises SceneError where there is none."""
    if context.scene is None:
        raise SceneError("there is no scene to work in")
    return context.scene


def is_empty(scene: bpy.types.Scene) -> bool:
    """Say whether a scene holds nothing but levels of ours."""
    return all(identity.stamped(obj) is not None for obj in scene.objects)


def prepare_scene(site: Site, alone: bool) -> None:
    """Make the scene show colours as they are. alone: there is nothing else in it but levels of ours."""
    scene, settings = site.scene, _settings(site.scene)
    if alone:
        settings.view_transform = "Standard"
        settings.look, settings.exposure, settings.gamma = "None", 0.0, 1.0
        if scene.world is None:
            scene.world = plain_world("Source", SKY)
    elif settings.view_transform not in ("Standard", "Raw"):
        site.report.warn(
            f"the scene holds other things, so its view transform {settings.view_transform} was left: it changes the "
            "map's colours; Standard shows them right"
        )


def _settings(scene: bpy.types.Scene) -> Any:
    return scene.view_settings


def plain_world(name: str, color: tuple[float, ...]) -> bpy.types.World:
    """A world that shines in one colour (linear) everywhere."""
    world: Any = bpy.data.worlds.new(name)
    world.color = [min(part, 1.0) for part in color]
    if bpy.app.version < (5, 0):  # from 5.0 on every world has nodes, and asking for them warns
        world.use_nodes = True
    background = next((node for node in world.node_tree.nodes if node.type == "BACKGROUND"), None)
    if background is not None:
        background.inputs["Color"].default_value = (*color, 1.0)
    made: bpy.types.World = world
    return made
