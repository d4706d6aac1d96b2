# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of maps: without what is not finite, and as short as they can be written where they were edited."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..arrays import Array, Floats, Singles

DIGITS = 4
"""Behind the point, of numbers that come from several transforms one after another."""
_SAME_DEGREES = 1e-2
"""What angles that come from a matrix may differ by and be the same."""


def singles(values: Array) -> Singles:
    """Numbers of a map, of any shape, as float32; 0 for what is not finite or too large."""
    with np.errstate(over="ignore", invalid="ignore"):
        made = values.astype(np.float32, copy=False)
        if not np.isfinite(made).all():
            made = np.where(np.isfinite(made), made, np.float32(0))
    return made


def doubles(values: Array) -> Floats:
    """Numbers of a file, of any shape, as float64, what is not finite as 0."""
    with np.errstate(invalid="ignore"):  # signalling NaNs
        made = values.astype(np.float64)
    made[~np.isfinite(made)] = 0.0
    return np.asarray(made)


def turned(was: float, now: float) -> float:
    """An angle in degrees: `was`, if the float32 `now` (radians) is what the import makes of it."""
    return was if single(math.radians(was)) == single(now) else degrees(now)


def degrees(radians: float) -> float:
    """The shortest number of degrees that is this float32 of radians."""
    exact = math.degrees(radians)
    for digits in range(8):
        short = round(exact, digits)
        if single(math.radians(short)) == single(radians):
            return short
    return exact


def nearly(was: Sequence[float], now: Sequence[float]) -> tuple[float, ...]:
    """Angles in degrees that come from a matrix, with those of `was` where they are the same but for rounding."""
    return tuple(
        old if abs((new - old + 180) % 360 - 180) < _SAME_DEGREES else 180 - (180 - round(new, DIGITS)) % 360
        for old, new in zip(was, now, strict=True)
    )


def same(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether numbers are the same as float32, which Blender's are."""
    return all(single(a) == single(b) for a, b in zip(one, other, strict=True))


def text(value: float) -> str:
    """A number as short as it can be as a float32, without an exponent."""
    if not math.isfinite(value):
        raise ValueError(f"{value} is not a place")
    return np.format_float_positional(np.float32(value) + np.float32(0), trim="-")


def merged(old: str | None, was: Sequence[float], now: Sequence[float]) -> str:
    """The text of several numbers: those that didn't change stay as they are written in `old`."""
    parts = (old or "").split()
    if len(parts) != len(now):
        parts = [text(value) for value in was]
    return " ".join(
        part if before == after else text(after) for part, before, after in zip(parts, was, now, strict=True)
    )


def single(value: float) -> np.float32:
    """A number as a float32; infinite if it is too large for one."""
    with np.errstate(over="ignore"):
        return np.float32(value)
