# SPDX-License-Identifier: GPL-3.0-or-later
"""Faces that cover nothing, or a part of another one."""

import numpy as np
import pytest

from formats import ns2
from formats.ns2.flaws import overlapping, without_area
from tests.samples.ns2_room import Builder, rectangle


def level_of(*faces) -> ns2.Mesh:
    made = Builder()
    for face in faces:
        made.face(face, material=0)
    return made.mesh()


FLOOR = rectangle((0.0, 4.0), (0.0, 4.0), 0.0)


@pytest.mark.parametrize(
    ("other", "found"),
    [
        (rectangle((3.0, 6.0), (3.0, 6.0), 0.0), True),
        (rectangle((1.0, 2.0), (1.0, 2.0), 0.0), True),
        (rectangle((3.999, 6.0), (0.0, 4.0), 0.0), False),
        (rectangle((4.0, 6.0), (0.0, 4.0), 0.0), False),
        (rectangle((1.0, 2.0), (1.0, 2.0), 0.01), False),
        (rectangle((1.0, 2.0), (1.0, 2.0), 0.0)[::-1], False),
    ],
    ids=["corner", "inside", "by a millimetre", "beside", "above", "from below"],
)
def test_overlaps_are_in_one_plane_and_on_one_side(other, found):
    mesh = level_of(FLOOR, other)
    assert overlapping(mesh, np.ones(2, np.bool_)).tolist() == [found, found]
    assert not overlapping(mesh, np.array([True, False])).any()


def test_faces_across_corners_overlap_where_their_boxes_and_sides_say_no():
    diamond = ((2.0, 0.0, 3.9), (5.0, 0.0, 6.9), (8.0, 0.0, 3.9), (5.0, 0.0, 0.9))
    far = tuple((x + 2.2, y, z + 2.2) for x, y, z in diamond)
    assert overlapping(level_of(FLOOR, diamond), np.ones(2, np.bool_)).all()
    assert not overlapping(level_of(FLOOR, far), np.ones(2, np.bool_)).any()


def test_faces_without_an_area():
    thin = ((0.0, 0.0, 0.0), (0.0, 0.0, 4.0), (0.0, 0.0, 2.0))
    assert without_area(level_of(FLOOR, thin)).tolist() == [False, True]
    assert not without_area(ns2.new_mesh()).any()
    assert not overlapping(ns2.new_mesh(), np.zeros(0, np.bool_)).any()


def test_planes_that_are_too_far_away_to_be_numbered():
    far = rectangle((0.0, 4.0), (0.0, 4.0), 1e30)
    assert overlapping(level_of(FLOOR, far), np.ones(2, np.bool_)).tolist() == [False, False]
