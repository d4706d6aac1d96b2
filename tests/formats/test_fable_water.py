# SPDX-License-Identifier: GPL-3.0-or-later
"""Water over themes of water: how deep, how high, where; `test_fable_corpus` says that it is level in real ones."""

import numpy as np
import pytest

from formats.fable import theme_weights, water


@pytest.mark.parametrize(
    ("name", "depth"),
    [
        ("WATER_LAKE_16", 16.0),
        ("WATER_HCICE_0_25", 0.25),
        ("SEA_OAKVALE_3", 3.0),
        ("WATER_BWLAKE_0", 0.0),
        ("WATER_GREYCLIFF_ET", 0.0),
        ("GROUND_SPOOKY_TEST02", 0.0),
        ("MY_LAKE_2", 0.0),
        ("", 0.0),
    ],
)
def test_the_names_of_the_games_themes_say_how_deep_water_is(name: str, depth: float) -> None:
    assert water.depth_of(name) == depth


def test_definitions_come_before_names() -> None:
    assert water.depths(["WATER_LAKE_4", "MY_LAKE", "X"], {"WATER_LAKE_4": 1.5, "MY_LAKE": 3.0}).tolist() == [1.5, 3, 0]


def pond(level: float, size: int = 12) -> tuple[np.ndarray, theme_weights.Weights]:
    """A bowl that is filled up to a level by themes 1 and 2 (16 and 0 units deep), as the editor blends them."""
    y, x = np.mgrid[:size, :size].astype(np.float32) - size / 2
    ground = (0.2 * (x * x + y * y)).astype(np.float32)
    shares = np.clip((level - ground.reshape(-1)) / 16, 0, 1)
    return ground, theme_weights.of_layers(
        [(n, *theme_weights.of_values(part)) for n, part in ((1, shares), (2, 1 - shares))]
    )


def test_water_is_level_over_any_ground() -> None:
    ground, weights = pond(4.0)
    level, squares = water.surface(ground, weights, np.array([0, 16, 0], np.float32))
    half_a_step = 16 / 255 / 2  # strengths are whole numbers
    wet = ground < 4.0 - half_a_step
    assert np.abs(level[wet] - 4.0).max() <= half_a_step + 1e-5
    corners = np.stack([wet[:-1, :-1], wet[:-1, 1:], wet[1:, :-1], wet[1:, 1:]])
    assert np.array_equal(squares, corners.any(axis=0))
    points, faces = water.faces(level, squares)
    assert len(faces) == 4 * squares.sum() and np.unique(faces).tolist() == list(range(len(points)))
    assert np.abs(points[:, 2] - 4.0).max() <= half_a_step + 1e-5, "at the shore, too, it goes on into the ground"


def test_dry_levels_have_no_water() -> None:
    ground, weights = pond(4.0)
    level, squares = water.surface(ground, weights, np.zeros(3, np.float32))
    assert not squares.any() and np.array_equal(level, ground)
    points, faces = water.faces(level, squares)
    assert not len(points) and not len(faces)


def test_a_hollow_is_filled_as_far_as_water_reaches() -> None:
    ground = np.full((9, 12), 5, np.float32)
    ground[2:7, 2:5] = 1  # a hollow,
    ground[4, 5:9] = 2  # a channel out of it that turns,
    ground[1:5, 8] = 3
    ground[7, 10] = 0  # and a hole beside
    assert np.count_nonzero(water.basin(ground, 3, 3, 1.5)) == 15
    assert np.count_nonzero(water.basin(ground, 3, 3, 4)) == 15 + 4 + 3
    assert water.basin(ground, 3, 3, 6).all()
    assert not water.basin(ground, 0, 0, 4).any()


@pytest.mark.parametrize("family", water.FAMILIES)
def test_two_steps_of_a_ladder_make_any_depth(family: str) -> None:
    steps = list(water.ladder(family).values())
    depth = np.array([0, 0.1, 0.25, 0.9, 1, 2.5, 3, 7, 15.99, 16, 40])
    lower, share = water.blend(depth, steps)
    made = np.array(steps)[lower] * (1 - share) + np.array(steps)[lower + 1] * share
    assert made == pytest.approx(np.minimum(depth, 16)) and steps == sorted(steps)
