# SPDX-License-Identifier: GPL-3.0-or-later
"""What is found wrong with a level, each on its own."""

import dataclasses
import re

import pytest

from formats.fable import check, new_level, read
from tests.formats import fable_bytes as build

PLAIN = build.Lev(sections=((b"NULL", build.ONE_ROOT),), sounds=(b"SEA",), atmospheres=((b"", 0), (b"DAY", 4)))


def found(lev, severity="error"):
    return [f"{p.place}: {p.message}" for p in check(read(lev.build())) if p.severity == severity]


def one(cell, x=2, y=3, plain=build.height_cell()):  # noqa: B008 - a constant
    return lambda at_x, at_y: cell if (at_x, at_y) == (x, y) else plain


def test_nothing_is_wrong_with_what_is_right():
    assert check(read(PLAIN.build())) == []
    assert check(new_level(64, 96, themes=["A"], sounds=["B"])) == []
    assert check(read(PLAIN.but(sections=((b"NULL", build.DOORS),)).build())) == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"width": 13, "sections": ()}, "map header: 13 x 32 units"),
        ({"sounds": [b"S%d" % n for n in range(128)]}, "sounds: 128 names"),
        ({"brushes": b"abc"}, "script-brush block: .*3 bytes"),
        ({"cell": one(build.height_cell(build.NAN))}, "world height is not.*: 1 cell, the first at x 2, y 3"),
        ({"cell": one(build.height_cell(-1.0))}, "world height is not"),
        ({"cell": one(build.height_cell(1.0))}, "world height is not"),
        ({"cell": one(build.height_cell(strengths=(200, 56)))}, "height cells: strengths exceed 255: 1 cell"),
        ({"game": one(build.game_cell(strengths=(200, 56)), plain=build.game_cell())}, "game map: strengths exceed"),
        (
            {"game": one(build.game_cell(sound=2), plain=build.game_cell())},
            "sound that is not there: 1 cell, .*x 2, y 4",
        ),
        ({"map_version": 2, "cell": one(build.height_cell(old_sound=2))}, "old_sound names a sound that is not there"),
        ({"sections": ((b"A", build.ONE_ROOT), (b"A", build.ONE_ROOT))}, "section 'A': is there 2 times"),
        ({"sections": ((b"A", build.HOLE),)}, "section 'A': is for 64 x 32 units, the map has 32 x 32"),
        ({"sections": ((b"A", build.ONE_ROOT[:-4] + b"mark"),)}, "section 'A': at byte .*end mark"),
        ({"sections": ((b"A", build.section([build.leaf(0, 16, 16, 1, layer=1)])),)}, "on no layer: 1 node"),
        ({"sections": ((b"A", build.section([build.leaf(0, 16, 16, 1, region=2)])),)}, "of no region: 1 node"),
        ({"sections": ((b"A", build.section([build.leaf(0, 16, 16, 1)] * 2)),)}, "index of another one: 2 nodes"),
        ({"sections": ((b"A", build.section([build.internal(0, 16, 16, 1, (9, 0, 0, 0))])),)}, "children are not"),
        ({"sections": ((b"A", build.section([build.leaf(0, 16, 16, 1, (9,))])),)}, "as neighbours are not leaves"),
        (
            {"sections": ((b"A", build.section([build.leaf(0, 16, 16, 1, (2,)), build.leaf(0, 16, 16, 2)])),)},
            "does not name them: 1 node",
        ),
        ({"sections": ((b"A", build.section([build.blank()], positions=[(1, 1, 1)])),)}, "1 action point is on no"),
    ],
)
def test_errors(changes, message):
    assert any(re.search(message, text) for text in found(PLAIN.but(**changes)))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"plus_one": 0}, "plus_one is 0"),
        ({"map_version": 1}, "map version 1"),
        ({"sounds": (), "sound_count": 0}, "a count of 0"),
        ({"sounds": (b"A", b"A")}, "sound 'A': is there 2 times"),
        ({"ground": ((b"A", 1), (b"B", 1))}, "slot 0 stands for no theme"),
        ({"ground": ((b"", 0), (b"B", 0))}, "ground palette: 'B': its value is 0"),
        ({"ground": ((b"", 0), (b"B", 1), (b"", 5))}, "ground palette: slot 2: it is used, but has no name"),
        ({"brushes": build.brushes(3)}, "3 brushes"),
        ({"header_gap": b"x"}, "file header: 1 of them"),
        ({"map_gap": b"x"}, "behind the map: 1 of them"),
        ({"directory_gap": b"x"}, "behind the directory: 1 of them"),
        ({"trailing": b"x"}, "trailing bytes: 1 of them"),
        ({"section_gap": b"x"}, "1 bytes before it"),
        ({"sections": None}, "no directory"),
        ({"sections": ((b"A", build.section([build.blank()], tail=b"xx")),)}, "2 bytes behind its end mark"),
        ({"cell": one(build.height_cell(walkable=2))}, "walkable is neither 0 nor 1"),
        ({"cell": one(build.height_cell(zero_9=2))}, "zero_9: is not 0"),
        ({"cell": one(build.height_cell(camera=0))}, "so the camera passes"),
        ({"cell": one(build.height_cell(themes=(1, 9, 0), strengths=(200, 55)))}, "theme that the palette does not"),
    ],
)
def test_warnings(changes, message):
    lev = PLAIN.but(**changes)
    assert [text for text in found(lev, "warning") if message in text]


def test_stale_slots_without_strength_are_usual():
    lev = PLAIN.but(cell=one(build.height_cell(themes=(1, 9, 8), strengths=(255, 0))))
    assert check(read(lev.build())) == []


def test_what_cannot_be_written():
    level = read(PLAIN.build())
    level.game_map = None
    assert [str(p) for p in check(level)] == [
        "error: level: cannot be written: reading map header: version 3 has a game map"
    ]


def test_regions_beyond_the_count_after_an_edit():
    level = read(PLAIN.build())
    tree = level.sections[0].navigation
    header = tree.header.copy()
    header["region_count"] = 1
    level.sections[0].navigation = dataclasses.replace(tree, header=header)
    assert [p.message for p in check(level)] == ["of no region: 1 node"]
