# SPDX-License-Identifier: GPL-3.0-or-later
"""Damages textures, materials and archives in seeded ways and decodes everything that is left of them."""

import random
import struct
from collections.abc import Callable
from functools import partial

from formats.binary import FormatError
from formats.source.content import keyvalues, troika, vmt, vpk, vtf
from formats.source.content.texels import ImageFormat
from tests.formats import source_content_bytes as build
from tests.fuzz.driver import Fuzzer

HOSTILE = (-1, -2, 0, 1, 3, 255, 65535, 1 << 20, 1 << 24, 1 << 28, 1 << 30, (1 << 31) - 1, -(1 << 31), 0x7FC00000)
WORDS = (b"{", b"}", b'"', b"//", b"\\", b"[", b"]", b"\0", b"\xff", b"patch", b"include", b"nan", b"1e999", b"$color")
KEYS = b'"LightmappedGeneric"\n{\n\t$basetexture "a/b" // c\n"$color" "[1 .5 0]" [$X360]\n$envmap { a b }\n}\n'
PATCH = b'patch { include "materials/a.vmt" insert { $alpha .5 $basetexturetransform "center .5 .5 scale 1 2" } }'
VTF = tuple(
    build.vtf(bytes(range(256)) * 6, 4, 4, form, minor, 3, thumbnail=bytes(8), flags=flags)
    for form, minor, flags in ((0, 0, 0), (13, 2, 0), (15, 3, 0), (24, 4, 0x4000), (12, 5, 0x4000), (2, 1, 0))
)
AXC, IMAGES = build.compressed([bytes(range(64))])
NEWEST = build.vtf(IMAGES, 4, 4, ImageFormat.BGRA8888, 6, resources=((b"AXC", 0, AXC), (b"CRC", 2, b"1234")))
PACK = build.pack({"materials/a.vmt": b"x", "b": b"yzyz"})[5:-9]
TREE = build.vpk({"materials/a.vmt": (b"x", b"yz", 0x7FFF), "b": (b"", b"c" * 20, 1), "c/d.e": (b"", b"", 0)})[28:]


def pixels(data: bytes) -> None:
    texture = vtf.read(data)
    for mipmap in range(min(texture.mipmaps, 4)):
        for face in range(texture.faces):
            texture.pixels(mipmap, 0, face)


def joined(data: bytes) -> None:
    """The head of a texture; the rest of another one beside it."""
    vtf.read(troika.join(data, REST))


def listed(data: bytes) -> None:
    """The list of an archive of Bloodlines, with as many files as it had when it was whole."""
    troika.entries(data, 2, 5)


def material(data: bytes) -> None:
    found = vmt.read(data, lambda path: KEYS if path.endswith(".vmt") else None)
    found.number("$alpha"), found.flag("$alpha"), found.color("$color"), found.transform("$basetexturetransform")


HEAD, REST = build.troika(VTF[1], 100)
FILES: tuple[tuple[Callable[[bytes], object], bytes], ...] = (
    *((pixels, data) for data in (*VTF, NEWEST)),
    (joined, HEAD),
    (material, KEYS),
    (material, PATCH),
    (keyvalues.parse, KEYS),
    (vpk.entries, TREE),
    (listed, PACK),
    (partial(troika.join, HEAD), REST),
)


def mutation(seed: int) -> tuple[Callable[[bytes], object], bytes]:
    """The same damaged file for the same seed, everywhere; and what reads it."""
    rng = random.Random(seed)
    read, whole = FILES[seed % len(FILES)]
    data = bytearray(whole)
    for _ in range(rng.choice((1, 1, 2, 5))):
        at = rng.randrange(min(len(data), 120) if rng.random() < 0.7 else len(data)) if data else 0
        way = rng.randrange(5)
        if way == 0:
            del data[at:]
        elif way == 1:
            data[at : at + rng.choice((0, 1, 8))] = rng.choice(WORDS)
        elif way == 2:
            data[at : at + 4] = struct.pack("<I", rng.choice(HOSTILE) & 0xFFFFFFFF)
        elif way == 3:
            data[at:at] = data[at // 2 : at // 2 + rng.choice((4, 12, 100))]
        elif data:
            data[at] ^= 1 << rng.randrange(8)
    return read, bytes(data)


def decode(damaged: tuple[Callable[[bytes], object], bytes]) -> bool:
    """Read a file; False if it was refused. Only FormatErrors are caught."""
    read, data = damaged
    try:
        read(data)
    except FormatError:
        return False
    return True


FUZZER = Fuzzer(
    mutation=mutation,
    attempt=decode,
    whole=FILES,
)
