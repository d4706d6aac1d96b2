# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes a tiny Ogg/Opus file without an encoder.

Opus decodes any bytes of a CELT frame into some sound, so a seeded choice of bytes is a valid recording of noise; the
loudness follows from the first bytes (the coarse energy), which are chosen by hand. Containers: RFC 3533 (Ogg) and
RFC 7845 (Opus in Ogg).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

FULLBAND_20_MS = 0xF8
"""TOC byte: CELT, full band, 20 ms, mono, one frame a packet (RFC 6716 §3.1)."""
SAMPLES_A_FRAME = 960
SILENCE = bytes([FULLBAND_20_MS, 0xFF, 0xFE])


def ogg_opus(packets: Sequence[bytes], serial: int = 1) -> bytes:
    """The file that holds `packets` of 20 ms each, mono."""
    head = b"OpusHead" + struct.pack("<BBHIhB", 1, 1, 0, 48000, 0, 0)
    maker = b"levelwright"
    tags = b"OpusTags" + struct.pack("<I", len(maker)) + maker + struct.pack("<I", 0)
    pages = [_page([head], 0, serial, 0, 2), _page([tags], 0, serial, 1, 0)]
    for start in range(0, len(packets), 50):
        part = packets[start : start + 50]
        last = start + 50 >= len(packets)
        granule = (start + len(part)) * SAMPLES_A_FRAME
        pages.append(_page(part, granule, serial, len(pages), 4 if last else 0))
    return b"".join(pages)


def _page(packets: Sequence[bytes], granule: int, serial: int, number: int, flags: int) -> bytes:
    """One Ogg page of whole packets, each shorter than 255 bytes."""
    lacing = bytes(map(len, packets))
    body = struct.pack("<4sBBqIIIB", b"OggS", 0, flags, granule, serial, number, 0, len(lacing)) + lacing
    body += b"".join(packets)
    return body[:22] + struct.pack("<I", _checksum(body)) + body[26:]


def _checksum(data: bytes) -> int:
    """Ogg's CRC-32: polynomial 0x04C11DB7, most significant bit first, start 0."""
    value = 0
    for byte in data:
        value ^= byte << 24
        for _ in range(8):
            value = (value << 1 ^ (0x04C11DB7 if value & 0x80000000 else 0)) & 0xFFFFFFFF
    return value
