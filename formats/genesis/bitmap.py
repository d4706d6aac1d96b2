# SPDX-License-Identifier: GPL-3.0-or-later
"""Bitmaps: geBitmap's own GeBm form, and Windows BMP files, which may stand in its place (genesis.md §3)."""

import struct
from dataclasses import dataclass, field
from enum import IntEnum, IntFlag

import numpy as np

from ..arrays import Bytes
from ..binary import Buffer, Cursor, FormatError

MAGIC, BMP_MAGIC = b"GeBm", b"BM"
VERSION = 0x40
MAX_SIZE = 1 << 15  # pixels a side; textures have 256 at most

Pixels = Bytes


class PixelFormat(IntEnum):
    """How a pixel is stored. Names of 16 and 32 bits are by word: XRGB is B, G, R, X in bytes."""

    NONE = 0
    PALETTE_8 = 1
    GRAY_8 = 2
    RGB_555 = 3
    BGR_555 = 4
    RGB_565 = 5
    BGR_565 = 6
    ARGB_4444 = 7
    ARGB_1555 = 8
    RGB_24 = 9
    BGR_24 = 10
    YUV_8 = 11
    RGBX_32 = 12
    XRGB_32 = 13
    BGRX_32 = 14
    XBGR_32 = 15
    RGBA_32 = 16
    ARGB_32 = 17
    BGRA_32 = 18
    ABGR_32 = 19
    WAVELET = 20


class BitmapFlag(IntFlag):
    """What a GeBm holds besides its pixels, and how its size is written."""

    SIZE_IS_LOG2 = 1  # one byte, width in the upper half
    COLOR_KEY = 2
    ALPHA = 4  # another GeBm follows
    PALETTE = 8
    SIZE_IS_BYTES = 32


_ORDERS = {  # the bytes of red, green, blue and alpha (None: opaque)
    PixelFormat.RGB_24: (0, 1, 2, None),
    PixelFormat.BGR_24: (2, 1, 0, None),
    PixelFormat.RGBX_32: (3, 2, 1, None),
    PixelFormat.XRGB_32: (2, 1, 0, None),
    PixelFormat.BGRX_32: (1, 2, 3, None),
    PixelFormat.XBGR_32: (0, 1, 2, None),
    PixelFormat.RGBA_32: (3, 2, 1, 0),
    PixelFormat.ARGB_32: (2, 1, 0, 3),
    PixelFormat.BGRA_32: (1, 2, 3, 0),
    PixelFormat.ABGR_32: (0, 1, 2, 3),
}
_FIELDS = {  # (shift, bits) of red, green, blue and alpha in a word
    PixelFormat.RGB_555: ((10, 5), (5, 5), (0, 5), None),
    PixelFormat.BGR_555: ((0, 5), (5, 5), (10, 5), None),
    PixelFormat.RGB_565: ((11, 5), (5, 6), (0, 5), None),
    PixelFormat.BGR_565: ((0, 5), (5, 6), (11, 5), None),
    PixelFormat.ARGB_4444: ((8, 4), (4, 4), (0, 4), (12, 4)),
    PixelFormat.ARGB_1555: ((10, 5), (5, 5), (0, 5), (15, 1)),
}


def pixel_size(form: PixelFormat) -> int:
    """Bytes of a pixel. Raises FormatError for forms that are not made of pixels."""
    if form in (PixelFormat.PALETTE_8, PixelFormat.GRAY_8):
        return 1
    if form in _FIELDS:
        return 2
    if form in _ORDERS:
        return 3 if form in (PixelFormat.RGB_24, PixelFormat.BGR_24) else 4
    raise FormatError(f"pixels of format {int(form)} ({form.name}) cannot be read", "bitmap")


@dataclass(slots=True, eq=False)
class Bitmap:
    """A bitmap as stored. `mips`: (the byte before it, its pixels uint8[h, w, bytes of a pixel]), rows top first."""

    width: int
    height: int
    format: PixelFormat
    mips: list[tuple[int, Pixels]]
    palette: Pixels | None = None  # [n, bytes of a colour]
    palette_format: PixelFormat = PixelFormat.XRGB_32
    color_key: bytes | None = None
    alpha: "Bitmap | None" = None
    flags: int = 0  # BitmapFlag
    mip_counts: int = 0  # the largest mip in the upper half, mips to seek in the lower
    version: int = VERSION
    end: int = 0x0F  # the byte behind the last mip
    trailing: bytes = field(default=b"", repr=False)

    def indices(self) -> Pixels | None:
        """The numbers of the colours, uint8[h, w]; None if there is no palette."""
        if self.format != PixelFormat.PALETTE_8:
            return None
        return np.asarray(self._top()[:, :, 0])

    def colors(self) -> Pixels | None:
        """The palette, uint8[n, 4] RGBA; None if there is none. The colour key's alpha is 0."""
        if self.palette is None:
            return None
        colors = _decode(self.palette, self.palette_format)
        if self.color_key is not None and self.format == PixelFormat.PALETTE_8 and self.color_key[0] < len(colors):
            colors[self.color_key[0], 3] = 0
        return colors

    def pixels(self) -> Pixels:
        """The picture, uint8[h, w, 4] RGBA straight, top row first. Raises FormatError if it cannot be had."""
        top = self._top()
        picture: Pixels
        if self.format == PixelFormat.PALETTE_8:
            colors = self.colors()
            if colors is None:
                raise FormatError("has no palette", "bitmap")
            table = np.zeros((256, 4), np.uint8)
            table[: len(colors)] = colors
            picture = table[top[:, :, 0]]
        else:
            picture = _decode(top, self.format)
            if self.color_key is not None:
                picture[(top == np.frombuffer(self.color_key, np.uint8)).all(axis=2), 3] = 0
        if self.alpha is not None:
            alpha = self.alpha.pixels()
            if alpha.shape != picture.shape:
                raise FormatError("its alpha is of another size", "bitmap")
            picture[:, :, 3] = alpha[:, :, 0]
        return picture

    def _top(self) -> Pixels:
        """The pixels of mip 0."""
        for level, pixels in self.mips:
            if level == 0:
                return pixels
        raise FormatError("has no pixels", "bitmap")


def _decode(raw: Pixels, form: PixelFormat) -> Pixels:
    """Stored pixels [..., bytes] as RGBA [..., 4]."""
    picture = np.full((*raw.shape[:-1], 4), 255, np.uint8)
    if form in _FIELDS:
        words = raw[..., 0].astype(np.uint16) | raw[..., 1].astype(np.uint16) << 8
        for channel, place in enumerate(_FIELDS[form]):
            if place is not None:
                shift, bits = place
                picture[..., channel] = (words >> shift & (1 << bits) - 1).astype(np.uint32) * 255 // ((1 << bits) - 1)
    elif form in _ORDERS:
        for channel, byte in enumerate(_ORDERS[form]):
            if byte is not None:
                picture[..., channel] = raw[..., byte]
    elif form == PixelFormat.GRAY_8:
        picture[..., :3] = raw
    else:
        raise FormatError(f"pixels of format {int(form)} ({form.name}) cannot be shown", "bitmap")
    return picture


def read(data: Buffer, base: int = 0) -> Bitmap:
    """Read a GeBm or a BMP. Raises FormatError; `base`: where in a file the data stand, for the error."""
    cursor = Cursor(data, base=base)
    if bytes(data[:2]) == BMP_MAGIC:
        return _read_bmp(cursor)
    bitmap = _read(cursor, 0)
    bitmap.trailing = bytes(cursor.take(cursor.left, "bitmap"))
    return bitmap


def _read(cursor: Cursor, depth: int) -> Bitmap:
    if bytes(cursor.take(4, "bitmap")) != MAGIC:
        raise cursor.error("does not begin with GeBm", "bitmap")
    version, flags, form, counts = (cursor.u8("header of a bitmap") for _ in range(4))
    if version != VERSION:
        raise cursor.error(f"version {version:#x}, known is {VERSION:#x}", "bitmap")
    if flags & BitmapFlag.SIZE_IS_LOG2:
        size = cursor.u8("size of a bitmap")
        width, height = 1 << (size >> 4), 1 << (size & 15)
    elif flags & BitmapFlag.SIZE_IS_BYTES:
        width, height = cursor.u8("size of a bitmap"), cursor.u8("size of a bitmap")
    else:
        width, height = cursor.u16("size of a bitmap"), cursor.u16("size of a bitmap")
    bitmap = Bitmap(width, height, _format(cursor, form), [], flags=flags, mip_counts=counts, version=version)
    depth_bytes = pixel_size(bitmap.format)
    if flags & BitmapFlag.COLOR_KEY:
        bitmap.color_key = bytes(cursor.take(depth_bytes, "colour key"))
    if flags & BitmapFlag.PALETTE:
        byte = cursor.u8("palette")
        bitmap.palette_format = _format(cursor, byte & ~0x20)
        count = 256 if byte & 0x20 else cursor.u8("palette")
        entry = pixel_size(bitmap.palette_format)
        bitmap.palette = cursor.array(np.uint8, count * entry, "palette").reshape(count, entry)
    while (level := cursor.u8("mip")) & 15 <= counts >> 4:
        if level & 0xF0:
            raise cursor.error(f"mip {level:#x} is compressed", "mip")
        wide, high = max(width >> level, 1), max(height >> level, 1)
        raw = cursor.array(np.uint8, wide * high * depth_bytes, "pixels")
        bitmap.mips.append((level, raw.reshape(high, wide, depth_bytes)))
    bitmap.end = level
    if flags & BitmapFlag.ALPHA:
        if depth:
            raise cursor.error("the alpha of a bitmap has an alpha", "bitmap")
        bitmap.alpha = _read(cursor, depth + 1)
    return bitmap


def _format(cursor: Cursor, number: int) -> PixelFormat:
    try:
        return PixelFormat(number)
    except ValueError:
        raise cursor.error(f"no pixel format {number}", "bitmap") from None


def write(bitmap: Bitmap) -> bytes:
    """Return a bitmap's GeBm bytes, in the form that its flags say."""
    flags, width, height = bitmap.flags, bitmap.width, bitmap.height
    parts = [MAGIC, bytes((bitmap.version, flags, bitmap.format, bitmap.mip_counts))]
    if flags & BitmapFlag.SIZE_IS_LOG2:
        parts.append(bytes(((width.bit_length() - 1) << 4 | height.bit_length() - 1,)))
    else:
        parts.append(struct.pack("<BB" if flags & BitmapFlag.SIZE_IS_BYTES else "<HH", width, height))
    parts.append(bitmap.color_key or b"")
    if bitmap.palette is not None:
        count = len(bitmap.palette)
        parts.append(bytes((bitmap.palette_format | 0x20,) if count == 256 else (bitmap.palette_format, count)))
        parts.append(bitmap.palette.tobytes())
    for level, pixels in bitmap.mips:
        parts += (bytes((level,)), pixels.tobytes())
    parts.append(bytes((bitmap.end,)))
    if bitmap.alpha is not None:
        parts.append(write(bitmap.alpha))
    return b"".join([*parts, bitmap.trailing])


def _read_bmp(cursor: Cursor) -> Bitmap:
    """A Windows BMP without compression, of 8, 24 or 32 bits."""
    cursor.skip(10, "BMP")
    start, header = cursor.u32("BMP"), cursor.u32("BMP")
    width, height = cursor.i32("size of a BMP"), cursor.i32("size of a BMP")
    cursor.skip(2, "BMP")
    bits, compression = cursor.u16("BMP"), cursor.u32("BMP")
    forms = {8: PixelFormat.PALETTE_8, 24: PixelFormat.BGR_24, 32: PixelFormat.XRGB_32}
    if header < 40 or compression or bits not in forms:
        raise cursor.error(f"a BMP of {bits} bits with compression {compression} cannot be read", "BMP")
    if not (0 < width <= MAX_SIZE and 0 < abs(height) <= MAX_SIZE):
        raise cursor.error(f"{width} by {height} pixels", "size of a BMP")
    cursor.skip(12, "BMP")
    colors = cursor.u32("colours of a BMP")
    cursor.skip(4 + header - 40, "BMP")
    palette = None
    if bits == 8:
        count = colors or 256
        if count > 256:
            raise cursor.error(f"{count} colours", "palette of a BMP")
        palette = cursor.array(np.uint8, 4 * count, "palette of a BMP").reshape(count, 4)
    if start < cursor.offset:
        raise cursor.error(f"its pixels begin at {start}", "BMP")
    cursor.skip(start - cursor.offset, "BMP")
    size = bits // 8
    stride = (width * size + 3) // 4 * 4
    rows = cursor.array(np.uint8, stride * abs(height), "pixels of a BMP").reshape(abs(height), stride)
    pixels = rows[:, : width * size].reshape(abs(height), width, size)
    return Bitmap(width, abs(height), forms[bits], [(0, pixels[::-1] if height > 0 else pixels)], palette)
