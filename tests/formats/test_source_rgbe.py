# SPDX-License-Identifier: GPL-3.0-or-later
"""Colours of light: both ways, and the same bytes for the same light."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from formats.source.light import rgbe
from formats.source.records import RGBE

BYTES = st.integers(0, 255)
COLORS = st.tuples(st.tuples(BYTES, BYTES, BYTES), st.integers(-128, 127))
LIGHTS = st.floats(0, float(np.float32(2.0**126)), width=32)


def colors(*values):
    return np.array(list(values), RGBE)


def test_a_known_colour():
    assert rgbe.decode(colors(((255, 51, 0), 1))).tolist() == [[2.0, pytest.approx(0.4), 0.0]]


@given(st.lists(COLORS, min_size=1, max_size=50))
def test_light_is_what_the_formula_says(values):
    found = rgbe.decode(colors(*values))
    for light, (rgb, exponent) in zip(found.tolist(), values, strict=True):
        assert light == pytest.approx([math.ldexp(each / 255, exponent) for each in rgb], rel=1e-6, abs=1e-42)


def test_every_byte_and_exponent_comes_back():
    brightest, exponent = np.meshgrid(np.arange(128, 256), np.arange(-126, 128), indexing="ij")
    made = np.zeros(brightest.shape, RGBE)
    made["rgb"][..., 1], made["rgb"][..., 2], made["exponent"] = brightest, brightest // 3, exponent
    assert (rgbe.encode(rgbe.decode(made)) == made).all()


@given(st.lists(COLORS, min_size=1, max_size=50))
def test_colours_of_any_form_come_back_where_nothing_changed(values):
    made = colors(*values)
    assert rgbe.encode(rgbe.decode(made), made).tobytes() == made.tobytes()


@given(st.lists(COLORS, min_size=2, max_size=50), st.data())
def test_only_what_changed_is_made_anew(values, data):
    made = colors(*values)
    light = rgbe.decode(made)
    number = data.draw(st.integers(0, len(made) - 1))
    light[number] = (0.25, 0.5, 0.125)
    found = rgbe.encode(light, made)
    assert np.delete(found, number).tobytes() == np.delete(made, number).tobytes()
    assert rgbe.decode(found)[number] == pytest.approx((0.25, 0.5, 0.125), abs=0.5 / 255)


@given(arrays.arrays(np.float32, (20, 3), elements=LIGHTS))
def test_light_comes_back_as_near_as_it_can(light):
    found = rgbe.encode(light)
    brightest = light.max(axis=1, keepdims=True).astype(np.float64)
    step = np.maximum(brightest / 127, 2.0**-128 / 255)  # half of it is the most that rounding takes
    assert (np.abs(rgbe.decode(found).astype(np.float64) - light) <= step * 0.505).all()
    lit = brightest[:, 0] > 2.0**-119
    assert (found["rgb"].max(axis=1)[lit] >= 128).all()


@given(arrays.arrays(np.float32, (20, 3), elements=LIGHTS))
def test_encoding_what_was_encoded_changes_nothing(light):
    found = rgbe.encode(light)
    again = rgbe.encode(rgbe.decode(found))
    assert (rgbe.decode(again) == rgbe.decode(found)).all()


def test_what_is_no_light():
    found = rgbe.encode([[math.nan, -1, 0], [math.inf, 1, 0], [0, 0, 0], [3e38, 0, 0]])
    black, brightest = ((0, 0, 0), 0), ((255, 0, 0), 127)
    assert (found == colors(black, brightest, black, brightest)).all()


def test_rounding_up_to_the_next_exponent():
    light = np.float32(255.75 / 255)
    assert rgbe.encode([[light, 0, light]]) == colors(((128, 0, 128), 1))


def test_shapes_and_many_colours():
    light = np.linspace(0, 4, 3 * 200_000, dtype=np.float32).reshape(400, 500, 3)
    found = rgbe.encode(light)
    assert found.shape == (400, 500)
    assert np.abs(rgbe.decode(found) - light).max() < 4 / 255
    assert rgbe.encode(np.empty((0, 3))).shape == (0,)
