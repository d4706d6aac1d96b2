# SPDX-License-Identifier: GPL-3.0-or-later
"""Textures (VTF) as packed images, and the placeholders of those that weren't found."""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache

import bpy
import numpy as np

from ....formats import bitmap_font
from ....formats.arrays import Bytes, Reals, Singles
from ....formats.binary import Budget, FormatError
from ....formats.source.content.search_path import SearchPath
from ....formats.source.content.texels import ImageFormat
from ....formats.source.content.vtf import Texture
from ....formats.srgb import to_light, to_screen
from ...scene.kept import identity
from ...scene.media import images
from ...scene.names import showable
from ...scene.reports import Report
from .. import layout

_DDS = {
    ImageFormat.DXT1: b"DXT1",
    ImageFormat.DXT1_ONEBITALPHA: b"DXT1",
    ImageFormat.DXT3: b"DXT3",
    ImageFormat.DXT5: b"DXT5",
    ImageFormat.BC6H: b"BC6H",
    ImageFormat.BC7: b"BC7",
}
"""Formats that Blender decodes itself."""
_CHECKER, _CELLS = 128, 8
"""Pixels and fields of the longer side of a placeholder: texture coordinates don't depend on how many it has."""


class Textures:
    """The images of an import, each made once."""

    def __init__(self, content: SearchPath, report: Report, token: int) -> None:
        self.content = content
        self.report = report
        self.token = token
        self._pixels = Budget.of_pixels()
        self._made: dict[tuple[str, bool], bpy.types.Image | None] = {}

    def image(self, name: str, data: bool = False) -> bpy.types.Image | None:
        """The image of a texture ("brick/wall"), its first frame; None where it is missing or can't be read, which the
        report tells. data: its pixels are no colours, but normals or masks.
        """
        if (name, data) not in self._made:
            self._made[name, data] = self._make(name, data)
        return self._made[name, data]

    def _make(self, name: str, data: bool) -> bpy.types.Image | None:
        texture = self.content.texture(name)
        if texture is None:
            self.report.missing("textures", name)
            return None
        try:
            if texture.format not in _DDS:  # those are packed as they are
                self._pixels.spend(texture.width * texture.height, "pixels")
            image = to_image(showable(name), texture, data)
        except (FormatError, IndexError, ValueError) as error:
            self.report.missing("textures", name)
            self.report.warn(f"texture {name} can't be read: {error}")
            return None
        identity.stamp(image, self.token, layout.IMAGE, 0)
        return image

    def checker(
        self, name: str, size: tuple[int, int], color: tuple[float, float, float] = (0.2, 0.2, 0.2)
    ) -> bpy.types.Image:
        """The placeholder of a material's texture: a checker of its proportions, of this mean colour (linear), with its
        name on it.
        """
        wide, high = (max(side, 1) for side in size)
        shrunk = min(1.0, _CHECKER / max(wide, high))
        width, height = max(1, round(wide * shrunk)), max(1, round(high * shrunk))
        field = _fields(width, height).copy()
        letters = bitmap_font.text(name.rpartition("/")[2].upper())[:height, :width].astype(np.uint8) * 2
        tall, broad = letters.shape
        for top in range(0, height - tall + 1, max(height // 4, tall * 2)):
            left = (width - broad) // 2
            place = field[top : top + tall, left : left + broad]
            np.maximum(place, letters, out=place)
        light = [
            *(channel * 0.8 for channel in color),
            *(channel * 1.2 for channel in color),
            *(channel * 0.5 + 0.3 for channel in color),
        ]
        colors = np.array([bisect_right(_STEPS, one) for one in light], np.uint8)
        image = images.from_palette(showable(name), field, colors.reshape(3, 3))
        image["levelwright_placeholder"] = True
        identity.stamp(image, self.token, layout.IMAGE, 0)
        return image


@lru_cache
def _fields(width: int, height: int) -> Bytes:
    """The fields of a checker, uint8[h, w] of 0 and 1."""
    column, row = ((np.arange(side) * _CELLS // side & 1).astype(np.uint8) for side in (width, height))
    return row[:, None] ^ column


def to_image(name: str, texture: Texture, data: bool = False) -> bpy.types.Image:
    """The largest picture of a texture. Raises FormatError, or ValueError where its bytes are too few."""
    four_cc = _DDS.get(texture.format)
    if four_cc is not None:
        return images.from_dds(name, texture.width, texture.height, four_cc, bytes(texture.image()), data)
    return images.from_rgba(name, _bytes(texture.pixels()), data)


def _bytes(pixels: Bytes | Singles) -> Bytes:
    """Pixels as bytes; light of float textures is cut at white and gets sRGB's curve, as other textures have."""
    if pixels.dtype == np.uint8:
        return pixels.astype(np.uint8, copy=False)
    light: Reals = np.clip(np.nan_to_num(pixels), 0, 1)
    curved = to_screen(light)
    curved[..., 3] = light[..., 3]
    return np.asarray(curved * 255 + 0.5, np.uint8)


_STEPS: list[float] = to_light(np.arange(1, 255) / 255).tolist()
"""The least light of each byte from 1 to 254: looked up, nine numbers take a tenth of the time of numpy's curve (which
gives 254 for 1, too).
"""
