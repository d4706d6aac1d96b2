# SPDX-License-Identifier: GPL-3.0-or-later
"""The cursor, record tables and bounded decompression that every format reads through."""

import struct
import tracemalloc
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.binary import Budget, Cursor, FormatError, Problem, inflate, table


def test_scalars_are_little_endian_and_move_the_cursor():
    cursor = Cursor(struct.pack("<BHIi", 200, 60000, 4_000_000_000, -5))
    values = [cursor.u8("u8"), cursor.u16("u16"), cursor.u32("u32"), cursor.i32("i32")]
    assert values == [200, 60000, 4_000_000_000, -5]
    assert cursor.left == 0


def test_error_says_file_offset_what_and_why():
    cursor = Cursor(b"\0" * 10, base=0x100)
    cursor.skip(8, "padding")
    with pytest.raises(FormatError) as caught:
        cursor.u32("number of layers")
    assert str(caught.value) == "at byte 0x108: reading number of layers: needs 4 bytes, 2 are left"
    assert str(caught.value.in_file("a b.map")).startswith("a b.map: at byte 0x108: ")
    assert caught.value.file is None
    assert caught.value.about("layers").reading == "layers"
    assert isinstance(caught.value, ValueError)


def test_a_failed_read_moves_nothing():
    cursor = Cursor(b"abc")
    for read in (lambda: cursor.u32("x"), lambda: cursor.take(4, "x"), lambda: cursor.array("<i4", 1, "x")):
        with pytest.raises(FormatError):
            read()
    assert bytes(cursor.take(3, "x")) == b"abc"


@pytest.mark.parametrize("count", [-1, 1 << 31, 1 << 62, 10**30])
def test_hostile_counts_are_refused_before_anything_is_allocated(count):
    cursor = Cursor(bytes(64))
    tracemalloc.start()
    with pytest.raises(FormatError):
        cursor.array("<i4", count, "offsets")
    with pytest.raises(FormatError):
        cursor.take(count, "name")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000


def test_arrays_are_read_only_views():
    data = bytearray(struct.pack("<4i", 1, 2, 3, 4))
    cursor = Cursor(data, 4)
    values = cursor.array("<i4", 2, "numbers")
    assert values.tolist() == [2, 3]
    assert not values.flags.writeable
    data[4] = 9  # a view sees it, a copy would not
    assert values[0] == 9
    assert cursor.offset == 12


@given(st.binary(max_size=600), st.integers(0, 600))
def test_cstrings(text, start):
    data = text.replace(b"\0", b"x") + b"\0rest"
    start = min(start, len(data) - 5)
    cursor = Cursor(data, start)
    assert cursor.cstring("name") == data[start:-5]
    assert bytes(cursor.take(4, "rest")) == b"rest"


def test_a_cstring_needs_its_nul():
    with pytest.raises(FormatError, match="no end"):
        Cursor(b"abc\0", 0, 3).cstring("name")


def test_tables_are_whole_records():
    record = np.dtype([("a", "u1"), ("b", "<u2")])
    assert table(b"\1\2\0\3\4\0", record, "cells")["b"].tolist() == [2, 4]
    with pytest.raises(FormatError, match="no whole number of 3-byte records"):
        table(b"\1\2\0\3", record, "cells")


@given(st.binary(max_size=2000), st.integers(0, 9), st.binary(max_size=9))
def test_inflate_gives_back_what_was_compressed(data, level, junk):
    assert inflate(zlib.compress(data, level) + junk, len(data), Budget(2000), "blob") == data


@pytest.mark.parametrize("claimed", [0, 1, 99, 101, 5000, -1, 1 << 40])
def test_inflate_wants_the_exact_size(claimed):
    with pytest.raises(FormatError):
        inflate(zlib.compress(bytes(100)), claimed, Budget(1 << 50), "blob")


def test_inflate_refuses_damaged_and_cut_streams():
    stream = zlib.compress(bytes(range(256)) * 8)
    for broken in (stream[:-1], stream[: len(stream) // 2], b"", b"\0\0\0", stream[:20] + b"\xff" + stream[21:]):
        with pytest.raises(FormatError):
            inflate(broken, 2048, Budget(1 << 20), "blob")


def test_a_bomb_makes_no_more_bytes_than_it_claims():
    bomb = zlib.compress(bytes(64 << 20), 9)
    tracemalloc.start()
    with pytest.raises(FormatError, match="or more, not 1000 bytes"):
        inflate(bomb, 1000, Budget(1 << 30), "blob")
    with pytest.raises(FormatError, match="beyond the limit of 1,048,576"):
        inflate(bomb, 64 << 20, Budget(1 << 20), "blob")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 20


def test_a_budget_is_for_all_parts_together():
    stream, budget = zlib.compress(bytes(600)), Budget(1000)
    inflate(stream, 600, budget, "first")
    with pytest.raises(FormatError, match="reading second"):
        inflate(stream, 600, budget, "second")
    assert budget.left == 400


@pytest.mark.parametrize("value", ["0", "-12", "2.5", "1e-30", "nan", "-inf", "0xabc12", "0xdef"])
def test_a_kind_of_problem_is_its_words_without_numbers_and_names(value):
    assert Problem("part 3", f"at byte {value}: has no end").kind == "error part #: at byte #: has no end"
    assert Problem("part 4", "has no end", "warning").kind == "warning part #: has no end"
    assert Problem("part 'A 4' and 3 more", "has no end", count=4).kind == "error part #: has no end"
