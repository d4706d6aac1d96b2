# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with a map is said with lump and record, each thing once; and what `contents` shows of odd lumps."""

import struct

import numpy as np
import pytest

from formats.binary import FormatError
from formats.source import LumpId, check, contents, read, write
from formats.source.collision.physcollide import PhysModel
from formats.source.sections import color_variables
from formats.source.sections.counted import texts
from tests.formats import source_bytes as bsp
from tests.formats import source_fuzz_maps, source_layout_maps
from tests.formats import source_record_bytes as build


def whole():
    return read(source_fuzz_maps.EVERYTHING)


def problems(level):
    return [str(problem) for problem in check(read(write(level)))]


TABLES = [
    ("FACES", "planenum", 99, "of 6 PLANES names, as its planenum, 99"),
    ("FACES", "firstedge", 23, "of 24 SURFEDGES has, as first and count, [23, 4]"),
    ("FACES", "lightofs", 5000, "of 120 bytes of LIGHTING has its lightmap at 5000"),
    ("FACES_HDR", "lightofs", 5000, "of 120 bytes of LIGHTING_HDR has its lightmap at 5000"),
    ("VERTEXES", "point", np.nan, "has the point [nan, nan, nan]"),
    ("PLANES", "dist", np.inf, "has the dist inf"),
    ("NODES", "children", -9, "of 2 NODES and 2 LEAFS has the children [-9, -9]"),
    ("LEAFS", "area_flags", 7, "of 2 AREAS is in 7"),
    ("LEAFS", "cluster", 3, "of 1 clusters is in 3"),
    ("LEAFFACES", "face", 6, "of 6 FACES names, as its face, 6"),
    ("AREAPORTALS", "clip_portal_verts", 4, "of 0 CLIPPORTALVERTS has, as first and count, [0, 4]"),
    ("WORLDLIGHTS", "cluster", 1, "of 1 clusters is in 1"),
    ("DISPINFO", "map_face", 3, "is of another displacement or of none, the face 3"),
    ("DISPINFO", "disp_vert_start", 1, "of 25 DISP_VERTS has, as first and count, [1, 25]"),
    ("DISP_VERTS", "vec", np.inf, "has the vec [inf, inf, inf]"),
    ("OVERLAYS", "face_count_and_render_order", 65, "lies on more faces than 64: 65"),
    ("OVERLAYS", "faces", 6, "of 6 FACES names 6"),
    ("PRIMITIVES", "index_count", 9, "of 6 PRIMINDICES has, as first and count, [0, 9]"),
    ("LEAF_AMBIENT_INDEX", "count", 2, "of 1 LEAF_AMBIENT_LIGHTING has, as first and count, [0, 2]"),
]


@pytest.mark.parametrize(("lump", "field", "value", "message"), TABLES)
def test_records_that_name_what_is_not_there(lump, field, value, message):
    level = whole()
    table = level.table(LumpId[lump]).copy()
    table[field][0] = value
    level.set_table(LumpId[lump], table)
    expected = f"error: lump {LumpId[lump].value} ({lump}), record 0: {message}"
    assert any(problem.startswith(expected) for problem in problems(level)), problems(level)


def test_neighbours_of_displacements():
    level = whole()
    infos = level.table(LumpId.DISPINFO).copy()
    infos["edge_neighbors"]["neighbor"][0, 2, 1] = 4
    infos["corner_neighbors"]["count"][0, 1] = 1
    infos["corner_neighbors"]["neighbors"][0, 1] = 7
    level.set_table(LumpId.DISPINFO, infos)
    found = problems(level)
    assert [text for text in found if "edge neighbors" in text and "4]" in text]
    assert [text for text in found if "corner neighbors" in text and "[7, 65535" in text]


GAME_LUMPS = [
    ("static_props", "props", "prop_type", 5, "lump 35 (GAME_LUMP), sprp, record 1: of 1 models names 5"),
    ("static_props", "props", "leaf_count", 9, "sprp, record 1: of 1 leafs has, as first and count, [0, 9]"),
    ("static_props", "props", "origin", np.nan, "sprp, record 1: has the origin [nan, nan, nan]"),
    ("static_props", "leafs", "leaf", 2, "sprp, list of leafs, record 0: of 2 LEAFS names 2"),
    ("detail_props", "details", "leaf", 2, "lump 35 (GAME_LUMP), dprp, record 0: of 2 LEAFS is in 2"),
    ("detail_props", "details", "detail_model", 1, "dprp, record 0: names a model or sprite that isn't there: 1"),
    ("detail_props", "details", "light_style_count", 2, "dprp, record 0: of 1 dplt has, as first and count, [0, 2]"),
    ("occlusion", "occluders", "polycount", 2, "lump 9 (OCCLUSION), record 0: of 1 polys has"),
    ("occlusion", "polys", "vertexcount", 4, "(OCCLUSION), list of polys, record 0: of 3 vertices has"),
    ("occlusion", "vertices", "vertex", 8, "(OCCLUSION), list of vertices, record 2: of 8 VERTEXES names 8"),
]


@pytest.mark.parametrize(("part", "table", "field", "value", "message"), GAME_LUMPS)
def test_props_and_occluders_that_name_what_is_not_there(part, table, field, value, message):
    level = whole()
    records = getattr(getattr(level, part), table).copy()
    records[field][-1] = value
    setattr(getattr(level, part), table, records)
    assert any(message in problem for problem in problems(level)), problems(level)


def test_collision_of_models_that_are_not_there():
    level = whole()
    level.physcollide.models.append(PhysModel(2, [], b"\0"))
    assert "error: lump 29 (PHYSCOLLIDE), record 1: is of model 2, there are 2" in problems(level)


def test_brushes_of_faces_that_are_not_there():
    level = read(bsp.VARIANTS["CS:GO"])
    level.set_bytes(LumpId.CLUSTERS, b"".join(struct.pack("<2H", 1, number) for number in range(6)))
    assert "error: lump 23 (CLUSTERS): names brush 5 of 1" in problems(level)


def strata():
    """With overlays of version 3 and colours by name."""
    level = read(source_layout_maps.BYTES["Strata"])
    faces = struct.pack("<2i3i", 1, 3, 0, 1, 2)
    overlay = build.record("OVERLAY_V3", texinfo=0, face_offset=1, face_count=2, tint=(1, 2, 3, 0))
    level.set_bytes(LumpId.OVERLAYS, faces + overlay)
    level.file.entries["version"][LumpId.OVERLAYS] = 3
    names = struct.pack("<i", 2) + b"lamp".ljust(64, b"\0") + b"door\0".ljust(64, b"\xcd")
    level.game_lumps.set_bytes("clvr", names)
    return level, names


def test_overlays_and_colours_of_strata():
    level, names = strata()
    assert problems(level) == []
    found = color_variables.read(level.game_lumps.bytes_of("clvr"))
    assert texts(found) == ["lamp", "door"]
    assert color_variables.write(found) == names
    assert color_variables.numbers(np.array([[0, 0, 1, 255], [1, 2, 3, 0]], np.uint8)).tolist() == [1, 0x010203]
    for bad in (names[:-1], names + b"\0", b"\xff\xff\xff\xff"):
        with pytest.raises(FormatError, match="colour variables"):
            color_variables.read(bad)
    lumps = {lump["lump"]: lump for lump in contents(level)["lumps"]}
    shown = lumps["lump 45 (OVERLAYS)"]["holds"]
    assert (shown["faces"].tolist(), shown["overlays"]["face_offset"].tolist()) == ([0, 1, 2], [1])
    games = {lump["id"]: lump for lump in lumps["lump 35 (GAME_LUMP)"]["holds"]}
    assert games["clvr"]["names"] == ["lamp", "door"]
    assert games["plan"] == {"id": "plan", "version": 2, "why no table": "what it holds is not known",
                             "bytes": b"what nobody knows"}  # fmt: skip
    data = bytearray(level.bytes_of(LumpId.OVERLAYS))
    data[8:12] = struct.pack("<i", 6)
    level.set_bytes(LumpId.OVERLAYS, bytes(data))
    assert "error: lump 45 (OVERLAYS), list of faces, record 0: of 6 FACES names 6" in problems(level)


def test_limits_are_those_of_the_version():
    many = np.zeros(3000, read(bsp.VARIANTS["room"]).table(LumpId.TEXDATA).dtype)
    usual, raised = whole(), strata()[0]
    for level in (usual, raised):
        level.set_table(LumpId.TEXDATA, many)
    assert "warning: lump 2 (TEXDATA): 3,000 records, usual compilers allow 2048" in problems(usual)
    assert problems(raised) == []


def test_hulls_of_solids_are_shown():
    lumps = {lump["lump"]: lump for lump in contents(whole())["lumps"]}
    solid = next(next(lumps["lump 29 (PHYSCOLLIDE)"]["holds"])["solids"])
    (hull,) = solid["hulls"]
    assert hull["points"] == pytest.approx(np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]), abs=1e-6)
    assert hull["triangles"].tolist() == [[0, 1, 3], [0, 2, 1], [0, 3, 2], [1, 2, 3]]
    assert solid["bytes"].startswith(b"VPHY")


def test_light_of_grass_is_shown():
    lumps = {lump["lump"]: lump for lump in contents(whole())["lumps"]}
    games = {lump["id"]: lump for lump in lumps["lump 35 (GAME_LUMP)"]["holds"]}
    assert games["dplt"]["styles"]["style"].tolist() == [0]
    assert games["dplh"]["styles"]["lighting"]["rgb"].tolist() == [[0, 0, 0]]


def test_entities_of_the_client():
    data = bsp.ROOM.but(version=22, lumps=bsp.room() | {24: bsp.TEXT}, order=(*bsp.ORDER, 24)).build()
    level = read(data)
    assert check(level) == []
    shown = next(lump for lump in contents(level)["lumps"] if lump["lump"].startswith("lump 24"))
    assert next(shown["holds"])[1] == ["classname", "worldspawn"]
    level.set_bytes(24, b"{\n" + bytes([0x22]) * 5)
    assert any("lump 24 (PORTALVERTS)" in problem for problem in problems(level))
