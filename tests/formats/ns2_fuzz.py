# SPDX-License-Identifier: GPL-3.0-or-later
"""Damages small levels and clipboards in seeded ways and decodes everything that is left of them."""

import random
import struct
from collections.abc import Callable, Iterator

from formats.binary import FormatError
from formats.ns2 import Level, as_v10, check, clipboard, contents, cubemap, identify, read, section_at, summary, write
from tests.formats import ns2_bytes as build
from tests.formats.leaves import decoded
from tests.fuzz.driver import Fuzzer

HOSTILE = (-1, -2, 0, 1, 3, 8, 255, 65535, 1 << 20, 1 << 24, 1 << 28, 1 << 30, (1 << 31) - 1, -(1 << 31), 0x7FC00000)

PROPS = [build.entity(10, "prop_static", build.PROP, layers=build.mask(3)), build.entity(10, "mover", build.MOVER)]
COPIED = build.clipboard(build.mesh(10, build.HOLED, clipboard=True), PROPS)
LEVELS = (
    *(
        build.level(
            version,
            mesh=build.mesh(version, build.HOLED),
            objects=[build.entity(version, "prop_static", build.PROP), build.entity(version, "mover", build.MOVER)],
            layers=build.listed(version, [("Vents", 3)]),
            groups=build.listed(version, [("Group", 1)], groups=True),
            editor=build.settings() if version >= 9 else None,
        )
        for version in (4, 6, 7, 9, 10)
    ),
    COPIED,
)
TABLES = (
    "vertices", "edges", "faces", "face_layers", "mapping_groups", "geometry_groups", "triangles",
)  # fmt: skip
NUMBERS = dict(zip(TABLES, (1, 2, 3, 6, 7, 8, 5), strict=True))


def flip_bits(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice((1, 1, 2, 8))):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def truncate(data: bytearray, rng: random.Random) -> None:
    del data[rng.randrange(1, len(data)) :]


def splice(data: bytearray, rng: random.Random) -> None:
    """Copy a stretch of the file over or between others."""
    start, length, at = rng.randrange(len(data)), rng.choice((1, 4, 8, 32, 100)), rng.randrange(len(data))
    data[at : at + rng.choice((0, length))] = data[start : start + length]


def set_word(data: bytearray, rng: random.Random) -> None:
    """Put a hostile number somewhere."""
    at = rng.randrange(max(len(data) - 4, 1))
    data[at : at + 4] = struct.pack("<i", rng.choice(HOSTILE) if rng.random() < 0.7 else rng.randrange(-3, 12))


WAYS: tuple[Callable[[bytearray, random.Random], None], ...] = (
    flip_bits, flip_bits, truncate, splice, set_word, set_word,
)  # fmt: skip


def mutation(seed: int) -> bytes:
    """The same damaged bytes for the same seed, everywhere."""
    rng = random.Random(seed)
    data = bytearray(rng.choice(LEVELS))
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        if len(data) > 8:
            rng.choice(WAYS)(data, rng)
    return bytes(data)


def readers(level: Level) -> Iterator[Callable[[], object]]:
    """Everything that can be asked of a level."""
    yield lambda: summary(level)
    yield lambda: decoded(contents, level)
    yield lambda: [section_at(level, offset) for offset in (0, 30, 700, 1 << 30)]
    yield lambda: [str(problem) for problem in check(level)]
    yield lambda: (level.mesh.corners, level.mesh.ends, level.mesh.smooth)
    yield lambda: level.mesh.geometry_groups.faces.assignment(len(level.mesh.faces))
    yield lambda: read(write(as_v10(level))).mesh.triangles
    yield lambda: clipboard.parse(clipboard.build(as_v10(level)))
    yield lambda: [cubemap.decode(each.data) for entity in level.entities for each in entity.editor_data]


def decode_all(data: bytes) -> bool:
    """Read a level or a clipboard and everything in it; False if it was refused. Only FormatErrors are caught."""
    copied = not identify(data) and clipboard.identify(data)
    try:
        level = clipboard.parse(data) if copied else read(data)
    except FormatError:
        return False
    before = write(level)
    if not copied and before != data:
        raise AssertionError("it is written back with other bytes")
    for ask in readers(level):
        try:
            ask()
        except FormatError:
            continue
    if write(level) != before:
        raise AssertionError("it is written back with other bytes once it was decoded")
    for name in TABLES:
        try:
            table = getattr(level.mesh, name)
            if level.mesh.chunk(NUMBERS[name]) is None:
                continue
            anew = read(before)
            setattr(anew.mesh, name, table)
            again = write(anew)
        except FormatError:
            continue
        if again != before:
            raise AssertionError(f"{name} are written back with other bytes")
    return True


FUZZER = Fuzzer(
    mutation=mutation,
    attempt=decode_all,
    whole=LEVELS,
    thorough=range(300, 900),
)
