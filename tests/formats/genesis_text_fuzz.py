# SPDX-License-Identifier: GPL-3.0-or-later
"""Damages .3dt texts and texture libraries in seeded ways and decodes everything that is left of them."""

import random

from formats.binary import FormatError
from formats.genesis import Level3dt, check, contents, read, section_at, summary, txl, write
from formats.genesis.convert import to_3dt, to_map
from tests.formats import genesis_3dt_text as text
from tests.formats import genesis_txl_bytes as library
from tests.formats.genesis_fuzz import flip_bits, set_word, truncate
from tests.formats.leaves import decoded
from tests.fuzz.driver import Fuzzer

NUMBERS = "-1 0 2 3 128 145 1025 1000000 2147483647 -2147483648 99999999999 1e38 -1e30 0.05 1e39 nan"
WORDS = (*NUMBERS.split(), '"', "\\", '"x y"', "", "Brush", "Vec3d", "End", "MOTN 0.F0", "\n", "\r\n", "\0")
SPACES = (b"\r", b"\r\r\n", b"\n", b" ", b"\t", b"", b"")
COLORS = library.bgrx([(255, 0, 0), (0, 255, 0)])

LEVELS = tuple(
    made.encode()
    for made in (
        text.whole_level(),
        text.whole_level((1, 34)),
        text.whole_level((1, 9)),
        text.whole_level((1, 22)).replace("\n", "\r\n"),
        text.level(brushes=[text.hollow("room", (0, 0, 0), (64, 64, 64)), text.leaf("cut", flags=128)]),
    )
)
LIBRARIES = (
    library.small_library(),
    library.vf00([("a", library.gebm(4, 4, bytes(16), palette=COLORS))], magic=b"CF00", mask=7),
    library.eegc([("one", 8, 4, bytes(1024), [bytes(32), bytes(8)]), ("two", 1, 1, bytes(1024), [b"\7"])]),
)


def change_word(data: bytearray, rng: random.Random) -> None:
    """Put another word in the place of one."""
    spans = []
    start = None
    begin = rng.randrange(max(len(data) - 400, 1))
    for at in range(begin, min(begin + 400, len(data))):
        if data[at] in b" \t\r\n":
            if start is not None:
                spans.append((start, at))
            start = None
        elif start is None:
            start = at
    if spans:
        start, end = rng.choice(spans)
        data[start:end] = rng.choice(WORDS).encode()


def change_space(data: bytearray, rng: random.Random) -> None:
    """Put other white space, or none, in the place of some, or some in front of a byte: in a text in quotes, say."""
    begin = rng.randrange(len(data))
    at = next((at for at in range(begin, len(data)) if data[at] in b" \t\r\n"), begin)
    inside = rng.random() < 0.5
    data[begin if inside else at : begin if inside else at + 1] = rng.choice(SPACES)


def move_lines(data: bytearray, rng: random.Random) -> None:
    """Copy or remove some lines."""
    lines = bytes(data).split(b"\n")
    at, count = rng.randrange(len(lines)), rng.choice((1, 1, 3, 12, 60))
    to = rng.randrange(len(lines))
    moved = lines[at : at + count]
    if rng.random() < 0.5:
        del lines[at : at + count]
    lines[to:to] = moved
    data[:] = b"\n".join(lines)


def mutation(seed: int) -> bytes:
    """The same damaged file for the same seed, everywhere."""
    rng = random.Random(seed)
    texts = seed % 2 == 0
    data = bytearray(rng.choice(LEVELS if texts else LIBRARIES))
    ways = (change_word, change_word, change_space, change_space, move_lines, truncate, flip_bits) if texts else (
        flip_bits, flip_bits, set_word, set_word, truncate
    )  # fmt: skip
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        if len(data) > 40:
            rng.choice(ways)(data, rng)
    return bytes(data)


def decode_level(data: bytes) -> bool:
    try:
        level = read(data)
        if not isinstance(level, Level3dt):
            return False
        if write(level) != data:
            raise AssertionError("it is written back unread with other bytes")
        level.leaves()
    except FormatError:
        return False
    if write(level) != data:
        raise AssertionError("it is written back with other bytes")
    summary(level)
    decoded(contents, level)
    section_at(level, len(data) // 2)
    [str(problem) for problem in check(level)]
    try:
        made, _ = to_map(level)
        write(to_3dt(made)[0])
    except FormatError:
        pass
    try:
        level.entities.reverse()
        for brush in level.leaves():
            brush.faces.reverse()
            brush.name = "renamed"
        edited = write(level)
    except FormatError:
        return True
    if write(read(edited)) != edited:
        raise AssertionError("what was edited cannot be read back")
    return True


def decode_library(data: bytes) -> bool:
    try:
        found = txl.read(data)
    except FormatError:
        return False
    for texture in found:
        try:
            texture.pixels()
        except FormatError:
            continue
    if found.container == "EEGC":
        return True
    if txl.write(found) != data:
        raise AssertionError("it is written back with other bytes")
    for texture in found.textures[1:]:
        found.remove(texture.name)
    txl.read(txl.write(found))
    return True


def decode_all(data: bytes) -> bool:
    """Read a file and everything in it; False if it was refused. Only FormatErrors are caught."""
    return decode_library(data) if txl.identify(data) else decode_level(data)


FUZZER = Fuzzer(
    mutation=mutation,
    attempt=decode_all,
    whole=(*LEVELS, *LIBRARIES),
    accepted=(1 / 5, 0.9),
    thorough=range(300, 800),
)
