# SPDX-License-Identifier: GPL-3.0-or-later
"""Grids, squares of navigation over the ground, numbered sections, and how things stand: arrays in, arrays out."""

import numpy as np
import pytest

from formats.fable import CELL, NODE, POSITION, heights, read, tng
from formats.fable.geometry import (
    finite_heights,
    finite_points,
    grid,
    grid_edges,
    leaf_corners,
    over_ground,
    sample_ground,
    unit_squares,
)
from formats.fable.placement import placement_of
from formats.fable.sections import door_lists, numbered_sections
from tests.formats import fable_bytes as build

DOORS = build.Lev(sections=((b"NULL", build.DOORS), (b"BAD", b"\1\2\3"), (b"Q_Quest", build.DOORS)))
STANDING = """NewThing Object;
UID 1;
StartCTCPhysicsStandard;
PositionX 1.5;
PositionY 2.0;
PositionZ 3.0;
RHSetForwardX 0.0;
RHSetForwardY 2.0;
RHSetForwardZ 0.0;
RHSetUpX 0.0;
RHSetUpY 0.1;
RHSetUpZ 1.0;
EndCTCPhysicsStandard;
ObjectScale 2.5;
EndThing;
"""


def test_a_grid_goes_by_rows_and_around_each_quad_from_the_lower_left():
    positions, corners = grid(2, 3, 4.0)
    assert positions.tolist() == [[0, 0, 0], [4, 0, 0], [8, 0, 0], [0, 4, 0], [4, 4, 0], [8, 4, 0]]
    assert corners.reshape(-1, 4).tolist() == [[0, 1, 4, 3], [1, 2, 5, 4]]
    assert grid(1, 3)[1].size == 0


@pytest.mark.parametrize(("rows", "columns"), [(2, 2), (2, 5), (4, 3)])
def test_each_corners_edge_joins_it_to_the_next_corner(rows, columns):
    edges, of_corners = grid_edges(rows, columns)
    corners = grid(rows, columns)[1].reshape(-1, 4)
    wanted = np.sort(np.stack([corners, np.roll(corners, -1, axis=1)], axis=2).reshape(-1, 2), axis=1)
    assert np.array_equal(np.sort(edges, axis=1)[of_corners], wanted)
    assert len(np.unique(np.sort(edges, axis=1), axis=0)) == len(edges) == rows * (columns - 1) + columns * (rows - 1)


def test_what_is_not_finite_is_shown_at_0():
    cells = np.zeros((1, 3), CELL)
    cells["height"] = [[0.25, np.nan, -np.inf]]
    assert finite_heights(cells).tolist() == [[512, 0, 0]]
    points = np.zeros(2, POSITION)
    points["x"], points["y"] = [1.5, np.inf], [np.nan, 2]
    assert finite_points(points).tolist() == [[1.5, 0], [0, 2]]


def test_leaves_are_squares_of_half_the_edge_a_level():
    nodes = np.zeros(2, NODE)
    nodes["x"], nodes["y"], nodes["level"] = [16, 4], [16, np.nan], [0, 2]
    assert leaf_corners(nodes)[0].tolist() == [[0, 0], [32, 0], [32, 32], [0, 32]]
    assert leaf_corners(nodes)[1].tolist() == [[0, 0], [8, 0], [8, 0], [0, 0]]


def test_the_ground_is_sampled_between_its_cells_and_ends_at_its_edge():
    ground = np.array([[0, 4], [8, 12]], np.float32)
    assert sample_ground(ground, [0.5, 0, 9], [0.5, 1, -9]).tolist() == [6, 8, 4]


def test_no_cell_pokes_through_a_leaf():
    ground = np.random.default_rng(7).uniform(0, 9, (33, 33)).astype(np.float32)
    nodes = np.zeros(5, NODE)
    nodes["level"] = range(5)
    nodes["x"] = nodes["y"] = 16 / 2.0 ** np.arange(5)
    corners = leaf_corners(nodes)
    z = over_ground(ground, corners, nodes["level"])
    for (low, _, high, _), heights_of in zip(corners.astype(int).tolist(), z, strict=True):
        edge = high[0] - low[0]
        share = np.arange(edge + 1) / edge
        lower = heights_of[0] + (heights_of[1] - heights_of[0]) * share
        upper = heights_of[3] + (heights_of[2] - heights_of[3]) * share
        plane = lower + (upper - lower) * share[:, None]
        over = plane - ground[low[1] : high[1] + 1, low[0] : high[0] + 1]
        assert over.min() == pytest.approx(0, abs=1e-4)
    assert over_ground(np.zeros((0, 0), np.float32), corners, nodes["level"]).tolist() == [[0] * 4] * 5


def test_sections_are_numbered_through_and_a_broken_one_has_its_error():
    first, broken, last = numbered_sections(read(DOORS.build()))
    assert (first.number, broken.number, last.number) == (0, 1, 2)
    assert broken.navigation is None
    assert broken.error
    assert (broken.layers(), broken.door_keys(), broken.leaves(0).tolist()) == ([], [], [])
    assert (first.first_node, last.first_node) == (0, len(first.navigation.nodes))
    assert (first.first_point, last.first_point) == (0, len(first.navigation.positions))
    assert first.layers() == [0, 1]
    leaves = np.concatenate([first.leaves(layer) for layer in first.layers()])
    assert sorted(leaves.tolist()) == np.flatnonzero(first.navigation.nodes["leaf"]).tolist()


def test_doors_with_the_same_keys_have_one_list():
    section = next(numbered_sections(read(DOORS.build())))
    numbers, lists = door_lists(section.navigation, section.leaves(1))
    assert numbers.tolist() == [0, 1, 2]
    assert lists == [(build.DOOR, build.DOOR + 1), (build.DOOR,)]
    assert sorted(section.door_keys()) == sorted(key for keys in lists for key in keys)


def thing(text: str) -> tng.Thing:
    (found,) = tng.read(f"Version 2;\nXXXSectionStart NULL;\n{text}XXXSectionEnd;\n".encode())
    return found


def test_a_thing_stands_by_its_front_at_right_angles():
    made = placement_of(thing(STANDING))
    assert made.position == (1.5, 2.0, 3.0)
    assert made.scale == 2.5
    assert made.frame == ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    assert len(made.statements) == 10
    assert [one.key for one in made.statements[:2]] == ["ObjectScale", "PositionX"]


@pytest.mark.parametrize(
    ("text", "field"),
    [
        (STANDING.replace("PositionY 2.0;", "PositionY here;"), "position"),
        (STANDING.replace("RHSetUpZ 1.0;", "RHSetUpZ 0.0;"), "frame"),
        (STANDING.replace("RHSetUpZ 1.0;\n", ""), "frame"),
        (STANDING.replace("ObjectScale 2.5;", "ObjectScale 0.0;"), "scale"),
        (STANDING.replace("Position", "Place"), "body"),
    ],
)
def test_what_a_thing_does_not_say_in_usable_numbers_is_none(text, field):
    assert getattr(placement_of(thing(text)), field) is None


def test_finite_heights_are_those_of_the_file():
    cells = read(build.Lev(cell=build.varied_cell).build()).cells
    z = heights(cells)
    assert np.array_equal(finite_heights(cells)[np.isfinite(z)], z[np.isfinite(z)])


def test_leaves_are_cut_into_units_and_small_ones_stay():
    leaves = np.zeros(3, NODE)
    leaves["level"], leaves["x"], leaves["y"] = (3, 5, 6), (2, 10.5, 20.25), (6, 7.5, 20.25)
    leaves["preference"] = (1, 2, 3)
    made = unit_squares(leaves)
    assert np.bincount(made["preference"]).tolist() == [0, 16, 1, 1]
    first = made[made["preference"] == 1]
    assert sorted(zip(first["x"].tolist(), first["y"].tolist(), strict=True)) == [
        (x + 0.5, y + 0.5) for x in range(4) for y in range(4, 8)
    ]
    assert made["level"].tolist() == [5] * 17 + [6]
    assert made[16:].tobytes() == leaves[1:].tobytes()
    crowd = np.zeros(5000, NODE)
    assert len(unit_squares(crowd)) == 5000
