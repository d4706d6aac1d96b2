# SPDX-License-Identifier: GPL-3.0-or-later
"""What reflection probes have seen, as images: the six pictures of a cube beside each other, 384 x 64 pixels.

The level's pixels (three colours and the exponent that they share) are those of a Radiance file: it is packed in the
image byte for byte, so that nothing is lost, and Blender shows the colours in their full range. Of an image that was
painted, only the pixels that differ are written.
"""

from __future__ import annotations

import bpy
import numpy as np

from ....formats import ns2
from ....formats.arrays import Array, Bytes, Singles
from ....formats.ns2.cubemap import EDGE, SIZE
from ...scene.blender_types import channels_of
from ...scene.media import images

KEY = ns2.CUBEMAP
"""On objects of probes: the image. In levels: the name of the editor data."""
FACES = 6
_HEAD = f"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y {EDGE} +X {EDGE * FACES}\n".encode()
_RUN = 128  # bytes that a run of different ones may have


def build(name: str, data: bytes) -> bpy.types.Image | None:
    """The image of a cubemap's 98,304 bytes; None for anything else."""
    if len(data) != SIZE:
        return None
    return images.from_file_bytes(name, _file(_rows(data)), non_color=True)


def changed(obj: bpy.types.Object) -> bool:
    """Whether the picture of a probe was painted, or replaced by one of another origin."""
    image = obj.get(KEY)
    return isinstance(image, bpy.types.Image) and not images.unchanged(image)


def collect(obj: bpy.types.Object, was: bytes | None) -> bytes | None:
    """The bytes of a probe's picture; None where it has none. was: those that it was made of, where they are known.

    Raises ValueError for an image that has not 384 x 64 pixels.
    """
    image = obj.get(KEY)
    if not isinstance(image, bpy.types.Image):
        return None
    packed = _packed(image) if images.unchanged(image) else None
    if packed is not None:
        return packed
    now = _pixels(image)
    made = ns2.cubemap.encode(_faces(now[..., :3]))
    if was is None or len(was) != SIZE:
        return made
    before = build(f"{image.name} before", was)
    if before is None:
        return made
    try:
        same = (_faces(_pixels(before)[..., :3]) == _faces(now[..., :3])).all(axis=-1, keepdims=True)
    finally:
        bpy.data.images.remove(before)
    return np.where(same.reshape(-1, 1), _quads(was), _quads(made)).tobytes()


def _quads(data: bytes) -> Bytes:
    return np.frombuffer(data, np.uint8).reshape(-1, 4)


def _rows(data: bytes) -> Bytes:
    """A cubemap's bytes as rows of the picture: uint8[64, 384, 4]."""
    cube = np.frombuffer(data, np.uint8).reshape(FACES, EDGE, EDGE, 4)
    return cube.transpose(1, 0, 2, 3).reshape(EDGE, EDGE * FACES, 4)


def _faces(rows: Array) -> Array:
    """The six pictures of rows [64, 384, n]: [6, 64, 64, n]."""
    return rows.reshape(EDGE, FACES, EDGE, -1).transpose(1, 0, 2, 3)


def _file(rows: Bytes) -> bytes:
    """Rows as a Radiance file: each has its colours one after the other, in runs of different bytes."""
    height, width = rows.shape[:2]
    runs = rows.transpose(0, 2, 1).reshape(height, 4, width // _RUN, _RUN)
    counted = np.full((height, 4, width // _RUN, _RUN + 1), _RUN, np.uint8)
    counted[..., 1:] = runs
    heads = np.tile(np.array([2, 2, width >> 8, width & 255], np.uint8), (height, 1))
    return _HEAD + np.concatenate([heads, counted.reshape(height, -1)], axis=1).tobytes()


def _packed(image: bpy.types.Image) -> bytes | None:
    """The level's bytes of an image that holds them as they came."""
    data = bytes(image.packed_file.data) if image.packed_file else b""
    width = EDGE * FACES
    length = 4 + 4 * (width // _RUN) * (_RUN + 1)
    if not data.startswith(_HEAD) or len(data) != len(_HEAD) + EDGE * length:
        return None
    rows = np.frombuffer(data, np.uint8, offset=len(_HEAD)).reshape(EDGE, length)[:, 4:]
    runs = rows.reshape(EDGE, 4, width // _RUN, _RUN + 1)[..., 1:]
    found: Bytes = _faces(runs.reshape(EDGE, 4, width).transpose(0, 2, 1))
    return found.tobytes()


def _pixels(image: bpy.types.Image) -> Singles:
    """An image's pixels, float32[64, 384, channels], the top row first."""
    width, height = image.size
    if (width, height) != (EDGE * FACES, EDGE):
        raise ValueError(f"image {image.name}: {width} x {height} pixels, a probe's has {EDGE * FACES} x {EDGE}")
    values = np.empty(width * height * image.channels, np.float32)
    channels_of(image).foreach_get(values)
    pixels: Singles = values.reshape(height, width, image.channels)[::-1]
    if image.channels < 3:
        pixels = np.repeat(pixels[..., :1], 3, axis=-1)
    return np.clip(pixels, 0, None)
