# SPDX-License-Identifier: GPL-3.0-or-later
"""The small lumps: names of textures, occluders, overlay and brush lists, ambient light, sample positions, fields."""

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats import ranges
from formats.binary import FormatError
from formats.source.light import ambient, sample_positions
from formats.source.sections import face_brushes, occlusion, texdata
from formats.source.tables import fields, geometry, lights, overlay_lists, tree
from formats.source.tables import overlays as records_overlays
from tests.formats import source_record_bytes as build

# -------------------------------------------------------------------------------------------------- names of textures

NAMES = st.lists(st.text(st.characters(max_codepoint=255, exclude_characters="\0"), max_size=127), max_size=12)


def strings(*texts):
    return texdata.build(list(texts))


def test_names_stand_one_after_another():
    found = strings("TOOLS/TOOLSNODRAW", "", "a")
    assert found.data == b"TOOLS/TOOLSNODRAW\0\0a\0"
    assert found.offsets.tolist() == [0, 18, 19]
    assert found.names == ["TOOLS/TOOLSNODRAW", "", "a"]


@given(NAMES)
def test_names_come_back(texts):
    assert strings(*texts).names == texts


@given(NAMES.filter(bool), st.data())
def test_another_name_leaves_the_others(texts, data):
    number = data.draw(st.integers(0, len(texts) - 1))
    found = strings(*texts).renamed(number, "BRICK/NEW")
    expected = [*texts[:number], "BRICK/NEW", *texts[number + 1 :]]
    assert found.names == expected
    assert found.data == strings(*expected).data
    assert found.offsets.tolist() == strings(*expected).offsets.tolist()


def test_a_name_that_is_shared_stays_for_the_others():
    shared = texdata.read(np.array([2, 0, 2]), b"a\0wall\0")
    found = shared.renamed(0, "x")
    assert found.names == ["x", "a", "wall"]
    assert found.data.startswith(shared.data)
    assert shared.renamed(0, "wall") is shared


def test_adding_a_name():
    found, number = strings("a", "wall").added("x")
    assert (found.names, number) == (["a", "wall", "x"], 2)
    same, number = found.added("WALL")
    assert same is found
    assert number == 1


def test_a_last_name_without_an_end_stays_as_it_is():
    cut = texdata.read(np.array([0, 2]), b"a\0wall")
    assert cut.added("x")[0].names == ["a", "wall", "x"]
    assert cut.renamed(0, "x").names == ["x", "wall"]
    assert cut.renamed(1, "x").names == ["a", "x"]


def test_names_that_cannot_be():
    for name in ("x" * 128, "a\0b", "\N{SNOWMAN}"):
        with pytest.raises(FormatError, match="texture names"):
            strings(name)
    for offset in (-1, 5):
        with pytest.raises(FormatError, match=f"text 1 is at {offset}, there are 5 bytes"):
            _ = texdata.read(np.array([0, offset]), b"wall\0").names
    assert texdata.read(np.array([2]), b"wall").names == ["ll"]
    assert texdata.read(np.array([], np.int32), b"").names == []


# ----------------------------------------------------------------------------------------------------------- occluders


def occluders(name, byte_order="<", number=2):
    parts = [build.records(name, number, byte_order), build.records("OCCLUDER_POLY", 3, byte_order)]
    counts = [number, 3]
    parts.append(build.records("OCCLUDER_VERTEX", 5, byte_order))
    counts.append(5)
    return b"".join(struct.pack(byte_order + "i", count) + part for count, part in zip(counts, parts, strict=True))


@pytest.mark.parametrize(("version", "name"), [(1, "OCCLUDER"), (0, "OCCLUDER"), (2, "OCCLUDER_V2")])
@pytest.mark.parametrize("byte_order", "<>")
def test_occluders(version, name, byte_order):
    data = occluders(name, byte_order)
    found = occlusion.read(data, version, byte_order)
    assert found.occluders.dtype == getattr(tree, name).newbyteorder(byte_order)
    assert (len(found.occluders), len(found.polys), len(found.vertices), found.trailing) == (2, 3, 5, b"")
    assert found.to_bytes() == data


def test_a_wrong_version_of_occluders():
    assert occlusion.read(occluders("OCCLUDER"), 2).occluders.dtype == tree.OCCLUDER
    assert occlusion.read(occluders("OCCLUDER_V2"), 1).occluders.dtype == tree.OCCLUDER_V2


def test_no_occluders():
    found = occlusion.read(bytes(12), 2)
    assert len(found.occluders) == len(found.polys) == len(found.vertices) == 0
    assert found.to_bytes() == bytes(12)


@pytest.mark.parametrize("data", [b"", bytes(11), struct.pack("<i", -1) + bytes(8), occluders("OCCLUDER")[:-3]])
def test_occluders_that_are_not_whole(data):
    with pytest.raises(FormatError, match="occlusion"):
        occlusion.read(data, 2)


# ------------------------------------------------------------------------------------------------- overlays and faces


def test_overlays_of_strata():
    faces = (7, 8, 9, 10, 11)
    data = struct.pack("<2i5i", 2, len(faces), *faces)
    data += build.record("OVERLAY_V3", face_offset=0, face_count=2, render_order=1)
    data += build.record("OVERLAY_V3", face_offset=2, face_count=3, render_order=3)
    found = overlay_lists.read(data)
    assert found.faces_of(0).tolist() == [7, 8]
    assert found.faces_of(1).tolist() == [9, 10, 11]
    counts, orders = fields.overlay_counts(found.overlays)
    assert (counts.tolist(), orders.tolist()) == ([2, 3], [1, 3])
    assert found.to_bytes() == data
    assert overlay_lists.read(b"").to_bytes() == bytes(8)
    with pytest.raises(FormatError, match="overlays"):
        overlay_lists.read(data[:-1])


def test_faces_of_overlays():
    data = build.record("OVERLAY", face_count_and_render_order=2 << 14 | 3, faces=range(64))
    data += build.record("OVERLAY", face_count_and_render_order=0, faces=range(64))
    data += build.record("OVERLAY", face_count_and_render_order=1 << 14 | 16000, faces=range(64, 128))
    overlays = np.frombuffer(data, records_overlays.OVERLAY)
    counts, orders = fields.overlay_counts(overlays)
    assert (counts.tolist(), orders.tolist()) == ([3, 0, 16000], [2, 0, 1])
    own, faces = overlay_lists.face_lists(overlays)
    assert own.tolist() == [0] * 3 + [2] * 64
    assert faces.tolist() == [0, 1, 2, *range(64, 128)]


@pytest.mark.parametrize("wide", ["", "_32"])
def test_brushes_of_faces(wide):
    lists = [(1, 38), (0, 9), (3, 1), (1, 0), (2, 3)]
    data = b"".join(build.record("FACEBRUSHLIST" + wide, count=count, start=start) for count, start in lists)
    made = np.frombuffer(data, getattr(geometry, "FACEBRUSHLIST" + wide))
    data = b"".join(build.record("FACEBRUSH" + wide, brush=brush) for brush in (4, 5, 6, 7, 8))
    brushes = np.frombuffer(data, getattr(geometry, "FACEBRUSH" + wide))
    faces, found = face_brushes.pairs(made, brushes)
    assert faces.tolist() == [0, 2, 2, 2, 3, 4, 4]
    assert found.tolist() == [38, 5, 6, 7, 0, 7, 8]
    with pytest.raises(FormatError, match="face 2 names 3 from 1 on, there are 2"):
        face_brushes.pairs(made, brushes[:2])
    with pytest.raises(FormatError, match="other things"):
        face_brushes.pairs(np.zeros(1, tree.CLUSTER), np.zeros(1, tree.PORTAL))


# ------------------------------------------------------------------------------------------------------ ambient light


def leafs(name="LEAF", number=3):
    bounds = {"mins": (0, -100, 10), "maxs": (255, 155, 520)}
    return np.frombuffer(build.records(name, number, **bounds), getattr(tree, name))


@pytest.mark.parametrize("wide", ["", "_32"])
@pytest.mark.parametrize("name", ["LEAF", "LEAF_32", "LEAF_FLOAT"])
def test_samples_of_leafs(wide, name):
    data = b"".join(build.record("LEAF_AMBIENT_LIGHTING", 9 * each, x=each, y=255 - each, z=0) for each in range(4))
    lighting = np.frombuffer(data, lights.LEAF_AMBIENT_LIGHTING)
    data = b"".join(
        build.record("LEAF_AMBIENT_INDEX" + wide, count=count, first=first)
        for count, first in [(1, 0), (0, 99), (3, 1)]
    )
    index = np.frombuffer(data, getattr(lights, "LEAF_AMBIENT_INDEX" + wide))
    found = ambient.samples(leafs(name), lighting, index)
    assert found.leafs.tolist() == [0, 2, 2, 2]
    assert found.points == pytest.approx(np.array([(each, 155 - each, 10) for each in range(4)]), abs=1e-4)
    assert found.cubes.tobytes() == b"".join(row["cube"].tobytes() for row in lighting)


def test_one_cube_a_leaf():
    lighting = np.frombuffer(build.records("LEAF_AMBIENT_CUBE", 3), lights.LEAF_AMBIENT_CUBE)
    found = ambient.samples(leafs(), lighting)
    assert found.leafs.tolist() == [0, 1, 2]
    assert found.points.tolist() == [[127.5, 27.5, 265]] * 3
    own = leafs("LEAF_AMBIENT")
    assert ambient.samples(own).cubes.tobytes() == own["cube"].tobytes()


def test_ambient_light_that_does_not_fit_its_leafs():
    cubes = np.zeros(2, lights.LEAF_AMBIENT_CUBE)
    light = np.zeros(2, lights.LEAF_AMBIENT_LIGHTING)
    index = np.zeros(3, lights.LEAF_AMBIENT_INDEX)
    index[1] = (2, 1)
    with pytest.raises(FormatError, match="none of their own"):
        ambient.samples(leafs())
    with pytest.raises(FormatError, match="2 cubes, one for each of 3 leafs"):
        ambient.samples(leafs(), cubes)
    with pytest.raises(FormatError, match="2 entries, not 3"):
        ambient.samples(leafs(), light, index[:2])
    with pytest.raises(FormatError, match="leaf 1 names samples beyond the 2"):
        ambient.samples(leafs(), light, index)


# ---------------------------------------------------------------------------------------------------- sample positions

LUXELS = st.lists(st.tuples(st.integers(0, 510), st.tuples(*[st.integers(0, 255)] * 3)), max_size=60)


@given(LUXELS)
def test_sample_positions_come_back(luxels):
    data = b""
    starts = []
    for triangle, coordinates in luxels:
        starts.append(len(data))
        data += bytes([255, triangle - 255] if triangle >= 255 else [triangle]) + bytes(coordinates)
    begins, triangles, coordinates = sample_positions.decode(data)
    assert begins.tolist() == starts
    assert triangles.tolist() == [triangle for triangle, _ in luxels]
    assert coordinates.tolist() == [list(each) for _, each in luxels]
    assert sample_positions.encode(triangles, coordinates) == data


@pytest.mark.parametrize("data", [b"\1", b"\1\2\3\4\5", b"\xff\1\2\3"])
def test_sample_positions_that_are_not_whole(data):
    with pytest.raises(FormatError, match="not whole"):
        sample_positions.decode(data)


def test_sample_positions_that_cannot_be_told():
    with pytest.raises(FormatError, match="0 to 510"):
        sample_positions.encode([511], np.zeros((1, 3)))


# -------------------------------------------------------------------------------------------------- fields and ranges


def test_primitives_of_faces():
    usual = np.zeros(3, geometry.FACE)
    usual["num_prims"] = (0x8002, 2, 0)
    counts, shadows = fields.prim_counts(usual)
    assert (counts.tolist(), shadows.tolist()) == ([2, 2, 0], [False, True, True])
    strata = np.zeros(2, geometry.FACE_STRATA)
    strata["shadows_num_prims"] = (7, 6)
    counts, shadows = fields.prim_counts(strata)
    assert (counts.tolist(), shadows.tolist()) == ([3, 3], [True, False])
    counts, shadows = fields.prim_counts(np.zeros(1, geometry.FACE_17))
    assert (counts.tolist(), shadows.tolist()) == ([0], [True])


@pytest.mark.parametrize("byte_order", "<>")
def test_areas_of_leafs(byte_order):
    made = np.zeros(1, tree.LEAF.newbyteorder(byte_order))
    made["area_flags"] = 5 << 9 | 300
    assert [each.tolist() for each in fields.areas(made)] == [[300], [5]]
    made = np.zeros(1, tree.LEAF_FLOAT.newbyteorder(byte_order))
    made["area_flags"] = 5 << 17 | 70000
    assert [each.tolist() for each in fields.areas(made)] == [[70000], [5]]


def test_lists_that_would_fill_the_memory():
    ranges.check_total([1000, 24], 0, "lists")
    with pytest.raises(FormatError, match="reading lists: lists of 16385 entries in all, of which there are 0"):
        ranges.check_total([16384, -9, 1], 0, "lists")
    many = texdata.read(np.zeros(100_000, np.int32), b"x" * 100_000)
    with pytest.raises(FormatError, match="lists of 10000000000 entries in all"):
        _ = many.names
    lists = np.zeros(60_000, geometry.FACEBRUSHLIST)
    lists["count"] = 60_000
    with pytest.raises(FormatError, match="face brushes"):
        face_brushes.pairs(lists, np.zeros(60_000, geometry.FACEBRUSH))


@given(st.lists(st.tuples(st.integers(-5, 50), st.integers(0, 6)), max_size=20))
def test_ranges(lists):
    starts, counts = [start for start, _ in lists], [number for _, number in lists]
    expected = [(whose, start + each) for whose, (start, number) in enumerate(lists) for each in range(number)]
    assert ranges.owners(counts).tolist() == [whose for whose, _ in expected]
    assert ranges.flat(starts, counts).tolist() == [each for _, each in expected]
