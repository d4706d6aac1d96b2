# SPDX-License-Identifier: GPL-3.0-or-later
"""What the header of a `.dds` texture says; its pixels are decoded by whoever shows them."""

from dataclasses import dataclass

from ..binary import Buffer, Cursor, FormatError

HEADER = 128  # bytes before the pixels
BLOCKS = {b"DXT1": 8, b"DXT3": 16, b"DXT5": 16}  # bytes of 4 x 4 pixels
_LARGEST = 1 << 14
_FOUR_CC = 0x4
_ALPHA = 0x1


@dataclass(frozen=True, slots=True)
class Texture:
    """What a header says."""

    width: int
    """Pixels."""
    height: int
    """Pixels."""
    alpha: bool
    """Whether it has any; that of DXT1 is ignored."""


def describe(head: Buffer, size: int) -> Texture:
    """Read the header of a texture; `head`: at least its first 128 bytes, `size`: bytes of the whole file.

    Raises FormatError for what is no texture of DXT1, DXT3, DXT5 or plain pixels, or is cut short.
    """
    cursor = Cursor(head)
    if bytes(cursor.take(4, "texture")) != b"DDS ":
        raise FormatError("does not begin with 'DDS '", "texture", 0)
    words = cursor.array("<u4", 31, "texture")
    height, width, flags, bits = int(words[2]), int(words[3]), int(words[19]), int(words[21])
    if not 0 < width <= _LARGEST or not 0 < height <= _LARGEST:
        raise FormatError(f"{width} x {height} pixels", "texture", 12)
    if flags & _FOUR_CC:
        kind = words[20:21].tobytes()
        if kind not in BLOCKS:
            raise FormatError(f"{kind!r} is none of {', '.join(each.decode() for each in BLOCKS)}", "texture", 84)
        needed = -(-width // 4) * -(-height // 4) * BLOCKS[kind]
        alpha = kind != b"DXT1"
    else:
        if bits not in (8, 16, 24, 32):
            raise FormatError(f"pixels of {bits} bits", "texture", 88)
        needed, alpha = width * height * bits // 8, bool(flags & _ALPHA)
    if size < HEADER + needed:
        raise FormatError(f"{size} bytes, {width} x {height} pixels need {HEADER + needed}", "texture", size)
    return Texture(width, height, alpha)
