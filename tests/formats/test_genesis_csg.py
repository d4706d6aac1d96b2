# SPDX-License-Identifier: GPL-3.0-or-later
"""The editor's CSG: cuts, hollows, their order, and who meets whom. Shapes are measured by their volumes."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.genesis import EditorBrush, EditorBrushFlag, Level3dt, read
from formats.genesis.csg import CsgPiece, carved
from formats.genesis.solids import Solids
from formats.genesis.windings import planes_of, sheets
from tests import examples
from tests.formats import genesis_3dt_text as build

CUT = int(EditorBrushFlag.SUBTRACT)
SOLID = 1
Box = tuple[tuple[float, float, float], tuple[float, float, float]]


def level_of(*brushes: str, **parts: object) -> Level3dt:
    level = read(build.level(brushes=brushes, **parts).encode())  # type: ignore[arg-type]
    assert isinstance(level, Level3dt)
    return level


def volume(piece: CsgPiece) -> float:
    """What its faces enclose, which go clockwise seen from outside."""
    total = 0.0
    for _, points in piece.faces:
        corners = points.astype(np.float64)
        for one, two in pairwise(corners[1:]):
            total -= float(np.dot(corners[0], np.cross(one, two)))
    return round(total / 6, 3)


def box_of(piece: CsgPiece) -> Box:
    points = np.concatenate([points for _, points in piece.faces])
    low, high = points.min(axis=0).tolist(), points.max(axis=0).tolist()
    return tuple(low), tuple(high)


def is_closed(piece: CsgPiece) -> bool:
    """Whether each edge belongs to two faces, to within the rounding of the cuts."""
    edges = set()
    for _, points in piece.faces:
        rounded = [tuple(np.round(point.astype(float), 1) + 0.0) for point in points]
        edges |= set(zip(rounded, rounded[1:] + rounded[:1], strict=True))
    return all((two, one) in edges for one, two in edges)


def test_what_is_not_cut_stays_as_it_is():
    level = level_of(build.leaf("a", low=(0, 0, 0), high=(10, 20, 30)), build.leaf("b", low=(5, 5, 5), high=(40, 6, 6)))
    one, two = carved(level)
    assert (one.brush.name, two.brush.name) == ("a", "b")
    assert (volume(one), volume(two)) == (6000, 35)
    for (face, points), original in zip(one.faces, level.brushes[0].faces, strict=True):
        assert face is original
        assert np.array_equal(points, original.points)


def test_a_cut_through_a_brush():
    """In the order of the cut's faces: what lies before each, of what those before it left."""
    wall = build.leaf("wall", low=(-100, 0, 0), high=(100, 100, 16), texture="plaster")
    hole = build.leaf("hole", low=(-20, 0, -8), high=(20, 80, 24), flags=CUT, texture="frame")
    pieces = carved(level_of(wall, hole))
    assert [box_of(piece) for piece in pieces] == [
        ((20, 0, 0), (100, 100, 16)),
        ((-100, 0, 0), (-20, 100, 16)),
        ((-20, 80, 0), (20, 100, 16)),
    ]
    assert all(piece.brush.name == "wall" and is_closed(piece) for piece in pieces)
    assert [[face.texture for face, _ in piece.faces] for piece in pieces] == [
        ["plaster"] * 5 + ["frame"],  # the face that a cut makes stands behind the others
        ["plaster"] * 5 + ["frame"],
        ["plaster"] * 3 + ["frame"] * 3,
    ]


def test_a_cut_leaves_its_look_on_the_faces_it_makes():
    wall = build.leaf("wall", low=(0, 0, 0), high=(64, 64, 64), texture="plaster")
    hole = build.leaf("hole", low=(16, 16, 16), high=(128, 128, 128), flags=CUT, texture="frame", shift=(7, 8))
    for piece in carved(level_of(wall, hole)):
        planes = [planes_of(points[None], np.array([len(points)]))[0] for _, points in piece.faces]
        made = [
            (look.texture, look.shift)
            for (look, _), plane in zip(piece.faces, planes, strict=True)
            if abs(float(plane.dists[0])) == 16
        ]
        assert made == [("frame", (7, 8))] * len(made)
        assert made


def test_a_cut_only_cuts_what_comes_before_it():
    before = build.leaf("before", low=(0, 0, 0), high=(64, 64, 64))
    hole = build.leaf("hole", low=(0, 0, 32), high=(64, 64, 96), flags=CUT)
    after = build.leaf("after", low=(0, 0, 0), high=(64, 64, 64))
    pieces = carved(level_of(before, hole, after))
    assert [(piece.brush.name, volume(piece)) for piece in pieces] == [("before", 64 * 64 * 32), ("after", 64**3)]


def test_a_cut_that_takes_all():
    inside = build.leaf("inside", low=(0, 0, 0), high=(10, 10, 10))
    assert carved(level_of(inside, build.leaf("hole", low=(-1, -1, -1), high=(11, 11, 11), flags=CUT))) == []


def test_a_cut_beside_a_brush_does_nothing():
    level = level_of(
        build.leaf("a", low=(0, 0, 0), high=(8, 8, 8)), build.leaf("c", low=(9, 0, 0), high=(20, 8, 8), flags=CUT)
    )
    (piece,) = carved(level)
    assert [face for face, _ in piece.faces] == level.brushes[0].faces


def test_a_cut_that_only_touches_leaves_one_piece():
    level = level_of(
        build.leaf("a", low=(0, 0, 0), high=(8, 8, 8)), build.leaf("c", low=(8, 0, 0), high=(20, 8, 8), flags=CUT)
    )
    (piece,) = carved(level)
    assert (volume(piece), len(piece.faces)) == (512, 6)


def test_two_cuts_leave_what_both_leave():
    """The later one comes first; pieces of pieces stand before the pieces that it leaves alone."""
    wall = build.leaf("wall", low=(0, 0, 0), high=(96, 8, 8))
    first = build.leaf("first", low=(16, -1, -1), high=(32, 9, 9), flags=CUT)
    second = build.leaf("second", low=(64, -1, -1), high=(80, 9, 9), flags=CUT)
    pieces = carved(level_of(wall, first, second))
    assert [box_of(piece) for piece in pieces] == [
        ((0, 0, 0), (16, 8, 8)),
        ((32, 0, 0), (64, 8, 8)),
        ((80, 0, 0), (96, 8, 8)),
    ]


def test_a_hollow_brush_becomes_walls():
    level = level_of(build.hollow("room", (0, 0, 0), (128, 96, 64), hull=8))
    pieces = carved(level)
    assert len(pieces) == 6
    assert sum(map(volume, pieces)) == pytest.approx(128 * 96 * 64 - 112 * 80 * 48)
    assert all(is_closed(piece) and len(piece.faces) == 6 for piece in pieces)
    assert {piece.flags for piece in pieces} == {SOLID}
    assert box_of(pieces[0]) == ((120, 0, 0), (128, 96, 64))


def test_the_wall_is_never_thinner_than_a_unit():
    pieces = carved(level_of(build.hollow("room", (0, 0, 0), (64, 64, 64), hull=0.25)))
    assert sum(map(volume, pieces)) == pytest.approx(64**3 - 62**3)


def test_a_fixed_face_has_no_wall():
    room = build.hollow("room", (0, 0, 0), (64, 64, 64), hull=8)
    level = level_of(room)
    for leaf in level.leaves():
        leaf.faces[2].flags |= 32  # the top, in the shell and in the cut that is made of it
    assert sum(map(volume, carved(level))) == pytest.approx(64**3 - 48 * 48 * 56)


def test_a_hollow_brush_without_its_cut_gets_one():
    """As after a load of a level of before 1.15."""
    pieces = carved(level_of(build.leaf("room", low=(0, 0, 0), high=(64, 64, 64), flags=0x401, hull=8)))
    assert sum(map(volume, pieces)) == pytest.approx(64**3 - 48**3)


def test_hollow_brushes_side_by_side_in_one_list():
    """Before 1.15 there were no lists in lists; each cut is made of the shell before it, and cuts all before it."""
    parts = []
    for x in (0, 100):
        for flags in (0x401, 0x91):
            parts.append(build.leaf(f"room{x}", low=(x, 0, 0), high=(x + 64, 64, 64), flags=flags, hull=8))
    assert sum(map(volume, carved(level_of(*parts)))) == pytest.approx(2 * (64**3 - 48**3))


def test_a_door_in_a_hollow_room():
    room = build.hollow("room", (0, 0, 0), (128, 128, 128), hull=16)
    door = build.leaf("door", low=(48, 16, 100), high=(80, 96, 140), flags=CUT)
    pieces = carved(level_of(room, door))
    assert sum(map(volume, pieces)) == pytest.approx(128**3 - 96**3 - 32 * 80 * 16)
    assert all(is_closed(piece) for piece in pieces)


def test_every_part_of_a_multi_cut_cuts():
    wall = build.leaf("wall", low=(0, 0, 0), high=(100, 10, 10))
    holes = [build.leaf(f"h{x}", low=(x, -1, -1), high=(x + 10, 11, 11), flags=CUT) for x in (10, 30, 50)]
    pieces = carved(level_of(wall, build.multi("arch", holes, flags=CUT)))
    assert sum(map(volume, pieces)) == 70 * 100


def test_a_cut_inside_a_multi_brush_stays_there():
    """The editor lets parts of a multi brush cut only if the whole is a cut."""
    parts = [
        build.leaf("a", low=(0, 0, 0), high=(10, 10, 10)),
        build.leaf("c", low=(5, 0, 0), high=(20, 10, 10), flags=CUT),
    ]
    (piece,) = carved(level_of(build.multi("both", parts)))
    assert volume(piece) == 1000


def test_a_cut_cuts_the_parts_of_a_multi_brush():
    parts = [build.leaf(f"p{x}", low=(x, 0, 0), high=(x + 20, 10, 10)) for x in (0, 40)]
    pieces = carved(
        level_of(build.multi("arch", parts), build.leaf("c", low=(10, -1, -1), high=(50, 11, 11), flags=CUT))
    )
    assert [(piece.brush.name, box_of(piece)) for piece in pieces] == [
        ("p0", ((0, 0, 0), (10, 10, 10))), ("p40", ((50, 0, 0), (60, 10, 10))),
    ]  # fmt: skip


def test_a_hollow_cut_cuts_with_its_walls():
    """A hollow brush that is a cut takes away its walls and leaves what is inside them."""
    block = build.leaf("block", low=(-100, -100, -100), high=(100, 100, 100))
    shell = build.leaf("s", low=(-50, -50, -50), high=(50, 50, 50), flags=CUT | 0x400, hull=10)
    inner = build.leaf("i", low=(-50, -50, -50), high=(50, 50, 50), flags=0x91 | CUT, hull=10)
    pieces = carved(level_of(block, build.multi("ring", [shell, inner], flags=CUT | 0x400, hull=10)))
    assert sum(map(volume, pieces)) == pytest.approx(200**3 - (100**3 - 80**3))


def test_models_do_not_meet():
    world = build.leaf("world", low=(0, 0, 0), high=(10, 10, 10))
    moving = build.leaf("moving", low=(0, 0, 0), high=(10, 10, 10), model=1)
    cut = build.leaf("cut", low=(5, -1, -1), high=(11, 11, 11), flags=CUT, model=1)
    pieces = carved(level_of(world, moving, cut, models=[build.model("m", 1)]))
    assert [(piece.brush.name, volume(piece)) for piece in pieces] == [("world", 1000), ("moving", 500)]


def test_hidden_cuts_do_not_cut():
    parts = [
        build.leaf("a", low=(0, 0, 0), high=(10, 10, 10)),
        build.leaf("c", low=(5, 0, 0), high=(20, 10, 10), flags=CUT | 0x1000),
    ]
    assert [volume(piece) for piece in carved(level_of(*parts))] == [1000]


def test_groups_that_are_not_shown_do_not_cut():
    cut = build.leaf("c", low=(5, 0, 0), high=(20, 10, 10), flags=CUT, group=1)
    parts = (build.leaf("a", low=(0, 0, 0), high=(10, 10, 10)), cut)
    groups = [build.group("Default", 0), build.group("g", 1, visible=0)]
    shown = build.SETTINGS.replace("ShowGroups 0", "ShowGroups 1")
    assert [volume(piece) for piece in carved(level_of(*parts, groups=groups))] == [500]
    assert [volume(piece) for piece in carved(level_of(*parts, groups=groups, settings=shown))] == [1000]


def test_an_empty_level():
    assert carved(level_of()) == []


def test_brushes_that_are_no_solids_are_survived():
    flat = build.leaf("flat", low=(0, 0, 0), high=(10, 0, 10))
    cut = build.leaf("c", low=(5, -5, 0), high=(20, 10, 10), flags=CUT)
    needle = build.leaf("needle", low=(0, 0, 0), high=(1e-4, 1e-4, 10))
    for piece in carved(level_of(flat, needle, cut)):
        assert piece.brush.name in ("flat", "needle")


CORNERS = st.tuples(*[st.integers(-8, 7)] * 3)
SIZES = st.tuples(*[st.integers(1, 9)] * 3)


@given(st.lists(st.tuples(CORNERS, SIZES), min_size=1, max_size=4))
@examples.at_most(40)
def test_boxes_cut_boxes(holes):
    """Whatever is cut off, together it is the block without the holes, counted cube by cube; no pieces overlap."""
    cubes = np.ones((16, 16, 16), bool)
    parts = [build.leaf("block", low=(-128, -128, -128), high=(128, 128, 128))]
    for corner, size in holes:
        low = np.array(corner)
        high = low + np.array(size)
        cubes[tuple(slice(max(a + 8, 0), b + 8) for a, b in zip(low, high, strict=True))] = False
        parts.append(build.leaf("hole", low=tuple(16.0 * low), high=tuple(16.0 * high), flags=CUT))
    pieces = carved(level_of(*parts))
    assert sum(map(volume, pieces)) == pytest.approx(cubes.sum() * 16**3)
    for piece in pieces:
        low, high = (np.round(np.array(side) / 16).astype(int) + 8 for side in box_of(piece))
        assert cubes[tuple(slice(a, b) for a, b in zip(low, high, strict=True))].all()
        assert len(piece.faces) == 6


def test_a_plane_is_a_huge_square():
    normals = np.array([[0, 1, 0], [0.6, 0, 0.8], [-1, 0, 0]], np.float32)
    planes, found = planes_of(*_squares(normals, np.array([5, -7, 1], np.float32)))
    assert found.all()
    assert np.abs(planes.normals - normals).max() < 1e-6
    assert np.abs(planes.dists - [5, -7, 1]).max() < 0.01


def _squares(normals, dists):  # type: ignore[no-untyped-def]
    from formats.genesis.windings import WindingPlanes

    return sheets(WindingPlanes(normals, dists)), np.full(len(normals), 4)


def test_corners_in_a_line_give_no_plane():
    line = np.zeros((1, 3, 3), np.float32)
    line[0, :, 0] = 1, 2, 3
    assert not planes_of(line, np.array([3]))[1].any()
    bent = np.array([[[0, 0, 0], [1, 0, 0], [2, 0, 0], [2, 0, 2], [0, 0, 2]]], np.float32)
    planes, found = planes_of(bent, np.array([5]))
    assert found.all()
    assert planes.normals.tolist() == [[0, 1, 0]]


def test_a_face_that_others_cut_away_goes():
    """A solid with a plane too many is sealed without it, as if it had never been there."""
    points = [np.array(face, np.float32) for face in build.box_points((0, 0, 0), (8, 8, 8))]
    extra = np.array([[20, 0, 0], [20, 0, 8], [20, 8, 8], [20, 8, 0]], np.float32)
    solid = Solids.of([[extra, *points]], [list(range(7))])
    sealed, alive = solid.sealed()
    assert alive.all()
    assert sealed.origins[0, sealed.exists[0]].tolist() == [1, 2, 3, 4, 5, 6]


def test_roles():
    assert EditorBrush("x", CUT).role == "cut"
    assert EditorBrush("x", 0x401, children=[]).role == "hollow"
    assert EditorBrush("x", children=[]).role == "multi"
