# SPDX-License-Identifier: GPL-3.0-or-later
"""The container: whatever it holds comes out as it came in, and what breaks its rules is refused by name."""

import struct
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.binary import FormatError
from formats.teeworlds.datafile import Blob, Datafile
from tests.formats.teeworlds_bytes import AUTOMAPPER, INDEX, Map, small_map, whole_map

int32 = st.integers(-(1 << 31), (1 << 31) - 1)
items = st.lists(st.tuples(st.integers(0, 0xFFFE), st.integers(0, 0xFFFF), st.lists(int32, max_size=6)), max_size=12)
blobs = st.lists(st.tuples(st.binary(max_size=300), st.integers(0, 9), st.binary(max_size=4)), max_size=6)


@given(items, blobs, st.sampled_from([3, 4]), st.sampled_from([b"DATA", b"ATAD"]), st.booleans(), st.randoms())
def test_any_container_comes_out_as_it_came_in(items, blobs, version, magic, crude, random):
    m = Map(version, magic, crude=crude)
    for kind, ident, words in items:
        m.item(kind, words, ident)
    for data, level, junk in blobs:
        m.blob(data, stored=zlib.compress(data, level) + junk if version == 4 else None)
    kinds = list({kind for kind, _, _ in items})
    random.shuffle(kinds)
    m.order = kinds
    data = m.build()
    file = Datafile.read(data)
    assert file.write() == data
    assert [(item.type, item.id, item.words.tolist()) for item in file.all_items()] == [
        item for kind in kinds for item in items if item[0] == kind
    ]
    assert [blob.data() for blob in file.blobs] == [data for data, _, _ in blobs]
    assert (file.version, file.magic) == (version, magic)


@pytest.mark.parametrize("container", [3, 4])
@pytest.mark.parametrize("crude", [False, True])
def test_every_kind_of_item(container, crude):
    data = whole_map(container, crude=crude).build()
    file = Datafile.read(data)
    assert file.write() == data
    assert file.crude_size == (crude and container == 4)


def test_reading_decompresses_nothing():
    m = small_map()
    m.blob(b"", stored=b"no zlib stream", size=1000)
    data = m.build()
    file = Datafile.read(data)
    assert file.write() == data
    with pytest.raises(FormatError) as caught:
        file.blobs[1].data()
    assert caught.value.offset == len(data) - len(b"no zlib stream")


def test_a_blob_of_size_0_is_none_whatever_is_stored():
    m = small_map()
    m.blob(b"something", size=0)
    file = Datafile.read(m.build())
    assert file.blobs[1].data() == b""


def test_decoded_bytes_can_be_let_go_without_spending_the_budget_twice():
    file = Datafile.read(small_map(8, 8).build())
    blob = file.blobs[0]
    blob.data()
    left = file.budget.left
    blob.forget()
    assert blob.data() == bytes(256)
    assert file.budget.left == left == file.budget.limit - 256


def test_new_blobs_are_compressed_at_level_6():
    data = bytes(range(250)) * 9
    assert Blob.new(data).stored(4) == zlib.compress(data, 6)
    assert Blob.new(data).stored(3) == data


def test_uuid_index_twice_short_and_of_junk():
    m = small_map()
    m.uuid_type(AUTOMAPPER, 0xFFFE)
    m.uuid_type(AUTOMAPPER, 0x9000)
    m.item(INDEX, (1, 2), 0x9001)
    m.item(0xFFFE, (1, 0, 0, -1, 0, 0))
    m.item(0x9000, (1, 0, 0, -1, 0, 0))
    m.item(0xFFFE, (7, 7))
    data = m.build()
    file = Datafile.read(data)
    assert file.write() == data
    assert sorted(file.uuids()) == [0x9000, 0xFFFE]
    assert {uuid.bytes for uuid in file.uuids().values()} == {AUTOMAPPER}


def test_a_type_table_may_hold_negative_types():
    m = small_map()
    m.item(0xFFFF, (1, 2), 0)
    data = bytearray(m.build())
    last = 36 + 12 * 3
    assert struct.unpack_from("<i", data, last) == (0xFFFF,)
    struct.pack_into("<i", data, last, -1)  # "type -1", as broken tools wrote it
    assert Datafile.read(bytes(data)).write() == bytes(data)


def _patched(offset: int, value: int, form: str = "<i") -> bytes:
    data = bytearray(small_map().build())
    struct.pack_into(form, data, offset, value)
    return bytes(data)


TYPES, ITEMS = 36, 36 + 3 * 12  # of the small map: offsets of the type table and of the item offsets
BLOCK = ITEMS + 3 * 4 + 2 * 4


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "reading datafile header: needs 36 bytes, 0 are left"),
        (b"PNG\0" + bytes(40), "not with DATA or ATAD"),
        (_patched(4, 5), "version 5"),
        (_patched(8, 7), "`size` is 7"),
        (_patched(12, 7), "`swaplen` is 7"),
        (_patched(16, -1), "number of item types is negative"),
        (_patched(16, 70000), "65536 is the limit"),
        (_patched(20, -1), "number of items is negative"),
        (_patched(20, 1 << 29), "reading item offsets"),
        (_patched(24, 1 << 30), "reading blob offsets"),
        (_patched(28, 30), "no multiple of 4"),
        (_patched(32, 3), "the blobs should take 3 bytes"),
        (_patched(TYPES + 4, 1), "claims items 1 to 2"),
        (_patched(TYPES + 8, 0), "claims items 1 to 2"),
        (_patched(TYPES, 9), "is 9, but item 0 of it says 0"),
        (_patched(ITEMS, 4), "begins at 4"),
        (_patched(BLOCK + 4, 1 << 20), "impossible size"),
        (_patched(BLOCK + 4, -4), "impossible size"),
        (_patched(BLOCK + 4, 3), "impossible size"),
        (_patched(ITEMS + 12, 4), "begins at 4, not at 0"),
        (_patched(ITEMS + 16, -4), "decompressed size is negative"),
        (small_map().build() + b"\0", "the blobs should take"),
        (small_map().build()[:-1], "the blobs should take"),
    ],
)
def test_broken_containers_are_refused(data, message):
    with pytest.raises(FormatError) as caught:
        Datafile.read(data)
    assert message in str(caught.value)
    assert caught.value.offset is not None


def test_an_empty_container():
    data = Map().build()
    assert len(data) == 36
    assert Datafile.read(data).write() == data


def test_words_are_patched_in_a_copy():
    data = small_map().build()
    file = Datafile.read(data)
    item = file.items(4)[0]
    item.set(1, -77)
    assert Datafile.read(file.write()).items(4)[0].words[1] == -77
    assert Datafile.read(data).items(4)[0].words[1] == 0
    changed = np.frombuffer(file.write(), np.uint8) != np.frombuffer(data, np.uint8)
    assert changed.sum() == 4
    with pytest.raises(FormatError, match="32 bits"):
        item.set(1, 1 << 31)
