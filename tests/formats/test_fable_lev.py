# SPDX-License-Identifier: GPL-3.0-or-later
"""`.lev` files, against bytes that were put together without our code."""

import dataclasses
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.binary import FormatError
from formats.fable import (
    GAME_CELL,
    Level,
    contents,
    heights,
    identify,
    new_cells,
    new_level,
    palette_names,
    read,
    section_at,
    stored_heights,
    strengths,
    summary,
    weights,
    write,
)
from formats.fable.nodes import decode, encode
from tests import examples
from tests.formats import fable_bytes as build

VARIANTS = build.variants()


def leaves(value):
    """Everything that `dump` would print."""
    if isinstance(value, dict):
        value = value.values()
    elif isinstance(value, (np.ndarray, str, bytes)) or not hasattr(value, "__iter__"):
        yield value
        return
    for part in value:
        yield from leaves(part)


@pytest.mark.parametrize("name", VARIANTS)
def test_comes_out_as_it_came_in(name):
    data = VARIANTS[name].build()
    assert identify(data)
    level = read(data)
    assert write(level) == data
    refused = [value for value in leaves(contents(level)) if isinstance(value, FormatError)]
    assert len(refused) == (name == "short brush block")
    assert summary(level)["size"] == f"{VARIANTS[name].width} x {VARIANTS[name].height} units"


@pytest.mark.parametrize("name", [name for name, lev in VARIANTS.items() if lev.sections])
def test_navigation_is_encoded_as_it_was_decoded(name):
    data = VARIANTS[name].build()
    level = read(data)
    for section in level.sections:
        section.navigation = section.navigation
    assert write(level) == data


def test_every_field_of_the_headers():
    level = read(build.WHOLE.build())
    assert [int(level.header[n]) for n in ("size", "version", "map_offset", "unused", "legacy_nav_offset")] == [
        25, 4, 25, 0xD8000000, 0xFF7C37A2,
    ]  # fmt: skip
    names = ("size", "version", "thing_uid_counter", "width", "height", "plus_one", "map_version", "sound_count")
    assert [int(level.map_header[name]) for name in names] == [67618, 9, 77, 64, 32, 1, 3, 4]
    assert level.checksum == 0xF33B90B5
    assert level.sounds == ["SOUND_THEME_SEA", "", "SOUND_é"]
    assert palette_names(level.atmosphere_palette)[:3] == ["", "ENVIRONMENT_HAUNTED", ""]
    ground = palette_names(level.ground_palette)
    assert ground[:6] == ["", "INVALID_THEME_STANDIN", "JUNK", "ÄÖüÿ", "W" * 128, "UNINITIALISED"]
    assert level.ground_palette["value"].tolist() == [7 * slot for slot in range(256)]
    assert read(VARIANTS["map header 8"].build()).checksum is None
    assert int(level.brush_header()["brush_count"]) == 0
    assert int(read(VARIANTS["script brushes"].build()).brush_header()["brush_count"]) == 2


def test_every_field_of_the_cells():
    level = read(build.WHOLE.build())
    assert level.cells.shape == (33, 65)
    cell, n = level.cells[5, 9], 37 * 9 + 11 * 5
    assert cell["themes"].tolist() == [n % 3, (n + 1) % 3, n % 251]
    assert cell["strengths"].tolist() == [n % 256, n * 7 % 256]
    assert strengths(level.cells)[5, 9].tolist() == [n % 256, n * 7 % 256, 255 - n % 256 - n * 7 % 256]
    names = ("walkable", "camera", "old_sound", "shore", "path", "zero_9", "zero_18")
    assert [int(cell[name]) for name in names] == [n % 5, n % 4, 182, n % 2, n % 3, n % 7, n % 6]
    assert heights(level.cells)[5, 9] == n / 64
    first = level.cells[0, :5]["height"].copy().view("<u4").tolist()
    assert first == [build.NAN, 0x80000000, 0xC0600000, 1, 0xFF800000]


def test_heights_are_exact_both_ways():
    values = np.random.default_rng(4).uniform(0, 1, 10000).astype(np.float32)
    cells = new_cells(read(build.WHOLE.build()).cells.dtype, 7, (100, 100))
    cells["height"] = values.reshape(100, 100)
    assert np.array_equal(stored_heights(heights(cells)), cells["height"])


def test_rows_of_the_game_map_run_upwards_as_those_of_the_cells():
    top = build.Lev(height=64, game=lambda x, y: build.game_cell(sound=1 if y == 0 else 0), sounds=(b"SEA",))
    level = read(top.build())
    assert level.game_map["sound"][-1].tolist() == [1] * 8
    assert not level.game_map["sound"][:-1].any()
    whole = read(build.WHOLE.build()).game_map
    assert whole.shape == (8, 16)
    assert whole[7 - 3, 5].tobytes() == build.game_cell((2, 1, 1), (25, 27), 0)
    assert read(VARIANTS["map version 1"].build()).game_map is None


def test_every_kind_of_node():
    level = read(build.WALKED.build())
    tree = level.sections[0].navigation
    assert (tree.version, tree.layer_count, tree.region_count, tree.tail) == (8, 2, 2, b"")
    assert tree.positions.tolist() == [(1.0, 2.0, 1), (3.0, -0.0, 0)]
    assert tree.nodes["children"][5].tolist() == [6, 7, 8, 0]
    door = tree.nodes[8]
    assert door["children"].tolist() == [0, 0, 0, 0]
    fields = [door[name].item() for name in door.dtype.names if name != "children"]
    assert fields == [1, 0, 1, 1, 1, 1, 8.0, 24.0, 8, 0, 64, 1, 1]
    assert tree.keys.tolist() == [build.DOOR, build.DOOR + 1, build.DOOR]
    assert tree.first_keys().tolist() == [0, 0, 0, 0, 0, 0, 0, 0, 2, 3]
    starts = tree.first_neighbours()
    assert tree.neighbours[starts[1] : starts[2]].tolist() == [2, 3, 6]
    blank = read(build.WHOLE.build()).sections[0].navigation.nodes[4]
    assert [int(blank[name]) for name in ("switchable", "root", "blocked", "leaf", "index")] == [0, 1, 1, 0, 0]
    assert read(VARIANTS["nav 6"].build()).sections[0].navigation.nodes["preference"].tolist() == [64]
    centre = read(VARIANTS["NaN centre"].build()).sections[0].navigation.nodes["x"]
    assert centre.copy().view("<u4").tolist() == [build.NAN]


def test_sections_are_named_and_cut_out():
    level = read(VARIANTS["gaps between sections"].build())
    assert [section.name for section in level.sections] == ["NULL", "Q_Quest", ""]
    assert [section.gap for section in level.sections] == [b"gap"] * 3
    assert [len(section.navigation.nodes) for section in level.sections] == [5, 5, 2]
    assert read(VARIANTS["no directory"].build()).sections is None


def test_legacy_navigation_is_kept_apart_and_not_moved():
    lev = build.Lev(sections=None)
    tree = b"a tree of the old form"
    end = len(lev.build())
    data = lev.but(legacy=end, trailing=tree).build()
    level = read(data)
    assert level.legacy_navigation == tree
    assert write(level) == data
    level.sounds.append("SOUND_NEW")
    with pytest.raises(FormatError, match="legacy navigation: holds offsets of its own"):
        write(level)


# --------------------------------------------------------------------------------------------------------------- edits


def test_offsets_follow_when_sizes_change():
    lev = VARIANTS["gaps between sections"]
    level = read(lev.build())
    level.sounds.insert(1, "SOUND_THEME_OF_MORE_BYTES")
    changed = lev.but(sounds=(lev.sounds[0], b"SOUND_THEME_OF_MORE_BYTES", *lev.sounds[1:]))
    assert write(level) == changed.build()
    level.brushes += b"more"
    level.sections[0].name = "LONGER"
    level.sections.pop()
    longer = changed.but(brushes=changed.brushes + b"more", sections=((b"LONGER", build.HOLE), *lev.sections[1:2]))
    assert write(level) == longer.build()
    level.sections[1].navigation = decode(build.section([build.blank()] * 2, width=64))
    shorter = longer.but(sections=(longer.sections[0], (b"Q_Quest", build.section([build.blank()] * 2, width=64))))
    assert write(level) == shorter.build()


def test_one_cell_changes_its_bytes_only():
    data = build.WHOLE.build()
    level = read(data)
    with pytest.raises(ValueError, match="read-only"):
        level.cells["walkable"][0, 0] = 0
    cells = level.cells.copy()
    cells["walkable"][2, 3] ^= 1
    level.cells = cells
    game_map = level.game_map.copy()
    game_map["sound"][0, 0] += 1
    level.game_map = game_map
    different = [i for i, (a, b) in enumerate(zip(data, write(level), strict=True)) if a != b]
    sounds = sum(4 + len(name) for name in build.WHOLE.sounds)
    cells_at = 25 + 67618 + sounds
    game_at = cells_at + 21 * 33 * 65 + 11 * 7 * 16  # the last row of the file
    assert different == [cells_at + 21 * (2 * 65 + 3) + 15, game_at + 10]


def test_a_level_may_be_given_another_size():
    level = read(build.WHOLE.build())
    level.map_header["width"] = 32
    with pytest.raises(FormatError, match=r"height cells: \(33, 65\) of them, the map header says \(33, 33\)"):
        write(level)
    level.cells, level.game_map = level.cells[:, :33], level.game_map[:, :8]
    again = read(write(level))
    assert again.cells.tobytes() == level.cells.tobytes()
    assert again.game_map.tobytes() == level.game_map.tobytes()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda level: level.sounds.append("Ω"), "sound 4: 'Ω' has characters that Latin-1 does not have"),
        (lambda level: setattr(level, "game_map", None), "version 3 has a game map"),
        (lambda level: level.map_header.__setitem__("map_version", 1), "version 1 has no game map"),
        (lambda level: setattr(level, "game_map", new_cells(GAME_CELL, 1, (1, 1))), "game map: .* of them"),
    ],
)
def test_what_a_file_cannot_hold_is_refused(change, message):
    level = read(build.WHOLE.build())
    change(level)
    with pytest.raises(FormatError, match=message):
        write(level)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"neighbours": np.zeros(3, np.int32)}, "do not name the 3 neighbours"),
        ({"keys": np.zeros(1, np.uint64)}, "do not name the 1 keys"),
    ],
)
def test_nodes_that_do_not_fit_their_lists_are_refused(change, message):
    tree = read(build.WALKED.build()).sections[0].navigation
    with pytest.raises(FormatError, match=message):
        encode(dataclasses.replace(tree, **change))


@pytest.mark.parametrize(
    ("version", "message"),
    [(4, "version 4, known"), (5, "no switchable"), (6, "no preference other than 64"), (9, "version 9, known")],
)
def test_navigation_of_a_version_that_cannot_hold_it_is_refused(version, message):
    tree = read(build.WALKED.build()).sections[0].navigation
    header = tree.header.copy()
    header["version"] = version
    with pytest.raises(FormatError, match=message):
        encode(dataclasses.replace(tree, header=header))


def test_new_levels():
    level = new_level(64, 32, themes=["GROUND_GRASS"], atmospheres=["ENVIRONMENT_DAY"], sounds=["SOUND_SEA"], z=12.5)
    data = write(level)
    again = read(data)
    assert identify(data)
    assert write(again) == data
    assert (heights(again.cells) == 12.5).all()
    assert palette_names(again.ground_palette)[:4] == ["", "INVALID_THEME_STANDIN", "GROUND_GRASS", ""]
    assert set(again.cells["themes"][..., 0].flat) == {2}
    assert again.sections[0].name == "NULL"
    assert again.sections[0].navigation.nodes["index"].tolist() == [1, 2]
    assert (weights(again.cells) == 128).all()
    assert read(write(new_level(32, 32, with_navigation=False))).sections == []
    expected = build.Lev(
        ground=((b"", 0), (b"INVALID_THEME_STANDIN", 1)), unused=0, legacy=0, checksum=0, uid_counter=0,
        sections=((b"NULL", build.ONE_ROOT),),
    )  # fmt: skip
    assert write(new_level(32, 32)) == expected.build()


@pytest.mark.parametrize(
    "arguments",
    [
        {"width": 33},
        {"height": 0},
        {"z": 2048.0},
        {"z": float("nan")},
        {"themes": ["W" * 128]},
        {"themes": ["x"] * 255},
    ],
)
def test_new_levels_that_cannot_be(arguments):
    with pytest.raises(ValueError, match=r"multiples of|less than|characters|slots"):
        new_level(**({"width": 32, "height": 32} | arguments))


# ------------------------------------------------------------------------------------------------------------- refusals


def patched(data: bytes, offset: int, form: str, value: int) -> bytes:
    size = struct.calcsize(form)
    return data[:offset] + struct.pack(form, value) + data[offset + size :]


PLAIN = VARIANTS["nav 7"].build()
CELLS_AT = 25 + 67618
NAV_AT = struct.unpack_from("<I", PLAIN, 21)[0]


@pytest.mark.parametrize(
    ("offset", "form", "value", "message"),
    [
        (0, "<I", 24, "file header: 24 bytes, version 4; known is 25 bytes, version 4"),
        (4, "<B", 3, "file header: 25 bytes, version 3"),
        (5, "<I", 24, "map header: its offset is 0x18"),
        (25, "<I", 67614, "map header: 67614 bytes, version 9; known is 67614 bytes, version 8 or 67618"),
        (25 + 13, "<I", 1 << 31, "height cells: .* records of 21 bytes"),
        (25 + 0x841A, "<I", 0xFFFFFFFF, "sounds: needs"),
        (CELLS_AT + 21 * 5, "<I", 20, "record 5 has 20 bytes, version 7"),
        (CELLS_AT + 21 * 5 + 4, "<B", 6, "record 5 has 21 bytes, version 6"),
        (13, "<I", CELLS_AT, "script-brush block: its offset"),
        (21, "<I", NAV_AT - 40000, "navigation directory: its offset"),
        (NAV_AT, "<I", NAV_AT + 8, "end of the navigation directory: its offset"),
        (NAV_AT + 4, "<I", 1 << 30, "navigation directory: needs"),
        (NAV_AT + 16, "<I", NAV_AT, r"section 0 \(NULL\): its offset"),
        (NAV_AT + 20, "<I", NAV_AT, r"section 0 \(NULL\): its end is"),
    ],
)
def test_levels_that_are_refused(offset, form, value, message):
    with pytest.raises(FormatError, match=f"^at byte 0x[0-9a-f]+: reading .*{message}"):
        read(patched(PLAIN, offset, form, value))


SECTION_AT = NAV_AT + 24


@pytest.mark.parametrize(
    ("offset", "form", "value", "at", "message"),
    [
        (0, "<I", 4, 0, "navigation: version 4, known are 5 to 8"),
        (16, "<I", 1 << 31, 20, "action points: .* records"),
        (24, "<i", -1, 28, "nodes: its count is negative"),
        (24, "<i", 1 << 30, 28, "nodes: needs"),
        (28 + 18 + 5, "<i", -1, 28, "node 0: reaches beyond"),
        (28 + 18 + 5, "<i", 1 << 30, 28, "node 0: reaches beyond"),
        (28 + 18 + 9, "<I", 7, 28 + 18 + 9, "end mark: 0x7 where 0xacbdef12 should be"),
    ],
)
def test_sections_that_are_refused(offset, form, value, at, message):
    level = read(patched(PLAIN, SECTION_AT + offset, form, value))
    with pytest.raises(FormatError, match=f"^at byte {SECTION_AT + at:#x}: reading {message}"):
        _ = level.sections[0].navigation
    assert write(level)  # untouched bytes are bytes still


def test_every_cut_is_refused_or_comes_out_as_it_is():
    data = VARIANTS["128 sounds"].but(height=1, width=1).build()
    for end in [*range(140), *range(67_000, len(data), 97), *range(len(data) - 100, len(data))]:
        try:
            level = read(data[:end])
        except FormatError:
            continue
        assert write(level) == data[:end]


def test_section_at_names_every_part():
    level = read(build.WHOLE.build())
    data = write(level)
    names = [section_at(level, offset) for offset in (0, 25, 25 + 67618, CELLS_AT + 100, len(data) - 1, len(data))]
    assert names == ["file header", "map header", "sounds", "height cells", "section ''", "end of the file"]


# ---------------------------------------------------------------------------------------------------------- properties

BYTE = st.integers(0, 255)


@examples.at_most(40)
@given(st.data())
def test_navigation_of_any_fields_comes_out_as_it_came_in(data):
    version = data.draw(st.integers(5, 8))
    word = st.integers(-(1 << 31), (1 << 31) - 1)
    parts = []
    for _ in range(data.draw(st.integers(0, 12))):
        kind = data.draw(st.sampled_from(["blank", "internal", "leaf", "door"]))
        if kind == "blank":
            parts.append(build.head(version, 0, data.draw(BYTE), data.draw(st.integers(1, 255))))
        elif kind == "internal":
            children = data.draw(st.lists(word, min_size=4, max_size=4))
            parts.append(build.internal(data.draw(BYTE), 1.5, -0.0, data.draw(word), children, version=version))
        else:
            keys = data.draw(st.lists(st.integers(0, (1 << 64) - 1), max_size=3)) if kind == "door" else None
            keys = None if version == 5 else keys
            bits = data.draw(st.integers(0, (1 << 32) - 1))
            near = data.draw(st.lists(word, max_size=5))
            part = build.leaf(
                data.draw(BYTE), bits, 2.5, data.draw(word), near, data.draw(word), data.draw(BYTE), data.draw(BYTE),
                keys, 0 if keys is None else data.draw(BYTE), version,
            )  # fmt: skip
            parts.append(part)
    raw = build.section(parts, version=version, tail=data.draw(st.binary(max_size=6)))
    tree = decode(raw)
    assert len(tree.nodes) == len(parts)
    assert encode(tree) == raw


def test_a_level_is_a_plain_tree():
    assert isinstance(read(PLAIN), Level)
    assert not identify(b"")
    assert not identify(PLAIN[:25])
    assert not identify(patched(PLAIN, 25, "<I", 67614))


@pytest.mark.slow
@pytest.mark.cpu_seconds(10)
def test_more_sections_than_a_level_is_meant_to_have_are_refused():
    many = build.Lev(sections=[(b"Q%d" % n, b"") for n in range(100_000)]).build()
    with pytest.raises(FormatError, match="100000 sections: 1000 are read at most"):
        read(many)
    most = build.Lev(sections=[(b"Q%d" % n, b"") for n in range(1_000)]).build()
    assert write(read(most)) == most
