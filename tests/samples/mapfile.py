# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the bytes of a Teeworlds map from plain words and blobs; the samples and the generated maps are made with it.

It shares no code with `formats`, so that the library can be tested against it. Facts: teeworlds.md §2-3.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections import defaultdict

VERSION, INFO, IMAGE, ENVELOPE, GROUP, LAYER, POINTS, SOUND = range(8)
UUID_INDEX = 0xFFFF
DDNET = bytes.fromhex("e05ddaaac4e64cfbb6425d48e80c0029")
"""Namespace of DDNet's item type names."""


class MapFile:
    """Collects items and blobs; `bytes(map_file)` is the datafile (version 4) that holds them."""

    def __init__(self) -> None:
        self.items: dict[int, list[tuple[int, tuple[int, ...]]]] = defaultdict(list)
        self.blobs: list[bytes] = []
        self.extended: dict[str, int] = {}

    def blob(self, data: bytes) -> int:
        """Add a blob and return its index."""
        self.blobs.append(data)
        return len(self.blobs) - 1

    def text(self, text: str) -> int:
        """Add a NUL-terminated string; "" is -1, no blob."""
        return self.blob(text.encode() + b"\0") if text else -1

    def item(self, kind: int, *words: int) -> int:
        """Add an item with the next free id of its type and return that id."""
        self.items[kind].append((len(self.items[kind]), words))
        return len(self.items[kind]) - 1

    def extended_type(self, name: str) -> int:
        """The type number that this file gives to DDNet's item type `name` (a UUID): 0xFFFE, 0xFFFD, ..."""
        if name not in self.extended:
            kind = self.extended[name] = 0xFFFE - len(self.extended)
            digest = bytearray(hashlib.md5(DDNET + name.encode(), usedforsecurity=False).digest())
            digest[6], digest[8] = digest[6] & 0x0F | 0x30, digest[8] & 0x3F | 0x80  # RFC 9562: version 3, variant
            self.items[UUID_INDEX].append((kind, struct.unpack(">4i", digest)))
        return self.extended[name]

    def __bytes__(self) -> bytes:
        types, offsets, items, count = b"", b"", b"", 0
        for kind, of_kind in sorted(self.items.items()):
            types += struct.pack("<3i", kind, count, len(of_kind))
            count += len(of_kind)
            for number, words in of_kind:
                offsets += struct.pack("<i", len(items))
                items += struct.pack(f"<Ii{len(words)}i", kind << 16 | number, 4 * len(words), *words)
        stored = [zlib.compress(blob, 6) for blob in self.blobs]
        starts = [sum(map(len, stored[:index])) for index in range(len(stored))]
        tables = types + offsets + struct.pack(f"<{2 * len(stored)}i", *starts, *map(len, self.blobs))
        data = b"".join(stored)
        size = 36 + len(tables) + len(items) + len(data)
        header = struct.pack(
            "<4s8i",
            b"DATA",
            4,
            size - 16,
            size - 16 - len(data),
            len(self.items),
            count,
            len(stored),
            len(items),
            len(data),
        )
        return header + tables + items + data


def name_words(text: str, count: int = 3) -> tuple[int, ...]:
    """A name packed into `count` words: bytes + 128, big-endian, the last byte 0 (teeworlds.md §3, I32String)."""
    padded = text.encode().ljust(4 * count, b"\0")
    packed = bytes((byte + 128) & 255 for byte in padded[: 4 * count - 1]) + b"\0"
    return struct.unpack(f">{count}i", packed)
