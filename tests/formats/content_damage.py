# SPDX-License-Identifier: GPL-3.0-or-later
"""Damage to files that levels name, and what is asked of their readers then."""

import random
import struct
from collections.abc import Callable, Mapping

import numpy as np

from formats.binary import FormatError
from formats.source.content import mdl, vhv

HOSTILE = (-1, -2, 0, 1, 3, 255, 65535, 1 << 20, 1 << 24, 1 << 28, 1 << 30, (1 << 31) - 1, -(1 << 31), 0x7FC00000)
HEAD = 512
"""Bytes at the beginning of a file that are damaged most often: counts and offsets are there."""

Files = Mapping[str, bytes]
"""A file of content, and those beside it, by their endings."""
Seed = tuple[Callable[[Files], object], Files]
"""What reads it, and the files."""


def damaged(seed: int, seeds: tuple[Seed, ...]) -> Seed:
    """The same damage to the same files for the same seed, everywhere: of one of the files."""
    rng = random.Random(seed)
    read, whole = seeds[seed % len(seeds)]
    ending = rng.choice(sorted(whole))
    data = bytearray(whole[ending])
    for _ in range(rng.choice((1, 1, 2, 5))):
        if not data:
            break
        at = rng.randrange(min(len(data), HEAD) if rng.random() < 0.6 else len(data))
        way = rng.randrange(6)
        if way == 0 and rng.random() < 0.3:
            del data[at:]
        elif way <= 2:
            at &= ~3
            data[at : at + 4] = struct.pack("<I", rng.choice(HOSTILE) & 0xFFFFFFFF)
        elif way == 3:
            data[at : at + 2] = struct.pack("<H", rng.choice(HOSTILE) & 0xFFFF)
        elif way == 4:
            del data[at : at + rng.choice((1, 4, 16))]
        else:
            data[at] ^= 1 << rng.randrange(8)
    return read, {**whole, ending: bytes(data)}


def attempt(one: Seed) -> bool:
    """Read a file; False if it was refused. Only FormatErrors are caught."""
    read, files = one
    try:
        read(files)
    except FormatError:
        return False
    return True


def source_model(files: Files) -> None:
    """A model in two levels of detail, and all that an import asks of it."""
    for level in (0, 2):
        found = mdl.load("a.mdl", lambda name: files.get(name[1:]), level)
        if found is None:
            raise FormatError("has not all of its files")
        found.positions[found.triangles], found.normals[found.triangles], found.uvs[found.triangles]
        if len(found.skins):
            found.skins[0][found.triangle_column]
        [found.paths(number) for number in range(len(found.materials))]
        if ".vhv" in files:
            groups = mdl.load_groups("a.mdl", lambda name: files.get(name[1:]), level)
            order = vhv.VertexOrder.of(groups, found.checksum, len(found.positions))
            vhv.light_of(vhv.read(files[".vhv"]), order.take(np.unique(found.triangles)))
