# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds texture libraries byte by byte, from struct alone: what the library is tested against.

Imports nothing of the library, on purpose. Facts: genesis.md §3.
"""

import struct
from collections.abc import Sequence

ENTRY = struct.Struct("<IIIiii")


def gebm(
    width: int, height: int, pixels: bytes, *, form: int = 1, palette: bytes | None = None, palette_form: int = 13,
    size: str = "log2", key: bytes = b"", alpha: bytes = b"", mips: Sequence[bytes] = (), end: int = 0x0F,
    extra_flags: int = 0,
) -> bytes:  # fmt: skip
    """A GeBm; `palette` as stored, of 4-byte entries."""
    flags = extra_flags | {"log2": 1, "bytes": 32, "words": 0}[size]
    flags |= 2 * bool(key) | 4 * bool(alpha) | 8 * (palette is not None)
    data = b"GeBm" + bytes((0x40, flags, form, len(mips) << 4))
    if size == "log2":
        data += bytes(((width.bit_length() - 1) << 4 | (height.bit_length() - 1),))
    else:
        data += struct.pack("<BB" if size == "bytes" else "<HH", width, height)
    data += key
    if palette is not None:
        count = len(palette) // 4
        data += bytes((palette_form | 0x20,)) if count == 256 else bytes((palette_form, count))
        data += palette
    for level, raw in enumerate((pixels, *mips)):
        data += bytes((level,)) + raw
    return data + bytes((end,)) + alpha


def bgrx(colors: Sequence[tuple[int, int, int]]) -> bytes:
    return b"".join(bytes((b, g, r, 0)) for r, g, b in colors)


def node(
    name: str, size: int, offset: int, *, attributes: int = 0, hint: bytes = b"", children: bytes = b"",
    times: tuple[int, int] = (0x11223344, 0x01BE5566),
) -> bytes:  # fmt: skip
    raw = name.encode("latin-1") + b"\0"
    return (
        struct.pack("<Ii", 0, len(raw)) + raw + ENTRY.pack(*times, attributes, size, offset, len(hint)) + hint
        + children + b"\xff\xff\xff\xff"
    )  # fmt: skip


def vf00(
    files: Sequence[tuple[str, bytes]], *, magic: bytes = b"VF00", mask: int = 0, padding: int = 0x7C,
    folder: Sequence[tuple[str, bytes]] = (), hint: bytes = b"",
) -> bytes:  # fmt: skip
    """A library; `files` oldest first, as their data lie; `folder`: files in a directory "sub"."""
    data, entries, inner = b"", b"", b""
    for name, raw in files:
        entries = node(name, len(raw), 24 + len(data), hint=hint) + entries
        data += bytes(byte ^ mask for byte in raw)
    for name, raw in folder:
        inner = node(name, len(raw), 24 + len(data)) + inner
        data += bytes(byte ^ mask for byte in raw)
    if folder:
        entries = node("sub", 0, 0, attributes=2, children=inner) + entries
    tree = node("", 0, 0, attributes=2, children=entries, times=(0, 0)) + b"\xff\xff\xff\xff"
    directory = b"DT01" + struct.pack("<i", len(tree) + 8) + tree
    at = 24 + len(data)
    header = magic + struct.pack("<HHiiii", 0, padding, 0, at, at, at + len(directory))
    return header + data + directory


def eegc(textures: Sequence[tuple[str, int, int, bytes, Sequence[bytes]]]) -> bytes:
    """The older library: name, width, height, 1024 bytes of palette, mip maps."""
    data = b"EEGC" + struct.pack("<iii", 1, 0, len(textures))
    for name, width, height, palette, mips in textures:
        raw = name.encode("latin-1") + b"\0"
        data += struct.pack("<i", len(raw)) + raw + b"EEAF" + struct.pack("<iiii", 1, width, height, len(mips))
        data += palette + b"".join(mips)
    return data


def bmp(width: int, height: int, bits: int, rows: bytes, palette: bytes = b"") -> bytes:
    """A Windows BMP; `rows` bottom first, padded to 4 bytes."""
    start = 54 + len(palette)
    info = struct.pack("<IiiHHIIiiII", 40, width, height, 1, bits, 0, len(rows), 0, 0, len(palette) // 4, 0)
    return b"BM" + struct.pack("<IHHI", start + len(rows), 0, 0, start) + info + palette + rows


def small_library() -> bytes:
    """Three textures and one in a directory."""
    colors = bgrx([(255, 0, 0), (0, 255, 0), (0, 0, 255), (10, 20, 30)])
    stripes = bytes((0, 1, 2, 3) * 4)
    alpha = gebm(4, 4, bytes(range(0, 256, 16)), form=2)
    return vf00(
        [
            ("stripes", gebm(4, 4, stripes, palette=colors)),
            ("glass", gebm(4, 4, stripes, palette=colors, alpha=alpha)),
            ("photo", bmp(2, 2, 24, bytes((1, 2, 3, 4, 5, 6, 0, 0, 7, 8, 9, 10, 11, 12, 0, 0)))),
        ],
        folder=[("inner", gebm(2, 2, bytes(4), palette=colors))],
        hint=b"h",
    )
