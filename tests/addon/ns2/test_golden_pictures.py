# SPDX-License-Identifier: GPL-3.0-or-later
"""The sample, rendered, looks as it did when somebody looked at it and found it right (see tests/addon/golden.py)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.ns2 import layout
from levelwright.addon.scene.level import only
from mathutils import Vector

from tests import pictures
from tests.addon import golden
from tests.samples import ns2_art, ns2_room

WIDTH, HEIGHT, SHIFT = 240, 160, 12
"""SHIFT: pixels that a quarter of a metre is wide in the middle."""
SAMPLES = 12


@dataclass(frozen=True)
class View:
    """Where the camera is and what it looks at (metres, the level's axes), its lens; what makes the picture wrong."""

    place: Sequence[float]
    target: Sequence[float]
    lens: float
    make_bare: Callable[[], None]


def without_textures() -> None:
    """As `golden.without_textures`, for Cycles: it reads pictures from their files, unless they are packed."""
    golden.without_textures()
    for image in bpy.data.images:
        if image.type == "IMAGE" and image.size[0]:
            image.pack()


def flat() -> None:
    """As if no edge were smooth."""
    mesh = only(bpy.data.collections["ns2_room"], layout.GEOMETRY).data
    sizes = [polygon.loop_total for polygon in mesh.polygons]
    mesh.normals_split_custom_set(np.repeat([each.vector for each in mesh.polygon_normals], sizes, axis=0))


VIEWS = {
    # Pit, column, niche with its pane, gable window, the crate; a stripe that runs on from the right wall.
    "ns2_room": View((0.5, 2.0, 0.25), (5.0, 1.0, 4.5), 18, without_textures),
    # The column by itself, round by its smooth edges.
    "ns2_column": View((3.0, 1.75, 1.0), (5.5, 1.5, 3.0), 40, flat),
}


def render(view: View, target: Path) -> pictures.Picture:
    scene = bpy.context.scene
    camera = bpy.data.cameras.new("Camera")
    camera.lens, camera.clip_start = view.lens, 0.01
    holder = scene.camera = bpy.data.objects.new("Camera", camera)
    scene.collection.objects.link(holder)
    place, aim = (Vector((z, x, y)) for x, y, z in (view.place, view.target))
    holder.location = place
    holder.rotation_euler = (aim - place).to_track_quat("-Z", "Y").to_euler()
    return golden.trace(WIDTH, HEIGHT, SAMPLES, target)


@pytest.mark.slow
@pytest.mark.parametrize("name", VIEWS)
def test_the_sample_looks_right(name: str, tmp_path: Path) -> None:
    folder = ns2_art.write(tmp_path / "game")
    bpy.ops.import_scene.ns2_level(filepath=str(ns2_room.LEVEL), game_directory=str(folder))
    view = VIEWS[name]
    golden.check(name, lambda target: render(view, target), SHIFT, tmp_path, view.make_bare)
