# SPDX-License-Identifier: GPL-3.0-or-later
"""Damages small levels in seeded ways and decodes everything that is left of them."""

import random
import struct
from collections.abc import Callable, Iterator

import numpy as np

from formats.binary import FormatError
from formats.fable import (
    Level,
    changes,
    check,
    contents,
    identify,
    patch,
    raster,
    read,
    rebuild,
    section_at,
    summary,
    tng,
    weights,
    without_islands,
    write,
)
from tests.formats import fable_bytes as build
from tests.formats.leaves import decoded
from tests.fuzz.driver import Fuzzer

HOSTILE = (-1, -2, 0, 1, 3, 9, 255, 65535, 1 << 20, 1 << 24, 1 << 28, 1 << 30, (1 << 31) - 1, -(1 << 31), 0x7FC00000)

SMALL = build.Lev(width=32, height=4, cell=build.varied_cell, sounds=(b"SEA",))
LEVELS = tuple(
    lev.build()
    for lev in (
        SMALL.but(sections=((b"NULL", build.DOORS), (b"Q", build.DOORS))),
        SMALL.but(width=16, sections=((b"NULL", build.HOLE),), map_version=1, section_gap=b"gap"),
        SMALL.but(width=1, height=1, brushes=b"", sections=((b"A", build.DOORS), (b"", build.HOLE)), ground=()),
        build.Lev(sections=((b"NULL", build.DOORS),)),
    )
)
THINGS = b'Version 2;\r\n\r\nXXXSectionStart NULL;\r\nNewThing Object;\r\nUID 12;\r\nStartCTCPhysicsStandard;\r\n\
PositionX 1.5;\r\nPositionY 2.0;\r\nPositionZ -0.5;\r\nEndCTCPhysicsStandard;\r\nScriptData "a;b";\r\nEndThing;\r\n\
XXXSectionEnd;\r\n'


def regions(data: bytes) -> list[tuple[int, int]]:
    """Where damage tells: headers, what is behind them, and navigation; palettes and cells are most of the bytes."""
    brushes, _, navigation = struct.unpack_from("<III", data, 13)
    return [
        (0, 50),
        (50 + 33792 - 10, 50 + 33792 + 30),
        (67_600, 67_760),
        (brushes - 20, brushes + 20),
        (navigation, len(data)),
    ]


def somewhere(data: bytearray, rng: random.Random, original: bytes) -> int:
    start, end = rng.choice((*regions(original), regions(original)[-1], regions(original)[-1]))
    return rng.randrange(min(start, len(data) - 1), max(min(end, len(data)), min(start, len(data) - 1) + 1))


def flip_bits(data: bytearray, rng: random.Random, original: bytes) -> None:
    for _ in range(rng.choice((1, 1, 2, 8))):
        data[somewhere(data, rng, original)] ^= 1 << rng.randrange(8)


def truncate(data: bytearray, rng: random.Random, original: bytes) -> None:
    del data[max(somewhere(data, rng, original), 1) :]


def splice(data: bytearray, rng: random.Random, original: bytes) -> None:
    """Copy a stretch of the file over or between others."""
    start, length = somewhere(data, rng, original), rng.choice((1, 3, 4, 18, 34, 100))
    at = somewhere(data, rng, original)
    data[at : at + rng.choice((0, length))] = original[start : start + length]


def set_word(data: bytearray, rng: random.Random, original: bytes) -> None:
    """Put a hostile number somewhere."""
    at = somewhere(data, rng, original)
    value = rng.choice(HOSTILE) if rng.random() < 0.7 else rng.randrange(-3, 12)
    data[at : at + 4] = struct.pack("<i", value)


def set_float(data: bytearray, rng: random.Random, original: bytes) -> None:
    """Put a strange or a sensible float somewhere."""
    at = somewhere(data, rng, original)
    value = rng.choice((0.0, -0.0, 1e-30, 1e30, float("nan"), float("inf"), -8.0, 8.0, 16.0, 24.0, 32.0, 64.0, 4096.0))
    data[at : at + 4] = struct.pack("<f", value)


WAYS: tuple[Callable[[bytearray, random.Random, bytes], None], ...] = (
    flip_bits, flip_bits, truncate, splice, set_word, set_word, set_float,
)  # fmt: skip


def mutation(seed: int) -> bytes:
    """The same damaged level for the same seed, everywhere."""
    rng = random.Random(seed)
    original = rng.choice(LEVELS)
    data = bytearray(original)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        rng.choice(WAYS)(data, rng, original)
    return bytes(data)


def text_mutation(seed: int) -> bytes:
    """A damaged `.tng`."""
    rng = random.Random(seed)
    data = bytearray(THINGS)
    for _ in range(rng.choice((1, 2, 5))):
        at, token = (
            rng.randrange(len(data)),
            rng.choice((b";", b'"', b"\n", b"\r", b" ", b"\0", b"\xff", b"EndThing;", b"x")),
        )
        data[at : at + rng.choice((0, 1, 20))] = token
    return bytes(data)


def readers(level: Level) -> Iterator[Callable[[], object]]:
    """Everything that can be asked of a level."""
    yield lambda: summary(level)
    yield lambda: decoded(contents, level)
    yield lambda: [section_at(level, offset) for offset in (0, 30, 70_000, 1 << 30)]
    yield lambda: [str(problem) for problem in check(level)]
    for section in level.sections or ():
        for layer in (0, 1):
            yield lambda section=section, layer=layer: navigate(level, section.navigation, layer)  # type: ignore[misc]


def navigate(level: Level, tree, layer: int) -> None:
    ground = raster(tree, layer)
    anew = rebuild(tree, layer, ground)
    if not np.array_equal(raster(anew, layer) >= 0, ground >= 0):
        raise AssertionError("a rebuild gives other ground")
    before = np.full((ground.shape[0] // 4, ground.shape[1] // 4), 128)
    before[:1], before[1:2] = -1, 0
    patch(tree, layer, np.full(before.shape, 128), before)
    without_islands(tree, np.array([[1.0, 1.0], [float("nan"), 1e30]]))
    list(changes(tree, anew, layer).lines())
    rebuild(tree, layer, weights(level.cells, layer))


def decode_all(data: bytes) -> bool:
    """Read a level and everything in it; False if it was refused. Only FormatErrors are caught."""
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
        for section in level.sections or ():
            section.navigation = section.navigation
    except FormatError:
        return True
    if write(level) != data:
        raise AssertionError("navigation is written back with other bytes")
    try:
        level.sounds.append("more")
        edited = write(level)
    except FormatError:
        return True
    if write(read(edited)) != edited:
        raise AssertionError("what was edited cannot be read back")
    return True


def decode_text(data: bytes) -> None:
    """Read damaged text."""
    try:
        things = tng.read(data)
    except FormatError:
        return
    for thing in things:
        _ = (thing.kind, thing.uid, thing.position, thing.forward, thing.components)
    if tng.write(things) != data:
        raise AssertionError("text is written back with other bytes")


def both(seed: int) -> tuple[bytes, bytes]:
    """A damaged level and a damaged text."""
    return mutation(seed), text_mutation(seed)


def decode_both(data: tuple[bytes, bytes]) -> bool:
    """Read both; False if the level was refused."""
    level, text = data
    decode_text(text)
    return decode_all(level)


FUZZER = Fuzzer(
    mutation=both,
    attempt=decode_both,
    whole=tuple((level, THINGS) for level in LEVELS),
    accepted=(1 / 4, 0.9),
)
