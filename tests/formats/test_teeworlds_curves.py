# SPDX-License-Identifier: GPL-3.0-or-later
"""Envelope points as keys of F-curves and back, without Blender: what nobody touched keeps its record, bit for bit."""

import numpy as np
import pytest

from formats.teeworlds import curves
from formats.teeworlds.records import BEZIER, POINT, Curve

FPS = 24.0
FACTORS = [2.0**-15, -(2.0**-15), 2.0**-10]


def points_of(*rows):
    """POINT records from (time, curve, values)."""
    points = np.zeros(len(rows), POINT)
    for point, (time, curve, values) in zip(points, rows, strict=True):
        point["time"], point["curve"] = time, curve
        point["value"][: len(values)] = values
    return points


EVERY_CURVE = points_of(
    (0, Curve.STEP, (0, 0, 0, 77)),  # the unused value is garbage that must stay
    (500, Curve.LINEAR, (32768, -1000, 90 * 1024, 78)),
    (900, Curve.SLOW, (-5000, 40000, -45 * 1024, 0)),
    (1333, Curve.FAST, (100, 200, 300, 0)),
    (2001, Curve.SMOOTH, (-90000, 12345, 1000, -1)),
    (2500, 2752512, (0, 0, 0, 0)),  # garbage counts as linear
    (3000, Curve.BEZIER, (7, 8, 9, 0)),
    (4000, Curve.LINEAR, (1024, 0, 720 * 1024, 0)),
)
DOUBLE = points_of(
    *((t, 1, (v * 1024, 0, 0)) for t, v in ((0, 0), (0, 5), (150, 9), (150, -9), (150, 3), (600, 1), (600, 2)))
)


def tangents():
    found = np.zeros(len(EVERY_CURVE), BEZIER)
    found["out_x"][6], found["out_y"][6] = (300, 200, 0, 1), (5000, -9000, 4096, 3)
    found["in_x"][7], found["in_y"][7] = (-300, -200, 0, 5), (-70000, 7, 4096, 7)
    return found


@pytest.mark.parametrize("with_tangents", [False, True])
@pytest.mark.parametrize("points", [EVERY_CURVE, DOUBLE, EVERY_CURVE[:1], EVERY_CURVE[:0], EVERY_CURVE[1:]])
def test_untouched_keys_keep_their_records(points, with_tangents):
    given = np.resize(tangents(), len(points)) if with_tangents else None
    built = curves.build_keys(points, given, FACTORS, FPS)
    again, kept = curves.read_points(list(built.copy()), built, points, given, FACTORS, FPS)
    assert again.tobytes() == points.tobytes()
    assert (None if kept is None else kept.tobytes()) == (None if given is None else given.tobytes())


def test_a_moved_key_changes_its_point_alone():
    built = curves.build_keys(EVERY_CURVE, None, FACTORS, FPS)
    keys = [row.copy() for row in built]
    keys[1]["value"][2] = 3 * FACTORS[1]
    again, _ = curves.read_points(keys, built, EVERY_CURVE, None, FACTORS, FPS)
    want = EVERY_CURVE.copy()
    want["value"][2, 1] = 3
    assert again.tobytes() == want.tobytes()


def test_keys_without_a_record_become_points():
    built = curves.build_keys(DOUBLE[:1], None, [1.0], FPS)
    keys = np.repeat(built[0], 2)
    keys["frame"][1], keys["value"][1] = FPS, 7
    points, kept = curves.read_points([keys], None, DOUBLE[:0], None, [1.0], FPS)
    assert points["time"].tolist() == [0, 1000] and points["value"][:, 0].tolist() == [0, 7] and kept is None


def test_an_interpolation_that_the_game_lacks_is_refused():
    keys = np.repeat(curves.build_keys(DOUBLE[:1], None, [1.0], FPS)[0], 2)
    keys["frame"][1], keys["interpolation"][0] = FPS, 9
    with pytest.raises(curves.CurveError, match="frame 0 has an interpolation"):
        curves.read_points([keys], None, DOUBLE[:0], None, [1.0], FPS)


def test_keys_at_one_time_are_built_as_far_apart_as_blender_keeps_them():
    keys = curves.build_keys(DOUBLE, None, [1.0], FPS)["frame"][0]
    assert (np.diff(keys) > 0.01).all()
