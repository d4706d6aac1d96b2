# SPDX-License-Identifier: GPL-3.0-or-later
"""A door cut through a wall of a compiled map shows the next room: rendered, and once looked at."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.source import layout
from levelwright.formats import source
from levelwright.formats.source import LumpId, geometry, world
from levelwright.formats.source.edits.brush_pieces import Piece
from levelwright.formats.source.light import lighting
from levelwright.formats.source.tables import lights
from mathutils import Vector

from tests import pictures
from tests.addon import golden
from tests.addon.source.rooms import imported, of_kind
from tests.formats.source_lit_rooms import lit_rooms
from tests.formats.source_rooms import BRUSHES, DIVIDER

WIDTH, HEIGHT, SHIFT, SAMPLES = 240, 160, 24, 4
COLD, WARM = (40, 70, 110), (200, 140, 60)
EYE, AIM = (-85, -60, 70), (60, 40, 50)


def lit() -> source.Level:
    """The rooms, the west one in cold light and the east one in warm light, each wall in a shade of its own."""
    level = source.read(source.write(lit_rooms()))
    polygons, found = geometry.polygons(level), lighting.lightmaps(level)
    for lump, blocks in found.items():
        data = np.frombuffer(level.bytes_of(lump), np.uint8).copy()
        for place, face in enumerate(blocks.faces.tolist()):
            first, end = polygons.first_corner[face : face + 2]
            east = polygons.positions[polygons.corners[first:end], 0].mean() > 0
            shade = 0.5 + 0.09 * (int(level.table(LumpId.FACES)["planenum"][face]) % 6)
            block = data[blocks.offset[place] - blocks.header[place] : blocks.offset[place] + blocks.size[place]]
            block.reshape(-1, 4)[:] = [*(int(shade * part) for part in (WARM if east else COLD)), 0]
        level.set_bytes(lump, data.tobytes())
    level.set_table(LumpId.WORLDLIGHTS, np.zeros(1, lights.WORLDLIGHT))  # without any, maps are fully bright
    return level


def doorway(low: tuple[float, ...], high: tuple[float, ...]) -> Piece:
    normals = np.concatenate([-np.eye(3), np.eye(3)])
    dists = np.concatenate([-np.array(low, np.float64), np.array(high, np.float64)])
    return Piece(normals, dists, np.array([0, 1, 2, 0, 1, 2]), 1)


def door_cut(level: source.Level) -> bytes:
    """The wall between the rooms in three: left and right of a door, and above it."""
    (x, y, z), (east, north, top) = BRUSHES[DIVIDER]
    left, right = doorway((x, y, z), (east, -24, top)), doorway((x, 32, z), (east, north, top))
    lintel = doorway((x, -24, 96), (east, 32, top))
    edits = world.WorldEdits(changed={DIVIDER: world.Change(left)}, added=[right, lintel])
    world.apply(level, edits)
    return source.write(level)


def seen(data: bytes, target: Path) -> pictures.Picture:
    """What is seen from a corner of the west room, looking east."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    level = imported(data, "door.bsp")
    (root,) = of_kind(level, layout.ROOT)
    scene = bpy.context.scene
    camera = bpy.data.cameras.new("Camera")
    camera.lens, camera.clip_start = 18, 0.01
    holder = scene.camera = bpy.data.objects.new("Camera", camera)
    scene.collection.objects.link(holder)
    place, aim = (Vector(point) * root.scale.x for point in (EYE, AIM))
    holder.location = place
    holder.rotation_euler = (aim - place).to_track_quat("-Z", "Y").to_euler()
    return golden.trace(WIDTH, HEIGHT, SAMPLES, target)


@pytest.mark.slow
def test_a_door_shows_the_next_room(tmp_path: Path) -> None:
    shown = [door_cut(lit())]

    def wall_up() -> None:
        shown[:] = [source.write(lit())]

    golden.check("source_door_cut", lambda target: seen(shown[0], target), SHIFT, tmp_path, wall_up)
