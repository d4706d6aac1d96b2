# SPDX-License-Identifier: GPL-3.0-or-later
"""Binary maps: every field, what is refused, and that edits change nothing else."""

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats import FormatError, teeworlds
from formats.genesis import FACE, Brush, BrushFlag, Entity, FaceFlag, identify, new_level, read, texture_names, write
from formats.genesis.records import (
    EditorBrushFlag,
    EditorFaceFlag,
    brush_flags_from_editor,
    brush_flags_to_editor,
    face_flags_from_editor,
    face_flags_to_editor,
    new_faces,
    texture_field,
)
from tests.formats import genesis_bytes as build
from tests.formats.teeworlds_bytes import small_map

WHOLE = build.whole_level()


def test_every_field_of_a_face():
    made = build.face(
        (0.6, 0.0, -0.8), -12.5, flags=FaceFlag.MIRROR | FaceFlag.LIGHT, bias=0.5, alpha=100, light=250, reflect=2,
        name=b"wall\0\xa5junk", u=(1, 2, 3), v=(-0.0, 5, 6), scale=(0.25, -4), offset=(7, 8.5),
    )  # fmt: skip
    assert len(made) == FACE.itemsize == 108
    (face,) = read(build.level([build.entity([build.brush([made])])])).entities[0].brushes[0].faces
    assert face["flags"] == 9
    assert (face["mip_map_bias"], face["alpha"], face["face_light"], face["reflective_scale"]) == (0.5, 100, 250, 2)
    assert bytes(face["tex_name"]) == b"wall\0\xa5junk".ljust(32, b"\0")
    assert (face["u_vec"].tolist(), face["draw_scale_x"], face["offset_x"]) == ([1, 2, 3], 0.25, 7)
    assert (face["v_vec"].tolist(), face["draw_scale_y"], face["offset_y"]) == ([0, 5, 6], -4, 8.5)
    assert np.signbit(face["v_vec"][0])
    assert face["normal"] == pytest.approx([0.6, 0, -0.8])
    assert face["dist"] == -12.5


def test_everything_in_its_place():
    level = read(WHOLE)
    assert (level.kind, level.version, level.tag, level.trailing) == ("map", 1, b"NCBF", b"and more\0")
    assert level.world is level.entities[0]
    assert [brush.flags for brush in level.world.brushes] == [0xFFFF0001, 0x42, 0]
    assert BrushFlag(0x42) == BrushFlag.WINDOW | BrushFlag.CLIP
    assert [len(brush.faces) for brush in level.world.brushes] == [6, 6, 0]
    assert level.world.pairs[2:] == [("note", "caf\xe9"), ("note", "\0\xff\x80"), ("", "")]
    assert level.world.get("NOTE") == "caf\xe9"
    assert [entity.name for entity in level.models] == ["door", "hinge", "still", "binary"]
    assert [entity.flags for entity in level.models] == [1, 1, 1, 1]
    assert level.models[0].origin == (16, 0, 8)
    assert [entity.classname for entity in level.points] == ["light", "Nobody", ""]
    assert level.points[1].flags == 7
    assert level.points[1].motion is None
    assert [entity.get("%typename%") for entity in level.typedefs] == ["light"]
    assert texture_names(level.world.brushes[1].faces)[:2] == ["a", "x" * 32]


def test_all_brushes_as_arrays():
    table, faces = read(WHOLE).table()
    assert table["entity"].tolist() == [0, 0, 0, 1, 2, 3, 4]
    assert table["flags"].tolist() == [0xFFFF0001, 0x42, 0, 1, 1, 1, 1]
    assert table["num_faces"].tolist() == [6, 6, 0, 6, 6, 6, 6]
    assert table["first_face"].tolist() == [0, 6, 12, 12, 18, 24, 30]
    assert len(faces) == 36
    assert WHOLE.count(faces[6:12].tobytes()) == 1


def test_written_as_it_was_read():
    for data in (WHOLE, build.room(), build.level([]), build.level([], trailing=b"\0" * 9), build.room(build.model())):
        for given_as in (data, bytearray(data), memoryview(data)):
            assert write(read(given_as)) == data


def test_the_version_is_not_looked_at_but_the_tag_is():
    level = read(build.level([build.entity()], version=7))
    assert level.version == 7
    assert write(level)[:4] == struct.pack("<i", 7)
    with pytest.raises(FormatError, match=r"at byte 0x4: reading header: tag b'XXXX' of version 7.*NCBF"):
        read(build.level([build.entity()], version=7, tag=b"XXXX"))


def test_identify_tells_maps_apart():
    assert identify(WHOLE)
    assert identify(build.level([]))
    assert not teeworlds.identify(WHOLE)
    assert not identify(small_map().build())
    for data in (b"", b"NCBF", WHOLE[:11], build.level([], tag=b"NCFB"), build.level([], count=-1),
                 build.level([], count=1000), b'{\n"classname" "worldspawn"\n}'):  # fmt: skip
        assert not identify(data)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "reading version: needs 4 bytes, 0 are left"),
        (WHOLE[:7], "reading tag"),
        (build.level([], count=-3), r"reading entities: their number is negative \(-3\)"),
        (build.level([build.entity()], count=2), "reading entities: 2 of at least 12 bytes, but 12 bytes are left"),
        (build.level([b"\xff\xff\xff\xff" + bytes(40)]), r"brushes of entity 0: their number is negative \(-1\)"),
        (build.level([b"\x00\x00\x00\x40" + bytes(40)]), "brushes of entity 0: 1073741824 of at least 8 bytes"),
        (build.level([build.entity([build.brush([], count=-1)])]), "faces of brush 0 of entity 0: their number is neg"),
        (build.level([build.entity([build.brush([], count=20_000_000)])]), "faces of brush 0 of entity 0: 20000000 of"),
        (build.level([build.entity(), build.entity([build.brush(build.box())])[:-2]]), "number of pairs of entity 1"),
        (build.level([build.entity()[:-4] + b"\xff\xff\xff\xff"]), "pairs of entity 0: their number is negative"),
        (build.level([build.entity()[:-4] + struct.pack("<iii", 1, 0, -9)]), r"text of entity 0: its size is negative"),
        (build.level([build.entity(pairs=[("abc", "def")])[:-1]]), "text of entity 0: needs 3 bytes, 2 are left"),
        (build.level([build.entity(flags=1)]), "motion of entity 0: starts with"),
    ],
)
def test_damage_is_refused(data, message):
    with pytest.raises(FormatError, match=message):
        read(data)


def test_wherever_it_is_cut_it_is_refused():
    plain = build.level([build.entity([build.brush(build.box())]), build.model(build.motion()), build.light()])
    for length in range(len(plain)):
        with pytest.raises(FormatError):
            read(plain[:length])


def test_edits_change_only_what_they_touch():
    level = read(WHOLE)
    level.world.set("texturelib", "other.txl")
    level.world.brushes[0].faces["flags"][2] = FaceFlag.SKY
    level.points[0].set("style", "3")
    again = read(write(level))
    assert again.world.pairs[0] == ("TextureLib", "other.txl")
    assert again.world.pairs[1:] == read(WHOLE).world.pairs[1:]
    assert again.world.brushes[0].faces["flags"].tolist() == [0, 0, 4, 0, 0, 0]
    assert again.points[0].pairs[-1] == ("style", "3")
    before, after = read(WHOLE).table()[1], again.table()[1]
    after["flags"][2] = 0
    assert before.tobytes() == after.tobytes()


def test_structure_may_change():
    level = read(build.room())
    extra = Brush(BrushFlag.SOLID | 0x80000000, new_faces(4))
    level.world.brushes.insert(2, extra)
    del level.world.brushes[0]
    level.entities.insert(1, Entity([("classname", "%Model%"), ("%name%", "m"), ("origin", "0 0 0")], [extra]))
    level.trailing = b""
    again = read(write(level))
    assert [len(brush.faces) for brush in again.world.brushes] == [6, 4, 6, 6, 6, 6]
    assert again.world.brushes[1].flags == 0x80000001
    assert len(again.entities) == 4
    assert again.models[0].brushes[0].faces["face_light"].tolist() == [300] * 4


def test_pairs():
    entity = Entity([("A", "1"), ("a", "2"), ("b", "3")])
    assert (entity.get("a"), entity.get("c"), entity.get("c", "no")) == ("1", None, "no")
    assert "B" in entity
    assert list(entity.keys()) == ["A", "a", "b"]
    entity.remove("a")
    entity.remove("nothing")
    entity.set("C", "4")
    assert entity.pairs == [("a", "2"), ("b", "3"), ("C", "4")]
    assert Entity([("origin", "1 2")]).origin is None
    assert Entity([("Origin", "1 -2.5 3e1 ")]).origin == (1, -2.5, 30)


def test_what_cannot_be_written():
    level = read(build.room())
    level.world.set("note", "Ω")
    with pytest.raises(FormatError, match="pairs of entity 0: 'Ω': 'Ω' is not a Latin-1 character"):
        write(level)
    level = read(build.room())
    level.entities[1].flags = 1
    with pytest.raises(FormatError, match="flags of entity 1: flags 1 of an entity with no motion"):
        write(level)
    level = read(build.room())
    level.world.brushes[0].faces = np.zeros(3, "<f4")
    with pytest.raises(FormatError, match="not records of FACE"):
        write(level)


@given(st.lists(st.tuples(st.binary(max_size=30), st.binary(max_size=30)), max_size=8), st.binary(max_size=20))
def test_any_text_comes_back(pairs, trailing):
    data = build.level([build.entity(pairs=pairs)], trailing=trailing)
    level = read(data)
    assert [(key.encode("latin-1"), value.encode("latin-1")) for key, value in level.entities[0].pairs] == pairs
    assert write(level) == data


@given(st.binary(min_size=108, max_size=108 * 3), st.integers(0, 2**32 - 1))
def test_any_bits_of_a_face_come_back(faces, flags):
    count = len(faces) // 108
    data = build.level([build.entity([build.brush([faces[: 108 * count]], flags, count)])])
    level = read(data)
    assert write(level) == data
    assert level.world.brushes[0].flags == flags
    names = texture_names(level.world.brushes[0].faces)
    assert [name.encode("latin-1") for name in names] == [
        faces[108 * n + 20 : 108 * n + 52].split(b"\0")[0] for n in range(count)
    ]


def test_names_of_textures():
    assert texture_field("rock") == b"rock".ljust(32, b"\0")
    assert len(texture_field("y" * 31)) == 32
    for name in ("y" * 32, "Ω"):
        with pytest.raises(ValueError, match=r"32 characters|latin-1"):
            texture_field(name)


def test_flags_of_both_files():
    for flag in EditorBrushFlag:
        of_map = brush_flags_from_editor(flag | 0x30000)
        assert of_map & 0xFFFF0000 == 0x30000
        roles = ("HOLLOWCUT", "SUBTRACT", "HOLLOW", "HIDDEN", "LOCKED")
        assert of_map & 0xFFFF == (0 if flag.name in roles else BrushFlag[flag.name])
        if flag.name not in roles:
            assert brush_flags_to_editor(of_map) == flag | 0x30000
    assert brush_flags_to_editor(0x1 | 0x7800) == 0x1
    assert face_flags_from_editor(0xFFF) == 0x7F
    assert face_flags_from_editor(EditorFaceFlag.TRANSPARENT) == FaceFlag.TRANSLUCENT
    assert face_flags_to_editor(FaceFlag.GOURAUD | FaceFlag.TRANSLUCENT | 0x8000) == 0x840


def test_new_levels_have_a_world_and_the_editors_classes():
    level = read(write(new_level()))
    assert [entity.get("%typename%") for entity in level.typedefs] == ["Camera", "ModelOrigin", "spotlight", "light"]
    assert level.world.get("SkyRotation") == "10.000000"
