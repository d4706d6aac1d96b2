# SPDX-License-Identifier: GPL-3.0-or-later
"""Damages a small compiled level in seeded ways, and decodes, decompiles and edits what is left of it."""

import random
import struct
from collections.abc import Callable, Iterator

import numpy as np

from formats.binary import FormatError
from formats.genesis import CompiledLevel, check, contents, identify, read, section_at, summary, write
from formats.genesis.compiled import ChunkId, decompile, edits, geometry, lighting, pictures, surfaces
from tests.formats import genesis_compiled_bytes as build
from tests.formats.genesis_fuzz import HOSTILE, flip_bits, truncate
from tests.formats.leaves import decoded
from tests.fuzz.driver import Fuzzer

LEVELS = (build.room(), build.room(light=False), build.room(extra=build.chunk(77, b"abc", size=3), trailing=b"junk"))
PARTS = build.parts()
RECORDS = (build.MODELS, build.NODES, build.LEAFS, build.PLANES, build.FACES, build.TEXINFOS, build.TEXTURES)
FLOATS = (0.0, -0.0, 1e-30, 1e30, float("nan"), float("inf"), -1.0, 20000.0)


def set_word(data: bytearray, rng: random.Random) -> None:
    """Put a hostile number where one stands."""
    at = rng.randrange(max(len(data) - 4, 4) // 4) * 4
    number = rng.choice(HOSTILE) if rng.random() < 0.5 else rng.randrange(-20, 40)
    data[at : at + 4] = struct.pack("<i", number) if rng.random() < 0.7 else struct.pack("<f", rng.choice(FLOATS))


def set_record(data: bytearray, rng: random.Random) -> None:
    """Change a number of a small chunk: the tree, the models, the faces."""
    raw = PARTS[rng.choice(RECORDS)]
    begin = data.find(raw[:64])
    if begin >= 0:
        at = begin + rng.randrange(len(raw) // 4) * 4
        number = rng.choice((-1, -2, 0, 1, 3, 9, 15, 40, 1 << 24))
        data[at : at + 4] = struct.pack("<i", number) if rng.random() < 0.7 else struct.pack("<f", rng.choice(FLOATS))


WAYS: tuple[Callable[[bytearray, random.Random], None], ...] = (
    flip_bits, truncate, set_word, set_word, set_record, set_record, set_record, set_record,
)  # fmt: skip


def mutation(seed: int) -> bytes:
    """The same damaged level for the same seed, everywhere."""
    rng = random.Random(seed)
    data = bytearray(rng.choice(LEVELS))
    for _ in range(rng.choice((1, 1, 2, 4))):
        if len(data) > 40:
            rng.choice(WAYS)(data, rng)
    return bytes(data)


def readers(level: CompiledLevel) -> Iterator[Callable[[], object]]:
    """Everything that can be asked of a level."""
    yield lambda: (summary(level), decoded(contents, level))
    yield lambda: [section_at(level, offset) for offset in (0, 12, 40, 300, 3000, 1 << 30)]
    yield lambda: [str(problem) for problem in check(level)]
    yield lambda: [pictures.read(level, number, True) for number in range(len(pictures.names(level)))]
    yield lambda: drawn_of(level)
    yield lambda: write(decompile.to_map(level)[0])


def drawn_of(level: CompiledLevel) -> None:
    drawn = surfaces.of_level(level)
    shape = geometry.of_compiled(level, drawn)
    with np.errstate(all="ignore"):
        found = lighting.blocks(level, drawn)
        lighting.grid_sizes(shape.faces, drawn)
    data = level.table(ChunkId.LIGHT_DATA)
    data[found.bytes_of(np.flatnonzero(found.lit), 0)]
    chosen = np.arange(min(2, len(drawn.numbers)))
    faces = geometry.records(level, drawn)[chosen]
    faces["u_vec"], faces["v_vec"] = faces["v_vec"].copy(), faces["u_vec"].copy()
    edited = read(write(level))
    edits.put_faces(edited, drawn, chosen, faces, np.zeros(len(chosen), np.int64))
    write(edited)


def decode_all(data: bytes) -> bool:
    """Read a level and everything in it; False if it was refused. Only FormatErrors are caught."""
    if not identify(data):
        return False
    try:
        level = read(data)
    except FormatError:
        return False
    if not isinstance(level, CompiledLevel):
        return False
    for ask in readers(level):
        try:
            ask()
        except FormatError:
            continue
    if write(level) != data:
        raise AssertionError("it is written back with other bytes")
    return True


FUZZER = Fuzzer(
    mutation=mutation,
    attempt=decode_all,
    whole=LEVELS,
    accepted=(1 / 4, 0.95),
)
