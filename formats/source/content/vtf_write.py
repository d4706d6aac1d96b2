# SPDX-License-Identifier: GPL-3.0-or-later
"""VTF textures written from pixels, with mipmaps and a thumbnail: what Valve's vtex makes of a picture (`vtf.h`)."""

import struct
from collections.abc import Sequence

import numpy as np

from ...arrays import Bytes, Floats, Singles
from ...binary import FormatError
from . import dxt_write
from .texels import BLOCK_BYTES, ImageFormat
from .vtf import MAGIC, TextureFlags

Pixels = Bytes

FORMATS = (
    ImageFormat.DXT1,
    ImageFormat.DXT1_ONEBITALPHA,
    ImageFormat.DXT3,
    ImageFormat.DXT5,
    ImageFormat.ATI1N,
    ImageFormat.ATI2N,
    ImageFormat.BGRA8888,
    ImageFormat.RGBA8888,
    ImageFormat.ABGR8888,
    ImageFormat.ARGB8888,
    ImageFormat.BGRX8888,
    ImageFormat.BGR888,
    ImageFormat.RGB888,
    ImageFormat.BGR565,
    ImageFormat.BGRA5551,
    ImageFormat.BGRA4444,
    ImageFormat.I8,
    ImageFormat.IA88,
    ImageFormat.A8,
    ImageFormat.UV88,
)
"""What can be written."""

_ORDERS = {
    ImageFormat.RGBA8888: [0, 1, 2, 3],
    ImageFormat.ABGR8888: [3, 2, 1, 0],
    ImageFormat.ARGB8888: [3, 0, 1, 2],  # as the engine reads it, see texels
    ImageFormat.BGRA8888: [2, 1, 0, 3],
    ImageFormat.BGRX8888: [2, 1, 0, 3],
    ImageFormat.RGB888: [0, 1, 2],
    ImageFormat.BGR888: [2, 1, 0],
    ImageFormat.A8: [3],
    ImageFormat.UV88: [0, 1],
}
"""The channels in the order of the bytes."""
_PACKED = {
    ImageFormat.BGR565: ((2, 0, 5), (1, 5, 6), (0, 11, 5)),
    ImageFormat.BGRA5551: ((2, 0, 5), (1, 5, 5), (0, 10, 5), (3, 15, 1)),
    ImageFormat.BGRA4444: ((2, 0, 4), (1, 4, 4), (0, 8, 4), (3, 12, 4)),
}
"""Channel, lowest bit and number of bits."""
_LUMA = np.array([0.299, 0.587, 0.114])
_ATI = {ImageFormat.ATI2N: 34, ImageFormat.ATI1N: 35}  # their numbers in files
_VERSIONS = range(6)
_HEADER = struct.Struct("<4sIIIHHIHH4x3f4xfiBiBB")
_HEADER_BYTES, _WITH_RESOURCES = 80, 80 + 2 * 8
_LARGEST, _THUMBNAIL = 1 << 13, 16
_GAMMA = 2.2
_ALPHA = {
    **dict.fromkeys((ImageFormat.DXT1_ONEBITALPHA, ImageFormat.BGRA5551), TextureFlags.ONEBITALPHA),
    **dict.fromkeys(
        (
            ImageFormat.DXT3,
            ImageFormat.DXT5,
            ImageFormat.BGRA8888,
            ImageFormat.RGBA8888,
            ImageFormat.ABGR8888,
            ImageFormat.ARGB8888,
            ImageFormat.BGRA4444,
            ImageFormat.IA88,
            ImageFormat.A8,
        ),
        TextureFlags.EIGHTBITALPHA,
    ),
}


def write(
    pixels: Pixels | Sequence[Pixels],
    form: ImageFormat = ImageFormat.DXT5,
    flags: int = 0,
    mipmaps: bool = True,
    version: int = 2,
    bump_scale: float = 1.0,
) -> bytes:
    """A texture of uint8[height, width, 4] pixels (red, green, blue, straight alpha; top row first), or of frames.

    form: one of FORMATS. flags: TextureFlags; those of the alpha are added. With NORMAL, mipmaps stay unit vectors;
    others are averaged as light. mipmaps: False: the picture alone, and NOMIP is set. version: 0 to 5, of
    7.0 to 7.5; 2 is read by all games. Sides must be powers of two (the engine's rule), up to 8192.

    Raises FormatError for pixels, formats and versions that can't be.
    """
    frames = [pixels] if isinstance(pixels, np.ndarray) else list(pixels)
    height, width = _checked(frames, form, version)
    normal = bool(flags & TextureFlags.NORMAL)
    if not mipmaps:
        flags |= TextureFlags.NOMIP
    flags = flags & ~int(TextureFlags.ONEBITALPHA | TextureFlags.EIGHTBITALPHA) | int(_ALPHA.get(form, 0))
    chains = [_chain(frame, normal, mipmaps) for frame in frames]
    images = b"".join(encode(form, chain[level]) for level in reversed(range(len(chains[0]))) for chain in chains)
    small = next((level for level in chains[0] if max(level.shape[:2]) <= _THUMBNAIL), None)
    if small is None:
        small = _chain(frames[0], normal, True)[-5]
    thumbnail = dxt_write.encode(ImageFormat.DXT1, small)
    light = (frames[0][..., :3].reshape(-1, 3) / np.float64(255)) ** _GAMMA
    size = _HEADER_BYTES if version < 3 else _WITH_RESOURCES
    head = _HEADER.pack(
        MAGIC,
        7,
        version,
        size if version >= 2 else 64,
        width,
        height,
        flags,
        len(frames),
        0,
        *light.mean(axis=0).tolist(),
        bump_scale,
        _ATI.get(form, int(form)),
        len(chains[0]),
        int(ImageFormat.DXT1),
        small.shape[1],
        small.shape[0],
    )
    if version < 2:
        return head.ljust(64, b"\0") + thumbnail + images
    head += struct.pack("<H", 1)
    if version < 3:
        return head.ljust(_HEADER_BYTES, b"\0") + thumbnail + images
    head = (head + b"\0" * 3 + struct.pack("<I", 2)).ljust(_HEADER_BYTES, b"\0")
    entries = struct.pack("<4sI4sI", b"\x01\0\0\0", size, b"\x30\0\0\0", size + len(thumbnail))
    return head + entries + thumbnail + images


def _checked(frames: list[Pixels], form: ImageFormat, version: int) -> tuple[int, int]:
    """Height and width. Raises FormatError."""
    if form not in FORMATS:
        raise FormatError(f"textures of format {form.name} are not written", "texture")
    if version not in _VERSIONS:
        raise FormatError(f"version 7.{version} is not written", "texture")
    if not 0 < len(frames) <= 0xFFFF:
        raise FormatError(f"{len(frames)} frames", "pixels of a texture")
    for frame in frames:
        if frame.dtype != np.uint8 or frame.ndim != 3 or frame.shape[2] != 4 or frame.shape != frames[0].shape:
            raise FormatError(f"{frame.dtype} {frame.shape}, not uint8 [height, width, 4]", "pixels of a texture")
    height, width = frames[0].shape[:2]
    if not all(0 < side <= _LARGEST and side & (side - 1) == 0 for side in (width, height)):
        message = f"{width} x {height} pixels: sides must be powers of two, up to {_LARGEST}"
        raise FormatError(message, "pixels of a texture")
    return height, width


def encode(form: ImageFormat, pixels: Pixels) -> bytes:
    """One image as a format stores it, of uint8[height, width, 4]; FormatError for formats not in FORMATS."""
    if form in BLOCK_BYTES and form in FORMATS:
        return dxt_write.encode(form, pixels)
    if form in _ORDERS:
        return bytes(pixels[..., _ORDERS[form]].tobytes())
    if form in (ImageFormat.I8, ImageFormat.IA88):
        grey = np.rint(pixels[..., :3] @ _LUMA).astype(np.uint8)
        made = grey if form == ImageFormat.I8 else np.stack([grey, pixels[..., 3]], axis=-1)
        return np.ascontiguousarray(made).tobytes()
    if form in _PACKED:
        words = np.zeros(pixels.shape[:2], np.uint32)
        for channel, low, bits in _PACKED[form]:
            value = (pixels[..., channel].astype(np.uint32) * np.uint32((1 << bits) - 1) + np.uint32(127)) // np.uint32(
                255
            )
            words |= value << np.uint32(low)
        return words.astype("<u2").tobytes()
    raise FormatError(f"textures of format {form.name} are not written", "texture")


def resized(pixels: Pixels) -> Pixels:
    """A picture uint8[height, width, 4] brought to the nearest sides that textures may have, bilinearly."""
    made: Floats = pixels.astype(np.float64)
    for axis in (0, 1):
        old = made.shape[axis]
        new = min(max(1 << round(float(np.log2(old))), 1), _LARGEST)
        if new != old:
            place = np.clip((np.arange(new) + 0.5) * old / new - 0.5, 0, old - 1)
            low = np.floor(place).astype(np.int64)
            share = (place - low).reshape((-1, 1, 1) if axis == 0 else (1, -1, 1))
            near, far = (made.take(index, axis) for index in (low, np.minimum(low + 1, old - 1)))
            made = near + (far - near) * share
    return np.rint(made).astype(np.uint8)


# ------------------------------------------------------------------------------------------------------------- mipmaps


def _chain(pixels: Pixels, normal: bool, mipmaps: bool) -> list[Pixels]:
    """A picture and, where wanted, its mipmaps, the largest first."""
    levels = [pixels]
    light = _to_light(pixels, normal)
    while mipmaps and max(levels[-1].shape[:2]) > 1:
        light = _halved(light)
        levels.append(_from_light(light, normal))
    return levels


def _to_light(pixels: Pixels, normal: bool) -> Singles:
    """What can be averaged: colours as light, or the vectors of a normal map, and alpha."""
    made = pixels / np.float32(255)
    if normal:
        made[..., :3] = made[..., :3] * 2 - 1
    else:
        made[..., :3] **= np.float32(_GAMMA)
    return made.astype(np.float32)


def _from_light(light: Singles, normal: bool) -> Pixels:
    made = light.copy()
    if normal:
        lengths = np.sqrt((made[..., :3] ** 2).sum(axis=-1, keepdims=True))
        made[..., :3] = np.divide(made[..., :3], lengths, out=np.zeros_like(made[..., :3]), where=lengths > 0) / 2 + 0.5
    else:
        made[..., :3] **= np.float32(1 / _GAMMA)
    return np.asarray(np.rint(np.clip(made, 0, 1) * 255), np.uint8)


def _halved(values: Singles) -> Singles:
    """Half as many each way, where there are two; means of neighbours."""
    for axis in (0, 1):
        if values.shape[axis] > 1:
            values = (values[::2] + values[1::2]) / 2 if axis == 0 else (values[:, ::2] + values[:, 1::2]) / 2
    return values
