# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of what faces, brushes and displacements say of themselves: flags, smoothing, normals, contents, ways."""

import numpy as np
import pytest

from formats.source import LumpId, geometry, read, vmf, write
from formats.source.content import keyvalues
from formats.source.edits import brush_contents, face_fields, texture_vectors
from formats.source.edits import displacements as disp_edits
from formats.source.faces import displacements, vertex_normals
from formats.source.records import Contents, DispInfoFlag, SurfaceFlag
from formats.source.tables import displacements as disp
from tests.formats import source_room as room
from tests.formats.test_source_edits import changed, refused

E = LumpId


@pytest.fixture
def level():
    return room.room()


# --------------------------------------------------------------------------------------------------------------- faces


def test_flags_are_a_texinfo_of_their_own_or_one_that_is_there(level):
    before = level.table(E.TEXINFO).copy()
    texture_vectors.assign(level, [room.NORTH_LEFT, room.WEST], flags=[SurfaceFlag.NOSHADOWS] * 2)
    after = read(write(level)).table(E.TEXINFO)
    assert (after[:4] == before).all() and len(after) == 5
    assert after["flags"][4] == 0x1000
    assert (after[4]["texture_vecs"] == before[1]["texture_vecs"]).all()
    for lump in (E.FACES, E.FACES_HDR):
        assert level.table(lump)["texinfo"].tolist() == [0, 0, 0, 0, 4, 2, 1, 1, 4, 1]
    texture_vectors.assign(level, [room.SOUTH_LEFT], flags=[0x1000])
    assert len(level.table(E.TEXINFO)) == 5, "that of the others"
    texture_vectors.assign(level, [room.SOUTH_LEFT, room.NORTH_LEFT, room.WEST], flags=[0, 0, 0])
    assert level.table(E.FACES)["texinfo"].tolist() == [0, 0, 0, 0, 1, 2, 1, 1, 1, 1]


def test_flags_that_cannot_be(level):
    refused(level, "whole number", texture_vectors.assign, [1], flags=[-1])
    refused(level, "whole number", texture_vectors.assign, [1], flags=[1 << 32])


def test_smoothing_groups_and_original_faces(level):
    face_fields.change(level, [3, 1], smoothing_groups=[0x80000001, 2], orig_face=[-1, 4])
    assert changed(level) == {"FACES", "FACES_HDR"}
    for lump in (E.FACES, E.FACES_HDR):
        table = level.table(lump)
        assert table["smoothing_groups"].tolist() == [0, 2, 0, 0x80000001, 0, 0, 0, 0, 0, 0]
        assert table["orig_face"].tolist() == [0, 4, 2, -1, 4, 5, 6, 7, 8, 9]
    refused(level, "named twice", face_fields.change, [1, 1], [0, 0])
    refused(level, "there are 10", face_fields.change, [10], [0])
    refused(level, "there are 10", face_fields.change, [1], None, [10])
    refused(level, "whole number", face_fields.change, [1], [1 << 32])


def test_normals_are_rows_that_are_there_or_new_ones():
    level = room.with_normals()
    before = read(write(level))
    up, turned = (0, 0, 1), (0.6, 0, 0.8)
    face_fields.set_normals(level, [9, 8, 11], [turned, up, turned])
    assert changed(level, before) == {"VERTNORMALS", "VERTNORMALINDICES"}
    after = read(write(level))
    assert len(after.table(E.VERTNORMALS)) == 11
    assert np.allclose(after.table(E.VERTNORMALS)["normal"][10], turned)
    assert after.table(E.VERTNORMALINDICES)["normal"][8:12].tolist() == [0, 10, 2, 10]
    polygons = geometry.polygons(after)
    smooth, _ = vertex_normals.smooth(after, polygons)
    assert set(polygons.corner_face[smooth]) == {2}
    refused(level, "finite", face_fields.set_normals, [1], [(np.nan, 0, 1)])
    refused(level, "there are 40", face_fields.set_normals, [40], [up])


def test_more_normals_than_can_be_told():
    level = room.with_normals()
    many = np.zeros(65536, level.table(E.VERTNORMALS).dtype)
    many["normal"][:, 0] = np.arange(65536)
    level.set_table(E.VERTNORMALS, many)
    refused(level, "65536 can be told", face_fields.set_normals, [0], [(0, 1, 0)])


def test_a_map_without_normals_gets_none(level):
    refused(level, "no normals", face_fields.set_normals, [0], [(0, 0, 1)])


# ------------------------------------------------------------------------------------------------------------- brushes


def test_contents_of_brushes(level):
    brush_contents.change(level, [1], [Contents.PLAYERCLIP | Contents.DETAIL])
    assert changed(level) == {"BRUSHES"}
    assert level.table(E.BRUSHES)["contents"].tolist() == [1, 0x8010000]
    refused(level, "there are 2", brush_contents.change, [2], [1])
    refused(level, "whole number", brush_contents.change, [0], [-1])


# ------------------------------------------------------------------------------------------------------- displacements


def ways(level):
    verts = level.table(E.DISP_VERTS)
    return verts["vec"].copy(), verts["dist"].copy()


def test_ways_put_vertices_where_they_lead_and_are_there_to_the_bit(level):
    vec, dist = ways(level)
    vec[12], dist[12] = (0, 0, 2), 8  # not of length 1
    assert disp_edits.change(level, ways=(vec, dist)).tolist() == [0]
    assert changed(level) == {"DISP_VERTS", "PHYSDISP"}
    row = level.table(E.DISP_VERTS)[12]
    assert (row["vec"].tolist(), row["dist"], row["alpha"]) == ([0, 0, 2], 8, 10)


def test_ways_on_a_border_take_the_neighbour_along(level):
    laid = displacements.displacements(level, geometry.polygons(level))
    old = laid.positions(level.table(E.DISP_VERTS))
    here = np.flatnonzero((old[:, 0] == 0) & (laid.owner == 0))
    vec, dist = ways(level)
    vec[here], dist[here] = (0, 0, 1), 24
    assert disp_edits.change(level, ways=(vec, dist)).tolist() == [0, 1]
    made = laid.positions(level.table(E.DISP_VERTS))
    assert (made[old[:, 0] == 0, 2] == 24).all()


def test_ways_and_places_together(level):
    laid = displacements.displacements(level, geometry.polygons(level))
    wanted = laid.positions(level.table(E.DISP_VERTS))
    wanted[6] += (0, 0, 5)
    vec, dist = ways(level)
    vec[12], dist[12] = (0, 0, 1), 8
    disp_edits.change(level, wanted, ways=(vec, dist))
    made = laid.positions(level.table(E.DISP_VERTS))
    assert made[[6, 12], 2].tolist() == [5, 8]


def test_ways_that_cannot_be(level):
    vec, dist = ways(level)
    refused(level, "shape", disp_edits.change, ways=(vec[1:], dist))
    refused(level, "NaN", disp_edits.change, ways=(vec, np.where(np.arange(50) == 3, np.nan, dist)))
    vec[3] = (0, 0, 1)
    refused(level, "vertex 3 would lie outside", disp_edits.change, ways=(vec, np.full(50, 20000.0)))


def test_what_a_displacement_says_of_itself(level):
    disp_edits.change_info(level, 1, min_tess=int(DispInfoFlag.IS_FLAGS | DispInfoFlag.NO_RAY_COLL))
    disp_edits.change_info(level, 0, smoothing_angle=30.5)
    assert changed(level) == {"DISPINFO"}
    table = level.table(E.DISPINFO)
    assert table["min_tess"].tolist() == [0, 0x80000008]
    assert table["smoothing_angle"].tolist() == [30.5, 0]
    assert bytes(table["pad"][0]) == b"\xcd\xcd"
    refused(level, "there are 2", disp_edits.change_info, 2, 0)
    refused(level, "not finite", disp_edits.change_info, 0, None, np.nan)
    refused(level, "whole number", disp_edits.change_info, 0, -1)


def test_which_rows_of_blends_are_whose_cannot_change(level):
    table = level.table(E.DISPINFO).copy()
    table["min_tess"][0] = int(DispInfoFlag.IS_FLAGS | DispInfoFlag.HAS_MULTIBLEND)
    level.set_table(E.DISPINFO, table)
    level.set_bytes(E.DISP_MULTIBLEND, bytes(disp.DISPMULTIBLEND.itemsize * room.SIDE**2))
    refused(level, "four textures", disp_edits.change_info, 0, int(DispInfoFlag.IS_FLAGS))
    refused(level, "four textures", disp_edits.change_info, 1, int(table["min_tess"][0]))
    disp_edits.change_info(level, 0, int(table["min_tess"][0]) | int(DispInfoFlag.NO_HULL_COLL))
    assert level.table(E.DISPINFO)["min_tess"][0] == 0xC0000004


def test_a_vmf_has_the_smoothing_angle_and_the_tesselation_of_displacements(level):
    def infos():
        whole = keyvalues.parse(vmf.write(vmf.of_level(read(write(level)))).data)
        solids = [solid for _, world in whole.blocks() for kind, solid in world.blocks() if kind == "solid"]
        sides = [side for solid in solids for _, side in solid.blocks()]
        return [info for side in sides for kind, info in side.blocks() if kind == "dispinfo"]

    assert [(info.get("mintess"), info.get("smooth"), info.get("flags")) for info in infos()] == [(None, None, "0")] * 2
    disp_edits.change_info(level, 0, min_tess=6, smoothing_angle=22.5)
    disp_edits.change_info(level, 1, min_tess=int(DispInfoFlag.IS_FLAGS | DispInfoFlag.NO_RAY_COLL))
    found = [(info.get("mintess"), info.get("smooth"), info.get("flags")) for info in infos()]
    assert found == [("6", "22.5", "0"), (None, None, "8")]
