# SPDX-License-Identifier: GPL-3.0-or-later
"""A picture of the scene: through its camera, or from straight above with everything in it."""

from dataclasses import dataclass
from pathlib import Path

import bpy
from mathutils import Vector

from .scene import stage
from .scene.names import showable
from .scene.properties import setting

LONGER_SIDE = 1280


@dataclass(frozen=True)
class PictureSettings:
    """How large and how good a picture is."""

    width: int = setting(0, "In pixels; 0 for the scene's or, from above, the level's proportions", minimum=0)
    height: int = setting(0, "In pixels; 0 for the scene's or, from above, the level's proportions", minimum=0)
    samples: int = setting(8, "Samples a pixel: levels that are drawn flat need them for smooth edges only", minimum=1)


def render(context: bpy.types.Context, path: Path, settings: PictureSettings) -> None:
    """Write a picture of the scene as it renders.

    The scene's own camera is used if it has one; otherwise the picture is taken from above (+Z, orthographic), with all
    that renders just in it.
    """
    scene = stage.scene_of(context)
    output = scene.render
    if scene.camera is None:
        width, height = _look_from_above(context)
    else:
        width, height = output.resolution_x, output.resolution_y
    output.resolution_x = settings.width or width
    output.resolution_y = settings.height or height
    output.resolution_percentage = 100
    if scene.eevee is not None:
        scene.eevee.taa_render_samples = settings.samples
    output.image_settings.file_format = "PNG"
    output.use_file_extension = False
    output.filepath = showable(str(path))
    bpy.ops.render.render(write_still=True)


def _look_from_above(context: bpy.types.Context) -> tuple[int, int]:
    """Put a camera over everything that renders; returns the picture's size in the same proportions."""
    scene = stage.scene_of(context)
    stage.view_layer_of(context).update()
    corners = [
        instance.matrix_world @ Vector(corner)
        for instance in context.evaluated_depsgraph_get().object_instances
        if (obj := instance.object) is not None and obj.type == "MESH" and not obj.hide_render
        for corner in obj.bound_box
    ] or [Vector((-1.0, -1.0, 0.0)), Vector((1.0, 1.0, 0.0))]
    low = Vector([min(corner[axis] for corner in corners) for axis in range(3)])
    high = Vector([max(corner[axis] for corner in corners) for axis in range(3)])
    size = [max(high[axis] - low[axis], 1e-3) for axis in range(3)]
    data = bpy.data.cameras.new("Picture")
    data.type = "ORTHO"
    data.ortho_scale = max(size[0], size[1])
    data.clip_end = size[2] + 2.0
    camera = bpy.data.objects.new("Picture", data)
    camera.location = ((low.x + high.x) / 2, (low.y + high.y) / 2, high.z + 1.0)
    scene.collection.objects.link(camera)
    scene.camera = camera
    scale = LONGER_SIDE / max(size[0], size[1])
    return max(1, round(size[0] * scale)), max(1, round(size[1] * scale))
