# SPDX-License-Identifier: GPL-3.0-or-later
"""Headers of textures."""

import struct

import pytest

from formats.binary import FormatError
from formats.ns2 import dds


def header(width: int, height: int, kind: bytes = b"", bits: int = 0, flags: int | None = None) -> bytes:
    head = struct.pack("<4s7I44x", b"DDS ", 124, 0, height, width, 0, 0, 1)
    flags = (4 if kind else 0x41) if flags is None else flags
    return head + struct.pack("<2I4sI16x", 32, flags, kind, bits) + bytes(20)


@pytest.mark.parametrize(
    ("head", "size", "alpha"),
    [
        (header(8, 4, b"DXT1"), 16, False),
        (header(5, 5, b"DXT3"), 64, True),
        (header(1, 1, b"DXT5"), 16, True),
        (header(3, 2, bits=32), 24, True),
        (header(3, 2, bits=24, flags=0x40), 18, False),
    ],
)
def test_sizes_and_alpha(head: bytes, size: int, alpha: bool) -> None:
    found = dds.describe(head, 128 + size)
    assert (found.width, found.height) == struct.unpack("<II", head[16:20] + head[12:16])
    assert found.alpha == alpha
    with pytest.raises(FormatError, match=f"need {128 + size}"):
        dds.describe(head, 127 + size)


@pytest.mark.parametrize(
    ("head", "why"),
    [
        (b"", "texture"),
        (header(8, 8, b"DXT1")[:100], "texture"),
        (b"PNG " + bytes(124), "does not begin"),
        (header(0, 8, b"DXT1"), "0 x 8"),
        (header(8, 1 << 20, b"DXT1"), "8 x 1048576"),
        (header(8, 8, b"DX10"), "DX10"),
        (header(8, 8, bits=7), "7 bits"),
    ],
)
def test_what_is_no_texture_is_refused(head: bytes, why: str) -> None:
    with pytest.raises(FormatError, match=why):
        dds.describe(head, 1 << 30)
