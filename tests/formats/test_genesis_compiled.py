# SPDX-License-Identifier: GPL-3.0-or-later
"""Compiled Genesis3D levels: chunks, entities, faces, light, textures; the library didn't write what it reads here."""

import struct

import numpy as np
import pytest

import formats
from formats import genesis
from formats.binary import FormatError
from formats.genesis import CompiledLevel
from formats.genesis.compiled import ChunkId, edits, geometry, lighting, pictures, surfaces
from formats.genesis.compiled.records import RECORDS
from tests.formats import genesis_compiled_bytes as build
from tests.formats.leaves import leaves
from tests.samples import genesis_compiled


def level(**more) -> CompiledLevel:
    made = genesis.read(build.room(**more))
    assert isinstance(made, CompiledLevel)
    return made


def test_the_committed_sample_is_what_the_script_makes():
    assert genesis_compiled.TARGET.read_bytes() == build.room()


def test_a_source_map_has_the_same_ending_and_is_told_apart():
    assert formats.identify(build.room()).key == "genesis"
    source = genesis_compiled.TARGET.with_name("source_room.bsp").read_bytes()
    assert formats.identify(source).key == "source"


@pytest.mark.parametrize(
    "data",
    [
        build.room(),
        build.room(light=False),
        build.room(trailing=b"more"),
        build.room(extra=build.chunk(77, b"abcdef", size=3)),
        build.room(extra=build.chunk(build.LIGHT_DATA, b"")),
        build.room(chunks={build.MOTIONS: None, build.SKY: None}),
        build.room(chunks={build.ENTITIES: build.entities(build.everyone()) + b"\0junk"}),
    ],
)
def test_unedited_is_byte_identical(data: bytes):
    made = genesis.read(data)
    made.entities  # noqa: B018 - decoded, too
    assert genesis.write(made) == data
    assert list(leaves(genesis.contents(made))) and genesis.summary(made)
    assert genesis.section_at(made, len(data)) == "end of the file"


def test_records_are_those_of_the_bytes():
    assert {kind: RECORDS[ChunkId(kind)].itemsize for kind in build.SIZES} == build.SIZES
    made = level()
    model = made.table(ChunkId.MODELS)[1]
    assert (model["root_node"], model["first_face"], model["num_faces"], model["num_leafs"]) == (7, 9, 6, 7)
    face = made.table(ChunkId.FACES)[6]
    assert (face["plane"], face["side"], face["texinfo"], face["light_width"], face["light_height"]) == (5, 0, 5, 5, 5)
    assert face["light_types"].tolist() == [0, 11, 255, 255]
    assert made.table(ChunkId.TEXINFOS)["alpha"][6] == 128
    assert made.table(ChunkId.SKY)["textures"].tolist() == [[3] * 6]
    assert genesis.section_at(made, 30).startswith("record 0 of chunk HEADER")


def test_entities_have_their_motions():
    made = level()
    assert [entity.classname for entity in made.entities] == ["", "%Model%", "light", "%typedef%"]
    assert made.models[0].motion is not None and made.models[0].get("Model") == "1"
    made.points[0].set("light", "200")
    made.models[0].motion = None
    again = genesis.read(genesis.write(made))
    assert again.points[0].get("light") == "200" and again.models[0].motion is None
    changed = {chunk.name for old, chunk in zip(level().chunks, again.chunks, strict=True) if old.data != chunk.data}
    assert changed == {"chunk ENTITIES", "chunk MOTIONS"}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (build.room()[:-12], "head of a chunk"),
        (build.room()[:200], "bytes"),
        (build.room(chunks={build.HEADER: build.header(version=16)}), "version 16"),
        (struct.pack("<3i", 5, -4, 2) + build.room(), "-4"),
        (struct.pack("<3i", 5, 4, 1 << 30) + build.room(), "left"),
    ],
)
def test_damaged_containers_are_refused(data: bytes, message: str):
    with pytest.raises(FormatError, match=message):
        genesis.compiled.level.read(data)


@pytest.mark.parametrize(
    ("chunks", "message"),
    [
        ({build.ENTITIES: struct.pack("<i", 1 << 20)}, "bytes are left"),
        ({build.ENTITIES: struct.pack("<3i", 1, 1, 3) + b"abc" + struct.pack("<i", 1) + b"\0"}, "NUL"),
        ({build.MOTIONS: b"Genesis_Motion_File v1.0\r\nNumMotions 1\r\nnothing"}, "ModelNum"),
    ],
)
def test_damaged_entities_are_errors_when_they_are_asked_for(chunks, message: str):
    made = level(chunks=chunks)
    with pytest.raises(FormatError, match=message):
        made.entities  # noqa: B018
    assert genesis.write(made) == build.room(chunks=chunks)
    assert any(message in str(problem) for problem in genesis.check(made))


def _with_field(kind: int, record: int, offset: int, value: int) -> dict[int, bytes]:
    data = bytearray(build.parts()[kind])
    struct.pack_into("<i", data, record * build.SIZES[kind] + offset, value)
    return {kind: bytes(data)}


@pytest.mark.parametrize(
    ("chunks", "message"),
    [
        (_with_field(build.NODES, 3, 0, 99), "children beyond"),
        (_with_field(build.NODES, 3, 4, 2), "reached twice"),
        (_with_field(build.NODES, 3, 16, -1), "planes beyond"),
        (_with_field(build.MODELS, 1, 44, 3), "share faces"),
        (_with_field(build.FACES, 0, 8, 99), "PLANES beyond"),
        (_with_field(build.FACES, 0, 0, 9999), "no corners"),
        (_with_field(build.FACES, 0, 20, 1 << 20), "beyond the end of LIGHT_DATA"),
        (_with_field(build.TEXINFOS, 0, 60, 44), "TEXTURES beyond"),
        ({build.LEAFS: None}, "isn't there"),
    ],
)
def test_what_is_wrong_is_said(chunks, message: str):
    assert any(message in str(problem) for problem in genesis.check(level(chunks=chunks)))


def test_the_engine_refuses_chunks_that_it_does_not_know():
    problems = genesis.check(level(extra=build.chunk(77, b"abc", size=3)))
    assert [str(one) for one in problems] == ["error: chunk of the unknown type 77: the engine refuses the whole level"]
    assert genesis.check(level()) == []


def test_faces_look_where_their_planes_say():
    made = level()
    drawn = surfaces.of_level(made)
    shape = geometry.of_compiled(made, drawn)
    rings, sizes = drawn.rings_of(np.arange(len(drawn.numbers)))
    assert (sizes == 4).all()
    around = np.cross(rings[:, 1] - rings[:, 0], rings[:, 2] - rings[:, 1])
    assert ((around * shape.faces["normal"]).sum(axis=1) > 0).all(), "counter-clockwise as they are seen"
    assert shape.counts.tolist() == [9, 6]
    assert (np.diff(shape.polygons.first_corner) == 4).all(), "both sides of the water are there"


def test_lightmaps_lie_where_the_engine_has_them():
    made = level()
    drawn = surfaces.of_level(made)
    faces = geometry.records(made, drawn)
    found = lighting.blocks(made, drawn)
    sizes = lighting.grid_sizes(faces, drawn)
    lit = found.lit
    assert np.flatnonzero(~lit).tolist() == [3, 5]
    assert sizes[lit].tolist() == np.column_stack([found.width, found.height])[lit].tolist()
    data = made.table(ChunkId.LIGHT_DATA)
    for face, slot in ((0, 0), (6, 1), (14, 0)):
        offsets = found.bytes_of(np.array([face]), slot)
        first, third = (bytes(data[offset : offset + 3]) for offset in offsets[[0, 2]].tolist())
        assert (first, third) == (build.luxel(face, slot, 0), build.luxel(face, slot, 2))


def test_textures_with_their_palettes_and_holes():
    made = level()
    assert pictures.names(made) == list(build.NAMES)
    assert pictures.keyed(made).tolist() == [False, False, True, False]
    water = pictures.read(made, build.WATER_PICTURE, True)
    assert water[3, 5].tolist() == [255, 0, 120, 0]
    assert water[0, 0].tolist() == [80, 175, 120, 255]


def test_a_painted_texture_keeps_its_place_and_has_mip_maps():
    made = level()
    picture = np.zeros((build.SIDE, build.SIDE, 4), np.uint8)
    picture[:, :8], picture[:, 8:] = (255, 0, 0, 255), (0, 0, 255, 255)
    picture[:2, :2, 3] = 0
    pictures.replace(made, build.WATER_PICTURE, picture, True)
    again = genesis.read(genesis.write(made))
    shown = pictures.read(again, build.WATER_PICTURE, True)
    assert (shown[:, :, 3] == picture[:, :, 3]).all() and (shown[4:] == picture[4:]).all()
    assert len(genesis.write(made)) == len(build.room())
    data = again.table(ChunkId.TEXTURE_DATA)[2 * 340 :]
    assert (again.table(ChunkId.PALETTES)["rgb"][2][data[256 + 4 * 8 : 256 + 4 * 8 + 8]][:, 0] > 0).tolist() == [
        True,
        True,
        True,
        True,
        False,
        False,
        False,
        False,
    ]
    number = pictures.add(again, "new", picture)
    assert (pictures.read(again, number)[:, :, :3] == picture[:, :, :3]).all()
    assert genesis.check(again) == []
    with pytest.raises(FormatError, match="keeps its 16 by 16"):
        pictures.replace(made, 0, picture[:8])
    with pytest.raises(FormatError, match="powers of two"):
        pictures.add(made, "odd", np.zeros((3, 8, 4), np.uint8))


def test_a_palette_that_another_texture_has_is_left_to_it():
    data = bytearray(build.parts()[build.TEXTURES])
    struct.pack_into("<i", data, 48, 1)  # rock has metal's palette
    made = level(chunks={build.TEXTURES: bytes(data)})
    before = pictures.read(made, 1)
    pictures.replace(made, 0, np.full((build.SIDE, build.SIDE, 4), 9, np.uint8))
    assert (pictures.read(made, 1) == before).all()
    assert (pictures.read(made, 0)[:, :, :3] == 9).all()


def test_a_texture_that_slides_is_another_texinfo_and_keeps_its_light():
    made = level()
    drawn = surfaces.of_level(made)
    chosen = np.array([4])
    faces = geometry.records(made, drawn)[chosen]
    faces["offset_x"] += 8
    edits.put_faces(made, drawn, chosen, faces, np.array([build.ROCK]))
    assert len(made.table(ChunkId.TEXINFOS)) == len(build.INFOS) + 1
    assert made.table(ChunkId.FACES)["texinfo"][4] == len(build.INFOS)
    assert genesis.read(build.room()).table(ChunkId.LIGHT_DATA).tobytes() == made.table(ChunkId.LIGHT_DATA).tobytes()
    faces["offset_x"] -= 8
    edits.put_faces(made, drawn, chosen, faces, np.array([build.ROCK]))
    assert made.table(ChunkId.FACES)["texinfo"][4] == 2, "the one that there is"


def test_a_texture_that_turns_takes_its_light_along():
    made = level()
    drawn = surfaces.of_level(made)
    chosen = np.array([0, 4])
    faces = geometry.records(made, drawn)[chosen]
    before = lighting.blocks(made, drawn)
    turned = faces.copy()
    turned["u_vec"], turned["v_vec"] = faces["v_vec"], -faces["u_vec"]
    edits.put_faces(made, drawn, chosen, turned, np.array([build.ROCK, build.ROCK]))
    after = lighting.blocks(made, surfaces.of_level(made))
    assert (after.width[0], after.height[0]) == (before.height[0], before.width[0])
    assert genesis.check(made) == []
    was, now = genesis.read(build.room()).table(ChunkId.LIGHT_DATA), made.table(ChunkId.LIGHT_DATA)
    for face in chosen.tolist():
        old = was[before.bytes_of(np.array([face]), 0)].reshape(before.height[face], before.width[face])
        new = now[after.bytes_of(np.array([face]), 0) + 1].reshape(after.height[face], after.width[face])
        green = was[before.bytes_of(np.array([face]), 0) + 1].reshape(old.shape)
        assert (new == np.rot90(green, 1)).all() or (new == np.rot90(green, -1)).all()
    assert (now[: len(was)] == was).mean() > 0.9, "others keep theirs"


def test_vectors_along_a_face_are_refused():
    made = level()
    drawn = surfaces.of_level(made)
    faces = geometry.records(made, drawn)[[4]]
    faces["u_vec"] = (0, 1, 0)
    with pytest.raises(FormatError, match="along the face"):
        edits.put_faces(made, drawn, np.array([4]), faces, np.array([0]))
    faces["u_vec"] = (50, 0, 0)
    with pytest.raises(FormatError, match="18 are allowed"):
        edits.put_faces(made, drawn, np.array([4]), faces, np.array([0]))
