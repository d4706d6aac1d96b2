# SPDX-License-Identifier: GPL-3.0-or-later
"""Damages models, materials and editor setups in seeded ways and decodes everything that is left of them."""

import random
import struct

from formats.binary import FormatError
from formats.ns2 import editor_setup, material, model
from tests.formats import ns2_content_bytes as build
from tests.fuzz.driver import Fuzzer

HOSTILE = (-1, -2, 0, 1, 3, 255, 65535, 1 << 20, 1 << 24, 1 << 28, 1 << 30, (1 << 31) - 1, -(1 << 31), 0x7FC00000)
WORDS = (b"<", b">", b'"', b"=", b"[", b"&lt;", b"&x;", b"<!DOCTYPE a [", b"\0", b"\xff", b"<class>", b"nan", b"1e999")

FILES = (
    *((model.read, build.model(version)) for version in (3, 5, 7)),
    (material.read, build.MATERIAL),
    (material.read, build.XML_MATERIAL),
    (editor_setup.read, build.SETUP),
)


def mutation(seed: int):
    """The same damaged file for the same seed, everywhere; and what reads it."""
    rng = random.Random(seed)
    read, whole = FILES[seed % len(FILES)]
    data = bytearray(whole)
    for _ in range(rng.choice((1, 1, 2, 5))):
        at = rng.randrange(max(len(data), 1))
        way = rng.randrange(5)
        if way == 0:
            del data[at:]
        elif way == 1:
            data[at : at + rng.choice((0, 1, 8))] = rng.choice(WORDS)
        elif way == 2:
            data[at : at + 4] = struct.pack("<I", rng.choice(HOSTILE) & 0xFFFFFFFF)
        elif way == 3:
            start = rng.randrange(max(len(data), 1))
            data[at:at] = data[start : start + rng.choice((4, 12, 100))]
        elif data:
            data[min(at, len(data) - 1)] ^= 1 << rng.randrange(8)
    return read, bytes(data)


def decode(damaged) -> bool:
    """Read a file and all that is worked out from it; False if it was refused. Only FormatErrors are caught."""
    read, data = damaged
    try:
        found = read(data)
    except FormatError:
        return False
    if isinstance(found, model.Model):
        found.triangle_materials()
        found.uv()
        found.vertices[found.triangles.ravel()]
    elif isinstance(found, material.Material):
        [found.texture(key) for key in found.values]
        str(found.shader) + str(found.specular_in_albedo)
    else:
        for name in found.classes:
            [parameter.value for parameter in found.parameters(name).values()]
            found.hints(name)
    return True


FUZZER = Fuzzer(
    mutation=mutation,
    attempt=decode,
    whole=FILES,
    accepted=(1 / 5, 0.9),
    thorough=range(300, 800),
)
