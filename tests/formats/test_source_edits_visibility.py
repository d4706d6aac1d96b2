# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of area portals and occluders: their polygons, keys and flags, with the planes and vertices that they need."""

import numpy as np
import pytest

from formats import source
from formats.binary import FormatError
from formats.source import LumpId, edits
from formats.source.differences import differences
from formats.source.edits import flat_polygons
from tests.formats import source_portals
from tests.formats.source_portals import (
    ALONE,
    BETWEEN,
    FIRST,
    KEY,
    PORTAL,
    SECOND,
    TWIN,
    moved,
    occluder,
    portal,
)


def changed(level: source.Level) -> list[str]:
    made = source.read(source.write(level))
    assert [str(each) for each in source.check(made)] == [str(each) for each in source.check(source_portals.room())]
    return [each.name.partition("(")[2].rstrip(")") for each in differences(source_portals.room(), made)]


# -------------------------------------------------------------------------------------------------------- area portals


def test_a_portal_slides_in_its_plane_on_both_sides() -> None:
    level = source_portals.room()
    edits.area_portals.change(level, {KEY: moved(PORTAL, 0, 16, 4)})
    assert portal(level, 1) == moved(PORTAL, 0, 16, 4)
    assert portal(level, 2) == moved(TWIN, 0, 16, 4)
    assert changed(level) == ["CLIPPORTALVERTS"]


def test_a_portal_that_leaves_its_plane_gets_another() -> None:
    level = source_portals.room()
    edits.area_portals.change(level, {KEY: moved(PORTAL, 3, 0, 0)})
    numbers = level.table(LumpId.AREAPORTALS)["planenum"][1:].tolist()
    planes = level.table(LumpId.PLANES)
    before = source_portals.room().table(LumpId.PLANES)
    assert planes["normal"][numbers].tolist() == before["normal"][[BETWEEN + 1, BETWEEN]].tolist()
    assert planes["dist"][numbers].tolist() == [-3, 3]
    assert len(planes) == len(before) + 2
    assert set(changed(level)) == {"PLANES", "AREAPORTALS", "CLIPPORTALVERTS"}


def opposite(level: source.Level) -> source.Level:
    """The room whose planes of portals and occluders look the other way."""
    portals, lump = level.table(LumpId.AREAPORTALS).copy(), level.occlusion
    portals["planenum"][1:] ^= 1
    level.set_table(LumpId.AREAPORTALS, portals)
    lump.polys = lump.polys.copy()
    lump.polys["planenum"] ^= 1
    return source.read(source.write(level))


def test_planes_stay_on_the_side_that_the_map_has_them_on() -> None:
    level = opposite(source_portals.room())
    edits.area_portals.change(level, {KEY: moved(PORTAL, 3, 0, 0)})
    edits.occluders.change(level, {0: [FIRST, moved(SECOND, 4, 0, 0)]})
    planes = level.table(LumpId.PLANES)
    numbers = [*level.table(LumpId.AREAPORTALS)["planenum"][1:].tolist(), int(level.occlusion.polys["planenum"][1])]
    assert planes["normal"][numbers, 0].tolist() == [1, -1, -1]
    assert planes["dist"][numbers].tolist() == [3, -3, 176]


def test_corners_of_the_other_half_follow_one_by_one() -> None:
    level = source_portals.room()
    points = level.table(LumpId.CLIPPORTALVERTS).copy()
    points["point"][4:8] = [*PORTAL[1:], PORTAL[0]]
    level.set_table(LumpId.CLIPPORTALVERTS, points)
    bent = [(0, -64, 0), (0, 64, 0), (0, 32, 96), (0, -32, 96)]
    edits.area_portals.change(level, {KEY: bent})
    assert (portal(level, 1), portal(level, 2)) == (bent, [*bent[1:], bent[0]])


def test_corners_that_another_portal_has_as_well_stay_its_own() -> None:
    level = source_portals.room()
    portals = level.table(LumpId.AREAPORTALS).copy()
    portals["portal_key"][2], portals["first_clip_portal_vert"][2] = 9, 0
    level.set_table(LumpId.AREAPORTALS, portals)
    edits.area_portals.change(level, {KEY: moved(PORTAL, 0, 16, 0)})
    assert (portal(level, 1), portal(level, 2)) == (moved(PORTAL, 0, 16, 0), PORTAL)


def test_a_portal_with_other_corners() -> None:
    level = source_portals.room()
    corners = [(0, -64, 0), (0, 64, 0), (0, 0, 96)]
    edits.area_portals.change(level, {KEY: corners})
    assert portal(level, 1) == corners
    assert portal(level, 2) == corners[::-1], "the other half sees it the other way round"
    assert level.table(LumpId.CLIPPORTALVERTS)["point"][8].tolist() == [9, 9, 9], "of no portal: it stays"


def test_a_portal_with_another_key() -> None:
    level = source_portals.room()
    edits.area_portals.change(level, {}, {KEY: 9})
    assert level.table(LumpId.AREAPORTALS)["portal_key"].tolist() == [0, 9, 9]
    assert changed(level) == ["AREAPORTALS"]


@pytest.mark.parametrize(
    ("corners", "says"),
    [
        (PORTAL[:2], "fewer than three corners"),
        ([*PORTAL[:3], (0, -64, np.nan)], "out of the world"),
        ([*PORTAL[:3], (0, -64, 20000)], "out of the world"),
        ([PORTAL[0]] * 4, "spans no area"),
        ([*PORTAL[:3], (9, -64, 96)], "isn't flat"),
        ([*PORTAL[:3], (0, 50, 50)], "isn't convex"),
    ],
)
def test_what_no_polygon_is(corners: list[tuple[float, ...]], says: str) -> None:
    level = source_portals.room()
    with pytest.raises(FormatError, match=f"area portal 7: .*{says}|{says}"):
        edits.area_portals.change(level, {KEY: corners})
    with pytest.raises(FormatError, match=says):
        edits.occluders.change(level, {0: [corners]})
    assert changed(level) == []


@pytest.mark.parametrize("keys", [{KEY: 0}, {KEY: -1}, {KEY: 70000}, {8: 9}])
def test_what_no_key_is(keys: dict[int, int]) -> None:
    level = source_portals.room()
    with pytest.raises(FormatError, match=r"key|no area portal 8"):
        edits.area_portals.change(level, {}, keys)
    assert changed(level) == []


# ----------------------------------------------------------------------------------------------------------- occluders


@pytest.mark.parametrize("version", [1, 2])
def test_an_occluder_moves(version: int) -> None:
    level = source_portals.room(version)
    before = source_portals.room(version)
    edits.occluders.change(level, {0: [FIRST, moved(SECOND, 4, 0, 8)]})
    assert occluder(level, 0) == [FIRST, moved(SECOND, 4, 0, 8)]
    assert occluder(level, 1) == [ALONE]
    was, now = before.occlusion, level.occlusion
    assert now.polys["planenum"][[0, 2]].tolist() == was.polys["planenum"][[0, 2]].tolist()
    assert now.vertices["vertex"][:4].tolist() == was.vertices["vertex"][:4].tolist()
    assert now.occluders[1].tobytes() == was.occluders[1].tobytes()
    assert (now.occluders["mins"][0].tolist(), now.occluders["maxs"][0].tolist()) == ([-200, -64, 16], [-176, 64, 88])
    points = level.table(LumpId.VERTEXES)["point"]
    assert points[: len(before.table(LumpId.VERTEXES))].tobytes() == before.table(LumpId.VERTEXES)["point"].tobytes()


def test_an_occluder_gets_and_loses_polygons() -> None:
    level = source_portals.room()
    edits.occluders.change(level, {0: [], 1: [ALONE, moved(ALONE, 0, 8, 0), moved(ALONE, 1, 0, 0)]})
    assert occluder(level, 0) == []
    assert occluder(level, 1) == [ALONE, moved(ALONE, 0, 8, 0), moved(ALONE, 1, 0, 0)]
    lump = level.occlusion
    assert lump.polys["planenum"][0] == lump.polys["planenum"][1] != lump.polys["planenum"][2]
    assert lump.occluders["polycount"].tolist() == [0, 3]
    assert lump.occluders["mins"][0].tolist() == [-200, -64, 16], "what it was, as nothing says other"
    assert set(changed(level)) == {"PLANES", "VERTEXES", "OCCLUSION"}


def test_a_polygon_that_is_turned_round_looks_the_other_way() -> None:
    level = source_portals.room()
    edits.occluders.change(level, {1: [ALONE[::-1]]})
    assert occluder(level, 1) == [ALONE[::-1]]
    assert changed(level) == ["OCCLUSION"], "vertices and the opposite plane are there"


def test_the_same_polygons_change_nothing() -> None:
    level = source_portals.room()
    edits.occluders.change(level, {0: [FIRST[2:] + FIRST[:2], SECOND]}, {1: {"flags": 1}})
    assert changed(level) == []


def test_flags_and_areas_of_occluders() -> None:
    level = source_portals.room()
    edits.occluders.change(level, {}, {0: {"flags": 1, "area": 2}})
    assert level.occlusion.occluders[["flags", "area"]].tolist() == [(1, 2), (1, 2)]
    assert changed(level) == ["OCCLUSION"]
    with pytest.raises(FormatError, match="no 'area' for it"):
        edits.occluders.change(source_portals.room(1), {}, {0: {"area": 2}})
    with pytest.raises(FormatError, match="follows from the polygons"):
        edits.occluders.change(level, {}, {0: {"mins": (0, 0, 0)}})
    with pytest.raises(FormatError, match="isn't there"):
        edits.occluders.change(level, {}, {2: {"flags": 0}})
    level.set_bytes(LumpId.OCCLUSION, b"")
    with pytest.raises(FormatError, match="has none"):
        edits.occluders.change(level, {0: []})


def test_polygons_are_the_same_wherever_they_begin() -> None:
    assert flat_polygons.key(FIRST) == flat_polygons.key(FIRST[1:] + FIRST[:1]) != flat_polygons.key(FIRST[::-1])
    assert flat_polygons.key([(0.0, 1, 2), (3, 4, 5)]) == flat_polygons.key([(3, 4, 5), (-0.0, 1, 2)])
