# SPDX-License-Identifier: GPL-3.0-or-later
"""Damages small maps in seeded ways and decodes everything that is left of them."""

import random
import struct
from collections.abc import Callable, Iterator

import numpy as np

from formats.binary import FormatError
from formats.genesis import (
    Event,
    MapLevel,
    check,
    contents,
    identify,
    motion_file,
    read,
    section_at,
    summary,
    textures,
    typedefs,
    write,
)
from formats.genesis.brushes import planes, polygons
from tests.formats import genesis_bytes as build
from tests.formats.leaves import decoded
from tests.fuzz.driver import Fuzzer

HOSTILE = (-1, -2, 0, 1, 3, 255, 65535, 1 << 20, 1 << 24, 1 << 28, 1 << 30, (1 << 31) - 1, -(1 << 31), 0x7FC00000)
TOKENS = (b"-1", b"999999999", b"nan", b"1e39", b"", b"x", b"\n", b"\r\n", b"\0", b"Keys", b"MOTN", b"-0.000000")

MAPS = (
    build.whole_level(),
    build.room(build.model(build.motion(build.HINGE, build.STEADY, events=[("1.000000", "open")]))),
    build.room(build.model(build.binary_motion([(build.keys(1, 0, 0, 2, 0, 1, *range(6)), b"")], events=[(1, b"x")]))),
    build.level([build.entity(), build.light(), *[build.typedef(f"class{n}", build.LIGHT) for n in range(5)]]),
)


def flip_bits(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice((1, 1, 2, 8, 64))):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def truncate(data: bytearray, rng: random.Random) -> None:
    del data[rng.randrange(len(data)) :]


def splice(data: bytearray, rng: random.Random) -> None:
    """Copy a stretch of the file, or of another map, over or between others."""
    donor = bytes(data) if rng.random() < 0.5 else rng.choice(MAPS)
    start, length = rng.randrange(len(donor)), rng.choice((1, 4, 12, 108, 400))
    at = rng.randrange(len(data))
    data[at : at + rng.choice((0, length))] = donor[start : start + length]


def set_word(data: bytearray, rng: random.Random) -> None:
    """Put a hostile number somewhere; counts stand at no multiple of anything."""
    at = rng.randrange(max(len(data) - 4, 1))
    data[at : at + 4] = (
        struct.pack("<i", rng.choice(HOSTILE) if rng.random() < 0.8 else rng.randrange(-3, 40))
        if (rng.choice((True, True, False)))
        else rng.randbytes(4)
    )


def set_float(data: bytearray, rng: random.Random) -> None:
    """Move a plane or a texture of the first brush."""
    at = 24 + 4 * rng.randrange(min(len(data) - 28, 2600) // 4)
    value = rng.choice((0.0, -0.0, 1e-30, 1e30, float("nan"), float("inf"), -1.0, rng.uniform(-300, 300)))
    data[at : at + 4] = struct.pack("<f", value)


def change_text(data: bytearray, rng: random.Random) -> None:
    """Change a word of a motion's text."""
    at = data.find(b"MOTN")
    if at >= 0:
        start = at + rng.randrange(min(700, len(data) - at))
        data[start : start + rng.choice((0, 1, 8))] = rng.choice(TOKENS)


WAYS: tuple[Callable[[bytearray, random.Random], None], ...] = (
    flip_bits, truncate, splice, set_word, set_word, set_float, set_float, change_text, change_text,
)  # fmt: skip


def mutation(seed: int) -> bytes:
    """The same damaged map for the same seed, everywhere."""
    rng = random.Random(seed)
    data = bytearray(rng.choice(MAPS))
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        if len(data) > 40:
            rng.choice(WAYS)(data, rng)
    return bytes(data)


def readers(level: MapLevel) -> Iterator[Callable[[], object]]:
    """Everything that can be asked of a level."""
    yield lambda: (level.world, level.models, level.points, [(each.origin, each.name) for each in level.entities])
    yield lambda: (summary(level), decoded(contents, level))
    yield lambda: [section_at(level, offset) for offset in (0, 12, 40, 300, 3000, 1 << 30)]
    yield lambda: [str(problem) for problem in check(level)]
    yield lambda: geometry(level)
    for entity in level.typedefs:
        yield lambda entity=entity: typedefs.from_entity(entity).entity()  # type: ignore[misc]
    yield lambda: [
        typedefs.values(entity, made) for made in typedefs.read(level.entities).values() for entity in level.points
    ]


def geometry(level: MapLevel) -> None:
    table, faces = level.table()
    solid = polygons(faces, table["num_faces"])
    if not (np.isfinite(solid.positions).all() and solid.first_corner[-1] == len(solid.corners)):
        raise AssertionError("polygons are torn")
    planes(solid.positions, solid.corners, solid.first_corner)
    points, owners = solid.positions[solid.corners], solid.corner_face
    textures.parameters(faces)
    texel = textures.texels(faces, points, owners)
    textures.fit(faces, points, owners, np.nan_to_num(texel, posinf=0, neginf=0))


def decode_all(data: bytes) -> bool:
    """Read a map and everything in it; False if it was refused. Only FormatErrors are caught."""
    identify(data)
    try:
        level = read(data)
    except FormatError:
        return False
    for ask in readers(level):
        try:
            ask()
        except FormatError:
            continue
    if write(level) != data:
        raise AssertionError("it is written back with other bytes")
    try:
        edit(level)
        edited = write(level)
    except FormatError:
        return True
    if write(read(edited)) != edited:
        raise AssertionError("what was edited cannot be read back")
    return True


def edit(level: MapLevel) -> None:
    """Change what is left of a map."""
    level.entities.reverse()
    for entity in level.entities:
        entity.set("classname", "renamed")
        entity.brushes = entity.brushes[::-1]
        if entity.motion is not None:
            entity.motion.events.append(Event(3.5, "new"))
            motion_file.write(entity.motion)


FUZZER = Fuzzer(
    mutation=mutation,
    attempt=decode_all,
    whole=MAPS,
    accepted=(1 / 4, 0.9),
)
