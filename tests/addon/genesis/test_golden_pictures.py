# SPDX-License-Identifier: GPL-3.0-or-later
"""The sample, rendered, looks as it did when somebody looked at it and found it right (see tests/addon/golden.py)."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import bpy
import pytest
from mathutils import Vector

from tests import pictures
from tests.addon import golden
from tests.samples import genesis_room

WIDTH, HEIGHT, SHIFT = 240, 160, 12
"""SHIFT: pixels that a tile of the floor is wide in the distance, at least."""
INCH = 0.0254


@dataclass(frozen=True)
class View:
    """Where the camera is and what it looks at, in the level's units and axes, and the time in seconds."""

    place: Sequence[float]
    target: Sequence[float]
    time: float


VIEWS = {
    # The door half open, a fan on its way, the sky; lamp, window, ramp, crate and pillar.
    "genesis_room": View((-200, 30, -150), (0, 130, 0), 0.5),
    # From behind the wall: water, and through the pane.
    "genesis_beyond": View((240, 130, 170), (80, 40, -60), 0.75),
}


def place(point: Sequence[float]) -> Vector:
    x, y, z = point
    return Vector((x, -z, y)) * INCH


def render(view: View, target: Path) -> pictures.Picture:
    scene = bpy.context.scene
    camera = bpy.data.cameras.new("Camera")
    camera.lens, camera.clip_start = 20, INCH
    holder = scene.camera = bpy.data.objects.new("Camera", camera)
    scene.collection.objects.link(holder)
    holder.location = place(view.place)
    holder.rotation_euler = (place(view.target) - holder.location).to_track_quat("-Z", "Y").to_euler()
    frame = view.time * scene.render.fps / scene.render.fps_base
    scene.frame_set(int(frame), subframe=frame % 1)
    return golden.render(WIDTH, HEIGHT, target)


@pytest.mark.slow
@pytest.mark.parametrize("name", VIEWS)
def test_the_sample_looks_right(name: str, tmp_path: Path) -> None:
    bpy.ops.import_scene.genesis_map(filepath=str(genesis_room.MAP))
    golden.check(name, lambda target: render(VIEWS[name], target), SHIFT, tmp_path)


@pytest.mark.slow
def test_previewed_cuts_and_hollows_look_like_the_map(tmp_path: Path) -> None:
    """Blender's Boolean modifiers leave what the editor's CSG leaves, textures and all."""
    expected = golden.blocks(pictures.load(golden.FOLDER / "genesis_room.png"))
    bpy.ops.import_scene.genesis_3dt(filepath=str(genesis_room.EDITOR), preview_cuts="csg")
    picture = golden.blocks(render(VIEWS["genesis_room"], tmp_path / "preview.png"))
    assert pictures.difference(picture, expected) < golden.ALIKE
