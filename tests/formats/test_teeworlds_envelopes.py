# SPDX-License-Identifier: GPL-3.0-or-later
"""Envelopes: values at times, as the game computes them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formats.teeworlds import envelopes
from formats.teeworlds.envelopes import evaluate
from formats.teeworlds.records import BEZIER, POINT, Curve


def points(*rows: tuple[int, int, int]) -> np.ndarray:
    """Points (time, curve, value of the first channel in the file's units)."""
    return np.array([(at, curve, (value, 0, 0, 0)) for at, curve, value in rows], POINT)


def first(envelope: np.ndarray, times: list[float], tangents: np.ndarray | None = None) -> list[float]:
    return evaluate(envelope, tangents, times)[:, 0].tolist()


@pytest.mark.parametrize(
    ("curve", "expected"),
    [
        (Curve.STEP, [0, 0, 0, 0]),
        (Curve.LINEAR, [0, 0.25, 0.5, 0.75]),
        (Curve.SLOW, [0, 1 / 64, 1 / 8, 27 / 64]),
        (Curve.FAST, [0, 37 / 64, 7 / 8, 63 / 64]),
        (Curve.SMOOTH, [0, 5 / 32, 1 / 2, 27 / 32]),
        (Curve.BEZIER, [0, 0.25, 0.5, 0.75]),  # without tangents
        (6, [0, 0.25, 0.5, 0.75]),
        (2752512, [0, 0.25, 0.5, 0.75]),  # a real map of the game holds this
        (-1, [0, 0.25, 0.5, 0.75]),
    ],
)
def test_each_curve(curve: int, expected: list[float]) -> None:
    envelope = points((0, curve, 0), (1000, 1, 1024))
    assert first(envelope, [0, 250, 500, 750]) == pytest.approx(expected, abs=1e-12)


def test_all_channels_in_their_units() -> None:
    envelope = np.array([(0, 1, (1024, -2048, 92160, 7)), (100, 1, (1024, 0, 0, 7))], POINT)
    assert evaluate(envelope, None, [0, 50]).tolist() == [[1, -2, 90, 7 / 1024], [1, -1, 45, 7 / 1024]]


def test_it_repeats_after_the_last_point() -> None:
    envelope = points((0, 1, 0), (1000, 1, 1024))
    assert envelopes.period(envelope) == 1000
    assert first(envelope, [999, 1000, 1250, 1e9 + 250]) == [0.999, 0, 0.25, 0.25]


def test_outside_its_points_it_has_the_last_value() -> None:
    envelope = points((500, 1, 1024), (1000, 1, 3072))
    assert first(envelope, [0, 499, 500, 750, 1000, 1499, 1500]) == [3, 3, 1, 2, 3, 3, 1]
    assert first(envelope, [-1, -300, -1000]) == [3, 3, 3]  # an offset may ask for a time before the start


def test_one_point_and_none() -> None:
    assert first(points((700, 0, 512)), [0, 700, 5000, -3]) == [0.5] * 4
    assert envelopes.period(points((700, 0, 512))) == 0
    assert evaluate(np.zeros(0, POINT), None, [0, 1]).tolist() == [[0.0] * 4] * 2
    assert evaluate(np.zeros(0, POINT), None, [0], empty=1.0).tolist() == [[1.0] * 4]
    assert evaluate(points((0, 1, 0)), None, []).shape == (0, 4)


def test_points_at_one_time_jump() -> None:
    envelope = points((0, 1, 0), (500, 1, 1024), (500, 1, 4096), (1000, 1, 4096))
    assert first(envelope, [250, 499.5, 500, 999]) == [0.5, 0.999, 4, 4]


def test_an_envelope_that_never_moves_on_has_its_last_value() -> None:
    assert first(points((0, 1, 0), (0, 1, 1024)), [0, 10]) == [1, 1]
    assert first(points((-100, 1, 0), (-50, 1, 1024)), [-75, 0]) == [1, 1]


def test_times_that_run_backwards_do_not_break_it() -> None:
    envelope = points((0, 1, 0), (900, 1, 1024), (300, 1, 2048), (1000, 1, 3072))
    assert np.isfinite(evaluate(envelope, None, np.arange(0, 3000, 7))).all()


def bezier(out: tuple[int, int], into: tuple[int, int]) -> np.ndarray:
    tangents = np.zeros(2, BEZIER)
    tangents["out_x"][0], tangents["out_y"][0] = out
    tangents["in_x"][1], tangents["in_y"][1] = into
    return tangents


@pytest.mark.parametrize(
    ("out", "into", "expected"),
    [
        ((0, 0), (0, 0), [0.25, 0.5, 0.75]),  # both handles at their points: x and y alike
        ((333, 341), (-333, -341), [0.25, 0.5, 0.75]),  # handles at thirds of the line
        ((333, 0), (-333, 0), [5 / 32, 1 / 2, 27 / 32]),  # the smooth curve
        ((5000, 0), (-5000, 0), None),  # handles are kept between the points
        ((-5000, 0), (5000, 0), None),
    ],
)
def test_bezier(out: tuple[int, int], into: tuple[int, int], expected: list[float] | None) -> None:
    envelope = points((0, Curve.BEZIER, 0), (1000, 1, 1024))
    values = first(envelope, [250, 500, 750], bezier(out, into))
    if expected is None:
        kept = tuple(max(0, min(1000, value)) if i == 0 else value for i, value in enumerate(out))
        back = (max(-1000, min(0, into[0])), into[1])
        assert values == first(envelope, [250, 500, 750], bezier(kept, back))
        assert values[1] == pytest.approx(0.5, abs=1e-4)  # the curve may stand still in time there
    else:
        assert values == pytest.approx(expected, abs=1e-3)


def test_bezier_against_a_curve_worked_by_hand() -> None:
    # time = 3 (1-a)^2 a 200 + 3 (1-a) a^2 900 + a^3 1000, value = 3 (1-a)^2 a 3 + 3 (1-a) a^2 (-1) + a^3 1
    # at a = 1/2 and 1/4
    envelope = points((0, Curve.BEZIER, 0), (1000, 1, 1024))
    tangents = bezier((200, 3072), (-100, -2048))
    assert first(envelope, [537.5, 226.5625], tangents) == pytest.approx([0.875, 1.140625], abs=1e-9)


def test_bezier_stays_in_its_channel_and_interval() -> None:
    envelope = np.array([(0, 5, (0, 0, 0, 0)), (100, 2, (1024,) * 4), (200, 1, (0,) * 4)], POINT)
    tangents = np.zeros(3, BEZIER)
    tangents["out_x"][0, 1], tangents["out_y"][0, 1] = 50, 9000
    tangents["out_y"][1] = 5000  # of a point that is no bezier
    values = evaluate(envelope, tangents, [50, 150])
    assert values[0, 0] == values[0, 2] == values[0, 3] == pytest.approx(0.5)
    assert values[0, 1] > 2
    assert values[1] == pytest.approx([0.875] * 4)


@given(
    st.lists(
        st.tuples(st.integers(1, 3000), st.sampled_from([1, 2, 3, 4, 5]), st.integers(-(2**20), 2**20)),
        min_size=2,
        max_size=6,
    ),
    st.integers(0, 2**31 - 1),
)
def test_curves_are_continuous_and_meet_their_points(steps: list[tuple[int, int, int]], seed: int) -> None:
    times = np.cumsum([step[0] for step in steps])
    envelope = points((0, 1, 0), *((int(at), curve, value) for at, (_, curve, value) in zip(times, steps, strict=True)))
    tangents = np.zeros(len(envelope), BEZIER)
    random = np.random.default_rng(seed)
    for name in ("in_x", "out_x", "in_y", "out_y"):
        tangents[name] = random.integers(-4000, 4000, (len(envelope), 4))
    inner = envelope["time"][1:-1].astype(float)
    assert first(envelope, inner.tolist(), tangents) == pytest.approx((envelope["value"][1:-1, 0] / 1024).tolist())
    before, after = (evaluate(envelope, tangents, inner + shift)[:, 0] for shift in (-1e-9, 1e-9))
    assert before == pytest.approx(after, rel=1e-2, abs=1.0)  # a vertical bezier may rise fast, never jump


def test_many_times_at_once() -> None:
    envelope = points(*((at, at % 5, at * 7) for at in range(0, 8000, 10)))
    times = np.linspace(-10, 30000, 40_000)
    values = evaluate(envelope, None, times)
    assert values.shape == (40_000, 4)
    some = [3, 777, 20_001, 39_999]
    assert np.array_equal(values[some], np.concatenate([evaluate(envelope, None, [times[i]]) for i in some]))
