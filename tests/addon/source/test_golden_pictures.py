# SPDX-License-Identifier: GPL-3.0-or-later
"""The sample, rendered, looks as it did when somebody looked at it and found it right (see tests/addon/golden.py)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import bpy
import pytest
from levelwright.addon.source import layout, panel
from levelwright.addon.source.lightmaps import build as lightmaps
from mathutils import Vector

from tests import pictures
from tests.addon import golden
from tests.addon.source.rooms import of_kind
from tests.samples import source_room

WIDTH, HEIGHT, SHIFT = 240, 160, 12
"""SHIFT: pixels that a tile of the floor is wide in the distance, at least."""
SAMPLES = 12


@dataclass(frozen=True)
class View:
    """Where the camera is and what it looks at, in units; what makes the picture wrong."""

    place: Sequence[float]
    target: Sequence[float]
    make_bare: Callable[[], None]


def unlit() -> None:
    """Without the baked light of the lamp at the door."""
    dict(panel.settings(bpy.data.collections["source_room"]))[f"{lightmaps.STYLE} 32 hall"].default_value = 0.0


VIEWS = {
    # Tiles, stain, crates, door, sign, fence, hill, lamp, checker, sky; a wall that mirrors.
    "source_room": View((24, 24, 130), (330, 260, 70), golden.without_textures),
    # From the hill: the pool, its rim, the patched wall; the blend of the hill's textures.
    "source_pool": View((490, 30, 170), (150, 300, 20), unlit),
}


def render(view: View, target: Path) -> pictures.Picture:
    (root,) = of_kind(bpy.data.collections["source_room"], layout.ROOT)
    scene = bpy.context.scene
    camera = bpy.data.cameras.new("Camera")
    camera.lens, camera.clip_start = 18, 0.01
    holder = scene.camera = bpy.data.objects.new("Camera", camera)
    scene.collection.objects.link(holder)
    place, aim = (Vector(point) * root.scale.x for point in (view.place, view.target))
    holder.location = place
    holder.rotation_euler = (aim - place).to_track_quat("-Z", "Y").to_euler()
    return golden.trace(WIDTH, HEIGHT, SAMPLES, target)


@pytest.mark.slow
@pytest.mark.parametrize("name", VIEWS)
def test_the_sample_looks_right(name: str, tmp_path: Path) -> None:
    bpy.ops.import_scene.source_bsp(filepath=str(source_room.MAP))
    view = VIEWS[name]
    golden.check(name, lambda target: render(view, target), SHIFT, tmp_path, view.make_bare)
