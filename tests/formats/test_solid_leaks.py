# SPDX-License-Identifier: GPL-3.0-or-later
"""Floods from entities: what they reach, whether they get out, and by which way."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats import solid_leaks, solid_tree
from formats.solid_leaks import SHORT, Space, clear, examine, flood
from formats.solid_tree import MARGIN, OUTSIDE
from tests import examples
from tests.formats.solid_worlds import room, turned, voxel_flood, world

CELL, SIDE = 32.0, 5
"""Units of a voxel, and voxels each way."""

spans = st.tuples(st.integers(0, SIDE - 1), st.integers(1, SIDE)).map(lambda one: (one[0], min(one[0] + one[1], SIDE)))
grid_boxes = st.lists(st.tuples(spans, spans, spans), min_size=1, max_size=14)
seeds = st.lists(st.tuples(*[st.integers(0, SIDE - 1)] * 3), min_size=1, max_size=3)


@pytest.mark.slow
@examples.at_most(120)
@given(grid_boxes, seeds)
def test_a_flood_is_that_of_voxels(found, begin):
    solid = np.zeros((SIDE,) * 3, np.bool_)
    for (a, b), (c, d), (e, f) in found:
        solid[a:b, c:d, e:f] = True
    of = world(*(tuple(zip(*np.multiply(one, CELL).tolist(), strict=True)) for one in found))
    tree = solid_tree.build(of)
    middles = (np.indices(solid.shape).reshape(3, -1).T + 0.5) * CELL
    leafs = tree.leafs_of(middles)
    assert (tree.solid[leafs] == solid.reshape(-1)).all()
    reached, out = voxel_flood(solid, begin)
    made = flood(tree, (np.array(begin) + 0.5) * CELL)
    assert made.inside.tolist() == [not solid[one] for one in begin]
    assert made.is_sealed is not out and (made.reached[leafs] == reached.reshape(-1)).all()
    if out:
        assert_leads_out(tree, made, (np.array(begin) + 0.5) * CELL)


def assert_leads_out(tree, made, points):
    """A way from one of the points through nothing solid to the end of the world."""
    assert made.inside[made.leak] and (made.line[0] == points[made.leak]).all()
    low, high = (-tree.dists[3:6], tree.dists[:3])
    assert ((np.abs(made.line[-1] - low) < 1e-6) | (np.abs(made.line[-1] - high) < 1e-6)).any()
    steps = np.linspace(0, 1, 50)[1:-1, None, None]
    between = (made.line[:-1] * (1 - steps) + made.line[1:] * steps).reshape(-1, 3)
    at = tree.leafs_of(between)
    assert not tree.solid[at].all() and np.mean(tree.solid[at]) < 0.05  # along edges a point may be on either side


@pytest.mark.parametrize("wall", [None, 0, 1, 2, 3, 4, 5])
@pytest.mark.parametrize("turn", [0.0, 0.3])
def test_a_room_without_a_wall_leaks(wall, turn):
    c, s = np.cos(turn), np.sin(turn)
    of = turned([[c, -s, 0], [s, c, 0], [0, 0, 1]], *room())
    solid = np.arange(6) != (-1 if wall is None else wall)
    tree = solid_tree.build(of, solid)
    made = flood(tree, [[0, 0, 0]])
    assert made.is_sealed is (wall is None)
    if wall is None:
        assert not made.reached[OUTSIDE] and made.reached.sum() == 1 and len(made.line) == 0
    else:
        assert len(made.line) == 2  # straight out
        assert_leads_out(tree, made, np.zeros((1, 3)))


@pytest.mark.parametrize(("gap", "is_sealed"), [(0.0, True), (SHORT / 2, True), (SHORT * 2, False), (4.0, False)])
def test_a_slit_that_compilers_take_for_none_is_none(gap, is_sealed):
    (low, high), *others = room()
    halves = [(low, (high[0], 0, high[2])), ((low[0], gap, low[2]), high)]
    assert flood(solid_tree.build(world(*halves, *others)), [[0, 0, 0]]).is_sealed is is_sealed


def test_the_line_begins_at_the_entity_that_is_nearest_to_the_outside():
    tree = solid_tree.build(world(*room()[1:]))
    points = [[-100, 0, 0], [100, 0, 0], [500, 500, 500], [-135, 0, 0]]
    made = flood(tree, points[:2])
    assert made.leak == 1 and made.line.tolist()[0] == [100, 0, 0]
    assert flood(tree, points).leak == 2 and len(flood(tree, [[500, 500, 500]]).line) == 1
    nobody = flood(tree, points[3:])
    assert nobody.inside.tolist() == [False] and nobody.is_sealed
    assert flood(tree, np.empty((0, 3))).is_sealed and not flood(tree, [[np.nan] * 3]).inside.any()


def test_the_line_is_straightened():
    # A corridor with a bend: the way out goes by the middles of its portals, and needs one corner.
    boxes = [((0, 0, 0), (256, 256, 16)), ((0, 0, 48), (256, 256, 64)), ((0, 0, 16), (16, 256, 48)),
             ((16, 0, 16), (256, 16, 48)), ((48, 48, 16), (256, 256, 48)), ((16, 240, 16), (48, 256, 48))]  # fmt: skip
    tree = solid_tree.build(world(*boxes))
    made = flood(tree, [[32, 200, 32]])
    assert not made.is_sealed and 3 <= len(made.line) <= 4 and made.line[-1][0] == pytest.approx(256 + MARGIN)
    assert clear(tree, made.line[:-1], made.line[1:]).all()
    assert clear(tree, np.array([[32.0, 200, 32]]), np.array([[400.0, 32, 32]])).tolist() == [False]


def space(boxes, points, solid=None):
    of = world(*boxes)
    filling = np.ones(len(of), np.bool_) if solid is None else solid
    names = [f"entity {number}" for number in range(len(points))]
    return Space(of, filling, np.ones(len(of), np.bool_), np.array(points, np.float64), names, np.arange(len(points)))


def test_faces_that_nobody_sees():
    pillar = ((-8, -8, -128), (8, 8, 128))
    sealing = examine(space([*room(), pillar], [[64, 0, 0]]))
    of = sealing.space.brushes
    windings, sides = of.sides(np.ones(7, np.bool_))
    within, beyond = sealing.hidden(windings, of.normals[sides])
    # Of each wall the face that is turned to the room is seen; of the pillar its ends aren't.
    seen = np.flatnonzero(~within & ~beyond)
    assert seen.tolist() == [1, 6, 15, 20, 29, 34, 36, 37, 38, 39]
    assert within[40:].tolist() == [True, True]
    counts = sealing.counts()
    assert counts["brushes that seal"] == 7 and counts["faces inside solid"] == within.sum()
    assert counts["faces inside solid"] + counts["faces towards the void"] == 42 - len(seen)


def test_of_what_leaks_no_face_is_known_to_face_the_void():
    leaking = examine(space(room()[1:], [[0, 0, 0]]))
    assert leaking.counts()["faces towards the void"] == 0
    (problem,) = leaking.problems("error")
    assert problem.place == "entity 0" and problem.message.startswith("leaks: from (0, 0, 0) ")
    assert "the way out is by (" in problem.message
    (outside,) = examine(space(room(), [[900, 0, 0]])).problems("warning")
    assert "it stands outside" in outside.message and outside.severity == "warning"
    (buried,) = examine(space(room(), [[130, 0, 0]])).problems("error")
    assert "no entity stands in empty space" in buried.message
    assert examine(space(room(), [[130, 0, 0]])).counts()["faces towards the void"] == 0
    assert list(examine(space(room(), [[0, 0, 0]])).problems("error")) == []


def test_portals_that_are_too_small_are_not_gone_through():
    tree = solid_tree.build(world(*room()))
    between = solid_tree.portals(tree)
    assert len(solid_leaks.passable(tree, between).leafs) < len(between.leafs)
    assert not tree.solid[solid_leaks.passable(tree, between).leafs].any()
