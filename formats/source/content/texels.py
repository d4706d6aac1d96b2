# SPDX-License-Identifier: GPL-3.0-or-later
"""The image formats of VTF files: how many bytes an image takes, and its pixels.

Numbers and layouts: `imageformat.h` of the Source SDK; those from 69 on: Strata Source's wiki, "VTF v7.6 Format".
"""

from collections.abc import Callable
from enum import IntEnum

import numpy as np

from ...arrays import Bytes, Integers, Reals, Singles
from ...binary import Buffer, FormatError

Pixels = Bytes | Singles


class ImageFormat(IntEnum):
    """How pixels are stored; the channels are named in the order of the bytes."""

    NONE = -1
    RGBA8888 = 0
    ABGR8888 = 1
    RGB888 = 2
    BGR888 = 3
    RGB565 = 4
    I8 = 5
    IA88 = 6
    P8 = 7
    A8 = 8
    RGB888_BLUESCREEN = 9
    BGR888_BLUESCREEN = 10
    ARGB8888 = 11
    BGRA8888 = 12
    DXT1 = 13
    DXT3 = 14
    DXT5 = 15
    BGRX8888 = 16
    BGR565 = 17
    BGRX5551 = 18
    BGRA4444 = 19
    DXT1_ONEBITALPHA = 20
    BGRA5551 = 21
    UV88 = 22
    UVWQ8888 = 23
    RGBA16161616F = 24
    RGBA16161616 = 25
    UVLX8888 = 26
    R32F = 27
    RGB323232F = 28
    RGBA32323232F = 29
    ATI2N = 37
    ATI1N = 38
    R8 = 69
    BC7 = 70
    BC6H = 71


BLOCK_BYTES = {
    ImageFormat.DXT1: 8,
    ImageFormat.DXT1_ONEBITALPHA: 8,
    ImageFormat.ATI1N: 8,
    ImageFormat.DXT3: 16,
    ImageFormat.DXT5: 16,
    ImageFormat.ATI2N: 16,
    ImageFormat.BC7: 16,
    ImageFormat.BC6H: 16,
}
"""Of formats that store blocks of 4 x 4 pixels: bytes a block."""

PIXEL_BYTES = {
    **dict.fromkeys(
        (
            ImageFormat.RGBA8888,
            ImageFormat.ABGR8888,
            ImageFormat.ARGB8888,
            ImageFormat.BGRA8888,
            ImageFormat.BGRX8888,
            ImageFormat.UVWQ8888,
            ImageFormat.UVLX8888,
            ImageFormat.R32F,
        ),
        4,
    ),
    **dict.fromkeys(
        (ImageFormat.RGB888, ImageFormat.BGR888, ImageFormat.RGB888_BLUESCREEN, ImageFormat.BGR888_BLUESCREEN), 3
    ),
    **dict.fromkeys(
        (
            ImageFormat.RGB565,
            ImageFormat.IA88,
            ImageFormat.BGR565,
            ImageFormat.BGRX5551,
            ImageFormat.BGRA4444,
            ImageFormat.BGRA5551,
            ImageFormat.UV88,
        ),
        2,
    ),
    **dict.fromkeys((ImageFormat.I8, ImageFormat.P8, ImageFormat.A8, ImageFormat.R8), 1),
    ImageFormat.RGBA16161616F: 8,
    ImageFormat.RGBA16161616: 8,
    ImageFormat.RGB323232F: 12,
    ImageFormat.RGBA32323232F: 16,
}
"""Of formats that store pixel by pixel: bytes a pixel."""

_OPAQUE = 255
_INSTEAD = {
    ImageFormat.P8: ": its palette is in no file; save it as DXT5 or BGRA8888",
    ImageFormat.BC6H: " here, but by Blender; others can save it as RGBA16161616F",
    ImageFormat.BC7: " here, but by Blender; others can save it as BGRA8888",
}
"""What to do about formats that aren't decoded."""


def size(form: ImageFormat, width: int, height: int) -> int:
    """Bytes of one image; FormatError for a format whose images aren't stored."""
    if form in BLOCK_BYTES:
        return BLOCK_BYTES[form] * -(-width // 4) * -(-height // 4)
    if form in PIXEL_BYTES:
        return PIXEL_BYTES[form] * width * height
    raise FormatError(f"images of format {form.name} have no size", "image format")


def decode(form: ImageFormat, data: Buffer, width: int, height: int) -> Pixels:
    """The pixels of an image: [height, width, 4] in the order red, green, blue, alpha, top row first, alpha straight.

    uint8; float32 for formats of floats. Formats without alpha are opaque; I8 and IA88 give grey, UV88 and its like the
    two channels as red and green, ATI2N red and green with the blue that makes it a unit vector. FormatError for too
    few bytes, and for BC6H, BC7 and P8, which are not decoded here.
    """
    needed = size(form, width, height)
    view = memoryview(data).cast("B")
    if len(view) < needed:
        raise FormatError(f"{width} x {height} pixels need {needed} bytes, there are {len(view)}", form.name)
    raw = np.frombuffer(view[:needed], np.uint8)
    if form in _BLOCKS:
        return _unblocked(_BLOCKS[form](raw.reshape(-1, BLOCK_BYTES[form])), width, height)
    if form in _PACKED:
        return _unpacked(raw.view("<u2").reshape(height, width), *_PACKED[form])
    if form in _CHANNELS:
        pixels = _arranged(raw.reshape(height, width, -1), _CHANNELS[form])
        if form in (ImageFormat.RGB888_BLUESCREEN, ImageFormat.BGR888_BLUESCREEN):
            pixels[(pixels == (0, 0, 255, 255)).all(axis=-1)] = 0
        return pixels
    if form in _FLOATS:
        return _floats(raw.view(_FLOATS[form]).reshape(height, width, -1))
    if form == ImageFormat.RGBA16161616:
        wide = raw.view("<u2").reshape(height, width, 4)
        return (wide >> 8).astype(np.uint8)
    raise FormatError(f"{form.name} is not decoded{_INSTEAD.get(form, '')}", "image")


def _arranged(raw: Bytes, order: str) -> Bytes:
    """order: as in _CHANNELS."""
    pixels = np.full((*raw.shape[:2], 4), _OPAQUE, np.uint8)
    for channel, source in enumerate(order):
        if source == "0":
            pixels[..., channel] = 0
        elif source != "-":
            pixels[..., channel] = raw[..., int(source, 16) - 10]
    return pixels


# For red, green, blue and alpha: the byte, A the first; 0 black; - opaque.
_CHANNELS = {
    ImageFormat.RGBA8888: "ABCD",
    ImageFormat.ABGR8888: "DCBA",
    ImageFormat.RGB888: "ABC-",
    ImageFormat.BGR888: "CBA-",
    ImageFormat.I8: "AAA-",
    ImageFormat.IA88: "AAAB",
    ImageFormat.A8: "000A",
    ImageFormat.RGB888_BLUESCREEN: "ABC-",
    ImageFormat.BGR888_BLUESCREEN: "CBA-",
    ImageFormat.ARGB8888: "BCDA",  # as the engine has it; VTFEdit and srctools take its bytes for G, B, A and R
    ImageFormat.BGRA8888: "CBAD",
    ImageFormat.BGRX8888: "CBA-",
    ImageFormat.UV88: "AB0-",
    ImageFormat.UVWQ8888: "ABCD",
    ImageFormat.UVLX8888: "ABC-",
    ImageFormat.R8: "A00-",
}

# Of 16-bit pixels: lowest bit and number of bits of red, green, blue, alpha.
_PACKED = {
    ImageFormat.RGB565: ((0, 5), (5, 6), (11, 5), (0, 0)),
    ImageFormat.BGR565: ((11, 5), (5, 6), (0, 5), (0, 0)),
    ImageFormat.BGRX5551: ((10, 5), (5, 5), (0, 5), (0, 0)),
    ImageFormat.BGRA5551: ((10, 5), (5, 5), (0, 5), (15, 1)),
    ImageFormat.BGRA4444: ((8, 4), (4, 4), (0, 4), (12, 4)),
}

_FLOATS = {
    ImageFormat.RGBA16161616F: "<f2",
    ImageFormat.R32F: "<f4",
    ImageFormat.RGB323232F: "<f4",
    ImageFormat.RGBA32323232F: "<f4",
}


def _floats(values: Reals) -> Singles:
    pixels = np.zeros((*values.shape[:2], 4), np.float32)
    pixels[..., 3] = 1
    pixels[..., : values.shape[2]] = values
    return pixels


def _unpacked(words: Integers, *channels: tuple[int, int]) -> Bytes:
    pixels = np.full((*words.shape, 4), _OPAQUE, np.uint8)
    for channel, (low, bits) in enumerate(channels):
        if bits:
            highest = (1 << bits) - 1
            value = (words >> low & highest).astype(np.uint32)
            pixels[..., channel] = (value * 255 + highest // 2) // highest
    return pixels


def _unblocked(blocks: Bytes, width: int, height: int) -> Bytes:
    """Blocks [n, 16, 4], each with its 16 pixels row by row -> the image [height, width, 4]."""
    across, down = -(-width // 4), -(-height // 4)
    image = blocks.reshape(down, across, 4, 4, 4).swapaxes(1, 2).reshape(down * 4, across * 4, 4)
    return np.ascontiguousarray(image[:height, :width])


def _colors(blocks: Bytes, always_four: bool) -> Bytes:
    """The colours of DXT blocks [n, 8] -> [n, 16, 4]: two RGB565 ends and 2 bits a pixel.

    Where the first end is not above the second, a block has three colours and transparent black, but in DXT3 and DXT5.
    """
    ends = np.ascontiguousarray(blocks[:, :4]).view("<u2")
    palette = np.full((len(blocks), 4, 4), _OPAQUE, np.uint16)
    palette[:, :2] = _unpacked(ends, *_PACKED[ImageFormat.BGR565])
    first, second = palette[:, 0, :3], palette[:, 1, :3]
    palette[:, 2, :3] = (2 * first + second + 1) // 3
    palette[:, 3, :3] = (first + 2 * second + 1) // 3
    if not always_four:
        three = ends[:, 0] <= ends[:, 1]
        palette[three, 2, :3] = (first[three] + second[three]) // 2
        palette[three, 3] = 0
    choices = blocks[:, 4:8, None] >> np.arange(0, 8, 2, dtype=np.uint8) & 3
    chosen = np.take_along_axis(palette.astype(np.uint8), choices.reshape(-1, 16, 1).astype(np.intp), axis=1)
    return np.asarray(chosen)


def _gradient(blocks: Bytes) -> Bytes:
    """One channel of BC4-like blocks [n, 8] -> [n, 16]: two ends and 3 bits a pixel."""
    first, second = (blocks[:, i].astype(np.int32) for i in (0, 1))
    steps = np.arange(1, 7)
    eight = (first[:, None] * (7 - steps) + second[:, None] * steps + 3) // 7
    palette = np.empty((len(blocks), 8), np.int32)
    palette[:, 0], palette[:, 1], palette[:, 2:] = first, second, eight
    six = first <= second
    steps = np.arange(1, 5)
    palette[six, 2:6] = (first[six, None] * (5 - steps) + second[six, None] * steps + 2) // 5
    palette[six, 6], palette[six, 7] = 0, 255
    bits = np.zeros(len(blocks), np.uint64)
    for i in range(6):
        bits |= blocks[:, 2 + i].astype(np.uint64) << np.uint64(8 * i)
    choices = (bits[:, None] >> np.arange(0, 48, 3, dtype=np.uint64) & np.uint64(7)).astype(np.intp)
    return np.take_along_axis(palette, choices, axis=1).astype(np.uint8)


def _dxt1(blocks: Bytes) -> Bytes:
    return _colors(blocks, always_four=False)


def _dxt3(blocks: Bytes) -> Bytes:
    pixels = _colors(blocks[:, 8:], always_four=True)
    alpha = blocks[:, :8, None] >> np.array([0, 4], np.uint8) & 15
    pixels[..., 3] = alpha.reshape(-1, 16) * 17
    return pixels


def _dxt5(blocks: Bytes) -> Bytes:
    pixels = _colors(blocks[:, 8:], always_four=True)
    pixels[..., 3] = _gradient(blocks[:, :8])
    return pixels


def _ati1n(blocks: Bytes) -> Bytes:
    pixels = np.zeros((len(blocks), 16, 4), np.uint8)
    pixels[..., 0], pixels[..., 3] = _gradient(blocks), _OPAQUE
    return pixels


def _ati2n(blocks: Bytes) -> Bytes:
    pixels = np.full((len(blocks), 16, 4), _OPAQUE, np.uint8)
    pixels[..., 1], pixels[..., 0] = _gradient(blocks[:, :8]), _gradient(blocks[:, 8:])  # y first, unlike in BC5
    x, y = (pixels[..., i] / np.float32(127.5) - 1 for i in (0, 1))
    z = np.sqrt(np.clip(1 - x * x - y * y, 0, 1))
    pixels[..., 2] = np.rint((z + 1) * 127.5)
    return pixels


_BLOCKS: dict[ImageFormat, Callable[[Bytes], Bytes]] = {
    ImageFormat.DXT1: _dxt1,
    ImageFormat.DXT1_ONEBITALPHA: _dxt1,
    ImageFormat.DXT3: _dxt3,
    ImageFormat.DXT5: _dxt5,
    ImageFormat.ATI1N: _ati1n,
    ImageFormat.ATI2N: _ati2n,
}
