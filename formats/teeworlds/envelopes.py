# SPDX-License-Identifier: GPL-3.0-or-later
"""Envelopes: the value of an animated quantity at a time, as the game computes it (teeworlds.md §3).

Points are in order of time; each says how the curve runs to the next (BEZIER is LINEAR where a map has no tangents).
The whole repeats: time is taken modulo the last point's. Where no two points enclose it (before the first point), the
last point's value stands.

Vanilla runs synchronised envelopes (and all below version 2) on the game's clock and others on the time since the
player joined; DDNet runs all on the game's clock. That decides which time to ask for, not the value at it.
"""

import numpy as np
import numpy.typing as npt

from ..arrays import Floats, Indices, Records
from .records import Curve

CHANNELS = 4
UNITS = 1024  # values are 22.10 fixed point: pixels, degrees, or a share of 1 for colours and volume


def period(points: Records) -> int:
    """After how many ms the envelope of points [n] repeats: the last one's time; 0 where it does not move."""
    return max(0, int(points["time"][-1])) if len(points) > 1 else 0


def evaluate(
    points: Records,
    tangents: Records | None,
    times: npt.ArrayLike,
    empty: float = 0.0,
) -> Floats:
    """Values of an envelope at times in ms, as the game draws them.

    `points`: POINT records [n]; `tangents`: BEZIER records [n] or None; `times`: [t], any numbers (the envelope
    repeats; before time 0 and before its first point it has the last point's value). Returns float64 [t, 4]: file
    values / 1024 (pixels, degrees, or 1.0 for a full colour and volume), all four channels whatever the kind.
    `empty`: what an envelope without points gives (the game leaves positions at 0, colours and volumes at 1).

    Points whose times run backwards are passed over; the game's own search is undefined there.
    """
    moments = np.asarray(times, np.float64).reshape(-1)
    if not len(points):
        return np.full((len(moments), CHANNELS), empty)
    values = points["value"].astype(np.float64) / UNITS
    length = period(points)
    moments = np.fmod(moments, length) if length else np.zeros_like(moments)

    clock = np.maximum.accumulate(points["time"].astype(np.float64))
    current = np.searchsorted(clock, moments, side="right") - 1
    between = (current >= 0) & (current < len(points) - 1)
    result = np.repeat(values[-1:], len(moments), axis=0)
    if between.any():
        result[between] = _between(points, clock, values, tangents, current[between], moments[between])
    return result


def _between(
    points: Records,
    clock: Floats,
    values: Floats,
    tangents: Records | None,
    current: Indices,
    moments: Floats,
) -> Floats:
    """Values at moments that lie in [current point, next point)."""
    start, end = clock[current], clock[current + 1]
    share = (moments - start) / (end - start)
    kinds = points["curve"][current]
    eased = np.select(
        [kinds == Curve.STEP, kinds == Curve.SLOW, kinds == Curve.FAST, kinds == Curve.SMOOTH],
        [np.zeros_like(share), share**3, 1 - (1 - share) ** 3, share * share * (3 - 2 * share)],
        share,
    )
    before, after = values[current], values[current + 1]
    result: Floats = before + (after - before) * eased[:, None]
    bezier = kinds == Curve.BEZIER
    if tangents is not None and bezier.any():
        left, right = tangents[current[bezier]], tangents[current[bezier] + 1]
        length = (end - start)[bezier, None]
        place = _bezier_place(share[bezier, None], left["out_x"] / length, right["in_x"] / length)
        first, last = before[bezier], after[bezier]
        result[bezier] = _cubic((first, first + left["out_y"] / UNITS, last + right["in_y"] / UNITS, last), place)
    return result


def _bezier_place(share: Floats, out_x: Floats, in_x: Floats) -> Floats:
    """Where on their curves [t, 4] cubic Béziers have run through that share of the time between two points [t, 1].

    `out_x`, `in_x`: the handles' times relative to their points, in shares too. The game keeps them between the points,
    so that time never runs back along the curve: halving finds the one place.
    """
    zero = np.zeros(out_x.shape)
    times = (zero, np.clip(out_x, 0, 1), 1 + np.clip(in_x, -1, 0), zero + 1)
    low, high = zero, zero + 1
    for _ in range(52):  # the bits of a float64
        middle = (low + high) / 2
        early = _cubic(times, middle) <= share
        low, high = np.where(early, middle, low), np.where(early, high, middle)
    return low


def _cubic(corners: tuple[Floats, ...], place: Floats) -> Floats:
    """A cubic Bézier's value at `place` in 0..1, from its four corners."""
    rest = 1 - place
    a, b, c, d = corners
    result: Floats = rest**3 * a + 3 * rest * rest * place * b + 3 * rest * place * place * c + place**3 * d
    return result
