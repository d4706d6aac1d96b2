# SPDX-License-Identifier: GPL-3.0-or-later
"""Golden pictures: renders of our samples as they were when somebody looked at them and found them right.

To renew one after a change that is meant to be seen, delete it from tests/samples/golden, run its test, and look at
what it made.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest

from tests import pictures
from tests.pictures import Picture

FOLDER = Path(__file__).resolve().parents[1] / "samples" / "golden"
BLOCK = 16
ALIKE = 1.0
"""Mean difference of block means, of 255, up to which two pictures are the same."""
SAMPLES = 4
"""Anti-aliasing is all that more of them would change, and block means hide that."""


def blocks(picture: Picture) -> Picture:
    """The means of a picture's blocks."""
    height, width = picture.shape[:2]
    return pictures.block_means(picture, height // BLOCK, width // BLOCK)


def without_textures() -> None:
    """Paint every image white: the control of a picture that shows no texture."""
    for image in bpy.data.images:
        if image.type == "IMAGE" and image.size[0]:
            image.pixels.foreach_set(np.ones(image.size[0] * image.size[1] * 4, np.float32))
            image.update()


def check(
    name: str,
    render: Callable[[Path], Picture],
    shift: int,
    folder: Path,
    make_bare: Callable[[], None] = without_textures,
) -> None:
    """Compare what `render` makes with the golden picture of that name, and see that wrong pictures are told from it.

    shift: pixels that a tile, or something of its size, is wide. folder: where pictures may be written. make_bare:
    takes from the scene what the picture is to show, and leaves it so.
    """
    golden = FOLDER / f"{name}.png"
    if not golden.exists():
        golden.parent.mkdir(exist_ok=True)
        render(golden)
        pytest.fail(f"{golden} did not exist: it was made now. Look at it, and commit it if it is right")
    expected = blocks(pictures.load(golden))
    picture = render(folder / "now.png")
    assert pictures.difference(blocks(picture), expected) < ALIKE

    # The controls: a picture that is wrong must be told from the right one.
    assert pictures.difference(blocks(picture[:, ::-1]), expected) > 2 * ALIKE
    assert pictures.difference(blocks(np.roll(picture, shift, axis=1)), expected) > 2 * ALIKE
    make_bare()
    assert pictures.difference(blocks(render(folder / "bare.png")), expected) > 2 * ALIKE


def set_size(width: int, height: int) -> None:
    """Set the size of the picture, which some cameras follow."""
    settings = bpy.context.scene.render
    settings.resolution_x, settings.resolution_y, settings.resolution_percentage = width, height, 100


def render(width: int, height: int, target: Path) -> Picture:
    """Render the scene through its camera: float64 [height, width, 3]."""
    set_size(width, height)
    scene = bpy.context.scene
    scene.render.engine = "BLENDER_EEVEE_NEXT" if bpy.app.version < (5, 0) else "BLENDER_EEVEE"
    scene.eevee.taa_render_samples = SAMPLES
    scene.render.dither_intensity = 0.0
    scene.render.image_settings.file_format = "PNG"
    scene.render.filepath = str(target)
    bpy.ops.render.render(write_still=True)
    return pictures.load(target)


def trace(width: int, height: int, samples: int, target: Path) -> Picture:
    """Render the scene through its camera by Cycles, for what only comes in by reflected light: as `render`."""
    set_size(width, height)
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.seed = samples, 0
    scene.cycles.use_denoising = scene.cycles.use_adaptive_sampling = False
    scene.render.dither_intensity = 0.0
    scene.render.image_settings.file_format = "PNG"
    scene.render.filepath = str(target)
    bpy.ops.render.render(write_still=True)
    return pictures.load(target)
