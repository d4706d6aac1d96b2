# SPDX-License-Identifier: GPL-3.0-or-later
"""Small renders, pixel by pixel: orientation, blending, layer colour, clipping; and the pictures of physics tiles.

Cycles draws these in a fraction of a second, and the same as EEVEE: the golden pictures are EEVEE's.
"""

from pathlib import Path

import bpy
import numpy as np
import pytest
from levelwright.addon.teeworlds import layout
from levelwright.addon.teeworlds.materials import physics
from levelwright.addon.teeworlds.view import game_view as view

from tests import pictures
from tests.addon.teeworlds.export_helpers import imported, layer
from tests.addon.teeworlds.test_import import TURNED
from tests.formats import teeworlds_bytes as raw
from tests.formats.teeworlds_bytes import Map, quad, tile

CORNERS = {(0, 0): (255, 0, 0), (1, 0): (0, 255, 0), (0, 1): (0, 0, 255), (1, 1): (255, 255, 0)}
"""Colours of a tile's quarters by texture corner: u right, v down."""
ALIKE = 1.6
"""Of 255: what rounding to bytes and back may change."""

NOISE = 20
"""What few samples change where texels of two colours meet."""


def quarters() -> bytes:
    """A tileset 64 x 64 whose tiles (4 x 4 texels) have four colours; neighbouring tiles would give it away."""
    art = np.zeros((64, 64, 4), np.uint8)
    art[..., 3] = 255
    for (u, v), color in CORNERS.items():
        for y in range(2):
            for x in range(2):
                art[2 * v + y :: 4, 2 * u + x :: 4, :3] = color
    return art.tobytes()


def level_of(m: Map, **settings: object) -> bpy.types.Collection:
    m.group("Game")
    m.tiles(2, 2, bytes(16), flags=raw.GAME)
    return imported(m.build(), **settings)


def drawing() -> Map:
    m = Map()
    m.version()
    m.group("drawn")
    return m


def render(
    level: bpy.types.Collection, width: int, height: int, texels: int, folder: Path, x: float = 0, y: float = 0
) -> np.ndarray:
    """The picture [height, width, 3] of so many tiles right and below of (x, y), a tile being `texels` pixels."""
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device, scene.cycles.samples, scene.cycles.use_denoising = "CPU", 16, False
    scene.cycles.pixel_filter_type = "BOX"
    scene.render.dither_intensity = 0
    scene.render.resolution_x, scene.render.resolution_y = width * texels, height * texels
    camera = view.view_as_game(scene, level, x + width / 2, y + height / 2)
    camera.data.ortho_scale = width
    camera[view.WIDTH] = float(width)
    path = folder / "picture.png"
    scene.render.filepath, scene.render.image_settings.file_format = str(path), "PNG"
    bpy.ops.render.render(write_still=True)
    return pictures.load(path)


@pytest.mark.parametrize("large_layer", [layout.LARGE_LAYER, 0], ids=["mesh", "plane"])
def test_tiles_are_turned_as_in_the_game(large_layer: int, tmp_path: Path) -> None:
    m = drawing()
    art = m.image("art", 64, 64, quarters())
    ways = list(TURNED)
    m.tiles(8, 2, b"".join(tile(17, way) for way in ways) + tile(0) * 8, image=art)
    picture = render(level_of(m, large_layer=large_layer), 8, 1, 8, tmp_path)
    for number, way in enumerate(ways):
        shown = dict(zip(((0, 0), (0, 1), (1, 1), (1, 0)), TURNED[way], strict=True))
        for (right, down), corner in shown.items():
            pixel = picture[1 + 5 * down, 8 * number + 1 + 5 * right]
            assert np.abs(pixel - CORNERS[corner]).max() < ALIKE, (way, right, down)


def test_blending_is_that_of_the_numbers_on_the_screen(tmp_path: Path) -> None:
    m = drawing()
    m.tiles(2, 2, tile(1) * 4, color=(200, 100, 40, 255))
    m.tiles(2, 2, tile(1) * 4, color=(20, 250, 128, 64))
    picture = render(level_of(m), 2, 2, 4, tmp_path)
    share = 64 / 255
    expected = np.array((20, 250, 128)) * share + np.array((200, 100, 40)) * (1 - share)
    assert np.abs(picture[3, 3] - expected).max() < ALIKE


def test_in_the_standard_view_single_colours_are_the_same(tmp_path: Path) -> None:
    m = drawing()
    m.tiles(2, 2, tile(1) * 4, color=(200, 7, 40, 255))
    level = level_of(m)
    view.set_game_colors(bpy.context.scene, False)
    assert np.abs(render(level, 2, 2, 4, tmp_path)[3, 3] - (200, 7, 40)).max() < ALIKE


def test_colours_run_across_quads_as_numbers(tmp_path: Path) -> None:
    m = drawing()
    size = 2 * 32 * 1024
    left, right = (255, 0, 40, 255), (1, 255, 200, 255)
    corners = ((0, 0), (size, 0), (0, size), (size, size))
    m.quads([quad(corners, colors=(left, right, left, right))])
    picture = render(level_of(m), 2, 2, 4, tmp_path)
    for column in range(8):
        part = (column + 0.5) / 8
        expected = np.array(left[:3]) * (1 - part) + np.array(right[:3]) * part
        assert np.abs(picture[4, column] - expected).max() < 3


def test_clipped_groups_end_at_their_rectangle(tmp_path: Path) -> None:
    m = Map()
    m.version()
    m.group("clipped", clip=(32, 32, 64, 32))
    m.tiles(4, 3, tile(1) * 12, color=(250, 250, 250, 255))
    picture = render(level_of(m), 4, 3, 4, tmp_path)
    inside = np.zeros((12, 16), bool)
    inside[4:8, 4:12] = True
    assert ((picture[..., 0] > 240) == inside).all()


def test_borders_repeat_the_edges(tmp_path: Path) -> None:
    m = drawing()
    art = m.image("art", 64, 64, quarters())
    m.tiles(2, 2, tile(17) + tile(18, 9) + tile(0) * 2, image=art)
    picture = render(level_of(m), 6, 5, 8, tmp_path, x=-2, y=-2)
    repeated = picture[16:24, 16:24]
    assert np.abs(picture[0:8, 0:8] - repeated).max() < NOISE  # up and left of the first tile
    assert np.abs(picture[16:24, 8:16] - repeated).max() < NOISE
    assert np.abs(picture[8:16, 40:48] - picture[16:24, 24:32]).max() < NOISE  # beyond the turned one
    assert np.abs(picture[32:40, 8:16] - 128).max() < ALIKE  # air is repeated too: the backdrop shows


def test_a_layers_colour_edited_in_blender_shows(tmp_path: Path) -> None:
    m = drawing()
    m.tiles(2, 2, tile(1) * 4)
    level = level_of(m)
    layer(level, 0).color = (0.5, 0.25, 0.0, 1.0)
    assert np.abs(render(level, 2, 2, 4, tmp_path)[3, 3] - (127.5, 63.75, 0)).max() < ALIKE


@pytest.mark.parametrize("kind", ["GAME", "TELE", "SPEEDUP", "SWITCH", "TUNE", physics.DIGITS])
def test_every_kind_of_physics_tile_has_a_picture(kind: str) -> None:
    cells = physics.draw(kind).reshape(16, 64, 16, 64, 4).swapaxes(1, 2).reshape(256, 64, 64, 4)
    assert cells[1:, ..., 3].any(axis=(1, 2)).all()
    if kind not in ("SPEEDUP", "TUNE"):
        different = {cell.tobytes() for cell in cells[1:]}
        assert len(different) > 200  # only numbered runs of one kind look alike


def test_what_kinds_of_tiles_do_shows_in_their_colour() -> None:
    game = physics.draw("GAME")

    def color(index: int) -> tuple[int, ...]:
        row, column = divmod(index, 16)
        return tuple(game[row * 64 + 6, column * 64 + 6, :3].tolist())

    assert color(1) == physics.COLORS["stone"] and color(2) == physics.COLORS["red"]
    assert len({color(index) for index in (1, 2, 3, 9, 11, 12)}) == 6


def test_numbers_follow_the_attributes(tmp_path: Path) -> None:
    m = Map()
    m.version()
    m.group("Game")
    m.tiles(2, 2, bytes(16), flags=raw.GAME)
    m.tiles(2, 2, b"\x05\x1a" * 4, flags=raw.TELE)
    level = imported(m.build(), physics=True)
    first = render(level, 2, 2, 32, tmp_path)
    numbers = layer(level, 1).data.attributes["number"].data
    numbers[0].value = 88
    second = render(level, 2, 2, 32, tmp_path)
    changed = np.abs(first - second).max(axis=2) > 50
    assert changed[16:32, :32].any() and not changed[:, 32:].any() and not changed[32:].any()
