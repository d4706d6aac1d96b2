# SPDX-License-Identifier: GPL-3.0-or-later
"""Entities, visibility, collision and the pak: read, changed, and back to the same bytes."""

import io
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.binary import Budget, FormatError
from formats.source import Entities, Entity, Output, Pak
from formats.source.collision import physcollide
from formats.source.sections import visibility
from formats.source.sections.visibility import Visibility
from tests.formats import source_bytes as build

FREE = Budget.unlimited()

# ------------------------------------------------------------------------------------------------------------ entities

ODD = (
    b'{ \n"classname" "worldspawn" \n\n"message" "say \\"hi\\" now"\n"path" "C:\\\\maps\\"\n}\n\n'
    b'{\n"OnUser1" "a,Kill,,0,-1"\r\n"onuser1" "b,Kill,,0,-1"\n"target" "decals/{target"\n"" "empty"\n}'
)


def test_odd_text_is_understood_and_kept():
    entities = Entities.decode(ODD + b"\n\0")
    assert entities.encode() == ODD + b"\n\0"
    world, other = entities
    assert world.get("message") == 'say \\"hi\\" now'
    assert world.get("path") == "C:\\\\maps\\"
    assert other.get("target") == "decals/{target"
    assert [key for key, _ in other.pairs] == ["OnUser1", "onuser1", "target", ""]
    other.set("target", "new")
    changed = entities.encode()
    assert changed.startswith(ODD[: ODD.index(b"\n\n{") + 2])
    assert changed.endswith(b'"target" "new"\n"" "empty"\n}\n\0')
    assert Entities.decode(changed)[1].pairs == other.pairs


def test_comments_and_bare_words_are_read_as_the_engine_reads_them():
    text = (
        b'// { }\n{\x0b\nclassname worldspawn // "a" "b"\n"message" "http://x" }// {\n'
        b'//"c" "d"\n{"x""a//b"//\n}{}//end\n\0'
    )
    entities = Entities.decode(text)
    assert [entity.pairs for entity in entities] == [
        [("classname", "worldspawn"), ("message", "http://x")], [("x", "a//b")], []]  # fmt: skip
    assert entities.encode() == text
    entities[1].set("x", "y")
    assert entities.encode() == text.replace(b'{"x""a//b"//\n}', b'{\n"x" "y"\n}\n')
    for bad in (b"{ a }", b"{ a b", b"{ a b } c", b'{ a b"c" }', b"{ (a) b }", b"// { a b }\nc"):
        with pytest.raises(FormatError, match="no entity"):
            Entities.decode(bad)


def test_outputs():
    outputs = Entities.decode(build.TEXT)[1].outputs
    assert [output.name for output in outputs] == ["OnPressed", "OnPressed", "OnIn"]
    assert outputs[1].parameter == "color 1,5"
    assert outputs[2] == Output("OnIn", "lamp", "Kill", "", "1.5", "-1")
    troika = Output.of_pair("OnTrigger", "door,Unlock,,0,-1,G.Act = 4,")
    assert (troika.times, troika.more) == ("-1", ("G.Act = 4", ""))
    for output in (*outputs, troika):
        assert Output.of_pair(output.name, output.value) == output
    assert Output.of_pair("origin", "0 0 0") is None
    assert Output.of_pair("text", "one, two, three, four, five") is None


def test_texts_that_the_lump_cannot_hold_are_refused():
    for value in ('a " b', "a\0b", 'ends"'):
        entities = Entities.decode(build.TEXT)
        entities[0].set("message", value)
        with pytest.raises(FormatError, match="worldspawn"):
            entities.encode()
    latin = Entities.decode(b'{\n"message" "caf\xe9"\n}\n\0')
    assert latin[0].get("message") == "caf\xe9"
    latin[0].set("message", "\u0416")
    with pytest.raises(FormatError, match="latin-1"):
        latin.encode()
    utf8 = Entities.decode('{\n"message" "\u0416"\n}\n\0'.encode())
    assert utf8[0].get("message") == "\u0416"


def test_what_is_behind_the_texts_end_is_kept():
    junk = b'\0\xfe { "a" \0{ "classname" "old" }'
    entities = Entities.decode(b'{ "classname" "worldspawn" }' + junk)
    entities.append(Entity([("classname", "light")]))
    assert [entity.classname for entity in entities] == ["worldspawn", "light"]
    assert entities.encode() == b'{ "classname" "worldspawn" }{\n"classname" "light"\n}\n' + junk


@pytest.mark.parametrize("data", [b"text", b"{", b'{ "key" }', b'{ "a" "b" } x { "c" "d" }', b'{ "a" "b'])
def test_what_is_no_entity_is_refused_with_its_place(data):
    with pytest.raises(FormatError, match="ENTITIES"):
        Entities.decode(data)


def test_entities_of_a_damaged_lump_are_salvaged_and_the_rest_is_kept():
    junk = b'{\n"classname" "li"ght"\n}\n'
    data = junk + b'{\n"classname" "a"\n}\n' + junk + b'{\n"classname" "b"\n}\n{\n"cut\0'
    entities = Entities.salvage(data)
    assert [entity.classname for entity in entities] == ["a", "b"]
    assert entities.unread is not None and "no entity" in entities.unread.message
    assert entities.encode() == data
    entities[0].set("classname", "c")
    assert entities.encode() == data.replace(b'"a"', b'"c"')
    assert Entities.salvage(build.TEXT).unread is None
    with pytest.raises(FormatError, match="no entity"):
        Entities.salvage(junk)


def test_fields_of_entities():
    world, button, light = Entities.decode(build.TEXT)
    assert (world.classname, button.model, light.targetname) == ("worldspawn", 1, "lamp")
    assert light.origin == (8, 16, -24.5)
    assert light.angles == (0, 90, 0)
    assert world.origin is None
    assert "CLASSNAME" in world
    button.remove("onpressed")
    assert len(button.outputs) == 1
    assert Entity([("a", "1"), ("A", "2")]).get("a") == "2"


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters='"\0', exclude_categories=("Cs",)), max_size=12).filter(
    lambda text: not text.endswith("\\")
)


@given(st.lists(st.lists(st.tuples(TEXTS, TEXTS), max_size=4), max_size=4))
def test_any_entities_come_back(lists):
    entities = Entities(Entity(list(pairs)) for pairs in lists)
    assert [entity.pairs for entity in Entities.decode(entities.encode())] == lists


@given(st.binary(max_size=60), st.integers(0, len(build.TEXT)))
def test_any_bytes_are_entities_that_come_back_or_are_refused(noise, at):
    data = build.TEXT[:at] + noise + build.TEXT[at:]
    try:
        entities = Entities.decode(data)
    except FormatError:
        return
    assert entities.encode() == data


# ---------------------------------------------------------------------------------------------------------- visibility


def slow_row(data: bytes, at: int, width: int) -> bytes:
    """A row, decoded a byte at a time."""
    row = bytearray()
    while len(row) < width:
        if data[at]:
            row.append(data[at])
            at += 1
        else:
            row += bytes(data[at + 1])
            at += 2
    return bytes(row[:width])


@given(st.integers(1, 70), st.integers(0, 2**32 - 1), st.sampled_from((0.0, 0.02, 0.5, 1.0)), st.sampled_from("<>"))
def test_any_visibility_comes_back(clusters, seed, share, order):
    width = (clusters + 7) // 8
    rng = np.random.default_rng(seed)
    rows = (rng.random((2, clusters, width)) < share) * rng.integers(1, 256, (2, clusters, width))
    pvs, pas = rows.astype(np.uint8)
    data = visibility.encode(Visibility(pvs, pas), order)
    again = visibility.decode(data, order, FREE)
    assert np.array_equal(again.pvs, pvs)
    assert np.array_equal(again.pas, pas)
    offsets = np.frombuffer(data, order + "i4", 2 * clusters, 4).reshape(clusters, 2)
    assert slow_row(data, offsets[-1, 0], width) == pvs[-1].tobytes()
    assert slow_row(data, offsets[0, 1], width) == pas[0].tobytes()


def test_runs_of_more_than_255_zeros_are_several():
    rows = np.zeros((4000, 500), np.uint8)
    rows[:, 400] = 9
    data = visibility.encode(Visibility(rows, rows), "<")
    first = int(np.frombuffer(data, "<i4", 1, 4)[0])
    assert data[first : first + 7] == bytes((0, 255, 0, 145, 9, 0, 99))
    again = visibility.decode(data, "<", FREE)
    assert np.array_equal(again.pvs, rows)
    assert again.sees(0).nonzero()[0].tolist() == [3200, 3203]
    assert again.matrix().sum() == 8000


@pytest.mark.parametrize(
    "data",
    [
        b"\1", b"\1\0\0\0\x0c\0\0\0", b"\1\0\0\0\x0c\0\0\0\x0d\0\0\0\0", b"\xff\xff\xff\x7f" + bytes(8),
        b"\1\0\0\0\0\0\0\0\x0c\0\0\0\1", b"\1\0\0\0\x0c\0\0\0\x0c\0\0\0\0\0",
    ],
)  # fmt: skip
def test_visibility_that_is_not_whole_is_refused(data):
    with pytest.raises(FormatError, match="VISIBILITY"):
        visibility.decode(data, "<", FREE)


# ----------------------------------------------------------------------------------------------------------- collision


def test_collision_is_split_and_joined():
    for order in "<>":
        data = build.room(order)[build.PHYSCOLLIDE]
        collide = physcollide.decode(data, order)
        assert physcollide.encode(collide, order) == data
        entry = collide.of_model(0)
        assert bytes(entry.solids[0][:4]) == physcollide.SOLID_TAG
        assert entry.text.startswith("solid {")
        assert collide.of_model(1) is None
        assert collide.ended
    with pytest.raises(FormatError, match=r"PHYSCOLLIDE\) of model 0"):
        physcollide.decode(data[:-40], ">")


def test_hulls_of_displacements_may_be_missing():
    for order, version in (("<", 0), (">", 0), ("<", 2)):
        hulls = [b"abc", None, b""]
        data = physcollide.encode_displacements(hulls, order, version)
        again = physcollide.decode_displacements(data, order, version)
        assert [hull if hull is None else bytes(hull) for hull in again] == hulls
    with pytest.raises(FormatError, match="PHYSDISP"):
        physcollide.encode_displacements([bytes(70000)], "<")
    with pytest.raises(FormatError, match="PHYSDISP"):
        physcollide.decode_displacements(b"\2\0\1\0", "<")


# ----------------------------------------------------------------------------------------------------------------- pak


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("comment", [b"", bytes(4), b"XZP1 0".ljust(32, b"\0")])
def test_a_pak_comes_out_as_it_came_in(packed, comment):
    files = {"materials/A.vmt": b"LightmappedGeneric {}" * 30, "b\\c.txt": b"", "d": b"\0" * 5000}
    data = build.zip_file(files, comment, packed)
    pak = Pak(data, FREE)
    assert pak.encode() == data
    assert pak.names == list(files)
    assert [bytes(pak.read(name.upper())) for name in files] == list(files.values())
    assert not pak.changed


def test_files_are_put_replaced_renamed_and_removed():
    data = build.zip_file({"a.txt": b"one", "b.txt": b"two"})
    pak = Pak(data, FREE)
    pak.put("A.TXT", b"uno", compress=True)
    pak.put("c/d.txt", b"three" * 100)
    pak.rename("b.txt", "B2.txt")
    assert pak.changed
    again = Pak(pak.encode(), FREE)
    assert again.names == ["a.txt", "B2.txt", "c/d.txt"]
    assert [bytes(again.read(name)) for name in again.names] == [b"uno", b"two", b"three" * 100]
    with zipfile.ZipFile(io.BytesIO(pak.encode())) as other:
        assert other.testzip() is None
        assert other.read("a.txt") == b"uno"
        assert [info.flag_bits for info in other.infolist()] == [2, 0, 0]  # a stream with an end mark
    with pytest.raises(FormatError, match="already"):
        pak.rename("a.txt", "b2.TXT")
    with pytest.raises(KeyError):
        pak.remove("b.txt")
    pak.remove("c/d.txt")
    pak.rename("b2.txt", "b.txt")
    pak.put("a.txt", b"one")
    assert pak.encode() == data
    assert Pak(b"", FREE).encode() == build.zip_file({})


def test_files_of_consoles_begin_at_sectors():
    sector = 2048
    pak = Pak(b"", FREE)
    pak.comment, pak.align = b"XZP2 2048".ljust(32, b"\0"), sector
    pak.put("a.txt", b"x" * 3000)
    pak.put("b.txt", b"y")
    data = pak.encode()
    assert data.index(b"xxx") == sector
    assert data.index(b"y") % sector == 0
    assert data.index(b"PK\1\2") % sector == 0
    again = Pak(data, FREE)
    assert again.encode() == data
    assert bytes(again.read("b.txt")) == b"y"
    again.put("__preload_section.pre", b"")
    with pytest.raises(FormatError, match="preload"):
        again.put("c.txt", b"")


NAMES = st.text(st.characters(codec="latin-1", exclude_categories=("Cc",)), min_size=1, max_size=8)


@given(st.dictionaries(NAMES, st.tuples(st.binary(max_size=40), st.booleans()), max_size=6))
def test_any_files_come_back(files):
    pak = Pak(b"", FREE)
    kept = {}
    for name, (data, packed) in files.items():
        if name not in pak:
            kept[name] = data
            pak.put(name, data, packed)
    again = Pak(pak.encode(), FREE)
    assert {name: bytes(again.read(name)) for name in again.names} == kept
    assert again.encode() == pak.encode()


def test_a_pak_that_is_not_whole_is_refused():
    data = build.zip_file({"a.txt": b"one" * 50}, packed=True)
    for bad in (b"PK", data[:-60], data[:90], data.replace(b"PK\3\4", b"PK\3\5"), data.replace(b"PK\1\2", b"PK\1\3")):
        with pytest.raises(FormatError, match="PAKFILE"):
            Pak(bad, FREE)
    wrong = bytearray(data)
    wrong[data.index(b"a.txt") + 9] = 0xFF
    with pytest.raises(FormatError, match=r"a\.txt in lump 40"):
        Pak(bytes(wrong), FREE).read("a.txt")


def test_a_packed_file_may_be_read_as_often_as_one_likes():
    plain = bytes(1000)
    pak = Pak(build.zip_file({"a.txt": plain, "b.txt": plain}, packed=True), Budget(1500))
    assert {bytes(pak.read("a.txt")) for _ in range(9)} == {plain}
    with pytest.raises(FormatError, match=r"b\.txt.*beyond the limit"):
        pak.read("b.txt")


def test_more_files_than_a_zip_can_count_are_refused():
    pak = Pak(b"", FREE)
    pak.put("a.txt", b"one")
    pak.files *= 0x10000
    with pytest.raises(FormatError, match="65536 files"):
        pak.encode()
