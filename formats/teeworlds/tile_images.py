# SPDX-License-Identifier: GPL-3.0-or-later
"""Tiles as pixels of images, and back: for layers too large for a face a tile (arrays in, arrays out)."""

import numpy as np

from ..arrays import Bytes
from .tile_faces import TileFields, Tiles

Channels = tuple[tuple[str, int], ...]
"""The (attribute, shift) of an image's red, green and blue: see TileFields."""
Pixels = Bytes


def channel_pixels(tiles: Tiles, fields: TileFields, channels: Channels) -> Pixels:
    """The pixels, uint8 [h, w, 4], of one of the images of a layer with these tiles [h, w]; alpha is 255.

    fields: of the layer's kind. channels: one of `fields.images`.
    """
    pixels = np.zeros((*tiles.shape, 4), np.uint8)
    pixels[..., 3] = 255
    for channel, (attribute, shift) in enumerate(channels):
        values = tiles[fields.attributes[attribute]]
        pixels[..., channel] = values if values.dtype.itemsize == 1 else (values >> shift) & 255
    return pixels


def write_pixels(tiles: Tiles, fields: TileFields, channels: Channels, pixels: Pixels) -> None:
    """Write the pixels, uint8 [h, w, 3 or 4], of one of a layer's images into its tiles, as far as both reach.

    The inverse of `channel_pixels`; alpha is ignored.
    """
    height, width = np.minimum(tiles.shape, pixels.shape[:2])
    for attribute in dict.fromkeys(name for name, _ in channels):
        values = np.zeros((height, width), np.uint16)
        for channel, (name, shift) in enumerate(channels):
            if name == attribute:
                values |= pixels[:height, :width, channel].astype(np.uint16) << np.uint16(shift)
        field = fields.attributes[attribute]
        tiles[field][:height, :width] = values.astype(tiles.dtype[field])  # 16 bits: two's complement


def shifted(pixels: Pixels, by: tuple[int, int], size: tuple[int, int], repeat: bool) -> Pixels:
    """The pixels, uint8 [h, w, 4], of a layer's image moved by columns and rows, in an image of another size.

    size: width and height. New cells have the tiles of the nearest edge if `repeat`, else they are air.
    """
    rows, columns = np.arange(size[1]) - by[1], np.arange(size[0]) - by[0]
    height, width = pixels.shape[:2]
    near: Pixels = pixels[np.clip(rows, 0, height - 1)[:, None], np.clip(columns, 0, width - 1)]
    if not repeat:
        near[(rows < 0) | (rows >= height), :, :3] = 0
        near[:, (columns < 0) | (columns >= width), :3] = 0
    return near
