r"""Textures of Vampire: The Masquerade - Bloodlines: `.tth` (the head of a VTF file) and `.ttz` (the rest).

Layout of a `.tth`: "TTH\0", u8 major (1), u8 minor (0), u8 mipmaps, u8 aspect, u32 size of the VTF bytes in this file,
u64 a mipmap, u32 size of the whole VTF file, u32 size of the `.ttz`, and those bytes. Measured on the pakfiles of the
game's levels: textures that are small have all in the `.tth`.
"""

from ...binary import Budget, Buffer, Cursor, FormatError, inflate

MAGIC = b"TTH\0"
LARGEST = 1 << 28
"""Bytes of a VTF file, at most."""


def join(head: Buffer, rest: Buffer | None) -> bytes:
    """The VTF file of a `.tth` and the `.ttz` beside it (None where there is none).

    FormatError where either isn't one, and where the rest is needed but missing.
    """
    cursor = Cursor(head)
    if cursor.take(4, "TTH magic") != MAGIC:
        raise FormatError("is no Troika texture header", "TTH magic", 0)
    major, minor = cursor.u8("TTH version"), cursor.u8("TTH version")
    if (major, minor) != (1, 0):
        raise cursor.error(f"version {major}.{minor}; known is 1.0", "TTH version")
    mipmaps = cursor.u8("TTH mipmaps")
    cursor.skip(1, "TTH aspect")
    here = cursor.u32("TTH size")
    cursor.skip(8 * mipmaps, "TTH mipmaps")
    whole, compressed = cursor.u32("TTH size of the VTF"), cursor.u32("TTH size of the TTZ")
    start = bytes(cursor.take(here, "TTH images"))
    if whole <= here:
        return start
    if rest is None:
        raise FormatError(f"{whole - here} of its {whole} bytes are in a .ttz, which is missing", "TTH")
    if compressed and compressed != len(rest):
        raise FormatError(f"its .ttz has {len(rest)} bytes, not {compressed}", "TTH")
    return start + inflate(rest, whole - here, Budget(LARGEST), "TTZ")
