# SPDX-License-Identifier: GPL-3.0-or-later
"""Brush models that are built anew: a door of our own is moved, cut, doubled; what has to follow does, all linked."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formats import convex, ranges
from formats.binary import FormatError
from formats.source import LumpId, check, geometry, read, write
from formats.source.collision import physcollide_surface
from formats.source.edits import brush_models
from formats.source.edits.brush_models import NEW, Face, Piece
from formats.source.tables import overlay_lists
from formats.source.tables.overlay_lists import OverlayLists
from formats.source.tables.overlays import OVERLAY_V3
from formats.source.tree import brushes
from formats.source.tree.leaf_tree import LeafTree
from formats.source.world import gone_models
from tests.formats import source_door as door
from tests.formats.source_door import HIGH, LOW, box
from tests.formats.test_source_edits import changed, refused

E = LumpId


@pytest.fixture
def level():
    made = door.with_door()
    assert check(made) == []
    return made


def piece(low=LOW, high=HIGH, texinfo=1, contents=1) -> Piece:
    normals = np.concatenate([[-np.eye(3)[axis], np.eye(3)[axis]] for axis in range(3)])
    dists = np.array([side for axis in range(3) for side in (-low[axis], high[axis])], np.float64)
    return Piece(normals, dists, np.full(6, texinfo), contents)


def faces(level, low=LOW, high=HIGH, records=range(10, 16)) -> list[Face]:
    return [Face(ring, 1, record) for ring, record in zip(box(low, high), records, strict=True)]


def rebuilt(level, pieces, drawn):
    """The level after, as read from its bytes; `check` finds nothing in it."""
    brush_models.rebuild(level, 1, pieces, drawn)
    after = read(write(level))
    assert check(after) == []
    return after


def solid_of(level):
    return physcollide_surface.read(level.physcollide.of_model(1).solids[0])


def corners_of(hull) -> set:
    return {tuple(point) for point in np.round(hull.points, 3).tolist()}


def of_model(level, points) -> list[int]:
    """The contents of the model's leafs at points."""
    head = int(level.table(E.MODELS)["headnode"][1])
    return level.table(E.LEAFS)["contents"][LeafTree(level, head).of_points(np.array(points, np.float64))].tolist()


def test_what_stays_where_it_was_keeps_its_planes_its_light_and_its_collision(level):
    before = read(write(level))
    assert [p.dists.tolist() for p in brush_models.pieces(level, 1)] == [piece().dists.tolist()]
    after = rebuilt(level, brush_models.pieces(level, 1), brush_models.faces(level, 1))
    assert changed(level, before) <= {"NODES", "LEAFS", "LEAFFACES", "LEAFBRUSHES", "FACES", "FACES_HDR", "MODELS",
                                      "FACEIDS", "LEAFMINDISTTOWATER"}  # fmt: skip
    assert len(after.table(E.NODES)) == len(before.table(E.NODES)) + 5  # a node for each side: it had but one
    assert {row.tobytes() for row in after.table(E.FACES)} == {row.tobytes() for row in before.table(E.FACES)}
    again = rebuilt(read(write(after)), brush_models.pieces(after, 1), brush_models.faces(after, 1))
    assert write(again) == write(after)


def test_a_door_that_is_wider_collides_there(level):
    before, high = read(write(level)), (4, 40, 96)
    after = rebuilt(level, [piece(high=high)], faces(level, high=high))
    row = after.table(E.MODELS)[1]
    assert row["mins"].tolist() == list(LOW) and row["maxs"].tolist() == list(high)
    solid = solid_of(after)
    assert corners_of(solid.hulls[0]) == {(x, y, z) for x in (-3.5, 3.5) for y in (-23.5, 39.5) for z in (0.5, 95.5)}
    assert np.allclose(solid.mass_center, (0, 8, 48), atol=1e-3)
    text = after.physcollide.of_model(1).text
    assert '"surfaceprop" "wood"' in text and f'"volume" "{7 * 63 * 95:f}"' in text
    assert abs(float(text.split('"mass" "')[1].split('"')[0]) - 64 * 63 / 47) < 1e-3
    assert of_model(after, [(0, 39, 50), (0, 41, 50), (5, 0, 50)]) == [1, 0, 0]
    solids = brushes.solids(after, np.array([2]))
    assert solids.polygons.closed.all() and solids.polygons.positions[:, 1].max() == 40
    old, new = before.table(E.PLANES), after.table(E.PLANES)
    assert len(new) == len(old), "the planes of the side that moved are those of its new place"
    known = [(*row["normal"].tolist(), float(row["dist"])) for row in old]
    added = [(*row["normal"].tolist(), float(row["dist"])) for row in new]
    assert [row for row in added if row not in known and any(row)] == [(0, 1, 0, 40), (0, -1, 0, -40)]


def test_all_else_keeps_its_numbers(level):
    before, high = read(write(level)), (4, 40, 96)
    after = rebuilt(level, [piece(high=high)], faces(level, high=high))
    assert (after.table(E.FACES)[:10] == before.table(E.FACES)[:10]).all()
    assert (after.table(E.NODES)[:7] == before.table(E.NODES)[:7]).all()
    assert (after.table(E.LEAFS)[:3] == before.table(E.LEAFS)[:3]).all()
    assert after.table(E.MODELS)[0] == before.table(E.MODELS)[0]
    assert (after.table(E.BRUSHES)[:2] == before.table(E.BRUSHES)[:2]).all()
    for lump in (E.LIGHTING, E.LIGHTING_HDR, E.ENTITIES, E.OVERLAYS, E.DISPINFO, E.TEXDATA):
        assert after.bytes_of(lump) == before.bytes_of(lump)
    assert len(after.table(E.LEAFMINDISTTOWATER)) == len(after.table(E.LEAFS))


def corners_of_faces(level) -> list[set]:
    """The corners of each face of a map."""
    polygons = geometry.polygons(level)
    rings = np.split(polygons.positions[polygons.corners], polygons.first_corner[1:-1])
    return [set(map(tuple, ring.tolist())) for ring in rings]


def luxels_of(level, rows) -> np.ndarray:
    """Where the corners of faces lie in their lightmaps, float64[faces, 4, 2]."""
    polygons, table = geometry.polygons(level), level.table(E.FACES)[rows]
    points = polygons.positions[polygons.corners[ranges.flat(polygons.first_corner[rows], np.full(len(rows), 4))]]
    mins = np.repeat(table["lightmap_mins"], 4, axis=0)
    return geometry.luxels(points, level.table(E.TEXINFO), np.repeat(table["texinfo"], 4), mins).reshape(-1, 4, 2)


def test_light_goes_along_with_its_face(level):
    """Each corner has the luxel that it had, though the vectors are others; what lay beside the lightmap is put in."""
    texinfos = level.table(E.TEXINFO).copy()
    texinfos["lightmap_vecs"][1] = [(0.125, 0, 0, 0.5), (0, 0, 1 / 96, 0)]
    level.set_table(E.TEXINFO, texinfos)
    level, high = read(write(level)), (4, 40, 96)
    before, places = luxels_of(level, np.arange(10, 16)), corners_of_faces(level)
    offsets = level.table(E.FACES)["lightofs"][10:].tolist()
    after = rebuilt(level, [piece(high=high)], faces(level, high=high))
    table = after.table(E.FACES)
    moved = 10 + np.flatnonzero([ring not in places for ring in corners_of_faces(after)[10:]])
    assert len(moved) == 5 and sorted(table["lightofs"][10:].tolist()) == sorted(offsets)
    where = luxels_of(after, moved)
    as_they_were = sorted(map(sorted, before[[0, 1, 3, 4, 5], :, 0].tolist()))
    assert np.abs(np.array(sorted(map(sorted, where[:, :, 0].tolist()))) - as_they_were).max() < 0.06
    assert where.min() > 0.4 and where.max() < 1.6


def test_new_faces_have_lightmaps_of_their_own(level):
    drawn = [*faces(level), *[Face(ring, 1) for ring in box((20, -24, 0), (28, 24, 96))]]
    after = rebuilt(level, [piece(), piece((20, -24, 0), (28, 24, 96))], drawn)
    row = after.table(E.MODELS)[1]
    first, count = int(row["firstface"]), int(row["numfaces"])
    assert count == 12 and first == 10  # the model's faces were the last ones: they have room to grow
    own = after.table(E.FACES)[first : first + count]
    fresh = own[own["orig_face"] >= 16]
    assert (own["lightofs"] >= 0).all() and len(np.unique(own["lightofs"])) == 1 + len(fresh) == 7
    assert (fresh["lightmap_size"] <= 32).all() and (fresh["lightmap_size"] > 0).all()
    assert len(after.table(E.FACEIDS)) == len(after.table(E.FACES))
    assert len(after.table(E.VERTNORMALINDICES)) == after.table(E.FACES)["numedges"].sum()
    assert of_model(after, [(24, 0, 50), (0, 0, 50), (12, 0, 50)]) == [1, 1, 0]


def test_two_pieces_that_touch_collide_as_two(level):
    lower, upper = ((-4, -24, 0), (4, 24, 48)), ((-4, -24, 48), (4, 24, 96))
    drawn = [Face(ring, 1) for low, high in (lower, upper) for ring in box(low, high)]
    drawn = [face for face in drawn if not (face.points[:, 2] == 48).all()]
    after = rebuilt(level, [piece(*lower), piece(*upper)], drawn)
    solid = solid_of(after)
    assert len(solid.hulls) == 2 and solid.outer is not None and len(solid.outer.points) == 8
    heights = sorted((h.points[:, 2].min().round(3), h.points[:, 2].max().round(3)) for h in solid.hulls)
    assert heights == [(0.5, 48.0), (48.0, 95.5)]  # what touches the other piece is not moved inwards
    assert np.allclose(solid.mass_center, (0, 0, 48), atol=1e-3)
    assert of_model(after, [(0, 0, 47), (0, 0, 49), (0, 0, 97)]) == [1, 1, 0]


def test_a_slope_has_bevels(level):
    """A wedge: sides along all axes for boxes, and the slanted ones along its edges."""
    normals = np.array([[-1, 0, 0], [0, -1, 0], [0, 1, 0], [0, 0, -1], [0.6, 0, 0.8]])
    wedge = Piece(normals, np.array([0.0, 24, 24, 0, 48]), np.full(5, 1), 1)
    found = convex.from_planes(wedge.normals, wedge.dists, [5])
    drawn = [
        Face(found.positions[found.corners[found.first_corner[n] : found.first_corner[n + 1]]][::-1], 1)
        for n in range(5)
    ]
    after = rebuilt(level, [wedge], drawn)
    brush = after.table(E.BRUSHES)[2]
    sides = after.table(E.BRUSHSIDES)[brush["firstside"] : brush["firstside"] + brush["numsides"]]
    planes = after.table(E.PLANES)[sides["planenum"]]
    axial = [[sign if each == axis else 0 for each in range(3)] for axis in range(3) for sign in (-1, 1)]
    assert planes["normal"][:6].tolist() == axial
    assert planes["dist"][:6].tolist() == [0, 80, 24, 24, 0, 60]
    assert sides["bevel"].tolist() == [0, 1, 0, 0, 0, 1, 0]
    assert (
        np.allclose(planes["normal"][6], (0.6, 0, 0.8)) and not (sides["planenum"] % 2 != sides["planenum"] & 1).any()
    )
    assert len(solid_of(after).hulls[0].points) == 6


def test_a_thin_piece_is_not_made_thinner(level):
    high = (-3, 24, 96)
    after = rebuilt(level, [piece(high=high)], faces(level, high=high))
    hull = solid_of(after).hulls[0]
    assert np.ptp(hull.points, axis=0).round(3).tolist() == [1, 47, 95]


def test_what_collides_with_nothing_has_no_hull(level):
    after = rebuilt(level, [piece(contents=0x08000000)], faces(level))
    assert after.physcollide.of_model(1) is None
    assert rebuilt(after, [piece()], brush_models.faces(after, 1)).physcollide.of_model(1).text.count('"mass"') == 1


def test_an_overlay_follows_its_face_or_holds_it(level):
    table = level.table(E.OVERLAYS).copy()
    table["faces"][0, 0] = 12
    level.set_table(E.OVERLAYS, table)
    drawn = faces(level, records=[10, 11, NEW, 13, 14, 15])
    refused(level, "overlay 0 lies on face 12", brush_models.rebuild, 1, [piece()], drawn)
    drawn = [faces(level)[number] for number in (5, 4, 3, 2, 1, 0)]
    after = rebuilt(level, [piece()], drawn)
    face = after.table(E.FACES)[int(after.table(E.OVERLAYS)["faces"][0, 0])]
    assert after.table(E.PLANES)["normal"][face["planenum"]].tolist() == [0, -1, 0]


@pytest.mark.parametrize(
    ("message", "model", "pieces", "drawn"),
    [
        ("model 0 is the world", 0, [piece()], []),
        ("model 2 isn't there", 2, [piece()], []),
        ("model -1 isn't there", -1, [piece()], []),
        ("no piece is left", 1, [], []),
        ("area portal", 1, [piece(contents=0x8000)], []),
        ("encloses nothing", 1, [piece(high=(-4, 24, 96))], []),
        ("encloses nothing", 1, [piece(high=(-8, 24, 96))], []),
        ("further than", 1, [piece(high=(4, 24, 40000))], []),
        ("no plane", 1, [piece(high=(4, np.nan, 96))], []),
        ("texinfo isn't there", 1, [piece(texinfo=99)], []),
        ("no plane", 1, [Piece(piece().normals * 2, piece().dists, np.zeros(6, np.int64), 1)], []),
        ("encloses nothing", 1, [Piece(piece().normals[:5], piece().dists[:5], np.zeros(5, np.int64), 1)], []),
        ("don't fit together", 1, [Piece(piece().normals, piece().dists, np.zeros(5, np.int64), 1)], []),
        ("isn't flat", 1, [piece()], [Face(box(LOW, HIGH)[1] + [[0], [0], [0], [5]], 1)]),
        ("no area", 1, [piece()], [Face(box(LOW, HIGH)[1] * [1, 1, 0] + [1, 0, 0], 1)]),
        ("three points", 1, [piece()], [Face(box(LOW, HIGH)[0][:2], 1)]),
        ("NaN or infinite", 1, [piece()], [Face(np.full((4, 3), np.inf), 1)]),
        ("isn't there", 1, [piece()], [Face(box(LOW, HIGH)[0], 99)]),
        ("isn't there", 1, [piece()], [Face(box(LOW, HIGH)[0], 1, texdata=7)]),
        ("no face of the model", 1, [piece()], [Face(box(LOW, HIGH)[0], 1, record=3)]),
        ("or two", 1, [piece()], [Face(box(LOW, HIGH)[0], 1, record=10)] * 2),
        ("NaN or infinite", 1, [piece()], [Face(box(LOW, HIGH)[0], 1, vectors=np.full((2, 4), np.nan))]),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(level, message, model, pieces, drawn):
    refused(level, message, brush_models.rebuild, model, pieces, drawn)


def test_more_vertices_than_edges_can_name_are_refused(level):
    table = level.table(E.VERTEXES)
    level.set_table(E.VERTEXES, np.concatenate([table, np.zeros(65536 - len(table) - 2, table.dtype)]))
    level = read(write(level))
    with pytest.raises(FormatError, match="65535 is the most"):
        brush_models.rebuild(level, 1, [piece(high=(4, 40, 96))], faces(level, high=(4, 40, 96)))


@settings(max_examples=6)
@given(
    st.lists(
        st.tuples(st.tuples(*[st.integers(-6, 5)] * 3), st.tuples(*[st.integers(1, 6)] * 3), st.integers(0, 3)),
        min_size=1,
        max_size=5,
    )
)
def test_the_tree_tells_what_is_within_whatever_pieces_touch_or_overlap(boxes):
    """Boxes, some turned by 45 degrees: points are in solid leafs where they are in a piece, and these list it."""
    level = door.with_door()
    pieces = []
    for low, size, turn in boxes:
        box = piece(np.array(low) * 8.0, (np.array(low) + size) * 8.0)
        c, s = np.cos(turn * np.pi / 4), np.sin(turn * np.pi / 4)
        spin = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
        pieces.append(Piece(box.normals @ spin, box.dists, box.texinfos, 1 << turn))
    brush_models.rebuild(level, 1, pieces, [])
    after = read(write(level))
    assert check(after) == []
    points = np.random.default_rng(len(boxes)).uniform(-90, 90, (400, 3))
    heights = np.array([(points @ each.normals.T - each.dists).max(axis=1) for each in pieces])
    points, heights = points[(np.abs(heights) > 0.1).all(axis=0)], heights[:, (np.abs(heights) > 0.1).all(axis=0)]
    leafs = after.table(E.LEAFS)[LeafTree(after, int(after.table(E.MODELS)["headnode"][1])).of_points(points)]
    wanted = np.bitwise_or.reduce(np.where(heights < 0, [[each.contents] for each in pieces], 0), axis=0)
    assert (leafs["contents"] == wanted).all()
    listed = after.table(E.LEAFBRUSHES)["brush"]
    contents = after.table(E.BRUSHES)["contents"]
    for leaf, inside in zip(leafs, (heights < 0).T, strict=True):
        own = listed[leaf["firstleafbrush"] : leaf["firstleafbrush"] + leaf["numleafbrushes"]]
        assert len(own) == inside.sum()
        assert sorted(contents[own].tolist()) == sorted(
            each.contents for each, here in zip(pieces, inside, strict=True) if here
        )


def test_a_side_that_bounds_nothing_stays_a_side(level):
    """Compilers leave such ones: a plane that touches the piece in an edge."""
    corner = np.array([[0.0, 0.6, 0.8]])
    more = Piece(
        np.concatenate([piece().normals, corner]),
        np.append(piece().dists, float(corner[0] @ HIGH) + 1),
        np.full(7, 1),
        1,
    )
    after = rebuilt(level, [more], faces(level))
    brush = after.table(E.BRUSHES)[2]
    sides = after.table(E.BRUSHSIDES)[brush["firstside"] : brush["firstside"] + brush["numsides"]]
    assert sides["bevel"].tolist() == [0] * 7
    assert len(after.table(E.NODES)) == 7 + 6
    assert len(solid_of(after).hulls[0].points) == 8


def test_a_sliver_without_an_area_goes_along(level):
    """CSG leaves such ones: a face that goes back the way that it came, and bends, so that it is on no side."""
    listed = faces(level)
    sliver = np.array([[-4.0, -24, 96], [0.3, 0.2, 97], [4, 24, 96], [0.3, 0.2, 97]])
    listed[5] = Face(sliver, 1, listed[5].record)
    rows = rebuilt(level, [piece()], listed).table(E.FACES)
    assert rows["area"][10:16].min() == 0 and rows["numedges"][10:16].tolist() == [4] * 6
    refused(level, "no area", brush_models.rebuild, 1, [piece()], [Face(sliver, 1)])


ROWS = (
    E.PLANES, E.VERTEXES, E.EDGES, E.SURFEDGES, E.BRUSHSIDES, E.BRUSHES, E.FACES, E.ORIGINALFACES, E.LEAFFACES,
    E.LEAFBRUSHES, E.NODES, E.LEAFS, E.VERTNORMALS, E.VERTNORMALINDICES,
)  # fmt: skip


def sizes(level) -> dict[str, int]:
    return {lump.name: len(level.table(lump)) for lump in ROWS}


def test_maps_do_not_grow_from_one_edit_to_the_next(level):
    """What one edit leaves behind the next one uses: after the first, which may part the tree otherwise, no more."""
    first = None
    for height in (40, 60, 44, 72, 40, 33):
        high = (4, height, 96)
        level = rebuilt(level, [piece(high=high)], faces(level, high=high))
        first = first or sizes(level)
        assert sizes(level) == first, height


def test_a_model_that_grows_and_shrinks_leaves_no_rows_behind(level):
    more = [piece(), piece((20, -24, 0), (28, 24, 96))]
    before, grown, shrunk = sizes(level), None, None
    for _ in range(3):
        new = [Face(ring, 1) for ring in box((20, -24, 0), (28, 24, 96))]
        level = rebuilt(level, more, [*faces(level), *new])
        grown = grown or sizes(level)
        assert sizes(level) == grown
        kept = [face for face in brush_models.faces(level, 1) if face.points[:, 0].max() <= 4]
        level = rebuilt(level, [piece()], kept)
        after = sizes(level)
        shrunk = shrunk or after
        assert after == shrunk
        assert after["FACES"] == before["FACES"]
        assert [name for name in ("SURFEDGES", "PLANES", "VERTNORMALINDICES") if after[name] > before[name]] == []


def test_faces_of_other_models_follow(level):
    """The world's faces lie before the door's: a second door, behind it, has its faces, leafs and overlays follow."""
    level = door.with_doors()
    before = read(write(level))
    high = (4, 40, 96)
    drawn = faces(level, high=high)[:-1]  # one side is no longer drawn
    brush_models.rebuild(level, 1, [piece(high=high)], drawn)
    after = read(write(level))
    assert check(after) == []
    assert len(after.table(E.FACES)) == len(before.table(E.FACES)) - 1
    assert int(after.table(E.MODELS)["firstface"][2]) == int(before.table(E.MODELS)["firstface"][2]) - 1
    other = [face.points.tolist() for face in brush_models.faces(after, 2)]
    assert other == [face.points.tolist() for face in brush_models.faces(before, 2)]
    assert corners_of_faces(after)[:10] == corners_of_faces(before)[:10], "the world's"


def test_overlays_that_share_a_list_of_faces_follow():
    """Strata's, of lump version 3: on a face that has another number now, and on one that has gone."""
    level = door.with_doors()
    first = int(level.table(E.MODELS)["firstface"][2])
    overlay = np.zeros(1, OVERLAY_V3)
    overlay["face_count"] = 2
    level.set_bytes(E.OVERLAYS, OverlayLists(overlay, np.array([first + 1, 11], "<i4")).to_bytes())
    level.file.entries["version"][E.OVERLAYS] = 3
    level = read(write(level))
    brush_models.rebuild(level, 1, [piece()], faces(level)[:-1])
    assert overlay_lists.read(level.bytes_of(E.OVERLAYS)).faces.tolist() == [first, 11]
    with pytest.raises(FormatError, match="an overlay lies on face 11, which has gone"):
        brush_models.rebuild(level, 1, [piece()], [face for face in brush_models.faces(level, 1) if face.record != 11])


# ----------------------------------------------------------------------------------------------------------- new models


def test_a_model_is_added_behind_the_others(level):
    before = read(write(level))
    number = brush_models.add(level, [piece((-8, -8, -8), (8, 8, 8))], faces(level, (-8, -8, -8), (8, 8, 8), [NEW] * 6))
    after = read(write(level))
    assert number == 2 and np.array_equal(after.table(E.MODELS)[:2], before.table(E.MODELS))
    assert after.table(E.MODELS)["maxs"][2].tolist() == [8, 8, 8] and after.table(E.MODELS)["numfaces"][2] == 6
    assert brushes.of_models(after).tolist() == [0, 0, 1, 2]
    head = int(after.table(E.MODELS)["headnode"][2])
    points = np.array([[0.0, 0, 0], [9, 0, 0], [0, -7.5, 7.5]])
    assert after.table(E.LEAFS)["contents"][LeafTree(after, head).of_points(points)].tolist() == [1, 0, 1]
    assert [problem.message for problem in check(after)] == ["no entity has model *2; 1 such"]
    brush_models.rebuild(level, 1, [piece((-4, -24, 0), (4, 24, 128))], brush_models.faces(level, 1))
    assert np.array_equal(level.table(E.MODELS)["maxs"][1:], [[4, 24, 128], [8, 8, 8]])


def test_the_last_model_is_taken_away(level):
    """What was added leaves nothing behind, also where another one came behind it; the door's own goes whole, too."""
    before = write(read(write(level)))
    small = (-8, -8, -8), (8, 8, 8)
    for _ in range(2):
        brush_models.add(level, [piece(*small)], faces(level, *small, [NEW] * 6))
    gone_models.settle(level, [3])
    gone_models.settle(level, [2])
    assert write(level) == before
    gone_models.settle(level, [1])
    after = read(write(level))
    assert len(after.table(E.MODELS)) == 1 and len(after.table(E.FACES)) == 10 and len(after.table(E.BRUSHES)) == 2
    assert after.physcollide.of_model(1) is None
    assert [problem.message for problem in check(after)] == ["its model is *1, there are 1"]
    refused(level, "is the world", lambda level: gone_models.settle(level, [0]))


def test_copies_of_faces_have_their_luxels(level):
    rings = box((-4, -24, 0), (4, 24, 96))
    copies = [Face(ring, 1, like=record) for ring, record in zip(rings, range(10, 16), strict=True)]
    number = brush_models.add(level, [piece()], copies)
    after = read(write(level))
    table, texinfos = after.table(E.FACES), after.table(E.TEXINFO)
    polygons = geometry.polygons(after)
    first = int(after.table(E.MODELS)["firstface"][number])
    assert (table["lightofs"][first : first + 6] == table["lightofs"][10:16]).all()
    for face in range(first, first + 6):
        places = polygons.corners[polygons.first_corner[face] : polygons.first_corner[face + 1]]
        points = polygons.positions[places]
        numbers = np.full(4, table["texinfo"][face])
        found = geometry.luxels(points, texinfos, numbers, np.tile(table["lightmap_mins"][face], (4, 1)))
        assert ((found >= 0.49) & (found <= table["lightmap_size"][face] + 0.51)).all()
    refused(level, "lit like", brush_models.add, [piece()], [Face(rings[0], 1, like=99)])
    refused(level, "lit like", brush_models.rebuild, 1, [piece()], [Face(rings[0], 1, 10, like=10)])


def test_what_can_not_be_added_leaves_no_trace(level):
    for pieces, message in (
        ([], "no piece"),
        ([piece(contents=0x8000)], "area portal"),
        ([piece(texinfo=999)], "isn't there"),
    ):
        refused(level, message, brush_models.add, pieces, [])


def test_contents_are_those_of_brushes_with_the_texture(level):
    assert brush_models.contents_of(level, np.array([0, 1])) == 1
    table = level.table(E.BRUSHES).copy()
    table["contents"][:2] = 2
    level.set_table(E.BRUSHES, table)
    assert brush_models.contents_of(level, np.array([0])) == 2
