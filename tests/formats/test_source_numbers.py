# SPDX-License-Identifier: GPL-3.0-or-later
"""Array code for scenes: numbers and their text, angles, values of entities, ropes, texels, luxels, boxes of props."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats import luxel_pixels
from formats.source import numbers
from formats.source.entities import entity_values
from formats.source.entities.text import Entity
from formats.source.light import radiance
from formats.source.placed import orientation, prop_boxes, ropes
from formats.source.vmf import uv

FINITE = st.floats(-1e6, 1e6, width=32)


@given(FINITE)
def test_a_number_is_written_so_that_it_reads_as_it_was(value: float) -> None:
    written = numbers.text(value)
    assert np.float32(float(written)) == np.float32(value)
    assert "e" not in written


def test_only_numbers_that_changed_are_written_anew() -> None:
    assert numbers.merged("1.50 2 3", (1.5, 2, 3), (1.5, 2.25, 3)) == "1.50 2.25 3"
    assert numbers.merged(None, (0, 0, 0), (0, 7, 0)) == "0 7 0"
    with pytest.raises(ValueError, match="nan"):
        numbers.text(math.nan)


def test_what_is_not_finite_is_0() -> None:
    given_ = np.array([1, np.nan, np.inf, -np.inf])
    assert numbers.doubles(given_).tolist() == [1, 0, 0, 0]
    assert numbers.singles(np.array([1, np.nan, 1e300])).tolist() == [1, 0, 0]


@given(st.floats(-360, 360).map(lambda value: round(value, 3)))
def test_degrees_come_back_from_radians(value: float) -> None:
    radians = float(np.float32(math.radians(value)))
    assert numbers.turned(value, radians) == value
    assert numbers.degrees(radians) == pytest.approx(value, abs=1e-4)
    assert numbers.nearly((value,), (value + 360.001,)) == (value,)


@given(st.tuples(st.floats(-89, 89), st.floats(-179, 179), st.floats(-179, 179)))
def test_angles_of_a_rotation(angles: tuple[float, float, float]) -> None:
    rotation = orientation.rotations([angles])[0]
    assert orientation.angles_of(rotation) == pytest.approx(angles, abs=1e-6)
    pitch, yaw, roll = map(math.radians, angles)
    assert orientation.same_rotation(rotation, (roll, pitch, yaw))
    assert not orientation.same_rotation(rotation, (roll, pitch, yaw + 0.01))


def test_angles_of_what_looks_straight_up() -> None:
    rotation = orientation.rotations([(-90, 45, 0)])[0]
    assert orientation.angles_of(rotation) == pytest.approx((-90, 45, 0))


def test_values_of_entities_are_as_the_engine_reads_them() -> None:
    values = entity_values.by_key(Entity([("Scale", " 2.5abc"), ("scale", "3"), ("origin", "1 2 3"), ("bad", "x")]))
    assert values["scale"] == "3", "the last one counts"
    assert entity_values.number({"a": " -2.5e1x"}, "a") == -25
    assert entity_values.number(values, "bad", 7) == 7
    assert entity_values.triple(values, "origin") == (1, 2, 3)
    assert entity_values.triple(values, "bad") == (0, 0, 0)
    assert entity_values.angles({"angle": "-1"}) == (-90, 0, 0)
    assert entity_values.angles({"angle": "-2"}) == (90, 0, 0)
    assert entity_values.angles({"angle": "30"}) == (0, 30, 0)
    assert entity_values.angles({"angle": "30", "angles": "1 2 3"}) == (1, 2, 3)


def test_ropes_hang_as_far_as_their_slack_lets_them() -> None:
    way = np.array([300.0, 0, 0])
    points = ropes.hanging(way, 25)
    assert points[[0, -1]].tolist() == [[0, 0, 0], [300, 0, 0]]
    assert np.linalg.norm(np.diff(points, axis=0), axis=1).sum() == pytest.approx(325, rel=0.02)
    assert (ropes.hanging(way, -50)[:, 2] == 0).all()


@given(st.lists(st.tuples(FINITE, FINITE), min_size=1, max_size=5))
def test_texels_come_back_from_uv(texels: list[tuple[float, float]]) -> None:
    given_ = np.array(texels)
    sizes = np.full(given_.shape, 64, np.int64)
    assert np.allclose(uv.texels_of(uv.uv_of(given_, sizes), sizes), given_, rtol=1e-6, atol=1e-4)
    assert uv.size_of("Dev/Wall", {"dev/wall": (8, 16)}) == (8, 16)
    assert uv.size_of("other", {}) == uv.UNKNOWN_SIZE


def test_luxels_without_light_of_their_own_have_their_neighbours() -> None:
    first = np.array([0, 6, 9])
    pixels = np.array([0, 1, 2, 8, 9, 10, 3, 4, 5])  # a face of 3 x 2 luxels, one of 3 beside it, in rows of 8
    where = luxel_pixels.LuxelPixels(8, 2, np.array([[3, 2], [3, 1], [0, 0]]), pixels, first)
    baked, covered = np.zeros((16, 3), np.float32), np.zeros(16, np.bool_)
    baked[0], baked[8], baked[3] = 4, 2, 100
    covered[[0, 8, 3]] = True
    light, count = luxel_pixels.spread(baked, covered, where, np.array([0]))
    assert light[[0, 8, 1, 9, 2, 10], 0].tolist() == [4, 2, 3, 3, 3, 3]
    assert np.isnan(light[[3, 4, 5, 15]]).all()
    assert count == 6
    assert luxel_pixels.spread(baked, covered & False, where, np.array([0, 1]))[1] == 0


@pytest.mark.parametrize("width", [3, 65, 1 << 16])
def test_pictures_of_other_widths_are_refused(width: int) -> None:
    with pytest.raises(ValueError, match="rows of"):
        radiance.encode(np.zeros((1, width, 4), np.uint8))


def test_dark_rows_are_two_bytes_a_run() -> None:
    header, _, rows = radiance.encode(np.zeros((2, 64, 4), np.uint8)).partition(b"-Y 2 +X 64\n")
    assert header.startswith(b"#?RADIANCE")
    assert rows == (bytes((2, 2, 0, 64)) + bytes((128 + 64, 0)) * 4) * 2


def test_boxes_of_props_are_about_as_large_as_the_way_to_their_lighting_origin() -> None:
    dtype = [("flags", "u4"), ("origin", "3f4"), ("angles", "3f4"), ("lighting_origin", "3f4")]
    props = np.zeros(2, dtype)
    props["origin"] = [(100, 0, 0), (0, 50, 0)]
    props["lighting_origin"] = props["origin"] + np.array((0, 0, 20), np.float32)
    nothing = np.zeros((2, 3))
    low, high = prop_boxes.PlausibleBoxes(props, nothing, nothing).of(np.ones(len(props), np.bool_))
    assert (low.tolist(), high.tolist()) == ([-20, -20, 0], [20, 20, 40])
    props["lighting_origin"][1] += 500  # what lay in the compiler's memory
    low, high = prop_boxes.PlausibleBoxes(props, nothing, nothing).of(np.ones(len(props), np.bool_))
    assert (low.tolist(), high.tolist()) == ([-16] * 3, [16] * 3)
