# SPDX-License-Identifier: GPL-3.0-or-later
"""What an edit changed, lump by lump, as people read it."""

import pytest

from formats.source import Level, LumpId, read, write
from formats.source.differences import differences
from formats.source.edits import cubemaps, entities, overlays, static_props

from . import source_bytes
from .source_room import room


@pytest.fixture
def level() -> Level:
    return room()


def lines(before: bytes, level: Level) -> list[str]:
    return [str(each) for each in differences(read(before), read(write(level)))]


def test_nothing_differs(level: Level) -> None:
    before = write(level)
    assert differences(read(before), read(before)) == []
    assert lines(before, level) == []


def test_records_and_bytes_are_counted(level: Level) -> None:
    before = write(level)
    overlays.change(level, {0: {"origin": (-90, 128, 64)}})
    cubemaps.add(level, (1, 2, 3))
    assert lines(before, level) == [
        "lump 42 (CUBEMAPS): from 2 to 3 records, of 1024 at most, from 32 to 48 bytes",
        "lump 45 (OVERLAYS): from 1 to 1 records, 1 edited, of 512 at most, from 352 to 352 bytes",
    ]


def test_lumps_without_a_name_differ_too() -> None:
    before = source_bytes.VARIANTS["128 lumps"]
    level = read(before)
    level.set_bytes(100, b"abcd")
    assert lines(before, level) == ["lump 100: from 0 to 4 bytes"]


def test_records_that_only_got_other_numbers_are_not_edited(level: Level) -> None:
    for name in "abc":
        entities.add(level, [("classname", "info_target"), ("targetname", name)])
    before = write(level)
    edited = read(before)
    entities.remove(edited, [1])
    entities.add(edited, [("classname", "info_target"), ("targetname", "last")])
    (line,) = lines(before, edited)
    assert line.startswith("lump 0 (ENTITIES): from 6 to 6 entities, 1 edited, ")


def test_records_in_another_order_are_edited(level: Level) -> None:
    before = write(level)
    level.entities[1], level.entities[2] = level.entities[2], level.entities[1]
    assert lines(before, level)[0].startswith("lump 0 (ENTITIES): from 3 to 3 entities, 2 edited, ")


def test_what_is_no_table_is_counted_too(level: Level) -> None:
    before = write(level)
    entities.set_keys(level, 1, {"targetname": "lamp"})
    static_props.remove(level, [0])
    level.set_bytes(LumpId.LIGHTING, bytes(level.bytes_of(LumpId.LIGHTING)) + b"more")
    found = lines(before, level)
    assert [line.partition(", from")[0] for line in found] == [
        "lump 0 (ENTITIES): from 3 to 3 entities, 1 edited",
        found[1],
        "lump 35 (GAME_LUMP), sprp: from 3 to 2 static props",
        "lump 40 (PAKFILE): from 9 to 8 files",
    ]
    assert found[1].startswith("lump 8 (LIGHTING): from 248 to 252 bytes")


def test_props_whose_leafs_only_stand_elsewhere_in_the_list_are_not_edited(level: Level) -> None:
    before = write(level)
    static_props.change(level, {0: {"origin": (0, 0, 8)}}, {"models/a.mdl": ((-40, -40, 0), (40, 40, 40))})
    first = [each.static_props.props["first_leaf"].tolist() for each in (read(before), level)]
    assert first[0] != first[1]
    assert "3 static props, 1 edited" in lines(before, level)[0]


def test_baked_light_is_copied(level: Level) -> None:
    static_props.copy_light(level, {7: 2})
    assert bytes(level.pak.read("sp_7.vhv")) == b"light of 2"
    assert bytes(level.pak.read("sp_hdr_7.vhv")) == b"hdr light of 2"
    assert bytes(level.pak.read("texelslighting_7.ppl")) == b"texels of 2"
    assert bytes(level.pak.read("sp_2.vhv")) == b"light of 2"
    before = write(level)
    static_props.copy_light(level, {})
    static_props.copy_light(level, {9: 8})
    assert write(level) == before
