# SPDX-License-Identifier: GPL-3.0-or-later
"""The weights of cells in the layers of their themes, what a brush makes of them, and the colours they are shown in."""

import numpy as np
import pytest

from formats.fable import CELL, colors, theme_resolution, theme_weights
from formats.fable.theme_weights import FULL

EVERY = np.ones(256, np.bool_)


def cells(*rows: tuple[tuple[int, int, int], tuple[int, int]]) -> np.ndarray:
    made = np.zeros(len(rows), CELL)
    for cell, (themes, strengths) in zip(made, rows, strict=True):
        cell["themes"], cell["strengths"] = themes, strengths
    return made


def rows_of(found: theme_weights.Weights) -> list[tuple[int, int, int]]:
    return list(zip(found.slots.tolist(), found.weights.tolist(), found.cells.tolist(), strict=True))


def test_the_third_theme_has_what_is_left_and_a_slot_that_stands_twice_the_sum():
    found = theme_weights.of_cells(cells(((4, 2, 9), (100, 55)), ((2, 2, 4), (100, 100))), EVERY)
    assert rows_of(found) == [(2, 55, 0), (2, 200, 1), (4, 55, 1), (4, 100, 0), (9, 100, 0)]


def test_weights_are_at_most_full_and_slots_without_a_layer_have_none():
    has_layer = EVERY.copy()
    has_layer[7] = False
    found = theme_weights.of_cells(cells(((3, 3, 5), (200, 200)), ((7, 3, 0), (255, 0))), has_layer)
    assert rows_of(found) == [(3, FULL, 0)]


def test_layers_are_put_together_by_slot():
    values = {5: np.array([0, 0.5, 2], np.float32), 2: np.array([1, 0, -1], np.float32)}
    layers = [(slot, *theme_weights.of_values(each)) for slot, each in values.items()]
    assert rows_of(theme_weights.of_layers(layers)) == [(2, FULL, 0), (5, 128, 1), (5, FULL, 2)]
    assert rows_of(theme_weights.of_layers([])) == []


def test_what_is_painted_gets_its_share_and_the_others_keep_their_proportion():
    shares = np.array([[0.5, 0.25, 0.25], [0, 1, 0]])
    made, able = theme_resolution.paint(shares, 2, np.array([0.5, 1]), erase=False)
    np.testing.assert_allclose(made, [[0.25, 0.125, 0.625], [0, 0, 1]])
    assert able.tolist() == [True, True]
    made, able = theme_resolution.paint(shares, 1, np.array([1.0, 1]), erase=True)
    np.testing.assert_allclose(made[0], [2 / 3, 0, 1 / 3])
    assert able.tolist() == [True, False], "a cell's only theme stays"
    assert shares.tolist() == [[0.5, 0.25, 0.25], [0, 1, 0]], "what is given isn't changed"


def test_a_name_always_has_the_same_colour():
    assert colors.theme("") == colors.NONE
    grass, water, sand = (colors.theme(name) for name in ("GROUND_GRASS", "WATER_LAKE_1", "BEACH_SAND"))
    assert grass == pytest.approx((0.10977, 0.17807, 0.02698), abs=1e-5)  # whatever machine made it
    assert grass[1] > max(grass[0], grass[2])
    assert water[2] > max(water[:2])
    assert sand[0] > sand[1] > sand[2]
    assert len({colors.theme(f"GROUND_GRASS_{n}") for n in range(100)}) == 100
    assert len({colors.distinct(f"SOUND_{n}") for n in range(100)}) == 100


def test_colours_are_blended_and_themes_with_images_have_their_weights_instead():
    names = ["", "GRASS", "MUD", "SAND"]
    found = theme_weights.of_cells(cells(((1, 2, 0), (155, 100)), ((3, 1, 0), (255, 0)), ((0, 0, 0), (255, 0))), EVERY)
    has_name = found.slots > 0
    found = theme_weights.Weights(*(column[has_name] for column in found))
    grass, mud = np.array(colors.theme("GRASS")), np.array(colors.theme("MUD"))
    rgba, packed = colors.blend(found, names, 3, [3])
    np.testing.assert_allclose(rgba[0, :3], (155 * grass + 100 * mud) / 255, rtol=1e-6)
    np.testing.assert_allclose(rgba[1, :3], 0, atol=0)
    np.testing.assert_allclose(rgba[2, :3], colors.NONE, rtol=1e-6)
    assert (rgba[:, 3] == 1).all()
    assert packed.tolist() == [[[0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]]]
