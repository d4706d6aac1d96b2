# SPDX-License-Identifier: GPL-3.0-or-later
"""Tiles as pixels of images and back: every kind of layer, all values, and images of another size."""

import numpy as np
import pytest

from formats.teeworlds import TILE_RECORDS, TileKind
from formats.teeworlds.tile_faces import TILE_FIELDS
from formats.teeworlds.tile_images import channel_pixels, write_pixels


def random_tiles(kind: str, shape: tuple[int, int] = (7, 5)) -> np.ndarray:
    dtype = TILE_RECORDS[TileKind[kind]]
    data = np.random.default_rng(len(kind)).bytes(dtype.itemsize * shape[0] * shape[1])
    return np.frombuffer(data, dtype).reshape(shape).copy()


@pytest.mark.parametrize("kind", list(TILE_FIELDS))
def test_pixels_hold_all_that_faces_do(kind: str) -> None:
    tiles, fields = random_tiles(kind), TILE_FIELDS[kind]
    again = np.zeros_like(tiles)
    for channels in fields.images:
        pixels = channel_pixels(tiles, fields, channels)
        assert pixels.shape == (*tiles.shape, 4) and (pixels[..., 3] == 255).all()
        write_pixels(again, fields, channels, pixels)
    for field in fields.attributes.values():
        assert np.array_equal(again[field], tiles[field]), field


def test_pixels_are_written_as_far_as_both_reach() -> None:
    fields = TILE_FIELDS["TILES"]
    tiles, larger = random_tiles("TILES", (3, 4)), random_tiles("TILES", (5, 2))
    before = tiles.copy()
    write_pixels(tiles, fields, fields.images[0], channel_pixels(larger, fields, fields.images[0]))
    assert np.array_equal(tiles["index"][:, :2], larger["index"][:3])
    assert np.array_equal(tiles["index"][:, 2:], before["index"][:, 2:])
    assert np.array_equal(tiles["skip"], before["skip"])
