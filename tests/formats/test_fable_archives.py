# SPDX-License-Identifier: GPL-3.0-or-later
"""Textures of archives, compiled definitions, LZO1X: bytes that are built here come back, damaged ones are refused."""

import random
import struct
from pathlib import Path

import pytest

from formats.binary import Budget, FormatError
from formats.fable import big, definitions, lzo, textures
from tests.formats import fable_archive_bytes as build

GRASS = bytes(range(256)) * 2  # 64 blocks of DXT1: 32 x 32 pixels
SAMPLES = {
    "nothing": b"",
    "one": b"a",
    "runs": b"a" * 5000 + b"b" * 3,
    "literals": random.Random(1).randbytes(700),
    "near": b"abcdefgh" * 9 + b"xyz" + b"abcdefgh" * 2,
    "far": random.Random(2).randbytes(3000) + bytes(20000) + random.Random(2).randbytes(3000) + b"end",
    "farthest": random.Random(3).randbytes(600) + bytes(30000) + b"\1" * 5000 + random.Random(3).randbytes(600),
}


@pytest.mark.parametrize("data", SAMPLES.values(), ids=SAMPLES)
def test_what_is_packed_is_unpacked(data: bytes) -> None:
    packed = build.lzo(data)
    assert len(packed) < 300 or len(packed) < len(data) + 20
    assert lzo.decompress(packed, len(data), "test") == data


def test_random_bytes_are_unpacked() -> None:
    rng = random.Random(4)
    for _ in range(200):
        data = bytes(rng.choices(range(rng.choice((2, 5, 256))), k=rng.randrange(400)))
        data += data[rng.randrange(len(data) + 1) :] * rng.randrange(3)
        assert lzo.decompress(build.lzo(data), len(data), "test") == data


@pytest.mark.parametrize(
    ("packed", "made"),
    [
        (b"\x13ab" + b"\x05\x00" + b"x" + b"\x11\0\0", b"ababx"),  # two bytes, from 2 back, after two literals
        (b"\x15abcd" + b"\x11\0\0", b"abcd"),
        (b"\0\1" + b"0123456789abcdefghi" + b"\x11\0\0", b"0123456789abcdefghi"),  # a long run: 3 + 15 + 1
    ],
)
def test_instructions_are_those_of_the_description(packed: bytes, made: bytes) -> None:
    assert lzo.decompress(packed, 100, "test") == made


def test_three_bytes_from_far_back_follow_a_run() -> None:
    packed = build.literals(b"xyz" + bytes(2046) + b"1", first=False) + b"\x00\x00" + b"\x11\0\0"  # 2049 back
    assert lzo.decompress(packed, 3000, "test") == b"xyz" + bytes(2046) + b"1" + b"yz\0"


@pytest.mark.parametrize(
    ("packed", "words"),
    [
        (b"", "end too soon"),
        (b"\x15abc", "end too soon"),
        (b"\x15abcd", "end too soon"),
        (b"\x15abcd\x4c\x0c\x11\0\0", "copies from 100 bytes back, where 4 were made"),
        (b"\x15abcd\x11\0\0rest", "4 bytes before"),
        (b"\x15abcd" + b"\x20" + bytes(400) + b"\x01" + b"\0\0" + b"\x11\0\0", "more than 1000"),
    ],
)
def test_bad_streams_are_refused(packed: bytes, words: str) -> None:
    with pytest.raises(FormatError, match=words):
        lzo.decompress(packed, 1000, "test")


def written(folder: Path, data: bytes) -> Path:
    path = folder / "textures.big"
    path.write_bytes(data)
    return path


def read(path: Path, kind: str = textures.KIND) -> dict[str, textures.Texture]:
    with path.open("rb") as file:
        entries = big.read_entries(file, kind)
        return {one.name: textures.read_texture(one, big.read_entry(file, one), Budget.of_pixels()) for one in entries}


def test_textures_come_out_of_an_archive(tmp_path: Path) -> None:
    pixels = bytes(range(64))
    banks = {
        "GBANK_GUI_PC": [build.Texture("ICON", 4, 4, pixels, 1, packed=False)],
        "GBANK_MAIN_PC": [
            build.texture("GRASS", 32, 32, GRASS, number=7, rest=b"smaller levels"),
            build.texture("MUD", 16, 8, GRASS[:128], "DXT3", chunks=3),
            build.texture("SKY", 4, 4, GRASS[:16], "DXT5", packed=False),
        ],
    }
    found = read(written(tmp_path, build.archive(banks)))
    assert found == {
        "ICON": textures.Texture(4, 4, "", pixels),
        "GRASS": textures.Texture(32, 32, "DXT1", GRASS),
        "MUD": textures.Texture(16, 8, "DXT3", GRASS[:128]),
        "SKY": textures.Texture(4, 4, "DXT5", GRASS[:16]),
    }
    with (tmp_path / "textures.big").open("rb") as file:
        first = big.read_entries(file, "GBANK_MAIN")[0]
        assert (first.bank, first.number) == ("GBANK_MAIN_PC", 7)
        assert big.read_entries(file, "MBANK") == []


def test_plain_chunks_hold_what_is_left() -> None:
    plain = struct.pack("<H", 0) + GRASS[:128]
    info = build.Texture("T", 16, 8, GRASS[:128], 0x20).info()[:24] + struct.pack("<I", len(plain)) + bytes(6)
    entry = big.ArchiveEntry("GBANK", 1, "T", 0, len(plain), info)
    assert textures.read_texture(entry, plain, Budget.of_pixels()).data == GRASS[:128]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"frames": 4}, "4 frames"),
        ({"depth": 8}, "8 layers"),
        ({"encoding": 0x18}, "format 0x18"),
        ({"width": 0}, "0 x 32 pixels"),
        ({"width": 8196}, "8196 x 32"),
        ({"width": 64}, "512 bytes for 64 x 32"),
        ({"level_size": 1 << 30}, "for 32 x 32 pixels"),
        ({"packed": False, "level": GRASS[:-8], "level_size": 512}, "504 bytes for"),
    ],
)
def test_textures_of_other_forms_are_refused(tmp_path: Path, changed: dict[str, object], words: str) -> None:
    made = build.Texture(**{"name": "GRASS", "width": 32, "height": 32, "level": GRASS, **changed})  # type: ignore[arg-type]
    with pytest.raises(FormatError, match=words):
        read(written(tmp_path, build.archive({"GBANK": [made]})))


def test_a_budget_of_pixels_is_kept(tmp_path: Path) -> None:
    path = written(tmp_path, build.archive({"GBANK": [build.texture("GRASS", 32, 32, GRASS)]}))
    with path.open("rb") as file:
        (entry,) = big.read_entries(file)
        with pytest.raises(FormatError, match="beyond the limit of 1,000"):
            textures.read_texture(entry, big.read_entry(file, entry), Budget(1000, "pixels"))


def test_damaged_archives_are_refused_and_take_no_time(tmp_path: Path) -> None:
    whole = build.archive({"GBANK_MAIN_PC": [build.texture(f"T{n}", 32, 32, GRASS) for n in range(3)]})
    rng, refused = random.Random(5), 0
    for _ in range(300):
        data = bytearray(whole)
        for _ in range(rng.randrange(1, 4)):
            data[rng.randrange(len(data))] = rng.choice((0, 1, 0x7F, 0xFF, rng.randrange(256)))
        if rng.random() < 0.3:
            del data[rng.randrange(len(data)) :]
        try:
            read(written(tmp_path, bytes(data)))
        except FormatError:
            refused += 1
    assert 50 < refused < 300
    with pytest.raises(FormatError, match="no archive of Fable"):
        read(written(tmp_path, build.archive({}, magic=b"BBBB")))


ENTRIES = [
    ("CREATURE", "CREATURE_A", b"whatever"),
    ("ENGINE_THEME", "", build.theme(99)),
    ("ENGINE_THEME", "GROUND_GRASS", build.theme(7, 8)),
    ("ENGINE_THEME", "WATER_LAKE_2", build.theme(9, 0, (1, 2.0))),
    ("ENGINE_THEME", "PUDDLE", build.theme(0, 0, (0, 2.0))),
    ("OBJECT", "OBJECT_A", build.theme(5)),
    ("ENGINE_THEME", "BROKEN", build.theme(0, 0, (1, float("nan")))),
]


def test_definitions_of_themes_are_found_by_name() -> None:
    found = definitions.read_themes(*build.definitions(ENTRIES))
    assert found == {
        "GROUND_GRASS": definitions.ThemeDefinition(7, 8, 0.0),
        "WATER_LAKE_2": definitions.ThemeDefinition(9, None, 2.0),
        "PUDDLE": definitions.ThemeDefinition(None, None, 0.0),
        "BROKEN": definitions.ThemeDefinition(None, None, 0.0),
    }
    assert definitions.read_themes(*build.definitions(ENTRIES[:1])) == {}
    assert (definitions.name_hash("CREATURE_TRADER_01"), definitions.name_hash("Graphic")) == (0xAA22BB08, 0x2E6B63C8)


def test_damaged_definitions_are_refused() -> None:
    game, names = build.definitions(ENTRIES)
    rng, refused = random.Random(6), 0
    for _ in range(300):
        parts = [bytearray(game), bytearray(names)]
        hurt = parts[rng.randrange(2)]
        hurt[rng.randrange(len(hurt))] = rng.randrange(256)
        if rng.random() < 0.3:
            del hurt[rng.randrange(len(hurt)) :]
        try:
            definitions.read_themes(*map(bytes, parts))
        except FormatError:
            refused += 1
    assert 50 < refused < 300
    with pytest.raises(FormatError, match="header of definitions"):
        definitions.read_themes(names, game)
