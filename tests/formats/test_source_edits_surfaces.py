# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of displacements, textures and texture vectors of a map made here: what has to change does, and all linked."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.binary import FormatError
from formats.source import LumpId, geometry, read, write
from formats.source.edits import displacements as disp_edits
from formats.source.edits import texture_vectors, textures
from formats.source.faces import displacements
from tests import examples
from tests.formats import source_room as room
from tests.formats.test_source_edits import changed, refused

E = LumpId


@pytest.fixture
def level():
    return room.room()


# ------------------------------------------------------------------------------------------------------- displacements


def laid_out(level):
    laid = displacements.displacements(level, geometry.polygons(level))
    return laid, laid.positions(level.table(E.DISP_VERTS))


def test_a_border_that_is_moved_takes_the_neighbour_along(level):
    laid, old = laid_out(level)
    pairs = displacements.shared(laid, old)
    assert len(pairs[0]) == 2 * room.SIDE
    wanted = old.copy()
    wanted[(old[:, 0] == 0) & (laid.owner == 0), 2] += 12
    assert disp_edits.change(level, wanted).tolist() == [0, 1]
    assert changed(level) == {"DISP_VERTS", "PHYSDISP"}
    assert not len(level.bytes_of(E.PHYSDISP))
    made = laid.positions(level.table(E.DISP_VERTS))
    assert np.abs(made - np.where((old[:, :1] == 0), old + np.array([0, 0, 12]), old)).max() < 1e-4
    assert (made[pairs[0]] == made[pairs[1]]).all()


def test_borders_that_are_moved_apart_meet_halfway(level):
    laid, old = laid_out(level)
    wanted = old.copy()
    wanted[(old[:, 0] == 0) & (laid.owner == 0), 2] += 12
    wanted[(old[:, 0] == 0) & (laid.owner == 1), 2] += 4
    disp_edits.change(level, wanted)
    assert set(laid.positions(level.table(E.DISP_VERTS))[old[:, 0] == 0, 2]) == {8}


def test_the_inside_of_one_displacement_changes_it_alone(level):
    _, old = laid_out(level)
    wanted = old.copy()
    wanted[12] += [1, 2, 3]
    before = level.table(E.DISP_VERTS).copy()
    assert disp_edits.change(level, wanted).tolist() == [0]
    after = level.table(E.DISP_VERTS)
    assert np.flatnonzero(before != after).tolist() == [12]
    assert after["alpha"][12] == 10


def test_alphas_and_tags_leave_the_collision(level):
    laid, old = laid_out(level)
    alphas = level.table(E.DISP_VERTS)["alpha"].copy()
    alphas[(old[:, 0] == 0) & (laid.owner == 0)] = 200
    tags = level.table(E.DISP_TRIS)["tags"].copy()
    tags[40] = 6
    assert disp_edits.change(level, alphas=alphas, tags=tags).tolist() == [0, 1]
    assert changed(level) == {"DISP_VERTS", "DISP_TRIS"}
    assert set(level.table(E.DISP_VERTS)["alpha"][old[:, 0] == 0]) == {200}
    assert disp_edits.change(level, old, alphas).tolist() == [0, 1]  # those of the neighbour, which followed
    assert disp_edits.change(level, old, level.table(E.DISP_VERTS)["alpha"]).tolist() == []


def test_vertices_that_a_coarser_neighbour_has_not_stay_on_its_line(level):
    infos = level.table(E.DISPINFO).copy()
    infos["allowed_verts"][0, 0] ^= 1 << 1 | 1 << 3  # of the border from vertex 0 to 4
    level.set_table(E.DISPINFO, infos)
    before = read(write(level))
    laid, old = laid_out(level)
    wanted = old.copy()
    wanted[[1, 2], 2] += [50, 8]
    disp_edits.change(level, wanted)
    assert laid.positions(level.table(E.DISP_VERTS))[:5, 2].tolist() == [0, 4, 8, 4, 0]
    assert changed(level, before) == {"DISP_VERTS", "PHYSDISP"}


@pytest.mark.parametrize(("field", "what"), [("disp_vert_start", "vertex"), ("disp_tri_start", "triangle")])
def test_displacements_cannot_have_anything_in_common(level, field, what):
    infos = level.table(E.DISPINFO).copy()
    infos[field] = infos[field][0]
    level.set_table(E.DISPINFO, infos)
    with pytest.raises(FormatError, match=f"first {what} 0 can't be"):
        laid_out(level)


def test_displacements_that_cannot_be(level):
    _, old = laid_out(level)
    refused(level, "shape", disp_edits.change, old[1:])
    refused(level, "NaN, infinite or too large", disp_edits.change, np.full_like(old, np.nan))
    refused(level, "vertex 3 would lie outside", disp_edits.change, np.where(np.arange(50)[:, None] == 3, 20000.0, old))
    refused(level, "tags", disp_edits.change, tags=np.full(64, -1))
    refused(level, "alphas", disp_edits.change, old + 1, alphas=np.zeros(3))
    refused(level, "too large", disp_edits.change, alphas=np.full(50, 1e39))


# ------------------------------------------------------------------------------------------------------------ textures


def test_a_texture_is_renamed_and_replaced(level):
    textures.change(level, 0, "nature/a_much_longer_name_of_grass", (128, 256), (0.1, 0.2, 0.3))
    assert changed(level) == {"TEXDATA", "TEXDATA_STRING_DATA", "TEXDATA_STRING_TABLE"}
    after = read(write(level))
    assert after.texture_names.names == ["nature/a_much_longer_name_of_grass", "maps/room/dev/wall_10_20_30"]
    row = after.table(E.TEXDATA)[0]
    assert (row["width"], row["height"], row["view_width"], row["view_height"]) == (128, 256, 128, 256)
    assert row["reflectivity"].tolist() == np.float32([0.1, 0.2, 0.3]).tolist()


def test_a_name_of_the_same_length_changes_one_lump(level):
    textures.change(level, 0, "dev/walls")
    assert changed(level) == {"TEXDATA_STRING_DATA"}


def test_a_name_that_others_have_too_is_not_taken_from_them(level):
    table = level.table(E.TEXDATA).copy()
    table["name_string_table_id"] = 0
    level.set_table(E.TEXDATA, table)
    textures.change(level, 1, "dev/other")
    names = level.texture_names.names
    assert [names[number] for number in level.table(E.TEXDATA)["name_string_table_id"]] == ["dev/floor", "dev/other"]


def test_a_texture_is_added_once(level):
    assert textures.add(level, "DEV/floor", (8, 8)) == 0
    assert changed(level) == set()
    assert textures.add(level, "dev/new", (8, 16)) == 2
    assert textures.add(level, "dev/NEW", (8, 16)) == 2
    assert changed(level) == {"TEXDATA", "TEXDATA_STRING_DATA", "TEXDATA_STRING_TABLE"}


def test_textures_that_cannot_be(level):
    refused(level, "isn't there", textures.change, 2, "a")
    refused(level, "127", textures.change, 0, "x" * 128, (1, 1))
    refused(level, "Latin-1", textures.change, 0, "日本")
    refused(level, "0 x 4", textures.change, 0, "a", (0, 4))
    refused(level, "needs a name", textures.add, "", (4, 4))


# ----------------------------------------------------------------------------------------------------- texture vectors


def test_one_face_gets_a_texinfo_of_its_own_and_those_linked_follow(level):
    vectors = level.table(E.TEXINFO)["texture_vecs"][[1]].copy()
    vectors[0, 0, 3] += 8
    texture_vectors.assign(level, [room.WEST], vectors)
    assert changed(level) == {"TEXINFO", "FACES", "FACES_HDR", "ORIGINALFACES", "BRUSHSIDES"}
    for lump in (E.FACES, E.FACES_HDR, E.ORIGINALFACES):
        assert level.table(lump)["texinfo"].tolist() == [0, 0, 0, 0, 4, 2, 1, 1, 1, 1]
    assert level.table(E.BRUSHSIDES)["texinfo"].tolist() == [0] * 6 + [4] + [1] * 5
    made = level.table(E.TEXINFO)
    assert made["lightmap_vecs"][4].tolist() == made["lightmap_vecs"][1].tolist()
    texture_vectors.assign(level, [room.SOUTH_LEFT, room.NORTH_LEFT], vectors[[0, 0]])  # the row is there
    assert len(level.table(E.TEXINFO)) == 5
    assert level.table(E.FACES)["texinfo"].tolist() == [0, 0, 0, 0, 4, 2, 4, 1, 4, 1]


def test_a_brush_side_follows_when_no_face_on_it_lies_as_before(level):
    vectors = level.table(E.TEXINFO)["texture_vecs"][[0, 0]].copy() * 2
    texture_vectors.assign(level, [room.FLOOR_LEFT], vectors[:1])
    assert level.table(E.BRUSHSIDES)["texinfo"][0] == 0
    texture_vectors.assign(level, [room.FLOOR_RIGHT], vectors[:1])
    assert level.table(E.FACES)["texinfo"][:2].tolist() == [4, 4]
    assert level.table(E.BRUSHSIDES)["texinfo"].tolist() == [4] + [0] * 5 + [1] * 6
    other = room.room()
    texture_vectors.assign(other, [room.FLOOR_LEFT, room.FLOOR_RIGHT], vectors)
    assert other.table(E.BRUSHSIDES)["texinfo"].tolist() == [4] + [0] * 5 + [1] * 6


def test_original_faces_whose_texinfos_mean_nothing_stay(level):
    originals = level.table(E.ORIGINALFACES).copy()
    originals["texinfo"] += 900
    level.set_table(E.ORIGINALFACES, originals)
    before = read(write(level))
    texture_vectors.assign(level, [room.EAST], level.table(E.TEXINFO)["texture_vecs"][[0]])
    assert changed(level, before) == {"TEXINFO", "FACES", "FACES_HDR"}


@pytest.mark.parametrize("lump", [E.BRUSHES, E.BRUSHSIDES, E.LEAFBRUSHES, E.NODES, E.ORIGINALFACES])
@pytest.mark.parametrize("left", [b"", b"?"], ids=["gone", "damaged"])
def test_faces_of_protected_maps_can_be_edited(level, lump, left):
    level.set_bytes(lump, left)
    before = read(write(level))
    texture_vectors.assign(level, [room.WEST], level.table(E.TEXINFO)["texture_vecs"][[1]] + 8)
    assert {"TEXINFO", "FACES", "FACES_HDR"} <= changed(level, before) <= {
        "TEXINFO", "FACES", "FACES_HDR", "ORIGINALFACES", "BRUSHSIDES"
    }  # fmt: skip
    assert bytes(level.bytes_of(lump)) == left


def test_another_texture_on_a_face(level):
    texture_vectors.assign(level, [room.EAST], texdata=[0])
    row = level.table(E.TEXINFO)[level.table(E.FACES)["texinfo"][room.EAST]]
    assert (row["texdata"], row["flags"]) == (0, 0x800)


def corners_of(level, polygons, faces):
    sizes = np.diff(polygons.first_corner)[faces]
    where = np.concatenate([np.arange(polygons.first_corner[f], polygons.first_corner[f + 1]) for f in faces])
    points = polygons.positions[polygons.corners[where]]
    numbers = level.table(E.FACES)["texinfo"][np.repeat(faces, sizes)]
    return points, geometry.texels(points, level.table(E.TEXINFO), numbers)


@given(
    st.lists(st.floats(-4, 4), min_size=4, max_size=4),
    st.tuples(st.floats(-500, 500), st.floats(-500, 500)),
    st.lists(st.integers(0, 9), min_size=1, max_size=10, unique=True),
)
@examples.at_most(60)
def test_affine_movements_are_solved(turn, shift, faces):
    level = room.room()
    polygons = geometry.polygons(level)
    _, old = corners_of(level, polygons, faces)
    wanted = old @ np.array(turn).reshape(2, 2) + shift
    vectors = texture_vectors.solve(level, polygons, faces, wanted)
    texture_vectors.assign(level, faces, vectors)
    assert np.abs(corners_of(level, polygons, faces)[1] - wanted).max() < 0.01
    assert changed(level) <= {"TEXINFO", "FACES", "FACES_HDR", "ORIGINALFACES", "BRUSHSIDES"}


def test_unmoved_corners_give_the_old_vectors_and_what_lies_across_the_plane_stays(level):
    polygons = geometry.polygons(level)
    faces = list(range(10))
    _, old = corners_of(level, polygons, faces)
    before = level.table(E.TEXINFO)["texture_vecs"][level.table(E.FACES)["texinfo"]]
    assert (texture_vectors.solve(level, polygons, faces, old) == before).all()
    shifted = texture_vectors.solve(level, polygons, faces, old + np.array([3, 4]))
    assert (shifted[:, :, :3] == before[:, :, :3]).all()


def test_what_is_not_affine_is_refused_with_its_distance(level):
    polygons = geometry.polygons(level)
    _, old = corners_of(level, polygons, [4, 5])
    wanted = old.copy()
    wanted[5] += [8, 0]
    with pytest.raises(FormatError, match="face 5: its coordinates are 2 texels"):
        texture_vectors.solve(level, polygons, [4, 5], wanted)
    assert np.allclose(texture_vectors.misfits(level, polygons, [4, 5], wanted), [0, 2])


def test_texture_vectors_that_cannot_be(level):
    vectors = np.zeros((1, 2, 4))
    refused(level, "record 10 isn't there", texture_vectors.assign, [10], vectors)
    refused(level, "twice", texture_vectors.assign, [1, 1], np.zeros((2, 2, 4)))
    refused(level, "finite", texture_vectors.assign, [1], vectors + np.inf)
    refused(level, "isn't there", texture_vectors.assign, [1], vectors, [2])
    faces = level.table(E.FACES).copy()
    faces["texinfo"][3] = -1
    level.set_table(E.FACES, faces)
    refused(level, "face 3 has no texinfo", texture_vectors.assign, [2, 3], np.zeros((2, 2, 4)))


def test_more_texinfos_than_faces_can_name():
    level = room.room()
    many = np.repeat(level.table(E.TEXINFO)[:1], 32767)
    many["texture_vecs"][:, 0, 3] = np.arange(32767)
    level.set_table(E.TEXINFO, many)
    refused(level, "32767 can be told", texture_vectors.assign, [2], np.full((1, 2, 4), 0.5))
