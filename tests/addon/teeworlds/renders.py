"""Renders a map as the game shows it: what the golden pictures and the real client's are compared with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np

from tests import pictures

SAMPLES = 4
"""Anti-aliasing is all that more of them would change, and block means hide that."""


@dataclass(frozen=True)
class View:
    """Where the game's camera is: its middle in tiles (y down), zoom factor, and time in seconds."""

    x: float
    y: float
    zoom: float = 1.0
    time: float = 0.0


def import_map(path: Path, mapres: Path | None = None) -> None:
    """Import a map into the (empty) scene, its external images taken from `mapres`."""
    bpy.ops.import_scene.teeworlds_map(filepath=str(path), mapres_directory=str(mapres or ""))


def render(view: View, width: int, height: int, target: Path) -> pictures.Picture:
    """The picture float64 [height, width, 3] that the scene's only map gives there."""
    scene = bpy.context.scene
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = width, height, 100
    bpy.ops.levelwright.view_as_game(x=view.x, y=view.y, zoom=view.zoom, time=view.time)
    scene.render.engine = "BLENDER_EEVEE_NEXT" if bpy.app.version < (5, 0) else "BLENDER_EEVEE"
    scene.eevee.taa_render_samples = SAMPLES
    scene.render.dither_intensity = 0.0
    scene.render.image_settings.file_format = "PNG"
    scene.render.filepath = str(target)
    bpy.ops.render.render(write_still=True)
    return pictures.load(target)


def without_textures() -> None:
    """Paint every image white: the control of a picture that shows no texture."""
    for image in bpy.data.images:
        if image.type == "IMAGE" and image.size[0]:
            image.pixels.foreach_set(np.ones(image.size[0] * image.size[1] * 4, np.float32))
            image.update()
