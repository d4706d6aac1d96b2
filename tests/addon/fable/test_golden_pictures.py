# SPDX-License-Identifier: GPL-3.0-or-later
"""The sample, rendered, looks as it did when somebody looked at it and found it right (see tests/addon/golden.py)."""

from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.fable import layout
from levelwright.addon.fable.terrain import overlays
from levelwright.addon.scene import attributes
from levelwright.addon.scene.level import first_of
from mathutils import Vector

from tests import pictures
from tests.addon import golden
from tests.samples import fable_art, fable_vale

WIDTH, HEIGHT, SHIFT = 240, 160, 8
"""SHIFT: pixels that two cells are wide in the middle."""
CAMERA, TARGET = Vector((30, -26, 58)), Vector((32, 30, 20))


def aim() -> None:
    scene = bpy.context.scene
    camera = bpy.data.cameras.new("Camera")
    camera.lens = 28
    holder = scene.camera = bpy.data.objects.new("Camera", camera)
    scene.collection.objects.link(holder)
    holder.location = CAMERA
    holder.rotation_euler = (TARGET - CAMERA).to_track_quat("-Z", "Y").to_euler()


def render(target: Path) -> pictures.Picture:
    aim()
    return golden.render(WIDTH, HEIGHT, target)


def trace(target: Path) -> pictures.Picture:
    """For the images of 24 themes: without a graphics card, EEVEE compiles their shader for a minute and a half."""
    aim()
    return golden.trace(WIDTH, HEIGHT, 16, target)


def level() -> bpy.types.Collection:
    return bpy.data.collections["fable_vale"]


def one_colour() -> None:
    """All themes look the same."""
    mesh = first_of(level(), layout.TERRAIN).data
    grey = np.full((len(mesh.vertices), 4), 0.2, np.float32)
    attributes.write(mesh, layout.THEME_COLOR, "POINT", "FLOAT_COLOR", grey)


def without_images() -> None:
    """No image is left; Cycles of Blender 4.5 would read painted ones from their files again."""
    for image in list(bpy.data.images):
        if image.source == "FILE":
            bpy.data.images.remove(image)


def show(kind: str) -> None:
    assert overlays.show(level(), kind)


VIEWS: dict[str, tuple[str, Callable[[], None]]] = {
    # The lake in the north-west, rock and heather in the north-east, the path and the field in front.
    "fable_vale": ("themes", one_colour),
    # The same with images: cobbles on the path, furrows on the field, blended at their borders.
    "fable_vale_images": ("themes", without_images),
    # Red where nobody walks: the lake, the steep sides of the hill, the walls of the house but for its door.
    "fable_vale_walkable": ("walkable", lambda: show("themes")),
    # Day in the west, haunted in the east.
    "fable_vale_atmosphere": ("atmosphere", lambda: show("themes")),
}
"""The overlay, and what makes the picture a wrong one."""


@pytest.mark.slow
@pytest.mark.parametrize("name", VIEWS)
def test_the_sample_looks_right(name: str, tmp_path: Path) -> None:
    folder = str(fable_art.write(tmp_path)) if name == "fable_vale_images" else ""
    bpy.ops.import_scene.fable_lev(filepath=str(fable_vale.LEVEL), textures_directory=folder)
    kind, make_bare = VIEWS[name]
    show(kind)
    golden.check(name, trace if folder else render, SHIFT, tmp_path, make_bare)
