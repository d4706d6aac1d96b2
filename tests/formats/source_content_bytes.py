# SPDX-License-Identifier: GPL-3.0-or-later
"""Bytes of textures and archives, built by hand: nothing of formats is imported here."""

import struct
import zlib


def vtf(
    images: bytes,
    width: int = 4,
    height: int = 4,
    form: int = 12,
    minor: int = 2,
    mipmaps: int = 1,
    frames: int = 1,
    flags: int = 0,
    thumbnail: bytes = b"",
    depth: int = 1,
    resources: tuple[tuple[bytes, int, bytes], ...] = (),
    form_of_thumbnail: int = 13,
) -> bytes:
    """A texture. resources: letters, flags, data (of four bytes where the flags say that it is in the entry)."""
    head = b"VTF\0" + struct.pack("<II", 7, minor)
    small = (form_of_thumbnail, 4, 4) if thumbnail else (-1, 0, 0)
    colors = (0.1, 0.2, 0.3, 1.5)
    body = struct.pack("<HHIHH4x3f4xfIBiBB", width, height, flags, frames, 0, *colors, form, mipmaps, *small)
    if minor >= 2:
        body += struct.pack("<H", depth)
    if minor < 3:
        size = 64 if minor < 2 else 80
        return (head + struct.pack("<I", size) + body).ljust(size, b"\0") + thumbnail + images
    count = len(resources) + 1 + bool(thumbnail)
    size = 80 + 8 * count
    place = size
    entries = tail = b""
    for letters, kind, data in resources:
        if kind & 2:
            entries += letters + bytes([kind]) + data
        else:
            entries += letters + bytes([kind]) + struct.pack("<I", place)
            tail += struct.pack("<I", len(data)) + data
            place += 4 + len(data)
    if thumbnail:
        entries += b"\x01\0\0\0" + struct.pack("<I", place)
        tail += thumbnail
        place += len(thumbnail)
    entries += b"\x30\0\0\0" + struct.pack("<I", place)
    whole = (head + struct.pack("<I", size) + body).ljust(68, b"\0") + struct.pack("<I8x", count)
    return whole + entries + tail + images


def compressed(images: list[bytes], level: int = 6, method: int = 8) -> tuple[bytes, bytes]:
    """Images in the order of the file -> the AXC resource's data, and their deflated bytes."""
    packed = [zlib.compress(image) for image in images]
    return struct.pack("<HH", level, method) + struct.pack(f"<{len(packed)}I", *map(len, packed)), b"".join(packed)


def pack(files: dict[str, bytes], version: int = 0) -> bytes:
    """An archive of Bloodlines."""
    data = tree = b""
    for name, content in files.items():
        tree += struct.pack("<I", len(name)) + name.encode() + struct.pack("<II", len(data), len(content))
        data += content
    return data + tree + struct.pack("<IIB", len(files), len(data), version)


def troika(whole: bytes, here: int, mipmaps: int = 1) -> tuple[bytes, bytes]:
    """The .tth with the first bytes of a texture, and the .ttz with the others."""
    rest = zlib.compress(whole[here:])
    head = b"TTH\0" + struct.pack("<BBBBI", 1, 0, mipmaps, 1, here) + bytes(8 * mipmaps)
    return head + struct.pack("<II", len(whole), len(rest)) + whole[:here], rest


def vpk(files: dict[str, tuple[bytes, bytes, int]], version: int = 2) -> bytes:
    """A directory. files: "folder/name.ending" -> (preload, data, archive; 0x7FFF: behind the tree)."""
    tree = data = b""
    offsets: dict[int, int] = {}
    for name, (preload, rest, archive) in files.items():
        folder, _, last = name.rpartition("/")
        stem, _, ending = last.partition(".")
        tree += (ending or " ").encode() + b"\0" + (folder or " ").encode() + b"\0" + stem.encode() + b"\0"
        offset = offsets.get(archive, 0)
        tree += struct.pack("<IHHIIH", zlib.crc32(preload + rest), len(preload), archive, offset, len(rest), 0xFFFF)
        tree += preload + b"\0\0"
        offsets[archive] = offset + len(rest)
        if archive == 0x7FFF:
            data += rest
    tree += b"\0"
    head = struct.pack("<III", 0x55AA1234, version, len(tree))
    if version == 2:
        head += struct.pack("<IIII", len(data), 0, 48, 0)
    return head + tree + data
