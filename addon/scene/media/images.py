# SPDX-License-Identifier: GPL-3.0-or-later
"""Pixels to packed images and back, bit for bit, and placeholders for images that weren't found."""

from __future__ import annotations

import hashlib
import struct
import tempfile
import zlib
from pathlib import Path

import bpy
import numpy as np
from numpy.typing import ArrayLike

from ....formats import bitmap_font
from ....formats.arrays import Bytes
from ....formats.reach import AllowedFolders
from ....formats.srgb import to_light
from ..blender_types import channels_of, configure
from ..names import showable

BASELINE = "levelwright_packed"
"""Key of the SHA-256 of the packed bytes as the import made them."""

SIZE = "levelwright_packed_size"
"""Key of how many they were."""

_BLOCK = 1 << 16
"""Numbers of pixels that are converted at a time."""
_SAMPLED = 1 << 16
"""Pixels of an image that its mean colour is taken of."""

RAW = "levelwright_packed_raw"
"""Key of images that the import packed in a format whose pictures may all have as many bytes."""
_DEFLATED = (b"\x89PNG", b"\xff\xd8", b"DDS ", b"RIFF")
"""How files begin that have other bytes once Blender has packed their painted pixels: PNG, JPEG, DDS, WebP."""
_RAW = frozenset({"BMP", "TARGA_RAW", "TARGA", "HDR", "IRIS"})
"""Formats whose pictures may all have as many bytes."""
_FILE = "FILE"
"""The source of images whose pixels are those of a file, be it packed."""

PLACEHOLDER = "levelwright_placeholder"
"""Key that marks images that only stand for ones that weren't found."""
PLACEHOLDER_COLORS = ((96, 96, 104), (128, 128, 136))
PLACEHOLDER_TEXT = (240, 240, 240)


def from_rgba(name: str, pixels: ArrayLike, non_color: bool = False) -> bpy.types.Image:
    """Make a packed image of uint8[h,w,4] (straight alpha, top row first); `to_rgba` gives the same numbers back.

    non_color: the pixels are data, not colours. Colours aren't multiplied by alpha anywhere, as in games.
    """
    array = np.ascontiguousarray(pixels, np.uint8)
    if array.ndim != 3 or array.shape[2] != 4 or 0 in array.shape:
        raise ValueError(f"{name}: an image is [height, width, 4], not {list(array.shape)}")
    return _packed(name, png(array), non_color)


def rendered(scene: bpy.types.Scene) -> bytes:
    """The file of a picture that a scene's camera sees, as its output settings say. Raises RuntimeError as Blender."""
    output = scene.render
    output.use_file_extension = False
    with tempfile.TemporaryDirectory(prefix="levelwright-") as folder:
        path = Path(folder) / "picture"
        output.filepath = showable(str(path))
        bpy.ops.render.render(write_still=True, scene=scene.name)
        return path.read_bytes()


def from_palette(name: str, indices: Bytes, colors: Bytes) -> bpy.types.Image:
    """Make a packed image of uint8[h,w] places in colors uint8[n,3], sRGB: a quarter of the bytes that pixels have."""
    height, width = indices.shape
    if not height or not width or int(indices.max()) >= len(colors):
        raise ValueError(f"{name}: colours {indices.max(initial=0)} of {len(colors)}")
    rows = np.zeros((height, 1 + width), np.uint8)  # each row begins with its filter: none
    rows[:, 1:] = indices
    palette = (b"PLTE", np.ascontiguousarray(colors, np.uint8).tobytes())
    return _packed(name, _png(width, height, 3, rows, palette), False)


def from_file_bytes(name: str, data: bytes, non_color: bool = False) -> bpy.types.Image:
    """Make a packed image of an image file's bytes (PNG, TGA, ...), kept as they are; Blender decodes them when it
    needs them.
    """
    return _packed(name, data, non_color)


def _packed(name: str, data: bytes, non_color: bool) -> bpy.types.Image:
    image = bpy.data.images.new(showable(name), 1, 1, alpha=True)  # the file says its size
    image.pack(data=data, data_len=len(data))
    image.source = "FILE"
    image.alpha_mode = "CHANNEL_PACKED"  # "NONE" and "PREMUL" don't give the bytes back
    set_color_space(image, "Non-Color" if non_color else "sRGB")
    image[BASELINE], image[SIZE] = hashlib.sha256(data).hexdigest(), len(data)
    if not data.startswith(_DEFLATED):
        image[RAW] = True
    return image


def set_color_space(image: bpy.types.Image, name: str) -> None:
    """Say how an image's numbers are meant: "sRGB", "Non-Color", ..."""
    configure(image.colorspace_settings, name=showable(name))


def png(pixels: Bytes) -> bytes:
    """Return uint8[h,w,4] as a PNG file: quick to make rather than small."""
    height, width = pixels.shape[:2]
    rows = np.empty((height, 1 + width * 4), np.uint8)
    rows[:, 0] = 0  # each row begins with its filter: none
    rows[:, 1:] = pixels.reshape(height, width * 4)
    return _png(width, height, 6, rows)


def _png(width: int, height: int, kind: int, rows: Bytes, *before: tuple[bytes, bytes]) -> bytes:
    """A PNG file of rows with their filters; before: chunks that stand before them."""
    header = struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)
    chunks = ((b"IHDR", header), *before, (b"IDAT", zlib.compress(rows.data, 1)), (b"IEND", b""))
    body = b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + body


def to_rgba(image: bpy.types.Image) -> Bytes:
    """Return an image's pixels, uint8[h,w,4], straight alpha, top row first; painted or not, saved or not."""
    width, height = image.size
    if not width or not height:
        raise ValueError(f"{image.name}: the image has no pixels (is its file missing?)")
    values = np.empty(width * height * image.channels, np.float32)
    channels_of(image).foreach_get(values)
    rows = values.reshape(height, width * image.channels)
    array = np.empty((height, width, image.channels), np.uint8)
    step = max(1, _BLOCK // max(rows.shape[1], 1))
    for start in range(0, height, step):  # so much at a time that it stays in the processor's cache: half the time
        block = rows[start : start + step]
        np.clip(block, 0, 1, out=block)
        block *= 255
        block += 0.5
        array[height - start - len(block) : height - start] = block.reshape(len(block), width, -1)[::-1]
    if image.channels == 4:
        return array
    rgba = np.full((height, width, 4), 255, np.uint8)
    rgba[..., :3] = array[..., :3] if image.channels == 3 else array[..., :1]
    return rgba


def mean_color(image: bpy.types.Image) -> tuple[float, float, float]:
    """What an image looks like from afar: the mean of its light, linear, 0 to 1; black for one without pixels."""
    if not min(image.size):
        return 0.0, 0.0, 0.0
    pixels = to_rgba(image).reshape(-1, 4)
    part = pixels[:: max(1, len(pixels) // _SAMPLED), :3] / np.float64(255)
    red, green, blue = to_light(part).mean(axis=0).tolist()
    return red, green, blue


def remember(image: bpy.types.Image) -> None:
    """Keep the hash of the packed bytes, for `unchanged`."""
    image[BASELINE] = showable(_hash(image))


def unchanged(image: bpy.types.Image) -> bool:
    """Say whether an image holds what the import packed: the same bytes, be they in a file by now, and no painting that
    isn't saved, nor another source that it shows instead.
    """
    return image.source == _FILE and not image.is_dirty and image.get(BASELINE) == _hash(image)


def seems_painted(image: bpy.types.Image) -> bool:
    """Say whether an image was painted since an import packed or loaded it, or shows something else than its file.

    Bytes are looked at only where their number doesn't tell: those of an image that was unpacked, and of a format in
    which all pictures of a size have as many.
    """
    if image.source != _FILE or image.is_dirty:
        return True
    packed, baseline = image.packed_file, image.get(BASELINE)
    if packed is None:
        return baseline is not None and _hash(image) != baseline
    if packed.size != image.get(SIZE, packed.size):
        return True
    if baseline is None and image.file_format in _RAW:  # it was loaded from a file, and packed since
        baseline = _hash_of_file(image)
    elif not image.get(RAW):  # Blender has no name for the format of DDS files, and logs a warning where one asks
        return False
    return bool(baseline) and _hash(image) != baseline


def was_packed(image: bpy.types.Image) -> bool:
    """Say whether an import packed this image (it is painted in the .blend, not in a file)."""
    return not image.library and image.get(BASELINE) is not None and bool(image.packed_file)


def _hash(image: bpy.types.Image) -> str:
    """The SHA-256 of the file that an image shows, packed or not; "" where there is none."""
    packed = image.packed_file
    return hashlib.sha256(packed.data).hexdigest() if packed is not None else _hash_of_file(image)


def _hash_of_file(image: bpy.types.Image) -> str:
    """The SHA-256 of the file on disk that an image refers to, "" where it isn't there, or has another size than what
    the import packed or loaded.
    """
    path = Path(bpy.path.abspath(image.filepath, library=image.library))
    try:
        if not image.filepath or path.stat().st_size != image.get(SIZE):
            return ""
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def checker(name: str, width: int, height: int, label: str | None = None, cells: int = 16) -> bpy.types.Image:
    """Make the placeholder for an image that wasn't found: a grey checker of its size with its name on it.

    cells: checker fields per side (16 shows a tile set's cells). Never pink: pink means broken.
    """
    width, height = max(width, 1), max(height, 1)
    column = np.arange(width) * cells // width
    row = np.arange(height) * cells // height
    indices = ((row[:, None] + column[None, :]) % 2).astype(np.uint8)
    text = label if label is not None else name
    scale = max(1, width // max(1, (bitmap_font.WIDTH + 1) * len(text) * 2))
    mask = bitmap_font.text(text, scale)[:height, :width]
    tall, wide = mask.shape
    for top in range(0, height - tall + 1, max(height // 4, tall * 2)):
        left = (width - wide) // 2
        indices[top : top + tall, left : left + wide][mask] = len(PLACEHOLDER_COLORS)
    image = from_palette(name, indices, np.array([*PLACEHOLDER_COLORS, PLACEHOLDER_TEXT], np.uint8))
    image[PLACEHOLDER] = True
    return image


def is_placeholder(image: bpy.types.Image) -> bool:
    """Say whether an image only stands for one that wasn't found: such an image is never exported."""
    return bool(image.get(PLACEHOLDER, False))


_DXGI = {b"BC6H": 95, b"BC7": 98}
"""Formats that only a longer header can name, by number."""
LINEAR = "Linear Rec.709"
"""The space of light that has no curve."""


def from_dds(
    name: str, width: int, height: int, four_cc: bytes, blocks: bytes, non_color: bool = False
) -> bpy.types.Image:
    """Make a packed image of compressed blocks (the largest mip only): Blender decodes them itself.

    four_cc: b"DXT1", b"DXT3", b"DXT5", b"BC6H" (linear light, unsigned) or b"BC7". Raises ValueError if the blocks are
    too few for the size.
    """
    block = {b"DXT1": 8, b"DXT3": 16, b"DXT5": 16, **dict.fromkeys(_DXGI, 16)}.get(four_cc)
    if block is None:
        raise ValueError(f"{name}: {four_cc!r} isn't DXT1, DXT3, DXT5, BC6H or BC7")
    size = -(-width // 4) * -(-height // 4) * block
    if width < 1 or height < 1 or len(blocks) < size:
        raise ValueError(f"{name}: {len(blocks)} bytes of blocks, {width} x {height} needs {size}")
    caps, height_width_format_linear = 0x1000, 0x1 | 0x2 | 0x4 | 0x1000 | 0x80000
    head = struct.pack("<4s7I44x", b"DDS ", 124, height_width_format_linear, height, width, size, 0, 1)
    more = struct.pack("<5I", _DXGI[four_cc], 3, 0, 1, 0) if four_cc in _DXGI else b""  # a picture, one
    pixel_format = struct.pack("<2I4s20x", 32, 0x4, b"DX10" if more else four_cc)
    data = head + pixel_format + struct.pack("<I16x", caps) + more + blocks[:size]
    made = _packed(name, data, non_color)
    if four_cc == b"BC6H":
        set_color_space(made, LINEAR)
    return made


def load(path: Path, reach: AllowedFolders, check_existing: bool = False) -> bpy.types.Image:
    """Load an image from a file that was found in a reach, to be referred to where it is.

    check_existing: the one of this file that the .blend has already will do. Raises OSError, RuntimeError, and
    FormatError for a file that is too large.
    """
    size = reach.size(path)
    image = bpy.data.images.load(str(path), check_existing=check_existing)
    if not image.packed_file and not image.library:
        image[SIZE] = int(size)
    return image
