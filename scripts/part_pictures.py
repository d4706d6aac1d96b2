# SPDX-License-Identifier: GPL-3.0-or-later
"""The pictures of docs/teeworlds-part.md: the part that tests/samples/ddnet_part.py makes, step by step."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import bpy
from PIL import Image

from tests.samples import ddnet_part as part

NAME = "teeworlds-part"
SIZE = (704, 352)
MOMENTS = (0.0, 2.0)
"""Seconds at which the ball is shown."""


def draw(folder: Path) -> Iterator[tuple[str, Image.Image]]:
    """Make the part, and give a picture of each stage with its name. folder: for what it needs on the way."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with part.installed(folder):
        part.new_map()
        part.add_physics()
        yield f"{NAME}-physics", _render(folder, physics=True)
        part.add_ground(folder)
        part.add_art(folder)
        part.add_sound(folder)
        part.add_sky()
        shots = [_render(folder, physics=False, time=time) for time in MOMENTS]
    height = SIZE[1] // 2
    both = Image.new("RGB", SIZE, "white")
    for number, shot in enumerate(shots):
        both.paste(shot.crop((0, height - 16, SIZE[0], 2 * height - 16)), (0, number * height))
    yield f"{NAME}-ball", both


def _render(folder: Path, physics: bool, time: float = 0.0) -> Image.Image:
    """All of the part, as the game shows it at a time."""
    scene = bpy.context.scene
    settings = scene.render
    settings.resolution_x, settings.resolution_y, settings.resolution_percentage = *SIZE, 100
    settings.engine = "BLENDER_EEVEE_NEXT" if bpy.app.version < (5, 0) else "BLENDER_EEVEE"
    scene.eevee.taa_render_samples = 8
    part.ops().teeworlds_view_as_game(x=part.WIDTH / 2, y=part.HEIGHT / 2, time=time)
    part.ops().teeworlds_switch_view(what="PHYSICS", on=physics)
    part.ops().teeworlds_switch_view(what="BORDERS", on=False)
    scene.camera.data.ortho_scale = part.WIDTH
    settings.image_settings.file_format = "PNG"
    settings.filepath = str(folder / "shot.png")
    bpy.ops.render.render(write_still=True)
    with Image.open(settings.filepath) as image:
        return image.convert("RGB")
