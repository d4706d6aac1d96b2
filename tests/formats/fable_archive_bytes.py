# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds archives (`.big`), textures and compiled definitions of Fable byte by byte: struct, and nothing of ours."""

import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

MAGIC = 0xA8E36C34
ENCODINGS = {"DXT1": (0x1F, 8), "DXT3": (0x20, 16), "DXT5": (0x23, 16)}


# -------------------------------------------------------------------------------------------------------------- LZO1X


def literals(data: bytes, first: bool) -> bytes:
    """A run of four bytes or more."""
    if first and len(data) <= 238:
        return bytes([len(data) + 17]) + data
    count = len(data) - 3
    if count < 16:
        return bytes([count]) + data
    count -= 15
    return bytes([0, *[0] * ((count - 1) // 255), (count - 1) % 255 + 1]) + data


def long_length(count: int, most: int) -> tuple[int, bytes]:
    """The bits of a length, and the bytes that follow where it doesn't fit into these."""
    if count <= most:
        return count, b""
    count -= most
    return 0, bytes([*[0] * ((count - 1) // 255), (count - 1) % 255 + 1])


def copy(distance: int, count: int, following: int) -> bytes:
    """Copy what was made, and then up to three literals, which the caller adds."""
    if count <= 8 and distance <= 2048 and count > 2:
        return bytes([(count - 1) << 5 | (distance - 1 & 7) << 2 | following, distance - 1 >> 3])
    if distance <= 16384:
        bits, more = long_length(count - 2, 31)
        return bytes([0x20 | bits]) + more + struct.pack("<H", (distance - 1) << 2 | following)
    bits, more = long_length(count - 2, 7)
    far = distance - 16384
    return bytes([0x10 | far >> 14 << 3 | bits]) + more + struct.pack("<H", (far & 0x3FFF) << 2 | following)


def lzo(data: bytes) -> bytes:
    """Pack bytes as LZO1X: the longest of the last places that begin with the same three bytes."""
    made, start, place = bytearray(), 0, 0
    last: dict[bytes, int] = {}
    pending: tuple[int, int] | None = None

    def flush(end: int) -> None:
        """Write the copy that waits for how many literals follow it, and these."""
        nonlocal pending
        run = data[start:end]
        if pending is not None:
            made.extend(copy(*pending, len(run) if len(run) < 4 else 0))
        if len(run) >= 4 or (pending is None and run):
            made.extend(literals(run, pending is None))
        else:
            made.extend(run)
        pending = None

    while place < len(data):
        key = data[place : place + 3]
        found = last.get(key)
        last[key] = place
        if found is None or len(key) < 3 or place - found > 49151 or (pending is None and place < 4):
            place += 1
            continue
        count = 3
        while place + count < len(data) and data[found + count] == data[place + count]:
            count += 1
        flush(place)
        pending = (place - found, count)
        place += count
        start = place
    flush(len(data))
    return bytes(made) + b"\x11\0\0"


# ------------------------------------------------------------------------------------------------------------ archives


def packed_level(level: bytes, chunks: int = 1) -> bytes:
    """The largest level of a texture, in chunks, its last three bytes plain."""
    body, step = level[:-3], -(-(len(level) - 3) // chunks)
    made = b""
    for start in range(0, len(body), step):
        piece = lzo(body[start : start + step])
        made += (
            struct.pack("<H", len(piece)) if len(piece) < 0xFFFF else struct.pack("<HI", 0xFFFF, len(piece))
        ) + piece
    return made + level[-3:]


@dataclass
class Texture:
    name: str
    width: int
    height: int
    level: bytes
    encoding: int = 0x1F
    packed: bool = True
    chunks: int = 1
    rest: bytes = b""
    number: int = 0
    frames: int = 1
    depth: int = 0
    level_size: int | None = None

    def stored(self) -> bytes:
        return (packed_level(self.level, self.chunks) if self.packed else self.level) + self.rest

    def info(self) -> bytes:
        size = len(self.level) if self.level_size is None else self.level_size
        packed = len(self.stored()) - len(self.rest) if self.packed else 0
        edges = (self.width, self.height, self.depth, self.width, self.height, self.frames)
        return struct.pack("<6HI4B2I6B", *edges, self.encoding, 0, 1, 0, 0, size, packed, 3, 4, 0, 0, 0, 0)


def texture(name: str, width: int, height: int, blocks: bytes, kind: str = "DXT1", **more: object) -> Texture:
    return Texture(name, width, height, blocks, ENCODINGS[kind][0], **more)  # type: ignore[arg-type]


def text(value: str) -> bytes:
    data = value.encode("latin-1") + b"\0"
    return struct.pack("<I", len(data)) + data


def archive(banks: Mapping[str, Sequence[Texture]], magic: bytes = b"BIGB", align: int = 64) -> bytes:
    """An archive of textures: bytes first, then the lists, then the list of banks."""
    made = bytearray(16)
    lists = {}
    for bank, textures in banks.items():
        rows = b""
        for one in textures:
            made += bytes(-len(made) % align)
            data = one.stored()
            rows += struct.pack("<IIiIII", 42, one.number, 0, len(data), len(made), 0x1234)
            rows += text(one.name) + struct.pack("<II", 7, 1) + text(rf"\Dev\{one.name}.tga")
            rows += struct.pack("<I", 34) + one.info()
            made += data
        lists[bank] = struct.pack("<III", 1, 0, len(textures)) + rows
    footer = struct.pack("<I", len(banks))
    for bank, listed in lists.items():
        footer += bank.encode() + b"\0" + struct.pack("<5I", 122, len(banks[bank]), len(made), len(listed), align)
        made += listed
    struct.pack_into("<4s3I", made, 0, magic, 100, len(made), len(footer))
    return bytes(made + footer)


# --------------------------------------------------------------------------------------------------------- definitions


def name_hash(name: str) -> int:
    """CRC-32, reflected, that begins with 0 and isn't inverted at the end: bit by bit."""
    value = 0
    for byte in name.encode():
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0xEDB88320 if value & 1 else 0)
    return value


def theme(base: int = 0, cliff: int = 0, water: tuple[int, float] = (0, 0.0)) -> bytes:
    """A definition of a ground theme: fields by the hashes of their names."""
    fields = (("BaseTexture", "i", base), ("CliffBaseTexture", "i", cliff), ("Friction", "f", 1.0))
    fields += (("WaterHeight", "f", water[1]), ("WaterType", "i", water[0]))
    return b"\1\0\1\0\0" + b"".join(struct.pack(f"<I{form}", name_hash(name), value) for name, form, value in fields)


def definitions(entries: Sequence[tuple[str, str, bytes]], chunk: int = 2) -> tuple[bytes, bytes]:
    """`game.bin` and `names.bin` of entries: class, name ("" for none), bytes. chunk: entries in each."""
    names, places = bytearray(), {}
    for one in dict.fromkeys(name for entry in entries for name in entry[:2] if name):
        places[one] = len(names) + 4
        names += struct.pack("<I", name_hash(one)) + one.encode() + b"\0"
    rows = b"".join(struct.pack("<3i", places[kind], places.get(name, -1), 0) for kind, name, _ in entries)
    table, packed = b"", b""
    for first in range(0, len(entries), chunk):
        parts = [data for _, _, data in entries[first : first + chunk]]
        place, offsets = 2 * len(parts), b""
        for part in parts:
            offsets += struct.pack("<H", place)
            place += len(part)
        table += struct.pack("<2i", first, len(packed))
        packed += zlib.compress(offsets + b"".join(parts), 1)
    table += struct.pack("<2i", len(entries), len(packed)) + struct.pack("<I", len(packed))
    game = (
        struct.pack("<BIII", 0, 0x21, MAGIC, len(entries)) + rows + struct.pack("<I", len(table) // 8) + table + packed
    )
    head = struct.pack("<5I", 0x7AB1E, MAGIC, len(places), len(names) + 4, 0)
    return game, head + bytes(names)
