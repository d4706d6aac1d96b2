"""The scene that a level is imported into: colours as in the game, and a little light where no lamp reaches."""

from __future__ import annotations

from typing import Any

import bpy

from ..scene import identity
from ..scene.reports import Report, SceneError

AMBIENT = 0.08
"""Light of the world, from all sides: the compiler adds so much, too (its MinLight)."""


def scene_of(context: bpy.types.Context) -> bpy.types.Scene:
    """The context's scene. Raises SceneError where there is none."""
    if context.scene is None:
        raise SceneError("there is no scene to work in")
    return context.scene


def is_empty(scene: bpy.types.Scene) -> bool:
    """Say whether a scene holds nothing but levels of ours."""
    return all(identity.stamped(obj) is not None for obj in scene.objects)


def prepare_scene(scene: bpy.types.Scene, alone: bool, report: Report) -> None:
    """Make the scene show textures as they are. alone: there is nothing else in it."""
    settings: Any = scene.view_settings
    if alone:
        settings.view_transform = "Standard"
        settings.look, settings.exposure, settings.gamma = "None", 0.0, 1.0
        scene.frame_start = scene.frame_current = 0  # where motions begin, and brushes stand as in the file
        if scene.world is None:
            scene.world = _world()
    elif settings.view_transform not in ("Standard", "Raw"):
        report.warn(
            f"the scene holds other things, so its view transform {settings.view_transform} was left: it changes the "
            "textures' colours; Standard shows them right"
        )


def _world() -> bpy.types.World:
    world: Any = bpy.data.worlds.new("Genesis3D")
    world.color = (AMBIENT,) * 3
    if bpy.app.version < (5, 0):  # from 5.0 on every world has nodes, and asking for them warns
        world.use_nodes = True
    background = next((node for node in world.node_tree.nodes if node.type == "BACKGROUND"), None)
    if background is not None:
        background.inputs["Color"].default_value = (AMBIENT, AMBIENT, AMBIENT, 1.0)
    made: bpy.types.World = world
    return made
