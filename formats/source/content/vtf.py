# SPDX-License-Identifier: GPL-3.0-or-later
"""VTF textures, versions 7.0 to 7.6: header, resources, and the images of each mipmap, frame, face and slice.

Layout: `vtf.h` of the Source SDK; compressed images (7.6): Strata Source's wiki, "VTF v7.6 Format"; which versions have
a seventh face: measured by the size that the images take (source.md §2.11 counts what levels hold).
"""

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntFlag

import numpy as np

from ...binary import DEFLATE_RATIO, Buffer, Cursor, FormatError
from . import texels
from .texels import ImageFormat, Pixels

MAGIC = b"VTF\0"
_LOW_RES, _IMAGE, _COMPRESSION = b"\x01\0\0", b"\x30\0\0", b"AXC"
_ZSTD = 93
_ATI = {34: ImageFormat.ATI2N, 35: ImageFormat.ATI1N}  # their numbers since Alien Swarm; no file has depth formats
_IN_ENTRY = 0x02  # of a resource's flags: its four bytes are its data, not an offset
_MOST_RESOURCES = 32
_LARGEST = 1 << 15
_HEADER = struct.Struct("<4sIIIHHIHH4x3f4xfiBiBB")


class TextureFlags(IntFlag):
    """What a texture says about itself: those that matter for showing it (`vtf.h`)."""

    POINTSAMPLE = 0x1
    TRILINEAR = 0x2
    CLAMPS = 0x4
    CLAMPT = 0x8
    ANISOTROPIC = 0x10
    SRGB = 0x40
    NORMAL = 0x80
    NOMIP = 0x100
    NOLOD = 0x200
    ONEBITALPHA = 0x1000
    EIGHTBITALPHA = 0x2000
    ENVMAP = 0x4000
    SSBUMP = 0x8000000


@dataclass
class Texture:
    """A texture."""

    version: tuple[int, int]
    width: int
    """Of the largest mipmap; so are height and depth."""
    height: int
    depth: int
    flags: TextureFlags
    frames: int
    first_frame: int
    faces: int
    """1, or of a cubemap 6 (right, left, back, front, up, down) or 7 (and a sphere map)."""
    reflectivity: tuple[float, float, float]
    bump_scale: float
    format: ImageFormat
    mipmaps: int
    """How many; 0 is the largest."""
    images: Buffer
    """Their bytes, smallest mipmap first."""
    compressed_sizes: Sequence[int] = ()
    """Of images that are deflated (7.6), in the order of the file."""
    resources: dict[bytes, bytes] = field(default_factory=dict)
    """Other resources, by their three letters: the bytes of each (a CRC, or KVD text), its length before them cut."""

    def mipmap_size(self, mipmap: int) -> tuple[int, int, int]:
        """Width, height and depth of a mipmap, in pixels."""
        return tuple(max(1, n >> mipmap) for n in (self.width, self.height, self.depth))  # type: ignore[return-value]

    def image(self, mipmap: int = 0, frame: int = 0, face: int = 0, layer: int = 0) -> Buffer:
        """The bytes of one image as the format stores it; IndexError where there is none, FormatError for bad bytes."""
        for value, count in ((mipmap, self.mipmaps), (frame, self.frames), (face, self.faces)):
            if not 0 <= value < count:
                raise IndexError(f"{value} of {count}")
        width, height, depth = self.mipmap_size(mipmap)
        if not 0 <= layer < depth:
            raise IndexError(f"layer {layer} of {depth}")
        size = texels.size(self.format, width, height)
        place = ((self.mipmaps - 1 - mipmap) * self.frames + frame) * self.faces + face
        if self.compressed_sizes:
            data = self._inflated(place, size * depth)
            return memoryview(data)[layer * size : (layer + 1) * size]
        start = self._smaller(mipmap) + ((frame * self.faces + face) * depth + layer) * size
        if start + size > len(self.images):
            raise FormatError(f"ends in mipmap {mipmap}, at {len(self.images)} of {start + size} bytes", "VTF images")
        return memoryview(self.images)[start : start + size]

    def pixels(self, mipmap: int = 0, frame: int = 0, face: int = 0, layer: int = 0) -> Pixels:
        """One image as [height, width, 4]: see `texels.decode`."""
        width, height, _ = self.mipmap_size(mipmap)
        return texels.decode(self.format, self.image(mipmap, frame, face, layer), width, height)

    def _smaller(self, mipmap: int) -> int:
        """Bytes of all mipmaps below this one."""
        return sum(_mipmap_bytes(self, smaller) for smaller in range(mipmap + 1, self.mipmaps))

    def _inflated(self, place: int, size: int) -> bytes:
        if place >= len(self.compressed_sizes):
            raise FormatError(f"tells the size of {len(self.compressed_sizes)} images only", "VTF resource AXC")
        start = sum(self.compressed_sizes[:place])
        data = memoryview(self.images)[start : start + self.compressed_sizes[place]]
        if size > len(data) * DEFLATE_RATIO:
            raise FormatError(f"{len(data)} compressed bytes cannot hold {size}", "VTF image")
        try:
            plain = zlib.decompressobj().decompress(data, size)
        except zlib.error as error:
            raise FormatError(f"cannot be decompressed: {error}", "VTF image") from None
        if len(plain) != size:
            raise FormatError(f"decompresses to {len(plain)} bytes, not {size}", "VTF image")
        return plain


def _mipmap_bytes(texture: Texture, mipmap: int) -> int:
    width, height, depth = texture.mipmap_size(mipmap)
    return texels.size(texture.format, width, height) * depth * texture.frames * texture.faces


def read(data: Buffer) -> Texture:
    """Read a texture; its images are not decoded yet, and what is cut off at their end is only found when asked for.

    A format that nobody knows, counts that don't fit and other magics (VTFX of consoles) are FormatErrors.
    """
    cursor = Cursor(data)
    cursor.need(_HEADER.size, "VTF header")
    (
        magic,
        major,
        minor,
        header_size,
        width,
        height,
        flags,
        frames,
        first_frame,
        *reflectivity,
        bump_scale,
        form,
        mipmaps,
        low_format,
        low_width,
        low_height,
    ) = _HEADER.unpack_from(cursor.take(_HEADER.size, "VTF header"))
    if magic != MAGIC:
        raise FormatError(f"starts with {magic!r}, not {MAGIC!r}", "VTF header", 0)
    if major != 7 or minor > 6:
        raise FormatError(f"version {major}.{minor}; known are 7.0 to 7.6", "VTF header", 4)
    form = _ATI.get(form, form)
    if form not in ImageFormat.__members__.values() or form == ImageFormat.NONE:
        raise FormatError(f"image format {form} is unknown", "VTF header", 52)
    if not (0 < width <= _LARGEST and 0 < height <= _LARGEST and frames > 0 and mipmaps > 0):
        raise FormatError(f"{width} x {height} pixels, {frames} frames, {mipmaps} mipmaps", "VTF header", 16)
    depth = max(1, cursor.u16("VTF depth")) if minor >= 2 else 1
    texture = Texture(
        (major, minor),
        width,
        height,
        depth,
        TextureFlags(flags),
        frames,
        first_frame,
        1,
        (reflectivity[0], reflectivity[1], reflectivity[2]),
        bump_scale,
        ImageFormat(form),
        mipmaps,
        b"",
    )
    if minor >= 3:
        start = _read_resources(data, cursor, texture)
    else:
        low = ImageFormat.DXT1 if low_format != ImageFormat.NONE else None
        start = header_size + (texels.size(low, low_width, low_height) if low is not None else 0)
    if start > cursor.end:
        raise FormatError(f"its images start at {start}, it has {cursor.end} bytes", "VTF header")
    texture.images = memoryview(data).toreadonly().cast("B")[start:]
    if flags & TextureFlags.ENVMAP:
        texture.faces = _faces(texture)
    return texture


def _read_resources(data: Buffer, cursor: Cursor, texture: Texture) -> int:
    """Return where the images start."""
    cursor.skip(3, "VTF header")
    count = cursor.u32("VTF resources")
    cursor.skip(8, "VTF header")
    if count > _MOST_RESOURCES:
        raise cursor.error(f"{count} resources", "VTF header")
    start = None
    for _ in range(count):
        entry = bytes(cursor.take(4, "VTF resource"))
        tag, flags = entry[:3], entry[3]
        if flags & _IN_ENTRY:
            texture.resources[tag] = bytes(cursor.take(4, "VTF resource"))
            continue
        offset = cursor.u32("VTF resource")
        if tag == _IMAGE:
            start = offset
        elif tag != _LOW_RES:
            if offset > cursor.end:
                raise cursor.error(f"starts at {offset}, behind the end", f"VTF resource {tag!r}")
            part = Cursor(data, offset)
            length = part.u32(f"length of VTF resource {tag!r}")
            texture.resources[tag] = bytes(part.take(length, f"VTF resource {tag!r}"))
    if start is None:
        raise FormatError("has no images", "VTF resources")
    if _COMPRESSION in texture.resources:
        _read_compression(texture)
    return start


def _read_compression(texture: Texture) -> None:
    words = np.frombuffer(texture.resources[_COMPRESSION], "<u4", len(texture.resources[_COMPRESSION]) // 4)
    if not len(words) or words[0] & 0xFFFF == 0:
        return
    method = int(words[0]) >> 16
    if method not in (0, 8, 0xFFFF):
        name = " (zstd), which Python can't undo: save it with deflate" if method == _ZSTD else "; deflate (8) is known"
        raise FormatError(f"images are compressed by method {method}{name}", "VTF resource AXC")
    texture.compressed_sizes = words[1:].tolist()


def _faces(texture: Texture) -> int:
    """Seven faces were written by 7.1 to 7.4, but not always: their size tells."""
    texture.faces = 7
    if not 1 <= texture.version[1] <= 4 or texture._smaller(-1) > len(texture.images):
        return 6
    return 7
