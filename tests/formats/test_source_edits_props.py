# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of static props, in every version of their records: leafs, the dictionary, files that are named after props."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.binary import FormatError
from formats.source import new_level, read, write
from formats.source.edits import static_props
from formats.source.tables.props import PROP_V10, PROP_V11, STATIC_PROPS
from formats.source.tree import leaf_tree
from tests import examples
from tests.formats import source_room as room
from tests.formats.test_source_edits import changed, refused

HULLS = {"Models\\A.mdl": ((-10, -10, 0), (10, 10, 40)), "models/c.mdl": ((-4, -4, 0), (60, 4, 8))}
LIT = {"sp_0.vhv", "sp_1.vhv", "sp_2.vhv", "sp_hdr_2.vhv", "texelslighting_2.ppl"}
# Those of v10 and v11 that a map of version 20 doesn't have, and those with a list of scales, have tests of their own.
VERSIONS = [(v, size) for v, size in STATIC_PROPS if (v, size) not in ((6, 60), (7, 64), (11, 80))]


def lit(level) -> dict[str, bytes]:
    """The files with baked light."""
    return {name: bytes(level.pak.read(name)) for name in level.pak.names if name.startswith(("sp_", "texels"))}


def leafs(level) -> list[list[int]]:
    return [level.static_props.leafs_of(number).tolist() for number in range(len(level.static_props.props))]


def test_a_prop_that_moves_is_in_other_leafs(level):
    static_props.change(level, {1: {"origin": (100, 0, 8), "skin": 3}}, HULLS)
    assert changed(level) == {"sprp"}
    assert leafs(level) == [[1], [2], [1]]
    prop = level.static_props.props[1]
    assert prop["lighting_origin"].tolist() == [100, 0, 20]
    assert prop["skin"] == 3
    static_props.change(level, {1: {"origin": (-5, 0, 8), "lighting_origin": (1, 2, 3)}}, HULLS)
    assert leafs(level) == [[1], [1, 2], [1]]
    assert level.static_props.props["first_leaf"].tolist() == [0, 1, 3]
    assert level.static_props.props[1]["lighting_origin"].tolist() == [1, 2, 3]


def test_its_box_turns_with_it(level):
    static_props.change(level, {0: {"model": "models/c.mdl", "origin": (-30, 0, 8)}}, HULLS)
    assert leafs(level)[0] == [1, 2]
    static_props.change(level, {0: {"angles": (0, 90, 0)}}, HULLS)
    assert leafs(level)[0] == [1]
    static_props.change(level, {0: {"angles": (0, 720, 0)}}, HULLS)
    assert leafs(level)[0] == [1, 2]


def test_without_a_hull_the_old_leafs_tell_how_large_it_is(level):
    static_props.change(level, {0: {"origin": (-10, 0, 8)}})
    assert leafs(level)[0] == [1, 2]  # within the margin
    static_props.change(level, {0: {"origin": (200, 0, 8)}})
    assert 2 in leafs(level)[0]


def test_what_leaves_it_in_its_place_leaves_its_leafs(level):
    same = level.static_props.props[0]["origin"].tolist()
    static_props.change(level, {0: {"skin": 2, "origin": same, "angles": (0, 0, 0), "model": "MODELS/A.mdl"}})
    before = room.room().static_props
    assert level.static_props.leafs.tobytes() == before.leafs.tobytes()
    assert level.static_props.props[1:].tobytes() == before.props[1:].tobytes()
    assert lit(level).keys() == LIT
    assert changed(level) == {"sprp"}


def test_another_model_has_no_baked_light(level):
    static_props.change(level, {2: {"model": "models/c.mdl"}}, HULLS)
    assert changed(level) == {"sprp", "PAKFILE"}
    assert lit(level).keys() == {"sp_0.vhv", "sp_1.vhv"}
    assert level.static_props.models == ["models/a.mdl", "models/b.mdl", "models/c.mdl"]
    assert level.static_props.names.tobytes()[128:256] == b"models/b.mdl\0".ljust(128, b"\xee")


def test_new_props_stand_behind_the_others(level):
    made = static_props.add(
        level,
        [
            {"model": "models/c.mdl", "origin": (-30, 0, 8), "angles": (0, 180, 0), "fade_max_dist": 900},
            {"model": "models/a.mdl", "origin": (50, 5, 0)},
        ],
        HULLS,
    )
    assert made == [3, 4]
    assert changed(level) == {"sprp"}
    assert leafs(level) == [[1], [1], [1], [1], [2]]
    new = level.static_props.props[3]
    assert new["lighting_origin"].tolist() == [-30, 0, 8]
    assert (new["solid"], new["fade_min_dist"], new["fade_max_dist"], new["forced_fade_scale"]) == (6, -1, 900, 1)
    assert static_props.add(level, [{"model": "models/a.mdl", "origin": (-200, 0, 8)}]) == [5]  # as large as its like


def test_files_are_renamed_after_the_props_that_stay(level):
    static_props.remove(level, [0])
    assert lit(level) == {
        "sp_0.vhv": b"light of 1",
        "sp_1.vhv": b"light of 2",
        "sp_hdr_1.vhv": b"hdr light of 2",
        "texelslighting_1.ppl": b"texels of 2",
    }
    assert changed(level) == {"sprp", "PAKFILE"}
    static_props.remove(level, [0, 1])
    assert lit(level) == {}
    assert len(level.static_props.props) == len(level.static_props.leafs) == 0
    assert changed(level) == {"sprp", "PAKFILE"}


@pytest.mark.parametrize(
    ("message", "edit", "argument"),
    [
        ("no 'uniform_scale'", static_props.change, {0: {"uniform_scale": 2}}),
        ("within a wall or outside of the map", static_props.change, {0: {"skin": 1}, 1: {"origin": (9000, 0, 0)}}),
        ("isn't there", static_props.change, {3: {"skin": 1}}),
        ("cannot be set", static_props.change, {0: {"first_leaf": 1}}),
        ("whole number from 0 to 255", static_props.change, {0: {"solid": 256}}),
        ("not finite", static_props.change, {0: {"origin": (np.inf, 0, 0)}}),
        ("shape", static_props.change, {0: {"origin": (0, 0)}}),
        ("127 are allowed", static_props.change, {0: {"model": "x" * 128}}),
        ("needs 'model'", static_props.add, [{"origin": (0, 0, 0)}]),
        ("how large models/d.mdl is", static_props.add, [{"model": "models/d.mdl", "origin": (0, 0, 8)}]),
        ("isn't there", static_props.remove, [0, 3]),
    ],
)
def test_props_that_cannot_be(level, message, edit, argument):
    refused(level, message, edit, argument)


def test_names_that_are_taken_in_the_pak_leave_the_props(level):
    level.pak.put("__preload_section.pre", b"")
    refused(level, "preload", static_props.remove, [0])


@pytest.mark.parametrize(("version", "size"), VERSIONS)
def test_every_version_keeps_what_is_not_changed(version, size):
    dtype = STATIC_PROPS[version, size]
    level = room.room(version, dtype)
    assert level.static_props.props.dtype == dtype
    before = room.room(version, dtype)
    raw = level.static_props.props.tobytes()
    static_props.change(level, {1: {"origin": (100, 0, 8)}}, HULLS)
    static_props.add(level, [{"model": "models/a.mdl", "origin": (50, 5, 0)}], HULLS)
    assert changed(level, before) == {"sprp"}
    static_props.remove(level, [3])
    after = level.static_props.props
    assert after[[0, 2]].tobytes() == before.static_props.props[[0, 2]].tobytes()
    kept = [name for name in dtype.names if name not in ("origin", "lighting_origin")]
    for name in kept:
        assert after[name].tobytes() == before.static_props.props[name].tobytes(), name
    static_props.change(level, {1: {"origin": room.PROP_FIELDS["origin"]}}, HULLS)
    assert level.static_props.props.tobytes() == raw


def test_scale_where_the_record_has_it():
    level = room.room(11, PROP_V11)
    raised = level.static_props.props.dtype.names
    assert "uniform_scale" not in raised  # 80 bytes are those of Black Mesa in a map of version 20
    refused(level, "no 'uniform_scale'", static_props.change, {0: {"uniform_scale": 2}})
    for version, dtype, field in ((12, PROP_V11, "uniform_scale"), (13, STATIC_PROPS[13, 88], "scale")):
        level = room.room(version, dtype)
        value = 3.0 if field == "uniform_scale" else (3.0, 3.0, 3.0)
        near = {0: {"origin": (-20, 0, 8), field: 1.0 if field == "uniform_scale" else (1.0, 1.0, 1.0)}}
        static_props.change(level, near, HULLS)
        assert leafs(level)[0] == [1]
        static_props.change(level, {0: {field: value}}, HULLS)
        assert leafs(level)[0] == [1, 2]
        assert changed(level, room.room(version, dtype)) == {"sprp"}


@pytest.mark.parametrize("version", [6, 7])
def test_the_list_of_scales_of_vindictus_follows(version):
    level = room.room_with_scales(version, {0: (1, 1, 1), 2: (2, 2, 2)})
    before = read(write(level))
    assert level.static_props.scales is not None
    static_props.change(level, {1: {"scale": (1, 2, 3)}}, HULLS)
    static_props.remove(level, [0])
    assert level.static_props.scales["prop"].tolist() == [1, 0]
    assert level.static_props.scales["scale"].tolist() == [[2, 2, 2], [1, 2, 3]]
    assert changed(level, before) == {"sprp", "PAKFILE"}


def test_left_4_dead_2_may_have_something_unknown_for_each_prop():
    data = bytearray(write(room.room()))
    data[4] = 21
    for lump in range(64):  # its directory has versions first
        entry = data[8 + 16 * lump : 24 + 16 * lump]
        data[8 + 16 * lump : 24 + 16 * lump] = entry[8:12] + entry[:8] + entry[12:]
    level = read(bytes(data))
    static_props.remove(level, [0])
    level = read(bytes(data))
    level.set_bytes(22, b"hull")
    refused(level, "lump 22", static_props.remove, [0])
    refused(level, "lump 22", static_props.add, [{"model": "models/a.mdl", "origin": (0, 0, 8)}], HULLS)
    static_props.change(level, {0: {"origin": (100, 0, 8)}}, HULLS)
    assert leafs(level)[0] == [2]


PLACES = st.tuples(st.integers(-200, 200), st.integers(-100, 100), st.integers(8, 100))
MODELS = st.sampled_from(["models/a.mdl", "models/c.mdl"])
STEPS = st.one_of(
    st.tuples(st.just("add"), PLACES, MODELS),
    st.tuples(st.just("move"), PLACES, st.integers(0, 9)),
    st.tuples(st.just("remove"), st.integers(0, 9)),
)


@given(st.lists(STEPS, max_size=8))
@examples.at_most(40)
def test_any_sequence_of_edits_leaves_a_whole_map(steps):
    level = room.room(10, PROP_V10) if len(steps) % 2 else room.room()
    before = read(write(level))
    expected = [["models/a.mdl", (-200, 0, 8), f"light of {number}".encode()] for number in range(3)]
    for step in steps:
        if step[0] == "add":
            static_props.add(level, [{"model": step[2], "origin": step[1]}], HULLS)
            expected.append([step[2], step[1], None])
        elif step[-1] >= len(expected):
            continue
        elif step[0] == "move":
            static_props.change(level, {step[2]: {"origin": step[1]}}, HULLS)
            expected[step[2]][1] = step[1]
        else:
            static_props.remove(level, [step[1]])
            del expected[step[1]]
    assert changed(level, before) <= {"sprp", "PAKFILE"}
    after = read(write(level))
    props = after.static_props
    assert [props.models[kind] for kind in props.props["prop_type"]] == [model for model, _, _ in expected]
    assert [tuple(origin) for origin in props.props["origin"].tolist()] == [origin for _, origin, _ in expected]
    for number, (_, _, light) in enumerate(expected):
        assert (lit(after).get(f"sp_{number}.vhv")) == light
    assert all(len(found) for found in leafs(after))


@pytest.fixture
def level():
    return room.room()


def test_a_map_without_props_says_so(level):
    level.game_lumps.set_bytes("sprp", b"\0" * 12 + b"?", 6)
    with pytest.raises(FormatError, match="props"):
        static_props.remove(read(write(level)), [])


def test_a_map_without_leafs_has_no_place_for_props() -> None:
    with pytest.raises(FormatError, match="leaf 0 of 0"):
        leaf_tree.clusters(new_level(), np.array([0]))
