# SPDX-License-Identifier: GPL-3.0-or-later
"""Trees of brushes: what is solid and what empty, and the portals between leafs."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from formats import solid_tree
from formats.binary import FormatError
from formats.solid_tree import MARGIN, OUTSIDE
from formats.windings import Windings, joined, squares
from tests import examples
from tests.formats.solid_worlds import boxes, depths, room, turned, world

OFF = 0.05
"""Units that points keep away from faces: five times what counts as on a plane."""

numbers = st.integers(-96, 96)
sizes = st.integers(1, 64)
bounds = st.tuples(st.tuples(numbers, numbers, numbers), st.tuples(sizes, sizes, sizes)).map(
    lambda one: (one[0], tuple(np.add(one[0], one[1])))
)
turns = st.tuples(st.floats(-1, 1), st.floats(-1, 1), st.floats(-1, 1)).filter(lambda one: np.linalg.norm(one) > 0.1)


def rotation(axis):
    """A turn about an axis by its length in radians."""
    angle = np.linalg.norm(axis)
    x, y, z = np.divide(axis, angle)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


def joined_brushes(*parts):
    """Several worlds as one."""
    return solid_tree.brushes(
        np.concatenate([part.normals for part in parts]),
        np.concatenate([part.dists for part in parts]),
        np.concatenate([np.diff(part.first_side) for part in parts]),
    )


worlds = st.builds(
    lambda straight, slanted, turn: joined_brushes(world(*straight), turned(rotation(turn), *slanted)),
    st.lists(bounds, min_size=1, max_size=8),
    st.lists(bounds, min_size=1, max_size=4),
    turns,
)


@examples.at_most(60)
@given(worlds, st.integers(0, 2**32 - 1))
def test_what_is_in_a_brush_is_in_a_solid_leaf_and_nothing_else(of, seed):
    tree = solid_tree.build(of)
    points = np.random.default_rng(seed).uniform(-220, 220, (500, 3))
    deep = depths(of, points)
    solid = tree.solid[tree.leafs_of(points)]
    assert solid[deep > OFF].all() and not solid[deep < -OFF].any()
    corners = of.polygons.positions  # of which each lies within a brush, if it is drawn towards its middle
    middles = np.array([corners[a:b].mean(axis=0) for a, b in zip(*bounds_of(of), strict=True)])
    inside = middles[depths(of, middles) > OFF]
    assert tree.solid[tree.leafs_of(inside)].all()


def bounds_of(of):
    first = of.polygons.first_vertex
    return first[:-1], first[1:]


TURNED = turned(rotation((0.0, 0.015625, 1.0)), ((0, 0, 1), (1, 1, 2)))
"""A box whose planes cut wedges off the space before another one's, thinner than what is looked at."""


@examples.at_most(40)
@given(worlds)
@example(joined_brushes(world(((0, 0, 0), (1, 1, 1))), TURNED))
def test_portals_separate_two_leafs(of):
    tree = solid_tree.build(of)
    between = solid_tree.portals(tree)
    assert (between.leafs[:, 0] != between.leafs[:, 1]).all() and not tree.solid[OUTSIDE]
    # Of each leaf but the outside, the portals close up: their areas, out of the leaf, add up to nothing.
    windings = between.windings
    arms = windings.points - np.repeat(windings.points[windings.first[:-1]], windings.sizes, axis=0)
    after = np.arange(1, len(arms) + 1)
    after[windings.first[1:] - 1] = windings.first[:-1]
    areas = np.add.reduceat(np.cross(arms, arms[after]), windings.first[:-1], axis=0) / 2
    total = np.zeros((len(tree.solid), 3))
    np.add.at(total, between.leafs[:, 0], -areas)
    np.add.at(total, between.leafs[:, 1], areas)
    around = np.zeros(len(tree.solid))
    np.add.at(around, between.leafs.reshape(-1), np.repeat(perimeters(windings), 2))
    assert (np.abs(total[1:]).max(axis=1) <= solid_tree.NEAR * around[1:]).all()
    # What is before and behind a portal of some size is in the leafs that it names, unless these are very thin there.
    large = np.flatnonzero(np.sqrt((areas**2).sum(axis=1)) > 1)
    normals = areas[large] / np.sqrt((areas[large] ** 2).sum(axis=1))[:, None]
    for side, way in ((0, 1), (1, -1)):
        steps = [way * part * solid_tree.NEAR * normals for part in (2.0, 0.5)]  # the longer one may pass a thin leaf
        found = [tree.leafs_of(windings.middles[large] + step) for step in steps]
        wrong = np.all([leafs != between.leafs[large, side] for leafs in found], axis=0)
        points = windings.middles[large] + steps[0]
        assert (np.abs(depths(of, points[wrong])) < OFF).all() or not wrong.any()


def perimeters(windings):
    return np.add.reduceat(windings.edges(), windings.first[:-1])


def test_a_box_is_one_solid_leaf():
    tree = solid_tree.build(world(((-8, -8, -8), (8, 8, 8))))
    assert tree.solid.sum() == 1 and len(tree.dists) == 6 + 6
    assert tree.leafs_of([[0, 0, 0]])[0] == np.flatnonzero(tree.solid)[0]
    far = 8 + MARGIN
    assert tree.leafs_of([[far + 1, 0, 0], [0, -far - 1, 0], [np.nan, 0, 0], [0, np.inf, 0]]).tolist() == [OUTSIDE] * 4
    assert OUTSIDE not in tree.leafs_of([[far - 1, 0, 0], [0, 0, 9]])


def test_a_world_without_brushes_is_empty():
    nothing = solid_tree.brushes(np.empty((0, 3)), np.empty(0), [])
    tree = solid_tree.build(nothing)
    assert not tree.solid.any() and len(solid_tree.portals(tree).leafs) == 6


def test_faces_that_touch_leave_no_gap_and_make_few_leafs():
    tree = solid_tree.build(world(((0, 0, 0), (8, 8, 8)), ((8, 0, 0), (16, 8, 8)), ((0, 0, 0), (16, 8, 8))))
    assert tree.solid.sum() == 1


def test_only_brushes_that_fill_space_do():
    of = world(((0, 0, 0), (8, 8, 8)), ((32, 0, 0), (40, 8, 8)))
    tree = solid_tree.build(of, np.array([False, True]))
    assert tree.solid[tree.leafs_of([[4, 4, 4], [36, 4, 4]])].tolist() == [False, True]


def test_a_brush_that_is_not_closed_fills_nothing():
    normals, dists, _ = boxes(((0, 0, 0), (8, 8, 8)), ((32, 0, 0), (40, 8, 8)))
    of = solid_tree.brushes(normals[:11], dists[:11], [6, 5])
    assert of.polygons.closed.tolist() == [True, False]
    assert solid_tree.build(of).solid.sum() == 1


def test_brushes_that_cross_without_end_are_refused(monkeypatch):
    monkeypatch.setattr(solid_tree, "MOST", 40)
    of = world(*(((n, -50, -50), (n + 0.5, 50, 50)) for n in range(20)))
    with pytest.raises(FormatError, match="cross each other more than 40 times"):
        solid_tree.build(of)


def test_brushes_may_lie_far_out():
    tree = solid_tree.build(world(((1e7, 1e7, 1e7), (1.1e7, 1.1e7, 1.1e7)), ((0, 0, 0), (8, 8, 8))))
    assert tree.solid[tree.leafs_of([[4, 4, 4], [1.05e7] * 3, [100, 100, 100], [5e6, 5e6, 5e6]])].tolist() == [
        *(True, True),
        *(False, False),
    ]


def test_planes_that_are_nearly_one_are_one():
    normals = np.array([(0, 0, 1.0), (0, 0, -1), (0, 0, 1), (1e-6, 0, 1)])
    planes = solid_tree.distinct_planes(normals, np.array([8, -8.0, 9, 8.001]))
    assert planes[2].tolist() in ([0, 0, 1, 0], [1, 1, 0, 1])


def test_rings_are_cut_without_a_loss():
    windings = squares(np.array([(0, 0, 1.0), (0, 0, 1)]), np.array([4.0, 5]), 8.0)
    assert windings.areas().tolist() == [256, 256]
    halves = windings.split(np.array([(1.0, 0, 0), (0, 0, 1)]), np.array([2.0, 5]), 0.01)
    assert halves.of_front.tolist() == halves.of_back.tolist() == [0] and halves.on.tolist() == [1]
    assert halves.front.areas().tolist() == pytest.approx([96]) and halves.back.areas().tolist() == pytest.approx([160])
    none = joined([halves.front.taken(np.zeros(0, np.int64))])
    assert (
        isinstance(none, Windings) and len(none) == 0 and len(none.split(np.empty((0, 3)), np.empty(0), 0.1).front) == 0
    )


def test_a_room_has_one_leaf_inside():
    tree = solid_tree.build(world(*room()))
    inside = tree.leafs_of([[0, 0, 0], [100, -100, 100], [-127, 127, 127]])
    assert len(set(inside.tolist())) == 1 and not tree.solid[inside].any()
