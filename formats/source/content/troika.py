# SPDX-License-Identifier: GPL-3.0-or-later
r"""Vampire: The Masquerade - Bloodlines: textures in `.tth` (the head of a VTF file) and `.ttz` (the rest); archives.

Layout of a `.tth`: "TTH\0", u8 major (1), u8 minor (0), u8 mipmaps, u8 aspect, u32 size of the VTF bytes in this file,
u64 a mipmap, u32 size of the whole VTF file, u32 size of the `.ttz`, and those bytes. Measured on the pakfiles of the
game's levels: textures that are small have all in the `.tth`.
"""

import struct
from os import SEEK_END

from ...binary import Budget, Buffer, Cursor, FormatError, inflate
from ...reach import largest
from . import archive

MAGIC = b"TTH\0"
LARGEST = 1 << 28
"""Bytes of a VTF file, at most."""

_FOOTER = struct.Struct("<IIB")


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


# ------------------------------------------------------------------------------------------------------------ archives


class TroikaArchive(archive.Archive[dict[str, tuple[int, int]]]):
    """An archive, `pack000.vpk` and so on.

    Layout: Valve Developer Community, "VPK (file format)/Vampire: The Masquerade - Bloodlines": files, the list of them
    (u32 length of a name, the name, u32 offset, u32 length), and at the very end u32 count, u32 offset of the list, u8
    version. Those of version 1 only list what the others have.
    """

    def _read_list(self) -> dict[str, tuple[int, int]]:
        with self.reach.open(self.path) as file:
            size = file.seek(0, SEEK_END)
            if size < _FOOTER.size:
                raise FormatError(f"{size} bytes are no archive", "VPK footer", 0, str(self.path))
            file.seek(size - _FOOTER.size)
            count, start, version = _FOOTER.unpack(file.read(_FOOTER.size))
            if version > 1 or start > size - _FOOTER.size:
                message = f"version {version}, a list at {start} of {size} bytes"
                raise FormatError(message, "VPK footer", size - _FOOTER.size, str(self.path))
            file.seek(start)
            return entries(file.read(size - _FOOTER.size - start), count, start) if version == 0 else {}

    @property
    def files(self) -> dict[str, tuple[int, int]]:
        """Offset and length of each file, by its name: small letters, slashes. FormatError for a bad list; OSError."""
        return self._list

    def read(self, name: str) -> bytes | None:
        """A file's bytes, None where there is none."""
        if name not in self.files:
            return None
        start, length = self.files[name]
        if length > largest(name):
            raise FormatError(f"has {length} bytes: of more than {largest(name)} none are read", name)
        with self.reach.open(self.path) as file:
            file.seek(start)
            return file.read(length)


def entries(tree: Buffer, count: int, end: int) -> dict[str, tuple[int, int]]:
    """The files that a list of `count` has, which lie before byte `end`; FormatError where it doesn't hold them.

    Of equal names the first counts.
    """
    cursor = Cursor(tree, base=end)
    found: dict[str, tuple[int, int]] = {}
    for _ in range(count):
        name = bytes(cursor.take(cursor.u32("VPK list"), "VPK list")).decode("latin-1").lower().replace("\\", "/")
        start, length = cursor.u32("VPK list"), cursor.u32("VPK list")
        if start + length > end:
            raise cursor.error(f"{name[:64]!r} has {length} bytes at {start}, behind the files", "VPK list")
        found.setdefault(name, (start, length))
    return found
