# SPDX-License-Identifier: GPL-3.0-or-later
"""The textures that a compiled level holds (genesis.md §4.6): 8-bit pictures with a palette and mip maps."""

from __future__ import annotations

import numpy as np

from ... import ranges
from ...arrays import Bools
from ...binary import FormatError
from .. import txl
from ..bitmap import Bitmap, BitmapFlag, PixelFormat, Pixels
from ..palette import nearest, quantized
from ..records import MAX_TEXTURE_SIZE, FaceFlag, texture_field, texture_names
from .level import CompiledLevel
from .records import MIPS, PALETTE, TEXTURE, ChunkId

SEE_THROUGH, HALF = 255, 128
"""The colour that can be seen through, in textures of translucent faces."""


def names(level: CompiledLevel) -> list[str]:
    """The names of all textures, in the file's order."""
    table = level.table(ChunkId.TEXTURES)
    made = np.zeros(len(table), [("tex_name", "V32")])
    made["tex_name"] = table["name"]
    return texture_names(made)


def keyed(level: CompiledLevel) -> Bools:
    """Which textures are on a translucent face, so that the engine sees through their colour 255: bool[textures]."""
    count, infos = len(level.table(ChunkId.TEXTURES)), level.table(ChunkId.TEXINFOS)
    used = level.table(ChunkId.FACES)["texinfo"]
    infos = infos[used[(used >= 0) & (used < len(infos))]]
    numbers = infos["texture"][infos["flags"] & int(FaceFlag.TRANSLUCENT) != 0]
    return ranges.among(numbers, count)


def size(level: CompiledLevel, number: int) -> tuple[int, int]:
    """Width and height of a texture. Raises FormatError for ones that no texture has."""
    record = level.table(ChunkId.TEXTURES)[number]
    width, height = int(record["width"]), int(record["height"])
    if not (0 < width <= MAX_TEXTURE_SIZE and 0 < height <= MAX_TEXTURE_SIZE):
        raise FormatError(f"{width} by {height} pixels, up to {MAX_TEXTURE_SIZE} are allowed", f"texture {number}")
    return width, height


def read(level: CompiledLevel, number: int, see_through: bool = False) -> Pixels:
    """A texture as uint8[h, w, 4] RGBA, top row first. see_through: its colour 255 is (`keyed`). Raises FormatError."""
    colors, indices = _stored(level, number)
    made = np.full((*indices.shape, 4), 255, np.uint8)
    made[:, :, :3] = colors[indices]
    if see_through:
        made[indices == SEE_THROUGH, 3] = 0
    return made


def library(level: CompiledLevel, into: txl.Library) -> list[str]:
    """Add the textures that a texture library lacks to it, with the palettes and pixels that the level has.

    Returns, in words, which can't be: those whose pixels or names are broken. Raises FormatError for an EEGC library.
    """
    refused = []
    into.refuse_old()
    for number, name in enumerate(names(level)):
        if into.get(name) is None:
            try:
                into.put(name, _bitmap(*_stored(level, number)))
            except FormatError as error:
                refused.append(f"texture {name!r}: {error}")
    return refused


def _bitmap(colors: Pixels, indices: Pixels) -> Bitmap:
    """A palette uint8[256, 3] and the numbers of colours uint8[h, w] as libraries have them."""
    height, width = indices.shape
    entries = np.zeros((len(colors), 4), np.uint8)
    entries[:, :3] = colors[:, ::-1]
    flags = BitmapFlag.PALETTE
    if not width & (width - 1) and not height & (height - 1):
        flags |= BitmapFlag.SIZE_IS_LOG2
    return Bitmap(width, height, PixelFormat.PALETTE_8, [(0, indices[:, :, None])], entries, flags=int(flags))


def _stored(level: CompiledLevel, number: int) -> tuple[Pixels, Pixels]:
    """A texture's palette uint8[256, 3], and the numbers of its colours uint8[h, w]. Raises FormatError."""
    width, height = size(level, number)
    record = level.table(ChunkId.TEXTURES)[number]
    palettes, data = level.table(ChunkId.PALETTES), level.table(ChunkId.TEXTURE_DATA)
    offset, palette = int(record["offset"]), int(record["palette"])
    if not 0 <= offset <= len(data) - width * height:
        raise FormatError(f"{width * height} pixels at byte {offset} of {len(data)}", f"texture {number}")
    if not 0 <= palette < len(palettes):
        raise FormatError(f"palette {palette} of {len(palettes)}", f"texture {number}")
    return palettes["rgb"][palette], data[offset : offset + width * height].reshape(height, width)


def replace(level: CompiledLevel, number: int, pixels: Pixels, see_through: bool = False) -> None:
    """Give a texture another picture, uint8[h, w, 4] of its size; what another texture has too is added anew.

    see_through: pixels with an alpha below HALF get the colour 255. Raises FormatError for another size.
    """
    width, height = size(level, number)
    if pixels.shape != (height, width, 4):
        raise FormatError(
            f"{pixels.shape[1]} by {pixels.shape[0]} pixels: a compiled level's texture keeps its {width} by {height}",
            f"texture {number}",
        )
    textures = level.table(ChunkId.TEXTURES).copy()
    colors, indices = _indexed(pixels, see_through)
    body = _with_mips(indices, colors, see_through)
    data, palettes = level.table(ChunkId.TEXTURE_DATA).copy(), level.table(ChunkId.PALETTES).copy()
    offset, palette = int(textures["offset"][number]), int(textures["palette"][number])
    if (textures["offset"] == offset).sum() > 1 or not 0 <= offset <= len(data) - len(body):
        textures["offset"][number] = offset = len(data)
        data = np.concatenate([data, np.zeros(len(body), np.uint8)])
    if (textures["palette"] == palette).sum() > 1 or not 0 <= palette < len(palettes):
        textures["palette"][number] = palette = len(palettes)
        palettes = np.concatenate([palettes, np.zeros(1, PALETTE)])
    data[offset : offset + len(body)] = body
    palettes["rgb"][palette] = colors
    for which, table in (
        (ChunkId.TEXTURES, textures),
        (ChunkId.TEXTURE_DATA, data),
        (ChunkId.PALETTES, palettes),
    ):
        if table.tobytes() != level.table(which).tobytes():
            level.set_table(which, table)


def add(level: CompiledLevel, name: str, pixels: Pixels) -> int:
    """Add a texture, uint8[h, w, 4] with sides that are powers of two up to 256; returns its number.

    Raises FormatError for other sizes, and ValueError for names of more than 31 characters or not of Latin-1.
    """
    height, width = pixels.shape[:2]
    for side in (width, height):
        if not 0 < side <= MAX_TEXTURE_SIZE or side & (side - 1):
            raise FormatError(
                f"{width} by {height} pixels: sides are powers of two up to {MAX_TEXTURE_SIZE}", f"texture {name!r}"
            )
    textures, data = level.table(ChunkId.TEXTURES), level.table(ChunkId.TEXTURE_DATA)
    palettes = level.table(ChunkId.PALETTES)
    made = np.zeros(1, TEXTURE)
    made["name"] = texture_field(name)
    made["width"], made["height"], made["offset"], made["palette"] = width, height, len(data), len(palettes)
    colors, indices = _indexed(pixels, False)
    palette = np.zeros(1, PALETTE)
    palette["rgb"][0] = colors
    level.set_table(ChunkId.TEXTURES, np.concatenate([textures, made]))
    level.set_table(ChunkId.TEXTURE_DATA, np.concatenate([data, _with_mips(indices, colors, False)]))
    level.set_table(ChunkId.PALETTES, np.concatenate([palettes, palette]))
    return len(textures)


def _indexed(pixels: Pixels, see_through: bool) -> tuple[Pixels, Pixels]:
    """A palette uint8[256, 3] and the numbers of a picture's colours uint8[h, w]."""
    found, indices = quantized(np.ascontiguousarray(pixels[:, :, :3]), SEE_THROUGH if see_through else SEE_THROUGH + 1)
    colors = np.zeros((SEE_THROUGH + 1, 3), np.uint8)
    colors[: len(found)] = found
    hidden = pixels[:, :, 3] < HALF
    if see_through and hidden.any():
        indices[hidden], colors[SEE_THROUGH] = SEE_THROUGH, pixels[hidden][0, :3]
    return colors, indices


def _with_mips(indices: Pixels, colors: Pixels, see_through: bool) -> Pixels:
    """The bytes of a texture: each mip map has the means of two by two pixels, in the nearest of the colours."""
    parts = [indices.reshape(-1)]
    usable = colors[:SEE_THROUGH] if see_through else colors
    while len(parts) < MIPS:
        height, width = indices.shape
        tall, wide = max(height // 2, 1), max(width // 2, 1)
        blocks = indices[: tall * (height // tall), : wide * (width // wide)].reshape(tall, -1, wide, width // wide)
        means = colors[blocks].astype(np.float64).mean(axis=(1, 3))
        open_ = (blocks == SEE_THROUGH).mean(axis=(1, 3)) >= 0.5 if see_through else np.zeros((tall, wide), np.bool_)
        indices = np.where(open_, np.uint8(SEE_THROUGH), nearest(means, usable))
        parts.append(indices.reshape(-1))
    return np.concatenate(parts)
