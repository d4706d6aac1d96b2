# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions: text read to its end, compressed keys, events, names, the binary form; and edits of them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats import FormatError
from formats.genesis import Compression, Event, Motion, Path, Track
from formats.genesis.motion import name_checksum, quaternions
from formats.genesis.motion_file import read, write
from formats.genesis.text import fixed
from tests.formats import genesis_bytes as build

finite = st.floats(-1e5, 1e5, allow_subnormal=False, width=32)


def redone(data: bytes) -> bytes:
    """A motion written from what it says, not from the bytes it was read from."""
    motion, _ = read(data)
    motion.source = None
    return write(motion)


def test_the_end_is_found_without_a_length():
    for data in (build.motion(), build.motion(build.HINGE, build.STEADY, events=[("1.000000", "x")])):
        motion, end = read(b"before" + data + b"\x03\0\0\0behind", 6)
        assert end == 6 + len(data)
        assert motion.source == data
        assert write(motion) == data
        assert redone(data) == data


def test_keys():
    motion, _ = read(build.motion(name="lift"))
    assert (motion.name, motion.names, motion.maintain_names, motion.checksum) == ("lift", ["FixedPath"], True, None)
    (path,) = motion.paths
    assert path.rotation.times.tolist() == [0, 1.5, 4]
    assert path.rotation.values.tolist() == [[1, 0, 0, 0], [0.707107, 0, 0.707107, 0], [1, 0, 0, 0]]
    assert path.translation.values.tolist() == [[0, 0, 0], [0, 96.5, 0], [0, 0, 0]]
    assert (path.rotation.interpolation, path.rotation.looped) == (1, False)


def test_compressed_keys():
    motion, _ = read(build.motion(build.HINGE, build.STEADY))
    rotation, translation = motion.paths[0].rotation, motion.paths[0].translation
    assert rotation.axis == (0, 1, 0)
    assert rotation.times.tolist() == [0, 0.5, 1, 1.5]
    assert rotation.values[3] == pytest.approx([math.cos(0.75), 0, -math.sin(0.75), 0])
    assert rotation.compression == Compression.HINGE | Compression.LINEAR_TIME
    assert translation.times.tolist() == [0, 0.25, 0.5]
    assert translation.looped
    axis, angles = rotation.hinge()
    assert axis == (0, 1, 0)
    assert angles == pytest.approx([0.25, 0.5, 1, -1.5])


def test_events_and_names():
    data = build.motion(events=[("0.500000", "a b"), ("3.000000", "")], names=["one"], checksum=name_checksum(["one"]))
    motion, _ = read(data)
    assert [(event.time, event.text) for event in motion.events] == [(0.5, "a b"), (3, "")]
    assert motion.names == ["one"]
    assert name_checksum(["FixedPath"]) == 2679
    assert name_checksum(["PathInfo"]) == 2379
    motion.events.insert(1, Event(2.0, "caf\xe9"))
    text = write(motion).decode("latin-1")
    assert "DataSize 10\nTimeKeys 3\n0.500000 0\na b\n2.000000 4\ncaf\xe9\n3.000000 9\n\nNameArray" in text
    assert read(build.motion(checksum=-5))[0].checksum == -5


def test_other_orders_spaces_and_line_ends_are_read_and_kept():
    crlf = build.motion(events=[("1.000000", "open")], end="\r\n")
    motion, end = read(crlf)
    assert (end, write(motion), motion.events[0].text) == (len(crlf), crlf, "open")
    motion.events[0].text = "shut"
    assert b"\r" not in write(motion)
    old = build.motion("Rotation 0\n", build.TRANSLATION.replace("Translation 1 1", "Translation 1"), path="0.F1")
    motion, _ = read(old)
    assert motion.paths[0].rotation is None
    assert write(motion) == old
    assert redone(old).count(b"Rotation 0 4\nTranslation 1 1\n") == 1
    swapped = build.motion().replace(b"MaintainNames 1\nPathCount 1\n", b"PathCount 1\nMaintainNames 1\n")
    assert write(read(swapped)[0]) == swapped


def test_an_edit_shows():
    motion, _ = read(build.motion())
    motion.paths[0].translation.values[1, 1] = 100
    expected = build.motion(translation=build.TRANSLATION.replace("96.500000", "100.000000"))
    assert write(motion) == expected
    motion.paths[0].translation = None
    assert b"Translation 0 1\n" in write(motion)


def test_new_keys_are_compressed_as_the_engine_would():
    times = np.arange(5) / 4
    turned = Track(times, quaternions((0, 0.6, 0.8), [0.1, 0.2, 0.3, 0.4, 0.5]))
    text = write(Motion([Path(turned)])).decode()
    assert "Keys 5 1 3 0\n0.000000 0.250000 Start T,Delta T\n0.000000 0.600000 0.800000 Axis\n0.100000\n" in text
    still = Track(times, quaternions((0, 1, 0), [0, 0.2, 0.3, 0.4, 0.5]))  # a key that does not turn has no axis
    assert still.compression == Compression.LINEAR_TIME
    assert Track(times[:2], np.zeros((2, 3))).compression == 0
    assert Track(times[:3], turned.values[:3]).compression == Compression.LINEAR_TIME
    assert Track(times**2, turned.values).compression == Compression.HINGE
    assert Track(times, quaternions((0, 1, 0), [0.1, -0.2, 0.3, 0.4, 0.5])).compression == Compression.LINEAR_TIME


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b"MOTN 0.F0", b"MOTN 0.F1", "MOTN of version '0.F1'"),
        (b"MOTN", b"BOTN", "neither MOTN nor MTNB"),
        (b"MaintainNames 1", b"MaintainNames x", "MaintainNames: 'x' is not 1 whole number"),
        (b"PathCount 1", b"PathCount 2", "PathCount 2, but 1 paths and 1 names"),
        (b"PathCount", b"PathAmount", "'PathAmount 1' stands where one of"),
        (b"NameChecksum 2679", b"NameArray 0", "'NameArray 1' stands where one of"),
        (b"Strings 1", b"Strings -1", r"Strings: its count is negative \(-1\)"),
        (b"PATH 0.F2", b"PATH 0.F0", "PATH of version '0.F0', known are 0.F2, 0.F1"),
        (b"PathArray 1", b"PathArray 999999999", "stands where PATH should|no line"),
        (b"Rotation 1 4", b"Rotation 1", "Rotation: '1' is not 2 whole numbers"),
        (b"Keys 3 1 0 0", b"Keys 3 3 0 0", "interpolation 3"),
        (b"Keys 3 1 0 0", b"Keys 3 1 4 0", "compression 4 of keys of 4 numbers"),
        (b"Keys 3 1 0 0", b"Keys -3 1 0 0", "Keys: its count is negative"),
        (b"Keys 3 1 0 0", b"Keys 2000000000 1 0 0", "a key: "),
        (b"0.707107", b"nan", "a key: .* is not 5 numbers"),
        (b"0.707107", b"1e39", "beyond the largest float"),
        (b"96.500000", b"9" * 300, "no line of less than 255 characters"),
    ],
)
def test_damage_is_refused(old, new, message):
    data = build.motion()
    assert old in data
    with pytest.raises(FormatError, match=message):
        read(data.replace(old, new, 1))


def test_translations_have_no_hinge():
    with pytest.raises(FormatError, match="compression 1 of keys of 3 numbers"):
        read(build.motion(translation=build.TRANSLATION.replace("Keys 3 1 0 0", "Keys 3 1 1 0")))


def test_wherever_it_is_cut_it_is_refused():
    for data in (build.motion(build.HINGE, build.STEADY, events=[("1.000000", "x")]), BINARY):
        for length in range(len(data)):
            with pytest.raises(FormatError):
                read(data[:length])


@pytest.mark.parametrize(
    "motion",
    [
        Motion([Path()], name="two\nlines"),
        Motion([Path()], events=[Event(0, "x" * 255)]),
        Motion([Path()], events=[Event(0, "Ω")]),
        Motion([Path()], names=["one", "two"]),
        Motion([Path(None, Track(np.array([0.0]), np.array([[0, np.nan, 0]])))]),
        Motion([Path()], name="Ω", binary=True),
    ],
)
def test_what_cannot_be_written(motion):
    with pytest.raises(FormatError):
        write(motion)


# -------------------------------------------------------------------------------------------------------------- binary
BINARY = build.binary_motion(
    [
        (build.keys(1, 0, 0, 2, 0, 1.25, 1, 2, 3, 4, 5, 6), build.keys(1, 0, 1, 2, 0, 3, 1, 0, 0, 0, 0, 0, 1, 0)),
        (build.keys(2, 2, 0, 3, 0, 0.5, *range(9)), b""),
        (b"", build.keys(1, 3, 0, 4, 0, 0.5, 0, 0, 1, 0.25, 0.5, 0.75, 1)),
        (b"", b""),
    ],
    names=[b"FixedPath", b"", b"b", b"c"],
    events=[(0.5, b"ring"), (2, b"")],
    checksum=name_checksum(["FixedPath", "", "b", "c"]),
)


def test_binary_motions():
    motion, end = read(b"..." + BINARY + b"more", 3)
    assert end == len(BINARY) + 3
    assert motion.binary
    assert (motion.name, motion.names, motion.checksum) == ("Idle", ["FixedPath", "", "b", "c"], None)
    assert [(event.time, event.text) for event in motion.events] == [(0.5, "ring"), (2, "")]
    first, second, third, fourth = motion.paths
    assert first.translation.values.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert first.translation.times.tolist() == [0, 1.25]
    assert first.rotation.values.tolist() == [[1, 0, 0, 0], [0, 0, 1, 0]]
    assert first.rotation.looped
    assert (second.translation.interpolation, second.rotation) == (2, None)
    assert second.translation.times.tolist() == [0, 0.5, 1]
    assert third.rotation.axis == (0, 0, 1)
    assert third.rotation.values[3] == pytest.approx([math.cos(0.5), 0, 0, math.sin(0.5)])
    assert (fourth.rotation, fourth.translation) == (None, None)
    assert write(motion) == BINARY
    assert redone(BINARY) == BINARY


def test_binary_and_text_say_the_same():
    motion, _ = read(build.motion(build.HINGE, build.STEADY, events=[("1.000000", "x")]))
    motion.binary = True
    again, _ = read(write(motion))
    again.binary = False
    again.source = None
    assert write(again) == build.motion(build.HINGE, build.STEADY, events=[("1.000000", "x")])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (build.binary_motion([], names=None, checksum=0, node=1), "node 1"),
        (BINARY.replace(b"SBKB", b"SBKC"), "SBKB"),
        (BINARY.replace(b"TKEB\xf0", b"TKEB\xf1"), "version 0xf1"),
        (build.binary_motion([(b"", b"")] * 3), "3 paths, but 1 names"),
        (build.binary_motion([(build.keys(1, 1, 0, 0), b"")]), "compression 1 of keys of 3 numbers"),
        (build.binary_motion([(build.keys(1, 0, 0, 2, 0), b"")]), "2 records of 4 bytes"),
        (build.binary_motion([(build.keys(1, 0, 0, 0, 5.0), b"")]), "4 bytes too many"),
        (build.binary_motion([(build.keys(1, 2, 0, 1 << 30, 0, 1), b"")]), "1073741824 keys"),
        (build.binary_motion([(build.keys(3, 0, 0, 0), b"")]), "interpolation 3"),
    ],
)
def test_damaged_binary_motions(data, message):
    with pytest.raises(FormatError, match=message):
        read(data)


# ------------------------------------------------------------------------------------------------------------- numbers
def test_floats_round_half_away_from_zero():
    assert fixed(2518.7890625) == "2518.789063"  # Python's own %f says ...062
    assert fixed(-0.0078125) == "-0.007813"
    assert fixed(0.0234375) == "0.023438"
    assert fixed(-0.0) == "-0.000000"
    assert fixed(0.1) == "0.100000"


@given(st.floats(-1e6, 1e6, width=32))
def test_floats_are_what_exact_arithmetic_says(value):
    from decimal import ROUND_HALF_UP, Decimal

    exact = Decimal(value).quantize(Decimal("0.000001"), ROUND_HALF_UP)
    assert Decimal(fixed(value)) == exact


names = st.text(st.characters(codec="latin-1", exclude_characters="\n\r\0"), max_size=40)


@given(
    st.lists(st.tuples(finite, finite, finite, finite), min_size=1, max_size=8),
    st.lists(st.tuples(finite, names), max_size=4),
    names,
    st.booleans(),
    st.integers(0, 2),
    st.booleans(),
)
def test_any_motion_comes_back(rows, events, name, looped, interpolation, binary):
    table = np.array(rows)
    track = Track(np.sort(table[:, 0]), table[:, 1:], interpolation, looped)
    motion = Motion([Path(None, track)], events=[Event(time, text) for time, text in events], name=name, binary=binary)
    data = write(motion)
    again, end = read(data + b"\0\0\0", 0)
    assert end == len(data)
    assert (again.name, again.binary) == (name, binary)
    assert [event.text for event in again.events] == [text for _, text in events]
    found = again.paths[0].translation
    assert (found.interpolation, found.looped) == (interpolation, looped)
    assert found.values == pytest.approx(track.values, abs=1e-6)
    # Within a tolerance of equal steps only the first one is kept.
    assert found.times == pytest.approx(track.times, abs=1e-6 if not track.compression else 2e-4 * len(rows), rel=1e-6)
    again.source = None
    assert write(read(write(again))[0]) == write(again)


@given(st.lists(st.floats(-3.1, 3.1).filter(lambda angle: abs(angle) > 0.01), min_size=4, max_size=9), st.booleans())
def test_hinges_come_back(angles, binary):
    track = Track(np.arange(len(angles)) ** 2.0, quaternions((0.6, 0.0, 0.8), angles), axis=(0.6, 0.0, 0.8))
    assert track.compression & Compression.HINGE
    again, _ = read(write(Motion([Path(track)], binary=binary)))
    assert again.paths[0].rotation.hinge()[1] == pytest.approx(angles, abs=2e-6)
