# SPDX-License-Identifier: GPL-3.0-or-later
"""Maps as files: every form of header byte for byte; a lump that grows moves the rest, and all offsets follow."""

import json
import struct

import numpy as np
import pytest

from formats.__main__ import main
from formats.binary import FormatError
from formats.source import LumpId, check, identify, new_level, patch_file, read, section_at, summary, write
from formats.source.new_level import LUMP_VERSIONS
from tests.formats import source_bytes as build

CUT = build.ROOM.build()[:-40]


@pytest.mark.parametrize("name", build.VARIANTS)
def test_every_form_comes_out_as_it_came_in(name):
    data = build.VARIANTS[name]
    assert identify(data)
    level = read(data)
    assert write(level) == data
    assert level.revision == 7
    assert [entity.classname for entity in level.entities] == ["worldspawn", "func_button", "light"]
    assert level.game_lumps.ids == ["sprp", "dprp", "plan"]
    assert level.static_props.models == ["models/lamp.mdl"]
    assert bytes(level.pak.read("MATERIALS/maps/room/A.vmt")) == b"LightmappedGeneric {}"
    assert level.visibility.clusters == 1
    assert len(level.physcollide.models) == 1
    assert write(level) == data


@pytest.mark.parametrize("name", build.VARIANTS)
def test_its_parts_make_up_the_file(name):
    level = read(build.VARIANTS[name])
    joined = b"".join(part for _, part in level.file.parts())
    assert (build.encrypted(joined) if level.file.encrypted else joined) == build.VARIANTS[name]


def test_what_is_said_in_the_header_is_written():
    level = read(build.VARIANTS["room"])
    level.file.revision += 1
    level.file.entries["version"][LumpId.CUBEMAPS] = 3
    written = write(level)
    assert len(written) == len(build.VARIANTS["room"])
    assert (read(written).revision, read(written).version_of(LumpId.CUBEMAPS)) == (8, 3)
    assert write(read(memoryview(written))) == written


@pytest.mark.parametrize("name", build.VARIANTS)
def test_what_a_longer_lump_moves_is_found_where_it_went(name):
    data = build.VARIANTS[name]
    level, before = read(data), read(data)
    level.entities[2].set("targetname", "a lamp that is much longer than it was")
    after = read(write(level))
    assert after.entities[2].targetname == "a lamp that is much longer than it was"
    for lump in before.lumps:
        if lump not in (LumpId.ENTITIES, LumpId.GAME_LUMP):
            assert after.bytes_of(lump) == before.bytes_of(lump)
            assert after.file.stored(lump) == before.file.stored(lump)  # not compressed anew
    for lump in before.game_lumps.ids:
        assert after.game_lumps.bytes_of(lump) == before.game_lumps.bytes_of(lump)
    assert write(after) == write(level)
    places = after.file.entries["offset"][after.file.entries["length"] > 0]
    aligned = before.file.entries["offset"][before.file.entries["length"] > 0] % 4 == 0
    assert not (places[aligned] % 4).any()
    after.entities[2].set("targetname", "lamp")
    back = write(after)
    if name == "unaligned":  # what happened to lie at a multiple of 4 does so again
        return
    assert len(back) == len(data)
    if name not in ("console", "compressed"):  # what is compressed anew has other bytes
        assert back == data


def test_minor_and_major_versions():
    level = read(build.VARIANTS["Dark Messiah"])
    assert (level.version, level.file.minor) == (20, 4)
    assert read(build.VARIANTS["128 lumps"]).lumps == range(128)
    assert read(build.VARIANTS["Left 4 Dead 2"]).file.form.version_first
    assert not read(build.VARIANTS["CS:GO"]).file.form.version_first
    assert read(build.VARIANTS["Tactical Intervention"]).file.encrypted


def test_tables_are_views_of_the_file_in_its_byte_order():
    for name in ("room", "console"):
        level = read(build.VARIANTS[name])
        vertices = level.table(LumpId.VERTEXES)
        assert vertices["point"][7].tolist() == [64, 64, 64]
        assert not vertices.flags.writeable
        moved = vertices.copy()
        moved["point"][7] = 1, 2, 3
        level.set_table(LumpId.VERTEXES, moved)
        assert read(write(level)).table(LumpId.VERTEXES)["point"][7].tolist() == [1, 2, 3]
        with pytest.raises(FormatError, match="VERTEXES"):
            level.set_table(LumpId.VERTEXES, moved["point"])
    with pytest.raises(FormatError, match=r"ENTITIES.*text"):
        level.table(LumpId.ENTITIES)


def test_a_compressed_lump_stays_one_and_says_what_it_decompresses_to():
    level = read(build.VARIANTS["compressed"])
    assert level.bytes_of(LumpId.PLANES) == build.room()[build.PLANES]
    level.set_bytes(LumpId.PLANES, bytes(2000))
    entry = read(write(level)).file.entries[LumpId.PLANES]
    assert entry["size"] == 2000
    assert entry["length"] < 100
    level.set_bytes(LumpId.PLANES, b"")
    entry = read(write(level)).file.entries[LumpId.PLANES]
    assert (entry["size"], entry["length"]) == (0, 0)


def test_compressed_game_lumps_are_decoded_and_only_the_changed_one_is_encoded():
    data = build.VARIANTS["compressed"]
    level, before = read(data), read(data)
    assert level.game_lumps.bytes_of("plan") == b"what nobody knows"
    level.game_lumps.set_bytes("plan", b"something else" * 9, version=3)
    after = read(write(level)).game_lumps
    assert after.bytes_of("plan") == b"something else" * 9
    assert after.version_of("plan") == 3
    stored = bytes(before.file.stored(LumpId.GAME_LUMP))
    start = stored.index(b"LZMA")
    assert stored[start : start + 60] in write(level)
    assert after.bytes_of("sprp") == before.game_lumps.bytes_of("sprp")


def test_a_new_game_lump_goes_behind_the_others():
    for name in build.VARIANTS:
        level = read(build.VARIANTS[name])
        level.game_lumps.set_bytes("clvr", b"clover", 4)
        after = read(write(level)).game_lumps
        assert after.ids == ["sprp", "dprp", "plan", "clvr"]
        assert after.bytes_of("clvr") == b"clover"
        assert after.bytes_of("plan") == b"what nobody knows"
        assert after.version_of("clvr") == 4


def test_props_that_were_changed_in_place_are_written():
    level = read(build.VARIANTS["room"])
    props = level.static_props.props.copy()
    props["origin"][1] = 7, 8, 9
    level.static_props.props = props
    after = read(write(level))
    assert after.static_props.props["origin"].tolist() == [[1, 2, 3], [7, 8, 9]]
    assert len(write(level)) == len(build.VARIANTS["room"])


def test_game_lumps_without_bytes_have_no_props():
    level = read(build.VARIANTS["room"])
    for name in ("sprp", "dprp", "dplt"):
        level.game_lumps.set_bytes(name, b"")
    after = read(write(level))
    assert (after.static_props, after.detail_props, check(after)) == (None, None, [])
    assert after.game_lumps.bytes_of("plan") == b"what nobody knows"


def test_a_pak_at_a_sector_stays_at_one():
    data = build.ROOM.but(pak_align=2048).build()
    data += bytes(-len(data) % 2048)
    level = read(data)
    level.set_bytes(LumpId.LIGHTING, bytes(3000))
    after = read(write(level))
    assert after.file.entries["offset"][LumpId.PAKFILE] % 2048 == 0
    assert len(write(level)) % 2048 == 0


def test_gaps_and_the_tail_stay():
    bsp = build.ROOM.but(gaps={build.FACES: b"\xaa" * 600}, tail=b"the end")
    level = read(bsp.build())
    level.set_bytes(LumpId.PLANES, bytes(bytearray(level.bytes_of(LumpId.PLANES)) + bytes(20)))
    data = write(level)
    assert b"\xaa" * 600 in data
    assert data.endswith(b"the end")


def test_the_offset_that_a_tool_left_behind_the_entities_follows_them():
    order = (*(lump for lump in build.ORDER if lump), build.ENTITIES)
    data = build.ROOM.but(order=order).build()
    place = int(read(data).file.entries["offset"][LumpId.ENTITIES])
    data += struct.pack("<I", place) + b"QnDbTm"
    level = read(data)
    assert write(level) == data
    level.set_bytes(LumpId.PLANES, bytes(level.bytes_of(LumpId.PLANES)) + bytes(40))
    after = write(level)
    assert after.endswith(struct.pack("<I", place + 40) + b"QnDbTm")


def test_lumps_without_bytes_keep_their_offsets_and_versions():
    data = build.ROOM.but(empty_offsets=1036, versions=build.VERSIONS | {56: 1}).build()
    level = read(data)
    level.set_bytes(LumpId.CUBEMAPS, bytes(16))
    after = read(write(level)).file.entries
    assert (after["offset"][57], after["version"][56]) == (1036, 1)
    assert after["length"][LumpId.CUBEMAPS] == 16
    assert after["offset"][LumpId.CUBEMAPS] < after["offset"][LumpId.PAKFILE]


def test_lumps_that_share_bytes_part_when_one_is_changed():
    data = bytearray(build.ROOM.but(lumps=build.room() | {build.FACES_HDR: b""}).build())
    data[8 + 16 * 58 : 8 + 16 * 58 + 12] = data[8 + 16 * 7 : 8 + 16 * 7 + 12]
    level = read(bytes(data))
    assert write(level) == data
    faces = level.table(LumpId.FACES).copy()
    assert np.array_equal(faces, level.table(LumpId.FACES_HDR))
    faces["lightofs"] = -1
    level.set_table(LumpId.FACES_HDR, faces)
    after = read(write(level))
    assert (after.table(LumpId.FACES_HDR)["lightofs"] == -1).all()
    assert (after.table(LumpId.FACES)["lightofs"] >= 0).all()
    assert after.game_lumps.bytes_of("plan") == b"what nobody knows"


def test_a_pak_that_the_file_ends_in_is_kept_and_named():
    level = read(CUT)
    assert write(level) == CUT
    with pytest.raises(FormatError, match="40 of its bytes"):
        _ = level.pak
    assert any("PAKFILE" in str(problem) for problem in check(level))
    level.entities.append(level.entities[2])
    longer = write(level)
    assert len(read(longer).entities) == 4
    assert read(longer).file.cut(LumpId.PAKFILE) == 40


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "starts with"),
        (b"VBSP", "version 0"),
        (b"IBSP" + bytes(2000), "starts with b'IBSP'"),
        (b"rBSP" + bytes(2000), "starts with b'rBSP'"),
        (b"VBSP" + struct.pack("<i", 29) + bytes(2000), "version 29"),
        (b"VBSP" + struct.pack("<i", 20) + bytes(1000), "1008 bytes are less"),
        (b"VBSP" + struct.pack("<i5i", 20, 100, 20, 0, 0, 0) + bytes(2000), "ENTITIES.*within the header"),
    ],
)
def test_what_is_no_map_is_refused(data, message):
    with pytest.raises(FormatError, match=message):
        read(data)


def test_a_game_lump_that_makes_no_sense_cannot_be_moved():
    bsp = build.ROOM.build()
    place = int(read(bsp).file.entries["offset"][LumpId.GAME_LUMP])
    data = bytearray(bsp)
    data[place + 4 + 8 : place + 4 + 12] = struct.pack("<I", 1 << 30)
    level = read(bytes(data))
    assert write(level) == data
    with pytest.raises(FormatError, match=r"GAME_LUMP.*directory"):
        _ = level.game_lumps
    level.set_bytes(LumpId.PLANES, bytes(40))
    with pytest.raises(FormatError, match=r"GAME_LUMP.*directory"):
        write(level)


def test_decompression_has_a_limit():
    bomb = build.lzma_lump(bytes(1 << 20))
    bomb = bomb[:4] + struct.pack("<I", 300 << 20) + bomb[8:]  # refused for what it says of itself
    data = bytearray(build.ROOM.but(lumps=build.room() | {build.LIGHTING: bomb}).build())
    data[8 + 16 * 8 + 12 : 8 + 16 * 8 + 16] = struct.pack("<I", 300 << 20)
    level = read(bytes(data))
    with pytest.raises(FormatError, match=r"LIGHTING.*beyond the limit"):
        level.bytes_of(LumpId.LIGHTING)
    assert write(level) == data


def test_the_room_has_nothing_wrong_and_a_broken_one_has():
    assert check(read(build.VARIANTS["room"])) == []
    level = read(build.VARIANTS["room"])
    faces = level.table(LumpId.FACES).copy()
    faces["planenum"][3:] = 99
    faces["firstedge"][2] = 23
    level.set_table(LumpId.FACES, faces)
    level.entities[1].set("model", "*9")
    nodes = level.table(LumpId.NODES).copy()
    nodes["children"][0] = 5, -9
    level.set_table(LumpId.NODES, nodes)
    level.set_bytes(LumpId.FACEIDS, bytes(4))
    texts = [str(problem) for problem in check(level)]
    assert "error: lump 7 (FACES), record 3 and 2 more: of 6 PLANES names, as its planenum, 99" in texts
    assert any("record 2: of 24 SURFEDGES" in text for text in texts)
    assert any("entity 1: its model is *9" in text for text in texts)
    assert any("(NODES), record 0" in text and "[5, -9]" in text for text in texts)
    assert any("(FACEIDS): 2 records for 6 FACES" in text for text in texts)


def test_an_empty_map_is_whole():
    level = new_level(revision=3)
    data = write(level)
    again = read(data)
    assert check(again) == []
    assert write(again) == data
    assert again.revision == 3
    assert len(again.table(LumpId.FACES)) == 0
    assert again.version_of(LumpId.LEAFS) == LUMP_VERSIONS[LumpId.LEAFS]
    level.set_table(LumpId.VERTEXES, np.zeros(2, level.table(LumpId.VERTEXES).dtype))
    assert len(read(write(level)).table(LumpId.VERTEXES)) == 2
    assert summary(again)["entities"] == {"worldspawn": 1}


def test_section_at_names_parts_of_the_file():
    level = read(build.ROOM.but(gaps={build.FACES: b"\xaa" * 600}).build())
    faces = int(level.file.entries["offset"][LumpId.FACES])
    assert section_at(level, 5) == "header"
    assert section_at(level, faces) == "lump 7 (FACES)"
    assert section_at(level, faces - 1).startswith("bytes behind lump")
    assert section_at(level, 1 << 30) == "end of the file"


def test_patch_files_of_sourcepp(tmp_path):
    """It makes the same file of a map, and puts ours into another."""
    bsppp = pytest.importorskip("sourcepp", reason="pip install sourcepp").bsppp
    data = build.VARIANTS["room"]
    path = tmp_path / "room.bsp"
    path.write_bytes(data)
    theirs = bsppp.BSP(str(path), False)
    theirs.create_lump_patch_file(bsppp.BSP.Lump.ENTITIES)
    made = patch_file.PatchFile.of(read(data), LumpId.ENTITIES)
    place = tmp_path / patch_file.name_of("room.bsp", LumpId.ENTITIES)
    assert place.read_bytes() == patch_file.write(made)
    made.data = made.data.replace(b"worldspawn", b"info_null")
    place.write_bytes(patch_file.write(made))
    assert theirs.set_lump_from_patch_file(str(place))
    assert bytes(theirs.get_lump_data(bsppp.BSP.Lump.ENTITIES)) == made.data


def test_patch_files():
    level = read(build.VARIANTS["room"])
    patch = patch_file.PatchFile.of(level, LumpId.ENTITIES)
    data = patch_file.write(patch)
    assert data[:20] == struct.pack("<5i", 20, 0, 0, len(build.TEXT), 7)
    assert data[20:] == build.TEXT
    apart = struct.pack("<5i", 24, 0, 0, 3, 7) + b"gap!" + b"{}\0" + b"more"
    assert patch_file.write(patch_file.read(apart)) == apart
    other = read(build.VARIANTS["compressed"])
    patch_file.read(struct.pack("<5i", 20, 2, 5, 32, 7) + bytes(32)).apply(other)
    assert read(write(other)).bytes_of(LumpId.TEXDATA) == bytes(32)
    assert read(write(other)).version_of(LumpId.TEXDATA) == 5
    assert patch_file.name_of("maps/room.bsp", 0) == "room_l_0.lmp"
    assert patch_file.map_of("maps/my_l_map_l_12.LMP") == ("my_l_map", 12)
    assert patch_file.map_of("room.lmp") is None
    assert patch_file.map_of("c1m1_hotel_s_0.lmp") == ("c1m1_hotel", 0)
    for bad in (struct.pack("<5i", 20, 200, 0, 0, 0), struct.pack("<5i", 20, 0, 0, 9, 0), bytes(20), b"short"):
        with pytest.raises(FormatError):
            patch_file.read(bad)


def test_patch_files_on_the_command_line(tmp_path, capsys):
    data = patch_file.write(patch_file.PatchFile.of(read(build.VARIANTS["room"]), LumpId.ENTITIES))
    path, planes = tmp_path / "room_l_0.lmp", tmp_path / "room_l_1.lmp"
    path.write_bytes(data)
    planes.write_bytes(patch_file.write(patch_file.PatchFile.of(read(build.VARIANTS["room"]), LumpId.PLANES)))
    assert main(["verify", str(path), str(planes)]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["ok", "ok"]
    assert main(["info", "--check", str(path)]) == 0
    said = capsys.readouterr().out
    assert "Source patch file" in said and "map revision: 7" in said and "worldspawn: 1" in said
    assert main(["info", str(planes)]) == 0
    assert "lump 1 (PLANES)" in capsys.readouterr().out
    assert main(["dump", str(path)]) == 0
    held = json.loads(capsys.readouterr().out)
    assert held["map revision"] == 7 and ["classname", "worldspawn"] in held["holds"][0]
    path.write_bytes(data[:-1])
    assert main(["verify", str(path)]) == 1
    assert "no known level format" in capsys.readouterr().out


def test_patch_files_that_hold_no_entities(capsys, tmp_path):
    broken = patch_file.PatchFile(0, 0, 7, b'{ not "closed')
    (problem,) = patch_file.check(broken)
    assert problem.place == "lump 0 (ENTITIES)" and patch_file.summary(broken)["entities"]
    path = tmp_path / "room_l_0.lmp"
    path.write_bytes(patch_file.write(broken))
    assert main(["verify", str(path)]) == 1 and capsys.readouterr().out.startswith("refused")
    assert main(["dump", str(path)]) == 1
    sections = [patch_file.section_at(patch_file.PatchFile(0, 0, 7, b"{}", b"gap", b"x"), at) for at in (0, 20, 23, 25)]
    assert sections == ["header", "gap behind the header", "lump 0 (ENTITIES)", "behind the data"]
