# SPDX-License-Identifier: GPL-3.0-or-later
"""Cells of a layer that is a plane with images of its tiles, a pixel a tile."""

from __future__ import annotations

import bpy
import numpy as np

from ....formats.arrays import Int32s, Ints, Singles
from ....formats.teeworlds.tile_faces import TILE_FIELDS
from ...scene.blender_types import channels_of
from ...scene.media import images
from ...scene.names import showable
from ...scene.reports import SceneError
from .. import layout

Cells = Ints
_SIGN = 1 << 15


class PixelStore:
    """The images of a layer. What is painted becomes a new image at the end of the edit: Blender's undo brings back
    data-blocks, not pixels.
    """

    def __init__(self, layer: bpy.types.Object, kind: str, shape: tuple[int, int], offset: tuple[int, int]) -> None:
        """Read a layer's images. Raises SceneError where one is gone or has another size, and for a plane that was
        moved.
        """
        if offset != (0, 0):
            raise SceneError(f"{layer.name}: a layer drawn from images can't be moved, only painted", [layer])
        self.layer, self.shape = layer, shape
        self._fields = TILE_FIELDS[kind]
        self._keys = layout.FIELD_IMAGES[: len(self._fields.images)]
        self._images = [self._image(key) for key in self._keys]
        for image in self._images:
            if image.is_dirty:  # painted by hand: an undo step has what is packed, so that goes into one first
                image.pack()
                bpy.ops.ed.undo_push(message="Painted Tiles")
        self._pixels = [_read(image) for image in self._images]
        self._touched: set[int] = set()
        self.values: dict[str, Int32s] = {name: np.zeros(shape, np.int32) for name in self._fields.attributes}
        for channels, pixels in zip(self._fields.images, self._pixels, strict=True):
            for channel, (name, shift) in enumerate(channels):
                self.values[name] |= np.rint(pixels[..., channel] * 255).astype(np.int32) << shift
        if "angle" in self.values:  # int16, read from its two bytes
            self.values["angle"] -= (self.values["angle"] & _SIGN) << 1

    def _image(self, key: str) -> bpy.types.Image:
        image, (height, width) = self.layer.get(key), self.shape
        if not isinstance(image, bpy.types.Image):
            raise SceneError(f"{self.layer.name}: the image that holds its tiles is gone ({key})", [self.layer])
        if tuple(image.size) != (width, height) or image.channels != 4:
            raise SceneError(f"{self.layer.name}: image {image.name} isn't {width} x {height}", [self.layer])
        return image

    def put(self, cells: Cells) -> None:
        """Show what `values` now has in these cells."""
        for number, (image, channels) in enumerate(zip(self._images, self._fields.images, strict=True)):
            flat = self._pixels[number].reshape(-1, 4)
            before = flat[cells]
            for channel, (name, shift) in enumerate(channels):
                flat[cells, channel] = (self.values[name].reshape(-1)[cells] >> shift & 255) / np.float32(255)
            if not np.array_equal(before, flat[cells]):
                self._touched.add(number)
                _write(image, self._pixels[number])

    def finish(self) -> None:
        """Replace the images that were painted by new ones, which show the same."""
        for number in sorted(self._touched):
            old, name = self._images[number], self._images[number].name
            rgba = np.rint(self._pixels[number] * 255).astype(np.uint8)
            made = images.from_rgba(name, rgba, non_color=True)
            old.user_remap(made)
            self.layer[self._keys[number]] = made
            bpy.data.images.remove(old)
            made.name = showable(name)

    def restore(self) -> None:
        """Give the images their pixels back."""
        for number in sorted(self._touched):
            self._images[number].reload()


def _read(image: bpy.types.Image) -> Singles:
    """The pixels of an image, [h, w, 4], the top row first."""
    width, height = image.size
    values = np.empty((height, width, 4), np.float32)
    channels_of(image).foreach_get(values.reshape(-1))
    return np.ascontiguousarray(values[::-1])


def _write(image: bpy.types.Image, values: Singles) -> None:
    channels_of(image).foreach_set(np.ascontiguousarray(values[::-1]).reshape(-1))
    image.update()
