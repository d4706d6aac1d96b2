# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks: agreement with DDNet's own verdicts, one case a rule, and what a lenient look finds."""

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from formats.__main__ import main
from formats.binary import FormatError, Problem
from formats.teeworlds import TILE, Level, TileKind, TileLayer, check, new_level, read, unedited_blobs, write
from tests.formats.teeworlds_bytes import (
    FRONT,
    GAME,
    GROUP,
    IMAGE,
    SPEEDUP,
    SWITCH,
    TELE,
    TUNE,
    VERSION,
    Map,
    point,
    quad,
    small_map,
    source,
    tile,
    whole_map,
)

EMPTY = bytes(4 * 12)


def ddnet(m: Map) -> list[str]:
    return [str(problem) for problem in check(read(m.build()), "ddnet")]


def lenient(m: Map) -> list[str]:
    return [str(problem) for problem in check(read(m.build()), "lenient")]


def verdict(path: Path) -> tuple[bool, int]:
    """Whether the rules accept a file, and how many of its blobs they call erroneous."""
    try:
        problems = check(read(path.read_bytes()), "ddnet")
    except FormatError:
        return False, 0
    return all(problem.severity != "error" for problem in problems), sum(p.severity == "warning" for p in problems)


@pytest.mark.slow
def test_agrees_with_ddnet_on_every_real_map(corpus: Path) -> None:
    folder = corpus / "teeworlds"
    with (folder / "DDNET_VERDICTS.tsv").open(encoding="utf-8", newline="") as table:
        rows = list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))
    expected = {row["file"]: (row["accepted"] == "1", int(row["erroneous_blobs"])) for row in rows}
    assert len(expected) == 133
    assert {name: verdict(folder / name) for name in expected} == expected


def test_agrees_with_ddnet_on_every_made_map(corpus: Path) -> None:
    folder = corpus / "teeworlds" / "synthetic__edge"
    lines = [line for line in (folder / "VERDICTS.txt").read_text(encoding="utf-8").splitlines() if line[0] != "#"]
    expected = {}
    for line in lines:
        name, said = line.split(" | ")[:2]
        erroneous = re.search(r"erroneous=(\d+)", said)
        expected[name] = (said.startswith("ok"), int(erroneous[1]) if erroneous else 0)
    assert len(expected) == 47
    found = {name: verdict(folder / f"{name}.map") for name in expected}
    refused = {name for name, (accepted, _) in expected.items() if not accepted}
    assert {name for name, (accepted, _) in found.items() if not accepted} == refused
    assert {name: found[name] for name in found.keys() - refused} == {
        name: expected[name] for name in expected.keys() - refused
    }  # of refused maps the verdicts count no blobs


@pytest.mark.slow
def test_lenient_takes_every_real_map_that_opens(corpus: Path) -> None:
    errors = {}
    for path in sorted((corpus / "teeworlds").glob("[!s]*/*.map")):
        try:
            level = read(path.read_bytes())
        except FormatError:
            assert path.name == "TestOut.map"  # cut short by the tool that made it
            continue
        errors[path.name] = [str(problem) for problem in check(level, "lenient") if problem.severity == "error"]
    assert errors
    assert {name for name, found in errors.items() if found} == set()


@pytest.mark.parametrize("container", [3, 4])
def test_good_maps_have_no_problems(container: int) -> None:
    assert ddnet(whole_map(container)) == []
    assert lenient(small_map()) == lenient(whole_map(container)) == []
    assert check(new_level()) == check(read(write(new_level()))) == check(new_level(), "lenient") == []


def test_rules_have_names() -> None:
    with pytest.raises(ValueError, match="ddnet"):
        check(new_level(), "strict")  # type: ignore[arg-type]


def made(change: Callable[[Map], object], m: Map | None = None) -> Map:
    m = m or small_map()
    change(m)
    return m


def without_version() -> Map:
    m = Map()
    m.group("Game")
    m.tiles(4, 3, EMPTY, flags=GAME)
    return m


def with_version(*values: int) -> Map:
    m = without_version()
    m.item(VERSION, values)
    return m


def with_game(**options: object) -> Map:
    """A map whose only layer is a game layer with these words; its tiles are `data`."""
    m = Map()
    m.version()
    m.group("Game")
    data = options.pop("data", EMPTY)
    width, height = options.pop("width", 4), options.pop("height", 3)
    m.tiles(width, height, data, flags=options.pop("flags", GAME), **options)  # type: ignore[arg-type]
    return m


def overlapping() -> Map:
    m = small_map()
    m.item(GROUP, (3, 0, 0, 100, 100, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0))
    return m


def shared_tiles() -> Map:
    m = small_map()
    m.layer((0, 2, 0, 2, 4, 3, 0, 255, 255, 255, 255, -1, 0, -1, 0))
    return m


@pytest.mark.parametrize(
    ("m", "problem"),
    [
        (without_version(), "map: the version item is missing"),
        (with_version(), "map: the version item is empty"),
        (with_version(2), "map: version 2, 1 is known"),
        (made(lambda m: m.item(VERSION, (1,), 7), without_version()), "map: the version item is missing"),
        (made(lambda m: m.version(), Map()), "map: the game layer is missing"),
        (made(lambda m: m.item(GROUP, (3, 0, 0, 100, 100, 0))), "group 1: has 6 words, 7 are needed"),
        (
            made(lambda m: m.item(GROUP, (3, 0, 0, 100, 100, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0))),
            "group 1: claims 1 layer from 1 on, the map has 1 in all",
        ),
        (
            made(lambda m: m.item(GROUP, (3, 0, 0, 100, 100, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0))),
            "group 1: claims -1 layers from 0 on, the map has 1 in all",
        ),
        (overlapping(), "layer 0 of group 1: is in another group too"),
        (made(lambda m: m.layer((0, 3))), "layer 1 of group 0: has 2 words, 3 are needed"),
        (made(lambda m: m.layer((0, 2, 0, 3))), "layer 1 of group 0: has 4 words, a tile layer needs 15"),
        (with_game(version=3, length=17), "layer 0 of group 0: has 17 words, a tile layer of version 3 needs 18"),
        (with_game(version=5), "layer 0 of group 0: tile layer version 5: 2 to 4 are known"),
        (with_game(version=1), "layer 0 of group 0: tile layer version 1: 2 to 4 are known"),
        (with_game(flags=GAME | TELE), "layer 0 of group 0: flags 3 make it several physics layers at once"),
        (with_game(width=1), "layer 0 of group 0: 1 x 3 tiles: each side must be at least 2"),
        (with_game(height=-3), "layer 0 of group 0: 4 x -3 tiles: each side must be at least 2"),
        (with_game(width=65536, height=65536), "layer 0 of group 0: 65536 x 65536 tiles are too many"),
        (with_game(data=EMPTY[4:]), "blob 0: layer 0 of group 0: 11 of 12 tiles"),
        (with_game(data=tile(0, 0, 3) + EMPTY), "blob 0: layer 0 of group 0: tile 0 has skip 3, not 0"),
        (with_game(data=EMPTY[4:] + tile(0, 0, 0, 7)), "blob 0: layer 0 of group 0: tile 11 has reserved 7, not 0"),
        (with_game(version=4, data=tile(1, 0, 10)), "blob 0: layer 0 of group 0: the runs end after 11 of 12 tiles"),
        (with_game(version=4, data=tile(1, 0, 11) * 3), "blob 0: layer 0 of group 0: 2 of 3 runs are left over"),
        (with_game(version=4, data=tile(1, 0, 11, 1)), "blob 0: layer 0 of group 0: tile 0 has reserved 1, not 0"),
        (shared_tiles(), "layer 1 of group 0: its tiles, blob 0, are those of layer 0 of group 0"),
        (
            made(lambda m: m.layer((0, 2, 0, 2, 4, 3, 0, 255, 255, 255, 255, -1, 0, -1, 9))),
            "layer 1 of group 0: its tiles are blob 9, the map has 1",
        ),
        (
            made(lambda m: m.tiles(4, 3, EMPTY, color=(255, 256, 0, 0))),
            "layer 1 of group 0: colour (255, 256, 0, 0) leaves 0 to 255",
        ),
        (made(lambda m: m.tiles(4, 3, EMPTY, title=b"\xff")), "layer 1 of group 0: its name is no UTF-8"),
        (
            made(lambda m: m.tiles(4, 3, EMPTY, flags=TELE, length=18)),
            "layer 1 of group 0: has 18 words, a TELE layer of version 3 needs 19",
        ),
        (
            made(lambda m: m.tiles(4, 3, EMPTY, flags=TUNE, version=2, length=19)),
            "layer 1 of group 0: has 19 words, a TUNE layer of version 2 needs 20",
        ),
        (
            made(lambda m: m.tiles(3, 3, EMPTY, flags=FRONT)),
            "layer 1 of group 0: is smaller than the game layer (3 x 3 < 4 x 3)",
        ),
        (made(lambda m: m.item(IMAGE, (1, 0, 0, 1, -1, -1), 0), made(lambda m: m.image("a", 1, 1))),
         "item type 1: items of type 2 share the id 0"),
        (made(lambda m: m.blob(b"", stored=b"", size=0)), "blob 1: takes no bytes in the file"),
    ],
)  # fmt: skip
def test_what_ddnet_refuses(m: Map, problem: str) -> None:
    assert f"error: {problem}" in ddnet(m)


@pytest.mark.parametrize(
    "stored", [lambda good: good[:-4], lambda good: good[:5], lambda good: good[:9] + b"\xff" + good[10:]]
)
def test_damaged_game_tiles_are_refused(stored: Callable[[bytes], bytes]) -> None:
    m = small_map()
    m.blobs[0] = (stored(m.blobs[0][0]), 48)
    (problem,) = check(read(m.build()))
    assert (problem.place, problem.severity) == ("blob 0", "error")
    assert problem.message.startswith("layer 0 of group 0: ")


@pytest.mark.parametrize(
    ("m", "problem"),
    [
        (made(lambda m: m.blob(b"abc", size=0)), "blob 1: its size is given as 0"),
        (made(lambda m: m.blob(b"abc", size=4)), "blob 1: decompresses to 3, not 4 bytes"),
        (made(lambda m: m.tiles(4, 3, EMPTY[4:])), "blob 1: layer 1 of group 0: 11 of 12 tiles"),
        (
            made(lambda m: m.tiles(4, 3, b"\x01\0\0\x05\0\0" * 12, flags=SPEEDUP)),
            "blob 2: layer 1 of group 0: tile 0 has reserved 5, not 0",
        ),
        (
            made(lambda m: m.tiles(4, 3, EMPTY, flags=FRONT, version=4, length=21)),
            "blob 2: layer 1 of group 0: a FRONT layer cannot hold runs (version 4)",
        ),
    ],
)
def test_what_ddnet_does_without(m: Map, problem: str) -> None:
    assert ddnet(m) == [f"warning: {problem}"]


@pytest.mark.parametrize(
    "m",
    [
        made(lambda m: m.tiles(4, 3, EMPTY + b"more", flags=GAME)),  # longer than needed; two game layers
        made(lambda m: m.tiles(4, 3, EMPTY[:24], flags=TELE, version=2)),  # only a prefix of the physics words
        made(lambda m: m.tiles(5, 4, EMPTY * 2, flags=SWITCH)),  # bigger than the game layer
        made(lambda m: m.tiles(4, 3, bytes((1, 255, 0, 0)) * 12, flags=64)),  # flags that nobody knows
        made(lambda m: m.layer((0, 42, 0))),
        made(lambda m: m.item(9, (0, 32, 0))),
        made(lambda m: m.item(0xFFFF, (1,), 5)),
        with_game(version=4, data=tile(1, 0, 255)),  # a last run that is too long
        made(lambda m: m.blobs.__setitem__(0, (m.blobs[0][0] + b"junk", 48))),
    ],
)
def test_what_ddnet_tolerates(m: Map) -> None:
    assert ddnet(m) == []


def test_duplicate_rows_of_a_type_are_refused() -> None:
    level = read(made(lambda m: m.item(9, (1,))).build())
    level.file.item_types.append(level.file.item_types[-1])
    assert Problem("item type 4", "type 9 has another row") in check(level, "ddnet")


def test_it_judges_the_level_as_it_is_now() -> None:
    level = read(small_map().build())
    layer = TileLayer.new(TileKind.TELE, 2, 2, "Tele")
    level.groups[0].layers.append(layer)
    (problem,) = check(level)
    assert problem == Problem("layer 1 of group 0", "is smaller than the game layer (2 x 2 < 4 x 3)")
    level.groups[0].layers.remove(layer)
    assert check(level) == []


def test_blobs_that_nobody_edited_can_be_left_out() -> None:
    def wrong(m: Map) -> None:
        m.tiles(4, 3, tile(1, 0, 0, 7) * 12)

    level = read(made(wrong).build())
    assert len(check(level)) == 1
    same = unedited_blobs(level)
    assert same == frozenset(range(len(level.file.blobs)))
    assert check(level, without=same) == []
    layer = level.groups[0].layers[0]
    assert isinstance(layer, TileLayer)
    tiles = layer.tiles().copy()
    tiles["reserved"][1, 2] = 1
    layer.set_tiles(tiles)
    edited = same - {layer.item.words[14]}
    assert unedited_blobs(level) == edited
    (problem,) = check(level, without=edited)
    assert problem.message == "layer 0 of group 0: tile 6 has reserved 1, not 0"


def damaged_image() -> Map:
    m = small_map()
    m.image("art", 16, 16, bytes(7))
    return m


def full() -> Map:
    """A map with one image, envelope and sound, for layers that name others."""
    m = small_map()
    m.image("art", 17, 16)
    m.envelope(3, [point(10, 1, 0), point(0, 1, 0)])
    m.sound("hum", b"OggS")
    return m


@pytest.mark.parametrize(
    ("m", "problems"),
    [
        (damaged_image(), ["error: image 0: "]),
        (with_game(data=EMPTY[4:]), ["error: layer 0 of group 0: "]),
        (made(lambda m: m.quads([quad()], title="Q", image=3), full()), ["warning: layer 1 of group 0: names image 3"]),
        (
            made(lambda m: m.quads([quad(envelopes=(1, 0, -2, 0))], title="Q"), full()),
            ["warning: layer 1 of group 0: names envelope 1, the map has 1"],
        ),
        (
            made(lambda m: m.sounds([source(0, 0, envelopes=(0, 0, 7, 0))], 1), full()),
            ["warning: layer 1 of group 0: names sound 1", "warning: layer 1 of group 0: names envelope 7"],
        ),
        (
            made(lambda m: m.tiles(4, 3, EMPTY, image=0, color_envelope=2), full()),
            [
                "warning: layer 1 of group 0: names envelope 2",
                "warning: layer 1 of group 0: image 0 has 17 x 16 px: no multiples of 16",
            ],
        ),
        (made(lambda m: m.layer((0, 42, 0))), ["warning: layer 1 of group 0: is of kind 42"]),
        (made(lambda m: m.layer((0, 3, 0, 2, 5, 0, -1))), ["error: layer 1 of group 0: "]),
        (made(lambda m: m.item(GROUP, (3, 0, 0, 0, 0, 1, 4))), ["warning: group 1: claims layers"]),
        (made(lambda m: m.version(), Map()), ["warning: map: has 0 game layers"]),
    ],
)  # fmt: skip
def test_what_a_lenient_look_finds(m: Map, problems: list[str]) -> None:
    found = lenient(m)
    backwards = "warning: envelope 0: its points run back in time"
    if backwards in found:
        found.remove(backwards)
    assert len(found) == len(problems)
    assert all(line.startswith(start) for line, start in zip(found, problems, strict=True)), found


def test_maps_of_2007_are_named_as_such() -> None:
    m = Map()
    m.item(0x8002, (1, 2, 3))
    (problem,) = check(read(m.build()), "lenient")
    assert "2007" in problem.message
    assert "error: map: the version item is missing" in ddnet(m)


def test_a_level_that_cannot_be_written_is_a_problem() -> None:
    level = Level(read(small_map().build()).file)
    twice = level.groups[0].layers[0]
    other = TileLayer.new(TileKind.TILES, 2, 2)
    level.groups.append(type(level.groups[0]).new("again"))
    level.groups[0].layers.append(other)
    level.groups[1].layers += [other, twice]
    (problem,) = check(level)
    assert problem.place == "map"
    assert problem.message.startswith("cannot be written")


def test_many_tiles_are_checked_at_once() -> None:
    level = new_level(1000, 1000)
    game = level.game_layer
    assert game is not None
    tiles = np.zeros((1000, 1000), TILE)
    tiles["reserved"][999, 999] = 1
    game[1].set_tiles(tiles)
    assert [problem.message for problem in check(level)] == ["layer 0 of group 0: tile 999999 has reserved 1, not 0"]


@pytest.mark.parametrize(
    ("m", "count"),
    [
        (with_game(data=EMPTY[12:]), 3),
        (with_game(data=tile(0, 0, 3) * 5 + EMPTY[20:]), 5),
        (with_game(data=EMPTY[8:] + tile(0, 0, 0, 7) * 2), 2),
        (with_game(version=4, data=tile(1, 0, 5)), 6),
        (with_game(version=4, data=tile(1, 0, 11) * 3), 2),
        (made(lambda m: [m.item(9, (1,), 4) for _ in range(4)]), 3),
    ],
)
def test_a_problem_of_several_things_counts_them(m: Map, count: int) -> None:
    assert [problem.count for problem in check(read(m.build()))] == [count]


def test_a_lenient_look_counts_what_names_nothing() -> None:
    m = full()
    m.quads([quad(envelopes=(number, 0, -1, 0)) for number in (0, 9, 7, 9, -2)], title="Q")
    counts = {str(problem): problem.count for problem in check(read(m.build()), "lenient")}
    assert counts["warning: layer 1 of group 0: names envelope 7, the map has 1"] == 3


def test_info_names_the_problems_on_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "short.map"
    file.write_bytes(with_game(data=EMPTY[4:]).build())
    assert main(["info", "--json", "--check", str(file)]) == 0
    assert json.loads(capsys.readouterr().out)["problems"] == ["error: blob 0: layer 0 of group 0: 11 of 12 tiles"]
    assert main(["info", "--json", str(file)]) == 0
    assert "problems" not in json.loads(capsys.readouterr().out)
